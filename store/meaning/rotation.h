// A fixed random rotation: signs and fast Hadamard transforms. It spreads a vector evenly over its
// coordinates, which then look like independent normal variables, whatever model made the vector.
//
// Constant after construction: any thread. The seed belongs to the format of the codes, and each
// operation is rounded in a fixed order: the same bits on every machine.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kartei::store {

class Rotation {
 public:
  explicit Rotation(std::size_t dims);  // at least 1
  std::size_t dims() const { return dims_; }
  void apply(std::span<float> vector) const;  // dims() floats, in place

 private:
  std::size_t dims_;
  std::size_t window_;        // the largest power of two that is not above dims
  std::vector<float> signs_;  // window_ for each round
};

}  // namespace kartei::store
