// Adoption, and the primary's work: reading feeds into entries.
#include <algorithm>

#include "crypto/hash.h"
#include "sync/engine_impl.h"

namespace kartei::sync {

const store::EditId* edit_of(const store::Delta& delta) {
  if (auto* edit = std::get_if<store::CardEdited>(&delta)) return &edit->edit;
  if (auto* usage = std::get_if<store::UsageCounted>(&delta)) return &usage->edit;
  if (auto* ended = std::get_if<store::ConversationEnded>(&delta)) return &ended->edit;
  return nullptr;
}

namespace {

Operation operation_of(const store::Delta& delta) {
  Operation out;
  out.drawer = store::drawer_of(delta);
  if (auto* filed = std::get_if<store::TurnFiled>(&delta)) {
    out.kind = Operation::Kind::kTurn;
    out.id = filed->turn.bytes;
    out.feed = filed->feed;
    out.seq = filed->seq;
  } else if (auto* unit = std::get_if<store::UnitFiled>(&delta)) {
    out.kind = Operation::Kind::kUnit;
    out.id = unit->unit.bytes;
    out.sources = unit->sources;
  } else if (const store::EditId* edit = edit_of(delta)) {
    out.id = edit->bytes;
  }
  return out;
}

// What a device folds of an operation in a drawer that it may not hold.
store::Delta skeleton(const Operation& operation) {
  if (operation.kind == Operation::Kind::kUnit) {
    store::UnitFiled unit;
    unit.unit.bytes = operation.id;
    unit.drawer = operation.drawer;
    unit.sources = operation.sources;
    return unit;
  }
  store::CardEdited edit;  // adds nothing: there is no card
  edit.edit.bytes = operation.id;
  edit.drawer = operation.drawer;
  return edit;
}

bool fits(const Operation& operation, const store::Delta& delta) {
  if (auto* unit = std::get_if<store::UnitFiled>(&delta))
    return operation.kind == Operation::Kind::kUnit && unit->unit.bytes == operation.id &&
           unit->sources == operation.sources;
  const store::EditId* edit = edit_of(delta);
  return operation.kind == Operation::Kind::kEdit && edit && edit->bytes == operation.id;
}

}  // namespace

// What an entry has read and this device cannot read yet is not complete here: acknowledged, it
// could be dropped, and its key destroyed.
std::uint64_t Engine::Impl::readable_end(const FeedId& id) const {
  auto found = feeds.find(id);
  if (found == feeds.end()) return 0;
  const Feed& feed = found->second;
  return feed.unreadable.empty() ? feed.end : std::min(feed.end, *feed.unreadable.begin());
}

LedgerView Engine::Impl::view() const {
  return {[this](const FeedId& feed) { return readable_end(feed); },
          [this](const FeedId& feed) { return roll->cut(feed); }};
}

// The entry's deltas in its order: turns from the control part, bodies from the drawers' parts,
// skeletons where this device holds no key.
Result<std::vector<store::Delta>> Engine::Impl::entry_deltas(const Entry& entry,
                                                             std::set<std::size_t>* skeletons) {
  KARTEI_ASSIGN(Record record, read_record(entry.feed, entry.seq));
  const crypto::Secret* secret = key(kControl, record.parts[0].epoch);
  if (!secret) return corrupt("the key of an adopted entry is missing; run `kartei doctor`");
  KARTEI_ASSIGN(Bytes body, record.open_part(0, *secret));
  KARTEI_ASSIGN(Control control, decode_control(body));
  bool missing = false;
  std::map<DrawerId, std::deque<store::Delta>> bodies;
  KARTEI_ASSIGN(auto all, open_deltas(record, &missing));
  for (store::Delta& delta : all) {
    DrawerId drawer = store::drawer_of(delta);
    bodies[drawer].push_back(std::move(delta));
  }
  std::vector<store::Delta> out;
  for (const Operation& operation : control.operations) {
    if (operation.kind == Operation::Kind::kTurn) {
      out.push_back(
          store::TurnFiled{TurnId{operation.id}, operation.feed, operation.seq, operation.drawer});
      continue;
    }
    auto& queue = bodies[operation.drawer];
    if (queue.empty() || !fits(operation, queue.front())) {
      if (skeletons) skeletons->insert(out.size());
      out.push_back(skeleton(operation));
      continue;
    }
    out.push_back(std::move(queue.front()));
    queue.pop_front();
  }
  return out;
}

Status Engine::Impl::adopt(Now now) {
  Ledger::Step step = ledger->choose(view());
  bool back = step.keep < ledger->chain().size();
  if (!back && step.add.empty()) return {};
  Position before = ledger->tip();
  if (overlay_set) {
    KARTEI_TRY(box.set_overlay({}, {}));
    overlay_set = false;
  }
  if (back && rules.rollback) {
    std::uint64_t undone = ledger->chain().size() - step.keep;
    KARTEI_TRY(box.undo_to(box.tip_height() - undone));
  }
  bool erased = false;
  for (const Entry* entry : step.add) {
    KARTEI_ASSIGN(auto deltas, entry_deltas(*entry, nullptr));
    KARTEI_TRY(box.apply_entry(box.tip_height() + 1, deltas));
    erased = erased || std::any_of(deltas.begin(), deltas.end(), is_erase);
  }
  if (erased) changes.push_back({ChangeKind::kErased, self, {}});
  ledger->adopt(step);
  raise_seen(ledger->tip().term);
  if (back) ++rollbacks;
  if (!rules.consumed_by_chain)
    for (const auto& [feed, count] : ledger->consumed()) ever[feed] = std::max(ever[feed], count);
  overlay_stale = tip_dirty = box_moved = true;
  tip_moved_ms = now.mono_ms;
  unread_since_ms.reset();
  waiting_since_ms.reset();
  if (before.term != ledger->tip().term) {
    tenure_ms = now.mono_ms;
    changes.push_back({ChangeKind::kPrimary, ledger->tip().term.feed.device, ledger->reason()});
  }
  changes.push_back({ChangeKind::kCards, ledger->tip().term.feed.device, {}});
  heads_due();
  return {};
}

bool Engine::Impl::is_acting() const {
  Position tip = ledger->tip();
  if (!own || tip.term.feed != *own || !may_lead()) return false;
  if (rules.step_down && seen != tip.term) return false;
  if (ledger->successor() && rules.closed_terms) return false;
  auto entries = ledger->terms().find(tip.term);
  return entries == ledger->terms().end() || entries->second.empty() ||
         entries->second.rbegin()->first <= tip.index || !rules.rollback || !rules.no_holes;
}

// Still below the place where its sponsor stood when it was admitted. With no other member left
// nobody has been promised anything.
bool Engine::Impl::awaiting_state() const {
  Position tip = ledger->tip();
  return std::tie(tip.term, tip.height) < std::tie(awaits.term, awaits.height) &&
         roll->members().size() > 1;
}

// A member that holds every shared drawer, and what its sponsor had acknowledged.
bool Engine::Impl::may_lead() const {
  if (!roll->is_member(self) || awaiting_state()) return false;
  if (!rules.eligible_only) return true;
  for (const auto& [id, drawer] : roll->drawers())
    if (drawer.shared && !roll->may_hold(id, self)) return false;
  return true;
}

Status Engine::Impl::file_unread(Now now) {
  for (std::size_t i = 0; i < kEntriesACall && is_acting(); ++i) {
    KARTEI_ASSIGN(Work work, collect(false));
    if (!work.read_any) return {};
    EntryDraft draft;
    draft.counter = ledger->tip().term.counter;
    draft.index = ledger->tip().index + 1;
    draft.consumed = std::move(work.consumed);
    draft.deltas = std::move(work.waiting);
    std::move(work.pending.begin(), work.pending.end(), std::back_inserter(draft.deltas));
    note_erases(draft.deltas);
    KARTEI_TRY(append_entry(std::move(draft), now));
    if (!work.more) return {};
  }
  return {};
}

Status Engine::Impl::append_entry(EntryDraft draft, Now now) {
  std::map<DrawerId, std::vector<store::Delta>> bodies;
  Control control;
  for (store::Delta& delta : draft.deltas) {
    control.operations.push_back(operation_of(delta));
    if (std::holds_alternative<store::TurnFiled>(delta)) continue;
    DrawerId drawer = store::drawer_of(delta);
    bodies[drawer].push_back(std::move(delta));
  }
  // New keys first: they are records of our feed too, and the entry counts them.
  std::map<DrawerId, std::pair<Epoch, const crypto::Secret*>> with;
  KARTEI_ASSIGN(auto control_key, sealing_key(kControl, now));
  for (const auto& [drawer, deltas] : bodies) {
    KARTEI_ASSIGN(auto key_of, sealing_key(drawer, now));
    with[drawer] = key_of;
  }
  KARTEI_ASSIGN(control_key, sealing_key(kControl, now));
  Record record;
  KARTEI_ASSIGN(record.header, next_header(RecordKind::kEntry));
  Header& header = record.header;
  control.parent = ledger->tip();
  control.successor = draft.successor;
  control.reason = draft.reason;
  header.counter = draft.counter;
  header.index = draft.index;
  header.height = control.parent.height + 1;
  for (const auto& [feed, count] : draft.consumed)
    if (count > ledger->consumed(feed)) control.consumed[feed] = count;
  // An entry reads itself if all before it is read: keys may have come since, and the record that
  // deltas_of the term.
  if (draft.index > 0 && !draft.successor) {
    auto mine = draft.consumed.find(header.feed);
    std::uint64_t read =
        mine == draft.consumed.end() ? ledger->consumed(header.feed) : mine->second;
    bool all = true;
    for (std::uint64_t seq = read; seq < header.seq && all; ++seq) {
      KARTEI_ASSIGN(Record between, read_record(header.feed, seq));
      const Entry* entry = ledger->find(header.feed, seq);
      all = between.header.kind == RecordKind::kRoll || (entry && ledger->is_ancestor(*entry));
    }
    if (all) control.consumed[header.feed] = header.seq + 1;
  }
  record.seal_part(kControl, control_key.first, *control_key.second, encode(control), random);
  for (const auto& [drawer, deltas] : bodies)
    record.seal_part(drawer, with[drawer].first, *with[drawer].second, store::encode(deltas),
                     random);
  std::vector<store::Delta> all;
  for (auto& [drawer, deltas] : bodies)
    std::move(deltas.begin(), deltas.end(), std::back_inserter(all));
  KARTEI_TRY(append_own(std::move(record), std::move(all), now));
  return adopt(now);
}

Status Engine::Impl::open_term(const std::string& reason, Now now) {
  KARTEI_TRY(own_feed());
  EntryDraft draft;
  draft.counter = (rules.counter_above_seen ? seen.counter : ledger->tip().term.counter) + 1;
  draft.reason = reason;
  if (ledger->terms().contains(Term{draft.counter, *own})) return {};
  return append_entry(std::move(draft), now);
}

Status Engine::Impl::hand_over(const DeviceId& successor, Now now) {
  if (!is_acting()) return {};
  EntryDraft draft;
  draft.counter = ledger->tip().term.counter;
  draft.index = ledger->tip().index + 1;
  draft.successor = successor;
  return append_entry(std::move(draft), now);
}

Status Engine::Impl::refresh_overlay() {
  if (!overlay_stale) return {};
  overlay_stale = false;
  KARTEI_ASSIGN(Work work, collect(true));
  if (work.pending.empty() && work.waiting.empty() && !overlay_set) return {};
  overlay_set = !work.pending.empty() || !work.waiting.empty();
  KARTEI_TRY(box.set_overlay(work.pending, work.waiting));
  box_moved = true;
  changes.push_back({ChangeKind::kCards, self, {}});
  return {};
}

}  // namespace kartei::sync
