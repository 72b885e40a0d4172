// The words that time phrases are made of, and the lexer that finds them. Internal to store/.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace kartei::store::time_words {

enum class Word : std::uint8_t {
  kOther,     // a word without a meaning here
  kPunct,     // value: the byte
  kNumber,    // "8", "three"
  kOrdinal,   // "1st", "third"
  kClock,     // "16:45": value is the minute; flag `half_day` where am or pm was said
  kIso,       // "2026-03-10", "10.03.2026": value = year * 10000 + month * 100 + day
  kWeekday,   // 0 = Monday
  kWeekdays,  // "thursdays"
  kMonth,
  kSeason,  // 0 spring .. 3 winter
  kUnit,    // value: a Unit
  kEvery,
  kOther2,  // "every other"
  kHabit,   // "daily"
  kLast,
  kNext,
  kThis,
  kComing,
  kToday,
  kTonight,
  kYesterday,
  kTomorrow,
  kDayPart,  // value of kDayPart: 0 morning .. 3 night
  kNoon,
  kMidnight,
  kAgo,
  kNow,
  kAm,
  kPm,
  kOclock,
  kHalf,
  kQuarter,
  kPastWord,
  kOn,
  kIn,
  kAt,
  kSince,
  kUntil,
  kBy,
  kFrom,
  kTo,
  kBetween,
  kAnd,
  kBefore,
  kAfter,
  kDuring,
  kFor,
  kOf,
  kThe,
  kA,
  kStarting,
  kEarly,
  kLate,
  kMid,
  kEnd,
  kStart,
  kCouple,
  kFew,
  kHoliday,
  kEve,
  kPast,
  kFuture,  // verbs that tell the tense
};

enum Unit : int { kMinute, kHour, kDay, kWeek, kFortnight, kMonthUnit, kYear, kWeekend, kDecade };

enum Holiday : int {
  kEaster,
  kGoodFriday,
  kEasterMonday,
  kPentecost,
  kAscension,
  kAshWednesday,
  kChristmas,
  kChristmasEve,
  kNewYear,
  kNewYearsEve,
  kHalloween,
  kValentine,
  kThanksgiving,
  kEpiphany,
};

struct Token {
  std::size_t begin = 0, end = 0;
  Word word = Word::kOther;
  int value = 0;
  bool capital = false;   // begins with an upper-case letter
  bool half_day = false;  // a clock with am or pm
  bool shaky = false;     // "sat", "may": a weekday or month only beside other time words
  bool spelled = false;   // a number in letters
};

// The text's words and punctuation in order. Any bytes are accepted. A full date in slashes is read
// day first, or month first where the zone is American.
std::vector<Token> lex(std::string_view text, std::int16_t zone_min);

}  // namespace kartei::store::time_words
