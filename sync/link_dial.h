// One round of attempts to reach a peer: each address in turn, names resolved, until one connects.
// Internal to link_driver.cpp. Threads: `net`. Failure: next() gives an empty socket at the end.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "crypto/result.h"

namespace kartei::sync {

struct HostPort {
  std::string host, port;
};
// "host:port", "1.2.3.4:5", "[::1]:5".
Result<HostPort> parse_address(const std::string& text);

class Dialler : public std::enable_shared_from_this<Dialler> {
 public:
  using Done = std::function<void(std::optional<boost::asio::ip::tcp::socket>)>;

  Dialler(boost::asio::any_io_executor net, std::chrono::milliseconds timeout);
  void add(const boost::asio::ip::tcp::endpoint& endpoint) { endpoints_.push_back(endpoint); }
  void add(const std::string& address) { names_.push_back(address); }
  // The next address that connects; empty: there is none left. One call at a time.
  void next(Done done);
  void cancel();  // `done` is not called any more

 private:
  void resolve(const std::string& name);
  void connect(const boost::asio::ip::tcp::endpoint& endpoint);
  void finish(std::optional<boost::asio::ip::tcp::socket> socket);

  boost::asio::any_io_executor net_;
  std::chrono::milliseconds timeout_;
  boost::asio::ip::tcp::resolver resolver_;
  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer timer_;
  std::deque<boost::asio::ip::tcp::endpoint> endpoints_;
  std::deque<std::string> names_;
  Done done_;
};

}  // namespace kartei::sync
