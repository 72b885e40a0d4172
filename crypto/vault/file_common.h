// What the main file's and the log's methods share: calls handed on to the file beneath.
#pragma once

#include "crypto/vault/vault_core.h"

namespace kartei::vault {

inline OpenFile& open_file(sqlite3_file* file) {
  return *reinterpret_cast<OpenFile*>(file);
}

int common_close(sqlite3_file* file);
int common_size(sqlite3_file* file, sqlite3_int64* size);
int common_sync(sqlite3_file* file, int flags);
int common_sector_size(sqlite3_file* file);
int common_characteristics(sqlite3_file* file);

// Reads exactly `size` bytes of the file beneath. Where the file ends before or within them:
// kNothing or kPart, and the rest is zero.
enum class Got { kAll, kPart, kNothing, kError };
Got read_beneath(OpenFile& file, void* out, std::size_t size, std::int64_t offset, int& code);

}  // namespace kartei::vault
