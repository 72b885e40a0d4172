#include "store/box_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "crypto/vault/vault.h"

namespace kartei::store {

Result<BoxFile> open_box_file(const std::filesystem::path& path, const crypto::Secret* data_key,
                              bool create) {
  BoxFile file{path, nullptr};
  if (data_key == nullptr || path.empty()) return file;
  vault::VaultOptions options;
  options.create = create;
  KARTEI_ASSIGN(file.vault, vault::Vault::open(path, *data_key, options));
  return file;
}

Result<bool> is_in_the_clear(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) return not_found("There is no box at " + path.string());
  if (fd < 0)
    return Error{Cause::kIo, "Cannot read " + path.string() + ": " + std::strerror(errno), {}};
  char start[16] = {};
  const ssize_t got = ::read(fd, start, sizeof start);
  ::close(fd);
  return got == sizeof start && std::memcmp(start, "SQLite format 3", sizeof start) == 0;
}

}  // namespace kartei::store
