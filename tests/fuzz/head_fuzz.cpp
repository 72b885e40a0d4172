// Heads: sealed rubbish, and rubbish as it would look once the seal is open.
#include <cstdlib>

#include "crypto/sealed.h"
#include "sync/wire.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kartei;
  static const bool ready = crypto::init();
  if (!ready) std::abort();
  static crypto::SeededRandom random(1);
  static const crypto::Secret key = crypto::Secret::random(32, random);
  const ByteView bytes(data, size);
  (void)sync::open_head(bytes, key);
  auto opened = sync::open_head(crypto::seal(key, as_bytes("kartei head v1"), bytes, random), key);
  if (opened) (void)opened->verify(crypto::SignKey{});
  return 0;
}
