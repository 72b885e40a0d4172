// Small files that only their owner may read, such as keys. Blocking; any thread.
#pragma once

#include <cstddef>
#include <filesystem>

#include "crypto/bytes.h"
#include "crypto/result.h"
#include "crypto/secret.h"

namespace kartei::crypto {

// The whole file. Refused (kForbidden): not a plain file, not ours, or with any right for group or
// others. kCorrupt above max_size. kNotFound when there is none.
Result<Secret> read_private_file(const std::filesystem::path& file, std::size_t max_size);

// Puts the bytes in place of the file with mode 0600: after a crash at any point the old content or
// the new one stands there whole. Done means on disk (file and directory synced).
// One writer a file: a leftover `<file>.new` of a crashed one is overwritten.
Status write_private_file(const std::filesystem::path& file, ByteView bytes);

// Overwrites the file where it lies, then removes it; only removes it while it has another name,
// too. Fine where there is none. Flash storage, snapshots and file systems that copy on write may
// keep the old bytes all the same.
Status shred_file(const std::filesystem::path& file);

// What was made, renamed or removed in the folder is on disk when this returns.
Status sync_folder(const std::filesystem::path& folder);

}  // namespace kartei::crypto
