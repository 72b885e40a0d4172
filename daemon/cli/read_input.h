// A whole file, or standard input for "-".
#pragma once

#include <iosfwd>
#include <string>

#include "crypto/result.h"

namespace kartei::daemon::cli {

Result<std::string> read_input(const std::string& file, std::istream& standard_input);

}  // namespace kartei::daemon::cli
