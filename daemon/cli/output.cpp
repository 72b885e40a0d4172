#include "daemon/cli/output.h"

#include <algorithm>
#include <cstdint>

namespace kartei::daemon::cli {
namespace {

// The next code point; broken bytes count one each.
char32_t next_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  const std::size_t length = first < 0x80    ? 1
                             : first >= 0xf0 ? 4
                             : first >= 0xe0 ? 3
                             : first >= 0xc0 ? 2
                                             : 1;
  char32_t point = length == 1 ? first : first & (0xff >> (length + 1));
  std::size_t used = 1;
  while (used < length && at + used < text.size() && (byte(at + used) & 0xc0) == 0x80)
    point = point << 6 | (byte(at + used++) & 0x3f);
  at += used;
  return point;
}

bool in(char32_t point, char32_t low, char32_t high) {
  return point >= low && point <= high;
}

std::size_t width_of_point(char32_t p) {
  if (p < 0x20 || p == 0x7f) return 0;
  if (in(p, 0x300, 0x36f) || in(p, 0x200b, 0x200f) || in(p, 0xfe00, 0xfe0f)) return 0;
  const bool wide = in(p, 0x1100, 0x115f) || in(p, 0x2e80, 0xa4cf) || in(p, 0xac00, 0xd7a3) ||
                    in(p, 0xf900, 0xfaff) || in(p, 0xfe30, 0xfe6f) || in(p, 0xff00, 0xff60) ||
                    in(p, 0xffe0, 0xffe6) || in(p, 0x1f300, 0x1faff) || in(p, 0x20000, 0x3fffd);
  return wide ? 2 : 1;
}

}  // namespace

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) width += width_of_point(next_point(text, at));
  return width;
}

std::string fit(std::string_view text, std::size_t columns) {
  if (width_of(text) <= columns) return std::string(text);
  std::size_t width = 0, at = 0, end = 0;
  while (at < text.size()) {
    width += width_of_point(next_point(text, at));
    if (width + 1 > columns) break;
    end = at;
  }
  return std::string(text.substr(0, end)) + (columns == 0 ? "" : "…");
}

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t point = next_point(text, at);
    const bool control = point < 0x20 || in(point, 0x7f, 0x9f) || in(point, 0x202a, 0x202e) ||
                         in(point, 0x2066, 0x2069);
    if (control)
      out.push_back(' ');
    else
      out.append(text.substr(begin, at - begin));
  }
  return out;
}

std::string Style::bold(std::string_view text) const {
  return terminal ? "\033[1m" + std::string(text) + "\033[0m" : std::string(text);
}
std::string Style::dim(std::string_view text) const {
  return terminal ? "\033[2m" + std::string(text) + "\033[0m" : std::string(text);
}

std::string table(const std::vector<std::vector<std::string>>& rows, const Style& style) {
  if (rows.empty()) return {};
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const auto& row : rows)
    for (std::size_t i = 0; i + 1 < row.size() && i < widths.size(); ++i)
      widths[i] = std::max(widths[i], width_of(printable(row[i])));
  std::size_t before_last = 0;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) before_last += widths[i] + 2;
  const std::size_t room = style.columns > before_last + 20 ? style.columns - before_last : 20;
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      const std::string cell = printable(rows[r][i]);
      const bool last = i + 1 == rows[r].size();
      line += last && style.terminal ? fit(cell, room) : cell;
      if (!last) line.append(widths[i] + 2 - width_of(cell), ' ');
    }
    while (line.ends_with(' ')) line.pop_back();
    out += (r == 0 ? style.bold(line) : line) + "\n";
  }
  return out;
}

}  // namespace kartei::daemon::cli
