// Where a box lies, and what opens it. A value: copies share the vault, and each connection keeps
// it open.
#pragma once

#include <filesystem>
#include <memory>

#include "crypto/result.h"
#include "crypto/secret.h"

namespace kartei::vault {
class Vault;
}

namespace kartei::store {

struct BoxFile {
  std::filesystem::path path;           // empty: in memory
  std::shared_ptr<vault::Vault> vault;  // null: in the clear, as only tests and tools have it
};

// Opens the file's vault, or makes the file. Null key: in the clear, and nothing is made here.
// kConflict: another program has it, or it is not encrypted yet.
Result<BoxFile> open_box_file(const std::filesystem::path& path, const crypto::Secret* data_key,
                              bool create);
// Whether a box that is there begins as one in the clear does. Reads 16 bytes.
Result<bool> is_in_the_clear(const std::filesystem::path& path);

}  // namespace kartei::store
