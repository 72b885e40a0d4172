// Beacons from anyone. Traps when one is read that would not be written so, or when a member is
// recognised whose tag is not in it.
#include "sync/discovery.h"
#include "tests/fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kartei;
  using namespace kartei::sync;
  const ByteView bytes(data, size);
  const auto beacon = decode_beacon(bytes);
  if (beacon.has_error()) return 0;
  const Bytes again = encode(*beacon);
  fuzz::require(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()));

  DiscoveryBox box;
  box.beacon_key.fill(1);
  box.self.bytes.fill(2);
  store::DeviceId member;
  member.bytes.fill(3);
  box.members = {member};
  DiscoveryTable table;
  table.set_boxes({box});
  for (const auto& found : table.recognise(*beacon, 0)) {
    bool named = false;
    for (std::int64_t hour = -1; hour <= 1; ++hour) {
      const auto tag = beacon_tag(box.beacon_key, found.device, hour);
      named |= std::count(beacon->tags.begin(), beacon->tags.end(), tag) > 0;
    }
    fuzz::require(named);
  }
  return 0;
}
