#include "tests/simulation/workload.h"

namespace kartei::sim {

Climate Climate::drawn(std::uint64_t seed, const sync::Rules& rules, bool print) {
  Dice dice(seed, "climate");
  Climate c;
  c.world.seed = seed;
  c.world.print = print;
  static constexpr std::size_t kSizes[] = {2, 3, 3, 3, 4, 4, 5};
  c.world.devices = kSizes[dice.below(std::size(kSizes))];
  c.world.secretary = SecretaryHabits::drawn(dice);
  c.world.engine.rules = rules;
  c.world.engine.election.patience_ms = dice.between(1, 8) * 500;
  c.world.engine.election.minimum_tenure_ms = dice.chance(0.5) ? 10'000 : 600'000;
  c.world.engine.head_interval_ms = dice.between(2, 20) * 1'000;
  c.world.engine.resend_after_ms = dice.between(4, 20) * 100;
  c.world.engine.head_pause_ms = c.world.engine.resend_after_ms / 4;
  c.weather = Weather::drawn(dice);
  c.steps = static_cast<int>(dice.between(10, 38));
  c.gap_mean_ms = dice.uniform(200, 2'500);
  c.lost_max = dice.chance(0.35) ? 1 + dice.below(c.world.devices - 1) : 0;
  c.line = dice.chance(0.25);

  std::vector<double>& w = c.weights;
  w.assign(Workload::kEvents, 0);
  w[Workload::kSay] = dice.uniform(2, 6);
  w[Workload::kSayLocal] = dice.uniform(0, 0.6);
  w[Workload::kSayAgain] = 0.2;
  w[Workload::kEdit] = dice.uniform(0, 3);
  w[Workload::kEraseTurn] = dice.chance(0.4) ? 0.4 : 0;
  w[Workload::kPartition] = dice.uniform(0.2, 2);
  w[Workload::kPower] = dice.chance(0.6) ? dice.uniform(0.2, 1.2) : 0;
  w[Workload::kKill] = dice.chance(0.4) ? 0.5 : 0;
  w[Workload::kPause] = dice.chance(0.4) ? 0.5 : 0;
  w[Workload::kClock] = dice.chance(0.3) ? 0.4 : 0;
  w[Workload::kBackup] = w[Workload::kRestore] = dice.chance(0.15) ? 0.6 : 0;
  w[Workload::kJoin] = dice.chance(0.3) ? 0.4 : 0;
  w[Workload::kLose] = c.lost_max > 0 ? 0.3 : 0;
  w[Workload::kRevoke] = dice.chance(0.3) ? 0.3 : 0;
  w[Workload::kPin] = dice.chance(0.35) ? 0.6 : 0;
  w[Workload::kShare] = dice.chance(0.35) ? 0.4 : 0;
  w[Workload::kUsage] = 0.3;
  w[Workload::kEnd] = 0.2;
  if (dice.chance(0.4)) {  // a storm of branches
    w[Workload::kSay] = dice.uniform(4, 8);
    w[Workload::kPartition] = dice.uniform(1.5, 4);
    w[Workload::kRevoke] = 0;
    c.world.engine.election.patience_ms = dice.between(1, 3) * 300;
    c.gap_mean_ms = dice.uniform(400, 2'500);
  }
  return c;
}

}  // namespace kartei::sim
