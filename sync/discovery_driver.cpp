#include "sync/discovery_driver.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/multicast.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstring>

namespace kartei::sync {

namespace asio = boost::asio;
using asio::ip::udp;
using boost::asio::ip::tcp;
using boost::system::error_code;

namespace {

// One way to reach the neighbours: an interface, by its IPv4 address or (IPv6) its index.
struct Route {
  unsigned index = 0;
  std::optional<asio::ip::address_v4> address4, broadcast4;
  bool v6 = false;
};

std::optional<asio::ip::address_v4> v4_of(const sockaddr* address) {
  if (address == nullptr || address->sa_family != AF_INET) return std::nullopt;
  sockaddr_in in{};
  std::memcpy(&in, address, sizeof(in));
  return asio::ip::address_v4(ntohl(in.sin_addr.s_addr));
}

std::vector<Route> routes(bool loopback_only) {
  constexpr std::size_t kRoutesMax = 32;
  std::vector<Route> out;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return out;
  for (const ifaddrs* at = list; at != nullptr && out.size() < kRoutesMax; at = at->ifa_next) {
    const bool loopback = (at->ifa_flags & IFF_LOOPBACK) != 0;
    if (at->ifa_addr == nullptr || (at->ifa_flags & IFF_UP) == 0 || loopback != loopback_only)
      continue;
    Route route{
        if_nametoindex(at->ifa_name), v4_of(at->ifa_addr), {}, at->ifa_addr->sa_family == AF_INET6};
    if (!route.address4 && !route.v6) continue;
    if ((at->ifa_flags & IFF_BROADCAST) != 0 && route.address4) {
      route.broadcast4 = v4_of(at->ifa_broadaddr);
    }
    out.push_back(route);
  }
  ::freeifaddrs(list);
  return out;
}

}  // namespace

struct Discovery::Impl : std::enable_shared_from_this<Discovery::Impl> {
  struct Ear {
    explicit Ear(const asio::any_io_executor& net) : socket(net) {}
    udp::socket socket;
    udp::endpoint from;
    std::array<std::uint8_t, 512> buffer{};
  };

  Impl(asio::any_io_executor n, DiscoveryConfig c, std::function<std::int64_t()> wall,
       std::function<std::uint16_t()> port, DiscoveryCallbacks call, crypto::Random& r)
      : net(std::move(n)),
        config(std::move(c)),
        wall_s(std::move(wall)),
        listening_port(std::move(port)),
        callbacks(std::move(call)),
        random(r),
        ear4(net),
        ear6(net),
        timer(net) {}

  bool wanted() const { return on || listening || pairing.has_value(); }
  Status update();
  Status open();
  Status bind(Ear& ear, const udp::endpoint& endpoint);
  void join(const std::vector<Route>& list);
  void close();
  void listen(Ear& ear);
  void heard(const Ear& ear, std::size_t size);
  void announce();
  void send(const Bytes& beacon, const std::vector<Route>& list);
  void schedule();

