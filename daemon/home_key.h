// The keyring of a home: opened, or made at the first start, and never made anew while a box is
// there that a lost one would have to open.
//
// Threads: one at a time.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "crypto/keyring/keyring.h"
#include "crypto/keyring/secret_service.h"

namespace kartei::daemon {

// The names of boxes with a file that only a data key opens.
std::vector<std::string> sealed_boxes(const std::filesystem::path& home);

// What is there, or a new one: with the Secret Service where it answers at once, else with a key
// file, and then `why_file` says why.
Result<keyring::Keyring> open_or_make_keyring(const std::filesystem::path& home,
                                              keyring::KeyFiles& files, crypto::Random& random,
                                              keyring::SecretService& service,
                                              std::string& why_file);

// The data key as it opens without a person.
struct OpenedKey {
  crypto::Secret key;
  keyring::Backend by = keyring::Backend::kFile;
  std::vector<std::string> notes;  // of wraps before that one, which did not open
};
// kLocked: nothing opens; the error says what its owner can do.
Result<OpenedKey> open_unattended(const keyring::Keyring& ring, keyring::KeyFiles& files,
                                  keyring::SecretService& service);

// The passphrase of whoever is there; `locked` says why it is needed.
using AskPassphrase = std::function<Result<crypto::Secret>(const Error& locked)>;

// For a program beside the daemon: never makes a keyring. Where nothing opens without a person and
// a passphrase would, `ask` is asked once. kNotFound: there is no keyring.
Result<crypto::Secret> existing_data_key(const std::filesystem::path& home, crypto::Random& random,
                                         const AskPassphrase& ask = {});

}  // namespace kartei::daemon
