#include "sync/discovery.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <boost/asio/ip/udp.hpp>
#include <set>

#include "sync/discovery_driver.h"
#include "tests/sync/link_testing.h"

namespace kartei::sync {
namespace {

namespace asio = boost::asio;
using testing::box_id;
using testing::free_udp_port;
using testing::key_of;
using testing::run_until;

store::DeviceId device(std::uint8_t n) {
  store::DeviceId id;
  id.bytes.fill(n);
  return id;
}

DiscoveryBox box(std::uint8_t n, std::uint8_t self, const std::vector<std::uint8_t>& members) {
  DiscoveryBox out{box_id(n), key_of(n, "beacon"), device(self), {}};
  for (const auto member : members) out.members.push_back(device(member));
  return out;
}

BeaconTag tag(std::uint8_t fill) {
  BeaconTag out;
  out.fill(fill);
  return out;
}

TEST(BeaconTest, ReadsWhatItWrites) {
  const bool held = rc::check([](std::uint16_t port) {
    const auto count = *rc::gen::inRange<std::uint8_t>(0, kBeaconTagsMax + 1);
    Beacon beacon{static_cast<std::uint16_t>(port | 1), {}, {}};
    for (std::uint8_t i = 0; i < count; ++i) beacon.tags.push_back(tag(i));
    if (*rc::gen::arbitrary<bool>()) beacon.pairing = tag(99);
    const auto back = decode_beacon(encode(beacon));
    RC_ASSERT(back.has_value());
    RC_ASSERT(*back == beacon);
  });
  EXPECT_TRUE(held);
}

TEST(BeaconTest, EveryOtherLengthAndEveryOtherHeadIsRefused) {
  const Bytes good = encode({24880, {tag(1), tag(2)}, tag(3)});
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_TRUE(decode_beacon(ByteView(good).first(size)).has_error()) << size;
  }
  Bytes longer = good;
  longer.push_back(0);
  EXPECT_TRUE(decode_beacon(longer).has_error());
  for (const std::size_t at : {0, 1, 2, 3, 4, 5, 8}) {
    Bytes other = good;
    other[at] ^= 0x40;
    EXPECT_TRUE(decode_beacon(other).has_error()) << at;
  }
  EXPECT_TRUE(decode_beacon(encode({0, {tag(1)}, {}})).has_error());
}

TEST(DiscoveryTableTest, MembersKnowEachOtherAcrossAnHourOfClockError) {
  DiscoveryTable a, b;
  a.set_boxes({box(1, 1, {1, 2})});
  b.set_boxes({box(1, 2, {1, 2})});
  const std::int64_t now = 1'800'000'000;
  const std::vector<Discovered> expected{{box_id(1), device(1)}};
  for (const std::int64_t skew : {-3600, 0, 3600}) {
    EXPECT_EQ(b.recognise({1, a.own_tags(now), {}}, now + skew), expected) << skew;
  }
  EXPECT_TRUE(b.recognise({1, a.own_tags(now), {}}, now + 3 * 3600).empty());
  EXPECT_TRUE(a.recognise({1, a.own_tags(now), {}}, now).empty());  // itself
}

TEST(DiscoveryTableTest, OutsidersCannotLinkOneHourToTheNext) {
  DiscoveryTable a, other_box;
  a.set_boxes({box(1, 1, {1, 2})});
  other_box.set_boxes({box(2, 2, {1, 2})});
  std::set<BeaconTag> tags;
  for (int hour = 0; hour < 100; ++hour) tags.insert(a.own_tags(hour * 3600).front());
  EXPECT_EQ(tags.size(), 100U);
  EXPECT_TRUE(other_box.recognise({1, a.own_tags(0), {}}, 0).empty());
  // Within an hour it stays, so that a table of a few entries finds it.
  EXPECT_EQ(a.own_tags(0), a.own_tags(3599));
}

TEST(DiscoveryTableTest, RemovedMembersAreNotRecognised) {
  DiscoveryTable a, b;
  a.set_boxes({box(1, 1, {1, 2})});
  b.set_boxes({box(1, 2, {1, 2})});
  ASSERT_EQ(b.recognise({1, a.own_tags(0), {}}, 0).size(), 1U);
  b.set_boxes({box(1, 2, {2})});
  EXPECT_TRUE(b.recognise({1, a.own_tags(0), {}}, 0).empty());
}

// ---- over the loopback network

struct Speaker {
  Speaker(asio::io_context& io, crypto::Random& random, std::uint8_t self, std::uint16_t udp_port)
      : discovery(
            io.get_executor(), config(udp_port), [] { return std::int64_t{1'800'000'000}; },
            [self] { return static_cast<std::uint16_t>(40'000 + self); }, callbacks(), random) {
    discovery.set_boxes({box(1, self, {1, 2, 3})});
  }
  static DiscoveryConfig config(std::uint16_t udp_port) {
    DiscoveryConfig out;
    out.port = udp_port;
    out.loopback_only = true;
    out.interval_min = std::chrono::milliseconds(100);
    out.interval_max = std::chrono::milliseconds(150);
    out.pairing_interval = std::chrono::milliseconds(30);
    return out;
  }
  DiscoveryCallbacks callbacks() {
    DiscoveryCallbacks to;
    to.on_member = [this](const Discovered& who, const asio::ip::tcp::endpoint& where) {
      found[who.device] = where.port();
    };
    to.on_pairing = [this](const BeaconTag& session, const asio::ip::tcp::endpoint& where) {
      pairing[session] = where.port();
    };
    return to;
  }
  std::map<store::DeviceId, std::uint16_t> found;
  std::map<BeaconTag, std::uint16_t> pairing;
  Discovery discovery;
};

// A port of this test's own, so that tests can run side by side.
TEST(DiscoveryTest, ThreeDevicesOnOneMachineFindEachOther) {
  asio::io_context io;
  crypto::SystemRandom random;
  const auto port = free_udp_port(io);
  Speaker a(io, random, 1, port), b(io, random, 2, port), c(io, random, 3, port);
  for (auto* one : {&a, &b, &c}) ASSERT_TRUE(one->discovery.set_on(true).has_value());
  ASSERT_TRUE(run_until(
      io, [&] { return a.found.size() == 2 && b.found.size() == 2 && c.found.size() == 2; }));
  EXPECT_EQ(a.found[device(3)], 40'003);
  EXPECT_TRUE(a.pairing.empty());
}

TEST(DiscoveryTest, OffIsSilentAndDeaf) {
  asio::io_context io;
  crypto::SystemRandom random;
  const auto port = free_udp_port(io);
  Speaker a(io, random, 1, port), b(io, random, 2, port), c(io, random, 3, port);
  for (auto* one : {&a, &b}) ASSERT_TRUE(one->discovery.set_on(true).has_value());
  c.discovery.announce();
  ASSERT_TRUE(run_until(io, [&] { return a.found.size() == 1 && b.found.size() == 1; }));
  ASSERT_TRUE(b.discovery.set_on(false).has_value());
  io.restart();
  io.poll();  // what was under way
  a.found.clear();
  b.found.clear();
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(400);
  run_until(io, [&] { return std::chrono::steady_clock::now() > until; });
  EXPECT_TRUE(a.found.empty());
  EXPECT_TRUE(b.found.empty());
  EXPECT_TRUE(c.found.empty());
}

TEST(DiscoveryTest, WaitsForNewcomersAreHeardByWhoListens) {
  asio::io_context io;
  crypto::SystemRandom random;
  const auto port = free_udp_port(io);
  Speaker member(io, random, 1, port), newcomer(io, random, 9, port), other(io, random, 2, port);
  ASSERT_TRUE(other.discovery.set_on(true).has_value());
  ASSERT_TRUE(newcomer.discovery.set_listening_for_pairing(true).has_value());
  ASSERT_TRUE(member.discovery.set_pairing(tag(7)).has_value());
  ASSERT_TRUE(run_until(io, [&] { return newcomer.pairing.size() == 1; }));
  EXPECT_EQ(newcomer.pairing[tag(7)], 40'001);
  EXPECT_TRUE(newcomer.found.empty());
  EXPECT_TRUE(other.pairing.empty());
  EXPECT_TRUE(other.found.empty());  // sharing is off at the member: no tag of a box leaves it
}

TEST(DiscoveryTest, GarbageIsIgnored) {
  asio::io_context io;
  crypto::SystemRandom random;
  const auto port = free_udp_port(io);
  Speaker a(io, random, 1, port), b(io, random, 2, port);
  ASSERT_TRUE(a.discovery.set_on(true).has_value());
  asio::ip::udp::socket socket(io, {asio::ip::udp::v4(), 0});
  for (int i = 0; i < 200; ++i) {
    Bytes junk(static_cast<std::size_t>(i) * 5);
    random.fill(junk);
    socket.send_to(asio::buffer(junk), {asio::ip::address_v4::loopback(), port});
  }
  ASSERT_TRUE(b.discovery.set_on(true).has_value());
  EXPECT_TRUE(run_until(io, [&] { return a.found.size() == 1; }));
}

}  // namespace
}  // namespace kartei::sync
