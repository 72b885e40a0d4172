// The inside of LinkDriver. Everything here runs on `net`.
#pragma once

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <list>
#include <map>

#include "sync/link_dial.h"
#include "sync/link_driver.h"

namespace kartei::sync {

struct LinkDriver::Impl final : LinkHost, std::enable_shared_from_this<LinkDriver::Impl> {
  using ConnectionPtr = std::shared_ptr<LinkConnection>;
  using PeerKey = std::pair<store::BoxId, store::DeviceId>;

  struct Peer {
    explicit Peer(const boost::asio::any_io_executor& net) : timer(net) {}
    PeerKey id;
    crypto::BoxKey key{};
    std::vector<std::string> addresses;
    std::list<boost::asio::ip::tcp::endpoint> found;  // newest first
    ConnectionPtr up;
    LinkRank up_rank;
    std::shared_ptr<Dialler> dial;  // a round of attempts is under way
    ConnectionPtr greeting;         // its connection, in the handshake
    boost::asio::steady_timer timer;
    std::chrono::milliseconds backoff{0};
    std::chrono::steady_clock::time_point dialled_at{};
    std::uint8_t level = 0;
    std::string last_end;
  };

  Impl(boost::asio::any_io_executor net_, boost::asio::any_io_executor owner_, Listener& listener_,
       LinkDriverConfig config_, LinkCallbacks callbacks_, crypto::Random& random_)
      : net(std::move(net_)),
        owner(std::move(owner_)),
        listener(listener_),
        config(config_),
        callbacks(std::move(callbacks_)),
        random(random_),
        pulse(net) {}

  // LinkHost
  void on_ready(LinkConnection& connection, const LinkReady& ready) override;
  void on_message(LinkConnection& connection, Bytes message) override;
  void on_closed(LinkConnection& connection, const LinkClosed& closed) override;

  void set_mode(LinkMode mode);
  void set_box(LinkBoxSetup setup);
  void remove_box(store::BoxId box);
  void drop_peer(Peer& peer, LinkEnd reason);
  void discovered(const PeerKey& id, const boost::asio::ip::tcp::endpoint& where);
  void redial();
  std::vector<LinkStatus> status() const;
  void shut_down();

  void accepted(boost::asio::ip::tcp::socket socket, const Bytes& first);
  void dial(Peer& peer);
  void dial_next(Peer& peer);
  void dial_connected(Peer& peer, boost::asio::ip::tcp::socket socket);
  void dial_failed(Peer& peer);
  void dial_later(Peer& peer);
  void stop_dial(Peer& peer);
  void adopt(Peer& peer, const ConnectionPtr& connection, const LinkRank& rank);
  void lose(Peer& peer, LinkEnd end);
  void beat();
  Peer* find(const PeerKey& id);
  void tell(std::function<void(const LinkCallbacks&)> what);

  boost::asio::any_io_executor net, owner;
  Listener& listener;
  const LinkDriverConfig config;
  const LinkCallbacks callbacks;
  crypto::Random& random;
  LinkMode mode = LinkMode::kOff;
  LinkBoxes boxes;
  std::map<PeerKey, std::unique_ptr<Peer>> peers;
  std::list<ConnectionPtr> unproven;  // incoming, oldest first
  boost::asio::steady_timer pulse;    // runs while there are links
  bool pulsing = false;
  std::atomic<bool> stopped{false};
};

}  // namespace kartei::sync
