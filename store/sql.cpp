#include "store/sql.h"

#include <sqlite3.h>

#include <utility>

#include "crypto/vault/vault.h"

namespace kartei::store {

namespace {

// SQLite's words; of a page that does not authenticate, which one it is.
std::string detail_of(sqlite3* db, int code) {
  if (code == SQLITE_IOERR_DATA) {
    std::string failure = vault::Vault::last_failure(db);
    if (!failure.empty()) return failure;
  }
  return sqlite3_errmsg(db);
}

}  // namespace

Error sql_error(sqlite3* db, int code, std::string_view doing) {
  const std::string detail = db != nullptr ? detail_of(db, code) : sqlite3_errstr(code);
  const auto say = [&](Cause cause, const char* what) {
    return Error{cause, std::string(what) + " (" + std::string(doing) + ": " + detail + ")", {}};
  };
  switch (code & 0xFF) {
    case SQLITE_FULL:
      return say(Cause::kFull, "The disk is full; free some space and try again");
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return say(Cause::kReadOnly, "The box's file cannot be written; check its permissions");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return say(Cause::kCorrupt,
                 "The box's file is damaged; run `kartei doctor`, or restore a backup");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return say(Cause::kUnavailable, "The box's file is in use by another program; try again");
    case SQLITE_CANTOPEN:
      return say(Cause::kIo, "The box's file cannot be opened; check its folder");
    case SQLITE_IOERR:
      if (code == SQLITE_IOERR_DATA)
        return say(Cause::kCorrupt,
                   "The box's file is damaged, or somebody has changed it; run `kartei doctor`");
      return say(Cause::kIo, "The disk reports an error");
    default:
      return say(Cause::kInternal, "The box's database refused a statement");
  }
}

Query::Query(sqlite3* db, KeptStatement* kept, int code)
    : db_(db), kept_(kept), statement_(kept != nullptr ? kept->statement : nullptr), code_(0) {
  note(code);
}

Query::Query(Query&& other) noexcept
    : db_(other.db_),
      kept_(std::exchange(other.kept_, nullptr)),
      statement_(std::exchange(other.statement_, nullptr)),
      code_(other.code_),
      what_(std::move(other.what_)),
      bound_(other.bound_) {}

Query::~Query() {
  if (kept_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
  kept_->in_use = false;
}

void Query::note(int code) {
  if (code == SQLITE_OK || code_ != 0) return;
  code_ = code;
  what_ = detail_of(db_, code);
}

Error Query::error() const {
  Error error = sql_error(nullptr, code_, "box");
  error.what += ": " + what_;
  return error;
}

bool Query::next() {
  if (code_ != 0 || statement_ == nullptr) return false;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) note(code);
  sqlite3_reset(statement_);
  return false;
}

Status Query::run() {
  while (next()) {
  }
  return status();
}

bool Query::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}
std::int64_t Query::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}
double Query::real(int column) const {
  return sqlite3_column_double(statement_, column);
}

std::string_view Query::text(int column) const {
  const auto* start = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (start == nullptr) return {};
  return {start, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

ByteView Query::blob(int column) const {
  const auto* start = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_, column));
  if (start == nullptr) return {};
  return {start, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

int Query::type(int column) const {
  return sqlite3_column_type(statement_, column);
}
int Query::columns() const {
  return sqlite3_column_count(statement_);
}

void Query::bind(std::int64_t value) {
  note(sqlite3_bind_int64(statement_, ++bound_, value));
}
void Query::bind(double value) {
  note(sqlite3_bind_double(statement_, ++bound_, value));
}
void Query::bind(std::nullptr_t) {
  note(sqlite3_bind_null(statement_, ++bound_));
}

void Query::bind(const RowList& rows) {
  void* list = const_cast<RowList*>(&rows);  // SQLite only hands it on
  note(sqlite3_bind_pointer(statement_, ++bound_, list, kRowListType, nullptr));
}

// Empty text and blobs are values, not null: hence the address of something.
void Query::bind(std::string_view value) {
  note(sqlite3_bind_text64(statement_, ++bound_, value.empty() ? "" : value.data(), value.size(),
                           SQLITE_STATIC, SQLITE_UTF8));
}
void Query::bind(ByteView value) {
  static constexpr std::uint8_t kNothing = 0;
  note(sqlite3_bind_blob64(statement_, ++bound_, value.empty() ? &kNothing : value.data(),
                           value.size(), SQLITE_STATIC));
}
void Query::bind_copy(ByteView value) {
  note(sqlite3_bind_blob64(statement_, ++bound_, value.data(), value.size(), SQLITE_TRANSIENT));
}

Db::~Db() {
  for (auto& [sql, kept] : statements_) {
    for (const KeptStatement& one : kept) sqlite3_finalize(one.statement);
  }
  if (owner_ == Owner::kOwned) sqlite3_close_v2(db_);
}

Query Db::prepare(std::string_view sql) {
  auto found = statements_.find(sql);
  if (found == statements_.end()) {
    found = statements_.emplace(std::string(sql), std::deque<KeptStatement>()).first;
  }
  for (KeptStatement& kept : found->second) {
    if (kept.in_use) continue;
    kept.in_use = true;
    return Query(db_, &kept, SQLITE_OK);
  }
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(db_, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return Query(db_, nullptr, code);
  found->second.push_back({statement, true});
  return Query(db_, &found->second.back(), SQLITE_OK);
}

Status Db::script(const std::string& sql) {
  const int code = sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return sql_error(db_, code, "script");
  return {};
}

void Db::release_memory() {
  sqlite3_db_release_memory(db_);
}

std::int64_t Db::changes() const {
  return sqlite3_changes64(db_);
}
std::int64_t Db::total_changes() const {
  return sqlite3_total_changes64(db_);
}

}  // namespace kartei::store
