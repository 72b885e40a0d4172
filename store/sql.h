// SQLite with owners and errors as values: a connection with its prepared statements, and a query
// in use. For the files of store/ only.
//
// Threads: one at a time a connection. Ownership: Db owns the connection where it opened it and all
// statements; a Query borrows one statement and hands it back, reset, when it goes. Failure: a
// Query remembers its first error; next() is false then and status() tells. Views (`text`, `blob`)
// live until the next call of next() or the end of the Query.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "crypto/bytes.h"
#include "crypto/result.h"
#include "store/ids.h"
#include "store/row_list.h"

struct sqlite3;
struct sqlite3_stmt;

namespace kartei::store {

Error sql_error(sqlite3* db, int code, std::string_view doing);

class Db;

// A prepared statement that the connection keeps.
struct KeptStatement {
  sqlite3_stmt* statement = nullptr;
  bool in_use = false;
};

class Query {
 public:
  Query(Query&& other) noexcept;
  Query& operator=(Query&&) = delete;
  ~Query();

  bool next();  // a row is there
  Status status() const { return code_ == 0 ? Status{} : Status{error()}; }
  Status run();  // to the end, rows ignored

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;
  ByteView blob(int column) const;
  // Zero where the column is null or not of 16 bytes.
  template <class IdType>
  IdType id(int column) const {
    return IdType::from_bytes(blob(column)).value_or(IdType{});
  }
  int type(int column) const;  // SQLITE_INTEGER ...
  int columns() const;

  // Parameters in the order of the question marks.
  void bind(std::int64_t value);
  void bind(std::uint64_t value) { bind(static_cast<std::int64_t>(value)); }
  void bind(int value) { bind(std::int64_t{value}); }
  void bind(std::uint32_t value) { bind(std::int64_t{value}); }
  void bind(bool value) { bind(std::int64_t{value}); }
  void bind(double value);
  void bind(std::string_view value);
  void bind(const std::string& value) { bind(std::string_view(value)); }
  void bind(const char* value) { bind(std::string_view(value)); }
  void bind(ByteView value);
  void bind(const Bytes& value) { bind(ByteView(value)); }
  void bind(std::nullptr_t);
  void bind(const RowList& rows);
  template <class Tag>
  void bind(const Id<Tag>& value) {
    bind_copy(value.view());  // ids are often temporaries
  }

 private:
  friend class Db;
  Query(sqlite3* db, KeptStatement* kept, int code);
  Error error() const;
  void note(int code);
  void bind_copy(ByteView value);

  sqlite3* db_;
  KeptStatement* kept_;  // null: it could not be prepared
  sqlite3_stmt* statement_;
  int code_;          // the first error
  std::string what_;  // SQLite's words for it, kept at once
  int bound_ = 0;
};

class Db {
 public:
  enum class Owner { kOwned, kBorrowed };
  // `holds`: what must outlive the connection.
  explicit Db(sqlite3* db, Owner owner = Owner::kBorrowed, std::shared_ptr<const void> holds = {})
      : db_(db), owner_(owner), holds_(std::move(holds)) {}
  ~Db();
  Db(const Db&) = delete;
  Db& operator=(const Db&) = delete;

  sqlite3* handle() const { return db_; }
  // Prepared once, kept. Values are bound in order; text and blobs must outlive the query.
  template <class... Values>
  Query query(std::string_view sql, const Values&... values) {
    Query query = prepare(sql);
    (query.bind(values), ...);
    return query;
  }
  template <class... Values>
  Status run(std::string_view sql, const Values&... values) {
    return query(sql, values...).run();
  }
  // One integer; `otherwise` where there is no row or null.
  template <class... Values>
  Result<std::int64_t> integer(std::string_view sql, std::int64_t otherwise,
                               const Values&... values) {
    Query query = this->query(sql, values...);
    const std::int64_t value = query.next() && !query.is_null(0) ? query.integer(0) : otherwise;
    KARTEI_TRY(query.status());
    return value;
  }
  template <class... Values>
  Result<bool> exists(std::string_view sql, const Values&... values) {
    Query query = this->query(sql, values...);
    const bool found = query.next();
    KARTEI_TRY(query.status());
    return found;
  }
  // Any number of statements, not kept.
  Status script(const std::string& sql);
  void release_memory();         // its cache of pages
  std::int64_t changes() const;  // rows changed by the last statement
  std::int64_t total_changes() const;

 private:
  Query prepare(std::string_view sql);

  struct TextHasher {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  sqlite3* db_;
  Owner owner_;
  std::shared_ptr<const void> holds_;
  // More than one of a text only where it is used within itself. A deque: addresses stay.
  std::unordered_map<std::string, std::deque<KeptStatement>, TextHasher, std::equal_to<>>
      statements_;
};

}  // namespace kartei::store
