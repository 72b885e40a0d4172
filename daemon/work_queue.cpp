#include "daemon/work_queue.h"

#include <pthread.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <optional>

namespace kartei::daemon {

WorkQueue::WorkQueue(std::string name, std::size_t threads, std::size_t capacity)
    : name_(std::move(name)), capacity_(capacity), threads_(threads) {
  for (std::size_t i = 0; i < threads; ++i) threads_[i].thread = std::thread([this, i] { run(i); });
}

WorkQueue::~WorkQueue() {
  stop();
}

bool WorkQueue::put(Job job, bool bounded) {
  std::optional<std::size_t> woken;
  {
    std::lock_guard lock(mutex_);
    if (stopping_ || (bounded && jobs_.size() >= capacity_)) return false;
    jobs_.push_back(std::move(job));
    if (!idle_.empty()) {
      woken = idle_.back();
      idle_.pop_back();
    }
  }
  if (woken) threads_[*woken].wake.notify_one();
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
    idle_.clear();
  }
  for (Thread& one : threads_) one.wake.notify_one();
  for (Thread& one : threads_)
    if (one.thread.joinable()) one.thread.join();
}

std::size_t WorkQueue::waiting() const {
  std::lock_guard lock(mutex_);
  return jobs_.size();
}

std::size_t WorkQueue::idle() const {
  std::lock_guard lock(mutex_);
  return idle_.size();
}

// Who sleeps stands in idle_; whoever wakes it takes it out of there. One that was at work may take
// the job meanwhile.
WorkQueue::Job WorkQueue::wait_for_job(std::size_t thread) {
  std::unique_lock lock(mutex_);
  while (jobs_.empty()) {
    if (stopping_) return nullptr;
    idle_.push_back(thread);
    threads_[thread].wake.wait(lock, [this, thread] {
      return std::find(idle_.begin(), idle_.end(), thread) == idle_.end();
    });
  }
  Job job = std::move(jobs_.front());
  jobs_.pop_front();
  return job;
}

void WorkQueue::run(std::size_t thread) {
  ::pthread_setname_np(::pthread_self(), name_.substr(0, 15).c_str());
  while (const Job job = wait_for_job(thread)) {
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
