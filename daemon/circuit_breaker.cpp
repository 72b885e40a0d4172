#include "daemon/circuit_breaker.h"

#include <algorithm>

namespace kartei::daemon {

void CircuitBreaker::failed(std::int64_t now_ms) {
  const bool let_through = lets_through();
  if (failures_ < UINT32_MAX) ++failures_;
  // A call that was let through before does not put off the try.
  if (let_through && !lets_through()) try_at_ms_ = now_ms + delay_ms_;
}

bool CircuitBreaker::take_try(std::int64_t now_ms) {
  if (lets_through() || trying_ || now_ms < try_at_ms_) return false;
  trying_ = true;
  return true;
}

void CircuitBreaker::tried(bool well, std::int64_t now_ms) {
  trying_ = false;
  if (well) return succeeded();
  failed(now_ms);
  delay_ms_ = std::min(2 * delay_ms_, rules_.try_most_ms);
  try_at_ms_ = now_ms + delay_ms_;
}

}  // namespace kartei::daemon
