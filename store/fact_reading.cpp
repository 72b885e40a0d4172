#include "store/fact_reading.h"

#include <string_view>

namespace kartei::store {

namespace {

#define TURN_FACTS "d.rid, d.conversation, d.said_at, d.role, d.length, d.bag"
#define CARD_FACTS                                                                       \
  "d.rid, d.length, d.bag, d.drawer, d.colour, d.state, d.trust, d.importance, d.flags," \
  " d.times_used, d.valid_from, d.valid_to, d.recorded_at, d.closed_at, d.last_used, d.sources"

constexpr std::string_view kReadOn[] = {
    "SELECT " TURN_FACTS " FROM turn_docs d WHERE d.rid > ? ORDER BY d.rid LIMIT ?",
    "SELECT " CARD_FACTS " FROM card_docs d WHERE d.rid > ? ORDER BY d.rid LIMIT ?"};
constexpr std::string_view kReadRows[] = {
    "SELECT " TURN_FACTS " FROM kartei_rows(?) r CROSS JOIN turn_docs d ON d.rid = r.a",
    "SELECT " CARD_FACTS " FROM kartei_rows(?) r CROSS JOIN card_docs d ON d.rid = r.a"};
}  // namespace

std::size_t FactReading::place_of(DrawerId drawer) {
  const auto [there, added] = places_.emplace(drawer, places_.size());
  if (added) {
    FactDrawers drawers = *drawers_;
    drawers.push_back(drawer);
    drawers_ = std::make_shared<const FactDrawers>(std::move(drawers));
  }
  return there->second;
}

Result<std::vector<FactRows::Change>> FactReading::read(RowKind kind, Query query) {
  std::vector<FactRows::Change> rows;
  while (query.next()) {
    const std::int64_t rid = query.integer(0);
    if (kind == RowKind::kTurn) {
      TurnFacts turn;
      turn.conversation = query.integer(1);
      turn.said_at_ms = query.integer(2);
      turn.role = static_cast<Role>(query.integer(3));
      turn.length = static_cast<std::uint32_t>(query.integer(4));
      rows.push_back({rid, fact_bytes(turn, BagView(query.blob(5)))});
      continue;
    }
    CardFacts card;
    card.length = static_cast<std::uint32_t>(query.integer(1));
    card.colour = static_cast<Colour>(query.integer(4));
    card.state = static_cast<std::uint8_t>(query.integer(5));
    card.trust = static_cast<Trust>(query.integer(6));
    card.importance = static_cast<float>(query.real(7));
    card.flags = static_cast<std::uint32_t>(query.integer(8));
    card.times_used = static_cast<std::uint32_t>(query.integer(9));
    card.valid_from = query.integer(10);
    card.valid_to = query.integer(11);
    card.recorded_at_ms = query.integer(12);
    card.closed_at_ms = query.integer(13);
    card.last_used_ms = query.integer(14);
    card.sources = query.blob(15);
    const std::size_t drawer = place_of(query.id<DrawerId>(3));
    rows.push_back({rid, fact_bytes(card, drawer, BagView(query.blob(2)))});
  }
  KARTEI_TRY(query.status());
  return rows;
}

Result<std::vector<FactRows::Change>> FactReading::rows(Db& db, RowKind kind,
                                                        const std::vector<std::int64_t>& rids) {
  RowList list;
  list.reserve(rids.size());
  for (const std::int64_t rid : rids) list.push_back({rid});
  return read(kind, db.query(kReadRows[static_cast<std::size_t>(kind)], list));
}

Result<std::vector<FactRows::Change>> FactReading::behind(Db& db, RowKind kind, std::int64_t rid,
                                                          std::size_t rows_most) {
  return read(kind, db.query(kReadOn[static_cast<std::size_t>(kind)], rid,
                             static_cast<std::int64_t>(rows_most)));
}

}  // namespace kartei::store
