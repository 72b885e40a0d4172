// What fuzz targets share: reading choices and chunks from the fuzzer's bytes, and a check that
// traps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "crypto/bytes.h"

namespace kartei::fuzz {

class Input {
 public:
  explicit Input(ByteView bytes) : bytes_(bytes) {}
  bool empty() const { return bytes_.empty(); }
  std::uint8_t byte() {  // 0 at the end
    if (bytes_.empty()) return 0;
    const std::uint8_t first = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return first;
  }
  // Preceded by its length, 16 bits little-endian; cut at the end.
  ByteView chunk() {
    const std::size_t low = byte(), high = byte();
    return take(low | high << 8);
  }
  ByteView rest() { return take(bytes_.size()); }

 private:
  ByteView take(std::size_t size) {
    const ByteView part = bytes_.first(std::min(size, bytes_.size()));
    bytes_ = bytes_.subspan(part.size());
    return part;
  }
  ByteView bytes_;
};

// `bytes` with the mask laid over it; a longer mask appends its rest.
inline Bytes xored(Bytes bytes, ByteView mask) {
  bytes.resize(std::max(bytes.size(), mask.size()));
  for (std::size_t i = 0; i < mask.size(); ++i) bytes[i] ^= mask[i];
  return bytes;
}

inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace kartei::fuzz
