// What this machine can do at best, measured in the same run as the figures that stand beside it.
#pragma once

#include <filesystem>

#include "crypto/result.h"
#include "tests/bench/stats.h"

namespace kartei::bench {

// 300 bytes there and back over loopback TCP between two blocking threads.
Result<Samples> ping_pong(int rounds);
// 300 bytes appended to a file, then fdatasync.
Result<Samples> append_synced(const std::filesystem::path& folder, int rounds);
// One row of 300 bytes a transaction, SQLite in WAL mode with synchronous=FULL.
Result<Samples> sqlite_insert(const std::filesystem::path& folder, int rounds);

}  // namespace kartei::bench
