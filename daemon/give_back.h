// When memory that is not needed any more goes back to the system: once nothing is left to do, and
// not soon again, since what comes next has to ask for it anew. Turns that come in one by one leave
// nothing to do some ten times a second. A state machine without I/O.
//
// One thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace kartei::daemon {

class GiveBack {
 public:
  static constexpr std::int64_t kEveryMs = 5'000;

  // Nothing is left to do now: when to give back.
  std::int64_t due_ms(std::int64_t now_ms) const {
    return last_ms_ ? std::max(now_ms, *last_ms_ + kEveryMs) : now_ms;
  }
  void given(std::int64_t now_ms) { last_ms_ = now_ms; }

 private:
  std::optional<std::int64_t> last_ms_;
};

}  // namespace kartei::daemon
