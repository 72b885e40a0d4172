#include "store/meaning/helper_thread.h"

#include <pthread.h>

#include <system_error>
#include <utility>

namespace kartei::store {

HelperThread::~HelperThread() {
  end();
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void HelperThread::begin(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    job_ = std::move(job);
  }
  if (thread_.joinable()) return changed_.notify_all();
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    // end() takes the job back.
  }
}

void HelperThread::end() {
  std::unique_lock lock(mutex_);
  job_ = nullptr;
  changed_.wait(lock, [this] { return !working_; });
}

void HelperThread::run() {
  ::pthread_setname_np(::pthread_self(), "scan");
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || job_ != nullptr; });
    if (stop_) return;
    const std::function<void()> job = std::exchange(job_, nullptr);
    working_ = true;
    lock.unlock();
    job();
    lock.lock();
    working_ = false;
    changed_.notify_all();
  }
}

}  // namespace kartei::store
