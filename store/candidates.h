// Which rows are worth scoring: chosen by the lists of words and the codes in memory, before the
// facts of any row (row_facts.h) are looked at.
//
// One recall, one thread. Without a leg of meaning pure.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "store/meaning_leg.h"
#include "store/row_kind.h"
#include "store/weights.h"

namespace kartei::store {

struct Candidate {
  std::int64_t rid = 0;
  double words = 0;    // weights of the words whose lists have it, added up
  double meaning = 0;  // deviations, as nearly as the codes tell
  bool close = false;  // among the closest in meaning
};

// Rows that have a word of the question, or are otherwise of interest, and what that is worth.
struct WeightedRows {
  const std::vector<std::int64_t>* rows = nullptr;
  double weight = 0;
};

struct CandidateBounds {
  std::size_t by_words = 0;  // the best by words alone, beside all that are close in meaning
  std::size_t read = 0;      // of those, the best by both
};

// True: the row is of interest.
using RowFilter = std::function<bool(std::int64_t)>;

// Newest first, each row once. `leg` may be null, and so may `close`, which chooses among the rows
// that are close in meaning.
std::vector<Candidate> choose_candidates(RowKind kind, const std::vector<WeightedRows>& lists,
                                         MeaningLeg* leg, const CandidateBounds& bounds,
                                         const Weights& weights, const RowFilter* close = nullptr);

}  // namespace kartei::store
