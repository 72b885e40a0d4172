// Keeps a link to every member of every box that can be reached: listens, dials fixed and
// discovered addresses with a growing pause, routes what arrives to the box it names, keeps one
// connection where two were made, and gives up peers that fall silent.
//
// Threads: any call from any thread; each is posted to `net` (a strand, or its io_context's one
// thread) and done in the order given. Callbacks are posted to `owner`, which must run one at a
// time; after stop() returned on `owner`, none runs. For one device: up, messages in order, down. A
// message given to send() before `down` was heard may be lost: whoever rests on it sends it again
// on `up`. Ownership: borrows listener and random until destroyed, which happens on `net` or after
// its io_context has stopped. Failure: on_problem for what a person can mend; everything else is a
// down with its reason and a new attempt.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sync/link_connection.h"
#include "sync/listener.h"

namespace kartei::sync {

enum class LinkMode { kOff, kDirect };

struct LinkMember {
  store::DeviceId device;
  crypto::BoxKey key{};
  std::vector<std::string> addresses;  // "host:port", "[v6]:port"; may be empty
};

struct LinkBoxSetup {
  store::BoxId box;
  crypto::Secret box_secret;
  crypto::BoxKey box_key{};
  Hash32 link_key{};
  std::vector<LinkMember> members;  // without this device
};

struct LinkDriverConfig {
  LinkLimits limits;
  std::size_t unproven_max = 32;  // incoming, not known yet; beyond, the oldest goes
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds backoff_min{200}, backoff_max{60'000};
  std::chrono::milliseconds ping_after{30'000};
};

struct LinkCallbacks {
  std::function<void(store::BoxId, store::DeviceId)> on_up;
  std::function<void(store::BoxId, store::DeviceId, LinkEnd)> on_down;
  std::function<void(store::BoxId, store::DeviceId, Bytes)> on_message;
  std::function<void(Error)> on_problem;
};

struct LinkStatus {
  store::BoxId box;
  store::DeviceId device;
  bool up = false;
  bool dialled = false;  // by us
  std::string last_end;  // why the last connection or attempt ended
  std::size_t addresses = 0;
};

class LinkDriver {
 public:
  LinkDriver(boost::asio::any_io_executor net, boost::asio::any_io_executor owner,
             Listener& listener, LinkDriverConfig config, LinkCallbacks callbacks,
             crypto::Random& random);
  ~LinkDriver();

  void set_mode(LinkMode mode);
  // A box, new or changed. Connections with devices that are no members any more are told and
  // closed.
  void set_box(LinkBoxSetup setup);
  void remove_box(store::BoxId box);
  void send(store::BoxId box, store::DeviceId device, Bytes message);  // dropped while not up
  // A member was heard at this address: dialled at once if there is no link.
  void discovered(store::BoxId box, store::DeviceId device, boost::asio::ip::tcp::endpoint where);
  void redial();  // the network has changed: no pause counts, and links are asked whether they live
  void status(std::function<void(std::vector<LinkStatus>)> done);  // called on `owner`
  void stop();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kartei::sync