  asio::any_io_executor net;
  const DiscoveryConfig config;
  std::function<std::int64_t()> wall_s;
  std::function<std::uint16_t()> listening_port;
  DiscoveryCallbacks callbacks;
  crypto::Random& random;
  Ear ear4, ear6;
  asio::steady_timer timer;
  DiscoveryTable table;
  bool on = false, listening = false;
  int early = 0;  // announcements still to come soon after the start: datagrams get lost
  std::optional<BeaconTag> pairing;
};

Status Discovery::Impl::bind(Ear& ear, const udp::endpoint& endpoint) {
  error_code ec;
  auto& socket = ear.socket;
  socket.open(endpoint.protocol(), ec);
  if (!ec) socket.set_option(udp::socket::reuse_address(true), ec);
  if (!ec && endpoint.protocol() == udp::v6()) socket.set_option(asio::ip::v6_only(true), ec);
  if (!ec) socket.bind(endpoint, ec);
  if (!ec) socket.non_blocking(true, ec);
  if (ec) {
    error_code ignored;
    socket.close(ignored);
    return Error{Cause::kUnavailable,
                 "Cannot use UDP port " + std::to_string(endpoint.port()) + ": " + ec.message(),
                 {}};
  }
  error_code ignored;  // each of these only makes fewer networks reachable
  socket.set_option(asio::socket_base::broadcast(true), ignored);
  socket.set_option(asio::ip::multicast::enable_loopback(true), ignored);
  socket.set_option(asio::ip::multicast::hops(1), ignored);
  return {};
}

Status Discovery::Impl::open() {
  const Status four = bind(ear4, {asio::ip::address_v4::any(), config.port});
  const Status six = bind(ear6, {asio::ip::address_v6::any(), config.port});
  if (four.has_error() && six.has_error()) return four;
  join(routes(config.loopback_only));
  if (ear4.socket.is_open()) listen(ear4);
  if (ear6.socket.is_open()) listen(ear6);
  early = 2;
  return {};
}

// Interfaces come and go; one joined already refuses, which is fine.
void Discovery::Impl::join(const std::vector<Route>& list) {
  error_code ignored;
  const auto group4 = asio::ip::make_address_v4(config.group4, ignored);
  const auto group6 = asio::ip::make_address_v6(config.group6, ignored);
  for (const auto& route : list) {
    if (route.address4 && ear4.socket.is_open()) {
      ear4.socket.set_option(asio::ip::multicast::join_group(group4, *route.address4), ignored);
    }
    if (route.v6 && ear6.socket.is_open()) {
      ear6.socket.set_option(asio::ip::multicast::join_group(group6, route.index), ignored);
    }
  }
}

void Discovery::Impl::close() {
  error_code ignored;
  timer.cancel();
  ear4.socket.close(ignored);
  ear6.socket.close(ignored);
}

Status Discovery::Impl::update() {
  const bool open_now = ear4.socket.is_open() || ear6.socket.is_open();
  if (!wanted()) {
    close();
    return {};
  }
  if (!open_now) KARTEI_TRY(open());
  announce();
  return {};
}

void Discovery::Impl::listen(Ear& ear) {
  ear.socket.async_receive_from(asio::buffer(ear.buffer), ear.from,
                                [self = shared_from_this(), &ear](error_code ec, std::size_t size) {
                                  if (ec == asio::error::operation_aborted || !ear.socket.is_open())
                                    return;
                                  if (!ec) self->heard(ear, size);
                                  if (ear.socket.is_open()) self->listen(ear);
                                });
}

void Discovery::Impl::heard(const Ear& ear, std::size_t size) {
  const auto beacon = decode_beacon(ByteView(ear.buffer).first(size));
  if (beacon.has_error()) return;
  const tcp::endpoint where(ear.from.address(), beacon->port);
  if (on && callbacks.on_member) {
    for (const auto& member : table.recognise(*beacon, wall_s()))
      callbacks.on_member(member, where);
  }
  const bool own = beacon->pairing && pairing == beacon->pairing;
  if (listening && beacon->pairing && !own && callbacks.on_pairing) {
    callbacks.on_pairing(*beacon->pairing, where);
  }
}

void Discovery::Impl::announce() {
  if (!wanted()) return;
  const auto list = routes(config.loopback_only);
  join(list);
  Beacon beacon{listening_port(), {}, pairing};
  if (on) beacon.tags = table.own_tags(wall_s());
  if (beacon.port != 0 && (!beacon.tags.empty() || beacon.pairing)) send(encode(beacon), list);
  schedule();
}

void Discovery::Impl::send(const Bytes& beacon, const std::vector<Route>& list) {
  error_code ignored;  // a neighbour that cannot be reached now hears the next one
  const auto group4 = asio::ip::make_address_v4(config.group4, ignored);
  const auto group6 = asio::ip::make_address_v6(config.group6, ignored);
  const auto bytes = asio::buffer(beacon);
  for (const auto& route : list) {
    if (route.address4 && ear4.socket.is_open()) {
      ear4.socket.set_option(asio::ip::multicast::outbound_interface(*route.address4), ignored);
      ear4.socket.send_to(bytes, {group4, config.port}, 0, ignored);
      if (route.broadcast4)
        ear4.socket.send_to(bytes, {*route.broadcast4, config.port}, 0, ignored);
    }
    if (route.v6 && ear6.socket.is_open()) {
      ear6.socket.set_option(asio::ip::multicast::outbound_interface(route.index), ignored);
      ear6.socket.send_to(bytes, {group6, config.port}, 0, ignored);
    }
  }
}

void Discovery::Impl::schedule() {
  auto wait = config.interval_min;
  const auto span = static_cast<std::uint64_t>((config.interval_max - config.interval_min).count());
  if (span > 0) wait += std::chrono::milliseconds(random.next_u64() % (span + 1));
  if (pairing || early > 0) wait = std::min(wait, config.pairing_interval);
  if (early > 0) --early;
  if (!on && !pairing) return timer.expires_at(asio::steady_timer::time_point::max()), void();
  timer.expires_after(wait);
  timer.async_wait([self = shared_from_this()](error_code ec) {
    if (!ec) self->announce();
  });
}

Discovery::Discovery(asio::any_io_executor net, DiscoveryConfig config,
                     std::function<std::int64_t()> wall_s,
                     std::function<std::uint16_t()> listening_port, DiscoveryCallbacks callbacks,
                     crypto::Random& random)
    : impl_(std::make_shared<Impl>(std::move(net), std::move(config), std::move(wall_s),
                                   std::move(listening_port), std::move(callbacks), random)) {}

Discovery::~Discovery() {
  impl_->on = impl_->listening = false;
  impl_->pairing.reset();
  impl_->callbacks = {};
  impl_->close();
}

Status Discovery::set_on(bool on) {
  impl_->on = on;
  return impl_->update();
}

void Discovery::set_boxes(std::vector<DiscoveryBox> boxes) {
  impl_->table.set_boxes(std::move(boxes));
  if (impl_->on) impl_->announce();
}

void Discovery::announce() {
  impl_->announce();
}

Status Discovery::set_pairing(std::optional<BeaconTag> session) {
  impl_->pairing = session;
  return impl_->update();
}

Status Discovery::set_listening_for_pairing(bool listening) {
  impl_->listening = listening;
  return impl_->update();
}

}  // namespace kartei::sync
