// Beacons on UDP: multicast (IPv4 and IPv6) and, where there is none, broadcast; sent at the start,
// when the network changes, every 30 to 60 seconds, and every 2 while a member waits for a
// newcomer. Silent and deaf while off.
//
// Threads: all calls and callbacks on `net`. Ownership: borrows random; the callbacks must live
// until it is destroyed. Failure: a network that cannot be spoken to is skipped; if no socket can
// be opened set_on() says so.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>

#include "crypto/random.h"
#include "sync/discovery.h"
#include "sync/listener.h"

namespace kartei::sync {

struct DiscoveryConfig {
  std::uint16_t port = kDefaultPort;
  std::string group4 = "239.255.97.20";
  std::string group6 = "ff12::6b72";
  bool loopback_only = false;  // several devices on one machine, and tests
  std::chrono::milliseconds interval_min{30'000}, interval_max{60'000};
  std::chrono::milliseconds pairing_interval{2'000};
};

struct DiscoveryCallbacks {
  std::function<void(const Discovered&, boost::asio::ip::tcp::endpoint)> on_member;
  // A member somewhere waits for a newcomer.
  std::function<void(const BeaconTag& session, boost::asio::ip::tcp::endpoint)> on_pairing;
};

class Discovery {
 public:
  // `wall_s`: seconds since 1970, for the hour in the tags. `listening_port`: what beacons
  // announce; 0: nothing to announce.
  Discovery(boost::asio::any_io_executor net, DiscoveryConfig config,
            std::function<std::int64_t()> wall_s, std::function<std::uint16_t()> listening_port,
            DiscoveryCallbacks callbacks, crypto::Random& random);
  ~Discovery();

  // On while links are wanted.
  Status set_on(bool on);
  void set_boxes(std::vector<DiscoveryBox> boxes);
  void announce();  // now: the network has changed, the listener has a port
  // A wait for a newcomer: announced while set, whether on or off.
  Status set_pairing(std::optional<BeaconTag> session);
  // Listening for such waits, whether on or off.
  Status set_listening_for_pairing(bool listening);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kartei::sync
