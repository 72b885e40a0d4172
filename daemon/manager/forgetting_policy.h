// What its owner wants forgotten, and when. The same on all devices of a box.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "crypto/result.h"

namespace kartei::daemon {

struct ForgettingPolicy {
  bool on = true;
  std::int64_t fade_after_days = 90;       // an event that nobody asks for leaves ordinary answers
  std::int64_t fade_facts_after_days = 0;  // the same for facts; 0: only where there are too many
  std::int64_t archive_after_days = 3650;  // faded and not used for so long
  bool condense = true;
  std::int64_t condense_after_days = 180;   // put away for so long
  std::int64_t condense_least = 4;          // of one kind within half a year
  std::int64_t open_cards_max = 1'000'000;  // but for rules and protected ones
  bool delete_archived = false;             // into the trash, and from there for good
  std::int64_t delete_after_days = 1095;    // archived and not used for so long
  std::int64_t trash_days = 30;
  bool operator==(const ForgettingPolicy&) const = default;
};

// As it stands in the roll: lines of "key value". What a newer Kartei said besides is passed over,
// and what cannot be is left as it is by default.
std::string policy_text(const ForgettingPolicy& policy);
ForgettingPolicy policy_from_text(std::string_view text);

// What it bounds, and what it does not, in figures: for its owner.
std::string bound_in_words(const ForgettingPolicy& policy);

// The bounds of each number: for the API, and for what others say.
struct PolicyNumber {
  const char* name;
  std::int64_t ForgettingPolicy::*value;
  std::int64_t min, max;
};
struct PolicySwitch {
  const char* name;
  bool ForgettingPolicy::*value;
};
inline constexpr std::int64_t kPolicyDaysMax = 36'500;
inline constexpr PolicyNumber kPolicyNumbers[] = {
    {"fade_after_days", &ForgettingPolicy::fade_after_days, 1, kPolicyDaysMax},
    {"fade_facts_after_days", &ForgettingPolicy::fade_facts_after_days, 0, kPolicyDaysMax},
    {"archive_after_days", &ForgettingPolicy::archive_after_days, 1, kPolicyDaysMax},
    {"condense_after_days", &ForgettingPolicy::condense_after_days, 1, kPolicyDaysMax},
    {"condense_least", &ForgettingPolicy::condense_least, 3, 1'000},
    {"open_cards_max", &ForgettingPolicy::open_cards_max, 100, 1'000'000},
    {"delete_after_days", &ForgettingPolicy::delete_after_days, 1, kPolicyDaysMax},
    {"trash_days", &ForgettingPolicy::trash_days, 1, kPolicyDaysMax},
};
inline constexpr PolicySwitch kPolicySwitches[] = {
    {"on", &ForgettingPolicy::on},
    {"condense", &ForgettingPolicy::condense},
    {"delete_archived", &ForgettingPolicy::delete_archived},
};

}  // namespace kartei::daemon
