// A row's bag as memory holds it: of each token's hash 22 bits, in two bytes and some three bits
// instead of five bytes. Each of a question's tokens is taken for one that the row has not with a
// chance of (tokens of the row) / 2^22: store/README.md has how often that comes.
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
  std::uint32_t times_of(std::size_t place) const;

  ByteView fence_;    // which tokens share their upper bits
  ByteView low_;      // the lower bits of sorted tokens
  ByteView repeats_;  // place of a token, how often it comes: those that come again
};

}  // namespace kartei::store
