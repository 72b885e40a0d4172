#include "election/election.h"

#include <algorithm>
#include <cmath>

namespace kartei::election {

namespace {

constexpr double kHalfLifeMs = 24.0 * 3600 * 1000;

// What each part can add at most. They sum to 100, so that a score reads as a percentage and the
// hysteresis means the same for every kind of device.
constexpr double kKindMax = 20;
constexpr double kPowerMax = 20;
constexpr double kUseMax = 20;
constexpr double kProcessorMax = 12;
constexpr double kMemoryMax = 10;
constexpr double kStorageMax = 8;
constexpr double kReachableMax = 10;

// Beyond these more is no better for running a box.
constexpr double kUseFull = 60;  // turns and questions an hour
constexpr double kCoresFull = 8;
constexpr double kMemoryFullMb = 8192;
constexpr double kStorageFullMb = 65536;
// A device with less cannot be trusted to finish a compaction.
constexpr double kStorageLeastMb = 256;

// A vital that is no number, or out of range, counts as the worst: heads come from others.
double share(double value) {
  if (!(value > 0)) return 0;
  return std::min(value, 1.0);
}

// Doubling counts the same wherever it happens: from one core to two as from four to eight.
double log_share(double value, double full) {
  if (!(value > 0)) return 0;
  return share(std::log1p(value) / std::log1p(full));
}

double kind_part(const Vitals& v) {
  switch (v.kind) {
    case Kind::kDesktop:
      return kKindMax;
    case Kind::kLaptop:
      return kKindMax * 0.75;
    case Kind::kPhone:
      return 0;
  }
  return 0;
}

double power_part(const Vitals& v) {
  if (v.power == Power::kMains) return kPowerMax;
  // Half at best: a full battery is still one that the work empties.
  const double most = v.kind == Kind::kPhone ? kPowerMax / 4 : kPowerMax / 2;
  return most * share(v.battery);
}

double processor_part(const Vitals& v) {
  const double cores = static_cast<double>(v.cores);
  // NaN compares false: then the processor counts as busy.
  const double idle = v.load >= 0 ? 1 / (1 + v.load) : 0;
  return kProcessorMax * log_share(cores, kCoresFull) * idle;
}

double storage_part(const Vitals& v) {
  const double free_mb = static_cast<double>(v.storage_free_mb);
  if (free_mb < kStorageLeastMb) return 0;
  return kStorageMax * log_share(free_mb, kStorageFullMb);
}

// Lifts the incumbent, so that the role stays where it is until somebody is clearly better.
double standing_value(const Standing& s, const DeviceKey* incumbent, const Rules& rules) {
  const bool lifted = incumbent != nullptr && *incumbent == s.device;
  return s.score.total + (lifted ? rules.hysteresis : 0);
}

const Standing* find(const std::vector<Standing>& ranking, const DeviceKey& device) {
  for (const Standing& s : ranking)
    if (s.device == device) return &s;
  return nullptr;
}

}  // namespace

double decayed_use(double use, std::int64_t elapsed_ms) {
  if (elapsed_ms <= 0) return use;
  return use * std::exp2(-static_cast<double>(elapsed_ms) / kHalfLifeMs);
}

Score score(const Vitals& vitals) {
  Score out;
  out.parts = {
      {"kind", kind_part(vitals)},
      {"power", power_part(vitals)},
      {"recent use", kUseMax * log_share(vitals.use, kUseFull)},
      {"processor", processor_part(vitals)},
      {"memory", kMemoryMax * log_share(static_cast<double>(vitals.memory_free_mb), kMemoryFullMb)},
      {"storage", storage_part(vitals)},
      {"reachable", kReachableMax * share(vitals.reachable)},
  };
  for (const ScorePart& part : out.parts) out.total += part.value;
  return out;
}

std::vector<Standing> rank(const std::vector<Candidate>& candidates, const DeviceKey* incumbent,
                           const DeviceKey* pin, const Rules& rules) {
  std::vector<Standing> out;
  out.reserve(candidates.size());
  for (const Candidate& c : candidates) {
    Standing s{c.device, score(c.vitals), c.may_lead && c.heard, {}};
    if (!c.may_lead)
      s.why_not = "may not hold every shared drawer";
    else if (!c.heard)
      s.why_not = "not heard lately";
    out.push_back(std::move(s));
  }
  std::sort(out.begin(), out.end(), [&](const Standing& a, const Standing& b) {
    if (a.eligible != b.eligible) return a.eligible;
    const bool a_pinned = pin != nullptr && a.device == *pin;
    const bool b_pinned = pin != nullptr && b.device == *pin;
    if (a_pinned != b_pinned) return a_pinned;
    const double a_value = standing_value(a, incumbent, rules);
    const double b_value = standing_value(b, incumbent, rules);
    if (a_value != b_value) return a_value > b_value;
    return a.device > b.device;
  });
  return out;
}

HandOver hand_over(const std::vector<Standing>& ranking, const DeviceKey& self,
                   const DeviceKey* pin, std::int64_t tenure_ms, const Rules& rules) {
  if (pin != nullptr) {
    if (*pin == self) return {};
    const Standing* pinned = find(ranking, *pin);
    if (pinned != nullptr && pinned->eligible) return {true, *pin};
    // Pinned but silent or without a drawer: the arithmetic decides, as if there were no pin.
  }
  if (tenure_ms < rules.minimum_tenure_ms) return {};
  if (ranking.empty() || !ranking.front().eligible || ranking.front().device == self) return {};
  // The ranking may have been made without an incumbent: the margin is checked here, too.
  const Standing* mine = find(ranking, self);
  const Standing& best = ranking.front();
  if (mine != nullptr && mine->eligible && best.score.total < mine->score.total + rules.hysteresis)
    return {};
  return {true, best.device};
}

bool take_over(const TakeOverInput& input, const Rules& rules) {
  if (!input.may_lead) return false;
  if (input.successor_is_me) return true;
  if (!input.work_waits) return false;
  if (input.holder_is_me || !input.holder_is_member) return true;
  // Beyond this a rank changes nothing, and the products cannot overflow.
  const auto rank_factor = static_cast<std::int64_t>(std::min<std::size_t>(input.rank, 1000));
  const std::int64_t t = rules.patience_ms;
  if (input.holder_silent_ms >= t * (1 + 2 * rank_factor)) return true;
  return input.tip_still_ms >= 5 * t * (1 + rank_factor);
}

}  // namespace kartei::election
