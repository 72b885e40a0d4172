// The one event loop: sockets, timers, signals. Hides Asio's headers from the rest of the daemon.
// Threads: run() is the loop's thread; post(), stop() and Alarm may be used from any.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace boost::asio {
class io_context;
}

namespace kartei::daemon {

// Rings once at the set time, on the loop's thread. Sleeps without cost while unset.
class Alarm {
 public:
  virtual ~Alarm() = default;
  virtual void set(std::optional<std::int64_t> mono_ms) = 0;  // empty: off
};

class EventLoop {
 public:
  EventLoop();
  ~EventLoop();
  void run();
  void stop();
  void post(std::function<void()> job);
  std::shared_ptr<Alarm> make_alarm(std::function<void()> ring);
  void on_signal(int number, std::function<void()> handler);  // before run(), or within it
  boost::asio::io_context& io();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

std::int64_t steady_ms();  // the clock that Alarm::set and timers use

}  // namespace kartei::daemon
