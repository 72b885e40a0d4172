// Whether somebody who failed is worth waiting for: after a few failures in a row nobody waits any
// more, until a try beside the work succeeds.
//
// A state machine: the time comes in, nothing goes out but answers. One thread at a time. Nothing
// happens by itself: whoever would have waited is told when a try is due, and has it made.
#pragma once

#include <cstdint>

namespace kartei::daemon {

class CircuitBreaker {
 public:
  static constexpr std::uint32_t kFailuresMost = 3;  // in a row
  static constexpr std::int64_t kTryFirstMs = 1'000, kTryMostMs = 60'000;
  struct Rules {
    std::uint32_t failures_most = kFailuresMost;
    std::int64_t try_first_ms = kTryFirstMs, try_most_ms = kTryMostMs;
  };
  CircuitBreaker() = default;
  explicit CircuitBreaker(Rules rules) : rules_(rules), delay_ms_(rules.try_first_ms) {}

  bool lets_through() const { return failures_ < rules_.failures_most; }
  std::uint32_t failures() const { return failures_; }  // in a row

  // How a call went that was let through.
  void succeeded() { *this = CircuitBreaker(rules_); }
  void failed(std::int64_t now_ms);
  // True: a try is due; the caller makes it, and says by tried() how it went. One at a time, and
  // each later than the one before.
  bool take_try(std::int64_t now_ms);
  void tried(bool well, std::int64_t now_ms);
  std::int64_t next_try_ms() const { return try_at_ms_; }  // while it lets nobody through

 private:
  Rules rules_;
  std::uint32_t failures_ = 0;
  std::int64_t try_at_ms_ = 0, delay_ms_ = kTryFirstMs;
  bool trying_ = false;
};

}  // namespace kartei::daemon
