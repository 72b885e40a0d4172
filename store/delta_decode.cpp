// Decoding: whatever bytes come, either deltas whose every field is in range, or an error.
#include <capnp/message.h>
#include <capnp/serialize-packed.h>
#include <kj/exception.h>
#include <kj/io.h>

#include "store/delta.capnp.h"
#include "store/delta.h"
#include "store/rows.h"
#include "store/valid_utf8.h"

namespace kartei::store {

namespace {

constexpr std::size_t kBytesMax = 4 << 20;
constexpr std::size_t kUnpackedMax = 16 << 20;  // runs of zeros pack well
constexpr std::size_t kDeltasMax = 65'536;
constexpr std::uint16_t kVersionKnown = 1;

// The first thing that was off; reading goes on, to no harm, and the outcome is thrown away.
class Reader {
 public:
  bool sound() const { return what_ == nullptr; }
  Status status() const { return sound() ? Status{} : Status{corrupt(what_)}; }
  void fail(const char* what) {
    if (what_ == nullptr) what_ = what;
  }

  template <class IdType>
  void id(IdType& out, capnp::Data::Reader data, bool may_be_absent = false) {
    if (data.size() == 0 && may_be_absent) return;
    const auto id = IdType::from_bytes(ByteView(data.begin(), data.size()));
    if (id) {
      out = *id;
    } else {
      fail("A delta with an id that is not of 16 bytes");
    }
  }
  template <class IdType>
  void ids(std::vector<IdType>& out, capnp::Data::Reader data) {
    if (data.size() % 16 != 0) fail("A delta with a list of ids that is cut");
    out = split_ids<IdType>(ByteView(data.begin(), data.size()));
  }
  void text(std::string& out, capnp::Text::Reader text) {
    out.assign(text.begin(), text.size());
    if (!valid_utf8(out)) fail("A delta with text that is not UTF-8");
  }
  void texts(std::vector<std::string>& out, capnp::List<capnp::Text>::Reader list) {
    if (list.size() > kDeltasMax) return fail("A delta with a list that is too long");
    for (auto item : list) text(out.emplace_back(), item);
  }
  template <class Enum>
  void choice(Enum& out, std::uint8_t value, Enum last) {
    if (value > static_cast<std::uint8_t>(last)) return fail("A delta of an unknown kind");
    out = static_cast<Enum>(value);
  }
  void date(Date& out, std::int64_t packed) {
    out = unpack_date(packed);
    if (pack_date(out) != packed) fail("A delta with a date that is none");
  }
  void time(Time& out, std::int64_t ms) {
    if (ms < kTimeMinMs || ms > kTimeMaxMs) {
      return fail("A delta with a time out of range");
    }
    out = time_from_ms(ms);
  }

