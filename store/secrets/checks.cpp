#include "store/secrets/checks.h"

#include <sodium.h>

#include <array>
#include <cstdint>

#include "store/secrets/shape.h"

namespace kartei::secrets {
namespace {

constexpr std::size_t kCrcCharacters = 6;

constexpr std::array<std::uint32_t, 256> kCrcTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value & 1 ? 0xEDB88320U ^ value >> 1 : value >> 1;
    table[i] = value;
  }
  return table;
}();

std::uint32_t crc32(std::string_view text) {
  std::uint32_t value = ~0U;
  for (const char c : text)
    value = kCrcTable[(value ^ static_cast<unsigned char>(c)) & 0xFF] ^ value >> 8;
  return ~value;
}

}  // namespace

std::string base62_crc32(std::string_view text) {
  constexpr std::string_view kDigits =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::string out(kCrcCharacters, '0');
  std::uint32_t value = crc32(text);
  for (std::size_t i = kCrcCharacters; i-- > 0; value /= 62) out[i] = kDigits[value % 62];
  return out;
}

bool has_crc32(std::string_view body) {
  if (body.size() <= kCrcCharacters) return false;
  const std::size_t end = body.size() - kCrcCharacters;
  return base62_crc32(body.substr(0, end)) == body.substr(end);
}

bool has_check_digit(std::string_view digits) {
  unsigned sum = 0;
  bool twice = false;
  for (std::size_t i = digits.size(); i-- > 0; twice = !twice) {
    unsigned value = static_cast<unsigned>(digits[i] - '0');
    if (twice) value = value * 2 > 9 ? value * 2 - 9 : value * 2;
    sum += value;
  }
  return !digits.empty() && sum % 10 == 0;
}

std::optional<std::string> base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  const bool url = text.find_first_of("-_") != std::string_view::npos;
  std::string out(text.size() * 3 / 4 + 1, '\0');
  std::size_t size = 0;
  const char* end = nullptr;
  const int failed = sodium_base642bin(
      reinterpret_cast<unsigned char*>(out.data()), out.size(), text.data(), text.size(), nullptr,
      &size, &end,
      url ? sodium_base64_VARIANT_URLSAFE_NO_PADDING : sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
  if (failed != 0 || end != text.data() + text.size()) return std::nullopt;
  out.resize(size);
  return out;
}

}  // namespace kartei::secrets
