// Reading for forgetting: what may be forgotten, and what was.
#include "store/box.h"
#include "store/forgotten.h"
#include "store/rows.h"

namespace kartei::store {

namespace {

// After a card's own columns: its row, its newest step that holds, and when one was taken back.
constexpr char kStepColumns[] =
    ", c.rid, (SELECT step FROM forgotten f WHERE f.card = c.id AND step NOT IN (0, 5) ORDER BY n "
    "DESC LIMIT 1), (SELECT at FROM forgotten f WHERE f.card = c.id AND step NOT IN (0, 5) ORDER "
    "BY n DESC LIMIT 1), (SELECT max(at) FROM forgotten f WHERE f.card = c.id AND step = 0), "
    "EXISTS(SELECT 1 FROM forgotten f WHERE f.card = c.id AND step = 5) FROM cards c ";

std::string select_forgettable(const char* rest) {
  return std::string("SELECT ") + kCardColumns + kStepColumns + rest;
}

Result<std::vector<Forgettable>> read_all(Query query) {
  std::vector<Forgettable> all;
  while (query.next()) {
    Forgettable one;
    one.card = read_card(query);
    one.rid = query.integer(kCardColumnCount);
    one.step = static_cast<Forgotten::Step>(query.integer(kCardColumnCount + 1));
    one.step_at = time_from_ms(query.integer(kCardColumnCount + 2));
    one.renewed_at = time_from_ms(query.integer(kCardColumnCount + 3));
    one.made = query.integer(kCardColumnCount + 4) != 0;
    all.push_back(std::move(one));
  }
  KARTEI_TRY(query.status());
  return all;
}

constexpr char kForgottenColumns[] =
    "SELECT f.card, f.run, f.drawer, f.step, f.before, f.at, f.stands_in, f.why, ifnull(c.text, "
    "'') FROM forgotten f LEFT JOIN cards c ON c.id = f.card ";

Result<std::vector<Forgotten>> read_rows(Query query) {
  std::vector<Forgotten> rows;
  while (query.next()) {
    Forgotten row;
    row.card = query.id<CardId>(0);
    row.run = query.id<RunId>(1);
    row.drawer = query.id<DrawerId>(2);
    row.step = static_cast<Forgotten::Step>(query.integer(3));
    row.before = static_cast<CardState>(query.integer(4));
    row.at = time_from_ms(query.integer(5));
    row.stands_in = query.id<CardId>(6);
    row.why = query.text(7);
    row.text = query.text(8);
    rows.push_back(std::move(row));
  }
  KARTEI_TRY(query.status());
  return rows;
}

}  // namespace

Result<std::vector<Forgettable>> read_forgettable(Box& box, std::int64_t rid, std::size_t limit) {
  Db db(box.writer());
  return read_all(db.query(select_forgettable("WHERE c.rid > ? AND c.state IN (0, 2, 3) AND "
                                              "c.colour <> 2 AND c.shown_as = 0 ORDER BY c.rid "
                                              "LIMIT ?"),
                           rid, static_cast<std::int64_t>(limit)));
}

Result<std::vector<Forgettable>> read_put_away_events(Box& box, Time from, Time to,
                                                      std::size_t limit) {
  Db db(box.writer());
  return read_all(db.query(
      select_forgettable("WHERE c.state IN (2, 3) AND c.recorded_at >= ? AND c.recorded_at < ? AND "
                         "c.colour = 1 AND c.shown_as = 0 ORDER BY c.recorded_at, c.id LIMIT ?"),
      to_ms(from), to_ms(to), static_cast<std::int64_t>(limit)));
}

Result<std::optional<Time>> first_put_away_event(Box& box, Time from) {
  Db db(box.writer());
  std::optional<Time> first;
  for (const CardState state : {CardState::kFaded, CardState::kArchived}) {
    Query query = db.query(
        "SELECT recorded_at FROM cards WHERE state = ? AND recorded_at >= ? AND colour = 1 ORDER "
        "BY recorded_at LIMIT 1",
        static_cast<int>(state), to_ms(from));
    if (query.next()) {
      const Time at = time_from_ms(query.integer(0));
      first = first ? std::min(*first, at) : at;
    }
    KARTEI_TRY(query.status());
  }
  return first;
}

Result<std::vector<RunSums>> read_forgetting_runs(Box& box, Time before, std::size_t limit) {
  Db db(box.writer());
  // What its owner does to a card by itself is noted under the edit's own id: no run.
  const std::int64_t before_ms = before == Time{} ? INT64_MAX : to_ms(before);
  Query query = db.query(
      "SELECT run, min(at) AS began, total(step = 1), total(step = 2), total(step = 3), "
      "total(step = 4), total(step = 5), total(step = 0) FROM forgotten f WHERE NOT EXISTS(SELECT "
      "1 FROM edits WHERE id = f.run) GROUP BY run HAVING began < ? ORDER BY began DESC, run LIMIT "
      "?",
      before_ms, static_cast<std::int64_t>(limit));
  std::vector<RunSums> runs;
  const auto count = [&](int column) { return static_cast<std::uint64_t>(query.real(column)); };
  while (query.next()) {
    RunSums run;
    run.run = query.id<RunId>(0);
    run.at = time_from_ms(query.integer(1));
    run.faded = count(2);
    run.archived = count(3);
    run.condensed = count(4);
    run.trashed = count(5);
    run.made = count(6);
    run.taken_back = count(7);
    runs.push_back(run);
  }
  KARTEI_TRY(query.status());
  return runs;
}

Result<std::vector<Forgotten>> read_forgotten(Box& box, RunId run, CardId after,
                                              std::size_t limit) {
  Db db(box.writer());
  return read_rows(db.query(
      std::string(kForgottenColumns) + "WHERE f.run = ? AND f.card > ? ORDER BY f.card LIMIT ?",
      run, after, static_cast<std::int64_t>(limit)));
}

Result<std::vector<Forgotten>> read_steps_of(Box& box, CardId card) {
  Db db(box.writer());
  return read_rows(db.query(
      std::string(kForgottenColumns) + "WHERE f.card = ? AND f.step <> 0 ORDER BY f.n DESC", card));
}

Result<std::vector<CardId>> read_stood_for(Box& box, CardId card, std::size_t limit) {
  Db db(box.writer());
  Query query = db.query(
      "SELECT id FROM cards WHERE replaced_by = ? AND replaced_by <> zeroblob(16) AND state = ? "
      "ORDER BY valid_from, id LIMIT ?",
      card, static_cast<int>(CardState::kArchived), static_cast<std::int64_t>(limit));
  std::vector<CardId> cards;
  while (query.next()) cards.push_back(query.id<CardId>(0));
  KARTEI_TRY(query.status());
  return cards;
}

Result<std::vector<Forgotten>> read_trash(Box& box, std::size_t limit) {
  Db db(box.writer());
  return read_rows(
      db.query(std::string(kForgottenColumns) + "WHERE f.step = 4 ORDER BY f.at, f.card LIMIT ?",
               static_cast<std::int64_t>(limit)));
}

Result<StateCounts> count_states(Box& box) {
  Db db(box.writer());
  StateCounts counts;
  Query query = db.query("SELECT state, count(*) FROM cards WHERE state < 6 GROUP BY state");
  while (query.next()) {
    const auto count = static_cast<std::uint64_t>(query.integer(1));
    switch (static_cast<CardState>(query.integer(0))) {
      case CardState::kOpen:
        counts.open = count;
        break;
      case CardState::kClosed:
        counts.closed = count;
        break;
      case CardState::kFaded:
        counts.faded = count;
        break;
      case CardState::kArchived:
        counts.archived = count;
        break;
      default:
        break;
    }
  }
  KARTEI_TRY(query.status());
  KARTEI_ASSIGN(const std::int64_t trashed,
                db.integer("SELECT count(DISTINCT card) FROM forgotten WHERE step = 4", 0));
  counts.trashed = static_cast<std::uint64_t>(trashed);
  return counts;
}

}  // namespace kartei::store
