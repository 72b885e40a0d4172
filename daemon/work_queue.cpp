#include "daemon/work_queue.h"

#include <pthread.h>
#include <spdlog/spdlog.h>

#include <exception>

namespace kartei::daemon {

WorkQueue::WorkQueue(std::string name, std::size_t threads, std::size_t capacity)
    : name_(std::move(name)), capacity_(capacity) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this, i] { run(i); });
}

WorkQueue::~WorkQueue() {
  stop();
}

bool WorkQueue::put(Job job, bool bounded) {
  {
    std::lock_guard lock(mutex_);
    if (stopping_ || (bounded && jobs_.size() >= capacity_)) return false;
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
  return true;
}

bool WorkQueue::post(Job job) {
  return put(std::move(job), true);
}
bool WorkQueue::post_follow_up(Job job) {
  return put(std::move(job), false);
}

void WorkQueue::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

std::size_t WorkQueue::waiting() const {
  std::lock_guard lock(mutex_);
  return jobs_.size();
}

void WorkQueue::run(std::size_t thread) {
  ::pthread_setname_np(::pthread_self(), name_.substr(0, 15).c_str());
  for (;;) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    try {
      job(thread);
    } catch (const std::exception& error) {
      spdlog::error("{}: a job failed unexpectedly: {}", name_, error.what());
    } catch (...) {
      spdlog::error("{}: a job failed unexpectedly", name_);
    }
  }
}

}  // namespace kartei::daemon
