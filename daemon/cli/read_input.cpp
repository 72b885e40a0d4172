#include "daemon/cli/read_input.h"

#include <fstream>
#include <sstream>

namespace kartei::daemon::cli {

Result<std::string> read_input(const std::string& file, std::istream& standard_input) {
  std::ostringstream text;
  if (file == "-") {
    text << standard_input.rdbuf();
    return text.str();
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) return not_found("Cannot read " + file + ".");
  text << in.rdbuf();
  return text.str();
}

}  // namespace kartei::daemon::cli
