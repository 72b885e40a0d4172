// The leg of meaning: which rows are close to a question, by their vectors. The codes in memory
// name the rows and nearly score them, the int8 copies on disk score the best of them exactly.
//
// One recall, one thread; a helper may share the scan, which goes on until something is asked.
// Failure: without vectors, or when the question cannot be embedded, there is no such leg.
#pragma once

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "store/meaning/embedder.h"
#include "store/meaning/helper_thread.h"
#include "store/meaning_index.h"
#include "store/sql.h"
#include "store/vectors.h"

namespace kartei::store {

class MeaningLeg {
 public:
  // Null: no leg. Asks the embedder, and begins to scan for so many rows of each kind. `helper` may
  // be null.
  static std::unique_ptr<MeaningLeg> of(Db& db, std::shared_ptr<const VectorSet> set,
                                        const Embedder* embedder, std::string_view question,
                                        std::size_t rows, HelperThread* helper);
  ~MeaningLeg();

  struct Near {
    std::int64_t rid = 0;
    double deviations = 0;
  };
  // The closest rows, closest first.
  std::vector<Near> closest(RowKind kind);
  // How many deviations above the mean of all rows each row is, in their order; 0 for rows that
  // have no vector, and for those below the mean. By the codes, without the disk; and by the copies
  // on it.
  std::vector<double> nearly(RowKind kind, const std::vector<std::int64_t>& rids);
  Result<std::vector<double>> closeness(RowKind kind, const std::vector<std::int64_t>& rids);

 private:
  MeaningLeg(Db& db, std::shared_ptr<const VectorSet> set, std::vector<float> question,
             std::size_t rows, HelperThread* helper);
  // The scan's end.
  void finish();
  double deviations(double score) const { return std::max(0.0, (score - mean_) / deviation_); }

  Db& db_;
  const std::shared_ptr<const VectorSet> set_;
  const std::vector<float> question_;
  const QueryTables tables_;
  HelperThread* helper_;                         // null: none
  std::unique_ptr<Codes::SharedScan> scans_[2];  // by kind; null once finished
  Codes::Scan found_[2];
  double mean_ = 0, deviation_ = 1;  // of all rows
};

}  // namespace kartei::store
