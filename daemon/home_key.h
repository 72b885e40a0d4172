// The data key of a home: from its keyring, which is made at the first start. Never made anew while
// a box is there that a lost one would have to open.
//
// Threads: the writer's, or a program without a daemon.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "crypto/random.h"
#include "crypto/result.h"
#include "crypto/secret.h"

namespace kartei::daemon {

// The names of boxes with a file that only a data key opens.
std::vector<std::string> sealed_boxes(const std::filesystem::path& home);

// Opens the keyring, or makes it where none is needed yet.
Result<crypto::Secret> open_data_key(const std::filesystem::path& home, crypto::Random& random);

}  // namespace kartei::daemon
