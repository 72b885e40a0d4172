// BoxHost: when the secretary reads, what it is given, and what becomes of its unit. The rules of
// extraction are manager/secretary.h's, the times are manager/schedule.h's.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <future>

#include "daemon/across_drawers.h"
#include "daemon/box_host.h"
#include "daemon/manager/model/model_secretary.h"
#include "daemon/manager/sorter.h"

namespace kartei::daemon {
namespace {

constexpr std::size_t kTurnsPerReading = 20;
constexpr std::size_t kContextTurns = 10;
constexpr std::size_t kCardsAtOnce = 200;  // some 0.4 ms
constexpr std::int64_t kScanShare = 20;    // at most one part in so many of the writer's time

// The secretary's questions about cards, answered on the writer thread, a part at a time: what
// others write goes in between.
class WriterLookup final : public CardLookup {
 public:
  WriterLookup(std::shared_ptr<BoxHost> host, Reach reach)
      : host_(std::move(host)), reach_(std::move(reach)) {}

  Result<std::vector<store::Card>> open_cards(std::string_view subject) override {
    std::vector<store::Card> cards;
    for (std::int64_t after = 0;;) {
      KARTEI_ASSIGN(store::OpenCards part, ask(std::string(subject), after));
      std::move(part.cards.begin(), part.cards.end(), std::back_inserter(cards));
      if (!part.more) break;
      after = part.last;
    }
    std::sort(cards.begin(), cards.end(), [](const store::Card& a, const store::Card& b) {
      return std::pair(a.recorded_at, a.id) < std::pair(b.recorded_at, b.id);
    });
    return cards;
  }

 private:
  static Result<store::OpenCards> look(store::Box& box, const Reach& reach,
                                       const std::string& subject, std::int64_t after) {
    KARTEI_ASSIGN(store::OpenCards part, box.open_cards_after(subject, after, kCardsAtOnce));
    KARTEI_ASSIGN(part.cards, cards_within(box, reach, std::move(part.cards)));
    return part;
  }
  Result<store::OpenCards> ask(std::string subject, std::int64_t after) {
    auto promise = std::make_shared<std::promise<Result<store::OpenCards>>>();
    auto future = promise->get_future();
    const bool posted = host_->services().writer.post_follow_up(
        [promise, host = host_, reach = reach_, subject = std::move(subject), after] {
          promise->set_value(look(host->box(), reach, subject, after));
        });
    if (!posted) return Error{Cause::kUnavailable, "The daemon is stopping.", {}};
    promise.reset();  // a job that is thrown away breaks the promise instead of hanging us
    try {
      return future.get();
    } catch (const std::future_error&) {
      return Error{Cause::kUnavailable, "The daemon is stopping.", {}};
    }
  }

  std::shared_ptr<BoxHost> host_;
  Reach reach_;
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
  Reach reach;
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

// The oldest unread turns of the conversation, of one drawer; none: nullptr. What was said first is
// read first, on whichever side it lies.
Result<std::shared_ptr<BoxHost::Reading>> BoxHost::gather(const std::string& conversation) {
  auto reading = std::make_shared<Reading>();
  KARTEI_ASSIGN(reading->turns, box_->unread_of(conversation, true, kTurnsPerReading));
  if (engine_->acting()) {
    KARTEI_ASSIGN(auto shared, box_->unread_of(conversation, false, kTurnsPerReading));
    reading->turns = said_first(std::move(reading->turns), std::move(shared));
  }
  if (reading->turns.empty()) return std::shared_ptr<Reading>();
  KARTEI_ASSIGN(const auto drawer, box_->drawer(reading->turns[0].drawer));
  reading->shared = drawer && drawer->shared;
  KARTEI_TRY(set_reach(*reading));
  const store::TurnId first = reading->turns[0].id;
  KARTEI_ASSIGN(auto around, box_->turns_around(first, kContextTurns));
  for (store::Turn& turn : around) {
    if (turn.id == first) break;
    if (reading->reach.sees(turn.drawer)) reading->context.push_back(std::move(turn));
  }
  const BoxSettings current = settings();
  reading->owner = current.owner;
  reading->zone = current.zone;
  reading->box_secret = engine_->derived_key("cards");
  reading->now = now().wall;
  return reading;
}

// What the model's endpoint may not read does not come along with what it may.
Status BoxHost::set_reach(Reading& reading) {
  KARTEI_ASSIGN(const auto common, box_->drawer(std::string_view(kDefaultDrawer)));
  const auto parted = [&](store::DrawerId drawer) {
    return (common && common->id == drawer) || sorter_->made_it(drawer);
  };
  KARTEI_ASSIGN(reading.reach, reach_of(*box_, reading.turns[0], engine_->acting(), parted));
  const auto may_ask = model_may_read(reading.turns[0].drawer);
  reading.may_ask_model = may_ask && *may_ask;
  if (!reading.may_ask_model) return {};
  std::erase_if(reading.reach.seen, [&](store::DrawerId drawer) {
    const auto may = model_may_read(drawer);
    return !may || !*may;
  });
  return {};
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
      task.seen = reading->reach.seen;
      WriterLookup lookup(self, reading->reach);
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
  const auto denied = [&](store::DrawerId drawer) {
    const auto may_ask = model_may_read(drawer);
    return may_ask && !*may_ask;
  };
  const auto& seen = reading->reach.seen;
  if (denied(reading->turns[0].drawer) || std::any_of(seen.begin(), seen.end(), denied))
    reading->in_vain = true;
}

Result<bool> BoxHost::file_reading(const Reading& reading, store::UnitFiled unit) {
  drop_secret_cards(unit, *allowed_secrets());
  const store::Turn& last = reading.turns.back();
  KARTEI_ASSIGN(auto ends, take_ends_elsewhere(*box_, unit, last, engine_->acting()));
  return engine_->file_unit(std::move(unit), now(), std::move(ends));
}

void BoxHost::finish_reading(const std::shared_ptr<Reading>& reading,
                             Result<store::UnitFiled> unit) {
  if (closed_) return;
  const bool in_vain = !unit && reading->in_vain;
  const Result<bool> filed = in_vain ? Result<bool>(false)
                             : unit  ? file_reading(*reading, std::move(*unit))
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
