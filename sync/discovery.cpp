#include "sync/discovery.h"

#include <algorithm>

#include "crypto/hash.h"

namespace kartei::sync {
namespace {

// magic | version | flags | port (big-endian) | number of tags | tags | pairing name if flagged
constexpr std::array<std::uint8_t, 4> kMagic{'K', 'r', 'B', 'c'};
constexpr std::size_t kHeadBytes = 9;
constexpr std::uint8_t kPairingFlag = 1;

std::int64_t hour_of(std::int64_t wall_s) {
  return wall_s >= 0 ? wall_s / 3600 : -1;
}

}  // namespace

Bytes encode(const Beacon& beacon) {
  const std::size_t count = std::min(beacon.tags.size(), kBeaconTagsMax);
  Bytes out(kMagic.begin(), kMagic.end());
  out.push_back(kBeaconVersion);
  out.push_back(beacon.pairing ? kPairingFlag : 0);
  out.push_back(static_cast<std::uint8_t>(beacon.port >> 8));
  out.push_back(static_cast<std::uint8_t>(beacon.port));
  out.push_back(static_cast<std::uint8_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    out.insert(out.end(), beacon.tags[i].begin(), beacon.tags[i].end());
  }
  if (beacon.pairing) out.insert(out.end(), beacon.pairing->begin(), beacon.pairing->end());
  return out;
}

Result<Beacon> decode_beacon(ByteView datagram) {
  if (datagram.size() < kHeadBytes || !std::equal(kMagic.begin(), kMagic.end(), datagram.begin())) {
    return corrupt("Not a beacon.");
  }
  if (datagram[4] != kBeaconVersion)
    return Error{Cause::kVersion, "A beacon of another version.", {}};
  const std::size_t count = datagram[8];
  const bool pairing = datagram[5] == kPairingFlag;
  if ((datagram[5] != 0 && !pairing) || count > kBeaconTagsMax ||
      datagram.size() != kHeadBytes + 16 * (count + (pairing ? 1 : 0))) {
    return corrupt("A beacon of the wrong length.");
  }
  Beacon beacon;
  beacon.port = static_cast<std::uint16_t>(datagram[6] << 8 | datagram[7]);
  if (beacon.port == 0) return corrupt("A beacon without a port.");
  const auto tag_at = [&](std::size_t index) {
    BeaconTag tag;
    std::copy_n(datagram.begin() + static_cast<std::ptrdiff_t>(kHeadBytes + 16 * index), 16,
                tag.begin());
    return tag;
  };
  for (std::size_t i = 0; i < count; ++i) beacon.tags.push_back(tag_at(i));
  if (pairing) beacon.pairing = tag_at(count);
  return beacon;
}

BeaconTag beacon_tag(const Hash32& beacon_key, store::DeviceId device, std::int64_t hour) {
  std::array<std::uint8_t, 8> when{};
  for (std::size_t i = 0; i < 8; ++i) {
    when.at(i) = static_cast<std::uint8_t>(static_cast<std::uint64_t>(hour) >> (8 * i));
  }
  const Hash32 hash = crypto::keyed_hash(beacon_key, "kartei beacon", {device.view(), when});
  BeaconTag tag;
  std::copy_n(hash.begin(), tag.size(), tag.begin());
  return tag;
}

void DiscoveryTable::set_boxes(std::vector<DiscoveryBox> boxes) {
  boxes_ = std::move(boxes);
  hour_.reset();
  known_.clear();
}

std::vector<BeaconTag> DiscoveryTable::own_tags(std::int64_t wall_s) const {
  std::vector<BeaconTag> tags;
  for (const auto& box : boxes_) {
    if (tags.size() == kBeaconTagsMax) break;
    tags.push_back(beacon_tag(box.beacon_key, box.self, hour_of(wall_s)));
  }
  return tags;
}

void DiscoveryTable::compute(std::int64_t hour) {
  known_.clear();
  hour_ = hour;
  for (const auto& box : boxes_) {
    for (const auto device : box.members) {
      if (device == box.self) continue;
      for (std::int64_t when = hour - 1; when <= hour + 1; ++when) {
        known_[beacon_tag(box.beacon_key, device, when)] = {box.box, device};
      }
    }
  }
}

std::vector<Discovered> DiscoveryTable::recognise(const Beacon& beacon, std::int64_t wall_s) {
  const std::int64_t hour = hour_of(wall_s);
  if (hour_ != hour) compute(hour);
  std::vector<Discovered> found;
  for (const auto& tag : beacon.tags) {
    const auto at = known_.find(tag);
    if (at != known_.end()) found.push_back(at->second);
  }
  return found;
}

}  // namespace kartei::sync
