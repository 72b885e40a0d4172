// Everything that this device does on the network for its boxes, put together: listener, discovery,
// links, pairing. This is what the daemon holds; the parts are in the headers below.
//
// Threads: any call from any thread; callbacks are posted to `owner`, which must run one at a time;
// after stop() returned on `owner`, none runs. Destroy it on `net` or after its io_context has
// stopped. Ownership: borrows random, which is used on `net` only. Failure: see the callbacks.
#pragma once

#include "sync/discovery_driver.h"
#include "sync/link_driver.h"
#include "sync/pairing_driver.h"

namespace kartei::sync {

struct NetworkConfig {
  ListenerConfig listener;
  DiscoveryConfig discovery;
  LinkDriverConfig links;
  PairingLimits pairing;
  bool discover = true;  // false: no beacons are sent or heard, fixed addresses only
};

struct NetworkBox {
  LinkBoxSetup links;
  Hash32 beacon_key{};  // Engine::derived_key("beacon")
  store::DeviceId self;
};

struct NetworkCallbacks {
  LinkCallbacks links;
  PairingHostCallbacks host;
  PairingGuestCallbacks guest;
};

struct NetworkStatus {
  std::uint16_t port = 0;  // TCP; 0: not listening
  std::vector<LinkStatus> links;
};

class Network {
 public:
  // `wall_s`: seconds since 1970; called on `net`.
  Network(boost::asio::any_io_executor net, boost::asio::any_io_executor owner,
          NetworkConfig config, NetworkCallbacks callbacks, std::function<std::int64_t()> wall_s,
          crypto::Random& random);
  ~Network();

  void set_mode(LinkMode mode);
  void set_box(NetworkBox box);  // new or changed
  void remove_box(store::BoxId box);
  void send(store::BoxId box, store::DeviceId device, Bytes message);
  PairingHost& host();
  PairingGuest& guest();
  void status(std::function<void(NetworkStatus)> done);  // called on `owner`
  void stop();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kartei::sync