 private:
  const char* what_ = nullptr;
};

void read(Reader& in, Turn& turn, wire::Turn::Reader from) {
  in.id(turn.id, from.getId());
  in.text(turn.external_id, from.getExternalId());
  in.text(turn.conversation, from.getConversation());
  in.text(turn.speaker, from.getSpeaker());
  in.choice(turn.role, from.getRole(), Role::kTool);
  in.choice(turn.trust, from.getTrust(), Trust::kWebPage);
  turn.said_at.zone_min = from.getZoneMin();
  in.text(turn.text, from.getText());
  in.text(turn.caption, from.getCaption());
  in.time(turn.said_at.at, from.getSaidAt());
  in.time(turn.recorded_at, from.getRecordedAt());
  in.id(turn.drawer, from.getDrawer());
  in.text(turn.app, from.getApp());
  in.id(turn.device, from.getDevice());
}

void read(Reader& in, Card& card, wire::Card::Reader from) {
  in.id(card.id, from.getId());
  in.text(card.text, from.getText());
  in.choice(card.colour, from.getColour(), Colour::kRule);
  in.choice(card.trust, from.getTrust(), Trust::kWebPage);
  in.choice(card.state, from.getState(), CardState::kErased);
  card.user_made = from.getUserMade();
  card.flags = from.getFlags();
  in.id(card.drawer, from.getDrawer());
  in.text(card.sub_domain, from.getSubDomain());
  in.text(card.micro_context, from.getMicroContext());
  in.text(card.subject, from.getSubject());
  in.text(card.relation, from.getRelation());
  in.text(card.object, from.getObject());
  in.date(card.valid_from, from.getValidFrom());
  in.date(card.valid_to, from.getValidTo());
  in.time(card.recorded_at, from.getRecordedAt());
  in.time(card.closed_at, from.getClosedAt());
  in.id(card.replaced_by, from.getReplacedBy(), true);
  in.text(card.why_closed, from.getWhyClosed());
  in.text(card.conversation, from.getConversation());
  in.ids(card.sources, from.getSources());
  in.text(card.said_by, from.getSaidBy());
  in.text(card.app, from.getApp());
  in.id(card.device, from.getDevice());
  card.importance = from.getImportance();
  if (!(card.importance >= 0 && card.importance <= 1)) in.fail("A card of impossible importance");
  in.texts(card.tags, from.getTags());
  in.texts(card.annotations, from.getAnnotations());
  card.times_used = from.getTimesUsed();
  in.time(card.last_used, from.getLastUsed());
}

void read(Reader& in, CardClose& close, wire::CardClose::Reader from) {
  in.id(close.card, from.getCard());
  in.ids(close.sources, from.getSources());
  in.text(close.key, from.getKey());
  in.date(close.valid_to, from.getValidTo());
  in.id(close.replaced_by, from.getReplacedBy(), true);
  in.text(close.why, from.getWhy());
  in.time(close.at, from.getAt());
}

void read(Reader& in, TurnFiled& filed, wire::TurnFiled::Reader from) {
  in.id(filed.turn, from.getTurn());
  in.id(filed.feed.device, from.getFeedDevice());
  filed.feed.number = from.getFeedNumber();
  filed.feed.tag = from.getFeedTag();
  filed.seq = from.getSeq();
  in.id(filed.drawer, from.getDrawer());
}

void read(Reader& in, UnitFiled& unit, wire::UnitFiled::Reader from) {
  in.id(unit.unit, from.getUnit());
  in.id(unit.drawer, from.getDrawer());
  in.ids(unit.sources, from.getSources());
  const auto cards = from.getCards();
  const auto closes = from.getCloses();
  if (cards.size() > kDeltasMax || closes.size() > kDeltasMax) {
    return in.fail("A unit with too many cards");
  }
  for (auto card : cards) read(in, unit.cards.emplace_back(), card);
  for (auto close : closes) read(in, unit.closes.emplace_back(), close);
  in.ids(unit.confirmed, from.getConfirmed());
  in.ids(unit.confirmed_by, from.getConfirmedBy());
  if (unit.confirmed.size() != unit.confirmed_by.size()) {
    in.fail("A unit whose confirmations do not pair up");
  }
}

void read(Reader& in, CardEdited& edit, wire::CardEdited::Reader from) {
  in.id(edit.edit, from.getEdit());
  in.choice(edit.kind, from.getKind(), EditKind::kTakeBack);
  in.id(edit.drawer, from.getDrawer());
  in.id(edit.target, from.getTarget(), true);
  in.id(edit.turn, from.getTurn(), true);
  in.ids(edit.target_sources, from.getTargetSources());
  in.text(edit.target_key, from.getTargetKey());
  if (from.hasCard()) read(in, edit.card.emplace(), from.getCard());
  edit.flags = from.getFlags();
  edit.importance = from.getImportance();
  if (!(edit.importance >= 0 && edit.importance <= 1)) in.fail("An edit of impossible importance");
  in.text(edit.note, from.getNote());
  in.date(edit.valid_to, from.getValidTo());
  in.time(edit.at, from.getAt());
  in.id(edit.run, from.getRun(), true);
  in.id(edit.stands_in, from.getStandsIn(), true);
}

void read(Reader& in, UsageCounted& usage, wire::UsageCounted::Reader from) {
  in.id(usage.edit, from.getEdit());
  in.id(usage.drawer, from.getDrawer());
  in.id(usage.card, from.getCard());
  usage.times = from.getTimes();
  in.time(usage.last, from.getLast());
}

void read(Reader& in, ConversationEnded& ended, wire::ConversationEnded::Reader from) {
  in.id(ended.edit, from.getEdit());
  in.id(ended.drawer, from.getDrawer());
  in.text(ended.conversation, from.getConversation());
  in.time(ended.at, from.getAt());
}

void read(Reader& in, Delta& delta, wire::Delta::Reader from) {
  switch (from.which()) {
    case wire::Delta::TURN_HEARD:
      return read(in, delta.emplace<TurnHeard>().turn, from.getTurnHeard());
    case wire::Delta::TURN_FILED:
      return read(in, delta.emplace<TurnFiled>(), from.getTurnFiled());
    case wire::Delta::UNIT_FILED:
      return read(in, delta.emplace<UnitFiled>(), from.getUnitFiled());
    case wire::Delta::CARD_EDITED:
      return read(in, delta.emplace<CardEdited>(), from.getCardEdited());
    case wire::Delta::USAGE_COUNTED:
      return read(in, delta.emplace<UsageCounted>(), from.getUsageCounted());
    case wire::Delta::CONVERSATION_ENDED:
      return read(in, delta.emplace<ConversationEnded>(), from.getConversationEnded());
  }
  in.fail("A delta of an unknown kind");
}

Result<std::vector<Delta>> decode_message(capnp::MessageReader& message) {
  const auto batch = message.getRoot<wire::Batch>();
  if (batch.getVersion() > kVersionKnown) {
    return Error{Cause::kVersion, "A record was written by a newer Kartei; update Kartei", {}};
  }
  if (batch.getVersion() == 0) return corrupt("Bytes that hold no deltas");
  const auto list = batch.getDeltas();
  if (list.size() > kDeltasMax) return corrupt("Too many deltas in one record");
  Reader in;
  std::vector<Delta> deltas;
  for (auto delta : list) {
    read(in, deltas.emplace_back(), delta);
    if (!in.sound()) return in.status().error();
  }
  return deltas;
}

}  // namespace

Result<std::vector<Delta>> decode_deltas(ByteView bytes) {
  if (bytes.size() > kBytesMax) return corrupt("A record with too many bytes of deltas");
  Result<std::vector<Delta>> outcome = corrupt("Bytes that hold no deltas");
  const auto failed = kj::runCatchingExceptions([&] {
    kj::ArrayInputStream stream(kj::ArrayPtr<const kj::byte>(bytes.data(), bytes.size()));
    capnp::ReaderOptions options;
    options.traversalLimitInWords = kUnpackedMax / sizeof(capnp::word);
    options.nestingLimit = 16;
    capnp::PackedMessageReader message(stream, options);
    outcome = decode_message(message);
  });
  if (failed != nullptr) return corrupt("Deltas that do not decode");
  return outcome;
}

}  // namespace kartei::store
