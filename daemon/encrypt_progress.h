// How far a box that an older Kartei made is on its way to an encrypted one: the writer has no time
// for anything else meanwhile, so whoever waits for it is told. Threads: any.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace kartei::daemon {

class EncryptProgress {
 public:
  struct Step {
    std::string box;
    unsigned percent = 0;
  };
  void set(std::optional<Step> step) {
    std::lock_guard lock(mutex_);
    step_ = std::move(step);
  }
  std::optional<Step> now() const {
    std::lock_guard lock(mutex_);
    return step_;
  }

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::optional<Step> step_;
};

}  // namespace kartei::daemon
