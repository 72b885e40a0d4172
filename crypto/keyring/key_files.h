// The few files of a keyring, behind a seam: tests put a disk there that fails or loses what was
// not synced.
#pragma once

#include <filesystem>

#include "crypto/result.h"
#include "crypto/secret.h"

namespace kartei::keyring {

inline constexpr const char* kKeyringFile = "keyring";
inline constexpr const char* kFreshKeyringFile = "keyring.new";  // on its way into its place
inline constexpr const char* kWrappingKeyFile = "keyring.key";
inline constexpr const char* kOldWrappingKeyFile = "keyring.key.old";  // of a keyring that was lost
inline constexpr const char* kForgetListFile = "keyring.forget";
inline constexpr const char* kUnfinishedSuffix = ".new";  // of what write() was cut off at

class KeyFiles {
 public:
  virtual ~KeyFiles() = default;
  // For errors: where `name` lies.
  virtual std::string place(const char* name) const = 0;
  // kNotFound where there is none; kForbidden where others may read it.
  virtual Result<crypto::Secret> read(const char* name, std::size_t size_max) = 0;
  // Whole, 0600 and on disk when it returns; in the place of one that was there.
  virtual Status write(const char* name, ByteView bytes) = 0;
  // In one step, and on disk when it returns.
  virtual Status rename(const char* from, const char* to) = 0;
  virtual Status remove(const char* name) = 0;  // fine where there is none
};

// In the home. Any thread, one writer.
class DiskKeyFiles final : public KeyFiles {
 public:
  explicit DiskKeyFiles(std::filesystem::path home) : home_(std::move(home)) {}
  std::string place(const char* name) const override { return (home_ / name).string(); }
  Result<crypto::Secret> read(const char* name, std::size_t size_max) override;
  Status write(const char* name, ByteView bytes) override;
  Status rename(const char* from, const char* to) override;
  Status remove(const char* name) override;

 private:
  const std::filesystem::path home_;
};

}  // namespace kartei::keyring
