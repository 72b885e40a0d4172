// What the command line prints: tables aligned for any script, colours on a terminal only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kartei::daemon::cli {

// Columns that a terminal uses for a UTF-8 text: wide for East Asian characters, none for marks.
std::size_t width_of(std::string_view text);
// Cut to `columns`, with an ellipsis where something is missing.
std::string fit(std::string_view text, std::size_t columns);
// Control characters (what others wrote could move the cursor) become spaces.
std::string printable(std::string_view text);

struct Style {
  bool terminal = false;
  std::size_t columns = 100;
  std::string bold(std::string_view text) const;
  std::string dim(std::string_view text) const;
};

// Rows of equal length, the first one the head. The last column takes what room is left on a
// terminal; in a pipe nothing is cut.
std::string table(const std::vector<std::vector<std::string>>& rows, const Style& style);

}  // namespace kartei::daemon::cli
