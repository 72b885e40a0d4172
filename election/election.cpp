#include "election/election.h"

#include <cmath>

namespace kartei::election {

namespace {
constexpr double kHalfLifeMs = 24.0 * 3600 * 1000;
}

double decayed_use(double use, std::int64_t elapsed_ms) {
  if (elapsed_ms <= 0) return use;
  return use * std::exp2(-static_cast<double>(elapsed_ms) / kHalfLifeMs);
}

}  // namespace kartei::election
