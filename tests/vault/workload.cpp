#include "tests/vault/workload.h"

#include <random>

#include "crypto/hash.h"

namespace kartei::vault_test {

namespace {

using StepKind = Step::Kind;

Error sqlite_error(sqlite3* db, int code, const std::string& doing) {
  const Cause cause = (code & 0xff) == SQLITE_CORRUPT ? Cause::kCorrupt : Cause::kIo;
  std::string what = doing.substr(0, 60) + ": ";
  what += db != nullptr ? sqlite3_errmsg(db) : sqlite3_errstr(code);
  return {cause, what + " (" + std::to_string(code) + ")", {}};
}

constexpr char kTables[] =
    "CREATE TABLE progress(id INTEGER PRIMARY KEY CHECK(id = 1), n INTEGER NOT NULL);"
    "INSERT INTO progress VALUES(1, 0);"
    "CREATE TABLE turns(id INTEGER PRIMARY KEY, said TEXT NOT NULL, body BLOB);"
    "CREATE INDEX turns_said ON turns(said);"
    "CREATE TABLE cards(id BLOB PRIMARY KEY, n INTEGER NOT NULL, text TEXT) WITHOUT ROWID;"
    "CREATE VIRTUAL TABLE words USING fts5(text)";

constexpr char kHasTables[] = "SELECT count(*) FROM sqlite_master WHERE name = 'progress'";

class StepMaker {
 public:
  explicit StepMaker(const Plan& plan) : plan_(plan), dice_(plan.seed) {}

  std::vector<Step> make() {
    transaction({kTables});
    for (int i = 0; i < plan_.steps; ++i) step();
    if (plan_.lazy) add(StepKind::kSync);
    return std::move(steps_);
  }

 private:
  std::uint64_t below(std::uint64_t end) { return dice_() % end; }
  std::string number(std::uint64_t end) { return std::to_string(below(end)); }
  void add(StepKind kind, std::vector<std::string> sql = {}) {
    steps_.push_back({kind, std::move(sql)});
  }

  void transaction(std::vector<std::string> sql) {
    sql.push_back("UPDATE progress SET n = " + std::to_string(++count_));
    add(StepKind::kTransaction, std::move(sql));
  }

  std::string text() {
    std::string out = "'" + plan_.marker;
    for (std::uint64_t i = 0, end = 3 + below(12); i < end; ++i) out += " w" + number(300);
    return out + "'";
  }
  // Seldom of many pages, often of none.
  std::string blob() {
    const std::uint64_t size = below(10) == 0 ? below(30000) : below(600);
    std::string out = "x'";
    const std::string marker = to_hex(as_bytes(plan_.marker));
    while (out.size() < 2 * size) out += below(4) == 0 ? marker : to_hex(some_bytes());
    return out + "'";
  }
  Bytes some_bytes() {
    Bytes bytes(16);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(dice_());
    return bytes;
  }

  // Each draw by itself: the order in which operands are evaluated is the compiler's.
  std::string insert_turn() {
    const std::string said = text();
    return "INSERT INTO turns(said, body) VALUES(" + said + ", " + blob() + ")";
  }
  std::string replace_card() {
    const std::string id = to_hex(some_bytes());
    const std::string n = number(1000);
    return "INSERT OR REPLACE INTO cards VALUES(x'" + id + "', " + n + ", " + text() + ")";
  }
  std::string update_turns() {
    const std::string body = blob();
    const std::string said = text();
    return "UPDATE turns SET body = " + body + ", said = " + said + " WHERE id % 7 = " + number(7);
  }

  std::string statement() {
    switch (below(10)) {
      case 0:
      case 1:
        return insert_turn();
      case 2:
        return replace_card();
      case 3:
        return "INSERT INTO words VALUES(" + text() + ")";
      case 4:
        return update_turns();
      case 5:
        return "DELETE FROM turns WHERE id % 11 = " + number(11);
      case 6:
        return "DELETE FROM cards WHERE n < " + number(400);
      case 7:
        return "DELETE FROM words WHERE rowid % 5 = " + number(5);
      case 8:
        return "PRAGMA incremental_vacuum(" + number(40) + ")";
      default:
        return below(2) == 0 ? "INSERT INTO words(words) VALUES('optimize')"
                             : "UPDATE cards SET text = " + text() + ", n = n + 1";
    }
  }
  std::vector<std::string> statements() {
    std::vector<std::string> sql;
    for (std::uint64_t i = 0, end = 1 + below(5); i < end; ++i) {
      if (below(6) == 0) {
        sql.push_back("SAVEPOINT s");
        sql.push_back(statement());
        const bool undone = below(2) == 0 && !plan_.spills;
        sql.push_back(undone ? "ROLLBACK TO s; RELEASE s" : "RELEASE s");
      }
      sql.push_back(statement());
    }
    return sql;
  }
  // More than the cache holds.
  std::vector<std::string> many_statements() {
    std::vector<std::string> sql;
    const std::string rows = std::to_string(40 + below(60));
    sql.push_back("WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < " +
                  rows + ") INSERT INTO turns(said, body) SELECT " + text() +
                  " || i, zeroblob(i * 7) FROM c");
    for (int i = 0; i < 6; ++i) sql.push_back(statement());
    return sql;
  }

