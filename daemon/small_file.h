// Small settings files of one line.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "crypto/result.h"

namespace kartei::daemon {

// Without the trailing newline; empty where the file is missing.
Result<std::string> read_small_file(const std::filesystem::path& file);
// Atomically, 0600, on disk when this returns, its name too.
Status write_small_file(const std::filesystem::path& file, std::string_view text);

}  // namespace kartei::daemon
