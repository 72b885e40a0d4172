// What is unread, and what a primary would make of it: steps 1 to 3 of ledger_rules.md, section 4.
#include <algorithm>

#include "sync/engine_impl.h"

namespace kartei::sync {

// What an entry being written has taken already, beside what the fold holds.
struct Taken {
  std::set<TurnId> filed, extracted;
  std::set<std::pair<TurnId, DrawerId>> erased;
  std::set<store::UnitId> units;
  std::set<store::EditId> edits;
};

// What the feeds hold beyond what the tip has read, each as far as it may be read.
struct Unread {
  struct Observed {
    Header header;
    std::vector<store::Delta> deltas;
  };
  std::vector<const Entry*> foreign;  // entries that are no ancestors of the tip
  std::vector<Observed> observed;
  Counts consumed;
  std::size_t bytes = 0;  // about what an entry with all that takes
  bool more = false;
};

Result<bool> Engine::Impl::unit_wanted(const store::UnitFiled& unit, Taken& taken) {
  if (unit.sources.empty()) return false;
  std::size_t extracted = 0;
  bool known = taken.units.contains(unit.unit);
  for (const TurnId& turn : unit.sources) {
    KARTEI_ASSIGN(auto drawer, box.filed_drawer(turn));
    if (drawer && *drawer != unit.drawer) return false;
    KARTEI_ASSIGN(auto by, box.extracted_by(turn));
    if (by || taken.extracted.contains(turn)) ++extracted;
    known = known || (by && *by == unit.unit);
  }
  bool wanted = false;
  switch (rules.unit_rule) {
    case Rules::UnitRule::kFirst:
      wanted = extracted == 0;
      break;
    case Rules::UnitRule::kNaive:
      wanted = !known;
      break;
    case Rules::UnitRule::kOverlap:
      wanted = extracted < unit.sources.size() && !known;
      break;
  }
  if (!wanted) return false;
  taken.extracted.insert(unit.sources.begin(), unit.sources.end());
  taken.units.insert(unit.unit);
  return true;
}

namespace {

// The broken variants of the rules on edits: what a primary files in their place.
void weaken(const Rules& rules, store::CardEdited& edit) {
  if (!rules.edits_by_key) {
    edit.target_sources.clear();
    edit.target_key.clear();
  }
  bool copy = edit.kind != store::EditKind::kAdd && edit.kind != store::EditKind::kReplace;
  if (!rules.edit_carries_card && copy) edit.card.reset();
}

}  // namespace

Status Engine::Impl::take_edit(store::Delta delta, Taken& taken, std::vector<store::Delta>& out) {
  const store::EditId* id = edit_of(delta);
  if (!id || taken.edits.contains(*id)) return {};
  KARTEI_ASSIGN(bool filed, box.edit_filed(*id));
  if (filed) return {};
  taken.edits.insert(*id);
  if (auto* edit = std::get_if<store::CardEdited>(&delta)) {
    bool needs_target =
        edit->kind != store::EditKind::kAdd && edit->kind != store::EditKind::kEraseTurn;
    bool forgetful =
        !rules.edits_sticky || (!rules.tombstones && edit->kind == store::EditKind::kEraseCard);
    if (needs_target && forgetful) {
      KARTEI_ASSIGN(auto target, box.card(edit->target));
      if (!target) return {};
    }
    weaken(rules, *edit);
    if (edit->kind == store::EditKind::kEraseTurn) taken.erased.insert({edit->turn, edit->drawer});
  }
  out.push_back(std::move(delta));
  return {};
}

// Step 1: an entry that is not among the ancestors of the tip.
Status Engine::Impl::take_foreign(const Entry& entry, Taken& taken, Work& work) {
  std::set<std::size_t> skeletons;
  KARTEI_ASSIGN(auto deltas, entry_deltas(entry, &skeletons));
  for (std::size_t i = 0; i < deltas.size(); ++i) {
    store::Delta& delta = deltas[i];
    if (std::holds_alternative<store::TurnFiled>(delta)) continue;  // their own feeds bring them
    if (skeletons.contains(i)) continue;
    if (auto* unit = std::get_if<store::UnitFiled>(&delta)) {
      KARTEI_ASSIGN(bool wanted, unit_wanted(*unit, taken));
      if (wanted) work.waiting.push_back(std::move(delta));
      continue;
    }
    KARTEI_TRY(take_edit(std::move(delta), taken, work.waiting));
  }
  return {};
}

// Steps 2 and 3, and units that an observation proposes.
Status Engine::Impl::take_observed(const store::Delta& delta, const Header& header, Taken& taken,
                                   Work& work, bool overlay) {
  if (auto* heard = std::get_if<store::TurnHeard>(&delta)) {
    if (overlay || taken.filed.contains(heard->turn.id) ||
        taken.erased.contains({heard->turn.id, heard->turn.drawer}))
      return {};
    KARTEI_ASSIGN(bool filed, box.turn_filed(heard->turn.id));
    KARTEI_ASSIGN(bool erased, box.turn_erased(heard->turn.id));
    if (filed || erased) return {};
    taken.filed.insert(heard->turn.id);
    work.pending.push_back(
        store::TurnFiled{heard->turn.id, header.feed, header.seq, heard->turn.drawer});
    return {};
  }
  if (auto* unit = std::get_if<store::UnitFiled>(&delta)) {
    KARTEI_ASSIGN(bool wanted, unit_wanted(*unit, taken));
    if (wanted) work.pending.push_back(delta);
    return {};
  }
  if (overlay && std::holds_alternative<store::UsageCounted>(delta)) return {};
  return take_edit(delta, taken, work.pending);
}

// Up to its cut, and up to what cannot be opened yet.
std::uint64_t Engine::Impl::readable_to(const FeedId& id, const Feed& feed,
                                        std::uint64_t from) const {
  std::uint64_t to = std::min(feed.end, roll->cut(id));
  auto stuck = feed.unreadable.lower_bound(from);
  return stuck == feed.unreadable.end() ? to : std::min(to, *stuck);
}

Status Engine::Impl::read_unread(const Record& record, Unread& unread) {
  const Header& header = record.header;
  if (header.kind == RecordKind::kEntry) {
    const Entry* entry = ledger->find(header.feed, header.seq);
    if (!entry || !entry->has_operations || ledger->is_ancestor(*entry)) return {};
    unread.foreign.push_back(entry);
    for (const Part& part : record.parts) unread.bytes += part.size;
    return {};
  }
  auto once = ever.find(header.feed);
  bool skipped = !rules.consumed_by_chain && once != ever.end() && header.seq < once->second;
  if (header.kind != RecordKind::kObservation || skipped) return {};
  bool missing = false;
  KARTEI_ASSIGN(auto deltas, open_deltas(record, &missing));
  unread.bytes += deltas.size() * 64;
  // Turns are named by an entry, all else is carried by it.
  bool carried = std::any_of(deltas.begin(), deltas.end(), [](const store::Delta& delta) {
    return !std::holds_alternative<store::TurnHeard>(delta);
  });
  if (carried && !record.parts.empty()) unread.bytes += record.parts[0].size;
  unread.observed.push_back({header, std::move(deltas)});
  return {};
}

Status Engine::Impl::read_notable(const FeedId& id, std::uint64_t from, std::uint64_t to,
                                  Unread& unread) {
  const std::set<std::uint64_t>& notable = feeds.at(id).notable;
  for (auto seq = notable.lower_bound(from); seq != notable.end() && *seq < to; ++seq) {
    if (const Entry* entry = ledger->find(id, *seq)) {
      if (!ledger->is_ancestor(*entry)) unread.foreign.push_back(entry);
      continue;
    }
    KARTEI_ASSIGN(Record record, read_record(id, *seq));
    KARTEI_TRY(read_unread(record, unread));
  }
  return {};
}

// As much as fits one entry.
Status Engine::Impl::read_feed(const FeedId& id, std::uint64_t from, std::uint64_t to,
                               Unread& unread) {
  std::uint64_t seq = from;
  while (seq < to && unread.bytes < kEntryTarget) {
    KARTEI_ASSIGN(auto records, box.records().range(id, seq, to, 256 << 10));
    if (records.empty()) return corrupt("a feed in the box has a hole; run `kartei doctor`");
    for (const store::StoredRecord& stored : records) {
      KARTEI_ASSIGN(Record record, Record::decode(stored.bytes));
      KARTEI_TRY(read_unread(record, unread));
      ++seq;
    }
  }
  unread.more = unread.more || seq < to;
  unread.consumed[id] = seq;
  return {};
}

// What a primary on our tip would file next of what is unread: any prefix of each feed, up to its
// cut. For the overlay only what can be seen is read: entries that lost, edits, proposed units.
Result<Work> Engine::Impl::collect(bool overlay) {
  Unread unread;
  for (const auto& [id, feed] : feeds) {
    std::uint64_t from = ledger->consumed(id), to = readable_to(id, feed, from);
    if (to <= from) continue;
    if (from < feed.start)
      return corrupt("records were dropped that the ledger still needs; run `kartei doctor`");
    KARTEI_TRY(overlay ? read_notable(id, from, to, unread) : read_feed(id, from, to, unread));
  }
  std::sort(unread.foreign.begin(), unread.foreign.end(), [](const Entry* a, const Entry* b) {
    return std::tie(a->term, a->index) < std::tie(b->term, b->index);
  });
  Work work;
  work.consumed = std::move(unread.consumed);
  work.more = unread.more;
  work.read_any = !unread.foreign.empty() || !unread.observed.empty();
  Taken taken;
  if (rules.refile)
    for (const Entry* entry : unread.foreign) KARTEI_TRY(take_foreign(*entry, taken, work));
  for (const Unread::Observed& item : unread.observed)
    for (const store::Delta& delta : item.deltas)
      KARTEI_TRY(take_observed(delta, item.header, taken, work, overlay));
  return work;
}

}  // namespace kartei::sync
