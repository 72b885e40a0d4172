// Who should run the box. Pure arithmetic over the devices' vitals: no clock, no I/O, no memory but
// the caller's. Safety never rests on it (the ledger's terms carry that); any answer here is safe
// and only good or bad for work and batteries.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace kartei::election {

using DeviceKey = std::array<std::uint8_t, 16>;

enum class Power : std::uint8_t { kMains, kBattery };
enum class Kind : std::uint8_t { kDesktop, kLaptop, kPhone };

// A device's own account of itself, sent in its heads.
struct Vitals {
  Kind kind = Kind::kLaptop;
  Power power = Power::kMains;
  double battery = 1.0;  // 0 to 1
  double use = 0;        // decaying average of turns heard and questions asked an hour
  std::uint32_t cores = 1;
  double load = 0;  // runnable processes a core, one-minute average
  std::uint32_t memory_free_mb = 0;
  std::uint32_t storage_free_mb = 0;
  double reachable = 0;  // share of the other members heard lately, 0 to 1
  bool operator==(const Vitals&) const = default;
};

// Exponentially decaying count: half-life 24 hours. `elapsed_ms` since the last call.
double decayed_use(double use, std::int64_t elapsed_ms);

struct ScorePart {
  const char* name;
  double value;
};
struct Score {
  double total = 0;              // 0 to 100
  std::vector<ScorePart> parts;  // for `kartei primary`: why
};
Score score(const Vitals& vitals);

struct Candidate {
  DeviceKey device{};
  Vitals vitals;
  bool may_lead = true;  // a member that may hold every shared drawer
  bool heard = true;     // lately (always true of oneself)
};

struct Standing {
  DeviceKey device{};
  Score score;
  bool eligible = false;
  std::string why_not;  // empty if eligible
};

struct Rules {
  double hysteresis = 15;                       // a challenger must be this much better
  std::int64_t minimum_tenure_ms = 10 * 60000;  // before a planned move
  std::int64_t patience_ms = 4000;              // t of the take-over rule
};

// Best first: eligible before not, pinned first, then score, then device id (higher first). The
// incumbent is lifted by the hysteresis.
std::vector<Standing> rank(const std::vector<Candidate>& candidates, const DeviceKey* incumbent,
                           const DeviceKey* pin, const Rules& rules);

// What the holder of the term should do: stay, or hand over to `to` (pinned and heard, or clearly
// better for the minimum tenure).
struct HandOver {
  bool wanted = false;
  DeviceKey to{};
};
HandOver hand_over(const std::vector<Standing>& ranking, const DeviceKey& self,
                   const DeviceKey* pin, std::int64_t tenure_ms, const Rules& rules);

// ledger_rules.md section 8: whether `self` should open a term now.
struct TakeOverInput {
  bool may_lead = false;
  bool work_waits = false;
  bool holder_is_me = false;  // author of `seen`, or successor of a hand-over at the tip
  bool holder_is_member = true;
  std::int64_t holder_silent_ms = 0;  // since last heard
  std::int64_t tip_still_ms = 0;      // since the tip moved, while work waits
  std::size_t rank = 0;               // self's place in the ranking, the holder left out
  bool successor_is_me = false;       // named by a hand-over at the tip: at once
};
bool take_over(const TakeOverInput& input, const Rules& rules);

}  // namespace kartei::election
