#include "crypto/file_error.h"

#include <cerrno>
#include <cstring>

namespace kartei::crypto {

Cause cause_of_errno(int code) {
  switch (code) {
    case ENOENT:
      return Cause::kNotFound;
    case ENOSPC:
    case EDQUOT:
      return Cause::kFull;
    case EROFS:
      return Cause::kReadOnly;
    case EACCES:
    case EPERM:
      return Cause::kForbidden;
    default:
      return Cause::kIo;
  }
}

Error file_error(const char* doing, const std::filesystem::path& file, int code) {
  std::string what = std::string(doing) + " " + file.string() + ": " + std::strerror(code);
  // Others have room on that disk: a look at what is free would not show it.
  if (code == EDQUOT)
    what += " (this user's share of the disk is used up: remove something, or have it raised)";
  return {cause_of_errno(code), std::move(what), {}};
}

}  // namespace kartei::crypto
