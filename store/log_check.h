// Whether a box's write-ahead log is the one that its last writer left. SQLite reads a log up to
// the first frame that does not verify and says nothing of the rest; and a log that is gone is an
// empty one to it. Reads only; before the box is opened.
#pragma once

#include <cstdint>
#include <filesystem>

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
Result<LogReport> look_at_log(const std::filesystem::path& box_file);

}  // namespace kartei::store
