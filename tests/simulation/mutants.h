// The rules by name, and their broken variants.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sync/rules.h"

namespace kartei::sim {

struct Mutant {
  const char* name;  // "refile=false"
  void (*apply)(sync::Rules& rules);
  // Why random runs are not asked to catch it: a hand-written case does. Null: they must.
  const char* by_hand;
};

const std::vector<Mutant>& mutants();
const Mutant* find_mutant(std::string_view name);

}  // namespace kartei::sim
