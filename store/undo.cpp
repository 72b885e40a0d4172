#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include "store/undo.h"

#include <sqlite3.h>

#include <utility>

#include "store/fold_tables.h"
#include "store/rows.h"

namespace kartei::store {

namespace {

// A loose record is older than the removal of a drawer: what does not fit any more is left out.
int on_conflict(void* context, int kind, sqlite3_changeset_iter*) {
  const bool loose = *static_cast<bool*>(context);
  if (!loose || kind == SQLITE_CHANGESET_CONSTRAINT) return SQLITE_CHANGESET_ABORT;
  return SQLITE_CHANGESET_OMIT;
}

Status delete_drawer_rows(Db& db, DrawerId drawer) {
  for (const FoldTable& table : kFoldTables) {
    KARTEI_TRY(db.run(std::string("DELETE FROM ") + table.name + " WHERE drawer = ?", drawer));
  }
  return db.run("DELETE FROM turns WHERE drawer = ?", drawer);
}

}  // namespace

Result<UndoRecorder> UndoRecorder::start(Db& db) {
  sqlite3_session* session = nullptr;
  int code = sqlite3session_create(db.handle(), "main", &session);
  UndoRecorder recorder(&db, session);
  if (code != SQLITE_OK) return sql_error(db.handle(), code, "undo record");
  for (const FoldTable& table : kFoldTables) {
    code = sqlite3session_attach(session, table.name);
    if (code != SQLITE_OK) return sql_error(db.handle(), code, "undo record");
  }
  code = sqlite3session_attach(session, "turns");  // an erased turn comes back with the branch
  if (code != SQLITE_OK) return sql_error(db.handle(), code, "undo record");
  return recorder;
}

UndoRecorder::UndoRecorder(UndoRecorder&& other) noexcept
    : db_(other.db_), session_(std::exchange(other.session_, nullptr)) {}

UndoRecorder::~UndoRecorder() {
  if (session_ != nullptr) sqlite3session_delete(session_);
}

Status UndoRecorder::store(std::int64_t slot) {
  int size = 0;
  void* changeset = nullptr;
  int code = sqlite3session_changeset(session_, &size, &changeset);
  int inverse_size = 0;
  void* inverse = nullptr;
  if (code == SQLITE_OK) {
    code = sqlite3changeset_invert(size, changeset, &inverse_size, &inverse);
  }
  sqlite3_free(changeset);
  if (code != SQLITE_OK) return sql_error(db_->handle(), code, "undo record");
  const ByteView bytes(static_cast<const std::uint8_t*>(inverse),
                       static_cast<std::size_t>(inverse_size));
  Status stored = db_->run("INSERT INTO undo VALUES(?, x'', ?)", slot, bytes);
  sqlite3_free(inverse);
  return stored;
}

Status take_back(Db& db, std::int64_t slot) {
  Bytes changeset;
  std::vector<DrawerId> without;
  {
    Query query = db.query("SELECT changeset, without FROM undo WHERE slot = ?", slot);
    if (!query.next()) return query.status();
    changeset = to_bytes(query.blob(0));
    without = split_ids<DrawerId>(query.blob(1));
  }
  bool loose = !without.empty();
  if (!changeset.empty()) {
    const int code = sqlite3changeset_apply(db.handle(), static_cast<int>(changeset.size()),
                                            changeset.data(), nullptr, on_conflict, &loose);
    if (code == SQLITE_ABORT) {
      return corrupt("The undo record of entry " + std::to_string(slot) +
                     " does not fit the box; run `kartei doctor`");
    }
    if (code != SQLITE_OK) return sql_error(db.handle(), code, "undo");
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
