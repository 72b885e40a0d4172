// Reading by id, and what the rules of the ledger ask.
#include <algorithm>
#include <set>

#include "store/box_impl.h"
#include "store/card_list.h"
#include "store/fold.h"
#include "store/rows.h"

namespace kartei::store {

namespace {

constexpr std::size_t kHistoryMax = 1000;

std::string select_turns(const char* rest) {
  return std::string("SELECT ") + kTurnColumns + " FROM turns t " + rest;
}
std::string select_cards(const char* rest) {
  return std::string("SELECT ") + kCardColumns + " FROM cards c " + rest;
}

template <class Value, class Read>
Result<std::optional<Value>> first_of(Query query, Read read) {
  std::optional<Value> value;
  if (query.next()) value = read(query, 0);
  KARTEI_TRY(query.status());
  return value;
}

}  // namespace

Result<bool> Box::turn_filed(TurnId turn) {
  return impl_->db->exists("SELECT 1 FROM filed WHERE turn = ? AND over = 0", turn);
}

Result<std::optional<UnitId>> Box::extracted_by(TurnId turn) {
  return first_of<UnitId>(
      impl_->db->query("SELECT unit FROM extracted e WHERE turn = ? AND over = 0 AND drawer = "
                       "coalesce((SELECT drawer FROM filed WHERE turn = e.turn), drawer)",
                       turn),
      [](const Query& query, int column) { return query.id<UnitId>(column); });
}

Result<std::optional<DrawerId>> Box::filed_drawer(TurnId turn) {
  return first_of<DrawerId>(
      impl_->db->query("SELECT drawer FROM filed WHERE turn = ? AND over = 0", turn),
      [](const Query& query, int column) { return query.id<DrawerId>(column); });
}

Result<bool> Box::edit_filed(EditId edit) {
  return impl_->db->exists("SELECT 1 FROM edits WHERE id = ? AND over = 0", edit);
}

Result<std::optional<Box::EditPlace>> Box::edit_place(EditId edit) {
  Query query = impl_->db->query("SELECT drawer, kind, over FROM edits WHERE id = ?", edit);
  std::optional<EditPlace> place;
  if (query.next()) {
    const std::int64_t kind = query.integer(1);
    place = {query.id<DrawerId>(0),
             kind == static_cast<int>(EditKind::kEraseCard) ||
                 kind == static_cast<int>(EditKind::kEraseTurn),
             query.integer(2) == 0};
  }
  KARTEI_TRY(query.status());
  return place;
}

Result<bool> Box::card_erased(CardId id) {
  return impl_->db->exists("SELECT 1 FROM tombstones WHERE kind = ? AND id = ?", kTombstoneCard,
                           id);
}

Result<bool> Box::turn_erased(TurnId turn) {
  return impl_->db->exists(
      "SELECT 1 FROM tombstones t WHERE kind = ? AND id = ? AND over = 0 AND drawer = "
      "coalesce((SELECT drawer FROM filed WHERE turn = t.id), drawer)",
      kTombstoneTurn, turn);
}

Result<std::optional<Time>> Box::conversation_ended_at(std::string_view conversation) {
  return first_of<Time>(
      impl_->db->query("SELECT at FROM conversations_ended WHERE conversation = ? ORDER BY at DESC",
                       conversation),
      [](const Query& query, int column) { return time_from_ms(query.integer(column)); });
}

Result<std::optional<Turn>> Box::turn(TurnId id) {
  return first_of<Turn>(impl_->db->query(select_turns("WHERE t.id = ?"), id), read_turn);
}

Result<std::optional<Turn>> Box::turn_by_external(std::string_view external_id) {
  return first_of<Turn>(
      impl_->db->query(select_turns("WHERE t.external_id = ? AND t.external_id <> '' ORDER BY "
                                    "t.recorded_at DESC, t.rid DESC LIMIT 1"),
                       external_id),
      read_turn);
}

Result<std::vector<Turn>> Box::turns_around(TurnId id, std::size_t around) {
  const auto limit = static_cast<std::int64_t>(std::min<std::size_t>(around, 1000));
  KARTEI_ASSIGN(std::vector<Turn> turns,
                read_turns(impl_->db->query(
                    select_turns("JOIN turns o ON o.conversation = t.conversation WHERE o.id = ? "
                                 "AND (t.said_at, t.rid) <= (o.said_at, o.rid) ORDER BY t.said_at "
                                 "DESC, t.rid DESC LIMIT ?"),
                    id, limit + 1)));
  std::reverse(turns.begin(), turns.end());
  KARTEI_ASSIGN(std::vector<Turn> after,
                read_turns(impl_->db->query(
                    select_turns("JOIN turns o ON o.conversation = t.conversation WHERE o.id = ? "
                                 "AND (t.said_at, t.rid) > (o.said_at, o.rid) ORDER BY t.said_at, "
                                 "t.rid LIMIT ?"),
                    id, limit)));
  turns.insert(turns.end(), std::make_move_iterator(after.begin()),
               std::make_move_iterator(after.end()));
  return turns;
}

Result<std::vector<Turn>> Box::conversation(std::string_view name, std::size_t last) {
  KARTEI_ASSIGN(std::vector<Turn> turns,
                read_turns(impl_->db->query(select_turns("WHERE t.conversation = ? ORDER BY "
                                                         "t.said_at DESC, t.rid DESC LIMIT ?"),
                                            name, static_cast<std::int64_t>(last))));
  std::reverse(turns.begin(), turns.end());
  return turns;
}

Result<std::optional<Card>> Box::card(CardId id) {
  return first_of<Card>(impl_->db->query(select_cards("WHERE c.id = ?"), id), read_card);
}

Result<CardPage> Box::cards(const CardFilter& filter) {
  return list_cards(*impl_->db, filter);
}

Result<std::vector<Card>> Box::history(CardId id) {
  KARTEI_ASSIGN(std::optional<Card> self, card(id));
  if (!self) return not_found("There is no card " + id.text());
  std::set<CardId> seen{id};
  std::vector<Card> before, history{*self};
  for (std::size_t next = 0; next < history.size() && history.size() < kHistoryMax; ++next) {
    KARTEI_ASSIGN(std::vector<Card> replaced,
                  read_cards(impl_->db->query(select_cards("WHERE c.replaced_by = ? AND c.state <> "
                                                           "6 ORDER BY c.recorded_at DESC, c.id"),
                                              history[next].id)));
    for (Card& one : replaced) {
      if (seen.insert(one.id).second) history.push_back(std::move(one));
    }
  }
  std::reverse(history.begin(), history.end());
  std::stable_sort(history.begin(), history.end() - 1,
                   [](const Card& a, const Card& b) { return a.recorded_at < b.recorded_at; });
  while (!history.back().replaced_by.is_zero() && history.size() < 2 * kHistoryMax) {
    KARTEI_ASSIGN(std::optional<Card> after, card(history.back().replaced_by));
    if (!after || !seen.insert(after->id).second) break;
    history.push_back(std::move(*after));
  }
  return history;
}

Result<std::vector<Card>> Box::cards_of_turn(TurnId id) {
  return read_cards(impl_->db->query(
      select_cards("WHERE c.id IN (SELECT card FROM card_sources WHERE turn = ?1 UNION SELECT card "
                   "FROM confirmations WHERE turn = ?1) AND c.state <> ?2 ORDER BY c.recorded_at, "
                   "c.id"),
      id, kStateGaveWay));
}

Result<std::vector<Card>> Box::cards_written_from(TurnId id) {
  return read_cards(impl_->db->query(
      select_cards(
          "WHERE c.id IN (SELECT card FROM card_sources WHERE turn = ?1 EXCEPT SELECT card "
          "FROM confirmations WHERE turn = ?1) AND c.state <> ?2 ORDER BY c.recorded_at, "
          "c.id"),
      id, kStateGaveWay));
}

// Cards of other states are stepped over and count, too: the work of a part is bounded.
Result<OpenCards> Box::open_cards_after(std::string_view subject, std::int64_t after,
                                        std::size_t limit) {
  OpenCards part;
  const std::string key = normalised_text(subject);
  if (key.empty()) return part;
  Query query = impl_->db->query(std::string("SELECT ") + kCardColumns +
                                     ", c.rid, c.state FROM cards c INDEXED BY cards_subject "
                                     "WHERE c.subject_key = ? AND c.subject_key <> '' AND "
                                     "c.rid > ? ORDER BY c.rid LIMIT ?",
                                 key, after, static_cast<std::int64_t>(limit));
  std::size_t rows = 0;
  for (; query.next(); ++rows) {
    part.last = query.integer(kCardColumnCount);
    if (query.integer(kCardColumnCount + 1) == static_cast<int>(CardState::kOpen))
      part.cards.push_back(read_card(query));
  }
  KARTEI_TRY(query.status());
  part.more = rows == limit;
  return part;
}

Result<Counts> Box::counts() {
  Db& db = *impl_->db;
  Counts counts;
  const auto count = [&](std::uint64_t& out, const char* sql) -> Status {
    KARTEI_ASSIGN(const std::int64_t value, db.integer(sql, 0));
    out = static_cast<std::uint64_t>(value);
    return {};
  };
  KARTEI_TRY(count(counts.turns, "SELECT count(*) FROM turns"));
  KARTEI_TRY(count(counts.cards_open, "SELECT count(*) FROM cards WHERE state = 0"));
  KARTEI_TRY(count(counts.cards_closed, "SELECT count(*) FROM cards WHERE state = 1"));
  KARTEI_TRY(count(counts.drawers, "SELECT count(*) FROM drawers"));
  // From one conversation to the next along the index: not every turn is looked at.
  KARTEI_TRY(
      count(counts.conversations,
            "WITH RECURSIVE c(name) AS (SELECT min(conversation) FROM turns UNION ALL SELECT "
            "(SELECT min(conversation) FROM turns WHERE conversation > name) FROM c WHERE "
            "name IS NOT NULL) SELECT count(name) FROM c"));
  KARTEI_TRY(count(counts.file_bytes,
                   "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"));
  return counts;
}

}  // namespace kartei::store
