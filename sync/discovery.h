// Finding each other on the local network: what a beacon says and what a received one means. A
// state machine without I/O; discovery_driver.h gives it sockets.
//
// A beacon names a device of a box by a tag that only members can compute and that changes every
// hour, so that an outsider can neither tell whose box it is nor follow a device from one hour to
// the next. It proves nothing: whoever is dialled because of it still has to hold the member's key.
//
// Threads: one at a time. Bounded: what is kept depends on the own boxes and members, never on what
// arrives.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "crypto/bytes.h"
#include "crypto/result.h"
#include "store/ids.h"

namespace kartei::sync {

inline constexpr std::uint8_t kBeaconVersion = 1;
inline constexpr std::size_t kBeaconTagsMax = 16;
using BeaconTag = std::array<std::uint8_t, 16>;

struct Beacon {
  std::uint16_t port = 0;            // TCP, of links and pairing
  std::vector<BeaconTag> tags;       // one a box that is shared
  std::optional<BeaconTag> pairing;  // a member waits for a newcomer: a random name for this wait
  bool operator==(const Beacon&) const = default;
};
Bytes encode(const Beacon& beacon);  // at most kBeaconTagsMax tags
Result<Beacon> decode_beacon(ByteView datagram);

BeaconTag beacon_tag(const Hash32& beacon_key, store::DeviceId device, std::int64_t hour);

struct DiscoveryBox {
  store::BoxId box;
  Hash32 beacon_key{};  // Engine::derived_key("beacon")
  store::DeviceId self;
  std::vector<store::DeviceId> members;
};

struct Discovered {
  store::BoxId box;
  store::DeviceId device;
  bool operator==(const Discovered&) const = default;
};

class DiscoveryTable {
 public:
  void set_boxes(std::vector<DiscoveryBox> boxes);
  bool empty() const { return boxes_.empty(); }
  // The own tags at this time.
  std::vector<BeaconTag> own_tags(std::int64_t wall_s) const;
  // Which members a beacon is from. Clocks may be an hour apart.
  std::vector<Discovered> recognise(const Beacon& beacon, std::int64_t wall_s);

 private:
  void compute(std::int64_t hour);

  std::vector<DiscoveryBox> boxes_;
  std::map<BeaconTag, Discovered> known_;  // for the hour, the one before and the one after
  std::optional<std::int64_t> hour_;
};

}  // namespace kartei::sync
