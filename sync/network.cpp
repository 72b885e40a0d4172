#include "sync/network.h"

#include <boost/asio/post.hpp>
#include <map>

#include "sync/network_watch.h"

namespace kartei::sync {

namespace asio = boost::asio;
using asio::ip::tcp;

struct Network::Impl {
  Impl(asio::any_io_executor n, asio::any_io_executor owner, NetworkConfig c,
       NetworkCallbacks callbacks, std::function<std::int64_t()> wall_s, crypto::Random& random)
      : net(n),
        discover(c.discover),
        listener(n, c.listener),
        discovery(
            n, c.discovery, std::move(wall_s), [this] { return listener.port(); }, heard(), random),
        links(n, owner, listener, c.links, std::move(callbacks.links), random),
        host(n, owner, listener, discovery, c.pairing, std::move(callbacks.host), random),
        guest(n, owner, discovery, c.pairing, std::move(callbacks.guest), random),
        watch(n, [this] {
          discovery.announce();
          links.redial();
        }) {}

  DiscoveryCallbacks heard() {
    DiscoveryCallbacks to;
    to.on_member = [this](const Discovered& who, const tcp::endpoint& where) {
      links.discovered(who.box, who.device, where);
    };
    to.on_pairing = [this](const BeaconTag& session, const tcp::endpoint& where) {
      guest.found(session, where);
    };
    return to;
  }

  void refresh() {
    std::vector<DiscoveryBox> list;
    for (const auto& [id, box] : boxes) list.push_back(box);
    discovery.set_boxes(std::move(list));
  }

  asio::any_io_executor net;
  const bool discover;
  std::map<store::BoxId, DiscoveryBox> boxes;
  Listener listener;
  Discovery discovery;
  LinkDriver links;
  PairingHost host;
  PairingGuest guest;
  NetworkWatch watch;
};

Network::Network(asio::any_io_executor net, asio::any_io_executor owner, NetworkConfig config,
                 NetworkCallbacks callbacks, std::function<std::int64_t()> wall_s,
                 crypto::Random& random)
    : impl_(std::make_shared<Impl>(std::move(net), std::move(owner), std::move(config),
                                   std::move(callbacks), std::move(wall_s), random)) {}

Network::~Network() {
  stop();
}

void Network::set_mode(LinkMode mode) {
  impl_->links.set_mode(mode);  // the listener first: beacons name its port
  asio::post(impl_->net, [impl = impl_, mode] {
    // Without beacons there are still fixed addresses.
    (void)impl->discovery.set_on(impl->discover && mode == LinkMode::kDirect);
  });
}

void Network::set_box(NetworkBox box) {
  DiscoveryBox found{box.links.box, box.beacon_key, box.self, {}};
  for (const auto& member : box.links.members) found.members.push_back(member.device);
  impl_->links.set_box(std::move(box.links));
  asio::post(impl_->net, [impl = impl_, found = std::move(found)] {
    impl->boxes[found.box] = found;
    impl->refresh();
  });
}

void Network::remove_box(store::BoxId box) {
  impl_->links.remove_box(box);
  asio::post(impl_->net, [impl = impl_, box] {
    impl->boxes.erase(box);
    impl->refresh();
  });
}

void Network::send(store::BoxId box, store::DeviceId device, Bytes message) {
  impl_->links.send(box, device, std::move(message));
}

PairingHost& Network::host() {
  return impl_->host;
}
PairingGuest& Network::guest() {
  return impl_->guest;
}

void Network::status(std::function<void(NetworkStatus)> done) {
  asio::post(impl_->net, [impl = impl_, done = std::move(done)] {
    const std::uint16_t port = impl->listener.port();
    impl->links.status([done, port](std::vector<LinkStatus> links) {
      done({port, std::move(links)});
    });
  });
}

void Network::stop() {
  impl_->host.cancel();
  impl_->guest.cancel();
  impl_->links.stop();
  asio::post(impl_->net, [impl = impl_] { (void)impl->discovery.set_on(false); });
}

}  // namespace kartei::sync
