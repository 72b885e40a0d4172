#include "crypto/keyring/key_files.h"

#include <system_error>

#include "crypto/private_file.h"

namespace kartei::keyring {

namespace {

Error file_error(const char* doing, const std::string& file, const std::error_code& code) {
  const Cause cause = code == std::errc::no_space_on_device          ? Cause::kFull
                      : code == std::errc::read_only_file_system     ? Cause::kReadOnly
                      : code == std::errc::permission_denied         ? Cause::kForbidden
                      : code == std::errc::no_such_file_or_directory ? Cause::kNotFound
                                                                     : Cause::kIo;
  return {cause, std::string(doing) + " " + file + ": " + code.message(), {}};
}

}  // namespace

Result<crypto::Secret> DiskKeyFiles::read(const char* name, std::size_t size_max) {
  return crypto::read_private_file(home_ / name, size_max);
}

Status DiskKeyFiles::write(const char* name, ByteView bytes) {
  return crypto::write_private_file(home_ / name, bytes);
}

Status DiskKeyFiles::rename(const char* from, const char* to) {
  std::error_code error;
  std::filesystem::rename(home_ / from, home_ / to, error);
  if (error) return file_error("replacing", place(to), error);
  return crypto::sync_folder(home_);
}

// A key that goes is overwritten; of a link only the name goes.
Status DiskKeyFiles::remove(const char* name) {
  std::error_code error;
  if (std::filesystem::is_regular_file(std::filesystem::symlink_status(home_ / name, error))) {
    KARTEI_TRY(crypto::shred_file(home_ / name));
    return crypto::sync_folder(home_);
  }
  if (!std::filesystem::remove(home_ / name, error) && !error) return {};
  if (error) return file_error("removing", place(name), error);
  return crypto::sync_folder(home_);
}

}  // namespace kartei::keyring
