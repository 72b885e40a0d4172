// How many tokens a day a model may cost. A state machine: days and counts come in. What a call may
// cost at most is taken before it is made, and given back as far as it was not used: a crash in
// between spends too much rather than too little.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "store/time.h"

namespace kartei::daemon {

class TokenBudget {
 public:
  // As text() wrote it; anything else is a fresh one.
  static TokenBudget from_text(std::string_view text);
  std::string text() const;  // "2026-05-04 1234"

  // `today` in the owner's zone. Days only go forward: a clock that was set back, or another box's
  // zone, does not give a day's tokens twice.
  bool take(const store::Date& today, std::uint64_t tokens, std::uint64_t most);
  // Of what was taken last so much was used.
  void used(std::uint64_t taken, std::uint64_t tokens);
  std::uint64_t spent(const store::Date& today) const;

 private:
  void begin(const store::Date& today);
  store::Date day_;
  std::uint64_t spent_ = 0;
};

}  // namespace kartei::daemon
