// A look at a box that is not open, and may not open. Reads only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "crypto/result.h"

namespace kartei::store {

// What is wrong; empty: sound. The error where it cannot even be looked at.
Result<std::vector<std::string>> check_box_file(const std::filesystem::path& file);

}  // namespace kartei::store
