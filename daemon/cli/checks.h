// Checks of what was typed, for the command line's options: each gives what is wrong, or nothing.
// Pure.
#pragma once

#include <string>

namespace kartei::daemon::cli {

std::string not_empty(const std::string& text);
std::string is_date(const std::string& text);     // 2026, 2026-03, 2026-03-10, RFC 3339
std::string is_moment(const std::string& text);   // RFC 3339 with zone
std::string is_address(const std::string& text);  // HOST:PORT
std::string is_box(const std::string& text);      // a box's name
std::string is_code(const std::string& text);     // of pairing

}  // namespace kartei::daemon::cli
