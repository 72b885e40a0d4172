#include "daemon/cli/daemon_options.h"

#include <CLI/CLI.hpp>

#include "daemon/version.h"

namespace kartei::daemon::cli {

DaemonOptions read_daemon_options(int argc, char** argv) {
  DaemonOptions options;
  CLI::App app("Kartei's daemon: holds this device's box and answers at a Unix socket.", "karteid");
  app.add_option("--config", options.config_file, "Configuration (TOML); see daemon/README.md");
  app.set_version_flag("--version", version());
  app.footer(
      "KARTEI_HOME (default: $XDG_DATA_HOME/kartei) holds everything of this device.\n"
      "SIGTERM stops cleanly, SIGHUP rereads the configuration.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    options.exit_code = app.exit(error) == 0 ? 0 : 2;
  }
  return options;
}

}  // namespace kartei::daemon::cli
