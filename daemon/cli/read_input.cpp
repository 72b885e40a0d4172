#include "daemon/cli/read_input.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace kartei::daemon::cli {

Result<std::string> read_input(const std::string& file, std::istream& standard_input) {
  std::ostringstream text;
  if (file == "-") {
    text << standard_input.rdbuf();
    return text.str();
  }
  std::error_code error;
  if (std::filesystem::is_directory(file, error))
    return bad_input(file + " is a folder. Give a file.");
  std::ifstream in(file, std::ios::binary);
  if (!in) return not_found("Cannot read " + file + ": " + std::strerror(errno) + ".");
  if (in.peek() == std::ifstream::traits_type::eof()) return std::string();
  text << in.rdbuf();
  if (in.bad() || !text) return Error{Cause::kIo, "Cannot read all of " + file + ".", {}};
  return text.str();
}

}  // namespace kartei::daemon::cli
