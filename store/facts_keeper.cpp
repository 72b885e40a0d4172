#include "store/facts_keeper.h"

#include <sqlite3.h>

#include <algorithm>

namespace kartei::store {

namespace {

constexpr std::string_view kTables[] = {"turn_docs", "card_docs"};

RowFacts no_facts() {
  RowFacts facts;
  facts.drawers = std::make_shared<const FactDrawers>();
  facts.unordered = std::make_shared<const std::unordered_set<std::int64_t>>();
  return facts;
}

}  // namespace

FactsKeeper::FactsKeeper(Db& db) : db_(db), facts_(no_facts()) {
  sqlite3_update_hook(
      db_.handle(),
      [](void* self, int operation, const char* database, const char* table, sqlite3_int64 rid) {
        on_change(self, operation, database, table, rid);
      },
      this);
}

FactsKeeper::~FactsKeeper() {
  sqlite3_update_hook(db_.handle(), nullptr, nullptr);
}

void FactsKeeper::on_change(void* self, int, const char*, const char* table, std::int64_t rid) {
  auto& keeper = *static_cast<FactsKeeper*>(self);
  if (keeper.loading_ == Loading::kNot) return;
  for (std::size_t kind = 0; kind < 2; ++kind)
    if (kTables[kind] == table) keeper.changed_[kind].push_back(rid);
}

// Of a turn that is in facts_ now. One said before another that is in front of it: from then on
// that conversation's order is asked of the disk.
void FactsKeeper::note_order(std::int64_t rid) {
  const auto said_at = [&](std::int64_t turn) {
    return turn_facts(facts_.turns.row(turn)).said_at_ms;
  };
  const TurnFacts turn = turn_facts(facts_.turns.row(rid));
  LastTurn& newest = newest_[turn.conversation];
  if (rid > newest.rid) {
    const bool in_order = newest.rid == 0 || turn.said_at_ms >= newest.said_at_ms;
    newest = {rid, turn.said_at_ms};
    if (!in_order) unordered_.insert(turn.conversation);
    return;
  }
  // Came back, or said otherwise.
  const auto beside = facts_.beside(rid);
  if (!beside || (beside->before != 0 && said_at(beside->before) > turn.said_at_ms) ||
      (beside->after != 0 && turn.said_at_ms > said_at(beside->after)))
    unordered_.insert(turn.conversation);
  newest.said_at_ms = std::max(newest.said_at_ms, turn.said_at_ms);
}

bool FactsKeeper::stays_in_its_place(const FactRows::Change& row) const {
  const ByteView known = facts_.turns.row(row.rid);
  if (known.empty()) return false;
  const TurnFacts before = turn_facts(known), now = turn_facts(row.bytes);
  return before.conversation == now.conversation && before.said_at_ms == now.said_at_ms;
}

// True: the kind is read to its end.
Result<bool> FactsKeeper::load_kind(RowKind kind, std::size_t rows_most) {
  // In steps, so that only a few rows are held twice.
  constexpr std::size_t kStepRows = 64 * FactRows::kChunkRows;
  const std::size_t step = std::min(rows_most, kStepRows);
  KARTEI_ASSIGN(const auto rows, reading_.behind(db_, kind, loaded_to_, step));
  if (rows.empty()) return true;
  FactRows& known = facts_.rows(kind);
  known = known.with(rows);
  if (kind == RowKind::kTurn)
    for (const FactRows::Change& row : rows) note_order(row.rid);
  loaded_to_ = rows.back().rid;
  return rows.size() < step;
}

Result<bool> FactsKeeper::load(std::size_t rows_most) {
  if (loading_ == Loading::kNot) {
    loading_ = Loading::kTurns;
    loaded_to_ = 0;
  }
  while (!loaded()) {
    const RowKind kind = loading_ == Loading::kTurns ? RowKind::kTurn : RowKind::kCard;
    auto ended = load_kind(kind, rows_most);
    if (!ended) {
      unload();
      return ended.error();
    }
    if (*ended) {
      loading_ = loading_ == Loading::kTurns ? Loading::kCards : Loading::kDone;
      loaded_to_ = 0;
    } else if (rows_most != SIZE_MAX) {
      return false;
    }
  }
  publish();
  return true;
}

void FactsKeeper::publish() {
  facts_.drawers = reading_.drawers();
  if (facts_.unordered->size() != unordered_.size())
    facts_.unordered = std::make_shared<const std::unordered_set<std::int64_t>>(unordered_);
  index_->use(std::make_shared<const RowFacts>(facts_));
}

void FactsKeeper::unload() {
  index_->use(nullptr);
  loading_ = Loading::kNot;
  for (auto& rids : changed_) rids = {};
  facts_ = no_facts();
  reading_ = {};
  newest_ = {};
  unordered_ = {};
}

Status FactsKeeper::read_again(RowKind kind, std::vector<std::int64_t>& rids) {
  std::sort(rids.begin(), rids.end());
  rids.erase(std::unique(rids.begin(), rids.end()), rids.end());
  // What is not loaded yet will be.
  const bool loading = loading_ == (kind == RowKind::kTurn ? Loading::kTurns : Loading::kCards);
  const bool later = kind == RowKind::kCard && loading_ == Loading::kTurns;
  if (loading || later)
    std::erase_if(rids, [&](std::int64_t rid) { return later || rid > loaded_to_; });
  if (rids.empty()) return {};
  KARTEI_ASSIGN(auto there, reading_.rows(db_, kind, rids));
  std::vector<std::int64_t> placed;
  if (kind == RowKind::kTurn)
    for (const FactRows::Change& row : there)
      if (!stays_in_its_place(row)) placed.push_back(row.rid);
  std::vector<FactRows::Change> changes;
  changes.reserve(rids.size());
  auto next = there.begin();
  for (const std::int64_t rid : rids) {
    const bool found = next != there.end() && next->rid == rid;
    changes.push_back({rid, found ? std::move(next->bytes) : Bytes()});
    if (found) ++next;
  }
  FactRows& known = facts_.rows(kind);
  known = known.with(changes);
  for (const std::int64_t rid : placed) note_order(rid);
  return {};
}

void FactsKeeper::committed() {
  if (changed_[0].empty() && changed_[1].empty()) return;
  for (const RowKind kind : {RowKind::kTurn, RowKind::kCard}) {
    auto& rids = changed_[static_cast<std::size_t>(kind)];
    if (auto read = read_again(kind, rids); !read) return unload();
    rids.clear();
  }
  if (loaded()) publish();
}

void FactsKeeper::rolled_back() {
  for (auto& rids : changed_) rids.clear();
}

}  // namespace kartei::store
