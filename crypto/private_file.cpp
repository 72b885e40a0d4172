#include "crypto/private_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "crypto/file_error.h"

namespace kartei::crypto {

namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }

 private:
  int fd_;
};

Error forbidden(const std::filesystem::path& path, const char* why) {
  return {Cause::kForbidden, path.string() + " " + why, {}};
}

// A link that leads nowhere is not "none": what it names may come back.
Error not_opened(const std::filesystem::path& file, int code) {
  struct stat info {};
  if (code == ENOENT && ::lstat(file.c_str(), &info) == 0)
    return {Cause::kUnavailable, file.string() + " is a link to what is not there", {}};
  return file_error("opening", file, code);
}

Status check_private(const std::filesystem::path& file, const struct stat& info) {
  if (!S_ISREG(info.st_mode)) return forbidden(file, "is not a plain file");
  if (info.st_uid != ::geteuid()) return forbidden(file, "belongs to another user");
  if ((info.st_mode & 077) != 0) {
    return forbidden(file, "can be reached by others; run chmod 600 on it");
  }
  return {};
}

Status write_all(int fd, ByteView bytes, const std::filesystem::path& file) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return file_error("writing", file, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Status write_and_sync(const std::filesystem::path& file, ByteView bytes) {
  const Descriptor fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd.ok()) return file_error("creating", file, errno);
  if (::fchmod(fd.get(), 0600) != 0) return file_error("protecting", file, errno);  // umask
  KARTEI_TRY(write_all(fd.get(), bytes, file));
  if (::fsync(fd.get()) != 0) return file_error("syncing", file, errno);
  return {};
}

}  // namespace

Status sync_folder(const std::filesystem::path& folder) {
  const Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.ok()) return file_error("opening", folder, errno);
  if (::fsync(fd.get()) != 0) return file_error("syncing", folder, errno);
  return {};
}

Status shred_file(const std::filesystem::path& file) {
  {
    const Descriptor fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!fd.ok() && errno == ENOENT) return {};
    if (!fd.ok()) return file_error("opening", file, errno);
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0) return file_error("overwriting", file, errno);
    if (info.st_nlink == 1) {
      const Bytes zeros(1 << 20);
      for (auto left = static_cast<std::size_t>(info.st_size); left > 0;) {
        const std::size_t part = std::min(left, zeros.size());
        KARTEI_TRY(write_all(fd.get(), ByteView(zeros).first(part), file));
        left -= part;
      }
      if (::fsync(fd.get()) != 0) return file_error("syncing", file, errno);
    }
  }
  if (::unlink(file.c_str()) != 0) return file_error("removing", file, errno);
  return sync_folder(file.parent_path());
}

Result<Secret> read_private_file(const std::filesystem::path& file, std::size_t max_size) {
  // O_NONBLOCK: a pipe put in the file's place must not hang us.
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.ok()) return not_opened(file, errno);
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return file_error("reading", file, errno);
  KARTEI_TRY(check_private(file, info));
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size > max_size) return corrupt(file.string() + " is too long to be what it should be");
  Secret content(size);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(fd.get(), content.writable().data() + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_error("reading", file, errno);
    if (got == 0) return corrupt(file.string() + " became shorter while it was read");
    done += static_cast<std::size_t>(got);
  }
  return content;
}

Status write_private_file(const std::filesystem::path& file, ByteView bytes) {
  std::filesystem::path fresh = file;
  fresh += ".new";
  if (::unlink(fresh.c_str()) != 0 && errno != ENOENT) {
    return file_error("removing", fresh, errno);
  }
  if (Status written = write_and_sync(fresh, bytes); written.has_error()) {
    ::unlink(fresh.c_str());
    return written;
  }
  if (::rename(fresh.c_str(), file.c_str()) != 0) {
    const int code = errno;
    ::unlink(fresh.c_str());
    return file_error("replacing", file, code);
  }
  return sync_folder(file.has_parent_path() ? file.parent_path() : ".");
}

}  // namespace kartei::crypto
