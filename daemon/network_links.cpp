#include "daemon/network_links.h"

#include <spdlog/spdlog.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <charconv>

#include "daemon/small_file.h"

namespace kartei::daemon {
namespace asio = boost::asio;

sync::ListenerConfig listener_config(const std::string& listen,
                                     const std::filesystem::path& port_file) {
  sync::ListenerConfig config;
  if (const auto kept = read_small_file(port_file); kept && !kept->empty())
    std::from_chars(kept->data(), kept->data() + kept->size(), config.kept_port);
  const auto named = parse_host_port(listen, true);
  if (!named) return config;
  config.port = named->port;
  config.any_port_if_taken = false;  // its owner named it, and others count on it
  config.loopback_only = is_loopback(named->host);
  return config;
}

LinkNetwork::LinkNetwork(EventLoop& loop, WriterThread& writer, std::filesystem::path port_file,
                         const Config& config, crypto::Random& random, Clock& clock)
    : loop_(loop),
      writer_(writer),
      port_file_(std::move(port_file)),
      loopback_only_(listener_config(config.listen, port_file_).loopback_only),
      listener_(loop.io().get_executor(), listener_config(config.listen, port_file_)),
      peers_(config.peers),
      discovery_wanted_(config.discovery) {
  driver_ = std::make_unique<sync::LinkDriver>(net(), owner(), listener_, sync::LinkDriverConfig{},
                                               callbacks(), random);
  sync::DiscoveryConfig where;
  where.loopback_only = loopback_only_;
  sync::DiscoveryCallbacks heard;
  heard.on_member = [this](const sync::Discovered& who, asio::ip::tcp::endpoint at) {
    driver_->discovered(who.box, who.device, at);
  };
  heard.on_pairing = [this](const sync::BeaconTag& session, asio::ip::tcp::endpoint at) {
    if (on_pairing_) on_pairing_(session, at);
  };
  discovery_ = std::make_unique<sync::Discovery>(
      net(), where, [&clock] { return store::to_ms(clock.wall()) / 1000; },
      [this] { return listener_.port(); }, std::move(heard), random);
  watch_ = std::make_unique<sync::NetworkWatch>(net(), [this] {
    driver_->redial();
    discovery_->announce();
  });
}

LinkNetwork::~LinkNetwork() = default;

asio::any_io_executor LinkNetwork::net() {
  return loop_.io().get_executor();
}
asio::any_io_executor LinkNetwork::owner() {
  return writer_.loop().io().get_executor();
}

std::shared_ptr<NetworkClient> LinkNetwork::client(const store::BoxId& box) const {
  const auto found = boxes_.find(box);
  return found == boxes_.end() ? nullptr : found->second.client.lock();
}

sync::LinkCallbacks LinkNetwork::callbacks() {
  sync::LinkCallbacks callbacks;
  callbacks.on_up = [this](store::BoxId box, store::DeviceId device) {
    if (const auto to = client(box)) to->link_up(device);
  };
  callbacks.on_down = [this](store::BoxId box, store::DeviceId device, sync::LinkEnd end) {
    if (const auto to = client(box)) to->link_down(device, std::string(sync::text(end)));
  };
  callbacks.on_message = [this](store::BoxId box, store::DeviceId device, Bytes message) {
    if (const auto to = client(box)) to->message(device, std::move(message));
  };
  callbacks.on_problem = [](const Error& error) { spdlog::warn("links: {}", error.what); };
  return callbacks;
}

void LinkNetwork::tell_driver(const NetworkBox& box) {
  sync::LinkBoxSetup setup;
  setup.box = box.box;
  setup.box_secret = box.box_secret.copy();
  setup.box_key = box.box_key;
  setup.link_key = box.link_key;
  for (const NetworkBox::Member& member : box.members) {
    std::vector<std::string> addresses = peers_;
    if (peers_.empty()) addresses = box.addresses;
    setup.members.push_back({member.device, member.key, std::move(addresses)});
  }
  driver_->set_box(std::move(setup));
}

void LinkNetwork::tell_discovery() {
  std::vector<sync::DiscoveryBox> known;
  for (const auto& [id, entry] : boxes_) {
    sync::DiscoveryBox box;
    box.box = id;
    box.beacon_key = entry.box.beacon_key;
    box.self = entry.box.self;
    for (const NetworkBox::Member& member : entry.box.members) box.members.push_back(member.device);
    known.push_back(std::move(box));
  }
  const bool on = discovery_wanted_ && !known.empty();
  asio::post(net(), [this, on, known = std::move(known)]() mutable {
    discovery_->set_boxes(std::move(known));
    if (auto set = discovery_->set_on(on); !set)
      spdlog::warn("discovery on the local network does not work: {}", set.error().what);
  });
}

void LinkNetwork::set_box(NetworkBox box, std::weak_ptr<NetworkClient> client) {
  const store::BoxId id = box.box;
  tell_driver(box);
  boxes_[id] = {std::move(box), std::move(client)};
  driver_->set_mode(sync::LinkMode::kDirect);
  tell_discovery();
  look_at_port();
}

void LinkNetwork::remove_box(store::BoxId box) {
  if (boxes_.erase(box) == 0) return;
  driver_->remove_box(box);
  if (boxes_.empty()) driver_->set_mode(sync::LinkMode::kOff);
  tell_discovery();
  look_at_port();
}

void LinkNetwork::send(store::BoxId box, store::DeviceId to, Bytes message) {
  driver_->send(box, to, std::move(message));
}

void LinkNetwork::reconfigure(const Config& config) {
  peers_ = config.peers;
  discovery_wanted_ = config.discovery;
  for (const auto& [id, entry] : boxes_) tell_driver(entry.box);
  tell_discovery();
}

// The driver opens and closes the port on the loop's thread, in the order in which it was asked.
void LinkNetwork::look_at_port() {
  asio::post(net(), [this] { take_port(); });
}

void LinkNetwork::when_listening(std::function<void(std::uint16_t)> then) {
  asio::post(net(), [this, then = std::move(then)]() mutable {
    take_port();
    asio::post(owner(), [port = port_.load(), then = std::move(then)] { then(port); });
  });
}

// What was listened on is kept: peers and their owners remember it as this device's address.
void LinkNetwork::take_port() {
  const std::uint16_t port = listener_.port();
  port_ = port;
  if (port == 0 || std::exchange(kept_port_, port) == port) return;
  asio::post(owner(), [file = port_file_, port] {
    const std::string text = std::to_string(port);
    if (const auto kept = read_small_file(file); kept && *kept == text) return;
    if (auto written = write_small_file(file, text); !written)
      spdlog::warn("links: the port is not remembered: {}", written.error().what);
  });
}

void LinkNetwork::on_pairing(
    std::function<void(const sync::BeaconTag&, asio::ip::tcp::endpoint)> use) {
  asio::post(net(), [this, use = std::move(use)]() mutable { on_pairing_ = std::move(use); });
}

void LinkNetwork::stop() {
  boxes_.clear();
  driver_->stop();
  asio::post(net(), [this] {
    (void)discovery_->set_on(false);
    watch_.reset();
  });
}

}  // namespace kartei::daemon
