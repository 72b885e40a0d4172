#include "sync/link_driver.h"

#include <set>

#include "sync/link_driver_impl.h"

namespace kartei::sync {

namespace asio = boost::asio;
using asio::ip::tcp;
using store::BoxId;
using store::DeviceId;

namespace {

constexpr std::size_t kFoundMax = 4;  // discovered addresses of one peer

}  // namespace

// ---- the outside: everything is posted

LinkDriver::LinkDriver(asio::any_io_executor net, asio::any_io_executor owner, Listener& listener,
                       LinkDriverConfig config, LinkCallbacks callbacks, crypto::Random& random)
    : impl_(std::make_shared<Impl>(std::move(net), std::move(owner), listener, config,
                                   std::move(callbacks), random)) {}

LinkDriver::~LinkDriver() {
  impl_->stopped = true;
  impl_->shut_down();
}

void LinkDriver::set_mode(LinkMode mode) {
  asio::post(impl_->net, [impl = impl_, mode] { impl->set_mode(mode); });
}

void LinkDriver::set_box(LinkBoxSetup setup) {
  auto shared = std::make_shared<LinkBoxSetup>(std::move(setup));
  asio::post(impl_->net, [impl = impl_, shared] { impl->set_box(std::move(*shared)); });
}

void LinkDriver::remove_box(BoxId box) {
  asio::post(impl_->net, [impl = impl_, box] { impl->remove_box(box); });
}

void LinkDriver::send(BoxId box, DeviceId device, Bytes message) {
  asio::post(impl_->net, [impl = impl_, box, device, bytes = std::move(message)] {
    auto* peer = impl->find({box, device});
    if (peer == nullptr || !peer->up) return;
    const auto connection = peer->up;
    connection->send(bytes);
  });
}

void LinkDriver::discovered(BoxId box, DeviceId device, tcp::endpoint where) {
  asio::post(impl_->net, [impl = impl_, box, device, where] {
    impl->discovered({box, device}, where);
  });
}

void LinkDriver::redial() {
  asio::post(impl_->net, [impl = impl_] { impl->redial(); });
}

void LinkDriver::status(std::function<void(std::vector<LinkStatus>)> done) {
  asio::post(impl_->net, [impl = impl_, done = std::move(done)] {
    asio::post(impl->owner, [impl, done, list = impl->status()] {
      if (!impl->stopped) done(list);
    });
  });
}

void LinkDriver::stop() {
  impl_->stopped = true;
  asio::post(impl_->net, [impl = impl_] { impl->shut_down(); });
}

// ---- the inside

void LinkDriver::Impl::tell(std::function<void(const LinkCallbacks&)> what) {
  asio::post(owner, [self = shared_from_this(), what = std::move(what)] {
    if (!self->stopped) what(self->callbacks);
  });
}

LinkDriver::Impl::Peer* LinkDriver::Impl::find(const PeerKey& id) {
  const auto at = peers.find(id);
  return at == peers.end() ? nullptr : at->second.get();
}

void LinkDriver::Impl::set_mode(LinkMode wanted) {
  if (stopped || wanted == mode) return;
  if (wanted == LinkMode::kOff) {
    mode = wanted;
    listener.close(StreamKind::kLink);
    for (const auto& one : std::exchange(unproven, {})) one->close(LinkEnd::kBye);
    for (const auto& [id, peer] : peers) drop_peer(*peer, LinkEnd::kBye);
    return;
  }
  const Status listening = listener.open(
      StreamKind::kLink,
      [this](tcp::socket socket, const Bytes& first) { accepted(std::move(socket), first); });
  if (listening.has_error()) {
    // Dialling still works; the other side may listen.
    tell([error = listening.error()](const LinkCallbacks& to) {
      if (to.on_problem) to.on_problem(error);
    });
  }
  mode = wanted;
  for (const auto& [id, peer] : peers) dial(*peer);
}

void LinkDriver::Impl::set_box(LinkBoxSetup setup) {
  if (stopped) return;
  LinkBox box{setup.box, std::move(setup.box_secret), setup.box_key, setup.link_key, {}};
  std::set<DeviceId> members;
  for (const auto& member : setup.members) {
    box.members[member.key] = member.device;
    members.insert(member.device);
  }
  boxes[setup.box] = std::move(box);

  for (auto at = peers.begin(); at != peers.end();) {
    const bool gone = at->first.first == setup.box && members.count(at->first.second) == 0;
    if (gone) drop_peer(*at->second, LinkEnd::kRevoked);
    at = gone ? peers.erase(at) : std::next(at);
  }
  for (auto& member : setup.members) {
    auto& peer = peers[{setup.box, member.device}];
    if (peer && peer->key != member.key) drop_peer(*peer, LinkEnd::kRevoked);
    if (!peer) peer = std::make_unique<Peer>(net);
    peer->id = {setup.box, member.device};
    peer->key = member.key;
    peer->addresses = std::move(member.addresses);
    dial(*peer);
  }
}

void LinkDriver::Impl::remove_box(BoxId box) {
  boxes.erase(box);
  for (auto at = peers.begin(); at != peers.end();) {
    const bool gone = at->first.first == box;
    if (gone) drop_peer(*at->second, LinkEnd::kBye);
    at = gone ? peers.erase(at) : std::next(at);
  }
}

void LinkDriver::Impl::drop_peer(Peer& peer, LinkEnd reason) {
  stop_dial(peer);
  if (!peer.up) return;
  const auto connection = peer.up;
  lose(peer, LinkEnd::kLocal);
  connection->close(reason);
}

void LinkDriver::Impl::discovered(const PeerKey& id, const tcp::endpoint& where) {
  Peer* peer = find(id);
  if (peer == nullptr || mode == LinkMode::kOff) return;
  const bool known = std::find(peer->found.begin(), peer->found.end(), where) != peer->found.end();
  peer->found.remove(where);
  peer->found.push_front(where);
  if (peer->found.size() > kFoundMax) peer->found.pop_back();
  if (peer->up) {
    // It may have moved, and our connection leads to where it was.
    if (!peer->up->reaches(where.address())) peer->up->probe(config.limits.answer_timeout);
    return;
  }
  if (peer->dial) {
    if (!known) peer->dial->add(where);
    return;
  }
  // Beacons cost their sender nothing: what they make us do is bounded.
  const auto since = std::chrono::steady_clock::now() - peer->dialled_at;
  if (known && since < std::chrono::seconds(1)) return;
  peer->backoff = {};
  dial(*peer);
}

void LinkDriver::Impl::redial() {
  for (const auto& [id, peer] : peers) {
    if (peer->up) {
      peer->up->probe({});
      continue;
    }
    peer->backoff = {};
    if (!peer->dial) dial(*peer);
  }
}

std::vector<LinkStatus> LinkDriver::Impl::status() const {
  std::vector<LinkStatus> list;
  for (const auto& [id, peer] : peers) {
    list.push_back({id.first, id.second, peer->up != nullptr, peer->up && peer->up->dialled(),
                    peer->last_end, peer->addresses.size() + peer->found.size()});
  }
  return list;
}

void LinkDriver::Impl::shut_down() {
  if (mode != LinkMode::kOff) listener.close(StreamKind::kLink);
  mode = LinkMode::kOff;
  for (const auto& one : std::exchange(unproven, {})) one->close(LinkEnd::kBye);
  for (const auto& [id, peer] : peers) drop_peer(*peer, LinkEnd::kBye);
  peers.clear();
  boxes.clear();
  pulse.cancel();
}

}  // namespace kartei::sync
