// BoxHost: when it forgets, in which drawers, and how a run asked for goes its way. What is
// forgotten is manager/forgetting.h's matter.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>

#include "daemon/forgetting_run.h"

namespace kartei::daemon {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kFirstLookMs = 10 * 60'000;  // after the start
constexpr std::int64_t kLookLeastMs = kHourMs, kLookMostMs = 24 * kHourMs;
constexpr std::int64_t kAfterPolicyMs = 60'000;
constexpr std::int64_t kRestFactor = 3;  // times as long as a step took

}  // namespace

ForgettingPolicy BoxHost::forgetting_policy() const {
  return policy_from_text(engine_->forgetting_policy());
}

Status BoxHost::set_forgetting_policy(const ForgettingPolicy& policy) {
  KARTEI_TRY(engine_->set_forgetting_policy(policy_text(policy), now()));
  forget_due_ms_ = now().mono_ms + kAfterPolicyMs;
  return {};
}

// In its own drawers every device; in shared ones the primary, and who has the box to himself.
bool BoxHost::forgets_shared() const {
  if (engine_->acting()) return true;
  const sync::EngineStatus status = engine_->status(now());
  if (status.primary && *status.primary == status.self) return true;
  return std::none_of(status.members.begin(), status.members.end(),
                      [](const sync::MemberView& one) { return one.member && !one.self; });
}

Result<bool> BoxHost::forgetting_step(ForgettingRun& run) {
  KARTEI_ASSIGN(const auto drawers, box_->drawers());
  const bool shared = forgets_shared();
  std::map<store::DrawerId, bool> in_charge;
  for (const store::Drawer& drawer : drawers)
    in_charge[drawer.id] = drawer.held && (!drawer.shared || shared);
  return run.step({*box_, *engine_,
                   [&](store::DrawerId drawer) {
                     const auto found = in_charge.find(drawer);
                     return found != in_charge.end() && found->second;
                   },
                   [this] { return erased(); }});
}

store::RunId BoxHost::new_forgetting_run() {
  store::RunId run;
  services_.random.fill(run.bytes);
  return run;
}

void BoxHost::forget_first() {
  forget_due_ms_ = now().mono_ms + kFirstLookMs;
}

// A step at a time, and most of the time none.
void BoxHost::forget_a_little() {
  forget_due_ms_.reset();
  if (!forgetting_) {
    flush_usage();
    forgetting_ = std::make_unique<ForgettingRun>(forgetting_policy(), new_forgetting_run(), false,
                                                  ForgettingPage{0, 0}, now());
  }
  const std::int64_t began_ms = now().mono_ms;
  const auto done = forgetting_step(*forgetting_);
  const std::int64_t ended_ms = now().mono_ms;
  if (done && !*done) {
    forget_due_ms_ = ended_ms + kRestFactor * (ended_ms - began_ms + 1);
    return;
  }
  if (!done) spdlog::error("box {}: forgetting stopped: {}", name_, done.error().what);
  std::int64_t wait_ms = kLookMostMs;
  if (const auto next = forgetting_->next_due())
    wait_ms = std::clamp(store::to_ms(*next) - store::to_ms(now().wall), kLookLeastMs, kLookMostMs);
  if (forgetting_->steps() > 0)
    spdlog::info(
        "box {}: forgetting: {} faded, {} archived, {} condensed into {}, {} into the "
        "trash, {} erased",
        name_, forgetting_->count(ForgettingStep::kFade),
        forgetting_->count(ForgettingStep::kArchive), forgetting_->count(ForgettingStep::kCondense),
        forgetting_->made(), forgetting_->count(ForgettingStep::kTrash),
        forgetting_->count(ForgettingStep::kErase));
  forgetting_.reset();
  forget_due_ms_ = ended_ms + wait_ms;
}

void BoxHost::forget_now(const ForgettingAsked& asked, ForgettingAnswer answer) {
  if (!asked.dry_run && forget_asked_) {
    answer(Error{Cause::kConflict, "A run of forgetting is under way. Ask again when it is done.",
                 "dry_run"});
    return;
  }
  flush_usage();
  sync::Now at = now();
  if (asked.at) at.wall = *asked.at;
  auto run = std::make_shared<ForgettingRun>(forgetting_policy(), new_forgetting_run(),
                                             asked.dry_run, asked.page, at);
  // What was begun in the background looks at cards that this run changes: it begins anew.
  if (!asked.dry_run) {
    forgetting_.reset();
    forget_due_ms_ = at.mono_ms + kLookMostMs;
    forget_asked_ = true;
  }
  go_on_forgetting(run, std::move(answer));
}

// Others' work goes in between.
void BoxHost::go_on_forgetting(const std::shared_ptr<ForgettingRun>& run, ForgettingAnswer answer) {
  const auto done = closed_
                        ? Result<bool>(Error{Cause::kUnavailable, "The box is being closed.", {}})
                        : forgetting_step(*run);
  if (done && !*done) {
    services_.writer.post_follow_up(
        [self = shared_from_this(), run, answer = std::move(answer)]() mutable {
          self->go_on_forgetting(run, std::move(answer));
          self->settle();
        });
    return;
  }
  if (!run->dry()) forget_asked_ = false;
  if (!done)
    answer(done.error());
  else
    answer(run);
}

}  // namespace kartei::daemon
