#include "daemon/event_loop.h"

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <vector>

namespace kartei::daemon {
namespace asio = boost::asio;

namespace {

constexpr std::int64_t kUnset = -1;

// set() is called after every turn of a writer, nearly always with the same time: that costs an
// atomic exchange and no wake-up.
class TimerAlarm final : public Alarm, public std::enable_shared_from_this<TimerAlarm> {
 public:
  TimerAlarm(asio::io_context& io, std::function<void()> ring)
      : io_(io), timer_(io), ring_(std::move(ring)) {}
  void set(std::optional<std::int64_t> mono_ms) override {
    const std::int64_t wanted = mono_ms.value_or(kUnset);
    if (due_.exchange(wanted) == wanted) return;
    asio::post(io_, [weak = weak_from_this()] {
      if (auto self = weak.lock()) self->arm();
    });
  }

 private:
  void arm() {
    const std::int64_t due = due_.load();
    if (due == kUnset) {
      timer_.cancel();
      return;
    }
    timer_.expires_at(std::chrono::steady_clock::time_point(std::chrono::milliseconds(due)));
    timer_.async_wait([weak = weak_from_this(), due](boost::system::error_code stopped) {
      auto self = weak.lock();
      if (!self || stopped) return;
      std::int64_t expected = due;
      if (self->due_.compare_exchange_strong(expected, kUnset)) self->ring_();
    });
  }
  asio::io_context& io_;
  asio::steady_timer timer_;
  std::function<void()> ring_;
  std::atomic<std::int64_t> due_{kUnset};
};

}  // namespace

struct EventLoop::Impl {
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
  std::vector<std::unique_ptr<asio::signal_set>> signals;

  static void wait(asio::signal_set& set, const std::shared_ptr<std::function<void()>>& handler) {
    set.async_wait([&set, handler](boost::system::error_code stopped, int) {
      if (stopped) return;
      (*handler)();
      wait(set, handler);
    });
  }
};

EventLoop::EventLoop() : impl_(std::make_unique<Impl>()) {}
EventLoop::~EventLoop() = default;
void EventLoop::run() {
  impl_->io.run();
}
void EventLoop::stop() {
  impl_->io.stop();
}
void EventLoop::post(std::function<void()> job) {
  asio::post(impl_->io, std::move(job));
}
boost::asio::io_context& EventLoop::io() {
  return impl_->io;
}

std::shared_ptr<Alarm> EventLoop::make_alarm(std::function<void()> ring) {
  return std::make_shared<TimerAlarm>(impl_->io, std::move(ring));
}

void EventLoop::on_signal(int number, std::function<void()> handler) {
  impl_->signals.push_back(std::make_unique<asio::signal_set>(impl_->io, number));
  Impl::wait(*impl_->signals.back(), std::make_shared<std::function<void()>>(std::move(handler)));
}

std::int64_t steady_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace kartei::daemon
