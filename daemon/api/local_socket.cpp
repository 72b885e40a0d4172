#include "daemon/api/local_socket.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "crypto/file_error.h"

namespace kartei::daemon::api {
namespace {

Error from_errno(const std::string& what, int number) {
  Cause cause = crypto::cause_of_errno(number);
  if (cause == Cause::kForbidden) cause = Cause::kReadOnly;
  if (cause == Cause::kNotFound) cause = Cause::kIo;
  std::string hint;
  if (cause == Cause::kFull) hint = " Free some space and start again.";
  if (cause == Cause::kReadOnly) hint = " Its owner must be able to write there.";
  return {cause, what + ": " + std::strerror(number) + "." + hint, {}};
}

Result<sockaddr_un> address_of(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.string().size() >= sizeof address.sun_path)
    return bad_input("The path of the socket is too long for this system: " + path.string() +
                     ". Choose a shorter KARTEI_HOME.");
  std::memcpy(address.sun_path, path.c_str(), path.string().size() + 1);
  return address;
}

}  // namespace

Status make_private_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path(), error);
  if (error) return from_errno("Cannot make the folder " + folder.string(), error.value());
  if (::mkdir(folder.c_str(), 0700) == 0) return {};
  if (errno != EEXIST) return from_errno("Cannot make the folder " + folder.string(), errno);
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    return Error{Cause::kConflict, folder.string() + " is there, but is no folder.", {}};
  if (info.st_uid != ::geteuid())
    return Error{Cause::kForbidden,
                 folder.string() + " belongs to another user. Choose another KARTEI_HOME.",
                 {}};
  if ((info.st_mode & 077) != 0 && ::chmod(folder.c_str(), 0700) != 0)
    return from_errno("Cannot close the folder " + folder.string() + " to others", errno);
  return {};
}

Result<HomeLock> HomeLock::take(const std::filesystem::path& home) {
  const auto file = home / "lock";
  const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return from_errno("Cannot write in " + home.string(), errno);
  HomeLock lock(fd);
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    char text[32] = {};
    const ssize_t size = ::pread(fd, text, sizeof text - 1, 0);
    const std::string pid(text, size > 0 ? static_cast<std::size_t>(size) : 0);
    return Error{Cause::kConflict,
                 "Another karteid" + (pid.empty() ? "" : " (process " + pid + ")") +
                     " already runs on " + home.string() +
                     ". Stop it first, or set KARTEI_HOME to another folder.",
                 {}};
  }
  const std::string pid = std::to_string(::getpid());
  if (::ftruncate(fd, 0) != 0 ||
      ::pwrite(fd, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size()))
    return from_errno("Cannot write in " + home.string(), errno);
  return lock;
}

HomeLock::HomeLock(HomeLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
HomeLock::~HomeLock() {
  if (fd_ >= 0) ::close(fd_);
}

Result<int> connect_local(const std::filesystem::path& path) {
  KARTEI_ASSIGN(const sockaddr_un address, address_of(path));
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return from_errno("Cannot make a socket", errno);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  const int number = errno;
  ::close(fd);
  if (number == ENOENT)
    return not_found("karteid does not run: there is no socket at " + path.string() + ".");
  if (number == ECONNREFUSED)
    return Error{
        Cause::kUnavailable, "karteid does not run: nobody answers at " + path.string() + ".", {}};
  return from_errno("Cannot reach karteid at " + path.string(), number);
}

Result<int> listen_local(const std::filesystem::path& path) {
  KARTEI_ASSIGN(const sockaddr_un address, address_of(path));
  KARTEI_TRY(make_private_folder(path.parent_path()));
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0) {
    if (!S_ISSOCK(info.st_mode))
      return Error{Cause::kConflict,
                   path.string() + " is no socket. Move it away: karteid needs that name.",
                   {}};
    auto there = connect_local(path);
    if (there) {
      ::close(*there);
      return Error{Cause::kConflict, "Another karteid answers at " + path.string() + ".", {}};
    }
    if (there.error().cause != Cause::kUnavailable && there.error().cause != Cause::kNotFound)
      return there.error();
    ::unlink(path.c_str());
  }
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return from_errno("Cannot make a socket", errno);
  const mode_t mask = ::umask(0177);
  const int bound = ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int number = errno;
  ::umask(mask);
  if (bound != 0 || ::listen(fd, 128) != 0) {
    const int failed = bound != 0 ? number : errno;
    ::close(fd);
    return from_errno("Cannot listen at " + path.string(), failed);
  }
  return fd;
}

}  // namespace kartei::daemon::api
