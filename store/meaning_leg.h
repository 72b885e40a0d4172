// The leg of meaning: which rows are close to a question, by their vectors. The codes in memory
// name the rows, the int8 copies on disk score them.
//
// One recall, one thread. Failure: without vectors, or when the question cannot be embedded, there
// is no such leg.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "store/meaning/embedder.h"
#include "store/meaning_index.h"
#include "store/sql.h"
#include "store/vectors.h"

namespace kartei::store {

class MeaningLeg {
 public:
  // Null: no leg. Asks the embedder, and scans for so many rows of each kind.
  static std::unique_ptr<MeaningLeg> of(Db& db, std::shared_ptr<const VectorSet> set,
                                        const Embedder* embedder, std::string_view question,
                                        std::size_t rows);

  // The closest rows, closest first.
  std::vector<std::int64_t> closest(RowKind kind) const;
  // How many deviations above the mean of all rows each row is, in their order; 0 for rows that
  // have no vector, and for those below the mean.
  Result<std::vector<double>> closeness(RowKind kind, const std::vector<std::int64_t>& rids) const;

 private:
  MeaningLeg(Db& db, std::shared_ptr<const VectorSet> set, std::vector<float> question,
             std::size_t rows);
  const Codes::Scan& found(RowKind kind) const { return kind == RowKind::kTurn ? turns_ : cards_; }

  Db& db_;
  const std::shared_ptr<const VectorSet> set_;
  const std::vector<float> question_;
  const Codes::Scan turns_, cards_;
  double mean_ = 0, deviation_ = 1;  // of all rows
};

}  // namespace kartei::store
