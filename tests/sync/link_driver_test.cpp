#include "sync/link_driver.h"

#include <gtest/gtest.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <map>

#include "sync/link_dial.h"
#include "tests/sync/link_testing.h"

namespace kartei::sync {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using testing::box_id;
using testing::link_setup;
using testing::LinkPeer;
using testing::run_until;

ListenerConfig loopback() {
  ListenerConfig config;
  config.port = 0;
  config.loopback_only = true;
  return config;
}

LinkDriverConfig quick() {
  LinkDriverConfig config;
  config.backoff_min = std::chrono::milliseconds(5);
  config.backoff_max = std::chrono::milliseconds(40);
  return config;
}

// One device with its links; owner and net are the one thread of `io`.
struct Node {
  Node(asio::io_context& context, crypto::Random& random, LinkDriverConfig config = quick())
      : io(context),
        device(random),
        listener(context.get_executor(), loopback()),
        driver(context.get_executor(), context.get_executor(), listener, config, callbacks(),
               random) {}

  LinkCallbacks callbacks() {
    LinkCallbacks to;
    to.on_up = [this](store::BoxId, store::DeviceId id) {
      ++ups[id];
      up[id] = true;
    };
    to.on_down = [this](store::BoxId, store::DeviceId id, LinkEnd end) {
      ++downs[id];
      up[id] = false;
      last_end = end;
    };
    to.on_message = [this](store::BoxId, store::DeviceId from, Bytes bytes) {
      if (echo) driver.send(box_id(1), from, bytes);
      messages.push_back(std::move(bytes));
      bytes_in += messages.back().size();
    };
    return to;
  }
  void join(const std::vector<const LinkPeer*>& members,
            const std::vector<std::string>& addresses = {}) {
    auto setup = link_setup(1, device, members);
    for (auto& member : setup.members) member.addresses = addresses;
    driver.set_box(std::move(setup));
  }
  void listen() {
    driver.set_mode(LinkMode::kDirect);
    ASSERT_TRUE(run_until(io, [this] { return listener.port() != 0; }));
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(listener.port()); }
  tcp::endpoint endpoint() const { return {asio::ip::address_v4::loopback(), listener.port()}; }

  asio::io_context& io;
  LinkPeer device;
  std::map<store::DeviceId, int> ups, downs;
  std::map<store::DeviceId, bool> up;
  std::vector<Bytes> messages;
  std::size_t bytes_in = 0;
  LinkEnd last_end = LinkEnd::kLocal;
  bool echo = false;
  Listener listener;
  LinkDriver driver;
};

// A peer whose every byte the test moves itself.
struct HandPeer {
  HandPeer(asio::io_context& context, Result<LinkSession> made)
      : io(context), socket(context), session(std::move(*made)) {}
  void say() { asio::write(socket, asio::buffer(session.take_output())); }
  std::vector<LinkEvent> hear(std::size_t size) {
    if (!run_until(io, [&] { return socket.available() >= size; })) return {};
    Bytes bytes(size);
    asio::read(socket, asio::buffer(bytes));
    return session.receive(bytes);
  }
  bool shake_hands() {
    if (session.dialled()) {
      say();
      hear(2 + 32 + 1 + 16);
      say();
    } else {
      hear(4 + 2 + 32 + 48 + 34 + 16);
      say();
      hear(2 + 1 + 16);
    }
    return session.ready();
  }

  asio::io_context& io;
  tcp::socket socket;
  LinkSession session;
};

class LinkDriverTest : public ::testing::Test {
 protected:
  // Two devices of one box, linked.
  void link(Node& a, Node& b) {
    const std::vector<const LinkPeer*> all{&a.device, &b.device};
    a.listen();
    b.listen();
    b.join(all);
    a.join(all, {b.address()});
    ASSERT_TRUE(run_until(io, [&] { return a.up[b.device.id] && b.up[a.device.id]; }));
  }

