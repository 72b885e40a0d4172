// `kartei doctor --salvage FILE`: what can be read of a damaged box, as an export file. Works on
// the box's files, whether karteid runs or not, as long as it does not hold the box.
#pragma once

#include <optional>
#include <string>

#include "daemon/cli/cli.h"

namespace kartei::daemon::cli {

// Never over a file that is there. `fd`: where the passphrase comes from, see key_at_hand().
Status salvage(Context& context, const std::string& file, std::optional<int> fd);

}  // namespace kartei::daemon::cli
