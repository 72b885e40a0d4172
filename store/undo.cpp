#include "store/undo.h"

#include <sqlite3.h>

#include <cstring>

#include "store/fold_tables.h"
#include "store/row_bytes.h"
#include "store/rows.h"

namespace kartei::store {

namespace {

// A change in the log: table, what was done, then
//   insert: the key;  delete: the whole row;  update: the key, which columns (8 bytes), their
//   values.
constexpr std::uint8_t kInserted = 1, kDeleted = 2, kUpdated = 3;

// Turns stand where they stood before later tables came: a record may be older than these.
constexpr std::size_t kUndoTables = kFoldTables.size() + 1, kTurnsAt = 11;
const FoldTable& table_at(std::size_t index) {
  if (index == kTurnsAt) return kTurnsTable;
  return kFoldTables[index < kTurnsAt ? index : index - 1];
}
int columns_of(const FoldTable& table) {
  return static_cast<int>(std::strlen(table.types)) + (table.rid ? 1 : 0);
}

// Names as the table has them, `rid` included.
std::vector<std::string> names_of(const FoldTable& table) {
  std::vector<std::string> names;
  if (table.rid) names.emplace_back("rid");
  std::string_view rest = table.columns;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(", "), rest.size());
    names.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  return names;
}

std::string where_key(const FoldTable& table) {
  const std::vector<std::string> names = names_of(table);
  std::string where = " WHERE " + names[0] + " = ?";
  if (table.key_columns == 2) where += " AND " + names[1] + " = ?";
  return where;
}

struct Change {
  std::size_t table = 0;
  std::uint8_t done = 0;
  std::uint64_t columns = 0;  // kUpdated: which
  std::vector<RowBytes::Value> key, values;
};

Change read_change(RowBytes& log) {
  Change change;
  change.table = log.number(1);
  change.done = static_cast<std::uint8_t>(log.number(1));
  if (change.table >= kUndoTables) log.fail();
  if (!log.sound()) return change;
  const FoldTable& table = table_at(change.table);
  if (change.done != kDeleted) {
    for (int i = 0; i < table.key_columns; ++i) change.key.push_back(log.value());
  }
  if (change.done == kUpdated) change.columns = log.number(8);
  const int columns = columns_of(table);
  for (int i = 0; i < columns; ++i) {
    const bool there = change.done == kDeleted || (change.columns >> i & 1) != 0;
    if (there) change.values.push_back(log.value());
  }
  return change;
}

std::string inverse_of(const Change& change) {
  const FoldTable& table = table_at(change.table);
  if (change.done == kInserted) return std::string("DELETE FROM ") + table.name + where_key(table);
  if (change.done == kDeleted) {
    std::string sql = std::string("INSERT INTO ") + table.name + " VALUES(?";
    for (int i = 1; i < columns_of(table); ++i) sql += ",?";
    return sql + ")";
  }
  const std::vector<std::string> names = names_of(table);
  std::string sql = std::string("UPDATE ") + table.name + " SET ";
  const char* comma = "";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if ((change.columns >> i & 1) == 0) continue;
    sql += comma + names[i] + " = ?";
    comma = ", ";
  }
  return sql + where_key(table);
}

Error does_not_fit(std::int64_t slot) {
  return corrupt("The undo record of entry " + std::to_string(slot) +
                 " does not fit the box; run `kartei doctor`");
}

// A loose record is older than the removal of a drawer: what does not fit any more is left out.
Status take_back_change(Db& db, std::int64_t slot, const Change& change, bool loose) {
  const std::string sql = inverse_of(change);
  Query query = db.query(sql);
  for (const auto& value : change.values) bind_value(query, value);
  for (const auto& value : change.key) bind_value(query, value);
  Status done = query.run();
  if (done.has_error()) {
    if (done.error().cause != Cause::kInternal) return done;
    return loose ? Status{} : Status{does_not_fit(slot)};
  }
  return loose || db.changes() == 1 ? Status{} : Status{does_not_fit(slot)};
}

Status delete_drawer_rows(Db& db, DrawerId drawer) {
  for (const FoldTable& table : kFoldTables) {
    KARTEI_TRY(db.run(std::string("DELETE FROM ") + table.name + " WHERE drawer = ?", drawer));
  }
  return db.run("DELETE FROM turns WHERE drawer = ?", drawer);
}

}  // namespace

