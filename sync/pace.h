// How much may be under way to one peer, and how long to wait for its answer before the same goes
// out again. Both are learnt from how long its answers took: a line of 10 kB/s needs minutes for
// what the local network takes in a moment, and sending it again meanwhile would only add to it.
// A value; no clock, no failure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace kartei::sync {

class Pace {
 public:
  std::size_t window(std::size_t most) const { return std::min(window_, most); }
  std::int64_t patience_ms(std::int64_t least_ms) const {
    const std::int64_t once = std::max(least_ms, 2 * delay_ms_);
    return std::max(once, std::min(once << vain_, kPatienceMaxMs));
  }

  // What was sent `delay_ms` ago has arrived; `full`: more would have gone out at once.
  void answered(std::int64_t delay_ms, bool full) {
    vain_ = 0;
    delay_ms_ = std::min(delay_ms, kPatienceMaxMs / 2);
    if (delay_ms > kSlowMs) {
      window_ = std::max(window_ / 2, kFirst);
    } else if (full && delay_ms < kQuickMs) {
      window_ = std::min(window_ * 2, kMost);
    }
  }
  // Nothing came within the patience.
  void in_vain() {
    vain_ = std::min(vain_ + 1, 5);
    window_ = std::max(window_ / 2, kFirst);
  }

 private:
  static constexpr std::size_t kFirst = 32 << 10, kMost = 16 << 20;
  static constexpr std::int64_t kQuickMs = 1'000, kSlowMs = 4'000, kPatienceMaxMs = 60'000;
  std::size_t window_ = kFirst;
  std::int64_t delay_ms_ = 0;
  int vain_ = 0;
};

}  // namespace kartei::sync
