#include "store/time_view.h"

#include <algorithm>

namespace kartei::store {

namespace {

// "What happened in May 2024?" of what happened then. A period of the question says more than the
// month and the year that stand in it.
bool happened_then(Date valid_from, Date valid_to, const Question& question) {
  if (!valid_from.known()) return false;
  const std::int64_t from = to_ms(valid_from.begin());
  const std::int64_t to = to_ms(valid_to.known() ? valid_to.begin() : valid_from.end());
  const auto has = [](const std::vector<int>& asked, int one) {
    return asked.empty() || std::find(asked.begin(), asked.end(), one) != asked.end();
  };
  if (question.intervals.empty())
    return has(question.months, valid_from.month) && has(question.years, valid_from.year);
  return std::any_of(
      question.intervals.begin(), question.intervals.end(),
      [&](const Interval& asked) { return from < asked.to_ms && to > asked.from_ms; });
}

}  // namespace

bool names_a_time(const Question& question, const TimeView& view) {
  return view.as_of || view.known_at || !question.months.empty() || !question.years.empty() ||
         !question.intervals.empty();
}

bool names_its_time(Date valid_from, Date valid_to, const Question& question,
                    const TimeView& view) {
  if (view.as_of || view.known_at) return true;
  return names_a_time(question, view) && happened_then(valid_from, valid_to, question);
}

}  // namespace kartei::store
