// The network as it is: the link driver, the one listener, discovery on the local network, and a
// watch for changes of the network. Includes Asio: for main.cpp and pairing_desk.cpp only.
//
// Threads: Network's calls on the writer thread; sockets live on the event loop's thread.
// Ownership: borrows loop, writer, random and clock; destroyed after the loop has stopped.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "daemon/network.h"
#include "daemon/services.h"
#include "sync/discovery_driver.h"
#include "sync/link_driver.h"
#include "sync/listener.h"
#include "sync/network_watch.h"

namespace kartei::daemon {

// `listen` of the configuration, which has been checked. Empty: the default port on all addresses,
// or another one where it is taken. `port_file` remembers the port of the time before.
sync::ListenerConfig listener_config(const std::string& listen,
                                     const std::filesystem::path& port_file);

class LinkNetwork final : public Network {
 public:
  LinkNetwork(EventLoop& loop, WriterThread& writer, std::filesystem::path port_file,
              const Config& config, crypto::Random& random, Clock& clock);
  ~LinkNetwork() override;

  void set_box(NetworkBox box, std::weak_ptr<NetworkClient> client) override;
  void remove_box(store::BoxId box) override;
  void send(store::BoxId box, store::DeviceId to, Bytes message) override;
  std::uint16_t port() const override { return port_; }
  void reconfigure(const Config& config);
  void stop();  // no callback after it

  // For pairing.
  boost::asio::any_io_executor net();
  boost::asio::any_io_executor owner();
  sync::Listener& listener() { return listener_; }
  sync::Discovery& discovery() { return *discovery_; }
  void look_at_port();
  // Calls back on the writer thread with the port, once all that was asked of the listener so far
  // is done; 0: it does not listen.
  void when_listening(std::function<void(std::uint16_t)> then);
  // Called on the loop's thread when a member that waits for a newcomer is heard.
  void on_pairing(std::function<void(const sync::BeaconTag&, boost::asio::ip::tcp::endpoint)> use);

 private:
  struct Known {
    NetworkBox box;
    std::weak_ptr<NetworkClient> client;
  };
  std::shared_ptr<NetworkClient> client(const store::BoxId& box) const;
  sync::LinkCallbacks callbacks();
  void tell_driver(const NetworkBox& box);
  void tell_discovery();
  void take_port();

  EventLoop& loop_;
  WriterThread& writer_;
  const std::filesystem::path port_file_;
  const bool loopback_only_;
  sync::Listener listener_;
  std::uint16_t kept_port_ = 0;          // in the file; the loop's thread
  std::map<store::BoxId, Known> boxes_;  // the writer thread
  std::vector<std::string> peers_;       // the writer thread
  bool discovery_wanted_;                // the writer thread
  std::function<void(const sync::BeaconTag&, boost::asio::ip::tcp::endpoint)> on_pairing_;
  std::atomic<std::uint16_t> port_{0};
  std::unique_ptr<sync::LinkDriver> driver_;
  std::unique_ptr<sync::Discovery> discovery_;
  std::unique_ptr<sync::NetworkWatch> watch_;
};

}  // namespace kartei::daemon
