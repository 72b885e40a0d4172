#include "daemon/writer_thread.h"

#include <pthread.h>
#include <exception>

#include "daemon/log.h"

namespace kartei::daemon {

WriterThread::WriterThread(std::size_t capacity) : capacity_(capacity) {
  thread_ = std::thread([this] {
    ::pthread_setname_np(::pthread_self(), "writer");
    run_loop();
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
  loop_.post([this, job = std::move(job)] {
    --waiting_;
    job();
  });
  return true;
}

bool WriterThread::post_follow_up(std::function<void()> job) {
  if (stopping_) return false;
  loop_.post(std::move(job));
  return true;
}

// A job, an alarm or a link's work must not throw. One that does is a defect, and may have left an
// engine half-way: to go on would be to write from what is not true.
void WriterThread::run_loop() {
  try {
    loop_.run();
  } catch (const std::exception& error) {
    end_after_defect("writer", error.what());
  } catch (...) {
    end_after_defect("writer", "an exception of an unknown kind");
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