  void step() {
    static constexpr const char* kModes[] = {"PASSIVE", "FULL", "RESTART", "TRUNCATE"};
    switch (below(14)) {
      case 0:
        return add(StepKind::kPlain,
                   {std::string("PRAGMA wal_checkpoint(") + kModes[below(4)] + ")"});
      case 1:
        return add(StepKind::kRolledBack, below(2) == 0 ? statements() : many_statements());
      case 2:
        return transaction(many_statements());
      case 3:
        return add(below(2) == 0 ? StepKind::kReaderBegins : StepKind::kReaderEnds);
      case 4:
        if (below(2) == 0) return add(StepKind::kReopen);
        add(StepKind::kReaderEnds);
        return add(StepKind::kPlain, {"VACUUM"});
      case 5:
        if (plan_.lazy) return add(StepKind::kSync);
        [[fallthrough]];
      default:
        return transaction(statements());
    }
  }

  const Plan& plan_;
  std::mt19937_64 dice_;
  std::vector<Step> steps_;
  int count_ = 0;
};

Status for_each_row(sqlite3* db, const std::string& sql,
                    const std::function<void(sqlite3_stmt*)>& row) {
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr);
  if (code != SQLITE_OK) return sqlite_error(db, code, sql);
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) row(statement);
  if (code == SQLITE_DONE) {
    sqlite3_finalize(statement);
    return {};
  }
  Error error = sqlite_error(db, code, sql);
  sqlite3_finalize(statement);
  return error;
}

Result<std::int64_t> one_integer(sqlite3* db, const std::string& sql) {
  std::int64_t value = 0;
  KARTEI_TRY(
      for_each_row(db, sql, [&](sqlite3_stmt* row) { value = sqlite3_column_int64(row, 0); }));
  return value;
}

}  // namespace

std::vector<Step> make_steps(const Plan& plan) {
  return StepMaker(plan).make();
}

Status execute(sqlite3* db, const std::string& sql) {
  const int code = sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) return {};
  return sqlite_error(db, sqlite3_extended_errcode(db), sql);
}

Result<int> transactions_in(sqlite3* db) {
  KARTEI_ASSIGN(const std::int64_t tables, one_integer(db, kHasTables));
  if (tables == 0) return 0;
  KARTEI_ASSIGN(const std::int64_t count, one_integer(db, "SELECT n FROM progress"));
  return static_cast<int>(count);
}

Result<Hash32> digest(sqlite3* db) {
  Bytes all;
  KARTEI_ASSIGN(const std::int64_t tables, one_integer(db, kHasTables));
  const auto row = [&](sqlite3_stmt* statement) {
    for (int column = 0; column < sqlite3_column_count(statement); ++column) {
      const auto* bytes = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement, column));
      const int size = sqlite3_column_bytes(statement, column);
      all.push_back(static_cast<std::uint8_t>(sqlite3_column_type(statement, column)));
      all.insert(all.end(), bytes, bytes + size);
    }
    all.push_back('\n');
  };
  if (tables > 0) {
    for (const char* sql : {"SELECT * FROM progress", "SELECT * FROM turns ORDER BY id",
                            "SELECT id FROM turns ORDER BY said, id",
                            "SELECT * FROM cards ORDER BY id", "SELECT rowid, text FROM words",
                            "SELECT rowid FROM words WHERE words MATCH 'w1 OR w2 OR w3'"})
      KARTEI_TRY(for_each_row(db, sql, row));
  }
  return crypto::hash("vault test", {all});
}

std::vector<Hash32> expected_digests(const std::vector<Step>& steps) {
  sqlite3* raw = nullptr;
  sqlite3_open(":memory:", &raw);
  const Connection db(raw);
  std::vector<Hash32> digests{digest(raw).value()};
  for (const Step& step : steps) {
    if (step.kind != StepKind::kTransaction) continue;
    execute(raw, "BEGIN").value();
    for (const std::string& sql : step.sql) execute(raw, sql).value();
    execute(raw, "COMMIT").value();
    digests.push_back(digest(raw).value());
  }
  return digests;
}

