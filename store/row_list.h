// Numbers of ours as a table of SQLite: `SELECT ... FROM kartei_rows(?) r CROSS JOIN t ON t.rid =
// r.a`, in the order of the list. One statement for many rows costs a fraction of one for each, and
// a list as JSON would be written and read again.
#pragma once

#include <cstdint>
#include <vector>

#include "crypto/result.h"

struct sqlite3;

namespace kartei::store {

// One row: columns a, b and c.
struct ListedRow {
  std::int64_t a = 0, b = 0, c = 0;
};
// Bound to a statement it must outlive the query.
using RowList = std::vector<ListedRow>;
inline constexpr char kRowListType[] = "kartei_rows";

// Once on each new connection.
Status prepare_row_list(sqlite3* db);

}  // namespace kartei::store
