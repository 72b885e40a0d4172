// Moments and dates. A moment is exact; a date is as precise as it was said. No clock in here.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "crypto/result.h"

namespace kartei::store {

using Time = std::chrono::sys_time<std::chrono::milliseconds>;
inline constexpr std::int64_t kDayMs = 24LL * 3600 * 1000;

inline Time time_from_ms(std::int64_t unix_ms) {
  return Time{std::chrono::milliseconds{unix_ms}};
}
inline std::int64_t to_ms(Time time) {
  return time.time_since_epoch().count();
}

// A moment with the speaker's offset from UTC.
struct ZonedTime {
  Time at{};
  std::int16_t zone_min = 0;
  bool operator==(const ZonedTime&) const = default;
};
// RFC 3339 with zone ("2026-03-09T07:15:00+01:00", "Z", fractions down to the millisecond).
Result<ZonedTime> parse_rfc3339(std::string_view text);
std::string format_rfc3339(Time at, std::int16_t zone_min = 0);

// Year, month, day or minute, in the calendar of the one who said it. Unknown: year == 0.
struct Date {
  std::int16_t year = 0;
  std::uint8_t month = 0;     // 0: only the year is known
  std::uint8_t day = 0;       // 0: only the month is known
  std::int16_t minute = -1;   // minute of the day; -1: only the day is known
  std::int16_t zone_min = 0;  // offset from UTC of that calendar

  bool known() const { return year != 0; }
  Time begin() const;        // first moment of the period it names
  Time end() const;          // first moment after it
  std::string text() const;  // "2026", "2026-03", "2026-03-10", or RFC 3339 with a minute
  static Result<Date> parse(std::string_view text, std::int16_t zone_min = 0);
  static Date day_of(Time at, std::int16_t zone_min);
  bool operator==(const Date&) const = default;
};
// By begin(); of equal beginnings the wider first. Unknown before all.
std::strong_ordering compare(const Date& a, const Date& b);

// The offset of an IANA zone at a moment, minutes; error kNotFound for a zone that the system
// lacks.
Result<std::int16_t> zone_offset_min(std::string_view iana_zone, Time at);

}  // namespace kartei::store
