// The short-term buffer's words: which turns make an exchange, an exchange in one line, and what is
// noted of a turn that leaves the active window. All of it follows from the turns alone: every
// device that has them has the same, and nothing can be lost or be behind.
//
// Pure functions: any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "store/values.h"

namespace kartei::daemon {

// Turns [begin, end) of those that were asked about.
struct Exchange {
  std::size_t begin = 0, end = 0;
};

// One begins where a user speaks after somebody else: after an assistant or a tool, or, where
// people talk with each other, when it is his turn again. Oldest first, none empty.
std::vector<Exchange> exchanges_of(std::span<const store::Turn> turns);

inline constexpr std::size_t kLineBytes = 240;

// The most telling sentence of whoever began, and of the first answer; other days than the one on
// which it was said are written beside what means them. At most kLineBytes.
std::string summary_line(std::span<const store::Turn> exchange);

struct TurnNotes {
  std::vector<std::string> tags;  // 3 to 7
  std::string micro_context;      // one line with who and when; at most kLineBytes
  std::string sub_domain;         // the part of life it speaks of; empty where that is not plain
};
TurnNotes notes_of(const store::Turn& turn);

}  // namespace kartei::daemon
