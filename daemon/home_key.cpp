#include "daemon/home_key.h"

#include <fstream>

#include "crypto/keyring/keyring.h"
#include "daemon/box_files.h"
#include "daemon/box_report.h"

namespace kartei::daemon {
namespace {

namespace fs = std::filesystem;

// True: there is something, and it does not begin as the plain file would.
bool is_sealed(const fs::path& file, std::string_view plain_begin) {
  std::ifstream in(file, std::ios::binary);
  std::string begin(plain_begin.size(), '\0');
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(in.gcount()));
  return !plain_begin.starts_with(begin);
}

Error keyring_lost(const fs::path& home, const std::vector<std::string>& boxes) {
  std::string names;
  for (const std::string& name : boxes) names += (names.empty() ? "" : ", ") + name;
  return corrupt("The keyring " + (home / keyring::kKeyringFile).string() +
                 " is missing, and only its key opens what is there (boxes: " + names +
                 "). Put it back from a backup; or, to start anew, move the folder " +
                 (home / "boxes").string() +
                 " away, start again, and join from another device or import an export.");
}

}  // namespace

std::vector<std::string> sealed_boxes(const fs::path& home) {
  std::vector<std::string> sealed;
  for (const std::string& name : box_names(home)) {
    const fs::path folder = home / "boxes" / name;
    if (is_sealed(folder / kBoxFile, "SQLite format 3") ||
        is_sealed(folder / kIdentityFile, "KARTEIID"))
      sealed.push_back(name);
  }
  return sealed;
}

Result<crypto::Secret> open_data_key(const fs::path& home, crypto::Random& random) {
  keyring::DiskKeyFiles files(home);
  keyring::FileSource source(files);
  auto there = keyring::Keyring::open(files, random);
  if (there) return there->unlock(source);
  if (there.error().cause != Cause::kNotFound) return there.error();
  if (const auto boxes = sealed_boxes(home); !boxes.empty()) return keyring_lost(home, boxes);
  KARTEI_ASSIGN(auto made, keyring::Keyring::make(files, random, source));
  return std::move(made.data_key);
}

}  // namespace kartei::daemon
