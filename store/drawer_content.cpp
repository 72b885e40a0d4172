// What a local drawer holds, taken out as deltas that bring it about anew: for sharing it.
#include <algorithm>
#include <map>
#include <set>

#include "store/box_impl.h"
#include "store/fold_tables.h"
#include "store/forgotten.h"
#include "store/rows.h"

namespace kartei::store {

namespace {

// An id for a delta that stands for a row: taking the content out twice gives the same.
EditId edit_for(std::uint8_t kind, const CardId& card) {
  EditId id;
  id.bytes = card.bytes;
  id.bytes[0] = static_cast<std::uint8_t>(id.bytes[0] ^ (0x80 | kind));
  return id;
}

struct Content {
  std::vector<Turn> turns;
  std::map<UnitId, UnitFiled> units;  // sources and cards
  std::map<TurnId, UnitId> unit_of;
  std::vector<Card> own;  // in the user's words, or brought back from an edit's copy
};

Status read_units(Db& db, DrawerId drawer, Content& content) {
  Query query =
      db.query("SELECT turn, unit FROM extracted WHERE drawer = ? ORDER BY unit, turn", drawer);
  while (query.next()) {
    const TurnId turn = query.id<TurnId>(0);
    const UnitId unit = query.id<UnitId>(1);
    content.units[unit].sources.push_back(turn);
    content.unit_of[turn] = unit;
  }
  return query.status();
}

// Cards as they were filed: what ended them follows as a delta of its own.
Status read_cards_of(Db& db, DrawerId drawer, Content& content) {
  Query query = db.query(std::string("SELECT ") + kCardColumns +
                             ", c.own_state, c.own_valid_to, c.own_sources FROM cards c WHERE "
                             "c.drawer = ? ORDER BY c.rid",
                         drawer);
  while (query.next()) {
    Card card = read_card(query);
    const auto origin = query.integer(kCardColumnCount - 1);
    card.state = static_cast<CardState>(query.integer(kCardColumnCount));
    card.valid_to = unpack_date(query.integer(kCardColumnCount + 1));
    card.sources = split_ids<TurnId>(query.blob(kCardColumnCount + 2));
    card.closed_at = {};
    card.replaced_by = {};
    card.why_closed.clear();
    card.times_used = 0;
    card.last_used = {};
    auto unit = content.unit_of.end();
    for (const TurnId& turn : card.sources)
      if (unit == content.unit_of.end()) unit = content.unit_of.find(turn);
    if (origin == kOriginExtracted && unit != content.unit_of.end()) {
      content.units[unit->second].cards.push_back(std::move(card));
    } else {
      content.own.push_back(std::move(card));
    }
  }
  return query.status();
}

Status read_ends(Db& db, DrawerId drawer, std::vector<Delta>& out) {
  Query query = db.query(
      "SELECT e.card, e.valid_to, e.closed_at, e.replaced_by, e.why, c.own_sources, c.rid FROM "
      "ends e LEFT JOIN cards c ON c.id = e.card WHERE e.drawer = ? ORDER BY e.n",
      drawer);
  std::vector<std::pair<CardEdited, CardId>> ends;
  while (query.next()) {
    CardEdited edit;
    edit.kind = EditKind::kClose;
    edit.drawer = drawer;
    edit.target = query.id<CardId>(0);
    edit.edit = edit_for(1, edit.target);
    edit.valid_to = unpack_date(query.integer(1));
    edit.at = time_from_ms(query.integer(2));
    edit.note = std::string(query.text(4));
    edit.target_sources = split_ids<TurnId>(query.blob(5));
    ends.emplace_back(std::move(edit), query.id<CardId>(3));
  }
  KARTEI_TRY(query.status());
  for (auto& [edit, by] : ends) {
    // What stands in its place is named by a replacement that brings the same card once more.
    Query replacement =
        db.query(std::string("SELECT ") + kCardColumns + " FROM cards c WHERE c.id = ?", by);
    if (!by.is_zero() && replacement.next()) {
      edit.kind = EditKind::kReplace;
      edit.card = read_card(replacement);
    }
    KARTEI_TRY(replacement.status());
    out.push_back(std::move(edit));
  }
  return {};
}

// A card as it was before forgetting, or its user, put it away: the steps follow.
Status read_forgotten_of(Db& db, DrawerId drawer, std::vector<CardEdited>& steps,
                         std::map<CardId, CardState>& before) {
  static constexpr EditKind kKinds[] = {EditKind::kTakeBack, EditKind::kFade,  EditKind::kArchive,
                                        EditKind::kCondense, EditKind::kTrash, EditKind::kAdd,
                                        EditKind::kArchive};
  Query query = db.query(
      "SELECT card, run, step, before, at, stands_in, why FROM forgotten WHERE drawer = ? ORDER "
      "BY n",
      drawer);
  while (query.next()) {
    const std::int64_t step = query.integer(2);
    if (step < 0 || step >= static_cast<std::int64_t>(std::size(kKinds))) continue;
    CardEdited edit;
    edit.kind = kKinds[step];
    edit.drawer = drawer;
    edit.target = query.id<CardId>(0);
    edit.run = query.id<RunId>(1);
    edit.edit = edit_for(4, edit.target);
    for (std::size_t i = 0; i < edit.edit.bytes.size(); ++i)
      edit.edit.bytes[i] = static_cast<std::uint8_t>(edit.edit.bytes[i] ^ edit.run.bytes[i]);
    edit.at = time_from_ms(query.integer(4));
    edit.stands_in = query.id<CardId>(5);
    edit.note = std::string(query.text(6));
    const bool by_user = step == Forgotten::kByUser;
    if (by_user) edit.edit.bytes = edit.run.bytes;
    if (by_user) edit.run = {};
    if (step != Forgotten::kTakenBack && step != Forgotten::kMade)
      before.try_emplace(edit.target, static_cast<CardState>(query.integer(3)));
    steps.push_back(std::move(edit));
  }
  return query.status();
}

// Gives the card that stands for others to the step that made it.
void place_made(std::vector<Card>& own, CardEdited& step) {
  const auto made = std::find_if(own.begin(), own.end(),
                                 [&](const Card& card) { return card.id == step.target; });
  if (made == own.end()) return;
  step.card = std::move(*made);
  own.erase(made);
}

Status read_usage(Db& db, DrawerId drawer, std::vector<Delta>& out) {
  Query query =
      db.query("SELECT card, times, last FROM usage WHERE drawer = ? ORDER BY card", drawer);
  while (query.next()) {
    const CardId card = query.id<CardId>(0);
    out.push_back(UsageCounted{edit_for(2, card), drawer, card,
                               static_cast<std::uint32_t>(query.integer(1)),
                               time_from_ms(query.integer(2))});
  }
  return query.status();
}

Status read_erased(Db& db, DrawerId drawer, std::vector<Delta>& out) {
  Query query =
      db.query("SELECT kind, id FROM tombstones WHERE drawer = ? AND kind IN (0, 2)", drawer);
  while (query.next()) {
    CardEdited edit;
    edit.drawer = drawer;
    const CardId id = query.id<CardId>(1);
    edit.edit = edit_for(3, id);
    edit.kind = query.integer(0) == 0 ? EditKind::kEraseCard : EditKind::kEraseTurn;
    if (edit.kind == EditKind::kEraseCard) edit.target = id;
    if (edit.kind == EditKind::kEraseTurn) edit.turn.bytes = id.bytes;
    out.push_back(std::move(edit));
  }
  return query.status();
}

}  // namespace

Result<std::vector<Delta>> Box::take_drawer(DrawerId id) {
  return impl_->change([&]() -> Result<std::vector<Delta>> {
    Db& db = *impl_->db;
    Content content;
    KARTEI_ASSIGN(content.turns, read_turns(db.query(std::string("SELECT ") + kTurnColumns +
                                                         " FROM turns t WHERE t.drawer = ? "
                                                         "ORDER BY t.rid",
                                                     id)));
    KARTEI_TRY(read_units(db, id, content));
    KARTEI_TRY(read_cards_of(db, id, content));
    std::vector<CardEdited> steps;
    std::map<CardId, CardState> before;
    KARTEI_TRY(read_forgotten_of(db, id, steps, before));
    const auto as_before = [&](Card& card) {
      if (const auto found = before.find(card.id); found != before.end())
        card.state = found->second;
    };
    for (auto& [name, unit] : content.units)
      for (Card& card : unit.cards) as_before(card);
    for (Card& card : content.own) as_before(card);
    for (CardEdited& step : steps)
      if (step.kind == EditKind::kAdd) place_made(content.own, step);
    std::vector<Delta> out;
    for (Turn& turn : content.turns) out.push_back(TurnHeard{std::move(turn)});
    for (auto& [name, unit] : content.units) {
      unit.drawer = id;
      unit.unit = derive_unit_id(unit);
      out.push_back(std::move(unit));
    }
    for (Card& card : content.own) {
      CardEdited add;
      add.drawer = id;
      add.edit = edit_for(0, card.id);
      add.at = card.recorded_at;
      add.card = std::move(card);
      out.push_back(std::move(add));
    }
    for (CardEdited& step : steps) out.push_back(std::move(step));
    KARTEI_TRY(read_ends(db, id, out));
    KARTEI_TRY(read_usage(db, id, out));
    KARTEI_TRY(read_erased(db, id, out));
    for (const FoldTable& table : kFoldTables)
      KARTEI_TRY(db.run(std::string("DELETE FROM ") + table.name + " WHERE drawer = ?", id));
    KARTEI_TRY(db.run("DELETE FROM turns WHERE drawer = ?", id));
    return out;
  });
}

}  // namespace kartei::store
