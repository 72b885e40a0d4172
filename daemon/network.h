// The way to other devices, as a box's host sees it. Behind it stand the link driver, the listener,
// discovery and pairing (network_links.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "crypto/bytes.h"
#include "crypto/identity.h"
#include "crypto/result.h"
#include "store/ids.h"
#include "sync/engine.h"

namespace kartei::daemon {

// A box as the network needs it.
struct NetworkBox {
  store::BoxId box;
  store::DeviceId self;
  crypto::Secret box_secret;  // this device's X25519 key in the box
  crypto::BoxKey box_key{};
  Hash32 link_key{}, beacon_key{};
  struct Member {
    store::DeviceId device;
    crypto::BoxKey key{};
  };
  std::vector<Member> members;         // without this device
  std::vector<std::string> addresses;  // where members were found before, "host:port"
};

// What the network tells a host. All on the writer thread.
class NetworkClient {
 public:
  virtual ~NetworkClient() = default;
  virtual void link_up(store::DeviceId device) = 0;
  virtual void link_down(store::DeviceId device, const std::string& why) = 0;
  virtual void message(store::DeviceId from, Bytes bytes) = 0;
};

// Threads: all calls on the writer thread. Ownership: shares the clients until remove_box().
class Network {
 public:
  virtual ~Network() = default;
  virtual void set_box(NetworkBox box, std::weak_ptr<NetworkClient> client) = 0;  // new or changed
  virtual void remove_box(store::BoxId box) = 0;
  virtual void send(store::BoxId box, store::DeviceId to, Bytes message) = 0;
  virtual std::uint16_t port() const = 0;  // 0: not listening
};

}  // namespace kartei::daemon
