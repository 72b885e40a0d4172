// BoxHost: turns in, many calls to one commit.
#include <spdlog/spdlog.h>

#include "daemon/box_host.h"

namespace kartei::daemon {

bool BoxHost::hear(HearJob job) {
  {
    std::lock_guard lock(mutex_);
    if (heard_.size() >= services_.config.get()->waiting) return false;
    heard_.push_back(std::move(job));
    if (std::exchange(drain_posted_, true)) return true;
  }
  return services_.writer.post_follow_up([self = shared_from_this()] { self->drain_heard(); });
}

void BoxHost::drain_heard() {
  std::vector<HearJob> jobs;
  {
    std::lock_guard lock(mutex_);
    jobs.swap(heard_);
    drain_posted_ = false;
  }
  if (jobs.empty()) return;
  if (closed_) {
    for (HearJob& job : jobs)
      job.answer(Error{Cause::kUnavailable, "The box was closed just now. Try again.", {}});
    return;
  }
  auto ids = hear_now(jobs);
  if (ids) {
    auto next = ids->begin();
    for (HearJob& job : jobs) {
      const auto end = next + static_cast<std::ptrdiff_t>(job.items.size());
      job.answer(std::vector<store::TurnId>(next, end));
      next = end;
    }
  } else if (jobs.size() == 1) {
    jobs[0].answer(ids.error());
  } else {
    // One call's fault must not cost its neighbours their answer.
    for (HearJob& job : jobs) job.answer(hear_now({&job, 1}));
  }
  keep_counted();
  settle();
}

Status BoxHost::fill_turn(HearJob::Item& item) {
  if (!item.drawer.empty()) {
    KARTEI_ASSIGN(item.turn.drawer, drawer_by_name(item.drawer));
  } else if (item.turn.drawer.is_zero()) {  // else it was sorted before the commit failed
    KARTEI_ASSIGN(item.turn.drawer, sort_turn(item.turn));
  }
  item.turn.device.bytes = identity_->pub().id();
  item.turn.recorded_at = now().wall;
  return {};
}

Result<std::vector<store::TurnId>> BoxHost::hear_now(std::span<HearJob> jobs) {
  std::vector<store::Turn> turns;
  std::vector<std::string> allows;
  for (HearJob& job : jobs) {
    allows.insert(allows.end(), job.allows.begin(), job.allows.end());
    for (HearJob::Item& item : job.items) {
      KARTEI_TRY(fill_turn(item));
      turns.push_back(item.turn);
    }
  }
  std::vector<store::TurnId> ids;
  KARTEI_TRY(with_secrets(allows, [&]() -> Status {
    KARTEI_ASSIGN(ids, engine_->hear(std::move(turns), now()));
    return {};
  }));
  const std::int64_t time = now().mono_ms;
  for (const HearJob& job : jobs) {
    count_use(job.items.size());
    for (const HearJob::Item& item : job.items)
      schedule_.heard(item.turn.conversation, item.turn.role != store::Role::kTool, time);
  }
  return ids;
}

}  // namespace kartei::daemon
