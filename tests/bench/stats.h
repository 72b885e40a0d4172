// Samples of one figure, in microseconds. Values.
#pragma once

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <vector>

namespace kartei::bench {

using Clock = std::chrono::steady_clock;
inline double us_since(Clock::time_point began) {
  return std::chrono::duration<double, std::micro>(Clock::now() - began).count();
}

struct Samples {
  std::vector<double> us;

  void add(double sample_us) { us.push_back(sample_us); }
  double percentile(double p) const {
    if (us.empty()) return 0;
    std::vector<double> sorted = us;
    std::sort(sorted.begin(), sorted.end());
    const auto at = static_cast<std::size_t>(p * static_cast<double>(sorted.size()));
    return sorted[std::min(sorted.size() - 1, at)];
  }
  boost::json::object report() const {
    return {{"p50_us", percentile(.5)},
            {"p99_us", percentile(.99)},
            {"max_us", percentile(1)},
            {"n", us.size()}};
  }
  // With the median's ratio to the floor's.
  boost::json::object beside(const char* floor_name, const Samples& floor) const {
    boost::json::object out = report();
    out["floor"] = floor_name;
    out["ratio"] = floor.percentile(.5) > 0 ? percentile(.5) / floor.percentile(.5) : 0;
    return out;
  }
};

}  // namespace kartei::bench
