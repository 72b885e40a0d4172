// What a string looks like: of which characters it is, and whether it was made at random, chosen by
// a person, or only stands for a secret ("sk-xxxx", "YOUR_API_KEY", "****"). Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kartei::secrets {

// Sets of characters, as bits of class_of(). A character may be in several.
enum : std::uint16_t {
  kDigit = 1,
  kLower = 2,
  kUpper = 4,
  kHexLower = 8,      // 0-9a-f
  kHexUpper = 16,     // 0-9A-F
  kBase32 = 32,       // A-Z2-7
  kUrlSign = 64,      // - _
  kBase64Sign = 128,  // + /
  kPad = 256,         // =
  kDot = 512,
  kBech32 = 1024,  // upper case
  kTilde = 2048,
  kPercent = 4096,
  kWord = kDigit | kLower | kUpper
};
inline constexpr std::array<std::uint16_t, 256> kClasses = [] {
  std::array<std::uint16_t, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    std::uint16_t bits = 0;
    const bool digit = c >= '0' && c <= '9', small = c >= 'a' && c <= 'z',
               big = c >= 'A' && c <= 'Z';
    if (digit) bits |= kDigit | kHexLower | kHexUpper;
    if (small) bits |= kLower;
    if (big) bits |= kUpper;
    if (c >= 'a' && c <= 'f') bits |= kHexLower;
    if (c >= 'A' && c <= 'F') bits |= kHexUpper;
    if (big || (c >= '2' && c <= '7')) bits |= kBase32;
    if (c == '-' || c == '_') bits |= kUrlSign;
    if (c == '+' || c == '/') bits |= kBase64Sign;
    if (c == '=') bits |= kPad;
    if (c == '.') bits |= kDot;
    if (c == '~') bits |= kTilde;
    if (c == '%') bits |= kPercent;
    for (const char b : std::string_view("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"))
      if (c == b) bits |= kBech32;
    classes[static_cast<std::size_t>(c)] = bits;
  }
  return classes;
}();
inline std::uint16_t class_of(char c) {
  return kClasses[static_cast<unsigned char>(c)];
}
inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
inline bool is_word(char c) {
  return (class_of(c) & kWord) != 0;
}
inline bool is_letter(char c) {
  return (class_of(c) & (kLower | kUpper)) != 0;
}
inline char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

struct Shape {
  std::size_t size = 0;
  std::size_t lower = 0, upper = 0, digits = 0, signs = 0, foreign = 0;  // foreign: not ASCII
  std::size_t changes = 0;  // between lower case, upper case and digits, side by side
  std::size_t hex = 0;      // digits and a to f
  std::size_t letters() const { return lower + upper + foreign; }
  bool only_letters() const { return letters() == size; }
  bool only_digits() const { return digits == size; }
};
Shape shape_of(std::string_view text);

// Bits a character, of the characters that it has.
double entropy(std::string_view text);
// As generators write: many different characters, no order in them.
bool is_random(std::string_view text);
// Random, and of a mixture of cases and digits in which no words stand.
bool is_jumbled(std::string_view text);
// Has a word that says that it only stands for a secret: "example", "changeme".
bool says_stand_in(std::string_view text);
// Stands for a key, or is blanked out.
bool is_placeholder(std::string_view text);
// Case is ignored; `needle` is in lower case.
bool contains_word(std::string_view text, std::string_view needle);

}  // namespace kartei::secrets
