// This device's keys in a box, as they lie in its folder: sealed under a key that is derived from
// the home's data key, with the box's name. The writer thread, or a program without a daemon.
#pragma once

#include <filesystem>
#include <string>

#include "crypto/identity.h"
#include "crypto/random.h"
#include "crypto/result.h"
#include "crypto/secret.h"

namespace kartei::daemon {

struct IdentityPlace {
  std::filesystem::path folder;
  std::string box;                           // its name; the folder may still have another
  const crypto::Secret* data_key = nullptr;  // null: in the clear (tests)
};

Status save_identity(const IdentityPlace& place, const crypto::Identity& identity,
                     crypto::Random& random);
// As it lies there, sealed or in the clear. Nothing is changed.
Result<crypto::Identity> load_identity(const IdentityPlace& place);
// The same; one in the clear is sealed first, and what it was is overwritten. Whatever is cut off,
// the file is there whole, as the one or the other.
Result<crypto::Identity> load_and_seal_identity(const IdentityPlace& place, crypto::Random& random);

}  // namespace kartei::daemon
