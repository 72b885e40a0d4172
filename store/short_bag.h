// A row's bag as memory holds it: three bytes a token instead of five, since a box has too few
// tokens for two of one row to share their upper 24 bits by more than a freak of chance.
//
// Made from a BagView; a view on bytes that others own. Bytes that are cut are an empty bag.
#pragma once

#include <cstdint>

#include "crypto/bytes.h"
#include "store/indexer.h"

namespace kartei::store {

class ShortBag {
 public:
  ShortBag() = default;
  explicit ShortBag(ByteView bytes);
  std::uint32_t times(std::uint32_t hash) const;
  static void append(const BagView& bag, Bytes& out);

 private:
  static constexpr std::size_t kTokenBytes = 3, kRepeatBytes = 3;
  std::uint32_t token(std::size_t place) const;

  std::size_t tokens_ = 0;
  ByteView bytes_;    // sorted tokens
  ByteView repeats_;  // place of a token (2 bytes), how often it comes: those that come again
};

}  // namespace kartei::store
