// Reads what ranking has to know of rows from the index's tables: for the writer, who keeps it in
// memory, and for a question that meets rows which are not there.
//
// One thread, one connection at a time. Failure: that of the disk.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "crypto/result.h"
#include "store/row_facts.h"
#include "store/sql.h"

namespace kartei::store {

class FactReading {
 public:
  // Those of the rows that are there, in their order.
  Result<std::vector<FactRows::Change>> rows(Db& db, RowKind kind,
                                             const std::vector<std::int64_t>& rids);
  // The first ones behind `rid`.
  Result<std::vector<FactRows::Change>> behind(Db& db, RowKind kind, std::int64_t rid,
                                               std::size_t rows_most);
  // To which the cards that were read point; grows.
  std::shared_ptr<const FactDrawers> drawers() const { return drawers_; }

 private:
  Result<std::vector<FactRows::Change>> read(RowKind kind, Query query);
  std::size_t place_of(DrawerId drawer);

  std::shared_ptr<const FactDrawers> drawers_ = std::make_shared<const FactDrawers>();
  std::map<DrawerId, std::size_t> places_;
};

}  // namespace kartei::store
