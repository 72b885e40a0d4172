// SQLite's numbers as bytes are big-endian; the vault's own are little-endian (crypto/numbers.h).
// The caller has seen to it that there are as many bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crypto/numbers.h"

namespace kartei::vault {

inline void put_big_endian(std::uint8_t* out, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) out[i] = static_cast<std::uint8_t>(value >> (8 * (size - 1 - i)));
}
inline std::uint32_t big_endian_at(const std::uint8_t* in) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | in[i];
  return value;
}

}  // namespace kartei::vault
