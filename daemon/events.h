// What happened in a box, for those who listen (server-sent events). Keeps the newest few, so that
// a listener who was away for a moment goes on where it stopped. Threads: any. Ownership: shares
// the listeners' streams until they close.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "daemon/api/http.h"

namespace kartei::daemon {

class Events {
 public:
  static constexpr std::size_t kKept = 1024;
  static constexpr std::size_t kListenersMax = 32;

  // `boot` tells one life of the daemon from another: numbers start anew with each.
  explicit Events(std::string boot) : boot_(std::move(boot)) {}

  void push(const std::string& type, const std::string& data_json);
  // From after `last_id` where it is still kept; a listener that missed some is told "reset" first.
  // False: too many listeners.
  bool listen(std::shared_ptr<api::ResponseStream> stream, const std::string& last_id);
  bool full();
  void close();

 private:
  struct Event {
    std::uint64_t number;
    std::string text;
  };
  std::size_t first_missing(const std::string& last_id, bool& reset) const;

  const std::string boot_;
  std::mutex mutex_;  // guards what follows
  std::uint64_t next_ = 1;
  std::deque<Event> kept_;
  std::vector<std::shared_ptr<api::ResponseStream>> listeners_;
};

}  // namespace kartei::daemon
