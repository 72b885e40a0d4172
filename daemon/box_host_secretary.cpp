// BoxHost: when the secretary reads, what it is given, and what becomes of its unit. The rules of
// extraction are manager/secretary.h's, the times are manager/schedule.h's.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <future>

#include "daemon/box_host.h"
#include "daemon/manager/model/model_secretary.h"

namespace kartei::daemon {
namespace {

constexpr std::size_t kTurnsPerReading = 20;
constexpr std::size_t kContextTurns = 10;
constexpr std::int64_t kScanShare = 20;  // at most one part in so many of the writer's time

// The secretary's questions about cards, answered on the writer thread.
class WriterLookup final : public CardLookup {
 public:
  WriterLookup(std::shared_ptr<BoxHost> host, store::DrawerId drawer)
      : host_(std::move(host)), drawer_(drawer) {}

  Result<std::vector<store::Card>> open_cards(std::string_view subject,
                                              std::string_view relation) override {
    auto promise = std::make_shared<std::promise<Result<std::vector<store::Card>>>>();
    auto future = promise->get_future();
    const bool posted = host_->services().writer.post_follow_up(
        [promise, host = host_, subject = std::string(subject), relation = std::string(relation)] {
          promise->set_value(host->box().open_cards(subject, relation));
        });
    if (!posted) return Error{Cause::kUnavailable, "The daemon is stopping.", {}};
    promise.reset();  // a job that is thrown away breaks the promise instead of hanging us
    try {
      auto cards = future.get();
      if (!cards) return cards;
      std::erase_if(*cards, [&](const store::Card& card) { return card.drawer != drawer_; });
      return cards;
    } catch (const std::future_error&) {
      return Error{Cause::kUnavailable, "The daemon is stopping.", {}};
    }
  }

