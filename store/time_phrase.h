// Time phrases: "last summer", "two weeks before Easter", "every friday at 6pm" become dates,
// relative to when they were said, in the speaker's zone. Pure functions; English German and
// Chinese where it costs little. Linear in the text, any bytes accepted.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "store/time.h"

namespace kartei::store {

struct TimePhrase {
  std::size_t begin = 0, end = 0;  // bytes of the text that say it, prepositions included
  Date from, to;                   // `to` exclusive; unknown: open ("since 2018"), or a point
  bool since = false;              // "since ...": true from then on
  bool until = false;              // "until ...": true up to then
  bool recurring = false;          // "every thursday"
  bool duration = false;           // "for a year": length only, in `to` counted from `from`
};

// In the text's order, not overlapping. An incomplete date ("in january", "on friday") is completed
// by the tense of the words around it, towards the future where they tell none. A time of day alone
// is no phrase. Nothing is found in what was said before the year 1000 or after 9000.
std::vector<TimePhrase> find_time_phrases(std::string_view text, ZonedTime said_at);

// A date for people: "10 March 2026", "March 2026", "2026", "10 March 2026 at 16:45".
std::string spoken(const Date& date);

}  // namespace kartei::store
