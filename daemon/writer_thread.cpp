#include "daemon/writer_thread.h"

#include <pthread.h>
#include <spdlog/spdlog.h>

#include <exception>

namespace kartei::daemon {

WriterThread::WriterThread(std::size_t capacity) : capacity_(capacity) {
  thread_ = std::thread([this] {
    ::pthread_setname_np(::pthread_self(), "writer");
    loop_.run();
  });
}

WriterThread::~WriterThread() {
  stop();
}

bool WriterThread::post(std::function<void()> job) {
  if (stopping_) return false;
  if (waiting_.fetch_add(1) >= capacity_) {
    --waiting_;
    return false;
  }
  loop_.post([this, job = std::move(job)]() mutable {
    --waiting_;
    run(std::move(job));
  });
  return true;
}

bool WriterThread::post_follow_up(std::function<void()> job) {
  if (stopping_) return false;
  loop_.post([this, job = std::move(job)]() mutable { run(std::move(job)); });
  return true;
}

// A job must not throw; one that does is a defect, logged, and costs its caller the answer only.
void WriterThread::run(std::function<void()> job) {
  try {
    job();
  } catch (const std::exception& error) {
    spdlog::error("writer: a job failed unexpectedly: {}", error.what());
  }
}

void WriterThread::stop() {
  if (stopping_.exchange(true)) {
    if (thread_.joinable()) thread_.join();
    return;
  }
  loop_.post([this] { loop_.stop(); });
  if (thread_.joinable()) thread_.join();
}

}  // namespace kartei::daemon
