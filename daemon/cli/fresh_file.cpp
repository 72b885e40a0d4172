#include "daemon/cli/fresh_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "crypto/file_error.h"
#include "crypto/private_file.h"

namespace kartei::daemon::cli {

Error cannot_write(const std::string& file, int code) {
  return crypto::file_error("Cannot write", file, code);
}

Result<FreshFile> FreshFile::beside(const std::string& file) {
  std::string fresh = file + ".XXXXXX";
  const int fd = ::mkstemp(fresh.data());
  if (fd < 0) return cannot_write(file, errno);
  std::FILE* const out = ::fdopen(fd, "wb");
  if (out != nullptr) return FreshFile(file, std::move(fresh), out);
  const int code = errno;
  ::close(fd);
  ::unlink(fresh.c_str());
  return cannot_write(file, code);
}

FreshFile::FreshFile(FreshFile&& other) noexcept
    : file_(std::move(other.file_)),
      fresh_(std::exchange(other.fresh_, {})),
      out_(std::exchange(other.out_, nullptr)) {}

FreshFile::~FreshFile() {
  if (out_ != nullptr) std::fclose(out_);
  if (!fresh_.empty()) ::unlink(fresh_.c_str());
}

Status FreshFile::keep() {
  if (std::fflush(out_) != 0 || ::fsync(::fileno(out_)) != 0) return cannot_write(file_, errno);
  if (std::fclose(std::exchange(out_, nullptr)) != 0) return cannot_write(file_, errno);
  if (std::rename(fresh_.c_str(), file_.c_str()) != 0) return cannot_write(file_, errno);
  fresh_.clear();
  const auto folder = std::filesystem::path(file_).parent_path();
  return crypto::sync_folder(folder.empty() ? "." : folder);
}

}  // namespace kartei::daemon::cli
