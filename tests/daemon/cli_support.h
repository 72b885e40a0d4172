// The command line run in process, on a home of the test's.
#pragma once

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "daemon/cli/cli.h"

namespace kartei::daemon::test {

struct Ran {
  int status;
  std::string out, err;
};

inline Ran run_cli(const std::filesystem::path& home, const std::vector<std::string>& arguments,
                   const std::string& input = {}, cli::Style style = {}) {
  std::istringstream in(input);
  std::ostringstream out, err;
  const Environment environment = [home](const char* name) -> std::optional<std::string> {
    if (std::string(name) == "KARTEI_HOME") return home.string();
    return std::nullopt;
  };
  const int status = cli::run(arguments, {in, out, err, environment, style});
  return {status, out.str(), err.str()};
}

}  // namespace kartei::daemon::test
