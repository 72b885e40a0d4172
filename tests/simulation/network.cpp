#include "tests/simulation/network.h"

#include <algorithm>

namespace kartei::sim {

Weather Weather::drawn(Dice& dice) {
  Weather w;
  w.loss = dice.chance(0.6) ? dice.uniform(0, 0.3) : 0;
  w.repeat = dice.chance(0.5) ? dice.uniform(0, 0.3) : 0;
  w.delay_mean_ms = dice.chance(0.3) ? dice.uniform(100, 2'000) : dice.uniform(1, 50);
  w.clog = dice.chance(0.3) ? dice.uniform(0, 0.1) : 0;
  w.late = dice.uniform(0, 0.5);
  return w;
}

std::vector<std::int64_t> Network::fate(std::size_t from, std::size_t to) {
  if (!passes(from, to) || dice_.chance(weather_.loss)) return {};
  std::vector<std::int64_t> arrivals;
  // A path that repeats everything for ever is no network: three copies at most.
  do {
    std::int64_t delay = 1 + dice_.wait(weather_.delay_mean_ms);
    if (dice_.chance(weather_.clog)) delay += dice_.wait(weather_.clog_mean_ms);
    arrivals.push_back(delay);
  } while (arrivals.size() < 3 && dice_.chance(weather_.repeat));
  return arrivals;
}

std::uint64_t Network::session(std::size_t a, std::size_t b) const {
  const auto it = links_.find(ordered(a, b));
  return it == links_.end() ? 0 : it->second;
}

}  // namespace kartei::sim
