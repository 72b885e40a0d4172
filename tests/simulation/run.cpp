#include "tests/simulation/run.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "tests/simulation/check_end.h"
#include "tests/simulation/check_step.h"
#include "tests/simulation/workload.h"

namespace kartei::sim {

namespace {

constexpr std::int64_t kSliceMs = 2'000;
constexpr int kSlicesMax = 150;  // five minutes of fair weather
constexpr int kSlicesStill = 4;  // eight seconds without a change
// While they stand apart: what was lost goes out again after a minute at the latest.
constexpr int kSlicesApart = 35;

class Run {
 public:
  Run(const Climate& climate, Templates& templates)
      : climate_(climate),
        world_(climate.world, templates),
        steps_(world_),
        work_(world_, climate_) {
    world_.set_step_check([this](Device& d) { steps_.after_call(d); });
    world_.set_forget([this](const Device& d) { steps_.forget(d); });
  }
  World& world() { return world_; }

  // For a person who looks for the cause of a failure.
  void print_standing() {
    for (auto& d : world_.devices()) {
      if (!d->up()) continue;
      const sync::EngineStatus s = d->engine->status(world_.now_of(*d));
      std::printf(
          "device %zu: tip %s height %llu, seen %llu by %s, final %llu, %llu unread, "
          "%llu withheld, %zu members\n",
          d->index + 1, to_hex(s.tip.hash).substr(0, 16).c_str(),
          static_cast<unsigned long long>(s.tip.height),
          static_cast<unsigned long long>(s.seen.counter),
          s.seen.feed.device.text().substr(0, 6).c_str(),
          static_cast<unsigned long long>(s.final_position.height),
          static_cast<unsigned long long>(s.unread), static_cast<unsigned long long>(s.withheld),
          s.members.size());
      for (const auto& [feed, end] : world_.feed_ends(*d)) {
        const Device* author = world_.find(feed.device);
        std::printf("  feed %zu/%u: %llu\n", author == nullptr ? 0 : author->index + 1, feed.number,
                    static_cast<unsigned long long>(end));
      }
    }
  }

  void all() {
    schedule_comparison();
    work_.run();
    Owed owed = owed_now(world_);
    work_.calm();
    // A flush or two, so that everybody is on.
    world_.run_until(world_.now_ms() + kSliceMs);
    work_.grant_anew();
    quiet("first");
    check(owed, false);
    revoke_the_lost();
    for (int round = 0; round < 2; ++round) {
      for (Device* d : world_.counting()) work_.say(*d, work_.home(), false);
      quiet(round == 0 ? "second" : "third");
    }
    check(owed, true);
    steps_.compare_feeds();
  }

 private:
  void schedule_comparison() {
    world_.after(7'000, [this] {
      steps_.compare();
      schedule_comparison();
    });
  }

  // Where everybody stands; finality may lag, so it is no part of it.
  std::string standing() {
    std::string all;
    for (Device* d : world_.counting()) {
      if (!d->up()) {
        all += "off ";
        continue;
      }
      const sync::EngineStatus s = d->engine->status(world_.now_of(*d));
      all += to_hex(s.tip.hash).substr(0, 16) + "/" + std::to_string(s.seen.counter) + "/" +
             std::to_string(s.final_position.height) + "/" + std::to_string(s.pending) + "/" +
             std::to_string(s.unread) + (s.acting ? "* " : " ");
    }
    return all;
  }
  bool waiting() {
    for (Device* d : world_.counting()) {
      if (!d->up()) return true;
      const sync::EngineStatus s = d->engine->status(world_.now_of(*d));
      if (s.pending != 0 || s.unread != 0) return true;
      const auto unread = d->box->unextracted(false, 1);
      const auto local = d->box->unextracted(true, 1);
      if (unread.has_error() || local.has_error() || !unread->empty() || !local->empty())
        return true;
    }
    return false;
  }

  bool apart() {
    std::set<Hash32> tips;
    for (Device* d : world_.up())
      if (d->counts()) tips.insert(d->engine->status(world_.now_of(*d)).tip.hash);
    return tips.size() > 1;
  }

  void quiet(const char* which) {
    std::string before;
    int still = 0;
    for (int slice = 0; slice < kSlicesMax; ++slice) {
      world_.run_until(world_.now_ms() + kSliceMs);
      for (Device* d : world_.up())
        if (d->counts()) world_.plan_secretary(*d, 1);
      const std::string now = standing();
      still = now == before && !waiting() ? still + 1 : 0;
      before = now;
      if (still < (apart() ? kSlicesApart : kSlicesStill)) continue;
      world_.coverage()["quiet slices"] += static_cast<std::uint64_t>(slice);
      return;
    }
    throw Violation{std::string("does not come to rest in the ") + which +
                    " quiet phase: " + before};
  }

  void check(Owed& owed, bool all_there) {
    const Owed now = owed_now(world_);
    owed.turns.insert(now.turns.begin(), now.turns.end());
    owed.edits.insert(now.edits.begin(), now.edits.end());
    owed.units.insert(now.units.begin(), now.units.end());
    leave_out_cut(world_, owed);
    if (world_.counting().empty()) return;
    steps_.compare();
    for (Device* d : world_.counting()) steps_.look(*d);
    EndChecker end(world_, owed);
    end.agreement();
    end.turns();
    end.units();
    end.cards();
    end.users_word();
    end.drawers();
    if (all_there) end.kept();
  }

  void revoke_the_lost() {
    const auto live = world_.counting();
    if (live.empty()) return;
    for (auto& d : world_.devices())
      if (d->lost && live.front()->engine->is_member(d->id)) world_.revoke(*live.front(), *d);
  }

  const Climate& climate_;
  World world_;
  StepChecker steps_;
  Workload work_;
};

}  // namespace

Outcome run_seed(std::uint64_t seed, const sync::Rules& rules, Templates& templates, bool print) {
  Outcome outcome;
  outcome.seed = seed;
  const Climate climate = Climate::drawn(seed, rules, print);
  std::unique_ptr<Run> run;
  try {
    run = std::make_unique<Run>(climate, templates);
    run->all();
  } catch (const Violation& violation) {
    outcome.violation = violation.what;
    if (print && run != nullptr) run->print_standing();
  }
  if (run == nullptr) return outcome;
  outcome.trace_hash = run->world().trace().hash();
  outcome.coverage = run->world().coverage();
  return outcome;
}

}  // namespace kartei::sim
