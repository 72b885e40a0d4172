// The command line of `karteid`. Here and not in main, so that CLI11 is compiled with the other
// verbs.
#pragma once

#include <optional>
#include <string>

namespace kartei::daemon::cli {

struct DaemonOptions {
  std::string config_file;  // empty: the usual place
  // Set: --help, --version or what is wrong has been printed; leave with it.
  std::optional<int> exit_code;
};
DaemonOptions read_daemon_options(int argc, char** argv);

}  // namespace kartei::daemon::cli
