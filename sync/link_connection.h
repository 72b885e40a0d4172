// A LinkSession on a socket. Internal to link_driver.cpp.
//
// Threads: the driver's `net`. Ownership: keeps itself alive through its own handlers until the
// socket is closed; the host must outlive it or close() it. Failure: exactly one on_closed, after
// which the host is not called again.
#pragma once

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>

#include "sync/link.h"

namespace kartei::sync {

class LinkConnection;

class LinkHost {
 public:
  virtual ~LinkHost() = default;
  virtual void on_ready(LinkConnection& connection, const LinkReady& ready) = 0;
  virtual void on_message(LinkConnection& connection, Bytes message) = 0;
  virtual void on_closed(LinkConnection& connection, const LinkClosed& closed) = 0;
};

struct LinkLimits {
  std::size_t queue_max_bytes = 16 << 20;  // towards one peer; beyond: the link is dropped
  std::size_t inbox_max_bytes =
      8 << 20;  // handed to the owner and not taken; beyond: reading waits
  std::chrono::milliseconds handshake_timeout{10'000};
  std::chrono::milliseconds answer_timeout{15'000};  // to a ping
  std::chrono::milliseconds linger{2'000};           // for the last words
};

// What the owner has not taken yet of one connection. Any thread.
struct LinkInbox {
  std::atomic<std::size_t> bytes{0};
  std::atomic<bool> paused{false};
};

class LinkConnection : public std::enable_shared_from_this<LinkConnection> {
 public:
  LinkConnection(boost::asio::ip::tcp::socket socket, LinkSession session, LinkHost& host,
                 const LinkLimits& limits);
  void start(ByteView first);  // bytes that were read already
  void send(ByteView message);
  // Pings a peer that has been silent for `idle`, and gives it up if it does not answer in time.
  void probe(std::chrono::milliseconds idle);
  // The host hears no more of it.
  void close(LinkEnd reason, std::uint8_t level = 0);
  void resume();  // the inbox has room again

  const LinkReady& peer() const { return peer_; }
  bool dialled() const { return session_.dialled(); }
  bool reaches(const boost::asio::ip::address& address) const;
  const std::shared_ptr<LinkInbox>& inbox() const { return inbox_; }

 private:
  void read();
  void take(ByteView bytes);
  void dispatch(std::vector<LinkEvent> events);
  void closed(LinkClosed how);
  void flush();
  void leave();
  void shut();
  void arm(std::chrono::milliseconds timeout);

  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer timer_;  // handshake, later pings and the last words
  LinkSession session_;
  LinkHost* host_;
  const LinkLimits limits_;
  LinkReady peer_;
  std::shared_ptr<LinkInbox> inbox_ = std::make_shared<LinkInbox>();
  std::chrono::steady_clock::time_point heard_;
  Bytes input_;
  Bytes queue_, writing_;
  bool reading_ = false, shutting_ = false, probing_ = false;
};

}  // namespace kartei::sync
