// What turns texts into vectors of meaning: the table that ships with Kartei, or an endpoint of the
// owner's. Two texts are as close as the dot product of their vectors.
//
// Any thread. Vectors of two models never compare: the model's name is stored beside them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/result.h"

namespace kartei::store {

class Embedder {
 public:
  virtual ~Embedder();
  virtual const std::string& model() const = 0;
  virtual std::size_t dims() const = 0;
  // texts.size() * dims() floats, one text behind the other; each of unit length, or all zero where
  // the text means nothing to the model. May block: at most as long as the embedder was told.
  virtual Result<std::vector<float>> embed(const std::vector<std::string_view>& texts) const = 0;
};

}  // namespace kartei::store
