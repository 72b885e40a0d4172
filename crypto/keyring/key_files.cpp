#include "crypto/keyring/key_files.h"

#include <system_error>

#include "crypto/file_error.h"
#include "crypto/private_file.h"

namespace kartei::keyring {

Result<crypto::Secret> DiskKeyFiles::read(const char* name, std::size_t size_max) {
  return crypto::read_private_file(home_ / name, size_max);
}

Status DiskKeyFiles::write(const char* name, ByteView bytes) {
  return crypto::write_private_file(home_ / name, bytes);
}

Status DiskKeyFiles::rename(const char* from, const char* to) {
  std::error_code error;
  std::filesystem::rename(home_ / from, home_ / to, error);
  if (error) return crypto::file_error("replacing", home_ / to, error);
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
  if (error) return crypto::file_error("removing", home_ / name, error);
  return crypto::sync_folder(home_);
}

}  // namespace kartei::keyring
