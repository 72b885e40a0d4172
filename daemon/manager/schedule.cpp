#include "daemon/manager/schedule.h"

#include <algorithm>

namespace kartei::daemon {

Schedule::Pending* Schedule::pending_of(const std::string& conversation) {
  const auto found = pending_.find(conversation);
  if (found != pending_.end()) return &found->second;
  if (pending_.size() >= rules_.conversations_max) {
    missed_ = true;
    return nullptr;
  }
  return &pending_[conversation];
}

void Schedule::heard(const std::string& conversation, bool counts, std::int64_t now_ms) {
  Pending* pending = pending_of(conversation);
  if (pending == nullptr) return;
  pending->last_ms = now_ms;
  if (counts) ++pending->unread;
}

void Schedule::asked(const std::string& conversation) {
  Pending* pending = pending_of(conversation);
  if (pending == nullptr) {
    const auto gives_way = std::find_if(pending_.begin(), pending_.end(), [&](const auto& entry) {
      return !entry.second.asked && entry.first != reading_;
    });
    if (gives_way == pending_.end()) return;
    pending_.erase(gives_way);
    pending = &pending_[conversation];
  }
  pending->asked = true;
  pending->not_before_ms = 0;
}

void Schedule::found(const std::string& conversation, std::size_t unread, std::int64_t now_ms) {
  if (unread == 0) return;
  Pending* pending = pending_of(conversation);
  if (pending == nullptr) return;
  if (unread > pending->unread) pending->last_ms = now_ms;
  pending->unread = std::max(pending->unread, unread);
}

std::int64_t Schedule::due_at(const Pending& pending) const {
  if (pending.asked || pending.unread >= rules_.unread_turns) return pending.not_before_ms;
  return std::max(pending.last_ms + rules_.silence_ms, pending.not_before_ms);
}

bool Schedule::has_room_again() {
  if (!missed_ || pending_.size() > rules_.conversations_max / 2) return false;
  missed_ = false;
  return true;
}

std::optional<std::string> Schedule::take_due(std::int64_t now_ms) {
  if (reading_) return std::nullopt;
  const std::pair<const std::string, Pending>* best = nullptr;
  for (const auto& entry : pending_) {
    if (due_at(entry.second) > now_ms) continue;
    // Whom somebody waits for goes first, then who waits longest.
    const bool better =
        best == nullptr || (entry.second.asked && !best->second.asked) ||
        (entry.second.asked == best->second.asked && entry.second.last_ms < best->second.last_ms);
    if (better) best = &entry;
  }
  if (best == nullptr) return std::nullopt;
  reading_ = best->first;
  return reading_;
}

void Schedule::done(std::size_t left) {
  if (!reading_) return;
  const auto found = pending_.find(*reading_);
  reading_.reset();
  if (found == pending_.end()) return;
  if (left == 0) {
    pending_.erase(found);
    return;
  }
  found->second.unread = left;
  found->second.not_before_ms = 0;
}

void Schedule::failed(std::int64_t now_ms) {
  if (!reading_) return;
  const auto found = pending_.find(*reading_);
  reading_.reset();
  if (found != pending_.end()) found->second.not_before_ms = now_ms + rules_.retry_ms;
}

std::optional<std::int64_t> Schedule::next_due_ms(std::int64_t now_ms) const {
  if (reading_) return std::nullopt;
  std::optional<std::int64_t> next;
  for (const auto& [name, pending] : pending_) {
    const std::int64_t due = std::max(due_at(pending), now_ms);
    if (!next || due < *next) next = due;
  }
  return next;
}

std::size_t Schedule::asked_for() const {
  return static_cast<std::size_t>(std::count_if(
      pending_.begin(), pending_.end(), [](const auto& entry) { return entry.second.asked; }));
}

}  // namespace kartei::daemon
