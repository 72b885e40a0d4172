// The user's words: turns, edits, ends of conversations, and what the secretary made of them.
#include <algorithm>

#include "crypto/hash.h"
#include "sync/engine_write.h"

namespace kartei::sync {

namespace {

template <class Id>
Id random_id(crypto::Random& random) {
  Id out;
  random.fill(out.bytes);
  return out;
}

}  // namespace

// The same word from the same app is the same turn, however often it is told.
static TurnId turn_id_of(const store::Turn& turn, ByteView box_secret, crypto::Random& random) {
  if (!turn.id.is_zero()) return turn.id;
  if (turn.external_id.empty()) return random_id<TurnId>(random);
  Hash32 hash = crypto::keyed_hash(
      box_secret, "kartei turn id v1",
      {turn.device.view(), as_bytes(turn.conversation), as_bytes(turn.external_id)});
  TurnId id;
  std::copy_n(hash.begin(), 16, id.bytes.begin());
  return id;
}

Result<bool> Engine::Impl::is_shared(const DrawerId& drawer) {
  KARTEI_ASSIGN(auto there, box.drawer(drawer));
  if (!there) return bad_input("there is no such drawer", "drawer");
  if (!there->held) return Error{Cause::kForbidden, "this device may not hold that drawer", {}};
  return there->shared;
}

Result<std::vector<TurnId>> Engine::hear(std::vector<store::Turn> turns, Now now) {
  std::vector<TurnId> ids;
  Status status = impl_->write(
      impl_->user_durability(), [&]() { return impl_->hear(turns, ids, now); }, now);
  if (status.has_error()) return status.error();
  return ids;
}

Status Engine::Impl::hear(std::vector<store::Turn>& turns, std::vector<TurnId>& ids, Now now) {
  std::vector<store::Delta> batch;
  std::size_t batch_bytes = 0;
  auto flush_batch = [&]() -> Status {
    batch_bytes = 0;
    if (batch.empty()) return {};
    return append_observation(std::exchange(batch, {}), now);
  };
  // All keys first: a new one is a record of its own, and a turn's place is named before it is
  // said.
  std::map<DrawerId, bool> shared;
  for (const store::Turn& turn : turns) {
    if (turn.text.size() + turn.caption.size() > kTurnMax)
      return bad_input("a turn is longer than 1 MiB; cut it", "text");
    if (shared.contains(turn.drawer)) continue;
    KARTEI_ASSIGN(bool is, is_shared(turn.drawer));
    shared[turn.drawer] = is;
    if (is) KARTEI_TRY(sealing_key(turn.drawer, now));
  }
  for (store::Turn& turn : turns) {
    std::size_t size = turn.text.size() + turn.caption.size();
    if (turn.device.is_zero()) turn.device = self;
    if (turn.recorded_at == store::Time{}) turn.recorded_at = now.wall;
    turn.id = turn_id_of(turn, box_secret.view(), random);
    ids.push_back(turn.id);
    if (!shared[turn.drawer]) {
      KARTEI_ASSIGN([[maybe_unused]] bool stored, box.store_turn(turn, {}));
      continue;
    }
    if (batch_bytes + size > kBodyTarget || batch.size() >= 4096) KARTEI_TRY(flush_batch());
    KARTEI_ASSIGN(Header header, next_header(RecordKind::kObservation));
    KARTEI_ASSIGN(bool stored, box.store_turn(turn, {header.feed, header.seq}));
    if (!stored) continue;
    batch_bytes += size + 256;
    batch.push_back(store::TurnHeard{turn});
  }
  KARTEI_TRY(flush_batch());
  changes.push_back({ChangeKind::kTurns, self, turns.empty() ? "" : turns.front().conversation});
  return {};
}

Result<store::CardId> Engine::edit(store::CardEdited edit, Now now) {
  std::vector<store::CardEdited> edits;
  edits.push_back(std::move(edit));
  KARTEI_ASSIGN(const auto ids, edit_all(std::move(edits), now));
  return ids.front();
}

Result<std::vector<store::CardId>> Engine::edit_all(std::vector<store::CardEdited> edits, Now now) {
  std::vector<store::CardId> ids;
  Status status = impl_->write(
      impl_->user_durability(), [&]() { return impl_->edit_all(edits, ids, now); }, now);
  if (status.has_error()) return status.error();
  return ids;
}

Result<std::optional<store::Card>> Engine::Impl::find_card(const store::CardId& id,
                                                           const CardsMade& made) {
  if (auto found = made.find(id); found != made.end())
    return std::optional<store::Card>(found->second);
  return box.card(id);
}

// What the edit carries of its target, so that it holds wherever it is read.
Status Engine::Impl::complete_edit(store::CardEdited& edit, const CardsMade& made) {
  using store::EditKind;
  if (edit.kind == EditKind::kEraseTurn) {
    KARTEI_ASSIGN(auto turn, box.turn(edit.turn));
    if (!turn) return not_found("there is no such turn");
    edit.drawer = turn->drawer;
    return {};
  }
  bool fresh = edit.kind == EditKind::kAdd || edit.kind == EditKind::kReplace;
  if (fresh && !edit.card) return bad_input("the new card is missing", "card");
  if (edit.kind != EditKind::kAdd) {
    KARTEI_ASSIGN(auto target, find_card(edit.target, made));
    if (!target) return not_found("there is no such card");
    if (edit.drawer.is_zero()) edit.drawer = target->drawer;
    if (edit.drawer != target->drawer)
      return bad_input("the card lies in another drawer; move it there first", "drawer");
    if (!edit.run.is_zero()) return {};  // forgetting means that card alone, and brings none back
    if (edit.target_sources.empty()) edit.target_sources = target->sources;
    if (edit.target_key.empty()) edit.target_key = store::card_key(*target);
    if (!fresh && edit.kind != EditKind::kEraseCard && !edit.card) edit.card = std::move(*target);
  }
  if (edit.drawer.is_zero() && edit.card) edit.drawer = edit.card->drawer;
  if (!fresh) return {};
  store::Card& card = *edit.card;
  if (card.id.is_zero()) card.id = random_id<store::CardId>(random);
  if (card.drawer.is_zero()) card.drawer = edit.drawer;
  if (card.device.is_zero()) card.device = self;
  if (card.recorded_at == store::Time{}) card.recorded_at = edit.at;
  return {};
}

namespace {

// About what an edit takes in a record.
std::size_t size_of(const store::CardEdited& edit) {
  std::size_t size = 512 + edit.note.size() + 16 * edit.target_sources.size();
  if (!edit.card) return size;
  const store::Card& card = *edit.card;
  size += card.text.size() + card.micro_context.size() + card.subject.size() +
          card.relation.size() + card.object.size() + 16 * card.sources.size();
  for (const std::string& note : card.annotations) size += note.size();
  for (const std::string& tag : card.tags) size += tag.size();
  return size;
}

}  // namespace

Status Engine::Impl::edit_all(std::vector<store::CardEdited>& edits,
                              std::vector<store::CardId>& ids, Now now) {
  CardsMade made;
  std::map<DrawerId, bool> shared;
  std::vector<store::Delta> local, observed;
  std::size_t observed_bytes = 0;
  for (store::CardEdited& edit : edits) {
    if (edit.edit.is_zero()) edit.edit = random_id<store::EditId>(random);
    if (edit.at == store::Time{}) edit.at = now.wall;
    KARTEI_TRY(complete_edit(edit, made));
    bool fresh = edit.kind == store::EditKind::kAdd || edit.kind == store::EditKind::kReplace;
    ids.push_back(fresh ? edit.card->id : edit.target);
    if (fresh && edits.size() > 1) made.insert_or_assign(edit.card->id, *edit.card);
    if (!shared.contains(edit.drawer)) {
      KARTEI_ASSIGN(shared[edit.drawer], is_shared(edit.drawer));
    }
    if (!shared[edit.drawer]) {
      local.push_back(std::move(edit));
      continue;
    }
    std::size_t size = size_of(edit);
    if (!observed.empty() && observed_bytes + size > kBodyTarget) {
      KARTEI_TRY(append_observation(std::exchange(observed, {}), now));
      observed_bytes = 0;
    }
    observed_bytes += size;
    observed.push_back(std::move(edit));
  }
  if (!observed.empty()) KARTEI_TRY(append_observation(std::move(observed), now));
  if (local.empty()) return {};
  changes.push_back({ChangeKind::kCards, self, {}});
  if (std::any_of(local.begin(), local.end(), is_erase))
    changes.push_back({ChangeKind::kErased, self, {}});
  return box.apply_local(local);
}

// One delta of the user's, to where its drawer has it.
Status Engine::Impl::say(store::Delta delta, Now now) {
  KARTEI_ASSIGN(bool shared, is_shared(store::drawer_of(delta)));
  std::vector<store::Delta> deltas;
  deltas.push_back(std::move(delta));
  if (shared) return append_observation(std::move(deltas), now);
  changes.push_back({ChangeKind::kCards, self, {}});
  return box.apply_local(deltas);
}

Status Engine::end_conversation(const std::string& conversation, Now now) {
  return impl_->write(
      impl_->user_durability(),
      [&]() -> Status {
        KARTEI_ASSIGN(auto turns, impl_->box.conversation(conversation, 1000));
        std::set<DrawerId> drawers;
        for (const store::Turn& turn : turns) drawers.insert(turn.drawer);
        for (const DrawerId& drawer : drawers)
          KARTEI_TRY(impl_->say(store::ConversationEnded{random_id<store::EditId>(impl_->random),
                                                         drawer, conversation, now.wall},
                                now));
        return {};
      },
      now);
}

Status Engine::count_usage(std::vector<store::CardId> handed_out, Now now) {
  return impl_->write(
      Durability::kLazy,
      [&]() -> Status {
        std::map<store::CardId, std::uint32_t> times;
        for (const store::CardId& card : handed_out) ++times[card];
        std::vector<store::Delta> shared, local;
        for (const auto& [id, count] : times) {
          KARTEI_ASSIGN(auto card, impl_->box.card(id));
          if (!card) continue;
          auto is = impl_->is_shared(card->drawer);
          if (!is) continue;
          (*is ? shared : local)
              .push_back(store::UsageCounted{random_id<store::EditId>(impl_->random), card->drawer,
                                             id, count, now.wall});
        }
        if (!local.empty()) KARTEI_TRY(impl_->box.apply_local(local));
        if (!shared.empty()) KARTEI_TRY(impl_->append_observation(std::move(shared), now));
        return {};
      },
      now);
}

Result<bool> Engine::file_unit(store::UnitFiled unit, Now now,
                               std::vector<store::CardEdited> ends) {
  bool filed = false;
  Status status = impl_->write(
      impl_->user_durability(),
      [&]() -> Status {
        KARTEI_ASSIGN(filed, impl_->file_unit(std::move(unit), now));
        if (!filed || ends.empty()) return {};
        std::vector<store::CardId> ended;
        return impl_->edit_all(ends, ended, now);
      },
      now);
  if (status.has_error()) return status.error();
  return filed;
}

Status Engine::file_units(std::vector<store::UnitFiled> units, Now now) {
  return impl_->write(
      impl_->user_durability(),
      [&]() -> Status {
        for (store::UnitFiled& unit : units) KARTEI_TRY(impl_->file_unit(std::move(unit), now));
        return {};
      },
      now);
}

Result<bool> Engine::Impl::file_unit(store::UnitFiled unit, Now now) {
  if (unit.unit.is_zero()) unit.unit = store::derive_unit_id(unit);
  auto shared = is_shared(unit.drawer);
  if (!shared || unit.sources.empty()) return false;
  if (*shared && !is_acting()) return false;
  for (const TurnId& turn : unit.sources) {
    KARTEI_ASSIGN(auto by, box.extracted_by(turn));
    KARTEI_ASSIGN(bool erased, box.turn_erased(turn));
    if (by || erased) return false;
  }
  std::vector<store::Delta> deltas;
  deltas.push_back(std::move(unit));
  changes.push_back({ChangeKind::kCards, self, {}});
  if (!*shared) {
    KARTEI_TRY(box.apply_local(deltas));
    return true;
  }
  EntryDraft draft;
  draft.counter = ledger->tip().term.counter;
  draft.index = ledger->tip().index + 1;
  draft.deltas = std::move(deltas);
  KARTEI_TRY(append_entry(std::move(draft), now));
  return true;
}

}  // namespace kartei::sync
