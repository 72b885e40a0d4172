#include "store/row_list.h"

#include <sqlite3.h>

#include <new>

#include "store/sql.h"

namespace kartei::store {

namespace {

constexpr int kListColumn = 3;  // hidden: the list itself

struct ListCursor {
  sqlite3_vtab_cursor base;  // first: SQLite knows only this
  const RowList* list;
  std::size_t at;
};

ListCursor* list_cursor(sqlite3_vtab_cursor* cursor) {
  return reinterpret_cast<ListCursor*>(cursor);
}

int list_connect(sqlite3* db, void*, int, const char* const*, sqlite3_vtab** table, char**) {
  const int code = sqlite3_declare_vtab(db, "CREATE TABLE x(a INT, b INT, c INT, list HIDDEN)");
  if (code != SQLITE_OK) return code;
  *table = new (std::nothrow) sqlite3_vtab{};
  return *table == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int list_disconnect(sqlite3_vtab* table) {
  delete table;
  return SQLITE_OK;
}

// Of use with a list only.
int list_best_index(sqlite3_vtab*, sqlite3_index_info* info) {
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.iColumn != kListColumn || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (constraint.usable == 0) return SQLITE_CONSTRAINT;
    info->aConstraintUsage[i].argvIndex = 1;
    info->aConstraintUsage[i].omit = 1;
    info->estimatedCost = 1;
    info->estimatedRows = 64;
    return SQLITE_OK;
  }
  return SQLITE_CONSTRAINT;
}

int list_open(sqlite3_vtab*, sqlite3_vtab_cursor** cursor) {
  auto* made = new (std::nothrow) ListCursor{};
  if (made == nullptr) return SQLITE_NOMEM;
  *cursor = &made->base;
  return SQLITE_OK;
}

int list_close(sqlite3_vtab_cursor* cursor) {
  delete list_cursor(cursor);
  return SQLITE_OK;
}

int list_filter(sqlite3_vtab_cursor* cursor, int, const char*, int, sqlite3_value** values) {
  list_cursor(cursor)->list =
      static_cast<const RowList*>(sqlite3_value_pointer(values[0], kRowListType));
  list_cursor(cursor)->at = 0;
  return SQLITE_OK;
}

int list_next(sqlite3_vtab_cursor* cursor) {
  ++list_cursor(cursor)->at;
  return SQLITE_OK;
}

int list_eof(sqlite3_vtab_cursor* cursor) {
  const ListCursor* here = list_cursor(cursor);
  return here->list == nullptr || here->at >= here->list->size() ? 1 : 0;
}

int list_column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
  const ListCursor* here = list_cursor(cursor);
  const ListedRow& row = (*here->list)[here->at];
  if (column < kListColumn)
    sqlite3_result_int64(context, column == 0 ? row.a : column == 1 ? row.b : row.c);
  return SQLITE_OK;
}

int list_rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* rowid) {
  *rowid = static_cast<sqlite3_int64>(list_cursor(cursor)->at);
  return SQLITE_OK;
}

// Without xCreate it is there without having been created.
const sqlite3_module kListModule = [] {
  sqlite3_module module{};
  module.xConnect = list_connect;
  module.xDisconnect = list_disconnect;
  module.xBestIndex = list_best_index;
  module.xOpen = list_open;
  module.xClose = list_close;
  module.xFilter = list_filter;
  module.xNext = list_next;
  module.xEof = list_eof;
  module.xColumn = list_column;
  module.xRowid = list_rowid;
  return module;
}();

}  // namespace

Status prepare_row_list(sqlite3* db) {
  const int code = sqlite3_create_module_v2(db, kRowListType, &kListModule, nullptr, nullptr);
  return code == SQLITE_OK ? Status{} : Status{sql_error(db, code, "prepare lists of rows")};
}

}  // namespace kartei::store
