// All tables of one database into another that is empty, and a digest of all that stands in one.
// For encrypting a box, where both must be the same to the last byte, and for salvaging what of a
// damaged one can be read.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "store/sql.h"

namespace kartei::store {

struct TableShape {
  std::string name;
  int columns = 0;  // with the row's number, where it is none of them
  bool has_rowid = false;
  std::string select, insert;  // all of them; in the order of the rows' numbers or keys
  // For what cannot be read from end to end. By number: the rows from one on, the number after the
  // columns. By key: from the other end.
  std::string select_from, select_backwards;
};
Result<std::vector<TableShape>> table_shapes(Db& db);
Result<std::uint64_t> count_rows(Db& db, const std::vector<TableShape>& tables);

using TellRow = std::function<void()>;
// Tables and their rows, committed now and then; then indexes and triggers, and the two numbers of
// the header. The target has no table. Its word index functions must be there.
Status copy_database(Db& from, Db& to, const TellRow& tell);
Result<Hash32> digest_database(Db& db, const TellRow& tell);

// The parts of copy_database(), for salvaging.
Status copy_schema(Db& from, Db& to, bool tables);  // else all but the tables
Status copy_header(Db& from, Db& to);
// Copies one row; `query` stands on it.
Status copy_row(Query& query, const TableShape& table, Db& to);

}  // namespace kartei::store
