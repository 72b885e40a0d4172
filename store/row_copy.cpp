#include "store/row_copy.h"

#include <sqlite3.h>

#include <algorithm>

#include "crypto/hash.h"

namespace kartei::store {

namespace {

constexpr std::uint64_t kRowsACommit = 20'000;
constexpr char kSequences[] = "sqlite_sequence";  // made by SQLite with the first table that asks

std::string quoted(const std::string& name) {
  return '"' + name + '"';
}

Result<std::string> backwards(Db& db, const TableShape& shape) {
  std::string order;
  Query query =
      db.query("SELECT name FROM pragma_table_info(?) WHERE pk <> 0 ORDER BY pk", shape.name);
  while (query.next())
    order += (order.empty() ? "" : ",") + quoted(std::string(query.text(0))) + " DESC";
  KARTEI_TRY(query.status());
  return shape.select + " ORDER BY " + order;
}

// Where one of the columns is the row's number itself, that number comes along with it.
Result<TableShape> shape_of(Db& db, const std::string& name, bool has_rowid) {
  TableShape shape;
  shape.name = name;
  shape.has_rowid = has_rowid;
  std::string columns, marks;
  const auto add = [&](const std::string& column) {
    columns += (shape.columns == 0 ? "" : ",") + column;
    marks += shape.columns++ == 0 ? "?" : ",?";
  };
  KARTEI_ASSIGN(const std::int64_t keys,
                db.integer("SELECT count(*) FROM pragma_table_info(?) WHERE pk <> 0", 0, name));
  KARTEI_ASSIGN(
      const bool integer,
      db.exists("SELECT 1 FROM pragma_table_info(?) WHERE pk = 1 AND type = 'INTEGER'", name));
  if (has_rowid && !(integer && keys == 1)) add("rowid");
  Query query = db.query("SELECT name FROM pragma_table_info(?) ORDER BY cid", name);
  while (query.next()) add(quoted(std::string(query.text(0))));
  KARTEI_TRY(query.status());
  shape.select = "SELECT " + columns + " FROM " + quoted(name);
  if (has_rowid) {
    shape.select += " ORDER BY rowid";
    shape.select_from =
        "SELECT " + columns + ",rowid FROM " + quoted(name) + " WHERE rowid >= ? ORDER BY rowid";
  } else {
    KARTEI_ASSIGN(shape.select_backwards, backwards(db, shape));
  }
  shape.insert = "INSERT INTO " + quoted(name) + "(" + columns + ") VALUES(" + marks + ")";
  return shape;
}

void add_value(Bytes& row, const Query& query, int column) {
  const int type = query.type(column);
  row.push_back(static_cast<std::uint8_t>(type));
  ByteView bytes;
  std::int64_t number = 0;
  double real = 0;
  if (type == SQLITE_INTEGER) {
    number = query.integer(column);
    bytes = {reinterpret_cast<const std::uint8_t*>(&number), sizeof number};
  } else if (type == SQLITE_FLOAT) {
    real = query.real(column);
    bytes = {reinterpret_cast<const std::uint8_t*>(&real), sizeof real};
  } else if (type == SQLITE_TEXT) {
    bytes = as_bytes(query.text(column));
  } else if (type == SQLITE_BLOB) {
    bytes = query.blob(column);
  }
  const std::uint64_t size = bytes.size();
  const auto* size_bytes = reinterpret_cast<const std::uint8_t*>(&size);
  row.insert(row.end(), size_bytes, size_bytes + sizeof size);
  row.insert(row.end(), bytes.begin(), bytes.end());
}

Status digest_rows(Query query, int columns, Hash32& digest, const TellRow& tell) {
  Bytes row;
  while (query.next()) {
    row.clear();
    for (int i = 0; i < columns; ++i) add_value(row, query, i);
    digest = crypto::hash("kartei row", {digest, row});
    if (tell) tell();
  }
  return query.status();
}

// Commits now and then, so that the log stays small.
class Batches {
 public:
  explicit Batches(Db& db) : db_(db) {}
  ~Batches() {
    if (open_) sqlite3_exec(db_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;
  Status one_more() {
    if (!open_) KARTEI_TRY(db_.run("BEGIN"));
    open_ = true;
    return ++rows_ % kRowsACommit == 0 ? finish() : Status{};
  }
  Status finish() {
    if (!open_) return {};
    KARTEI_TRY(db_.run("COMMIT"));
    open_ = false;
    return {};
  }

 private:
  Db& db_;
  std::uint64_t rows_ = 0;
  bool open_ = false;
};

}  // namespace

Result<std::vector<TableShape>> table_shapes(Db& db) {
  std::vector<std::pair<std::string, bool>> names;
  {
    Query query = db.query(
        "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND (name "
        "NOT LIKE 'sqlite_%' OR name = ?) ORDER BY name",
        kSequences);
    while (query.next()) names.emplace_back(std::string(query.text(0)), query.integer(1) == 0);
    KARTEI_TRY(query.status());
  }
  std::vector<TableShape> shapes;
  for (const auto& [name, has_rowid] : names) {
    KARTEI_ASSIGN(TableShape shape, shape_of(db, name, has_rowid));
    shapes.push_back(std::move(shape));
  }
  // After the tables whose insertions change it.
  std::stable_partition(shapes.begin(), shapes.end(),
                        [](const TableShape& shape) { return shape.name != kSequences; });
  return shapes;
}

Result<std::uint64_t> count_rows(Db& db, const std::vector<TableShape>& tables) {
  std::uint64_t all = 0;
  for (const TableShape& table : tables) {
    KARTEI_ASSIGN(const std::int64_t rows,
                  db.integer("SELECT count(*) FROM " + quoted(table.name), 0));
    all += static_cast<std::uint64_t>(rows);
  }
  return all;
}

Status copy_schema(Db& from, Db& to, bool tables) {
  Query query = from.query(
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND (type "
      "= 'table') = ? ORDER BY rowid",
      tables);
  while (query.next()) KARTEI_TRY(to.script(std::string(query.text(0))));
  return query.status();
}

Status copy_header(Db& from, Db& to) {
  for (const char* name : {"application_id", "user_version"}) {
    KARTEI_ASSIGN(const std::int64_t value, from.integer(std::string("PRAGMA ") + name, 0));
    KARTEI_TRY(to.script(std::string("PRAGMA ") + name + " = " + std::to_string(value)));
  }
  return {};
}

Status copy_row(Query& query, const TableShape& table, Db& to) {
  Query insert = to.query(table.insert);
  for (int i = 0; i < table.columns; ++i) {
    switch (query.type(i)) {
      case SQLITE_INTEGER:
        insert.bind(query.integer(i));
        break;
      case SQLITE_FLOAT:
        insert.bind(query.real(i));
        break;
      case SQLITE_TEXT:
        insert.bind(query.text(i));
        break;
      case SQLITE_BLOB:
        insert.bind(query.blob(i));
        break;
      default:
        insert.bind(nullptr);
    }
  }
  return insert.run();
}

Status copy_database(Db& from, Db& to, const TellRow& tell) {
  KARTEI_TRY(copy_schema(from, to, true));
  KARTEI_ASSIGN(const auto tables, table_shapes(from));
  for (const TableShape& table : tables) {
    if (table.name == kSequences) KARTEI_TRY(to.run("DELETE FROM sqlite_sequence"));
    Batches batches(to);
    Query query = from.query(table.select);
    while (query.next()) {
      KARTEI_TRY(batches.one_more());
      KARTEI_TRY(copy_row(query, table, to));
      if (tell) tell();
    }
    KARTEI_TRY(query.status());
    KARTEI_TRY(batches.finish());
  }
  KARTEI_TRY(copy_schema(from, to, false));
  return copy_header(from, to);
}

Result<Hash32> digest_database(Db& db, const TellRow& tell) {
  Hash32 digest{};
  KARTEI_TRY(digest_rows(db.query("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY "
                                  "type, name"),
                         4, digest, {}));
  for (const char* name : {"PRAGMA application_id", "PRAGMA user_version"})
    KARTEI_TRY(digest_rows(db.query(name), 1, digest, {}));
  KARTEI_ASSIGN(const auto tables, table_shapes(db));
  for (const TableShape& table : tables)
    KARTEI_TRY(digest_rows(db.query(table.select), table.columns, digest, tell));
  return digest;
}

}  // namespace kartei::store