UndoRecorder::UndoRecorder(Db& db) : db_(db) {
  sqlite3_preupdate_hook(
      db.handle(),
      [](void* self, sqlite3* handle, int operation, const char* database, const char* table,
         sqlite3_int64 before, sqlite3_int64 after) {
        on_change(self, handle, operation, database, table, before, after);
      },
      this);
}

UndoRecorder::~UndoRecorder() {
  sqlite3_preupdate_hook(db_.handle(), nullptr, nullptr);
}

void UndoRecorder::on_change(void* self, sqlite3* db, int operation, const char*, const char* name,
                             std::int64_t, std::int64_t) {
  std::size_t index = 0;
  while (index < kUndoTables && std::strcmp(table_at(index).name, name) != 0) ++index;
  if (index == kUndoTables) return;  // an index's table: its triggers see to it
  const FoldTable& table = table_at(index);
  Bytes& log = static_cast<UndoRecorder*>(self)->log_;
  log.push_back(static_cast<std::uint8_t>(index));
  log.push_back(operation == SQLITE_INSERT   ? kInserted
                : operation == SQLITE_DELETE ? kDeleted
                                             : kUpdated);
  sqlite3_value *before = nullptr, *after = nullptr;
  if (operation != SQLITE_DELETE) {
    for (int i = 0; i < table.key_columns; ++i) {
      sqlite3_preupdate_new(db, i, &after);
      put_value(log, after);
    }
  }
  if (operation == SQLITE_INSERT) return;
  const int columns = columns_of(table);
  const std::size_t mask_at = log.size();
  std::uint64_t mask = 0;
  if (operation == SQLITE_UPDATE) put_number(log, 0, 8);
  for (int i = 0; i < columns; ++i) {
    sqlite3_preupdate_old(db, i, &before);
    const std::size_t value_at = log.size();
    put_value(log, before);
    if (operation != SQLITE_UPDATE) continue;
    sqlite3_preupdate_new(db, i, &after);
    Bytes other;
    put_value(other, after);
    const bool same =
        other.size() == log.size() - value_at &&
        std::equal(other.begin(), other.end(), log.begin() + static_cast<std::ptrdiff_t>(value_at));
    if (same) {
      log.resize(value_at);
    } else {
      mask |= std::uint64_t{1} << i;
    }
  }
  if (operation != SQLITE_UPDATE) return;
  for (std::size_t i = 0; i < 8; ++i) {
    log[mask_at + i] = static_cast<std::uint8_t>(mask >> (8 * i));
  }
}

Status UndoRecorder::store(std::int64_t slot) {
  return db_.run("INSERT INTO undo VALUES(?, x'', ?)", slot, log_);
}

Status take_back(Db& db, std::int64_t slot) {
  Bytes bytes;
  std::vector<DrawerId> without;
  {
    Query query = db.query("SELECT changes, without FROM undo WHERE slot = ?", slot);
    if (!query.next()) return query.status();
    bytes = to_bytes(query.blob(0));
    without = split_ids<DrawerId>(query.blob(1));
  }
  std::vector<std::size_t> starts;
  for (RowBytes log(bytes); !log.at_end();) {
    starts.push_back(bytes.size() - log.left());
    read_change(log);
    if (!log.sound()) return does_not_fit(slot);
  }
  for (std::size_t i = starts.size(); i > 0; --i) {
    RowBytes log(ByteView(bytes).subspan(starts[i - 1]));
    const Change change = read_change(log);
    if (change.done == kUpdated && change.columns == 0) continue;
    KARTEI_TRY(take_back_change(db, slot, change, !without.empty()));
  }
  for (DrawerId drawer : without) KARTEI_TRY(delete_drawer_rows(db, drawer));
  return db.run("DELETE FROM undo WHERE slot = ?", slot);
}

Status drop_drawer(Db& db, DrawerId drawer) {
  KARTEI_TRY(delete_drawer_rows(db, drawer));
  std::vector<std::pair<std::int64_t, Bytes>> records;
  Query query = db.query("SELECT slot, without FROM undo");
  while (query.next()) records.emplace_back(query.integer(0), to_bytes(query.blob(1)));
  KARTEI_TRY(query.status());
  for (auto& [slot, without] : records) {
    without.insert(without.end(), drawer.bytes.begin(), drawer.bytes.end());
    KARTEI_TRY(db.run("UPDATE undo SET without = ? WHERE slot = ?", without, slot));
  }
  return {};
}

}  // namespace kartei::store
