#include "daemon/kept_keys.h"

#include <sodium.h>

#include <algorithm>
#include <system_error>

#include "crypto/hash.h"
#include "crypto/private_file.h"
#include "crypto/sealed.h"

namespace kartei::daemon {
namespace {

constexpr const char* kFolder = "keys";
constexpr std::size_t kFileMost = 64 << 10;

std::filesystem::path kept_file(const std::filesystem::path& home, const std::string& name) {
  return home / kFolder / name;
}

crypto::Secret kept_file_key(const crypto::Secret& data_key) {
  return crypto::derive_key(data_key, "kartei kept keys v1", {});
}

Error kept_locked() {
  return Error{Cause::kLocked, "Keys are kept under the boxes' key: they are locked now", {}};
}

}  // namespace

Status check_kept_name(const std::string& name) {
  const bool fits = !name.empty() && name.size() <= 64 && !name.starts_with('.') &&
                    std::all_of(name.begin(), name.end(), [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                             (c >= '0' && c <= '9') || c == '_' || c == '-';
                    });
  if (fits) return {};
  return bad_input("A key's name has 1 to 64 letters, digits, '_' and '-'.", "name");
}

Status keep_key(const std::filesystem::path& home, const std::string& name,
                const crypto::Secret& value, const crypto::Secret* data_key,
                crypto::Random& random) {
  KARTEI_TRY(check_kept_name(name));
  if (data_key == nullptr) return kept_locked();
  std::error_code error;
  std::filesystem::create_directory(home / kFolder, error);
  std::filesystem::permissions(home / kFolder, std::filesystem::perms::owner_all, error);
  if (error) return Error{Cause::kIo, (home / kFolder).string() + ": " + error.message(), {}};
  const Bytes sealed = crypto::seal(kept_file_key(*data_key), as_bytes(name), value.view(), random);
  return crypto::write_private_file(kept_file(home, name), sealed);
}

Result<crypto::Secret> read_kept_key(const std::filesystem::path& home, const std::string& name,
                                     const crypto::Secret* data_key) {
  KARTEI_TRY(check_kept_name(name));
  if (data_key == nullptr) return kept_locked();
  const auto file = crypto::read_private_file(kept_file(home, name), kFileMost);
  if (!file && file.error().cause == Cause::kNotFound)
    return not_found("No key called " + name + " is kept: `kartei secretary key " + name +
                     "` takes it");
  if (!file) return file.error();
  auto value = crypto::open(kept_file_key(*data_key), as_bytes(name), file->view());
  if (!value) return corrupt("The kept key " + name + " does not open: give it again");
  crypto::Secret out{ByteView(*value)};
  sodium_memzero(value->data(), value->size());
  return out;
}

Status drop_kept_key(const std::filesystem::path& home, const std::string& name) {
  KARTEI_TRY(check_kept_name(name));
  std::error_code error;
  if (!std::filesystem::exists(kept_file(home, name), error))
    return not_found("No key called " + name + " is kept.");
  return crypto::shred_file(kept_file(home, name));
}

std::vector<std::string> kept_keys(const std::filesystem::path& home) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(home / kFolder, error))
    if (check_kept_name(entry.path().filename())) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace kartei::daemon
