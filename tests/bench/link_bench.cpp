// What a link costs: 300 bytes there and back, and one way as fast as it goes, between two threads
// over loopback; bare TCP from the same run beside it. Prints one JSON object a line.
//
//   link_bench [rounds]
#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>

#include "crypto/identity.h"
#include "sync/link_driver.h"

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace kartei;
using namespace kartei::sync;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMessageBytes = 300;

double us_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

void print(const char* what, std::vector<double> us) {
  std::sort(us.begin(), us.end());
  std::printf("{\"what\":\"%s\",\"rounds\":%zu,\"p50_us\":%.1f,\"p99_us\":%.1f}\n", what, us.size(),
              us[us.size() / 2], us[us.size() * 99 / 100]);
}

// ---- bare TCP, the same reactor

struct Bare : std::enable_shared_from_this<Bare> {
  Bare(asio::io_context& io, bool first) : socket(io), starts(first) {}
  void read() {
    asio::async_read(socket, asio::buffer(buffer),
                     [self = shared_from_this()](boost::system::error_code ec, std::size_t) {
                       if (!ec) self->got();
                     });
  }
  void got() {
    if (starts) {
      us.push_back(us_since(sent));
      if (us.size() == rounds) {
        done.set_value();
        return;
      }
    }
    write();
  }
  void write() {
    sent = Clock::now();
    asio::async_write(socket, asio::buffer(buffer),
                      [self = shared_from_this()](boost::system::error_code ec, std::size_t) {
                        if (!ec) self->read();
                      });
  }
  tcp::socket socket;
  bool starts;
  std::size_t rounds = 0;
  std::array<std::uint8_t, kMessageBytes> buffer{};
  std::vector<double> us;
  Clock::time_point sent;
  std::promise<void> done;
};

void bare(std::size_t rounds) {
  asio::io_context io_a, io_b;
  const auto a = std::make_shared<Bare>(io_a, true), b = std::make_shared<Bare>(io_b, false);
  tcp::acceptor acceptor(io_b, {asio::ip::address_v4::loopback(), 0});
  a->socket.connect(acceptor.local_endpoint());
  acceptor.accept(b->socket);
  a->socket.set_option(tcp::no_delay(true));
  b->socket.set_option(tcp::no_delay(true));
  a->rounds = rounds;
  asio::post(io_b, [b] { b->read(); });
  asio::post(io_a, [a] { a->write(); });
  auto finished = a->done.get_future();
  std::thread run_a([&io_a] { io_a.run(); }), run_b([&io_b] { io_b.run(); });
  finished.wait();
  io_a.stop();
  io_b.stop();
  run_a.join();
  run_b.join();
  print("bare TCP, 300 B there and back", a->us);
}

// ---- links

struct Node {
  Node()
      : identity(crypto::Identity::generate(random)),
        work(asio::make_work_guard(io)),
        listener(io.get_executor(), config()),
        driver(io.get_executor(), io.get_executor(), listener, {}, callbacks(), random) {}
  static ListenerConfig config() {
    ListenerConfig out;
    out.port = 0;
    out.loopback_only = true;
    return out;
  }
  LinkCallbacks callbacks() {
    LinkCallbacks to;
    to.on_up = [this](store::BoxId, store::DeviceId) { up.set_value(); };
    to.on_message = [this](store::BoxId, store::DeviceId, Bytes bytes) {
      on_message(std::move(bytes));
    };
    return to;
  }
  store::DeviceId id() const {
    store::DeviceId out;
    out.bytes = identity.pub().id();
    return out;
  }
  void join(const Node& other, std::vector<std::string> addresses) {
    LinkBoxSetup setup;
    setup.box_secret = identity.box_secret().copy();
    setup.box_key = identity.pub().box_key;
    setup.members.push_back({other.id(), other.identity.pub().box_key, std::move(addresses)});
    driver.set_box(std::move(setup));
  }
  void stop() {
    io.stop();
    thread.join();
  }

  crypto::SystemRandom random;
  crypto::Identity identity;
  asio::io_context io;
  asio::executor_work_guard<asio::io_context::executor_type> work;
  std::promise<void> up;
  std::function<void(Bytes)> on_message;
  Listener listener;
  LinkDriver driver;
  std::thread thread;
};

void linked(std::size_t rounds) {
  Node a, b;
  a.driver.set_mode(LinkMode::kDirect);
  b.driver.set_mode(LinkMode::kDirect);
  a.io.poll();
  b.io.poll();
  std::vector<double> us;
  Clock::time_point sent;
  std::promise<void> done;
  const store::BoxId box;
  b.on_message = [&](Bytes bytes) { b.driver.send(box, a.id(), std::move(bytes)); };
  a.on_message = [&](Bytes bytes) {
    us.push_back(us_since(sent));
    if (us.size() == rounds) return done.set_value();
    sent = Clock::now();
    a.driver.send(box, b.id(), std::move(bytes));
  };
  b.join(a, {});
  a.join(b, {"127.0.0.1:" + std::to_string(b.listener.port())});
  a.thread = std::thread([&a] { a.io.run(); });
  b.thread = std::thread([&b] { b.io.run(); });
  a.up.get_future().wait();
  b.up.get_future().wait();
  asio::post(a.io, [&] {
    sent = Clock::now();
    a.driver.send(box, b.id(), Bytes(kMessageBytes));
  });
  done.get_future().wait();
  print("link, 300 B there and back", us);

  // One way: as many messages in flight as a small window holds.
  const std::size_t count = rounds * 10;
  std::size_t arrived = 0, queued = 0;
  std::promise<void> all;
  const auto fill = [&] {
    for (int i = 0; i < 256 && queued < count; ++i, ++queued) {
      a.driver.send(box, b.id(), Bytes(kMessageBytes));
    }
  };
  const auto start = Clock::now();
  asio::post(a.io, [&] { a.on_message = [&](const Bytes&) { fill(); }; });
  asio::post(b.io, [&] {
    b.on_message = [&](const Bytes&) {
      if (++arrived == count) return all.set_value();
      if (arrived % 256 == 0) b.driver.send(box, a.id(), Bytes(1));
    };
    asio::post(a.io, [&] {
      fill();
      fill();
    });
  });
  all.get_future().wait();
  const double s = us_since(start) / 1e6;
  std::printf(
      "{\"what\":\"link, one way\",\"messages\":%zu,\"messages_per_s\":%.0f,\"mb_per_s\":%.1f}\n",
      count, static_cast<double>(count) / s, static_cast<double>(count * kMessageBytes) / s / 1e6);
  a.stop();
  b.stop();
}

}  // namespace

int main(int argc, char** argv) {
  if (!crypto::init()) return 1;
  const auto rounds = static_cast<std::size_t>(argc > 1 ? std::atol(argv[1]) : 20'000);
  if (rounds == 0) return 2;
  for (int run = 0; run < 3; ++run) {
    bare(rounds);
    linked(rounds);
  }
  return 0;
}
