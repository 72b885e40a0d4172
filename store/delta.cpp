// Encoding, and what needs no decoding. decode_deltas is in delta_decode.cpp.
#include "store/delta.h"

#include <capnp/message.h>
#include <capnp/serialize-packed.h>
#include <capnp/serialize.h>

#include <algorithm>

#include "crypto/hash.h"
#include "store/delta.capnp.h"
#include "store/rows.h"

namespace kartei::store {

namespace {

template <class Tag>
capnp::Data::Reader data(const Id<Tag>& id) {
  return {id.bytes.data(), id.bytes.size()};
}
capnp::Data::Reader data(const Bytes& bytes) {
  return {bytes.data(), bytes.size()};
}
// What is encoded always decodes: numbers out of range are brought into it.
std::int64_t wire_time(Time time) {
  return std::clamp(to_ms(time), kTimeMinMs, kTimeMaxMs);
}
capnp::Text::Reader text(const std::string& words) {
  return {words.c_str(), words.size()};
}

void write(wire::Turn::Builder out, const Turn& turn) {
  out.setId(data(turn.id));
  out.setExternalId(text(turn.external_id));
  out.setConversation(text(turn.conversation));
  out.setSpeaker(text(turn.speaker));
  out.setRole(static_cast<std::uint8_t>(turn.role));
  out.setTrust(static_cast<std::uint8_t>(turn.trust));
  out.setZoneMin(turn.said_at.zone_min);
  out.setText(text(turn.text));
  out.setCaption(text(turn.caption));
  out.setSaidAt(wire_time(turn.said_at.at));
  out.setRecordedAt(wire_time(turn.recorded_at));
  out.setDrawer(data(turn.drawer));
  out.setApp(text(turn.app));
  out.setDevice(data(turn.device));
}

void write(capnp::List<capnp::Text>::Builder out, const std::vector<std::string>& items) {
  for (unsigned i = 0; i < items.size(); ++i) out.set(i, text(items[i]));
}

void write(wire::Card::Builder out, const Card& card) {
  out.setId(data(card.id));
  out.setText(text(card.text));
  out.setColour(static_cast<std::uint8_t>(card.colour));
  out.setTrust(static_cast<std::uint8_t>(card.trust));
  out.setState(static_cast<std::uint8_t>(card.state));
  out.setUserMade(card.user_made);
  out.setFlags(card.flags);
  out.setDrawer(data(card.drawer));
  out.setSubDomain(text(card.sub_domain));
  out.setMicroContext(text(card.micro_context));
  out.setSubject(text(card.subject));
  out.setRelation(text(card.relation));
  out.setObject(text(card.object));
  out.setValidFrom(pack_date(card.valid_from));
  out.setValidTo(pack_date(card.valid_to));
  out.setRecordedAt(wire_time(card.recorded_at));
  out.setClosedAt(wire_time(card.closed_at));
  if (!card.replaced_by.is_zero()) out.setReplacedBy(data(card.replaced_by));
  out.setWhyClosed(text(card.why_closed));
  out.setConversation(text(card.conversation));
  out.setSources(data(join_ids(card.sources)));
  out.setSaidBy(text(card.said_by));
  out.setApp(text(card.app));
  out.setDevice(data(card.device));
  out.setImportance(bounded_importance(card.importance));
  write(out.initTags(static_cast<unsigned>(card.tags.size())), card.tags);
  write(out.initAnnotations(static_cast<unsigned>(card.annotations.size())), card.annotations);
  out.setTimesUsed(card.times_used);
  out.setLastUsed(wire_time(card.last_used));
}

void write(wire::CardClose::Builder out, const CardClose& close) {
  out.setCard(data(close.card));
  out.setSources(data(join_ids(close.sources)));
  out.setKey(text(close.key));
  out.setValidTo(pack_date(close.valid_to));
  if (!close.replaced_by.is_zero()) out.setReplacedBy(data(close.replaced_by));
  out.setWhy(text(close.why));
  out.setAt(wire_time(close.at));
}

void write(wire::Delta::Builder out, const TurnHeard& heard) {
  write(out.initTurnHeard(), heard.turn);
}

void write(wire::Delta::Builder delta, const TurnFiled& filed) {
  auto out = delta.initTurnFiled();
  out.setTurn(data(filed.turn));
  out.setFeedDevice(data(filed.feed.device));
  out.setFeedNumber(filed.feed.number);
  out.setFeedTag(filed.feed.tag);
  out.setSeq(filed.seq);
  out.setDrawer(data(filed.drawer));
}

void write(wire::UnitFiled::Builder out, const UnitFiled& unit) {
  out.setUnit(data(unit.unit));
  out.setDrawer(data(unit.drawer));
  out.setSources(data(join_ids(unit.sources)));
  auto cards = out.initCards(static_cast<unsigned>(unit.cards.size()));
  for (unsigned i = 0; i < unit.cards.size(); ++i) write(cards[i], unit.cards[i]);
  auto closes = out.initCloses(static_cast<unsigned>(unit.closes.size()));
  for (unsigned i = 0; i < unit.closes.size(); ++i) write(closes[i], unit.closes[i]);
  const std::size_t pairs = std::min(unit.confirmed.size(), unit.confirmed_by.size());
  out.setConfirmed(data(join_ids(unit.confirmed)).slice(0, pairs * 16));
  out.setConfirmedBy(data(join_ids(unit.confirmed_by)).slice(0, pairs * 16));
}

void write(wire::Delta::Builder delta, const UnitFiled& unit) {
  write(delta.initUnitFiled(), unit);
}

void write(wire::Delta::Builder delta, const CardEdited& edit) {
  auto out = delta.initCardEdited();
  out.setEdit(data(edit.edit));
  out.setKind(static_cast<std::uint8_t>(edit.kind));
  out.setDrawer(data(edit.drawer));
  if (!edit.target.is_zero()) out.setTarget(data(edit.target));
  if (!edit.turn.is_zero()) out.setTurn(data(edit.turn));
  out.setTargetSources(data(join_ids(edit.target_sources)));
  out.setTargetKey(text(edit.target_key));
  if (edit.card) write(out.initCard(), *edit.card);
  out.setFlags(edit.flags);
  out.setImportance(bounded_importance(edit.importance));
  out.setNote(text(edit.note));
  out.setValidTo(pack_date(edit.valid_to));
  out.setAt(wire_time(edit.at));
  if (!edit.run.is_zero()) out.setRun(data(edit.run));
  if (!edit.stands_in.is_zero()) out.setStandsIn(data(edit.stands_in));
}

void write(wire::Delta::Builder delta, const UsageCounted& usage) {
  auto out = delta.initUsageCounted();
  out.setEdit(data(usage.edit));
  out.setDrawer(data(usage.drawer));
  out.setCard(data(usage.card));
  out.setTimes(usage.times);
  out.setLast(wire_time(usage.last));
}

void write(wire::Delta::Builder delta, const ConversationEnded& ended) {
  auto out = delta.initConversationEnded();
  out.setEdit(data(ended.edit));
  out.setDrawer(data(ended.drawer));
  out.setConversation(text(ended.conversation));
  out.setAt(wire_time(ended.at));
}

// Grows with what is written; its bytes are the packed message.
class ByteSink final : public kj::OutputStream {
 public:
  void write(const void* data, std::size_t size) override {
    const auto* start = static_cast<const std::uint8_t*>(data);
    bytes.insert(bytes.end(), start, start + size);
  }
  Bytes bytes;
};

}  // namespace

Bytes encode(const std::vector<Delta>& deltas) {
  capnp::MallocMessageBuilder message;
  auto batch = message.initRoot<wire::Batch>();
  batch.setVersion(1);
  auto list = batch.initDeltas(static_cast<unsigned>(deltas.size()));
  for (unsigned i = 0; i < deltas.size(); ++i) {
    std::visit([&](const auto& delta) { write(list[i], delta); }, deltas[i]);
  }
  ByteSink sink;
  capnp::writePackedMessage(sink, message);
  return std::move(sink.bytes);
}

// Over Cap'n Proto's canonical form, which fields that are added later and not set do not change.
UnitId derive_unit_id(const UnitFiled& unit) {
  UnitFiled rest = unit;
  rest.unit = UnitId{};
  capnp::MallocMessageBuilder message;
  auto out = message.initRoot<wire::UnitFiled>();
  write(out, rest);
  const auto words = capnp::canonicalize(out.asReader());
  const auto bytes = words.asBytes();
  const Hash32 hash = crypto::hash("kartei unit", {ByteView(bytes.begin(), bytes.size())});
  return *UnitId::from_bytes(ByteView(hash).first(16));
}

DrawerId drawer_of(const Delta& delta) {
  struct Visitor {
    DrawerId operator()(const TurnHeard& heard) const { return heard.turn.drawer; }
    DrawerId operator()(const TurnFiled& filed) const { return filed.drawer; }
    DrawerId operator()(const UnitFiled& unit) const { return unit.drawer; }
    DrawerId operator()(const CardEdited& edit) const { return edit.drawer; }
    DrawerId operator()(const UsageCounted& usage) const { return usage.drawer; }
    DrawerId operator()(const ConversationEnded& ended) const { return ended.drawer; }
  };
  return std::visit(Visitor{}, delta);
}

}  // namespace kartei::store
