// The fold as a whole: its digest, and snapshots for newcomers.
#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "crypto/hash.h"
#include "store/box_impl.h"
#include "store/fold.h"
#include "store/fold_tables.h"
#include "store/row_bytes.h"
#include "store/rows.h"
#include "store/undo.h"
#include "store/valid_utf8.h"

namespace kartei::store {

namespace {

constexpr std::string_view kMagic = "kartei fold 1\n";
constexpr char kNotLocal[] = " drawer NOT IN (SELECT id FROM drawers WHERE NOT shared)";

std::string one_of(std::span<const DrawerId> drawers) {
  std::string out = " AND drawer IN (";
  for (DrawerId drawer : drawers) out += "x'" + drawer.text() + "',";
  return out + "NULL)";
}

class Digest {
 public:
  void add(const Query& row) {
    for (int column = 0; column < row.columns(); ++column) put_value(buffer_, row, column);
    if (buffer_.size() > (1 << 16)) flush();
  }
  void flush() {
    hash_ = crypto::hash("kartei fold digest", {hash_, buffer_});
    buffer_.clear();
  }
  Hash32 value() const { return hash_; }

 private:
  Hash32 hash_{};
  Bytes buffer_;
};

Result<Hash32> digest_tables(Db& db) {
  Digest digest;
  for (const FoldTable& table : kFoldTables) {
    Query query = db.query(std::string("SELECT ") + table.digest_columns + " FROM " + table.name +
                           " WHERE" + kNotLocal + " ORDER BY " + table.digest_order);
    while (query.next()) digest.add(query);
    KARTEI_TRY(query.status());
    digest.flush();
  }
  return digest.value();
}

// ---- snapshots: magic, height, then each table's rows, each after a 1, and a 0.

Status dump_table(Db& db, const FoldTable& table, const std::string& where, Bytes& out) {
  Query query = db.query(std::string("SELECT ") + table.columns + " FROM " + table.name + where);
  while (query.next()) {
    out.push_back(1);
    for (int column = 0; column < query.columns(); ++column) put_value(out, query, column);
  }
  KARTEI_TRY(query.status());
  out.push_back(0);
  return {};
}

// Whether a value may stand in a column of that kind.
bool fits(const RowBytes::Value& value, char kind) {
  switch (value.type) {
    case SQLITE_INTEGER:
      return kind == 'i';
    case SQLITE_FLOAT:
      return kind == 'r' && value.real >= 0 && value.real <= 1;
    case SQLITE_NULL:
      return kind == 'd' || kind == 'i';
    case SQLITE_TEXT:
      return kind == 't' && valid_utf8(as_text(value.bytes));
    case SQLITE_BLOB:
      return kind == 'd' ? value.bytes.size() == 16 : kind == 'b' && value.bytes.size() % 16 == 0;
    default:
      return false;
  }
}

Error bad_dump() {
  return corrupt("A snapshot that does not decode");
}

// Which of a table's columns is the drawer.
std::size_t drawer_column(const FoldTable& table) {
  const std::string_view columns = table.columns;
  const std::size_t at = columns.find("drawer");
  return static_cast<std::size_t>(std::count(columns.begin(), columns.begin() + at, ','));
}

// Whose rows are taken: those of `only`, where that is not empty; never those of `local`.
struct Taken {
  std::vector<DrawerId> local;
  std::span<const DrawerId> only;
};

Status load_row(Db& db, const FoldTable& table, const std::string& sql, const Taken& taken,
                RowBytes& in) {
  const std::string_view types = table.types;
  const std::size_t drawer_at = drawer_column(table);
  Query query = db.query(sql);
  TurnId turn;
  bool wanted = true;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const RowBytes::Value value = in.value();
    if (!in.sound() || !fits(value, types[i])) return bad_dump();
    bind_value(query, value);
    if (i == 0) turn = TurnId::from_bytes(value.bytes).value_or(TurnId{});
    if (i != drawer_at) continue;
    // Nobody else may say what lies in this device's own drawers.
    const auto drawer = DrawerId::from_bytes(value.bytes);
    if (!drawer || std::ranges::find(taken.local, *drawer) != taken.local.end()) return bad_dump();
    wanted = taken.only.empty() || std::ranges::find(taken.only, *drawer) != taken.only.end();
  }
  if (!wanted) return {};
  if (&table == &kTurnsTable) {
    KARTEI_ASSIGN(const bool known, db.exists("SELECT 1 FROM turns WHERE id = ?", turn));
    if (known) return {};
  }
  Status inserted = query.run();
  const bool refused = inserted.has_error() && inserted.error().cause == Cause::kInternal;
  return refused ? Status{bad_dump()} : inserted;
}

Status load_table(Db& db, const FoldTable& table, const Taken& taken, RowBytes& in) {
  std::string sql = std::string("INSERT INTO ") + table.name + "(" + table.columns + ") VALUES(?";
  for (std::size_t i = 1; i < std::strlen(table.types); ++i) sql += ",?";
  sql += ")";
  while (in.number(1) == 1) KARTEI_TRY(load_row(db, table, sql, taken, in));
  return in.sound() ? Status{} : Status{bad_dump()};
}

Status load_tables(Db& db, std::uint64_t height, ByteView dump, std::span<const DrawerId> only) {
  Taken taken{{}, only};
  Query query = db.query("SELECT id FROM drawers WHERE NOT shared");
  while (query.next()) taken.local.push_back(query.id<DrawerId>(0));
  KARTEI_TRY(query.status());
  RowBytes in(dump);
  if (as_text(in.take(kMagic.size())) != kMagic || in.number(8) != height) return bad_dump();
  KARTEI_TRY(load_table(db, kTurnsTable, taken, in));
  for (const FoldTable& table : kFoldTables) KARTEI_TRY(load_table(db, table, taken, in));
  return in.sound() && in.at_end() ? Status{} : Status{bad_dump()};
}

}  // namespace

