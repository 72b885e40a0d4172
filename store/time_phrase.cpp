#include "store/time_phrase.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "store/time_finder.h"

namespace kartei::store {
namespace {

constexpr std::array<const char*, 12> kMonthNames = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};

// A phrase counts days, seasons and centuries from when it was said, to either side: that must stay
// inside the calendar.
constexpr int kSaidFirstYear = 1000, kSaidLastYear = 9000;

bool has_chinese(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c >= '\xE4' && c <= '\xE9'; });
}

}  // namespace

std::vector<TimePhrase> find_time_phrases(std::string_view text, ZonedTime said_at) {
  const Date today = Date::day_of(said_at.at, said_at.zone_min);
  if (!today.known() || today.year < kSaidFirstYear || today.year > kSaidLastYear) return {};
  std::vector<TimePhrase> found = time_words::Finder(text, said_at).run();
  if (has_chinese(text)) {
    time_words::find_chinese(text, today, found);
    std::stable_sort(found.begin(), found.end(),
                     [](const TimePhrase& a, const TimePhrase& b) { return a.begin < b.begin; });
    std::size_t end = 0;
    std::erase_if(found, [&end](const TimePhrase& phrase) {
      if (phrase.begin < end) return true;
      end = phrase.end;
      return false;
    });
  }
  return found;
}

std::string spoken(const Date& date) {
  if (!date.known()) return {};
  std::array<char, 48> out{};
  const char* month = date.month >= 1 && date.month <= 12 ? kMonthNames[date.month - 1u] : "";
  int size = 0;
  if (date.day && date.minute >= 0) {
    size = std::snprintf(out.data(), out.size(), "%d %s %d at %02d:%02d", date.day, month,
                         date.year, date.minute / 60, date.minute % 60);
  } else if (date.day) {
    size = std::snprintf(out.data(), out.size(), "%d %s %d", date.day, month, date.year);
  } else if (date.month) {
    size = std::snprintf(out.data(), out.size(), "%s %d", month, date.year);
  } else {
    size = std::snprintf(out.data(), out.size(), "%d", date.year);
  }
  return std::string(out.data(), static_cast<std::size_t>(size));
}

}  // namespace kartei::store
