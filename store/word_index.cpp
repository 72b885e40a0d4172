#include "store/word_index.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "crypto/hash.h"
#include "store/indexer.h"
#include "store/postings.h"
#include "store/sql.h"

namespace kartei::store {

namespace {

constexpr int kLength = 1, kBag = 2;
constexpr std::size_t kNamedMost = 5;

// The functions of one connection. A trigger asks for length and bag of the same row one after the
// other: the last text's answer is kept.
class IndexFunctions {
 public:
  const Indexed& turn(const std::array<std::string_view, 5>& parts) {
    if (!is_last('t', parts)) last_ = indexer_.turn(parts[0], parts[1], parts[2]);
    return last_;
  }
  const Indexed& card(const std::array<std::string_view, 5>& parts) {
    if (!is_last('c', parts)) {
      last_ = indexer_.card(parts[0], parts[1], parts[2], parts[3], parts[4]);
    }
    return last_;
  }

 private:
  bool is_last(char kind, const std::array<std::string_view, 5>& parts) {
    std::string key(1, kind);
    for (const std::string_view part : parts) {
      key += std::to_string(part.size());
      key.push_back(':');
      key += part;
    }
    if (key == key_) return true;
    key_ = std::move(key);
    return false;
  }

  Indexer indexer_;
  std::string key_;
  Indexed last_;
};

std::string_view text_of(sqlite3_value* value) {
  const unsigned char* text = sqlite3_value_text(value);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

// kartei_turn_index(what, speaker, text, caption), kartei_card_index(what, text, more, subject,
// relation, object). No exception may pass through SQLite.
template <char kind>
void index_function(sqlite3_context* context, int count, sqlite3_value** values) {
  try {
    auto& functions = *static_cast<IndexFunctions*>(sqlite3_user_data(context));
    std::array<std::string_view, 5> parts;
    for (int i = 1; i < count; ++i) parts[static_cast<std::size_t>(i - 1)] = text_of(values[i]);
    const Indexed& indexed = kind == 't' ? functions.turn(parts) : functions.card(parts);
    switch (sqlite3_value_int(values[0])) {
      case kLength:
        sqlite3_result_int64(context, indexed.length);
        return;
      case kBag:
        // A text without a word has an empty bag, whose data() is null: that would be NULL.
        if (indexed.bag.empty()) return sqlite3_result_zeroblob(context, 0);
        sqlite3_result_blob64(context, indexed.bag.data(), indexed.bag.size(), SQLITE_TRANSIENT);
        return;
      default:
        sqlite3_result_error(context, "no such part of the index", -1);
        return;
    }
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

// kartei_key(text): 63 bits that stand for a conversation's name.
void key_function(sqlite3_context* context, int, sqlite3_value** values) {
  sqlite3_result_int64(context, conversation_key(text_of(values[0])));
}

// kartei_sum(values...): 64 bits of a hash over what is stored word for word.
void sum_function(sqlite3_context* context, int count, sqlite3_value** values) {
  try {
    std::string all;
    for (int i = 0; i < count; ++i) {
      const std::string_view part = text_of(values[i]);
      all += std::to_string(part.size());
      all.push_back(':');
      all += part;
    }
    const Hash32 hash = crypto::hash("kartei check sum", {as_bytes(all)});
    std::int64_t sum = 0;
    std::memcpy(&sum, hash.data(), sizeof sum);
    sqlite3_result_int64(context, sum);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

// What a card is ranked by, copied from `cards`: a question looks at a hundred rows, and these are
// a tenth of the size.
#define RANKED_COLUMNS                                                                  \
  "drawer, colour, state, trust, importance, flags, times_used, valid_from, valid_to, " \
  "recorded_at,"                                                                        \
  " closed_at, last_used, sources"
#define CARD_RANKED(row)                                                                           \
  row ".drawer," row ".colour," row ".state," row ".trust," row ".importance," row ".flags," row   \
      ".times_used," row ".valid_from," row ".valid_to," row ".recorded_at," row ".closed_at," row \
      ".last_used," row ".sources"
#define CARD_DOCS_TABLE                                                                         \
  "CREATE TABLE card_docs(rid INTEGER PRIMARY KEY, length INTEGER NOT NULL, bag BLOB NOT NULL," \
  " " RANKED_COLUMNS ");"

// What stands beside a turn: its number is a column, so that turns of one moment are one step away.
#define BESIDE_INDEX "CREATE INDEX turn_docs_beside ON turn_docs(conversation, said_at, rid);"

// The index keeps no text of its own: a bag a row, and lists of rows by the hashes in their bags
// (postings.h). `word_late` are rows below the mark whose bags are not in the lists: they came
// back, or have other words now.
#define TURN_DOCS_TABLE                                                                    \
  "CREATE TABLE turn_docs(rid INTEGER PRIMARY KEY, conversation INTEGER NOT NULL, said_at" \
  " INTEGER NOT NULL, role INTEGER NOT NULL, length INTEGER NOT NULL, bag BLOB NOT NULL);"
#define WORD_TABLES                                                                             \
  "CREATE TABLE word_totals(kind INTEGER PRIMARY KEY, docs INTEGER NOT NULL, length INTEGER"    \
  " NOT NULL, mark INTEGER NOT NULL);"                                                          \
  "CREATE TABLE word_late(kind INTEGER NOT NULL, rid INTEGER NOT NULL, PRIMARY KEY(kind, rid))" \
  " WITHOUT ROWID; CREATE TABLE word_index_version(version INTEGER NOT NULL);"
constexpr char kFirstTables[] = TURN_DOCS_TABLE CARD_DOCS_TABLE WORD_TABLES R"sql(
CREATE INDEX cards_rules ON cards(state, importance) WHERE colour = 2;
CREATE TABLE audit(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  app TEXT NOT NULL,
  query TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  items TEXT NOT NULL
);
)sql";

#define TURN_PARTS(row) row ".speaker," row ".text," row ".caption"
#define CARD_PARTS(row)                                                                        \
  row ".text," row ".tags || ' ' || " row ".annotations," row ".subject," row ".relation," row \
      ".object"

// Nobody writes these columns a second time but with the row's triggers.
#define TURN_SUM(row)                                                                 \
  "kartei_sum(" row ".text," row ".caption," row ".speaker," row ".conversation," row \
  ".external_id," row ".role," row ".said_at," row ".recorded_at)"
#define CARD_SUM(row)                                                                              \
  "kartei_sum(" row ".text," row ".tags," row ".annotations," row ".subject," row ".relation," row \
  ".object," row ".micro_context," row ".recorded_at," row ".valid_from)"

// Rows come into the lists many at a time (IndexTail): a piece of them for each commit would be too
// many pieces. `mark` is the last row that is in; the rows above it follow when they are many.
#define IS_LATE(row, kind)                                        \
  "INSERT INTO word_late SELECT " kind ", " row ".rid WHERE " row \
  ".rid <= (SELECT mark FROM word_totals WHERE kind = " kind      \
  ") AND NOT EXISTS(SELECT 1 "                                    \
  "FROM word_late WHERE kind = " kind " AND rid = " row ".rid);"
#define NOT_LATE(row, kind) "DELETE FROM word_late WHERE kind = " kind " AND rid = " row ".rid;"
#define TURN_IN(row) \
  "INSERT INTO turn_docs VALUES(" row ".rid, kartei_key(" row ".conversation)," row         \
  ".said_at," row ".role, kartei_turn_index(1," TURN_PARTS(                                 \
      row) "), kartei_turn_index(2," TURN_PARTS(row) ")," TURN_SUM(row) ");" IS_LATE(row, "0") \
  "UPDATE word_totals SET docs = docs + 1,"                                                 \
  " length = length + (SELECT length FROM turn_docs WHERE rid = " row ".rid) WHERE kind = 0;"
#define TURN_OUT(row)                                                 \
  "UPDATE word_totals SET docs = docs - 1,"                           \
  " length = length - (SELECT length FROM turn_docs WHERE rid = " row \
  ".rid) WHERE kind = 0; DELETE FROM turn_docs WHERE rid = " row ".rid;" NOT_LATE(row, "0")
#define CARD_IN(row) \
  "INSERT INTO card_docs VALUES(" row ".rid, kartei_card_index(1," CARD_PARTS(                 \
      row) "), kartei_card_index(2," CARD_PARTS(row) ")," CARD_RANKED(row) "," CARD_SUM(row) ");" \
  IS_LATE(row, "1")                                                                            \
  "UPDATE word_totals SET docs = docs + 1,"                                                    \
  " length = length + (SELECT length FROM card_docs WHERE rid = " row ".rid) WHERE kind = 1;"
#define CARD_OUT(row)                                                 \
  "UPDATE word_totals SET docs = docs - 1,"                           \
  " length = length - (SELECT length FROM card_docs WHERE rid = " row \
  ".rid) WHERE kind = 1; DELETE FROM card_docs WHERE rid = " row ".rid;" NOT_LATE(row, "1")

constexpr char kTriggers[] =
    "CREATE TRIGGER turn_words_in AFTER INSERT ON turns BEGIN " TURN_IN("new") "END;"
    "CREATE TRIGGER turn_words_out AFTER DELETE ON turns BEGIN " TURN_OUT("old") "END;"
    "CREATE TRIGGER turn_words_changed AFTER UPDATE OF rid, conversation, speaker, role, text,"
    " caption, said_at ON turns BEGIN " TURN_OUT("old") TURN_IN("new") "END;"
    "CREATE TRIGGER card_words_in AFTER INSERT ON cards BEGIN " CARD_IN("new") "END;"
    "CREATE TRIGGER card_words_out AFTER DELETE ON cards BEGIN " CARD_OUT("old") "END;"
    "CREATE TRIGGER card_words_changed AFTER UPDATE OF rid, text, tags, annotations, subject,"
    " relation, object ON cards WHEN old.rid <> new.rid OR old.text <> new.text OR"
    " old.tags <> new.tags OR old.annotations <> new.annotations OR old.subject <> new.subject OR"
    " old.relation <> new.relation OR old.object <> new.object BEGIN " CARD_OUT("old") CARD_IN(
        "new") "END;"
    "CREATE TRIGGER card_rank_changed AFTER UPDATE OF " RANKED_COLUMNS " ON cards BEGIN"
    " UPDATE card_docs SET (" RANKED_COLUMNS ") = (" CARD_RANKED("new") ") WHERE rid = new.rid;"
    "END;";

// Fills an empty index from the rows.
constexpr char kFill[] =
    "INSERT INTO turn_docs SELECT t.rid, kartei_key(t.conversation), t.said_at, t.role,"
    " kartei_turn_index(1," TURN_PARTS("t") "), kartei_turn_index(2," TURN_PARTS(
        "t") ")," TURN_SUM("t") " FROM turns t;"
    "INSERT INTO card_docs SELECT c.rid, kartei_card_index(1," CARD_PARTS(
        "c") "), kartei_card_index(2," CARD_PARTS("c") ")," CARD_RANKED("c") "," CARD_SUM("c")
            " FROM cards c;"
    "INSERT INTO word_totals SELECT 0, count(*), ifnull(sum(length), 0), 0 FROM turn_docs;"
    "INSERT INTO word_totals SELECT 1, count(*), ifnull(sum(length), 0), 0 FROM card_docs;"
    BESIDE_INDEX;

constexpr char kNoTriggers[] =
    "DROP TRIGGER IF EXISTS turn_words_in; DROP TRIGGER IF EXISTS turn_words_out;"
    "DROP TRIGGER IF EXISTS turn_words_changed; DROP TRIGGER IF EXISTS card_words_in;"
    "DROP TRIGGER IF EXISTS card_words_out; DROP TRIGGER IF EXISTS card_words_changed;"
    "DROP TRIGGER IF EXISTS card_rank_changed;";

// All that the index is made of; up to version 2 FTS5 held the lists.
constexpr char kNoTables[] =
    "DROP TABLE IF EXISTS turn_words; DROP TABLE IF EXISTS card_words;"
    "DROP TABLE IF EXISTS turn_docs; DROP TABLE IF EXISTS card_docs;"
    "DROP TABLE IF EXISTS turn_postings; DROP TABLE IF EXISTS card_postings;"
    "DROP TABLE IF EXISTS word_pieces; DROP TABLE IF EXISTS word_late;"
    "DROP TABLE IF EXISTS word_totals; DROP TABLE IF EXISTS word_index_version;"
    "DELETE FROM meta WHERE key IN ('word_index.joined_turns', 'word_index.joined_cards');";
constexpr char kParts[] =
    "SELECT count(*) FROM sqlite_master WHERE name IN ('turn_docs', 'card_docs', "
    "'turn_docs_beside',"
    " 'turn_postings', 'card_postings', 'word_pieces', 'word_late', 'word_totals',"
    " 'word_index_version', 'turn_words_in', 'turn_words_out', 'turn_words_changed',"
    " 'card_words_in', 'card_words_out', 'card_words_changed', 'card_rank_changed')";
constexpr std::int64_t kPartCount = 16;

std::string tables_sql() {
  return TURN_DOCS_TABLE CARD_DOCS_TABLE WORD_TABLES
         "ALTER TABLE turn_docs ADD COLUMN sum INTEGER;"
         "ALTER TABLE card_docs ADD COLUMN sum INTEGER;" +
         posting_tables_sql();
}

std::string version_sql() {
  return "INSERT INTO word_index_version VALUES(" + std::to_string(kIndexVersion) + ");";
}

}  // namespace

std::int64_t conversation_key(std::string_view name) {
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a; two names of one key only share boosts
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return static_cast<std::int64_t>(hash >> 1);
}

Status prepare_word_index(sqlite3* db) {
  // Functions of the triggers: of the schema's own, never of a foreign file's.
  constexpr int kTriggerOnly = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  auto shared = std::make_unique<IndexFunctions>();
  int code = sqlite3_create_function_v2(db, "kartei_turn_index", 4, kTriggerOnly, shared.get(),
                                        index_function<'t'>, nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) {
    // The connection owns the functions' state: it frees it, also when this very call fails.
    code = sqlite3_create_function_v2(
        db, "kartei_card_index", 6, kTriggerOnly, shared.release(), index_function<'c'>, nullptr,
        nullptr, [](void* functions) { delete static_cast<IndexFunctions*>(functions); });
  }
  if (code == SQLITE_OK) {
    code = sqlite3_create_function_v2(db, "kartei_key", 1, kTriggerOnly, nullptr, key_function,
                                      nullptr, nullptr, nullptr);
  }
  if (code == SQLITE_OK) {
    code = sqlite3_create_function_v2(db, "kartei_sum", -1, kTriggerOnly, nullptr, sum_function,
                                      nullptr, nullptr, nullptr);
  }
  return code == SQLITE_OK ? Status{} : Status{sql_error(db, code, "prepare the word index")};
}

std::vector<std::string> word_index_schema() {
  // update_word_index makes the rest: the first table of versions is empty.
  return {kFirstTables};
}

std::string ranked_card_docs_sql() {
  std::string sql = kNoTriggers;
  sql += "DROP TABLE card_docs;" CARD_DOCS_TABLE "UPDATE word_index_version SET version = 0";
  return sql;
}

std::string summed_docs_sql() {
  std::string sql = kNoTriggers;
  sql +=
      "ALTER TABLE turn_docs ADD COLUMN sum INTEGER; ALTER TABLE card_docs ADD COLUMN sum INTEGER;"
      "UPDATE turn_docs SET sum = (SELECT " TURN_SUM("t") " FROM turns t WHERE t.rid ="
      " turn_docs.rid);"
      "UPDATE card_docs SET sum = (SELECT " CARD_SUM("c") " FROM cards c WHERE c.rid ="
      " card_docs.rid);";
  sql += kTriggers;
  return sql;
}

Status check_sums(Db& db, std::vector<std::string>& wrong) {
  constexpr const char* kChanged[][2] = {
      {"turn",
       "SELECT hex(t.id) FROM turns t LEFT JOIN turn_docs d ON d.rid = t.rid"
       " WHERE d.sum IS NOT " TURN_SUM("t")},
      {"card",
       "SELECT hex(c.id) FROM cards c LEFT JOIN card_docs d ON d.rid = c.rid"
       " WHERE d.sum IS NOT " CARD_SUM("c")}};
  for (const auto& [kind, sql] : kChanged) {
    std::size_t count = 0;
    std::string ids;
    Query query = db.query(sql);
    while (query.next()) {
      if (++count > kNamedMost) continue;
      std::string id(query.text(0));
      std::transform(id.begin(), id.end(), id.begin(),
                     [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c; });
      ids += (count == 1 ? "" : ", ") + id;
    }
    KARTEI_TRY(query.status());
    if (count == 0) continue;
    wrong.push_back(std::string("The words of ") + std::to_string(count) + " " + kind +
                    (count == 1 ? "" : "s") + " are not what was stored (" + ids +
                    (count > kNamedMost ? ", ..." : "") + ")");
  }
  return {};
}

namespace {

// One piece holds at most so much; more is many pieces.
constexpr std::int64_t kPieceRows = 2048;
constexpr std::size_t kPieceBytes = 1 << 20;

// Rows into a piece; the last of them, or `above` where there is none.
Result<std::int64_t> add_piece(Db& db, RowKind kind, Query rows, std::int64_t above) {
  std::vector<Posting1> postings;
  std::uint64_t docs = 0;
  std::size_t bytes = 0;
  while (bytes < kPieceBytes && rows.next()) {
    above = rows.integer(0);
    const BagView bag(rows.blob(1));
    for (std::size_t i = 0; i < bag.size(); ++i) postings.push_back({bag.hash(i), above});
    bytes += rows.blob(1).size();
    ++docs;
  }
  KARTEI_TRY(rows.status());
  KARTEI_TRY(PostingWriter(db, kind).add(std::move(postings), docs));
  return above;
}

// Brings in the rows above the mark, and those that are late.
Status settle(Db& db, RowKind kind) {
  const int number = static_cast<int>(kind);
  const bool turns = kind == RowKind::kTurn;
  KARTEI_ASSIGN(std::int64_t mark,
                db.integer("SELECT mark FROM word_totals WHERE kind = ?", 0, number));
  for (std::int64_t last = -1; last != mark;) {
    last = mark;
    KARTEI_ASSIGN(mark, add_piece(db, kind,
                                  db.query(turns ? "SELECT rid, bag FROM turn_docs WHERE rid > ?"
                                                   " ORDER BY rid LIMIT ?"
                                                 : "SELECT rid, bag FROM card_docs WHERE rid > ?"
                                                   " ORDER BY rid LIMIT ?",
                                           mark, kPieceRows),
                                  mark));
  }
  KARTEI_TRY(db.run("UPDATE word_totals SET mark = ? WHERE kind = ?", mark, number));
  std::int64_t late = -1;
  for (std::int64_t last = -2; last != late;) {
    last = late;
    KARTEI_ASSIGN(late,
                  add_piece(db, kind,
                            db.query(turns ? "SELECT d.rid, d.bag FROM word_late l JOIN turn_docs d"
                                             " ON d.rid = l.rid WHERE l.kind = 0 AND l.rid > ?"
                                             " ORDER BY l.rid LIMIT ?"
                                           : "SELECT d.rid, d.bag FROM word_late l JOIN card_docs d"
                                             " ON d.rid = l.rid WHERE l.kind = 1 AND l.rid > ?"
                                             " ORDER BY l.rid LIMIT ?",
                                     late, kPieceRows),
                            late));
  }
  return db.run("DELETE FROM word_late WHERE kind = ?", number);
}

Status settle(Db& db) {
  KARTEI_TRY(settle(db, RowKind::kTurn));
  return settle(db, RowKind::kCard);
}

// All lists anew, from the bags.
Status list_anew(Db& db) {
  KARTEI_TRY(db.script(no_postings_sql() + "UPDATE word_totals SET mark = 0"));
  return settle(db);
}

}  // namespace

Status update_word_index(Db& db) {
  KARTEI_ASSIGN(const std::int64_t parts, db.integer(kParts, 0));
  if (parts == kPartCount) {
    KARTEI_ASSIGN(const std::int64_t version,
                  db.integer("SELECT version FROM word_index_version", 0));
    if (version == kIndexVersion) return {};
  }
  KARTEI_TRY(db.script("SAVEPOINT word_index"));
  Status filled = db.script(std::string(kNoTriggers) + kNoTables + tables_sql() + kTriggers +
                            kFill + version_sql());
  if (filled.has_value()) filled = settle(db);
  if (filled.has_error()) {
    sqlite3_exec(db.handle(), "ROLLBACK TO word_index; RELEASE word_index", nullptr, nullptr,
                 nullptr);
    return filled;
  }
  return db.script("RELEASE word_index");
}

Result<std::size_t> damaged_lists(Db& db) {
  KARTEI_ASSIGN(const std::size_t turns, PostingWriter(db, RowKind::kTurn).damaged());
  KARTEI_ASSIGN(const std::size_t cards, PostingWriter(db, RowKind::kCard).damaged());
  return turns + cards;
}

Result<bool> IndexTail::is_long(Db& db, int kind, std::int64_t mark, std::int64_t newest) {
  Counted& counted = kind == 0 ? turns_ : cards_;
  if (newest - mark >= kRows) return true;
  if (counted.to_rid <= mark) counted = {mark, 0};
  if (counted.to_rid >= newest) return false;
  KARTEI_ASSIGN(const std::int64_t bytes,
                db.integer(kind == 0 ? "SELECT sum(length(bag)) FROM turn_docs WHERE rid > ?"
                                     : "SELECT sum(length(bag)) FROM card_docs WHERE rid > ?",
                           0, counted.to_rid));
  counted = {newest, counted.bytes + bytes};
  return counted.bytes >= kBytes;
}

Result<bool> IndexTail::settle(Db& db) {
  std::int64_t turn_mark = 0, turn = 0, card_mark = 0, card = 0, late = 0;
  {
    Query query = db.query(
        "SELECT t.mark, (SELECT max(rid) FROM turn_docs), c.mark, (SELECT max(rid) FROM card_docs),"
        " (SELECT count(*) FROM word_late)"
        " FROM word_totals t, word_totals c WHERE t.kind = 0 AND c.kind = 1");
    if (query.next()) {
      turn_mark = query.integer(0);
      turn = query.integer(1);
      card_mark = query.integer(2);
      card = query.integer(3);
      late = query.integer(4);
    }
    KARTEI_TRY(query.status());
  }
  KARTEI_ASSIGN(const bool turns, is_long(db, 0, turn_mark, turn));
  KARTEI_ASSIGN(const bool cards, is_long(db, 1, card_mark, card));
  if (turns || late >= kRows) KARTEI_TRY(kartei::store::settle(db, RowKind::kTurn));
  if (cards || late >= kRows) KARTEI_TRY(kartei::store::settle(db, RowKind::kCard));
  return turn > turn_mark || card > card_mark || late > 0;
}

Result<bool> tidy_word_index(Db& db) {
  KARTEI_TRY(settle(db));
  KARTEI_ASSIGN(const bool turns, PostingWriter(db, RowKind::kTurn).join_step());
  KARTEI_ASSIGN(const bool cards, PostingWriter(db, RowKind::kCard).join_step());
  return turns || cards;
}

Status scrub_word_index(sqlite3* db) {
  Db borrowed(db);
  return list_anew(borrowed);
}

}  // namespace kartei::store
