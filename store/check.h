// A look at a box that is not open, and may not open. Reads only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "crypto/result.h"
#include "crypto/secret.h"

namespace kartei::store {

// What is wrong; empty: sound. The error where it cannot even be looked at: kConflict while another
// program has it. `data_key` as in BoxOptions.
Result<std::vector<std::string>> check_box_file(const std::filesystem::path& file,
                                                const crypto::Secret* data_key = nullptr);

}  // namespace kartei::store
