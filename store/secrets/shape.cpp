#include "store/secrets/shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace kartei::secrets {
namespace {

constexpr double kBitsLeast = 3.0;

// In a placeholder these stand by themselves or among others; five letters or more, since random
// strings have shorter ones now and then.
constexpr std::string_view kStandIns[] = {"example",   "placeholder", "redacted", "changeme",
                                          "change_me", "change-me",   "-here",    "_here",
                                          "yourpass",  "censored",    "foobar"};
// In place of a key; a password may well have them.
constexpr std::string_view kKeyStandIns[] = {
    "dummy",    "sample",    "insert",  "replace",    "removed", "your_",  "your-",
    "yourkey",  "yourtoken", "yourapi", "yoursecret", "my_api",  "my-api", "notreal",
    "not-real", "not_real",  "xxxxx",   "hidden",     "_key_",   "-key-",  "_token_",
    "-token-",  "api_key",   "apikey",  "api-key"};

bool has_one_of(std::string_view text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view one) { return contains_word(text, one); });
}

// "123456", "abcdef", "aaaa": how much of it is in order.
bool is_in_order(std::string_view text) {
  std::size_t steps = 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const int step = text[i] - text[i - 1];
    steps += step >= -1 && step <= 1 ? 1 : 0;
  }
  return text.size() >= 8 && steps * 2 > text.size();
}

// The longest row of one character, and whether that is a sign for "left out".
bool is_blanked(std::string_view text) {
  std::size_t row = 1;
  for (std::size_t i = 1; i < text.size(); ++i) {
    row = text[i] == text[i - 1] ? row + 1 : 1;
    const char c = lower(text[i]);
    if (row >= 6 || (row >= 3 && (c == '*' || c == '.')) || (row >= 4 && c == 'x')) return true;
  }
  return false;
}

}  // namespace

Shape shape_of(std::string_view text) {
  Shape shape;
  shape.size = text.size();
  std::uint16_t before = 0;
  for (const char c : text) {
    const std::uint16_t bits = class_of(c);
    const auto kind = static_cast<std::uint16_t>(bits & kWord);
    shape.lower += (bits & kLower) != 0;
    shape.upper += (bits & kUpper) != 0;
    shape.digits += (bits & kDigit) != 0;
    shape.hex += (bits & (kHexLower | kHexUpper)) != 0;
    if (static_cast<signed char>(c) < 0)
      ++shape.foreign;
    else if (kind == 0)
      ++shape.signs;
    shape.changes += kind != 0 && before != 0 && kind != before;
    before = kind;
  }
  return shape;
}

double entropy(std::string_view text) {
  std::array<std::uint32_t, 256> counts{};
  for (const char c : text) ++counts[static_cast<unsigned char>(c)];
  double bits = 0;
  const auto all = static_cast<double>(text.size());
  for (const std::uint32_t count : counts)
    if (count > 0) bits -= count / all * std::log2(count / all);
  return bits;
}

bool is_random(std::string_view text) {
  if (is_placeholder(text)) return false;
  // Hex has 3.8 bits a character, words fewer; short strings cannot have as many.
  return entropy(text) >= std::min(kBitsLeast, std::log2(static_cast<double>(text.size())) - 1.25);
}

bool is_jumbled(std::string_view text) {
  const Shape shape = shape_of(text);
  return shape.changes >= std::max<std::size_t>(3, text.size() / 8) && is_random(text);
}

bool contains_word(std::string_view text, std::string_view needle) {
  const auto found = std::search(text.begin(), text.end(), needle.begin(), needle.end(),
                                 [](char a, char b) { return lower(a) == b; });
  return found != text.end();
}

bool says_stand_in(std::string_view text) {
  return has_one_of(text, kStandIns);
}

bool is_placeholder(std::string_view text) {
  if (text.empty() || is_blanked(text) || is_in_order(text)) return true;
  if (text.find_first_of("<>{}") != std::string_view::npos || text.starts_with('$')) return true;
  return says_stand_in(text) || has_one_of(text, kKeyStandIns);
}

}  // namespace kartei::secrets
