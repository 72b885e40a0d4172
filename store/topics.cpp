#include "store/topics.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kartei::store {

namespace {

// Word, topic; sorted by word. The topics are tags of daemon/manager's cards.
constexpr std::array<std::pair<std::string_view, std::string_view>, 42> kTopics = {{
    {"address", "residence"}, {"bake", "food"},         {"breakfast", "food"},
    {"career", "work"},       {"cook", "food"},         {"cooking", "food"},
    {"cuisine", "food"},      {"dessert", "food"},      {"diagnosis", "health"},
    {"dinner", "food"},       {"dish", "food"},         {"dishes", "food"},
    {"doctor", "health"},     {"eat", "food"},          {"eating", "food"},
    {"employer", "work"},     {"essen", "food"},        {"feed", "food"},
    {"gift", "birthday"},     {"gifts", "birthday"},    {"groceries", "food"},
    {"hungry", "food"},       {"ingredient", "food"},   {"ingredients", "food"},
    {"kochen", "food"},       {"lunch", "food"},        {"meal", "food"},
    {"meals", "food"},        {"medication", "health"}, {"medicine", "health"},
    {"menu", "food"},         {"painkiller", "health"}, {"pill", "health"},
    {"pills", "health"},      {"present", "birthday"},  {"presents", "birthday"},
    {"profession", "work"},   {"recipe", "food"},       {"recipes", "food"},
    {"restaurant", "food"},   {"snack", "food"},        {"supper", "food"},
}};
static_assert(std::is_sorted(kTopics.begin(), kTopics.end()));

}  // namespace

std::string_view topic_of(std::string_view folded) {
  const auto* found =
      std::lower_bound(kTopics.begin(), kTopics.end(), folded,
                       [](const auto& entry, std::string_view word) { return entry.first < word; });
  return found != kTopics.end() && found->first == folded ? found->second : std::string_view();
}

}  // namespace kartei::store
