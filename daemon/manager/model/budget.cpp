#include "daemon/manager/model/budget.h"

#include <algorithm>
#include <charconv>

namespace kartei::daemon {
namespace {

constexpr std::int64_t kZonesApartMs = 2 * store::kDayMs;  // more is a clock that was wrong

}  // namespace

TokenBudget TokenBudget::from_text(std::string_view text) {
  TokenBudget out;
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return out;
  const auto day = store::Date::parse(text.substr(0, space));
  const std::string_view count = text.substr(space + 1);
  std::uint64_t spent = 0;
  const char* end = count.data() + count.size();
  const auto read = std::from_chars(count.data(), end, spent);
  if (!day || day->day == 0 || read.ec != std::errc{} || read.ptr != end) return out;
  out.day_ = *day;
  out.spent_ = spent;
  return out;
}

std::string TokenBudget::text() const {
  return day_.text() + " " + std::to_string(spent_);
}

void TokenBudget::begin(const store::Date& today) {
  if (day_.known() && !(day_.begin() < today.begin())) {
    // What was written under a clock far ahead counts for today.
    const bool far_ahead = store::to_ms(day_.begin()) - store::to_ms(today.begin()) > kZonesApartMs;
    if (far_ahead) day_ = today;
    return;
  }
  day_ = today;
  spent_ = 0;
}

bool TokenBudget::take(const store::Date& today, std::uint64_t tokens, std::uint64_t most) {
  begin(today);
  if (spent_ > most || tokens > most - spent_) return false;
  spent_ += tokens;
  return true;
}

void TokenBudget::used(std::uint64_t taken, std::uint64_t tokens) {
  spent_ -= std::min(spent_, taken);
  spent_ += tokens;
}

std::uint64_t TokenBudget::spent(const store::Date& today) const {
  TokenBudget now = *this;
  now.begin(today);
  return now.spent_;
}

}  // namespace kartei::daemon
