#include "daemon/small_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace kartei::daemon {
namespace {

Error failed(const std::filesystem::path& file) {
  const Cause cause = errno == ENOSPC  ? Cause::kFull
                      : errno == EROFS ? Cause::kReadOnly
                                       : Cause::kIo;
  return {cause, "Cannot write " + file.string() + ": " + std::strerror(errno) + ".", {}};
}

}  // namespace

Result<std::string> read_small_file(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  if (in) std::getline(in, line);
  return line;
}

Status write_small_file(const std::filesystem::path& file, std::string_view text) {
  std::filesystem::path next = file;
  next += ".new";
  const int fd = ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return failed(file);
  const std::string line = std::string(text) + "\n";
  const bool written = ::write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
                       ::fsync(fd) == 0;
  const int number = errno;
  ::close(fd);
  errno = number;
  if (!written || ::rename(next.c_str(), file.c_str()) != 0) return failed(file);
  return {};
}

}  // namespace kartei::daemon
