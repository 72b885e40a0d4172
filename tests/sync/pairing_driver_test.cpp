#include "sync/pairing_driver.h"

#include <gtest/gtest.h>

#include <boost/asio/ip/udp.hpp>

#include "tests/sync/link_testing.h"

namespace kartei::sync {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using testing::box_id;
using testing::free_udp_port;
using testing::run_until;

struct Station {
  Station(asio::io_context& io, crypto::Random& random, std::uint16_t udp_port,
          PairingLimits limits)
      : listener(io.get_executor(), tcp_config()),
        discovery(
            io.get_executor(), udp_config(udp_port), [] { return std::int64_t{0}; },
            [this] { return listener.port(); }, heard(), random),
        host(io.get_executor(), io.get_executor(), listener, discovery, limits, host_callbacks(),
             random),
        guest(io.get_executor(), io.get_executor(), discovery, limits, guest_callbacks(), random) {}

  static ListenerConfig tcp_config() {
    ListenerConfig config;
    config.port = 0;
    config.loopback_only = true;
    return config;
  }
  static DiscoveryConfig udp_config(std::uint16_t port) {
    DiscoveryConfig config;
    config.port = port;
    config.loopback_only = true;
    config.pairing_interval = std::chrono::milliseconds(20);
    return config;
  }
  DiscoveryCallbacks heard() {
    DiscoveryCallbacks to;
    to.on_pairing = [this](const BeaconTag& session, const tcp::endpoint& where) {
      guest.found(session, where);
    };
    return to;
  }
  PairingHostCallbacks host_callbacks() {
    PairingHostCallbacks to;
    to.on_join = [this](const Newcomer& who) { joined = who.name; };
    to.on_end = [this](PairingEnd end) {
      ++host_ends;
      host_end = end;
    };
    return to;
  }
  PairingGuestCallbacks guest_callbacks() {
    PairingGuestCallbacks to;
    to.on_sponsor = [this](const PairingSponsor& who) { sponsor = who.name; };
    to.on_waiting = [this] { ++waits; };
    to.on_welcome = [this](Bytes bytes) { welcome = std::move(bytes); };
    to.on_end = [this](PairingEnd end) {
      ++guest_ends;
      guest_end = end;
    };
    return to;
  }
  std::string address() const { return "localhost:" + std::to_string(listener.port()); }

  std::string joined, sponsor;
  int waits = 0, host_ends = 0, guest_ends = 0;
  std::optional<Bytes> welcome;
  PairingEnd host_end, guest_end;
  Listener listener;
  Discovery discovery;
  PairingHost host;
  PairingGuest guest;
};

class PairingDriverTest : public ::testing::Test {
 protected:
  PairingDriverTest() : port(free_udp_port(io)) {
    limits.search_timeout = std::chrono::milliseconds(400);
  }
  PairingSelf self(const std::string& name) { return {crypto::Identity::generate(random), name}; }
  PairingCode offer(Station& at, std::chrono::seconds valid = std::chrono::seconds(300)) {
    auto code = PairingCode::generate(random);
    at.host.offer(code, valid, box_id(1), self("laptop"));
    EXPECT_TRUE(run_until(io, [&] { return at.listener.port() != 0; }));
    return code;
  }
  PairingCode other(const PairingCode& than) {
    for (;;) {
      auto code = PairingCode::generate(random);
      if (!(code == than)) return code;
    }
  }

