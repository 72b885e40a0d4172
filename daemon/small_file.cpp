#include "daemon/small_file.h"

#include <fstream>

#include "crypto/private_file.h"

namespace kartei::daemon {

Result<std::string> read_small_file(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  if (in) std::getline(in, line);
  return line;
}

Status write_small_file(const std::filesystem::path& file, std::string_view text) {
  const std::string line = std::string(text) + "\n";
  return crypto::write_private_file(file, as_bytes(line));
}

}  // namespace kartei::daemon
