#include "store/word_index.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "crypto/hash.h"
#include "store/indexer.h"
#include "store/sql.h"

namespace kartei::store {

namespace {

constexpr int kTokens = 0, kLength = 1, kBag = 2;
constexpr std::size_t kNamedMost = 5;

// The functions of one connection. A trigger asks for tokens, length and bag of the same row one
// after the other: the last text's answer is kept.
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
      case kTokens:
        sqlite3_result_text64(context, indexed.tokens.data(), indexed.tokens.size(),
                              SQLITE_TRANSIENT, SQLITE_UTF8);
        return;
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

// The index keeps no text of its own: FTS5 without content, positions or sizes, and a bag a row. It
// is told the tokens again when a row goes, which is why a change of kIndexVersion indexes all
// anew.
constexpr char kTables[] = R"sql(
CREATE VIRTUAL TABLE turn_words USING fts5(
  words, content='', detail=none, columnsize=0, tokenize='ascii');
CREATE VIRTUAL TABLE card_words USING fts5(
  words, content='', detail=none, columnsize=0, tokenize='ascii');
CREATE TABLE turn_docs(
  rid INTEGER PRIMARY KEY,
  conversation INTEGER NOT NULL,
  said_at INTEGER NOT NULL,
  role INTEGER NOT NULL,
  length INTEGER NOT NULL,
  bag BLOB NOT NULL
);
CREATE INDEX turn_docs_conversation ON turn_docs(conversation, said_at);
)sql" CARD_DOCS_TABLE R"sql(
CREATE TABLE word_totals(
  kind INTEGER PRIMARY KEY,
  docs INTEGER NOT NULL,
  length INTEGER NOT NULL,
  mark INTEGER NOT NULL
);
CREATE TABLE word_index_version(version INTEGER NOT NULL);
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

// Rows come into turn_words and card_words many at a time (IndexTail): FTS5 writes out what
// it has at every statement of a trigger, one segment a row. `mark` is the last row that is in; the
// rows above it follow when they are many. What an undo brings back below it goes in at once.
// FTS5 knows a row by its number below zero: it reads ascending in half the time of descending, and
// the newest rows are wanted first.
#define IS_IN(row, kind) \
  " WHERE " row ".rid <= (SELECT mark FROM word_totals WHERE kind = " kind ");"
#define TURN_IN(row) \
  "INSERT INTO turn_docs VALUES(" row ".rid, kartei_key(" row ".conversation)," row          \
  ".said_at," row ".role, kartei_turn_index(1," TURN_PARTS(                                  \
      row) "), kartei_turn_index(2," TURN_PARTS(row) ")," TURN_SUM(row) ");"                 \
  "INSERT INTO turn_words(rowid, words) SELECT -" row ".rid, kartei_turn_index(0," TURN_PARTS( \
      row) ")" IS_IN(row, "0")                                                               \
  "UPDATE word_totals SET docs = docs + 1,"                                                  \
  " length = length + (SELECT length FROM turn_docs WHERE rid = " row ".rid) WHERE kind = 0;"
#define TURN_OUT(row)                                                       \
  "UPDATE word_totals SET docs = docs - 1,"                                 \
  " length = length - (SELECT length FROM turn_docs WHERE rid = " row       \
  ".rid) WHERE kind = 0;"                                                   \
  "INSERT INTO turn_words(turn_words, rowid, words) SELECT 'delete', -" row \
  ".rid, kartei_turn_index(0," TURN_PARTS(row) ")" IS_IN(                   \
      row, "0") "DELETE FROM turn_docs WHERE rid = " row ".rid;"
#define CARD_IN(row) \
  "INSERT INTO card_docs VALUES(" row ".rid, kartei_card_index(1," CARD_PARTS(               \
      row) "), kartei_card_index(2," CARD_PARTS(row) ")," CARD_RANKED(row) "," CARD_SUM(row) ");" \
  "INSERT INTO card_words(rowid, words) SELECT -" row ".rid, kartei_card_index(0," CARD_PARTS( \
      row) ")" IS_IN(row, "1")                                                               \
  "UPDATE word_totals SET docs = docs + 1,"                                                  \
  " length = length + (SELECT length FROM card_docs WHERE rid = " row ".rid) WHERE kind = 1;"
#define CARD_OUT(row)                                                       \
  "UPDATE word_totals SET docs = docs - 1,"                                 \
  " length = length - (SELECT length FROM card_docs WHERE rid = " row       \
  ".rid) WHERE kind = 1;"                                                   \
  "INSERT INTO card_words(card_words, rowid, words) SELECT 'delete', -" row \
  ".rid, kartei_card_index(0," CARD_PARTS(row) ")" IS_IN(                   \
      row, "1") "DELETE FROM card_docs WHERE rid = " row ".rid;"

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

constexpr char kStart[] = "INSERT INTO word_totals VALUES(0, 0, 0, 0), (1, 0, 0, 0);";

// Brings the rows above the marks in.
constexpr const char* kSettle[] = {
    "INSERT INTO turn_words(rowid, words) SELECT -t.rid, kartei_turn_index(0," TURN_PARTS(
        "t") ") FROM turns t WHERE t.rid > (SELECT mark FROM word_totals WHERE kind = 0)"
             " ORDER BY t.rid DESC",
    "INSERT INTO card_words(rowid, words) SELECT -c.rid, kartei_card_index(0," CARD_PARTS(
        "c") ") FROM cards c WHERE c.rid > (SELECT mark FROM word_totals WHERE kind = 1)"
             " ORDER BY c.rid DESC",
    "UPDATE word_totals SET mark = max(mark, ifnull((SELECT max(rid) FROM turns), 0))"
    " WHERE kind = 0",
    "UPDATE word_totals SET mark = max(mark, ifnull((SELECT max(rid) FROM cards), 0))"
    " WHERE kind = 1"};

// Fills an empty index from the rows.
constexpr char kFill[] =
    "INSERT INTO turn_docs SELECT t.rid, kartei_key(t.conversation), t.said_at, t.role,"
    " kartei_turn_index(1," TURN_PARTS("t") "), kartei_turn_index(2," TURN_PARTS(
        "t") ")," TURN_SUM("t") " FROM turns t;"
    "INSERT INTO card_docs SELECT c.rid, kartei_card_index(1," CARD_PARTS(
        "c") "), kartei_card_index(2," CARD_PARTS("c") ")," CARD_RANKED("c") "," CARD_SUM("c")
            " FROM cards c;"
    "INSERT INTO word_totals SELECT 0, count(*), ifnull(sum(length), 0), 0 FROM turn_docs;"
    "INSERT INTO word_totals SELECT 1, count(*), ifnull(sum(length), 0), 0 FROM card_docs;";

constexpr char kNoTriggers[] =
    "DROP TRIGGER IF EXISTS turn_words_in; DROP TRIGGER IF EXISTS turn_words_out;"
    "DROP TRIGGER IF EXISTS turn_words_changed; DROP TRIGGER IF EXISTS card_words_in;"
    "DROP TRIGGER IF EXISTS card_words_out; DROP TRIGGER IF EXISTS card_words_changed;"
    "DROP TRIGGER IF EXISTS card_rank_changed;";

constexpr char kEmpty[] =
    "INSERT INTO turn_words(turn_words) VALUES('delete-all');"
    "INSERT INTO card_words(card_words) VALUES('delete-all');"
    "DELETE FROM turn_docs; DELETE FROM card_docs; DELETE FROM word_totals;"
    "DELETE FROM word_index_version;";

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
  return {kTables, kTriggers, kStart + version_sql()};
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
Status settle(Db& db) {
  for (const char* sql : kSettle) KARTEI_TRY(db.run(sql));
  return {};
}
}  // namespace

Status update_word_index(Db& db) {
  KARTEI_ASSIGN(const std::int64_t version,
                db.integer("SELECT version FROM word_index_version", 0));
  if (version == kIndexVersion) return {};
  KARTEI_TRY(db.script("SAVEPOINT word_index"));
  Status filled = db.script(std::string(kNoTriggers) + kTriggers + kEmpty + kFill + version_sql());
  if (filled.has_value()) filled = settle(db);
  if (filled.has_error()) {
    sqlite3_exec(db.handle(), "ROLLBACK TO word_index; RELEASE word_index", nullptr, nullptr,
                 nullptr);
    return filled;
  }
  return db.script("RELEASE word_index");
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
  std::int64_t turn_mark = 0, turn = 0, card_mark = 0, card = 0;
  {
    Query query = db.query(
        "SELECT t.mark, (SELECT max(rid) FROM turn_docs), c.mark, (SELECT max(rid) FROM card_docs)"
        " FROM word_totals t, word_totals c WHERE t.kind = 0 AND c.kind = 1");
    if (query.next()) {
      turn_mark = query.integer(0);
      turn = query.integer(1);
      card_mark = query.integer(2);
      card = query.integer(3);
    }
    KARTEI_TRY(query.status());
  }
  KARTEI_ASSIGN(const bool turns, is_long(db, 0, turn_mark, turn));
  KARTEI_ASSIGN(const bool cards, is_long(db, 1, card_mark, card));
  if (turns || cards) KARTEI_TRY(kartei::store::settle(db));
  return turn > turn_mark || card > card_mark;
}

namespace {

// FTS5 works in units of 64 pages at least.
constexpr std::int64_t kPagesJoined = 16;
constexpr std::int64_t kJoinedLeast = 64;

// All pieces become one when the index has grown by a quarter since the last time, so that each row
// is written again a few times only; in between, as FTS5 counts them, two of a size become one.
Result<bool> tidy(Db& db, int kind) {
  const std::string key = kind == 0 ? "word_index.joined_turns" : "word_index.joined_cards";
  const char* join = kind == 0 ? "INSERT INTO turn_words(turn_words, rank) VALUES('merge', ?)"
                               : "INSERT INTO card_words(card_words, rank) VALUES('merge', ?)";
  KARTEI_ASSIGN(const std::int64_t docs,
                db.integer("SELECT docs FROM word_totals WHERE kind = ?", 0, kind));
  KARTEI_ASSIGN(
      const std::int64_t joined,
      db.integer("SELECT CAST(CAST(value AS TEXT) AS INTEGER) FROM meta WHERE key = ?", 0, key));
  if (docs - joined >= std::max(kJoinedLeast, joined / 4)) {
    KARTEI_TRY(db.run(join, -kPagesJoined));
    const std::string count = std::to_string(docs);
    KARTEI_TRY(db.run("INSERT OR REPLACE INTO meta VALUES(?, ?)", key, ByteView(as_bytes(count))));
    return true;
  }
  const std::int64_t before = db.total_changes();
  KARTEI_TRY(db.run(join, kPagesJoined));
  return db.total_changes() - before >= 2;  // SQLite's sign that something was joined
}

}  // namespace

Result<bool> tidy_word_index(Db& db) {
  KARTEI_TRY(settle(db));
  KARTEI_ASSIGN(const bool turns, tidy(db, 0));
  KARTEI_ASSIGN(const bool cards, tidy(db, 1));
  return turns || cards;
}

Status scrub_word_index(sqlite3* db) {
  // 'optimize' writes all segments anew as one, without what was deleted; but it leaves a lone
  // segment as it is, which may still name a word whose row came and went at once. Hence a second
  // segment: of a row (above zero, none of ours) that goes again.
  Db borrowed(db);
  for (const std::string table : {"turn_words", "card_words"}) {
    const std::string into = "INSERT INTO " + table + "(" + table;
    KARTEI_TRY(borrowed.script(into + ") VALUES('optimize'); INSERT INTO " + table +
                               "(rowid, words) VALUES(1, 'scrub'); " + into +
                               ", rowid, words) VALUES('delete', 1, 'scrub'); " + into +
                               ") VALUES('optimize')"));
  }
  return {};
}

}  // namespace kartei::store
