// Numbers as bytes: our own are little-endian. The caller has seen to it that there are as many
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kartei {

inline void put_little_endian(std::uint8_t* out, std::uint64_t value, std::size_t size = 8) {
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::uint8_t>(value >> (8 * i));
}
inline std::uint64_t little_endian_at(const std::uint8_t* in, std::size_t size = 8) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value |= static_cast<std::uint64_t>(in[i]) << (8 * i);
  return value;
}

}  // namespace kartei
