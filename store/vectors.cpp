#include "store/vectors.h"

#include <algorithm>
#include <utility>

#include "store/meaning/exact_copy.h"
#include "store/meaning_text.h"

namespace kartei::store {

// `late`: rows that came back below the mark (an undo's, a changed text), 0 to be embedded, 1 done:
// what is appended out of order. `dead`: rows that went after they were embedded, still in the
// codes.
#define VECTOR_ROW_OUT(table, kind, mark, rid)                   \
  "DELETE FROM " table " WHERE key IN (SELECT (id << 44) | " rid \
  " FROM vector_sets);"                                          \
  "DELETE FROM vector_late WHERE kind = " kind " AND rid = " rid \
  ";"                                                            \
  "INSERT OR IGNORE INTO vector_dead SELECT " kind ", " rid      \
  " WHERE EXISTS(SELECT 1 FROM vector_sets WHERE " mark " >= " rid ");"
#define VECTOR_ROW_IN(kind, mark, rid)                       \
  "INSERT OR REPLACE INTO vector_late SELECT " kind ", " rid \
  ", 0 WHERE EXISTS(SELECT 1 FROM vector_sets WHERE " mark " >= " rid ");"

const char kVectorsSql[] =
    R"sql(
CREATE TABLE vector_sets(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  model TEXT NOT NULL,
  dims INTEGER NOT NULL,
  turns_to INTEGER NOT NULL,
  cards_to INTEGER NOT NULL,
  state INTEGER NOT NULL
);
CREATE TABLE turn_vectors(key INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE card_vectors(key INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE vector_chunks(key INTEGER PRIMARY KEY, rid_to INTEGER NOT NULL, codes BLOB NOT NULL);
CREATE TABLE vector_late(
  kind INTEGER NOT NULL, rid INTEGER NOT NULL, done INTEGER NOT NULL, PRIMARY KEY(kind, rid)
) WITHOUT ROWID;
CREATE TABLE vector_dead(kind INTEGER NOT NULL, rid INTEGER NOT NULL, PRIMARY KEY(kind, rid))
  WITHOUT ROWID;
)sql"
    "CREATE TRIGGER turn_vectors_in AFTER INSERT ON turns"
    " WHEN new.rid <= (SELECT max(turns_to) FROM vector_sets) BEGIN " VECTOR_ROW_IN(
        "0", "turns_to", "new.rid") "END;"
    "CREATE TRIGGER turn_vectors_out AFTER DELETE ON turns"
    " WHEN EXISTS(SELECT 1 FROM vector_sets) BEGIN " VECTOR_ROW_OUT(
        "turn_vectors", "0", "turns_to", "old.rid") "END;"
    "CREATE TRIGGER turn_vectors_changed AFTER UPDATE OF rid, speaker, text, caption ON turns"
    " WHEN EXISTS(SELECT 1 FROM vector_sets) BEGIN " VECTOR_ROW_OUT(
        "turn_vectors", "0", "turns_to", "old.rid") VECTOR_ROW_IN("0", "turns_to", "new.rid") "END;"
    "CREATE TRIGGER card_vectors_in AFTER INSERT ON cards"
    " WHEN new.rid <= (SELECT max(cards_to) FROM vector_sets) BEGIN " VECTOR_ROW_IN(
        "1", "cards_to", "new.rid") "END;"
    "CREATE TRIGGER card_vectors_out AFTER DELETE ON cards"
    " WHEN EXISTS(SELECT 1 FROM vector_sets) BEGIN " VECTOR_ROW_OUT(
        "card_vectors", "1", "cards_to", "old.rid") "END;"
    "CREATE TRIGGER card_vectors_changed AFTER UPDATE OF rid, text ON cards"
    " WHEN (old.rid <> new.rid OR old.text <> new.text) AND EXISTS(SELECT 1 FROM vector_sets)"
    " BEGIN " VECTOR_ROW_OUT("card_vectors", "1", "cards_to", "old.rid") VECTOR_ROW_IN(
        "1", "cards_to", "new.rid") "END;";

namespace {

// vector_sets.state
constexpr int kMaking = 0, kAnswers = 1, kGoing = 2;
constexpr std::int64_t kSweptRows = 2'000, kDeadAtOnce = 500;
constexpr std::int64_t kChunksMost = std::int64_t{1} << 43;
constexpr RowKind kKinds[] = {RowKind::kTurn, RowKind::kCard};

const char* vectors_table(RowKind kind) {
  return kind == RowKind::kTurn ? "turn_vectors" : "card_vectors";
}
std::int64_t chunk_key(std::int64_t set, RowKind kind, std::int64_t number) {
  return (set << 44) + (std::int64_t{kind == RowKind::kCard} << 43) + number;
}
Codes& codes_of(VectorSet& set, RowKind kind) {
  return kind == RowKind::kTurn ? set.turns : set.cards;
}

bool fits(std::int64_t dims) {
  return dims > 0 && dims <= static_cast<std::int64_t>(Quantiser::kMaxDims);
}

// What is embedded of each row, with the sum of its words. A late row above the mark (of an older
// set's time) comes with the fresh ones.
constexpr const char* kFreshTurns =
    "SELECT t.rid, d.sum, t.speaker, t.text, t.caption FROM turns t JOIN turn_docs d ON"
    " d.rid = t.rid WHERE t.rid > (SELECT turns_to FROM vector_sets WHERE id = ?) ORDER BY t.rid"
    " LIMIT ?";
constexpr const char* kFreshCards =
    "SELECT c.rid, d.sum, '', c.text, '' FROM cards c JOIN card_docs d ON d.rid = c.rid"
    " WHERE c.rid > (SELECT cards_to FROM vector_sets WHERE id = ?) ORDER BY c.rid LIMIT ?";
constexpr const char* kLateTurns =
    "SELECT t.rid, d.sum, t.speaker, t.text, t.caption FROM vector_late l JOIN turns t ON"
    " t.rid = l.rid JOIN turn_docs d ON d.rid = t.rid WHERE l.kind = 0 AND l.done = 0 AND NOT"
    " EXISTS(SELECT 1 FROM vector_dead x WHERE x.kind = 0 AND x.rid = l.rid) AND l.rid <="
    " (SELECT turns_to FROM vector_sets WHERE id = ?) LIMIT ?";
constexpr const char* kLateCards =
    "SELECT c.rid, d.sum, '', c.text, '' FROM vector_late l JOIN cards c ON c.rid = l.rid"
    " JOIN card_docs d ON d.rid = c.rid WHERE l.kind = 1 AND l.done = 0 AND NOT"
    " EXISTS(SELECT 1 FROM vector_dead x WHERE x.kind = 1 AND x.rid = l.rid) AND l.rid <="
    " (SELECT cards_to FROM vector_sets WHERE id = ?) LIMIT ?";

Status add_rows(Db& db, const char* sql, RowKind kind, bool late, std::size_t most,
                VectorBatch& batch) {
  if (batch.rows.size() >= most) return {};
  Query query = db.query(sql, batch.set, static_cast<std::int64_t>(most - batch.rows.size()));
  while (query.next()) {
    batch.rows.push_back({kind, query.integer(0), query.integer(1), late});
    batch.texts.push_back(kind == RowKind::kTurn
                              ? meaning_text_of_turn(query.text(2), query.text(3), query.text(4))
                              : meaning_text_of_card(query.text(3)));
  }
  return query.status();
}

}  // namespace

// ---- sets

Status Vectors::reconcile() {
  struct Row {
    std::int64_t id;
    std::string model;
    std::int64_t dims;
    int state;
  };
  std::vector<Row> rows;
  {
    Query query = db_.query("SELECT id, model, dims, state FROM vector_sets ORDER BY id");
    while (query.next())
      rows.push_back({query.integer(0), std::string(query.text(1)), query.integer(2),
                      static_cast<int>(query.integer(3))});
    KARTEI_TRY(query.status());
  }
  std::vector<Held> sets;
  std::shared_ptr<const VectorSet> answers;
  for (const Row& row : rows) {
    if (row.state == kGoing || !fits(row.dims)) continue;
    if (Held* known = held(row.id)) {
      sets.push_back(std::move(*known));
    } else {
      sets.push_back(
          {std::make_shared<VectorSet>(row.id, row.model, static_cast<std::size_t>(row.dims)),
           {},
           {},
           {}});
    }
    // The first set of all answers with what it has so far.
    if (row.state == kAnswers || !answers) answers = sets.back().set;
  }
  sets_ = std::move(sets);
  index_->use(std::move(answers));
  stale_ = false;
  return {};
}

Vectors::Held* Vectors::held(std::int64_t set) {
  const auto found = std::find_if(sets_.begin(), sets_.end(),
                                  [&](const Held& one) { return one.set && one.set->id == set; });
  return found == sets_.end() ? nullptr : &*found;
}

void Vectors::append(Held& held, RowKind kind, std::int64_t rid, const std::vector<float>& vector) {
  const auto place = static_cast<std::size_t>(kind);
  Codes& codes = codes_of(*held.set, kind);
  codes.append(rid, vector);
  held.highest[place] = std::max(held.highest[place], rid);
  if (codes.size() % Codes::kChunkVectors == 0)
    held.chunk_ends[place].push_back(held.highest[place]);
}

Status Vectors::want(const std::string& model, std::size_t dims) {
  stale_ = true;
  if (!model.empty() && !fits(static_cast<std::int64_t>(dims)))
    return bad_input("Vectors of " + std::to_string(dims) + " dimensions cannot be kept, at most " +
                         std::to_string(Quantiser::kMaxDims),
                     "dims");
  if (!model.empty()) {
    KARTEI_ASSIGN(const bool there,
                  db_.exists("SELECT 1 FROM vector_sets WHERE model = ? AND dims = ? AND id ="
                             " (SELECT max(id) FROM vector_sets) AND state <> ?",
                             model, static_cast<std::int64_t>(dims), kGoing));
    if (there) return {};
  }
  // What answers goes on while the next is made, whole or not, if it has anything.
  KARTEI_TRY(
      db_.run("UPDATE vector_sets SET state = ?1 WHERE id = (SELECT min(id) FROM vector_sets WHERE"
              " state <> ?2) AND turns_to + cards_to > 0 AND NOT EXISTS(SELECT 1 FROM vector_sets"
              " WHERE state = ?1)",
              kAnswers, kGoing));
  KARTEI_TRY(db_.run("UPDATE vector_sets SET state = ? WHERE state = ? OR ?", kGoing, kMaking,
                     model.empty()));
  KARTEI_TRY(db_.run("DELETE FROM vector_late"));
  if (model.empty()) return {};
  return db_.run(
      "INSERT INTO vector_sets(model, dims, turns_to, cards_to, state)"
      " VALUES(?, ?, 0, 0, ?)",
      model, static_cast<std::int64_t>(dims), kMaking);
}

Result<std::int64_t> Vectors::newest() {
  return db_.integer("SELECT max(id) FROM vector_sets WHERE state <> ?", 0, kGoing);
}

// ---- embedding

Result<VectorBatch> Vectors::next(std::size_t rows_most) {
  VectorBatch batch;
  KARTEI_ASSIGN(batch.set, newest());
  if (batch.set == 0) return batch;
  KARTEI_TRY(add_rows(db_, kLateTurns, RowKind::kTurn, true, rows_most, batch));
  KARTEI_TRY(add_rows(db_, kLateCards, RowKind::kCard, true, rows_most, batch));
  KARTEI_TRY(add_rows(db_, kFreshTurns, RowKind::kTurn, false, rows_most, batch));
  KARTEI_TRY(add_rows(db_, kFreshCards, RowKind::kCard, false, rows_most, batch));
  behind_ = !batch.rows.empty();
  return batch;
}

Status Vectors::put_row(const VectorBatch& batch, const VectorBatch::Row& row, const float* vector,
                        std::size_t dims) {
  const bool is_turn = row.kind == RowKind::kTurn;
  const int kind = is_turn ? 0 : 1;
  if (!row.late)
    KARTEI_TRY(db_.run(is_turn ? "UPDATE vector_sets SET turns_to = max(turns_to, ?) WHERE id = ?"
                               : "UPDATE vector_sets SET cards_to = max(cards_to, ?) WHERE id = ?",
                       row.rid, batch.set));
  std::optional<std::int64_t> sum;
  {
    Query query = db_.query(is_turn ? "SELECT sum FROM turn_docs WHERE rid = ?"
                                    : "SELECT sum FROM card_docs WHERE rid = ?",
                            row.rid);
    if (query.next()) sum = query.integer(0);
    KARTEI_TRY(query.status());
  }
  if (!sum) return {};  // gone meanwhile
  if (*sum != row.sum)  // other words meanwhile: once more
    return db_.run("INSERT OR REPLACE INTO vector_late VALUES(?, ?, 0)", kind, row.rid);
  if (row.late)
    KARTEI_TRY(
        db_.run("UPDATE vector_late SET done = 1 WHERE kind = ? AND rid = ?", kind, row.rid));
  else  // one that is in the codes still will be blanked there, and come once more
    KARTEI_TRY(
        db_.run("DELETE FROM vector_late WHERE kind = ?1 AND rid = ?2 AND NOT EXISTS(SELECT 1 FROM"
                " vector_dead WHERE kind = ?1 AND rid = ?2)",
                kind, row.rid));
  const Bytes copy = to_int8({vector, dims});
  KARTEI_TRY(db_.run(is_turn ? "INSERT OR REPLACE INTO turn_vectors VALUES(?, ?)"
                             : "INSERT OR REPLACE INTO card_vectors VALUES(?, ?)",
                     vector_key(batch.set, row.rid), copy));
  fresh_.push_back({batch.set, row.kind, row.rid, std::vector<float>(vector, vector + dims)});
  return {};
}

Status Vectors::put(const VectorBatch& batch, const std::vector<float>& vectors) {
  KARTEI_ASSIGN(const std::int64_t set, newest());
  const Held* found = held(batch.set);
  if (set != batch.set || found == nullptr) return {};  // another model is wanted by now
  const std::size_t dims = found->set->dims;
  if (vectors.size() != batch.rows.size() * dims)
    return bad_input("A model gave vectors of another size than it said", "vectors");
  KARTEI_TRY(store_chunks(*found));
  for (std::size_t i = 0; i < batch.rows.size(); ++i)
    KARTEI_TRY(put_row(batch, batch.rows[i], vectors.data() + i * dims, dims));
  return {};
}

void Vectors::committed(bool changed) {
  behind_ |= changed;
  for (const Fresh& fresh : fresh_) {
    if (Held* set = held(fresh.set)) append(*set, fresh.kind, fresh.rid, fresh.vector);
  }
  fresh_.clear();
  if (std::exchange(rewritten_, false)) {
    for (Held& held : sets_)
      for (auto& numbers : held.outdated) numbers.clear();
  }
  // A failure leaves the sets as they were; the next transaction tries again.
  if (stale_ && loaded_) static_cast<void>(reconcile());
}

void Vectors::rolled_back() {
  fresh_.clear();
  rewritten_ = false;
}

// ---- codes on disk

Status Vectors::store_chunks(const Held& held) {
  const std::int64_t set = held.set->id;
  for (const RowKind kind : kKinds) {
    const Codes& codes = codes_of(*held.set, kind);
    const auto& ends = held.chunk_ends[static_cast<std::size_t>(kind)];
    // They have no gap. Counting them would read a page for some eight of them.
    const std::int64_t first = chunk_key(set, kind, 0);
    KARTEI_ASSIGN(const std::int64_t last,
                  db_.integer("SELECT max(key) FROM vector_chunks WHERE key >= ? AND key < ?",
                              first - 1, first, chunk_key(set, kind, kChunksMost)));
    for (auto number = static_cast<std::size_t>(last + 1 - first); number < ends.size(); ++number) {
      KARTEI_ASSIGN(const Bytes chunk, codes.chunk(number));
      KARTEI_TRY(db_.run("INSERT OR REPLACE INTO vector_chunks VALUES(?, ?, ?)",
                         chunk_key(set, kind, static_cast<std::int64_t>(number)), ends[number],
                         chunk));
    }
  }
  return {};
}

Status Vectors::load() {
  if (loaded_) return {};
  sets_.clear();  // of an attempt that failed
  KARTEI_TRY(reconcile());
  for (Held& held : sets_) {
    for (const RowKind kind : kKinds) KARTEI_TRY(load_kind(held, kind));
  }
  loaded_ = true;
  return {};
}

Status Vectors::append_copies(Held& held, RowKind kind, Query query) {
  while (query.next()) {
    if (const auto vector = from_int8(query.blob(1), held.set->dims))
      append(held, kind, query.integer(0) & kRidMask, *vector);
  }
  return query.status();
}

// The chunks as far as they are sound; the rest from the copies.
Status Vectors::load_kind(Held& held, RowKind kind) {
  const std::int64_t set = held.set->id;
  const auto place = static_cast<std::size_t>(kind);
  Codes& codes = codes_of(*held.set, kind);
  std::int64_t good = 0;
  bool damaged = false;
  {
    Query query = db_.query(
        "SELECT key, rid_to, codes FROM vector_chunks WHERE key >= ? AND key < ? ORDER BY key",
        chunk_key(set, kind, 0), chunk_key(set, kind, kChunksMost));
    while (!damaged && query.next()) {
      damaged = query.integer(0) != chunk_key(set, kind, good) ||
                codes.add_chunk(query.blob(2)).has_error();
      if (damaged) break;
      ++good;
      held.highest[place] = std::max(held.highest[place], query.integer(1));
      held.chunk_ends[place].push_back(held.highest[place]);
    }
    KARTEI_TRY(query.status());
  }
  if (damaged)
    KARTEI_TRY(db_.run("DELETE FROM vector_chunks WHERE key >= ? AND key < ?",
                       chunk_key(set, kind, good), chunk_key(set, kind, kChunksMost)));
  const std::int64_t rid_to = held.highest[place];
  const std::string table = vectors_table(kind);
  KARTEI_TRY(append_copies(
      held, kind,
      db_.query("SELECT key, vector FROM " + table + " WHERE key > ? AND key < ? ORDER BY key",
                vector_key(set, rid_to), vector_key(set + 1, 0))));
  KARTEI_ASSIGN(const auto late, late_out_of_codes(held, kind, rid_to));
  for (const std::int64_t rid : late)
    KARTEI_TRY(append_copies(
        held, kind,
        db_.query("SELECT key, vector FROM " + table + " WHERE key = ?", vector_key(set, rid))));
  return {};
}

// What was appended out of order, unless its chunk was stored since.
Result<std::vector<std::int64_t>> Vectors::late_out_of_codes(Held& held, RowKind kind,
                                                             std::int64_t rid_to) {
  std::vector<std::int64_t> rids;
  Query query =
      db_.query("SELECT rid FROM vector_late WHERE kind = ? AND done = 1 AND rid <= ? ORDER BY rid",
                static_cast<int>(kind), rid_to);
  while (query.next()) rids.push_back(query.integer(0));
  KARTEI_TRY(query.status());
  if (rids.empty()) return rids;
  return codes_of(*held.set, kind).missing(std::move(rids));
}

// ---- what is gone

Result<bool> Vectors::sweep(bool all) {
  KARTEI_TRY(load());
  KARTEI_TRY(finish_newest());
  KARTEI_ASSIGN(bool more, forget_dead());
  while (all && more) {
    KARTEI_ASSIGN(more, forget_dead());
  }
  if (all) KARTEI_TRY(drop_old_chunks());
  KARTEI_ASSIGN(const bool old, drop_old_sets());
  return more || old;
}

Status Vectors::finish_newest() {
  KARTEI_ASSIGN(const std::int64_t set, newest());
  if (set == 0) return {};
  KARTEI_ASSIGN(const std::int64_t state,
                db_.integer("SELECT state FROM vector_sets WHERE id = ?", 0, set));
  if (state == kAnswers) return {};
  KARTEI_ASSIGN(const VectorBatch rest, next(1));
  if (!rest.rows.empty()) return {};
  stale_ = true;
  KARTEI_TRY(db_.run("UPDATE vector_sets SET state = ? WHERE id <> ?", kGoing, set));
  return db_.run("UPDATE vector_sets SET state = ? WHERE id = ?", kAnswers, set);
}

// The codes of sets that are not in memory, where nothing is forgotten.
Status Vectors::drop_old_chunks() {
  std::vector<std::int64_t> old;
  {
    Query query = db_.query("SELECT id FROM vector_sets");
    while (query.next())
      if (held(query.integer(0)) == nullptr) old.push_back(query.integer(0));
    KARTEI_TRY(query.status());
  }
  for (const std::int64_t set : old)
    KARTEI_TRY(db_.run("DELETE FROM vector_chunks WHERE key >= ? AND key < ?", vector_key(set, 0),
                       vector_key(set + 1, 0)));
  return {};
}

Result<bool> Vectors::drop_old_sets() {
  KARTEI_ASSIGN(const std::int64_t set,
                db_.integer("SELECT min(id) FROM vector_sets WHERE state = ?", 0, kGoing));
  if (set == 0) return false;
  const std::int64_t from = vector_key(set, 0), to = vector_key(set + 1, 0);
  std::int64_t gone = 0;
  for (const RowKind kind : kKinds) {
    const std::string table = vectors_table(kind);
    KARTEI_TRY(db_.run("DELETE FROM " + table + " WHERE key IN (SELECT key FROM " + table +
                           " WHERE key >= ? AND key < ? LIMIT ?)",
                       from, to, kSweptRows));
    gone += db_.changes();
  }
  KARTEI_TRY(
      db_.run("DELETE FROM vector_chunks WHERE key IN (SELECT key FROM vector_chunks"
              " WHERE key >= ? AND key < ? LIMIT ?)",
              from, to, kSweptRows / 64));
  gone += db_.changes();
  if (gone == 0) KARTEI_TRY(db_.run("DELETE FROM vector_sets WHERE id = ?", set));
  return true;
}

// Takes rows that went out of the codes, in memory and on disk. A transaction that fails leaves
// memory ahead of the disk: which chunks are to be stored again is kept until one succeeds.
Result<bool> Vectors::forget_dead() {
  std::size_t count = 0;
  for (const RowKind kind : kKinds) {
    std::vector<std::int64_t> rids;
    Query query = db_.query("SELECT rid FROM vector_dead WHERE kind = ? ORDER BY rid LIMIT ?",
                            static_cast<int>(kind), kDeadAtOnce);
    while (query.next()) rids.push_back(query.integer(0));
    KARTEI_TRY(query.status());
    if (rids.empty()) continue;
    count += rids.size();
    rewritten_ = true;
    for (Held& held : sets_) {
      Codes& codes = codes_of(*held.set, kind);
      auto& outdated = held.outdated[static_cast<std::size_t>(kind)];
      for (const std::size_t number : codes.forget(rids)) outdated.insert(number);
      for (const std::size_t number : outdated) {
        KARTEI_ASSIGN(const Bytes chunk, codes.chunk(number));
        KARTEI_TRY(db_.run("UPDATE vector_chunks SET codes = ? WHERE key = ?", chunk,
                           chunk_key(held.set->id, kind, static_cast<std::int64_t>(number))));
      }
    }
    KARTEI_TRY(db_.run("DELETE FROM vector_dead WHERE kind = ? AND rid <= ?",
                       static_cast<int>(kind), rids.back()));
  }
  return count > 0;
}

Result<bool> Vectors::has_old_sets() {
  return db_.exists("SELECT 1 FROM vector_sets WHERE state = ?", kGoing);
}

void Vectors::unload() {
  for (const Held& held : sets_) {
    // What is to be stored again is known nowhere else.
    for (const auto& numbers : held.outdated)
      if (!numbers.empty()) return;
  }
  sets_.clear();
  index_->use(nullptr);
  loaded_ = false;
}

Result<MeaningCounts> Vectors::counts() {
  MeaningCounts counts;
  if (const auto current = index_->current()) counts.model = current->model;
  for (const Held& held : sets_)
    counts.memory_bytes += held.set->turns.memory_bytes() + held.set->cards.memory_bytes();
  // A copy and a code with what SQLite and the chunks need beside them; counting rows takes long.
  KARTEI_ASSIGN(const std::int64_t disk_bytes,
                db_.integer("SELECT sum((turns_to + cards_to) * (dims + dims / 4 + 28)) FROM"
                            " vector_sets",
                            0));
  counts.disk_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(disk_bytes, 0));
  KARTEI_ASSIGN(const std::int64_t set, newest());
  if (set == 0) return counts;
  if (!sets_.empty() && sets_.back().set->model != counts.model)
    counts.next_model = sets_.back().set->model;
  // By the row numbers: counting a hundred thousand rows while they are waiting holds up what they
  // wait for. Numbers that no row has any more count until they are passed.
  KARTEI_ASSIGN(
      const std::int64_t waiting,
      db_.integer("SELECT max(0, ifnull((SELECT max(rid) FROM turns), 0) - s.turns_to) +"
                  " max(0, ifnull((SELECT max(rid) FROM cards), 0) - s.cards_to) + (SELECT"
                  " count(*) FROM vector_late WHERE done = 0 AND rid <= iif(kind = 0,"
                  " s.turns_to, s.cards_to)) FROM vector_sets s WHERE s.id = ?",
                  0, set));
  counts.waiting = static_cast<std::uint64_t>(waiting);
  return counts;
}

}  // namespace kartei::store
