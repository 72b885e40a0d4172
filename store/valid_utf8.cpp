#include "store/valid_utf8.h"

namespace kartei::store {

bool valid_utf8(std::string_view text) {
  std::size_t at = 0;
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  while (at < text.size()) {
    const unsigned first = byte(at);
    if (first < 0x80) {
      at += 1;
    } else if (first >= 0xC2 && first <= 0xDF) {
      if (!follows(at + 1)) return false;
      at += 2;
    } else if (first >= 0xE0 && first <= 0xEF) {
      const unsigned low = first == 0xE0 ? 0xA0 : 0x80, high = first == 0xED ? 0x9F : 0xBF;
      if (!follows(at + 1, low, high) || !follows(at + 2)) return false;
      at += 3;
    } else if (first >= 0xF0 && first <= 0xF4) {
      const unsigned low = first == 0xF0 ? 0x90 : 0x80, high = first == 0xF4 ? 0x8F : 0xBF;
      if (!follows(at + 1, low, high) || !follows(at + 2) || !follows(at + 3)) return false;
      at += 4;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace kartei::store
