// The data key for a verb that works on the home's files, without the daemon.
#pragma once

#include <filesystem>
#include <optional>

#include "crypto/result.h"
#include "crypto/secret.h"
#include "daemon/cli/cli.h"

namespace kartei::daemon::cli {

// What opens without a person, else the passphrase: from `fd`, or from a terminal. Standard input
// that is neither may be somebody else's, and is left alone.
Result<crypto::Secret> key_at_hand(Surroundings& around, const std::filesystem::path& home,
                                   std::optional<int> fd);

}  // namespace kartei::daemon::cli
