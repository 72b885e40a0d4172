// Devices and boxes for the tests of links, discovery and pairing.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "crypto/hash.h"
#include "crypto/identity.h"
#include "sync/link.h"
#include "sync/link_driver.h"

namespace kartei::sync::testing {

struct LinkPeer {
  explicit LinkPeer(crypto::Random& random) : identity(crypto::Identity::generate(random)) {
    id.bytes = identity.pub().id();
  }
  crypto::BoxKey key() const { return identity.pub().box_key; }

  crypto::Identity identity;
  store::DeviceId id;
};

inline std::uint16_t free_udp_port(boost::asio::io_context& io) {
  boost::asio::ip::udp::socket socket(io, {boost::asio::ip::udp::v4(), 0});
  return socket.local_endpoint().port();
}

inline store::BoxId box_id(std::uint8_t n) {
  store::BoxId id;
  id.bytes.fill(n);
  return id;
}

inline Hash32 key_of(std::uint8_t n, std::string_view purpose) {
  const std::array<std::uint8_t, 1> number{n};
  return crypto::hash(purpose, {number});
}

// The box `n` as `self` sees it.
inline LinkBox link_box(std::uint8_t n, const LinkPeer& self,
                        const std::vector<const LinkPeer*>& members) {
  LinkBox box{box_id(n), self.identity.box_secret().copy(), self.key(), key_of(n, "link"), {}};
  for (const auto* member : members) {
    if (member->id != self.id) box.members[member->key()] = member->id;
  }
  return box;
}

inline LinkBoxSetup link_setup(std::uint8_t n, const LinkPeer& self,
                               const std::vector<const LinkPeer*>& members) {
  LinkBoxSetup setup{
      box_id(n), self.identity.box_secret().copy(), self.key(), key_of(n, "link"), {}};
  for (const auto* member : members) {
    if (member->id != self.id) setup.members.push_back({member->id, member->key(), {}});
  }
  return setup;
}

template <class Event>
const Event* first_of(const std::vector<LinkEvent>& events) {
  for (const auto& event : events) {
    if (const auto* found = std::get_if<Event>(&event)) return found;
  }
  return nullptr;
}

// Two sessions and the wire between them; `piece` bytes at a time.
struct Wire {
  explicit Wire(LinkSession from, LinkSession to) : a(std::move(from)), b(std::move(to)) {}

  void deliver(LinkSession& to, Bytes bytes, std::vector<LinkEvent>& events) const {
    ByteView rest = bytes;
    while (!rest.empty()) {
      const std::size_t size = std::min(piece, rest.size());
      auto more = to.receive(rest.first(size));
      rest = rest.subspan(size);
      std::move(more.begin(), more.end(), std::back_inserter(events));
    }
  }
  void pump() {
    for (;;) {
      Bytes to_b = a.take_output(), to_a = b.take_output();
      if (to_b.empty() && to_a.empty()) return;
      deliver(b, std::move(to_b), b_events);
      deliver(a, std::move(to_a), a_events);
    }
  }

  LinkSession a, b;
  std::size_t piece = 1 << 20;
  std::vector<LinkEvent> a_events, b_events;
};

// Runs `io` until `done` or the deadline; false: the deadline.
template <class Done>
bool run_until(boost::asio::io_context& io, Done done,
               std::chrono::seconds limit = std::chrono::seconds(20)) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!done()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    io.restart();
    io.run_one_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace kartei::sync::testing