crypto::Secret test_key(std::uint8_t fill) {
  return crypto::Secret(Bytes(32, fill));
}

DiskImage new_disk(const Plan& plan, const vault::FormatMaker& maker) {
  vault::DatabaseId id;
  id.fill(static_cast<std::uint8_t>(plan.seed));
  const auto format = maker(test_key(), id, std::make_shared<crypto::SeededRandom>(plan.seed));
  return {{kFile, vault::first_page(*format, id, plan.page_size)}};
}

Result<std::unique_ptr<vault::Vault>> open_vault(const FaultDisk& disk,
                                                 const vault::FormatMaker& maker,
                                                 const crypto::Secret& key,
                                                 bool accept_damaged_log) {
  vault::VaultOptions options;
  options.beneath = disk.vfs_name();
  options.accept_damaged_log = accept_damaged_log;
  return vault::VaultMaker::open(kFile, key, options, maker);
}

Result<Connection> connect(const vault::Vault& vault) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(vault.file().c_str(), &raw,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, vault.vfs_name());
  Connection db(raw);
  if (code != SQLITE_OK) return sqlite_error(raw, code, "open");
  sqlite3_extended_result_codes(raw, 1);
  KARTEI_TRY(execute(raw, vault::Vault::kPragmas));
  return db;
}

// ---- the runner

Runner::~Runner() {
  close();
}

void Runner::close() {
  reader_.reset();
  writer_.reset();
  vault_.reset();
}

Status Runner::open() {
  KARTEI_ASSIGN(vault_, open_vault(disk_, maker_));
  KARTEI_ASSIGN(writer_, connect(*vault_));
  KARTEI_ASSIGN(reader_, connect(*vault_));
  KARTEI_TRY(
      execute(writer_.get(),
              "PRAGMA cache_size = 8; PRAGMA secure_delete = ON; PRAGMA cell_size_check = ON;"
              "PRAGMA wal_autocheckpoint = 40; PRAGMA journal_size_limit = 60000"));
  if (plan_.spills) KARTEI_TRY(execute(writer_.get(), "PRAGMA cache_spill = ON"));
  return execute(writer_.get(),
                 std::string("PRAGMA synchronous = ") + (plan_.lazy ? "NORMAL" : "FULL"));
}

Status Runner::transaction(const Step& step) {
  KARTEI_TRY(execute(writer_.get(), "BEGIN IMMEDIATE"));
  for (const std::string& sql : step.sql) KARTEI_TRY(execute(writer_.get(), sql));
  begun_ = committed_ + 1;
  KARTEI_TRY(execute(writer_.get(), "COMMIT"));
  ++committed_;
  if (!plan_.lazy) acknowledged_ = committed_;
  return {};
}

Status Runner::sync() {
  sqlite3_file* log = nullptr;
  int code = sqlite3_file_control(writer_.get(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (code == SQLITE_OK && log != nullptr && log->pMethods != nullptr)
    code = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
  if (code != SQLITE_OK) return sqlite_error(nullptr, code, "sync");
  acknowledged_ = committed_;
  return {};
}

Status Runner::run(const Step& step) {
  switch (step.kind) {
    case StepKind::kTransaction:
      return transaction(step);
    case StepKind::kRolledBack:
      KARTEI_TRY(execute(writer_.get(), "BEGIN IMMEDIATE"));
      for (const std::string& sql : step.sql) KARTEI_TRY(execute(writer_.get(), sql));
      return execute(writer_.get(), "ROLLBACK");
    case StepKind::kPlain:
      return execute(writer_.get(), step.sql.front());
    case StepKind::kReopen:
      close();
      return open();
    case StepKind::kReaderBegins:
      if (sqlite3_get_autocommit(reader_.get()) == 0) return {};
      KARTEI_TRY(execute(reader_.get(), "BEGIN"));
      return execute(reader_.get(), "SELECT count(*) FROM sqlite_master");
    case StepKind::kReaderEnds:
      return sqlite3_get_autocommit(reader_.get()) != 0 ? Status{}
                                                        : execute(reader_.get(), "COMMIT");
    case StepKind::kSync:
      return sync();
  }
  return {};
}

Result<int> Runner::settle() {
  if (writer_ == nullptr || reader_ == nullptr) {
    close();
    KARTEI_TRY(open());
  }
  if (sqlite3_get_autocommit(writer_.get()) == 0) {
    const Status undone = execute(writer_.get(), "ROLLBACK");
    if (undone.has_error() && sqlite3_get_autocommit(writer_.get()) == 0) return undone.error();
  }
  KARTEI_ASSIGN(const int count, transactions_in(writer_.get()));
  committed_ = count;
  begun_ = std::max(begun_, count);
  return count;
}

}  // namespace kartei::vault_test
