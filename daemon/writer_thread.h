// The one thread on which boxes and engines live. An event loop, so that links can post to it too;
// what the apps ask for is bounded, what follows from work under way is not.
// Threads: any may post. Ends: stop() runs what is queued already, then joins. An exception out of
// a job ends the process.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "daemon/event_loop.h"

namespace kartei::daemon {

class WriterThread {
 public:
  explicit WriterThread(std::size_t capacity);
  ~WriterThread();

  bool post(std::function<void()> job);            // false: full, or stopping
  bool post_follow_up(std::function<void()> job);  // false: stopping
  void stop();                                     // idempotent; not on the thread itself
  std::size_t waiting() const { return waiting_; }
  EventLoop& loop() { return loop_; }

 private:
  void run_loop();
  const std::size_t capacity_;
  EventLoop loop_;
  std::atomic<std::size_t> waiting_{0};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace kartei::daemon
