#include "crypto/vault/bare_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace kartei::vault {

namespace {

constexpr char kPlainMagic[kIdSize] = "SQLite format 3";

}  // namespace

BareFile::BareFile(sqlite3_vfs* vfs, const std::string& name, int type)
    : name_(name + std::string(2, '\0')), memory_(static_cast<std::size_t>(vfs->szOsFile) / 8 + 1) {
  code_ = vfs->xOpen(vfs, name_.c_str(), file(), SQLITE_OPEN_READONLY | type, nullptr);
}

BareFile::~BareFile() {
  if (file()->pMethods != nullptr) file()->pMethods->xClose(file());
}

int BareFile::read(void* out, std::size_t size, std::int64_t offset) {
  if (code_ != SQLITE_OK) return code_;
  return file()->pMethods->xRead(file(), out, static_cast<int>(size), offset);
}

int BareFile::size(std::int64_t* out) {
  if (code_ != SQLITE_OK) return code_;
  sqlite3_int64 size = 0;
  const int code = file()->pMethods->xFileSize(file(), &size);
  *out = size;
  return code;
}

Result<FileLock> FileLock::take(const std::string& file) {
  FileLock lock(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (lock.fd_ < 0)
    return Error{Cause::kIo, "Cannot open " + file + ": " + std::strerror(errno), {}};
  if (::flock(lock.fd_, LOCK_EX | LOCK_NB) != 0)
    return Error{Cause::kConflict, file + " is in use by another program", {}};
  return lock;
}

FileLock::FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);
}

std::size_t page_size_of(const std::uint8_t* start) {
  const std::size_t value = static_cast<std::size_t>(start[16]) << 8 | start[17];
  return value == 1 ? 65536 : value;
}

// The 24 bytes that stand in the clear. They prove nothing yet.
Status check_start(const std::string& file, const std::uint8_t* start) {
  if (std::memcmp(start, kPlainMagic, kIdSize) == 0)
    return Error{Cause::kConflict, file + " is not encrypted", {}};
  const bool ours = valid_page_size(static_cast<std::int64_t>(page_size_of(start))) &&
                    start[18] == 2 && start[19] == 2 && start[20] == kReserved && start[21] == 64 &&
                    start[22] == 32 && start[23] == 32;
  if (!ours) return corrupt(file + " is not an encrypted box, or its start is damaged");
  return {};
}

Error disk_error(const std::string& file, int code) {
  return {Cause::kIo, "Cannot read " + file + " (" + sqlite3_errstr(code) + ")", {}};
}

Result<std::string> full_path(sqlite3_vfs* vfs, const std::string& file) {
  std::string full(static_cast<std::size_t>(vfs->mxPathname) + 1, '\0');
  const int code =
      vfs->xFullPathname(vfs, file.c_str(), static_cast<int>(full.size()), full.data());
  // A symbolic link is followed; SQLite says so with another code.
  if (code != SQLITE_OK && code != SQLITE_OK_SYMLINK) return disk_error(file, code);
  return std::string(full.c_str());
}

}  // namespace kartei::vault
