// A thread that takes part in another one's work, where there is a core for it. It is made when it
// is first used, and sleeps when there is nothing to do.
//
// All calls from one thread, its owner. A system that gives no thread gets all of the work done by
// the owner.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace kartei::store {

class HelperThread {
 public:
  HelperThread() = default;
  ~HelperThread();
  HelperThread(const HelperThread&) = delete;
  HelperThread& operator=(const HelperThread&) = delete;

  // The job is begun when the thread comes to it; it must not throw. Not before the last one has
  // ended.
  void begin(std::function<void()> job);
  // Takes the job back if it has not begun, else waits for its end. Without a job: nothing.
  void end();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> job_;  // guarded, as what follows: waits to be begun
  bool working_ = false, stop_ = false;
  std::thread thread_;
};

}  // namespace kartei::store
