// The one TCP port of a device. Listens while anybody has opened it, and hands each connection, by
// its first bytes, to whom it is for: links or pairing. So a device whose sharing is off listens to
// nothing, except while its owner pairs.
//
// Threads: all calls and handlers on `net` (a strand, or the one thread of its io_context).
// Where any port will do, it is the same one each time it is opened: others remember it.
// Ownership: handlers get the socket. Failure: a port that is taken is an error of open(), or
// another port where `any_port_if_taken`; a failing accept is tried again a second later.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>

#include "crypto/bytes.h"
#include "crypto/result.h"

namespace kartei::sync {

inline constexpr std::uint16_t kDefaultPort = 24880;  // TCP for links, UDP for discovery

struct ListenerConfig {
  std::uint16_t port = kDefaultPort;  // 0: any
  bool any_port_if_taken = true;
  std::uint16_t kept_port = 0;  // of an earlier time; tried first where the owner named none
  bool loopback_only = false;
  std::size_t unknown_max = 32;  // connections that have not greeted; beyond, the oldest goes
  int greeting_timeout_ms = 5'000;
};

enum class StreamKind { kLink, kPairing };

class Listener {
 public:
  using Handler = std::function<void(boost::asio::ip::tcp::socket socket, Bytes first)>;

  Listener(boost::asio::any_io_executor net, ListenerConfig config);
  ~Listener();  // closes
  Status open(StreamKind kind, Handler handler);
  void close(StreamKind kind);
  std::uint16_t port() const;  // 0: not listening

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kartei::sync
