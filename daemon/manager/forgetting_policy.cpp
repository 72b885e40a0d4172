#include "daemon/manager/forgetting_policy.h"

#include <charconv>
#include <optional>
#include <sstream>

namespace kartei::daemon {
namespace {

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

void take_line(ForgettingPolicy& policy, std::string_view name, std::int64_t value) {
  for (const PolicyNumber& one : kPolicyNumbers)
    if (name == one.name && value >= one.min && value <= one.max) policy.*one.value = value;
  for (const PolicySwitch& one : kPolicySwitches)
    if (name == one.name && (value == 0 || value == 1)) policy.*one.value = value == 1;
}

}  // namespace

std::string policy_text(const ForgettingPolicy& policy) {
  std::string text;
  for (const PolicySwitch& one : kPolicySwitches)
    text += std::string(one.name) + (policy.*one.value ? " 1\n" : " 0\n");
  for (const PolicyNumber& one : kPolicyNumbers)
    text += std::string(one.name) + ' ' + std::to_string(policy.*one.value) + '\n';
  return text;
}

std::string bound_in_words(const ForgettingPolicy& policy) {
  if (!policy.on) return "Nothing is forgotten, so neither cards nor the file are bounded.";
  std::string words = "At most " + std::to_string(policy.open_cards_max) +
                      " cards are open after each look; rules and protected cards come on top. ";
  if (!policy.delete_archived)
    return words + "The file is not bounded: nothing is deleted, and turns stay.";
  const std::int64_t days = policy.fade_after_days + policy.archive_after_days +
                            policy.delete_after_days + policy.trash_days;
  return words + "An event of middling importance that nobody asks for is erased after " +
         std::to_string(days) + " days. The file is not bounded: turns stay.";
}

ForgettingPolicy policy_from_text(std::string_view text) {
  ForgettingPolicy policy;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string::npos) continue;
    if (const auto value = number_of(std::string_view(line).substr(blank + 1)))
      take_line(policy, std::string_view(line).substr(0, blank), *value);
  }
  return policy;
}

}  // namespace kartei::daemon
