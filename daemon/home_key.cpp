#include "daemon/home_key.h"

#include <fstream>

#include "crypto/keyring/passphrase.h"
#include "daemon/box_files.h"
#include "daemon/box_report.h"

namespace kartei::daemon {
namespace {

namespace fs = std::filesystem;

// True: there is something, and it does not begin as the plain file would; or what it is cannot be
// seen now.
bool is_sealed(const fs::path& file, std::string_view plain_begin) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(file, error))) return false;
  std::ifstream in(file, std::ios::binary);
  std::string begin(plain_begin.size(), '\0');
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (!in.is_open() || in.bad()) return true;
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
                 " away (and what is left of the keyring with it), start again, and join from "
                 "another device or import an export.");
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

Result<keyring::Keyring> open_or_make_keyring(const fs::path& home, keyring::KeyFiles& files,
                                              crypto::Random& random,
                                              keyring::SecretService& service,
                                              std::string& why_file) {
  auto there = keyring::Keyring::open(files, random);
  if (there || there.error().cause != Cause::kNotFound) return there;
  if (const auto boxes = sealed_boxes(home); !boxes.empty()) return keyring_lost(home, boxes);
  keyring::SecretServiceSource desktop(service);
  auto with_desktop = keyring::Keyring::make(files, random, desktop);
  if (with_desktop) return std::move(with_desktop->keyring);
  if (service.given_up()) return with_desktop.error();  // the next start asks it again
  // What failed may have been the last step, with the keyring in its place.
  there = keyring::Keyring::open(files, random);
  if (there || there.error().cause != Cause::kNotFound) return there;
  why_file = with_desktop.error().what;
  keyring::FileSource file(files);
  KARTEI_ASSIGN(auto made, keyring::Keyring::make(files, random, file));
  return std::move(made.keyring);
}

Result<OpenedKey> open_unattended(const keyring::Keyring& ring, keyring::KeyFiles& files,
                                  keyring::SecretService& service) {
  keyring::SecretServiceSource desktop(service);
  keyring::FileSource file(files);
  keyring::KeySource* const sources[] = {&desktop, &file};
  OpenedKey opened;
  for (keyring::KeySource* source : sources) {
    if (!ring.has(source->backend())) continue;
    auto key = ring.unlock(*source);
    if (!key) {
      opened.notes.push_back(key.error().what);
      continue;
    }
    opened.key = std::move(*key);
    opened.by = source->backend();
    return opened;
  }
  std::string what = "The boxes of this device are locked. ";
  for (const std::string& note : opened.notes) what += note + ' ';
  if (opened.notes.empty()) {
    what += "Run `kartei unlock` and type the passphrase.";
  } else {
    what += "Then run `kartei unlock`";
    what +=
        ring.has(keyring::Backend::kPassphrase) ? "; or run it now and type the passphrase." : ".";
  }
  return Error{Cause::kLocked, what, {}};
}

Result<crypto::Secret> existing_data_key(const fs::path& home, crypto::Random& random,
                                         const AskPassphrase& ask) {
  keyring::DiskKeyFiles files(home);
  keyring::HelperSecretService service({keyring::find_secret_service_helper()});
  KARTEI_ASSIGN(const auto ring, keyring::Keyring::open(files, random));
  auto opened = open_unattended(ring, files, service);
  if (opened) return std::move(opened->key);
  if (!ask || !ring.has(keyring::Backend::kPassphrase)) return opened.error();
  KARTEI_ASSIGN(crypto::Secret words, ask(opened.error()));
  keyring::PassphraseSource source(std::move(words), {});
  return ring.unlock(source);
}

}  // namespace kartei::daemon
