// What of a sealed database still authenticates, page by page, without SQLite: what `kartei doctor`
// says of a damaged box. Reads only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "crypto/result.h"
#include "crypto/secret.h"

namespace kartei::vault {

struct Examination {
  std::size_t page_size_bytes = 0;
  std::uint64_t pages = 0;          // in the main file, without SQLite's lock page
  std::uint64_t sound = 0;          // of these
  std::uint64_t never_written = 0;  // nothing but zeros: SQLite skips what it has no use for
  std::uint64_t damaged = 0;
  std::vector<std::uint64_t> damaged_pages;  // the first 1000, from 1
  // Of the damaged pages: the log holds a newer one, which counts. Nothing is lost with these.
  std::uint64_t held_by_log = 0;
  bool ends_within_a_page = false;
  std::uint64_t log_frames = 0;  // of the log's last generation, that authenticate
  // Of the log: had been on disk and does not authenticate. What was committed from there on is
  // lost.
  std::uint64_t log_damaged = 0;
  bool log_header_damaged = false;
};

// kConflict while a Vault is open on the file. Fails where the first 24 bytes are damaged: without
// page size and database id nothing can be told.
Result<Examination> examine(const std::filesystem::path& file, const crypto::Secret& data_key,
                            const std::string& beneath = {});

}  // namespace kartei::vault
