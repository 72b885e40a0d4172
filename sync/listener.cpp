#include "sync/listener.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <list>
#include <map>

#include "sync/link.h"
#include "sync/pairing.h"

namespace kartei::sync {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

struct Listener::Impl : std::enable_shared_from_this<Listener::Impl> {
  // A connection that has not said what it is for.
  struct Unknown {
    explicit Unknown(tcp::socket s) : socket(std::move(s)), timer(socket.get_executor()) {}
    tcp::socket socket;
    asio::steady_timer timer;
    std::array<std::uint8_t, kGreetingBytes> first{};
  };
  using UnknownPtr = std::shared_ptr<Unknown>;

  Impl(asio::any_io_executor n, ListenerConfig c)
      : net(std::move(n)), config(c), v4(net), v6(net), retry4(net), retry6(net) {}

  Status start();
  Status bind(tcp::acceptor& acceptor, const tcp::endpoint& endpoint);
  void stop();
  void accept(tcp::acceptor& acceptor, asio::steady_timer& retry);
  void greet(tcp::socket socket);
  void forget(const UnknownPtr& unknown);
  void route(const UnknownPtr& unknown);

  asio::any_io_executor net;
  ListenerConfig config;
  tcp::acceptor v4, v6;
  asio::steady_timer retry4, retry6;
  std::map<StreamKind, Handler> handlers;
  std::list<UnknownPtr> unknown;  // oldest first
};

Status Listener::Impl::bind(tcp::acceptor& acceptor, const tcp::endpoint& endpoint) {
  error_code ec;
  acceptor.open(endpoint.protocol(), ec);
  if (!ec) acceptor.set_option(tcp::acceptor::reuse_address(true), ec);
  if (!ec && endpoint.protocol() == tcp::v6()) acceptor.set_option(asio::ip::v6_only(true), ec);
  if (!ec) acceptor.bind(endpoint, ec);
  if (!ec) acceptor.listen(16, ec);
  if (!ec) return {};
  error_code ignored;
  acceptor.close(ignored);
  return Error{Cause::kUnavailable,
               "Cannot listen on TCP port " + std::to_string(endpoint.port()) + ": " + ec.message(),
               {}};
}

Status Listener::Impl::start() {
  const asio::ip::address any4 =
      config.loopback_only ? asio::ip::address_v4::loopback() : asio::ip::address_v4::any();
  const asio::ip::address any6 =
      config.loopback_only ? asio::ip::address_v6::loopback() : asio::ip::address_v6::any();
  const bool any_will_do = config.port == 0 || config.any_port_if_taken;
  Status bound = Error{Cause::kUnavailable, {}, {}};
  if (any_will_do && config.kept_port != 0) bound = bind(v4, {any4, config.kept_port});
  if (bound.has_error()) bound = bind(v4, {any4, config.port});
  if (bound.has_error() && config.any_port_if_taken) bound = bind(v4, {any4, 0});
  if (bound.has_error()) return bound;
  error_code ec;
  const std::uint16_t port = v4.local_endpoint(ec).port();
  config.kept_port = port;
  // A machine without IPv6, or with the same port taken there, is served by IPv4 alone.
  if (bind(v6, {any6, port}).has_value()) accept(v6, retry6);
  accept(v4, retry4);
  return {};
}

void Listener::Impl::stop() {
  error_code ec;
  v4.close(ec);
  v6.close(ec);
  retry4.cancel();
  retry6.cancel();
  for (const auto& one : unknown) {
    one->socket.close(ec);
    one->timer.cancel();
  }
  unknown.clear();
}

void Listener::Impl::accept(tcp::acceptor& acceptor, asio::steady_timer& retry) {
  acceptor.async_accept(
      net, [self = shared_from_this(), &acceptor, &retry](error_code ec, tcp::socket socket) {
        if (ec == asio::error::operation_aborted || !acceptor.is_open()) return;
        if (!ec) {
          self->greet(std::move(socket));
          self->accept(acceptor, retry);
          return;
        }
        // Out of descriptors, most likely: asking again at once would spin.
        retry.expires_after(std::chrono::seconds(1));
        retry.async_wait([self, &acceptor, &retry](error_code stopped) {
          if (!stopped && acceptor.is_open()) self->accept(acceptor, retry);
        });
      });
}

void Listener::Impl::greet(tcp::socket socket) {
  auto one = std::make_shared<Unknown>(std::move(socket));
  unknown.push_back(one);
  if (unknown.size() > config.unknown_max) forget(unknown.front());
  one->timer.expires_after(std::chrono::milliseconds(config.greeting_timeout_ms));
  one->timer.async_wait([self = shared_from_this(), one](error_code ec) {
    if (!ec) self->forget(one);
  });
  asio::async_read(one->socket, asio::buffer(one->first),
                   [self = shared_from_this(), one](error_code ec, std::size_t) {
                     if (ec) {
                       self->forget(one);
                     } else {
                       self->route(one);
                     }
                   });
}

void Listener::Impl::forget(const UnknownPtr& one) {
  const UnknownPtr keep = one;  // `one` may be the list's own
  error_code ec;
  keep->timer.cancel();
  keep->socket.close(ec);
  unknown.remove(keep);
}

void Listener::Impl::route(const UnknownPtr& one) {
  if (!one->socket.is_open()) return;
  std::optional<StreamKind> kind;
  if (one->first == kLinkGreeting) kind = StreamKind::kLink;
  if (one->first == kPairingGreeting) kind = StreamKind::kPairing;
  const auto handler = kind ? handlers.find(*kind) : handlers.end();
  if (handler == handlers.end()) return forget(one);
  one->timer.cancel();
  unknown.remove(one);
  const Handler call = handler->second;  // it may close us
  call(std::move(one->socket), Bytes(one->first.begin(), one->first.end()));
}

Listener::Listener(asio::any_io_executor net, ListenerConfig config)
    : impl_(std::make_shared<Impl>(std::move(net), config)) {}

Listener::~Listener() {
  impl_->handlers.clear();
  impl_->stop();
}

Status Listener::open(StreamKind kind, Handler handler) {
  if (!impl_->v4.is_open()) KARTEI_TRY(impl_->start());
  impl_->handlers[kind] = std::move(handler);
  return {};
}

void Listener::close(StreamKind kind) {
  impl_->handlers.erase(kind);
  if (impl_->handlers.empty()) impl_->stop();
}

std::uint16_t Listener::port() const {
  error_code ec;
  const auto endpoint = impl_->v4.local_endpoint(ec);
  return ec ? std::uint16_t{0} : endpoint.port();
}

}  // namespace kartei::sync
