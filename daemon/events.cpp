#include "daemon/events.h"

#include <algorithm>
#include <charconv>

namespace kartei::daemon {

void Events::push(const std::string& type, const std::string& data_json) {
  std::lock_guard lock(mutex_);
  Event event{next_, "id: " + boot_ + "-" + std::to_string(next_) + "\nevent: " + type +
                         "\ndata: " + data_json + "\n\n"};
  ++next_;
  std::erase_if(listeners_, [&](const auto& listener) { return !listener->write(event.text); });
  kept_.push_back(std::move(event));
  if (kept_.size() > kKept) kept_.pop_front();
}

// Index into kept_ of the first event after `last_id`.
std::size_t Events::first_missing(const std::string& last_id, bool& reset) const {
  reset = false;
  if (last_id.empty()) return kept_.size();
  std::uint64_t number = 0;
  const std::string start = boot_ + "-";
  const char* end = last_id.data() + last_id.size();
  const bool ours = last_id.starts_with(start) &&
                    std::from_chars(last_id.data() + start.size(), end, number).ptr == end &&
                    number < next_;
  const std::uint64_t oldest = kept_.empty() ? next_ : kept_.front().number;
  if (!ours || number + 1 < oldest) {
    reset = true;
    return kept_.size();
  }
  return static_cast<std::size_t>(number + 1 - oldest);
}

bool Events::listen(std::shared_ptr<api::ResponseStream> stream, const std::string& last_id) {
  std::lock_guard lock(mutex_);
  std::erase_if(listeners_, [](const auto& listener) { return !listener->open(); });
  if (listeners_.size() >= kListenersMax) return false;
  bool reset = false;
  const std::size_t from = first_missing(last_id, reset);
  std::string text = ": kartei\n\n";
  if (reset)
    text += "id: " + boot_ + "-" + std::to_string(next_ - 1) + "\nevent: reset\ndata: {}\n\n";
  for (std::size_t i = from; i < kept_.size(); ++i) text += kept_[i].text;
  if (stream->write(std::move(text))) listeners_.push_back(std::move(stream));
  return true;
}

bool Events::full() {
  std::lock_guard lock(mutex_);
  std::erase_if(listeners_, [](const auto& listener) { return !listener->open(); });
  return listeners_.size() >= kListenersMax;
}

void Events::close() {
  std::lock_guard lock(mutex_);
  for (const auto& listener : listeners_) listener->finish();
  listeners_.clear();
}

}  // namespace kartei::daemon
