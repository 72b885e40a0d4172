// Whether a box's write-ahead log is the one that its last writer left. SQLite reads a log up to
// the first frame that does not verify and says nothing of the rest; and a log that is gone is an
// empty one to it. Reads only; before the box is opened.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "crypto/result.h"

namespace kartei::store {

enum class LogState {
  kSound,    // or nothing can be told
  kGone,     // it held pages that stand nowhere else
  kDamaged,  // frames after the first that does not verify are lost
};
struct LogReport {
  LogState state = LogState::kSound;
  std::uint32_t lost_pages = 0;
};
// The shared index (box.kartei-shm) is never synced: after a power cut it may tell of frames that
// were folded in since, or never reached the disk. `booted_at`: it is heeded if written since;
// empty where that is not known.
Result<LogReport> look_at_log(const std::filesystem::path& box_file,
                              std::optional<std::filesystem::file_time_type> booted_at);
// When this machine was started; empty where it does not tell.
std::optional<std::filesystem::file_time_type> boot_time();

}  // namespace kartei::store
