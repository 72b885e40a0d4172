// The rules by name, their broken variants, and what notices each of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sync/rules.h"

namespace kartei::sim {

struct Mutant {
  const char* name;  // "refile=false"
  void (*apply)(sync::Rules& rules);
  const char* by_hand;  // the test of tests/sync that fails with it
  // Whether random runs must notice it too. Else it shows only after many hundreds of seeds, or in
  // none: `rare` says why.
  const char* rare = nullptr;
};

const std::vector<Mutant>& mutants();
const Mutant* find_mutant(std::string_view name);

}  // namespace kartei::sim
