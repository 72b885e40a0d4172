// A device's account of itself for the election, read from /proc and /sys. Cheap: a handful of
// small files, read when a head is due.
#pragma once

#include <filesystem>

#include "election/election.h"

namespace kartei::daemon {

// `root` is "/" but in tests; `home` tells whose disk counts. `use` and `reachable` are the
// caller's.
election::Vitals read_vitals(const std::filesystem::path& root, const std::filesystem::path& home,
                             election::Kind kind);

// Resident memory of this process in KiB; 0 where it cannot be told.
std::uint64_t resident_kib();

}  // namespace kartei::daemon
