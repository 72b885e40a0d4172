#include "sync/network.h"

#include <gtest/gtest.h>

#include <boost/asio/ip/udp.hpp>
#include <set>

#include "tests/sync/link_testing.h"

namespace kartei::sync {
namespace {

namespace asio = boost::asio;
using testing::box_id;
using testing::LinkPeer;
using testing::run_until;

struct NetworkNode {
  NetworkNode(asio::io_context& io, crypto::Random& random, std::uint16_t udp_port)
      : device(random),
        network(
            io.get_executor(), io.get_executor(), config(udp_port), callbacks(),
            [] { return std::int64_t{1'800'000'000}; }, random) {}

  static NetworkConfig config(std::uint16_t udp_port) {
    NetworkConfig out;
    out.listener.port = 0;
    out.listener.loopback_only = out.discovery.loopback_only = true;
    out.discovery.port = udp_port;
    return out;
  }
  NetworkCallbacks callbacks() {
    NetworkCallbacks to;
    to.links.on_up = [this](store::BoxId, store::DeviceId id) { up.insert(id); };
    to.links.on_down = [this](store::BoxId, store::DeviceId id, LinkEnd) { up.erase(id); };
    to.links.on_message = [this](store::BoxId, store::DeviceId, Bytes bytes) {
      messages.push_back(std::move(bytes));
    };
    return to;
  }
  void share(const std::vector<const LinkPeer*>& members) {
    network.set_box(
        {testing::link_setup(1, device, members), testing::key_of(1, "beacon"), device.id});
  }

  LinkPeer device;
  std::set<store::DeviceId> up;
  std::vector<Bytes> messages;
  Network network;
};

class NetworkTest : public ::testing::Test {
 protected:
  NetworkTest() : a(io, random, port), b(io, random, port), c(io, random, port) {}
  static std::uint16_t free_port(asio::io_context& io) {
    asio::ip::udp::socket socket(io, {asio::ip::udp::v4(), 0});
    return socket.local_endpoint().port();
  }

  asio::io_context io;
  crypto::SystemRandom random;
  std::uint16_t port = free_port(io);
  NetworkNode a, b, c;
};

TEST_F(NetworkTest, ThreeDevicesWithoutAnyAddressLinkUp) {
  const std::vector<const LinkPeer*> all{&a.device, &b.device, &c.device};
  for (auto* node : {&a, &b, &c}) {
    node->share(all);
    node->network.set_mode(LinkMode::kDirect);
  }
  ASSERT_TRUE(
      run_until(io, [&] { return a.up.size() == 2 && b.up.size() == 2 && c.up.size() == 2; }));
  a.network.send(box_id(1), c.device.id, Bytes{1, 2, 3});
  ASSERT_TRUE(run_until(io, [&] { return c.messages.size() == 1; }));

  // Off: nothing listens, and the others see it go.
  c.network.set_mode(LinkMode::kOff);
  ASSERT_TRUE(run_until(io, [&] { return a.up.size() == 1 && b.up.size() == 1 && c.up.empty(); }));
  std::optional<NetworkStatus> status;
  c.network.status([&](NetworkStatus now) { status = now; });
  ASSERT_TRUE(run_until(io, [&] { return status.has_value(); }));
  EXPECT_EQ(status->port, 0);

  // Back again: its first beacon is enough.
  c.network.set_mode(LinkMode::kDirect);
  EXPECT_TRUE(run_until(io, [&] { return c.up.size() == 2; }));

  // Revoked by one: gone there, and out.
  a.share({&a.device, &b.device});
  EXPECT_TRUE(run_until(io, [&] { return a.up.size() == 1 && c.up.size() == 1; }));
  a.network.status([&](NetworkStatus now) { status = now; });
  ASSERT_TRUE(run_until(io, [&] { return status->port != 0; }));
  EXPECT_EQ(status->links.size(), 1U);
}

TEST_F(NetworkTest, OffUntilTurnedOn) {
  const std::vector<const LinkPeer*> all{&a.device, &b.device};
  a.share(all);
  b.share(all);
  a.network.set_mode(LinkMode::kDirect);
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  run_until(io, [&] { return std::chrono::steady_clock::now() > until; });
  EXPECT_TRUE(a.up.empty() && b.up.empty());
  std::optional<NetworkStatus> status;
  b.network.status([&](NetworkStatus now) { status = now; });
  ASSERT_TRUE(run_until(io, [&] { return status.has_value(); }));
  EXPECT_EQ(status->port, 0);
}

}  // namespace
}  // namespace kartei::sync
