// A whole daemon inside the test, but for the network: services, boxes, API, and a real Unix
// socket.
#pragma once

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <future>
#include <mutex>

#include "daemon/api/api.h"
#include "daemon/hosts.h"
#include "daemon/pairing_desk.h"
#include "tests/daemon/support.h"

namespace kartei::daemon::test {

// The time is the test's.
class TestClock final : public Clock {
 public:
  store::Time wall() override { return store::time_from_ms(wall_ms); }
  std::int64_t mono_ms() override { return steady_ms(); }
  std::atomic<std::int64_t> wall_ms{1'790'000'000'000};  // September 2026
};

class TestDaemon {
 public:
  explicit TestDaemon(std::filesystem::path home, Config config = {},
                      PairingDesk* pairing = nullptr, const crypto::Secret* data_key = nullptr)
      : config_(std::move(config)),
        writer_(config_.get()->waiting),
        readers_("reader", kReaders, 64),
        worker_("secretary", 1, 16),
        transfer_("transfer", 1, kExports),
        secretary_(make_rule_secretary()),
        services_{
            loop_,   writer_,     readers_, worker_, transfer_, random_,  clock,
            config_, *secretary_, nullptr,  {},      nullptr,   data_key, data_key == nullptr},
        hosts_(home, services_),
        api_({hosts_, services_, [this] { return server_->counts(); }, pairing}) {
    std::filesystem::create_directories(home);
    socket_ = home / "kartei.sock";
    auto fd = api::listen_local(socket_);
    api::HttpLimits limits;
    limits.peer_uid = ::geteuid();
    server_ = api::HttpServer::make(loop_.io(), *fd, limits,
                                    [this](api::HttpRequest request, api::Responder responder) {
                                      api_.handle(std::move(request), std::move(responder));
                                    });
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~TestDaemon() {
    loop_.post([this] { server_->close(); });
    worker_.stop();
    readers_.stop();
    transfer_.stop();
    std::promise<void> closed;
    writer_.post_follow_up([&] {
      hosts_.close_all();
      closed.set_value();
    });
    closed.get_future().wait();
    writer_.stop();
    loop_.post([this] { loop_.stop(); });
    thread_.join();
  }
  const std::filesystem::path& socket() const { return socket_; }
  api::Api& api() { return api_; }
  WriterThread& writer() { return writer_; }
  Services& services() { return services_; }
  Hosts& hosts() { return hosts_; }
  TestClock clock;

 private:
  CurrentConfig config_;
  crypto::SystemRandom random_;
  EventLoop loop_;
  WriterThread writer_;
  WorkQueue readers_, worker_, transfer_;
  std::unique_ptr<Secretary> secretary_;
  Services services_;
  Hosts hosts_;
  api::Api api_;
  std::unique_ptr<api::HttpServer> server_;
  std::filesystem::path socket_;
  std::thread thread_;
};

struct JsonAnswer {
  int status = 0;
  boost::json::value body;
  std::string field() const {
    const auto* value = body.is_object() ? body.as_object().if_contains("field") : nullptr;
    return value == nullptr ? "" : std::string(value->as_string());
  }
};

inline JsonAnswer ask(RawClient& client, const std::string& method, const std::string& target,
                      const std::string& body = {}, const std::string& headers = {}) {
  const RawAnswer raw = client.call(method, target, body, headers);
  boost::system::error_code error;
  return {raw.status, boost::json::parse(raw.body, error)};
}

}  // namespace kartei::daemon::test
