// The vectors of a box in memory: what the librarians scan for what is close to a question. The
// writer appends (vectors.h), readers scan at the same time.
//
// Any thread. Shared by the box and its librarians: a set that was replaced lives on until the last
// recall that scans it has ended.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "store/meaning/codes.h"

namespace kartei::store {

// All vectors that one model made.
struct VectorSet {
  VectorSet(std::int64_t the_id, std::string the_model, std::size_t the_dims)
      : id(the_id), model(std::move(the_model)), dims(the_dims), turns(the_dims), cards(the_dims) {}
  const std::int64_t id;
  const std::string model;
  const std::size_t dims;
  Codes turns, cards;  // by row number
};

class MeaningIndex {
 public:
  // The set that answers; null: none, or not loaded yet.
  std::shared_ptr<const VectorSet> current() const {
    std::lock_guard lock(mutex_);
    return current_;
  }
  void use(std::shared_ptr<const VectorSet> set) {
    std::lock_guard lock(mutex_);
    current_ = std::move(set);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const VectorSet> current_;  // guarded by mutex_
};

}  // namespace kartei::store
