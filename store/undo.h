// Undo records: what a fold did to its tables, inverted, by SQLite's session extension. Taking one
// back restores every row exactly, and fires the indexes' triggers.
#pragma once

#include "store/sql.h"

struct sqlite3_session;

namespace kartei::store {

inline constexpr std::int64_t kOverlaySlot = -1;  // others are heights

// Watches the fold's tables from its making until it goes.
class UndoRecorder {
 public:
  static Result<UndoRecorder> start(Db& db);
  UndoRecorder(UndoRecorder&& other) noexcept;
  ~UndoRecorder();
  // Stores what happened since the start under `slot`.
  Status store(std::int64_t slot);

 private:
  UndoRecorder(Db* db, sqlite3_session* session) : db_(db), session_(session) {}
  Db* db_;
  sqlite3_session* session_;
};

// Applies and removes the record. Empty where there is none: then nothing happened.
Status take_back(Db& db, std::int64_t slot);
// All rows of a drawer; records that stand will leave it out when they are taken back.
Status drop_drawer(Db& db, DrawerId drawer);

}  // namespace kartei::store
