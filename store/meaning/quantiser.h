// Vectors to codes of 2 bits a coordinate, and questions to the tables that score them (TurboQuant,
// arXiv 2504.19874, with a codebook of the plane in place of one of the line).
//
// Constant after construction: any thread. The same bits on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "store/meaning/code_sums.h"
#include "store/meaning/rotation.h"

namespace kartei::store {

// A vector's score is (bias + step * sum of its table entries) * its scale.
struct QueryTables {
  std::vector<CodeTable> tables;  // one for each byte of a code
  float step = 0, bias = 0;
};

class Quantiser {
 public:
  static constexpr std::size_t kMaxDims = 4096;

  explicit Quantiser(std::size_t dims);  // 1 .. kMaxDims
  std::size_t dims() const { return rotation_.dims(); }
  std::size_t code_bytes() const { return code_bytes_; }

  // Fills `code` (code_bytes()); returns the scale: 0 for a vector that is zero or not finite,
  // which scores 0. 16,384 is that of a code as long as most; from 4 times that on it is cut.
  std::uint16_t encode(std::span<const float> vector, std::span<std::uint8_t> code) const;
  // With a query that is zero or not finite all scores are 0.
  QueryTables tables(std::span<const float> query) const;

 private:
  // The unit vector, rotated and padded with zeros to whole bytes; all zero where there is none.
  std::vector<float> rotated(std::span<const float> vector) const;

  Rotation rotation_;
  std::size_t code_bytes_;
};

}  // namespace kartei::store