  asio::io_context io;
  crypto::SystemRandom random;
  std::uint16_t port;
  PairingLimits limits;
};

TEST_F(PairingDriverTest, JoinsByAddressAfterWaitingForApproval) {
  Station member(io, random, port, limits), newcomer(io, random, port, limits);
  const auto code = offer(member);
  newcomer.guest.join(code, member.address(), self("phone"));
  ASSERT_TRUE(run_until(io, [&] { return member.joined == "phone"; }));
  member.host.waiting();
  ASSERT_TRUE(run_until(io, [&] { return newcomer.waits == 1; }));
  EXPECT_EQ(newcomer.sponsor, "laptop");
  member.host.welcome(Bytes(100'000, 7));
  ASSERT_TRUE(run_until(io, [&] { return newcomer.welcome.has_value(); }));
  EXPECT_EQ(*newcomer.welcome, Bytes(100'000, 7));
  newcomer.guest.accepted(Status());
  ASSERT_TRUE(run_until(io, [&] { return member.host_ends == 1 && newcomer.guest_ends == 1; }));
  EXPECT_FALSE(member.host_end || newcomer.guest_end);
  EXPECT_EQ(member.listener.port(), 0);  // sharing is off: nothing listens any more
}

// Its line broke without a word: the newcomer is free for another code, not in an hour.
TEST_F(PairingDriverTest, AMemberThatFallsSilentIsGivenUp) {
  limits.silence_timeout = std::chrono::milliseconds(200);
  Station member(io, random, port, limits), newcomer(io, random, port, limits);
  const auto code = offer(member);
  newcomer.guest.join(code, member.address(), self("phone"));
  ASSERT_TRUE(run_until(io, [&] { return member.joined == "phone"; }));
  ASSERT_TRUE(run_until(io, [&] { return newcomer.guest_ends == 1; }));
  EXPECT_EQ(newcomer.guest_end->failure, PairingFailure::kTimeout);
}

TEST_F(PairingDriverTest, AMemberThatWaitsForApprovalSaysSo) {
  limits.silence_timeout = std::chrono::milliseconds(500);
  limits.reminder = std::chrono::milliseconds(100);
  Station member(io, random, port, limits), newcomer(io, random, port, limits);
  const auto code = offer(member);
  newcomer.guest.join(code, member.address(), self("phone"));
  ASSERT_TRUE(run_until(io, [&] { return member.joined == "phone"; }));
  member.host.waiting();
  ASSERT_TRUE(run_until(io, [&] { return newcomer.waits == 8 || newcomer.guest_ends > 0; }));
  EXPECT_EQ(newcomer.guest_ends, 0);
  member.host.welcome(Bytes(10));
  ASSERT_TRUE(run_until(io, [&] { return newcomer.welcome.has_value(); }));
}

TEST_F(PairingDriverTest, JoinsWithoutAnAddress) {
  Station member(io, random, port, limits), newcomer(io, random, port, limits);
  const auto code = offer(member);
  newcomer.guest.join(code, "", self("phone"));
  ASSERT_TRUE(run_until(io, [&] { return member.joined == "phone"; }));
  member.host.refuse("No.");
  ASSERT_TRUE(run_until(io, [&] { return newcomer.guest_ends == 1; }));
  EXPECT_EQ(newcomer.guest_end->failure, PairingFailure::kRefused);
  EXPECT_EQ(newcomer.guest_end->what, "No.");
}

TEST_F(PairingDriverTest, FindsItsMemberAmongOthers) {
  Station stranger(io, random, port, limits), member(io, random, port, limits),
      newcomer(io, random, port, limits);
  offer(stranger);
  const auto code = offer(member);
  newcomer.guest.join(code, "", self("phone"));
  ASSERT_TRUE(run_until(io, [&] { return member.joined == "phone"; }));
  EXPECT_EQ(stranger.host_ends, 0);
}

TEST_F(PairingDriverTest, ThreeWrongCodesEndTheOffer) {
  Station member(io, random, port, limits), newcomer(io, random, port, limits);
  const auto code = offer(member);
  const auto address = member.address();
  for (int i = 1; i <= 3; ++i) {
    newcomer.guest.join(other(code), address, self("phone"));
    ASSERT_TRUE(run_until(io, [&] { return newcomer.guest_ends == i; }));
    EXPECT_EQ(newcomer.guest_end->failure, PairingFailure::kWrongCode);
  }
  ASSERT_TRUE(run_until(io, [&] { return member.host_ends == 1; }));
  EXPECT_EQ(member.host_end->failure, PairingFailure::kSpent);
  newcomer.guest.join(code, address, self("phone"));
  ASSERT_TRUE(run_until(io, [&] { return newcomer.guest_ends == 4; }));
  EXPECT_EQ(newcomer.guest_end->failure, PairingFailure::kNotFound);
}

TEST_F(PairingDriverTest, OfferExpires) {
  Station member(io, random, port, limits);
  offer(member, std::chrono::seconds(0));
  ASSERT_TRUE(run_until(io, [&] { return member.host_ends == 1; }));
  EXPECT_EQ(member.host_end->failure, PairingFailure::kExpired);
  EXPECT_EQ(member.listener.port(), 0);
}

TEST_F(PairingDriverTest, NobodyThereIsSaid) {
  Station newcomer(io, random, port, limits);
  newcomer.guest.join(PairingCode::generate(random), "", self("phone"));
  ASSERT_TRUE(run_until(io, [&] { return newcomer.guest_ends == 1; }));
  EXPECT_EQ(newcomer.guest_end->failure, PairingFailure::kNotFound);
  newcomer.guest.join(PairingCode::generate(random), "nonsense", self("phone"));
  ASSERT_TRUE(run_until(io, [&] { return newcomer.guest_ends == 2; }));
  EXPECT_EQ(newcomer.guest_end->failure, PairingFailure::kNotFound);
}

TEST_F(PairingDriverTest, StalledConnectionsDoNotKeepTheNewcomerOut) {
  limits.step_timeout = std::chrono::milliseconds(100);
  Station member(io, random, port, limits), newcomer(io, random, port, limits);
  const auto code = offer(member);
  std::vector<std::unique_ptr<tcp::socket>> stalled;
  for (int i = 0; i < 12; ++i) {
    auto& socket = *stalled.emplace_back(std::make_unique<tcp::socket>(io));
    socket.connect({asio::ip::address_v4::loopback(), member.listener.port()});
    socket.send(asio::buffer(kPairingGreeting));
    io.restart();
    io.poll();
  }
  const auto address = member.address();
  int tries = 0;
  ASSERT_TRUE(run_until(io, [&] {
    if (newcomer.guest_ends == tries) {
      ++tries;
      newcomer.guest.join(code, address, self("phone"));
    }
    return member.joined == "phone";
  }));
}

TEST_F(PairingDriverTest, CancelledIsSilent) {
  Station member(io, random, port, limits), newcomer(io, random, port, limits);
  const auto code = offer(member);
  newcomer.guest.join(code, member.address(), self("phone"));
  ASSERT_TRUE(run_until(io, [&] { return member.joined == "phone"; }));
  member.host.cancel();
  ASSERT_TRUE(run_until(io, [&] { return newcomer.guest_ends == 1; }));
  EXPECT_EQ(member.host_ends, 0);
  EXPECT_EQ(newcomer.guest_end->failure, PairingFailure::kLost);
}

}  // namespace
}  // namespace kartei::sync
