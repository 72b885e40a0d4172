// A daemon's box filled by import: made-up cards and turns (words.h).
#pragma once

#include "tests/bench/devices.h"

namespace kartei::bench {

// Waits until what was said is read, and has its vectors.
Status until_idle(BenchDevice& device);
// Rows number from..from+n-1 in the drawer; with `turns` every second one is a turn.
Status fill(BenchDevice& device, const std::string& drawer, std::size_t from, std::size_t n,
            bool turns);

}  // namespace kartei::bench
