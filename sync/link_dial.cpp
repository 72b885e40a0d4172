#include "sync/link_dial.h"

#include <charconv>

namespace kartei::sync {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::size_t kResolvedMax = 8;

}  // namespace

Result<HostPort> parse_address(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) {
    return bad_input("An address is written host:port.", "address");
  }
  HostPort out{text.substr(0, colon), text.substr(colon + 1)};
  const bool bracketed = out.host.size() > 2 && out.host.front() == '[' && out.host.back() == ']';
  if (bracketed) out.host = out.host.substr(1, out.host.size() - 2);
  if (!bracketed && out.host.find(':') != std::string::npos) {
    return bad_input("An IPv6 address is written [address]:port.", "address");
  }
  unsigned port = 0;
  const char* end = out.port.data() + out.port.size();
  const auto parsed = std::from_chars(out.port.data(), end, port);
  if (parsed.ec != std::errc() || parsed.ptr != end || port == 0 || port > 65535) {
    return bad_input("The port of an address is a number from 1 to 65535.", "address");
  }
  return out;
}

Dialler::Dialler(asio::any_io_executor net, std::chrono::milliseconds timeout)
    : net_(std::move(net)), timeout_(timeout), resolver_(net_), socket_(net_), timer_(net_) {}

void Dialler::next(Done done) {
  done_ = std::move(done);
  if (!endpoints_.empty()) {
    const tcp::endpoint endpoint = endpoints_.front();
    endpoints_.pop_front();
    return connect(endpoint);
  }
  if (!names_.empty()) {
    const std::string name = names_.front();
    names_.pop_front();
    return resolve(name);
  }
  finish(std::nullopt);
}

void Dialler::resolve(const std::string& name) {
  const auto address = parse_address(name);
  if (address.has_error()) return next(std::move(done_));
  error_code ec;
  const auto literal = asio::ip::make_address(address->host, ec);
  if (!ec) {
    return connect({literal, static_cast<std::uint16_t>(std::stoul(address->port))});
  }
  resolver_.async_resolve(
      address->host, address->port,
      [self = shared_from_this()](error_code failed, const tcp::resolver::results_type& results) {
        if (failed == asio::error::operation_aborted || !self->done_) return;
        std::size_t taken = 0;
        for (const auto& result : results) {
          if (taken++ < kResolvedMax) self->endpoints_.push_back(result.endpoint());
        }
        self->next(std::move(self->done_));
      });
}

void Dialler::connect(const tcp::endpoint& endpoint) {
  socket_ = tcp::socket(net_);
  timer_.expires_after(timeout_);
  timer_.async_wait([self = shared_from_this()](error_code ec) {
    error_code ignored;
    if (!ec) self->socket_.close(ignored);
  });
  socket_.async_connect(endpoint, [self = shared_from_this()](error_code ec) {
    if (!self->done_) return;
    self->timer_.cancel();
    if (ec || !self->socket_.is_open()) return self->next(std::move(self->done_));
    self->finish(std::move(self->socket_));
  });
}

void Dialler::finish(std::optional<tcp::socket> socket) {
  if (const Done done = std::exchange(done_, nullptr)) done(std::move(socket));
}

void Dialler::cancel() {
  error_code ignored;
  done_ = nullptr;
  endpoints_.clear();
  names_.clear();
  resolver_.cancel();
  timer_.cancel();
  socket_.close(ignored);
}

}  // namespace kartei::sync