 private:
  std::shared_ptr<BoxHost> host_;
  store::DrawerId drawer_;
};

// A defect of the secretary's costs this reading, which is tried again later, and not all others.
Result<store::UnitFiled> extract_safely(Secretary& secretary, const SecretaryTask& task,
                                        CardLookup& lookup) {
  try {
    return secretary.extract(task, lookup);
  } catch (const std::exception& error) {
    return Error{Cause::kInternal, std::string("the secretary failed: ") + error.what(), {}};
  }
}

}  // namespace

// One run of the secretary: what it gets. Owns what the task borrows.
struct BoxHost::Reading {
  std::vector<store::Turn> context, turns;
  std::string owner, zone;
  Hash32 box_secret{};
  store::Time now{};
  bool shared = false;  // what it reads
  bool may_ask_model = false;
  std::atomic<bool> in_vain{false};  // its unit would not be taken any more
};

Status BoxHost::end_conversation(const std::string& conversation) {
  KARTEI_TRY(engine_->end_conversation(conversation, now()));
  schedule_.asked(conversation);
  return {};
}

Result<std::uint64_t> BoxHost::pending_extraction() {
  KARTEI_ASSIGN(const std::uint64_t unread, box_->unextracted_count());
  return unread + schedule_.asked_for();
}

// Tells the schedule what is unread in the box: at the start, when others' turns were filed, and
// when it has room again for what it could not keep.
void BoxHost::scan_unread(bool local, bool shared) {
  const std::int64_t began = now().mono_ms;
  for (const bool side : {true, false}) {
    if (!(side ? local : shared)) continue;
    auto unread = box_->unread_conversations(side, schedule_.most());
    if (!unread) {
      spdlog::error("box {}: {}", name_, unread.error().what);
      return;
    }
    if (unread->size() == schedule_.most()) schedule_.missed();
    for (const store::UnreadConversation& one : *unread) {
      schedule_.found(one.name, one.turns, began);
      if (one.asked) schedule_.asked(one.name);
    }
  }
  const std::int64_t ended = now().mono_ms;
  scan_not_before_ms_ = ended + kScanShare * (ended - began);
}

void BoxHost::look_for_unread() {
  scan_unread(true, engine_->acting());
}

void BoxHost::scan_again() {
  scan_due_ms_.reset();
  look_for_unread();
}

// While this device is the primary, others' turns, and their word that a conversation is over, are
// filed in the course of things: a new entry tells when to look again.
void BoxHost::look_for_shared_work() {
  if (!engine_->acting()) {
    was_acting_ = false;
    return;
  }
  if (was_acting_ && box_->tip_height() == looked_at_height_) return;
  was_acting_ = true;
  looked_at_height_ = box_->tip_height();
  const auto any = box_->anything_unextracted(false);
  if (!any || !*any) return;
  if (now().mono_ms < scan_not_before_ms_) {
    if (!scan_due_ms_) scan_due_ms_ = scan_not_before_ms_;
    return;
  }
  scan_unread(false, true);
}

// The oldest unread turns of the conversation, of one drawer; none: nullptr.
Result<std::shared_ptr<BoxHost::Reading>> BoxHost::gather(const std::string& conversation) {
  auto reading = std::make_shared<Reading>();
  for (const bool local : {true, false}) {
    if (!local && !engine_->acting()) break;
    KARTEI_ASSIGN(reading->turns, box_->unread_of(conversation, local, kTurnsPerReading));
    reading->shared = !local;
    if (!reading->turns.empty()) break;
  }
  if (reading->turns.empty()) return std::shared_ptr<Reading>();
  const store::TurnId first = reading->turns[0].id;
  KARTEI_ASSIGN(auto around, box_->turns_around(first, kContextTurns));
  for (store::Turn& turn : around) {
    if (turn.id == first) break;
    if (turn.drawer == reading->turns[0].drawer) reading->context.push_back(std::move(turn));
  }
  const BoxSettings current = settings();
  reading->owner = current.owner;
  reading->zone = current.zone;
  reading->box_secret = engine_->derived_key("cards");
  reading->now = now().wall;
  return reading;
}

void BoxHost::pump_secretary() {
  if (closed_) return;
  if (schedule_.has_room_again()) look_for_unread();
  while (const auto conversation = schedule_.take_due(now().mono_ms)) {
    auto reading = gather(*conversation);
    if (!reading) {
      spdlog::error("box {}: the secretary cannot read: {}", name_, reading.error().what);
      schedule_.failed(now().mono_ms);
      return;
    }
    if (*reading == nullptr) {
      schedule_.done(0);
      continue;
    }
    // What may wait for an endpoint must not hold up what does not.
    const auto may_ask = model_may_read((*reading)->turns[0].drawer);
    (*reading)->may_ask_model = may_ask && *may_ask;
    WorkQueue& queue = (*reading)->may_ask_model ? services_.model->queue() : services_.worker;
    const bool posted = queue.post([self = shared_from_this(), reading = *reading](std::size_t) {
      SecretaryTask task;
      task.drawer = reading->turns[0].drawer;
      task.owner = reading->owner;
      task.zone = reading->zone;
      task.context = reading->context;
      task.turns = reading->turns;
      task.now = reading->now;
      task.box_secret32 = reading->box_secret;
      task.may_ask_model = reading->may_ask_model;
      task.given_up = [&self, &reading] { return self->closed() || reading->in_vain; };
      WriterLookup lookup(self, task.drawer);
      auto unit = extract_safely(self->services_.secretary, task, lookup);
      self->services_.writer.post_follow_up(
          [self, reading, unit = std::move(unit)] { self->finish_reading(reading, unit); });
    });
    if (!posted) schedule_.failed(now().mono_ms);
    reading_ = *reading;
    return;
  }
}

// An endpoint may take its time. Meanwhile another device may have become the primary, which reads
// those turns itself, or the drawer's owner may have said that they are not for that endpoint.
void BoxHost::give_up_vain_reading() {
  const auto reading = reading_.lock();
  if (!reading || reading->in_vain) return;
  if (reading->shared && !engine_->acting()) reading->in_vain = true;
  if (!reading->may_ask_model) return;
  const auto may_ask = model_may_read(reading->turns[0].drawer);
  if (may_ask && !*may_ask) reading->in_vain = true;
}

void BoxHost::finish_reading(const std::shared_ptr<Reading>& reading,
                             Result<store::UnitFiled> unit) {
  if (closed_) return;
  if (unit) drop_secret_cards(*unit, *allowed_secrets());
  const bool in_vain = !unit && reading->in_vain;
  Result<bool> filed = in_vain ? Result<bool>(false)
                       : unit  ? engine_->file_unit(std::move(*unit), now())
                               : Result<bool>(unit.error());
  if (!filed) {
    spdlog::warn("box {}: a reading failed and is tried again: {}", name_, filed.error().what);
    schedule_.failed(now().mono_ms);
    return settle();
  }
  const auto next = gather(reading->turns[0].conversation);
  const bool stuck =
      !in_vain && next && *next != nullptr && (*next)->turns[0].id == reading->turns[0].id;
  if (!next || stuck)
    schedule_.failed(now().mono_ms);
  else
    schedule_.done(*next == nullptr ? 0 : (*next)->turns.size());
  settle();
}

}  // namespace kartei::daemon
