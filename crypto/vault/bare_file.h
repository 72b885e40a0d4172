// A sealed database's files without SQLite: for the looks that are taken before it opens them, and
// for telling what is damaged.
#pragma once

#include <sqlite3.h>

#include <string>

#include "crypto/bytes.h"
#include "crypto/result.h"
#include "crypto/vault/layout.h"

namespace kartei::vault {

// A file of the VFS beneath, to read. One thread.
class BareFile {
 public:
  BareFile(sqlite3_vfs* vfs, const std::string& name, int type);
  ~BareFile();
  BareFile(const BareFile&) = delete;
  BareFile& operator=(const BareFile&) = delete;

  int read(void* out, std::size_t size, std::int64_t offset);  // SQLite's codes
  int size(std::int64_t* out);

 private:
  sqlite3_file* file() { return reinterpret_cast<sqlite3_file*>(memory_.data()); }
  std::string name_;  // SQLite's names end with lists that end with an empty string
  std::vector<std::uint64_t> memory_;
  int code_;
};

// One process and one Vault a file: its connections share in memory what would be the -shm file.
class FileLock {
 public:
  FileLock() = default;
  static Result<FileLock> take(const std::string& file);  // kConflict: somebody else has it
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

 private:
  explicit FileLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

// The 24 bytes that stand in the clear. They prove nothing yet.
std::size_t page_size_of(const std::uint8_t* start);
Status check_start(const std::string& file, const std::uint8_t* start);
Error disk_error(const std::string& file, int code);
// The full path, as SQLite wants it.
Result<std::string> full_path(sqlite3_vfs* vfs, const std::string& file);

}  // namespace kartei::vault
