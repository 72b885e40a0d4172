// LinkDriver: making, keeping and losing connections.
#include "sync/link_driver_impl.h"

namespace kartei::sync {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// ---- coming in

void LinkDriver::Impl::accepted(tcp::socket socket, const Bytes& first) {
  if (mode == LinkMode::kOff) return;
  const auto connection = std::make_shared<LinkConnection>(
      std::move(socket), LinkSession::accept(boxes, random), *this, config.limits);
  unproven.push_back(connection);
  // Honest handshakes take a round trip; whoever has waited longest is the least likely to be one.
  if (unproven.size() > config.unproven_max) {
    const auto oldest = unproven.front();
    unproven.pop_front();
    oldest->close(LinkEnd::kTimeout);
  }
  connection->start(first);
}

// ---- going out

void LinkDriver::Impl::dial(Peer& peer) {
  if (mode == LinkMode::kOff || peer.up || peer.dial) return;
  if (peer.addresses.empty() && peer.found.empty()) return;
  peer.timer.cancel();
  peer.dialled_at = std::chrono::steady_clock::now();
  peer.dial = std::make_shared<Dialler>(net, config.connect_timeout);
  for (const auto& where : peer.found) peer.dial->add(where);
  for (const auto& address : peer.addresses) peer.dial->add(address);
  dial_next(peer);
}

void LinkDriver::Impl::dial_next(Peer& peer) {
  const auto dial = peer.dial;  // it may be let go of from within
  dial->next([this, &peer](std::optional<tcp::socket> socket) {
    if (!socket) return dial_failed(peer);
    dial_connected(peer, std::move(*socket));
  });
}

void LinkDriver::Impl::dial_connected(Peer& peer, tcp::socket socket) {
  const auto box = boxes.find(peer.id.first);
  if (box == boxes.end()) return stop_dial(peer);
  auto session = LinkSession::dial(box->second, peer.key, peer.level, random);
  if (session.has_error()) return dial_failed(peer);
  peer.greeting = std::make_shared<LinkConnection>(std::move(socket), std::move(*session), *this,
                                                   config.limits);
  const auto connection = peer.greeting;
  connection->start({});
}

void LinkDriver::Impl::dial_failed(Peer& peer) {
  if (peer.last_end.empty()) peer.last_end = "no address answers";
  stop_dial(peer);
  dial_later(peer);
}

void LinkDriver::Impl::dial_later(Peer& peer) {
  if (peer.backoff >= config.backoff_max) peer.found.clear();  // a beacon brings them back
  peer.backoff = std::clamp(2 * peer.backoff, config.backoff_min, config.backoff_max);
  if (peer.addresses.empty() && peer.found.empty()) return;
  // Up to a half less, so that devices do not meet in step.
  const auto half = static_cast<std::uint64_t>(peer.backoff.count() / 2 + 1);
  const auto less = std::chrono::milliseconds(random.next_u64() % half);
  peer.timer.expires_after(peer.backoff - less);
  peer.timer.async_wait([self = shared_from_this(), id = peer.id](error_code ec) {
    if (ec) return;
    if (Peer* found = self->find(id)) self->dial(*found);
  });
}

void LinkDriver::Impl::stop_dial(Peer& peer) {
  peer.timer.cancel();
  if (peer.dial) peer.dial->cancel();
  peer.dial.reset();
  if (const auto connection = std::exchange(peer.greeting, nullptr)) {
    connection->close(LinkEnd::kBye);
  }
}

// ---- up and down

void LinkDriver::Impl::on_ready(LinkConnection& connection, const LinkReady& ready) {
  const auto self = std::static_pointer_cast<LinkConnection>(connection.shared_from_this());
  unproven.remove(self);
  Peer* peer = find({ready.box, ready.device});
  const auto box = boxes.find(ready.box);
  // Revoked while it was shaking hands.
  if (peer == nullptr || box == boxes.end() || peer->key != ready.key) {
    return connection.close(LinkEnd::kRevoked);
  }
  if (peer->greeting == self) peer->greeting.reset();
  const bool own_is_smaller = box->second.box_key < ready.key;
  const LinkRank rank{ready.level, connection.dialled() == own_is_smaller};
  if (peer->up && !newer_wins(peer->up_rank, rank)) {
    stop_dial(*peer);
    return connection.close(LinkEnd::kDuplicate, peer->up_rank.level);
  }
  if (peer->up) {
    const auto older = peer->up;
    lose(*peer, LinkEnd::kDuplicate);
    older->close(LinkEnd::kDuplicate, rank.level);
  }
  adopt(*peer, self, rank);
}

void LinkDriver::Impl::adopt(Peer& peer, const ConnectionPtr& connection, const LinkRank& rank) {
  // A hello of ours that is under way is left to the ranks: the peer may have taken it already.
  if (!peer.greeting) stop_dial(peer);
  peer.timer.cancel();
  peer.up = connection;
  peer.up_rank = rank;
  peer.backoff = {};
  peer.level = 0;
  peer.last_end.clear();
  tell([id = peer.id](const LinkCallbacks& to) {
    if (to.on_up) to.on_up(id.first, id.second);
  });
  if (!pulsing) beat();
}

void LinkDriver::Impl::lose(Peer& peer, LinkEnd end) {
  peer.up.reset();
  peer.last_end = text(end);
  tell([id = peer.id, end](const LinkCallbacks& to) {
    if (to.on_down) to.on_down(id.first, id.second, end);
  });
}

void LinkDriver::Impl::on_message(LinkConnection& connection, Bytes message) {
  const auto inbox = connection.inbox();
  const std::size_t size = message.size() + sizeof(Bytes);
  inbox->bytes += size;
  const auto& peer = connection.peer();
  asio::post(owner, [self = shared_from_this(), inbox, size, box = peer.box, device = peer.device,
                     weak = std::weak_ptr<LinkConnection>(connection.shared_from_this()),
                     bytes = std::move(message)]() mutable {
    if (!self->stopped && self->callbacks.on_message) {
      self->callbacks.on_message(box, device, std::move(bytes));
    }
    const std::size_t left = inbox->bytes -= size;
    if (!inbox->paused || left > self->config.limits.inbox_max_bytes / 2) return;
    asio::post(self->net, [weak] {
      if (const auto waiting = weak.lock()) waiting->resume();
    });
  });
}

void LinkDriver::Impl::on_closed(LinkConnection& connection, const LinkClosed& closed) {
  const auto self = std::static_pointer_cast<LinkConnection>(connection.shared_from_this());
  unproven.remove(self);
  for (const auto& [id, peer] : peers) {
    if (peer->greeting == self) {
      peer->greeting.reset();
      peer->last_end = text(closed.end);
      if (peer->up) {
        stop_dial(*peer);
      } else {
        dial_next(*peer);
      }
      return;
    }
    if (peer->up != self) continue;
    // The peer holds on to a connection that is dead to us: the next one must outrank it.
    if (closed.end == LinkEnd::kDuplicate && connection.dialled() && closed.level < 255) {
      peer->level = static_cast<std::uint8_t>(closed.level + 1);
    }
    lose(*peer, closed.end);
    dial_later(*peer);
    return;
  }
}

void LinkDriver::Impl::beat() {
  std::vector<ConnectionPtr> links;
  for (const auto& [id, peer] : peers) {
    if (peer->up) links.push_back(peer->up);
  }
  for (const auto& link : links) link->probe(config.ping_after);
  pulsing = !links.empty();
  if (!pulsing) return;
  pulse.expires_after(config.ping_after);
  pulse.async_wait([self = shared_from_this()](error_code ec) {
    self->pulsing = false;
    if (!ec) self->beat();
  });
}

}  // namespace kartei::sync
