// A bounded queue of jobs with a few threads of its own. Jobs start in the order in which they
// came, each on the idle thread that worked last: what that one needs is in the caches still, and
// the others sleep. Threads: any may post. Failure: a full or stopping queue says so; a job must
// not throw (one that does is logged, and its thread goes on).
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace kartei::daemon {

class WorkQueue {
 public:
  using Job = std::function<void(std::size_t thread)>;  // which of the queue's threads runs it

  WorkQueue(std::string name, std::size_t threads, std::size_t capacity);
  ~WorkQueue();  // stop()

  bool post(Job job);            // false: full, or stopping
  bool post_follow_up(Job job);  // of work under way, which the bound has counted; false: stopping
  void stop();                   // runs what is queued, then ends the threads; idempotent
  std::size_t waiting() const;   // jobs
  std::size_t idle() const;      // threads

 private:
  struct Thread {
    std::condition_variable wake;
    std::thread thread;
  };

  bool put(Job job, bool bounded);
  void run(std::size_t thread);
  Job wait_for_job(std::size_t thread);  // null: stopping

  const std::string name_;
  const std::size_t capacity_;
  mutable std::mutex mutex_;  // guards what follows
  std::deque<Job> jobs_;
  std::vector<std::size_t> idle_;  // threads; the one that worked last is last
  bool stopping_ = false;
  std::vector<Thread> threads_;  // as many as there ever will be
};

}  // namespace kartei::daemon
