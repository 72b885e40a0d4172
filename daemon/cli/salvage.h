// `kartei doctor --salvage FILE`: what can be read of a damaged box, as an export file. Works on
// the box's files, whether karteid runs or not, as long as it does not hold the box.
#pragma once

#include <string>

#include "daemon/cli/cli.h"

namespace kartei::daemon::cli {

// Never over a file that is there.
Status salvage(Context& context, const std::string& file);

}  // namespace kartei::daemon::cli
