// What is left of an encrypted box whose pages do not all authenticate, and the way out with it.
// The box's files are read only; nobody else has them open (kConflict).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "crypto/result.h"
#include "crypto/secret.h"
#include "store/export.h"

namespace kartei::store {

// Sentences: how many pages and which, of which tables, what of the log. Empty: all of it
// authenticates.
Result<std::vector<std::string>> describe_damage(const std::filesystem::path& file,
                                                 const crypto::Secret& data_key);

struct Salvaged {
  std::uint64_t turns = 0, cards = 0;
  std::uint64_t gaps = 0;  // places where rows could not be read
};
// Everything that can be read, as the lines of an export. A drawer whose row is lost gets a name.
// Works in an encrypted file beside the box, which is removed again.
Result<Salvaged> salvage_box(const std::filesystem::path& file, const crypto::Secret& data_key,
                             const TakeLine& line);

}  // namespace kartei::store
