// A PairingSession on a socket. Internal to pairing_host.cpp and pairing_guest.cpp.
//
// Threads: `net`. Ownership: owns the session; keeps itself alive through its handlers. Failure: a
// Failed event; after close() no event comes.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>

#include "sync/pairing.h"

namespace kartei::sync {

// The steady clock of both sides of a pairing.
std::int64_t pairing_clock_ms();

class PairingStream : public std::enable_shared_from_this<PairingStream> {
 public:
  using OnEvent = std::function<void(PairingEvent)>;

  PairingStream(boost::asio::ip::tcp::socket socket, std::unique_ptr<PairingSession> session);
  void set_handler(OnEvent on_event) { on_event_ = std::move(on_event); }
  void start(std::chrono::milliseconds timeout);
  // The next step must come within this time.
  void expect(std::chrono::milliseconds timeout);
  // Each piece that arrives gives it this time anew.
  void expect_bytes(std::chrono::milliseconds silence);
  // Sends what the session has to say.
  void flush();
  // Last words go out, then it is over.
  void close();
  PairingSession& session() { return *session_; }

 private:
  void read();
  void write();
  void dispatch(std::vector<PairingEvent> events);
  void shut();

  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer timer_;
  std::unique_ptr<PairingSession> session_;
  OnEvent on_event_;
  Bytes input_, queue_, writing_;
  std::chrono::milliseconds silence_{0};
  bool closing_ = false;
};

}  // namespace kartei::sync
