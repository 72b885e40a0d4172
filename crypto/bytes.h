// Byte strings and their spellings. Values, free of I/O.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kartei {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;
using Hash32 = std::array<std::uint8_t, 32>;

// The bytes of a text, not copied.
inline ByteView as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
inline std::string_view as_text(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline Bytes to_bytes(ByteView bytes) {
  return {bytes.begin(), bytes.end()};
}

// Lower-case hexadecimal; from_hex is empty on an odd length or a foreign character.
std::string to_hex(ByteView bytes);
std::optional<Bytes> from_hex(std::string_view text);

// True iff equal; takes the same time wherever they differ. Unequal sizes are unequal.
bool equal_in_constant_time(ByteView a, ByteView b);

}  // namespace kartei
