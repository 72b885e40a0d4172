// Undo records: the rows of the fold's tables as they were before a fold changed them, in the order
// of the changes. Taking one back goes through it from its end, restores every row exactly, and
// fires the indexes' triggers. (SQLite's session extension could do this too; it costs 0.65 ms an
// entry, whatever the entry does, for which this takes a few microseconds.)
#pragma once

#include "store/sql.h"

struct sqlite3_value;

namespace kartei::store {

inline constexpr std::int64_t kOverlaySlot = -1;  // others are heights

// Watches the fold's tables as long as it lives. One at a time a connection.
class UndoRecorder {
 public:
  explicit UndoRecorder(Db& db);
  ~UndoRecorder();
  UndoRecorder(const UndoRecorder&) = delete;
  UndoRecorder& operator=(const UndoRecorder&) = delete;
  // Stores what happened so far under `slot`.
  Status store(std::int64_t slot);

 private:
  static void on_change(void* self, sqlite3* db, int operation, const char* database,
                        const char* table, std::int64_t rid_before, std::int64_t rid_after);
  Db& db_;
  Bytes log_;
};

// Applies and removes the record. Empty where there is none: then nothing happened.
Status take_back(Db& db, std::int64_t slot);
// All rows of a drawer; records that stand will leave it out when they are taken back.
Status drop_drawer(Db& db, DrawerId drawer);

}  // namespace kartei::store
