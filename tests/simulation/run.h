// One seed: a wild phase, a quiet phase with its checks, then the lost are revoked, more is said,
// and a second quiet phase. And many seeds on several processes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sync/rules.h"
#include "tests/simulation/templates.h"
#include "tests/simulation/trace.h"

namespace kartei::sim {

struct Outcome {
  std::uint64_t seed = 0;
  std::string violation;  // empty: every rule held
  std::uint64_t trace_hash = 0;
  Coverage coverage;
};

Outcome run_seed(std::uint64_t seed, const sync::Rules& rules, Templates& templates, bool print);

struct Seeds {
  std::uint64_t from = 0, to = 0;
};
// Forks `jobs` processes; seeds are dealt out one by one. `heard` is called for every outcome, in
// no order; false stops early. A process that dies is a violation of the seed that it was at.
void run_seeds(const Seeds& seeds, const sync::Rules& rules, std::size_t jobs,
               const std::function<bool(const Outcome&)>& heard);

}  // namespace kartei::sim
