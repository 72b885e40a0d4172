// Records: whatever the bytes, decoding is bounded, and what decodes comes back as it was.
#include <cstdlib>

#include "sync/record.h"
#include "sync/wire.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kartei;
  static const bool ready = crypto::init();
  if (!ready) std::abort();
  const ByteView bytes(data, size);
  auto record = sync::Record::decode(bytes);
  if (record && record->encode() != to_bytes(bytes)) std::abort();
  // The bodies, as if their seal had been opened.
  (void)sync::decode_control(bytes);
  (void)sync::decode_roll_operation(bytes);
  (void)sync::decode_key_boxes(bytes);
  return 0;
}
