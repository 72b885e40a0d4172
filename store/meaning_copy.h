// What the box keeps of a row's vectors: the exact copy of the first, and codes of its sentences'
// (a quarter of the size; the closest sentence counts, to a few hundredths).
//
// Pure functions: any thread. Bytes that are no such copy give no value.
#pragma once

#include <optional>
#include <span>

#include "crypto/bytes.h"
#include "store/meaning/quantiser.h"

namespace kartei::store {

// Of the first vector and the sentences', dims floats each, one behind the other.
Bytes row_copy(const Quantiser& quantiser, std::span<const float> vectors);
// The exact copy within.
ByteView exact_part(ByteView copy, std::size_t dims);

struct RowCloseness {
  double whole = 0;     // cosine
  double sentence = 0;  // of the closest sentence; of the whole where there are none
};

// A question, ready to be compared with many rows.
class QuestionVector {
 public:
  explicit QuestionVector(std::vector<float> vector);
  std::span<const float> vector() const { return vector_; }
  std::optional<RowCloseness> closeness(ByteView copy) const;

 private:
  const std::vector<float> vector_;
  const Quantiser quantiser_;
  const QueryTables tables_;
};

}  // namespace kartei::store
