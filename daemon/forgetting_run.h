// One run of forgetting over a box: reads the cards a few at a time, asks the rules, and has done
// what they say; or only tells what would be done. Decides nothing itself.
//
// Threads: the box's writer. Ownership: borrows box and engine for a step at a time. Failure: of
// the disk; what was done until then stands, and the next run goes on.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "daemon/box_host.h"
#include "daemon/manager/forgetting.h"
#include "store/box.h"
#include "sync/engine.h"

namespace kartei::daemon {

class ForgettingRun {
 public:
  static constexpr std::size_t kCardsAtOnce = 256;

  struct Around {
    store::Box& box;
    sync::Engine& engine;
    // Whether this device forgets in that drawer.
    std::function<bool(store::DrawerId)> in_charge;
    // Something is about to be erased: its bytes are to be scrubbed.
    std::function<Status()> about_to_erase;
  };

  ForgettingRun(ForgettingPolicy policy, store::RunId run, bool dry, ForgettingPage page,
                sync::Now now);
  // A few milliseconds of it. True: that was the last.
  Result<bool> step(const Around& around);

  bool dry() const { return dry_; }
  store::RunId run() const { return run_; }
  store::Time at() const { return now_.wall; }
  const ForgettingPolicy& policy() const { return policy_; }
  std::size_t count(ForgettingStep::What what) const { return counts_.at(what); }
  std::size_t made() const { return made_; }  // cards that stand for others
  std::size_t steps() const { return steps_; }
  const std::vector<ForgettingStep>& shown() const { return shown_; }
  std::optional<store::Time> next_due() const { return pass_.next_due(); }

 private:
  enum class Phase { kCards, kTooMany, kCondensing, kDone };
  Status look_at_cards(const Around& around);
  Status fade_too_many(const Around& around);
  Status condense_half_year(const Around& around);
  Status condense_one(const Around& around, const Condensation& condensation);
  Status take(const Around& around, std::vector<ForgettingStep> steps);
  void show(const ForgettingStep& step);

  const ForgettingPolicy policy_;
  const store::RunId run_;
  const bool dry_;
  const ForgettingPage page_;
  const sync::Now now_;
  ForgettingPass pass_;
  Phase phase_ = Phase::kCards;
  std::int64_t rid_ = 0;                  // looked at up to here
  store::Time half_year_{};               // condensed before it
  std::vector<ForgettingStep> too_many_;  // not done yet
  bool too_many_known_ = false;
  std::map<ForgettingStep::What, std::size_t> counts_;
  std::size_t made_ = 0, steps_ = 0;
  std::vector<ForgettingStep> shown_;
};

// Takes back what a run did, to one card or to all of them: how many. kNotFound: there is nothing.
Result<std::size_t> take_back_run(store::Box& box, sync::Engine& engine, store::RunId run,
                                  sync::Now now);
Result<std::size_t> take_back_card(store::Box& box, sync::Engine& engine, store::CardId card,
                                   sync::Now now);

}  // namespace kartei::daemon
