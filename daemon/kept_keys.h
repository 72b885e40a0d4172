// Keys of endpoints by name, which their owner gave to keep: each a file in the home's `keys`,
// sealed under the home's data key. The name is bound in: a file that was renamed does not open.
//
// Threads: one at a time. Failure: kLocked without a data key, kNotFound where there is none.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "crypto/random.h"
#include "crypto/result.h"
#include "crypto/secret.h"

namespace kartei::daemon {

Status check_kept_name(const std::string& name);
Status keep_key(const std::filesystem::path& home, const std::string& name,
                const crypto::Secret& value, const crypto::Secret* data_key,
                crypto::Random& random);
Result<crypto::Secret> read_kept_key(const std::filesystem::path& home, const std::string& name,
                                     const crypto::Secret* data_key);
// Its bytes are overwritten.
Status drop_kept_key(const std::filesystem::path& home, const std::string& name);
std::vector<std::string> kept_keys(const std::filesystem::path& home);

}  // namespace kartei::daemon