  asio::io_context io;
  crypto::SystemRandom random;
};

TEST_F(LinkDriverTest, TenThousandMessagesArriveInOrder) {
  Node a(io, random), b(io, random);
  link(a, b);
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    Bytes message(300);
    message[0] = static_cast<std::uint8_t>(i >> 8);
    message[1] = static_cast<std::uint8_t>(i);
    a.driver.send(box_id(1), b.device.id, std::move(message));
  }
  ASSERT_TRUE(run_until(io, [&] { return b.messages.size() == 10'000; }));
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    ASSERT_EQ(b.messages[i][0] << 8 | b.messages[i][1], static_cast<int>(i));
  }
}

TEST_F(LinkDriverTest, LargeMessagesBothWaysAtOnce) {
  Node a(io, random), b(io, random);
  link(a, b);
  Bytes large(kLinkMessageMax);
  random.fill(large);
  a.driver.send(box_id(1), b.device.id, large);
  b.driver.send(box_id(1), a.device.id, large);
  ASSERT_TRUE(run_until(io, [&] { return a.messages.size() == 1 && b.messages.size() == 1; }));
  EXPECT_TRUE(a.messages[0] == large && b.messages[0] == large);
}

TEST_F(LinkDriverTest, BothDiallingAtOnceKeepOneLink) {
  for (int round = 0; round < 20; ++round) {
    Node a(io, random), b(io, random);
    const std::vector<const LinkPeer*> all{&a.device, &b.device};
    a.listen();
    b.listen();
    a.join(all, {b.address()});
    b.join(all, {a.address()});
    // Settled: each side sees the other, and a message goes through each way.
    ASSERT_TRUE(run_until(io, [&] {
      if (a.up[b.device.id]) a.driver.send(box_id(1), b.device.id, Bytes(1));
      if (b.up[a.device.id]) b.driver.send(box_id(1), a.device.id, Bytes(1));
      return a.messages.size() > 20 && b.messages.size() > 20;
    }));
    EXPECT_LE(a.ups[b.device.id], 3);
    EXPECT_EQ(a.ups[b.device.id], a.downs[b.device.id] + 1);
    EXPECT_EQ(b.ups[a.device.id], b.downs[a.device.id] + 1);
  }
}

TEST_F(LinkDriverTest, ReconnectsAfterThePeerWasAway) {
  Node a(io, random);
  auto b = std::make_unique<Node>(io, random);
  link(a, *b);
  const auto b_id = b->device.id;
  b->driver.set_mode(LinkMode::kOff);
  ASSERT_TRUE(run_until(io, [&] { return !a.up[b_id]; }));
  EXPECT_EQ(a.last_end, LinkEnd::kBye);
  EXPECT_EQ(b->listener.port(), 0);
  b->listen();
  a.driver.discovered(box_id(1), b_id, b->endpoint());
  ASSERT_TRUE(run_until(io, [&] { return a.up[b_id] && b->up[a.device.id]; }));
  a.driver.send(box_id(1), b_id, Bytes(5));
  ASSERT_TRUE(run_until(io, [&] { return b->messages.size() == 1; }));
}

// The peer lost the connection and this side does not know it: the peer's next dial must not be
// refused for ever in favour of the dead one.
TEST_F(LinkDriverTest, ConnectionDeadOnOneSideGivesWay) {
  bool seen_smaller = false, seen_larger = false;
  for (int round = 0; round < 40 && !(seen_smaller && seen_larger); ++round) {
    Node a(io, random);
    const LinkPeer other(random);
    const bool smaller = a.device.key() < other.key();
    if (smaller ? seen_smaller : seen_larger) continue;
    (smaller ? seen_smaller : seen_larger) = true;
    const std::vector<const LinkPeer*> all{&a.device, &other};
    const LinkBox box = testing::link_box(1, other, all);
    LinkBoxes boxes;
    boxes.emplace(box_id(1), testing::link_box(1, other, all));
    a.listen();

    // `a` dials; its peer then forgets the connection without a word.
    tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
    a.join(all, {"127.0.0.1:" + std::to_string(acceptor.local_endpoint().port())});
    HandPeer dead(io, LinkSession::accept(boxes, random));
    bool accepted = false;
    acceptor.async_accept(dead.socket, [&](boost::system::error_code) { accepted = true; });
    ASSERT_TRUE(run_until(io, [&] { return accepted; }));
    ASSERT_TRUE(dead.shake_hands());
    ASSERT_TRUE(run_until(io, [&] { return a.ups[other.id] == 1; }));

    HandPeer again(io, LinkSession::dial(box, a.device.key(), 0, random));
    again.socket.connect(a.endpoint());
    ASSERT_TRUE(again.shake_hands());
    if (smaller) {
      const auto events = again.hear(2 + 3 + 16);
      ASSERT_TRUE(testing::first_of<LinkClosed>(events));
      EXPECT_EQ(testing::first_of<LinkClosed>(events)->end, LinkEnd::kDuplicate);
      EXPECT_EQ(testing::first_of<LinkClosed>(events)->level, 0);
      HandPeer insisting(io, LinkSession::dial(box, a.device.key(), 1, random));
      insisting.socket.connect(a.endpoint());
      ASSERT_TRUE(insisting.shake_hands());
      ASSERT_TRUE(run_until(io, [&] { return a.ups[other.id] == 2; }));
    } else {
      ASSERT_TRUE(run_until(io, [&] { return a.ups[other.id] == 2; }));
    }
    EXPECT_EQ(a.downs[other.id], 1);
    a.driver.stop();
  }
  EXPECT_TRUE(seen_smaller && seen_larger);
}

// The same between two real drivers: the one that is refused insists.
TEST_F(LinkDriverTest, RefusedAsDuplicateInsists) {
  Node b(io, random);
  const LinkPeer other(random);
  const std::vector<const LinkPeer*> all{&b.device, &other};
  LinkBoxes boxes;
  boxes.emplace(box_id(1), testing::link_box(1, other, all));
  tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
  b.listen();
  b.join(all, {"127.0.0.1:" + std::to_string(acceptor.local_endpoint().port())});
  for (std::uint8_t level : {0, 8}) {
    HandPeer peer(io, LinkSession::accept(boxes, random));
    bool accepted = false;
    acceptor.async_accept(peer.socket, [&](boost::system::error_code) { accepted = true; });
    ASSERT_TRUE(run_until(io, [&] { return accepted; }));
    peer.hear(4 + 2 + 32 + 48 + 34 + 16);
    peer.say();
    const auto events = peer.hear(2 + 1 + 16);
    ASSERT_TRUE(testing::first_of<LinkReady>(events));
    EXPECT_EQ(testing::first_of<LinkReady>(events)->level, level);
    peer.session.close(LinkEnd::kDuplicate, 7);
    peer.say();
    peer.socket.close();
  }
}

TEST_F(LinkDriverTest, RevokedMemberIsToldAndKeptOut) {
  Node a(io, random), b(io, random);
  link(a, b);
  b.join({&b.device});
  ASSERT_TRUE(run_until(io, [&] { return !a.up[b.device.id]; }));
  EXPECT_EQ(a.last_end, LinkEnd::kRevoked);
  const int ups = a.ups[b.device.id];
  // Its next attempts end at the handshake.
  std::vector<LinkStatus> status;
  ASSERT_TRUE(run_until(io, [&] {
    a.driver.status([&](std::vector<LinkStatus> list) { status = std::move(list); });
    return !status.empty() && status[0].last_end == text(LinkEnd::kRefused);
  }));
  EXPECT_EQ(a.ups[b.device.id], ups);
}

TEST_F(LinkDriverTest, DialsOnceDiscovered) {
  Node a(io, random), b(io, random);
  const std::vector<const LinkPeer*> all{&a.device, &b.device};
  a.listen();
  b.listen();
  a.join(all);
  b.join(all);
  a.driver.discovered(box_id(1), b.device.id, b.endpoint());
  EXPECT_TRUE(run_until(io, [&] { return a.up[b.device.id] && b.up[a.device.id]; }));
}

TEST_F(LinkDriverTest, StrangersWhoStallAreBoundedAndGivenUp) {
  auto config = quick();
  config.unproven_max = 4;
  config.limits.handshake_timeout = std::chrono::milliseconds(200);
  Node a(io, random, config), b(io, random);
  a.listen();
  std::vector<std::unique_ptr<tcp::socket>> strangers;
  for (int i = 0; i < 64; ++i) {
    auto& socket = *strangers.emplace_back(std::make_unique<tcp::socket>(io));
    socket.connect(a.endpoint());
    // Half only greet, the others stop in the middle of their hello.
    asio::write(socket, asio::buffer(kLinkGreeting));
    if (i % 2 == 0) asio::write(socket, asio::buffer(Bytes{0, 80, 1, 2, 3}));
    io.restart();
    io.poll();
  }
  // A member gets in all the same.
  const std::vector<const LinkPeer*> all{&a.device, &b.device};
  a.join(all);
  b.listen();
  b.join(all, {a.address()});
  EXPECT_TRUE(run_until(io, [&] { return b.up[a.device.id]; }));
  // And every stranger is gone in the end.
  std::size_t gone = 0;
  Bytes one(1);
  for (auto& socket : strangers) {
    socket->async_read_some(asio::buffer(one),
                            [&](boost::system::error_code ec, std::size_t) { gone += ec ? 1 : 0; });
  }
  EXPECT_TRUE(run_until(io, [&] { return gone == strangers.size(); }));
}

TEST_F(LinkDriverTest, APortThatWasChosenIsKept) {
  ListenerConfig config = loopback();
  config.port = 0;
  config.any_port_if_taken = false;
  const auto nothing = [](tcp::socket, const Bytes&) {};
  std::uint16_t port = 0;
  {
    Listener listener(io.get_executor(), config);
    ASSERT_TRUE(listener.open(StreamKind::kPairing, nothing));
    port = listener.port();
    listener.close(StreamKind::kPairing);
    EXPECT_EQ(listener.port(), 0);
    ASSERT_TRUE(listener.open(StreamKind::kLink, nothing));
    EXPECT_EQ(listener.port(), port) << "opened again";
  }
  config.kept_port = port;
  Listener again(io.get_executor(), config);
  ASSERT_TRUE(again.open(StreamKind::kLink, nothing));
  EXPECT_EQ(again.port(), port) << "at the next start";
  Listener other(io.get_executor(), config);
  ASSERT_TRUE(other.open(StreamKind::kLink, nothing)) << "taken: another one will do";
  EXPECT_NE(other.port(), port);
  ListenerConfig named = config;
  named.port = other.port();
  Listener refused(io.get_executor(), named);
  EXPECT_TRUE(refused.open(StreamKind::kLink, nothing).has_error()) << "its owner named it";
}

TEST_F(LinkDriverTest, SilentConnectionsAreBoundedAtTheListener) {
  auto config = loopback();
  config.unknown_max = 4;
  config.greeting_timeout_ms = 200;
  Listener listener(io.get_executor(), config);
  int handed = 0;
  ASSERT_TRUE(
      listener.open(StreamKind::kLink, [&](tcp::socket, const Bytes&) { ++handed; }).has_value());
  std::vector<std::unique_ptr<tcp::socket>> silent;
  std::size_t gone = 0;
  Bytes one(1);
  for (int i = 0; i < 40; ++i) {
    auto& socket = *silent.emplace_back(std::make_unique<tcp::socket>(io));
    socket.connect({asio::ip::address_v4::loopback(), listener.port()});
    socket.async_read_some(asio::buffer(one),
                           [&](boost::system::error_code ec, std::size_t) { gone += ec ? 1 : 0; });
    io.restart();
    io.poll();
  }
  tcp::socket speaks(io), foreign(io);
  for (auto* socket : {&speaks, &foreign})
    socket->connect({asio::ip::address_v4::loopback(), listener.port()});
  asio::write(speaks, asio::buffer(kLinkGreeting));
  asio::write(foreign, asio::buffer(std::string("GET / HTTP/1.1\r\n")));
  EXPECT_TRUE(run_until(io, [&] { return handed == 1 && gone == silent.size(); }));
}

TEST_F(LinkDriverTest, PeerThatDoesNotReadIsDroppedNotHoarded) {
  auto config = quick();
  config.limits.queue_max_bytes = 1 << 20;
  Node a(io, random, config);
  LinkPeer other(random);
  const std::vector<const LinkPeer*> all{&a.device, &other};
  a.listen();
  a.join(all);
  HandPeer peer(io, LinkSession::dial(testing::link_box(1, other, all), a.device.key(), 0, random));
  peer.socket.connect(a.endpoint());
  ASSERT_TRUE(peer.shake_hands());
  ASSERT_TRUE(run_until(io, [&] { return a.up[other.id]; }));
  int sent = 0;
  ASSERT_TRUE(run_until(io, [&] {
    a.driver.send(box_id(1), other.id, Bytes(100'000));
    ++sent;
    return a.downs[other.id] == 1;
  }));
  EXPECT_EQ(a.last_end, LinkEnd::kOverrun);
  EXPECT_LT(sent, 1000);  // the kernel's buffers and one megabyte
}

TEST_F(LinkDriverTest, OwnerThatIsSlowHoldsItsPeersBack) {
  // The owner runs on a context of its own, which stands still.
  asio::io_context owner;
  auto config = quick();
  config.limits.inbox_max_bytes = 1 << 20;
  Node a(io, random);
  LinkPeer self(random);
  Listener listener(io.get_executor(), loopback());
  std::size_t taken = 0;
  LinkCallbacks callbacks;
  callbacks.on_message = [&](store::BoxId, store::DeviceId, Bytes bytes) { taken += bytes.size(); };
  LinkDriver slow(io.get_executor(), owner.get_executor(), listener, config, callbacks, random);
  slow.set_mode(LinkMode::kDirect);
  ASSERT_TRUE(run_until(io, [&] { return listener.port() != 0; }));
  const std::vector<const LinkPeer*> all{&a.device, &self};
  slow.set_box(link_setup(1, self, all));
  a.listen();
  a.join(all, {"127.0.0.1:" + std::to_string(listener.port())});
  ASSERT_TRUE(run_until(io, [&] { return a.up[self.id]; }));
  // More than the inbox and the kernel hold: what is left waits at the sender, which drops the
  // link.
  ASSERT_TRUE(run_until(io, [&] {
    a.driver.send(box_id(1), self.id, Bytes(1 << 20));
    io.restart();
    io.poll();
    return a.downs[self.id] == 1;
  }));
  EXPECT_EQ(a.last_end, LinkEnd::kOverrun);
  EXPECT_EQ(taken, 0U);
  owner.poll();
  EXPECT_GT(taken, 0U);
  EXPECT_LT(taken, 4U << 20);
}

TEST_F(LinkDriverTest, SlowOwnerLosesNothing) {
  asio::io_context owner;
  auto config = quick();
  config.limits.inbox_max_bytes = 64 << 10;
  Node a(io, random);
  LinkPeer self(random);
  Listener listener(io.get_executor(), loopback());
  std::size_t taken = 0;
  LinkCallbacks callbacks;
  callbacks.on_message = [&](store::BoxId, store::DeviceId, Bytes bytes) { taken += bytes.size(); };
  LinkDriver slow(io.get_executor(), owner.get_executor(), listener, config, callbacks, random);
  slow.set_mode(LinkMode::kDirect);
  ASSERT_TRUE(run_until(io, [&] { return listener.port() != 0; }));
  const std::vector<const LinkPeer*> all{&a.device, &self};
  slow.set_box(link_setup(1, self, all));
  a.listen();
  a.join(all, {"127.0.0.1:" + std::to_string(listener.port())});
  ASSERT_TRUE(run_until(io, [&] { return a.up[self.id]; }));
  for (int i = 0; i < 400; ++i) a.driver.send(box_id(1), self.id, Bytes(10'000));
  ASSERT_TRUE(run_until(io, [&] {
    io.restart();
    io.poll();
    owner.restart();
    owner.poll_one();
    return taken == 4'000'000;
  }));
}

TEST_F(LinkDriverTest, SilentPeerIsGivenUp) {
  auto config = quick();
  config.ping_after = std::chrono::milliseconds(50);
  config.limits.answer_timeout = std::chrono::milliseconds(50);
  Node a(io, random, config);
  LinkPeer other(random);
  const std::vector<const LinkPeer*> all{&a.device, &other};
  a.listen();
  a.join(all);
  HandPeer peer(io, LinkSession::dial(testing::link_box(1, other, all), a.device.key(), 0, random));
  peer.socket.connect(a.endpoint());
  ASSERT_TRUE(peer.shake_hands());
  ASSERT_TRUE(run_until(io, [&] { return a.downs[other.id] == 1; }));
  EXPECT_EQ(a.last_end, LinkEnd::kTimeout);
}

// Its address went with the old network: no FIN comes, and no RST.
TEST_F(LinkDriverTest, ADeadLinkIsNoticedWhenTheNetworkChanges) {
  auto config = quick();
  config.limits.answer_timeout = std::chrono::milliseconds(50);
  Node a(io, random, config), b(io, random);
  link(a, b);
  LinkPeer other(random);
  const std::vector<const LinkPeer*> all{&a.device, &b.device, &other};
  a.join(all);
  HandPeer peer(io, LinkSession::dial(testing::link_box(1, other, all), a.device.key(), 0, random));
  peer.socket.connect(a.endpoint());
  ASSERT_TRUE(peer.shake_hands());
  ASSERT_TRUE(run_until(io, [&] { return a.up[other.id]; }));
  a.driver.redial();
  ASSERT_TRUE(run_until(io, [&] { return a.downs[other.id] == 1; }));
  EXPECT_EQ(a.last_end, LinkEnd::kTimeout);
  EXPECT_EQ(a.downs[b.device.id], 0) << "whoever answers stays";
}

TEST_F(LinkDriverTest, APeerHeardElsewhereIsAskedWhetherItsLinkLives) {
  auto config = quick();
  config.limits.answer_timeout = std::chrono::milliseconds(50);
  Node a(io, random, config);
  LinkPeer other(random);
  const std::vector<const LinkPeer*> all{&a.device, &other};
  a.listen();
  a.join(all);
  HandPeer peer(io, LinkSession::dial(testing::link_box(1, other, all), a.device.key(), 0, random));
  peer.socket.connect(a.endpoint());
  ASSERT_TRUE(peer.shake_hands());
  ASSERT_TRUE(run_until(io, [&] { return a.up[other.id]; }));
  const tcp::endpoint elsewhere(asio::ip::make_address("127.0.0.2"), 9);
  ASSERT_TRUE(run_until(io, [&] {
    a.driver.discovered(box_id(1), other.id, elsewhere);
    return a.downs[other.id] == 1;
  }));
  EXPECT_EQ(a.last_end, LinkEnd::kTimeout);
}

TEST_F(LinkDriverTest, IdleLinkStaysUpByPings) {
  auto config = quick();
  config.ping_after = std::chrono::milliseconds(20);
  Node a(io, random, config), b(io, random);
  link(a, b);
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  run_until(io, [&] { return std::chrono::steady_clock::now() > until; });
  EXPECT_EQ(a.downs[b.device.id], 0);
}

TEST_F(LinkDriverTest, NoCallbackAfterStop) {
  Node a(io, random), b(io, random);
  link(a, b);
  b.driver.send(box_id(1), a.device.id, Bytes(10));
  a.driver.stop();
  ASSERT_TRUE(run_until(io, [&] { return !b.up[a.device.id]; }));
  EXPECT_TRUE(a.messages.empty());
  EXPECT_EQ(a.downs[b.device.id], 0);
}

TEST(AddressTest, IsReadOrRefused) {
  EXPECT_EQ(parse_address("host.example:24880")->host, "host.example");
  EXPECT_EQ(parse_address("[fe80::1%eth0]:7")->host, "fe80::1%eth0");
  for (const char* bad :
       {"", "host", ":1", "host:", "host:0", "host:65536", "host:1x", "fe80::1:7"}) {
    EXPECT_TRUE(parse_address(bad).has_error()) << bad;
  }
}

}  // namespace
}  // namespace kartei::sync
