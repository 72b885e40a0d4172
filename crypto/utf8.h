// UTF-8 one code point at a time. Any bytes are accepted: a byte that does not fit counts as one
// code point of its own, U+FFFD.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kartei {

inline constexpr char32_t kReplacement = 0xFFFD;

// The code point at `at` (< text.size()), and `at` moved behind it.
inline char32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at++);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 && first < 0xF5   ? 3
                   : first >= 0xE0 && first < 0xF0 ? 2
                   : first >= 0xC2 && first < 0xE0 ? 1
                                                   : 0;
  if (more == 0 || at + static_cast<std::size_t>(more) > text.size()) return kReplacement;
  char32_t value = first & (0x3FU >> more);
  for (int i = 0; i < more; ++i) {
    const unsigned char c = byte(at + static_cast<std::size_t>(i));
    if ((c & 0xC0U) != 0x80U) return kReplacement;
    value = value << 6 | (c & 0x3FU);
  }
  const char32_t least = more == 3 ? 0x10000 : more == 2 ? 0x800 : 0x80;
  if (value < least || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return kReplacement;
  at += static_cast<std::size_t>(more);
  return value;
}

inline void append_code_point(std::string& out, char32_t c) {
  const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6);
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

// The longest prefix of at most `size` bytes that does not cut a code point.
inline std::string_view utf8_prefix(std::string_view text, std::size_t size) {
  if (text.size() <= size) return text;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  return text.substr(0, size);
}

}  // namespace kartei