Result<Hash32> Box::digest(bool with_overlay) {
  Db& db = *impl_->db;
  if (with_overlay) return digest_tables(db);
  KARTEI_ASSIGN(const bool overlaid, db.exists("SELECT 1 FROM undo WHERE slot = ?", kOverlaySlot));
  if (!overlaid) return digest_tables(db);
  KARTEI_ASSIGN(Glimpse glimpse, impl_->glimpse());
  KARTEI_TRY(impl_->lift_overlay());
  return digest_tables(db);
}

Result<Bytes> Box::dump_fold(std::uint64_t height, std::span<const DrawerId> may_hold) {
  Db& db = *impl_->db;
  KARTEI_ASSIGN(const std::uint64_t tip, impl_->tip());
  KARTEI_ASSIGN(const std::int64_t forgotten, db.integer("SELECT forgotten FROM ledger", 0));
  if (height > tip || height < static_cast<std::uint64_t>(forgotten)) {
    return Error{Cause::kInternal,
                 "No snapshot of entry " + std::to_string(height) + ": the box knows " +
                     std::to_string(forgotten) + " to " + std::to_string(tip),
                 {}};
  }
  KARTEI_ASSIGN(Glimpse glimpse, impl_->glimpse());
  KARTEI_TRY(impl_->lift_overlay());
  for (std::uint64_t at = tip; at > height; --at) {
    KARTEI_TRY(take_back(db, static_cast<std::int64_t>(at)));
  }
  const std::string where = " WHERE" + std::string(kNotLocal) + one_of(may_hold);
  Bytes out = to_bytes(as_bytes(kMagic));
  put_number(out, height, 8);
  KARTEI_TRY(
      dump_table(db, kTurnsTable, where + " AND id IN (SELECT turn FROM filed) ORDER BY rid", out));
  for (const FoldTable& table : kFoldTables) {
    const bool numbered = std::string_view(table.name) == "cards";
    KARTEI_TRY(dump_table(db, table, where + (numbered ? " ORDER BY rid" : ""), out));
  }
  return out;
}

Status Box::load_fold(std::uint64_t height, ByteView dump, std::span<const DrawerId> only) {
  return impl_->change([&]() -> Status {
    Db& db = *impl_->db;
    KARTEI_TRY(impl_->let_spill(true));
    KARTEI_TRY(impl_->lift_overlay());
    KARTEI_TRY(db.run("DELETE FROM undo"));
    const std::string where =
        " WHERE" + std::string(kNotLocal) + (only.empty() ? "" : one_of(only));
    for (const FoldTable& table : kFoldTables) {
      KARTEI_TRY(db.run(std::string("DELETE FROM ") + table.name + where));
    }
    KARTEI_TRY(load_tables(db, height, dump, only));
    // What was erased while this device was away.
    KARTEI_TRY(
        db.run("DELETE FROM turns WHERE (id, drawer) IN (SELECT id, drawer FROM tombstones WHERE "
               "kind = ?)",
               kTombstoneTurn));
    return db.run("UPDATE ledger SET tip = ?1, forgotten = ?1", height);
  });
}

}  // namespace kartei::store
