// When memory that is not needed any more goes back to the system: at once after work, and a moment
// later after questions, since the next one would have to ask for it again. A state machine without
// I/O.
//
// One thread.
#pragma once

#include <algorithm>
#include <cstdint>

namespace kartei::daemon {

class GiveBack {
 public:
  static constexpr std::int64_t kEveryMs = 5'000;

  void worked() { worked_ = true; }
  // Nothing is left to do now: when to give back.
  std::int64_t due_ms(std::int64_t now_ms) const {
    return worked_ ? now_ms : std::max(now_ms, last_ms_ + kEveryMs);
  }
  void given(std::int64_t now_ms) {
    worked_ = false;
    last_ms_ = now_ms;
  }

 private:
  bool worked_ = true;  // starting is work
  std::int64_t last_ms_ = 0;
};

}  // namespace kartei::daemon
