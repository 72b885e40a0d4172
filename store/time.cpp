#include "store/time.h"

#include <date/tz.h>

#include <array>
#include <cstdio>

namespace kartei::store {
namespace {

using std::chrono::days;
using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr std::int16_t kMaxZoneMin = 18 * 60;
constexpr std::int16_t kMaxYear = 9999;

// Reads RFC 3339 from the left; every step fails once one has failed.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : text_(text) {}

  bool done() const { return at_ == text_.size(); }
  bool more() const { return at_ < text_.size(); }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::optional<int> digits(int count) {
    int value = 0;
    for (int i = 0; i < count; ++i) {
      if (at_ >= text_.size() || text_[at_] < '0' || text_[at_] > '9') return std::nullopt;
      value = value * 10 + (text_[at_++] - '0');
    }
    return value;
  }
  // Digits of a second's fraction, down to the millisecond; finer ones are dropped.
  std::optional<int> fraction_ms() {
    int value = 0, unit = 100, seen = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      value += (text_[at_++] - '0') * unit;
      unit /= 10;
      ++seen;
    }
    if (seen == 0) return std::nullopt;
    return value;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

int month_days(int year, int month) {
  const auto last = std::chrono::year{year} / std::chrono::month{static_cast<unsigned>(month)} /
                    std::chrono::last;
  return static_cast<int>(static_cast<unsigned>(last.day()));
}

std::chrono::sys_days civil(int year, int month, int day) {
  return std::chrono::sys_days{std::chrono::year{year} /
                               std::chrono::month{static_cast<unsigned>(month)} /
                               std::chrono::day{static_cast<unsigned>(day)}};
}

Error not_a_time() {
  return bad_input("this is not a time with zone such as 2026-03-10T16:45:00+01:00", "time");
}

std::optional<std::int16_t> read_zone(TimeReader& in) {
  if (in.take('Z') || in.take('z')) return std::int16_t{0};
  const bool west = in.take('-');
  if (!west && !in.take('+')) return std::nullopt;
  const auto hour = in.digits(2);
  if (!hour || !in.take(':')) return std::nullopt;
  const auto minute = in.digits(2);
  if (!minute || *minute > 59) return std::nullopt;
  const int zone = *hour * 60 + *minute;
  if (zone > kMaxZoneMin) return std::nullopt;
  return static_cast<std::int16_t>(west ? -zone : zone);
}

// Midnight at which a date's period begins, in UTC.
Time local_begin(int year, int month, int day, int zone_min) {
  return Time{civil(year, month, day)} - minutes{zone_min};
}

}  // namespace

Result<ZonedTime> parse_rfc3339(std::string_view text) {
  TimeReader in(text);
  const auto year = in.digits(4);
  if (!year || *year == 0 || !in.take('-')) return not_a_time();
  const auto month = in.digits(2);
  if (!month || *month < 1 || *month > 12 || !in.take('-')) return not_a_time();
  const auto day = in.digits(2);
  if (!day || *day < 1 || *day > month_days(*year, *month)) return not_a_time();
  if (!in.take('T') && !in.take('t') && !in.take(' ')) return not_a_time();
  const auto hour = in.digits(2);
  if (!hour || *hour > 23 || !in.take(':')) return not_a_time();
  const auto minute = in.digits(2);
  if (!minute || *minute > 59) return not_a_time();
  int second = 0, fraction_ms = 0;
  if (in.take(':')) {
    const auto read = in.digits(2);
    if (!read || *read > 60) return not_a_time();  // 60: a leap second, read as the next minute
    second = *read;
    if (in.take('.')) {
      const auto ms = in.fraction_ms();
      if (!ms) return not_a_time();
      fraction_ms = *ms;
    }
  }
  const auto zone = read_zone(in);
  if (!zone || !in.done()) return not_a_time();
  const Time at = local_begin(*year, *month, *day, *zone) + std::chrono::hours{*hour} +
                  minutes{*minute} + std::chrono::seconds{second} + milliseconds{fraction_ms};
  return ZonedTime{at, *zone};
}

std::string format_rfc3339(Time at, std::int16_t zone_min) {
  const Time local = at + minutes{zone_min};
  const auto day = std::chrono::floor<days>(local);
  const std::chrono::year_month_day date{day};
  const auto rest_ms = (local - day).count();
  std::array<char, 48> out{};
  int size =
      std::snprintf(out.data(), out.size(), "%04d-%02u-%02uT%02d:%02d:%02d",
                    static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                    static_cast<unsigned>(date.day()), static_cast<int>(rest_ms / 3'600'000),
                    static_cast<int>(rest_ms / 60'000 % 60), static_cast<int>(rest_ms / 1000 % 60));
  std::string text(out.data(), static_cast<std::size_t>(size));
  if (rest_ms % 1000 != 0) {
    size = std::snprintf(out.data(), out.size(), ".%03d", static_cast<int>(rest_ms % 1000));
    text.append(out.data(), static_cast<std::size_t>(size));
  }
  if (zone_min == 0) return text + "Z";
  const int zone = zone_min < 0 ? -zone_min : zone_min;
  size = std::snprintf(out.data(), out.size(), "%c%02d:%02d", zone_min < 0 ? '-' : '+', zone / 60,
                       zone % 60);
  return text.append(out.data(), static_cast<std::size_t>(size));
}

Time Date::begin() const {
  if (!known()) return Time{};
  const Time midnight = local_begin(year, month ? month : 1, day ? day : 1, zone_min);
  return minute >= 0 ? midnight + minutes{minute} : midnight;
}

Time Date::end() const {
  if (!known()) return Time{};
  if (minute >= 0) return begin() + minutes{1};
  if (day) return begin() + days{1};
  if (month == 12) return local_begin(year + 1, 1, 1, zone_min);
  if (month) return local_begin(year, month + 1, 1, zone_min);
  return local_begin(year + 1, 1, 1, zone_min);
}

std::string Date::text() const {
  if (!known()) return {};
  if (minute >= 0) return format_rfc3339(begin(), zone_min);
  std::array<char, 32> out{};
  int size = 0;
  if (day) {
    size = std::snprintf(out.data(), out.size(), "%04d-%02u-%02u", year, month, day);
  } else if (month) {
    size = std::snprintf(out.data(), out.size(), "%04d-%02u", year, month);
  } else {
    size = std::snprintf(out.data(), out.size(), "%04d", year);
  }
  return std::string(out.data(), static_cast<std::size_t>(size));
}

Result<Date> Date::parse(std::string_view text, std::int16_t zone_min) {
  if (text.size() > 10) {
    KARTEI_ASSIGN(const ZonedTime moment, parse_rfc3339(text));
    Date date = day_of(moment.at, moment.zone_min);
    const Time midnight = local_begin(date.year, date.month, date.day, date.zone_min);
    date.minute = static_cast<std::int16_t>(
        std::chrono::duration_cast<minutes>(moment.at - midnight).count());
    return date;
  }
  const Error error = bad_input("this is not a date such as 2026, 2026-03 or 2026-03-10", "date");
  TimeReader in(text);
  const auto year = in.digits(4);
  if (!year || *year == 0) return error;
  Date date;
  date.zone_min = zone_min;
  date.year = static_cast<std::int16_t>(*year);
  if (in.done()) return date;
  if (!in.take('-')) return error;
  const auto month = in.digits(2);
  if (!month || *month < 1 || *month > 12) return error;
  date.month = static_cast<std::uint8_t>(*month);
  if (in.done()) return date;
  if (!in.take('-')) return error;
  const auto day = in.digits(2);
  if (!day || *day < 1 || *day > month_days(*year, *month) || !in.done()) return error;
  date.day = static_cast<std::uint8_t>(*day);
  return date;
}

Date Date::day_of(Time at, std::int16_t zone_min) {
  const std::chrono::year_month_day ymd{std::chrono::floor<days>(at + minutes{zone_min})};
  const int year = static_cast<int>(ymd.year());
  if (!ymd.ok() || year < 1 || year > kMaxYear) return {};
  Date date;
  date.year = static_cast<std::int16_t>(year);
  date.month = static_cast<std::uint8_t>(static_cast<unsigned>(ymd.month()));
  date.day = static_cast<std::uint8_t>(static_cast<unsigned>(ymd.day()));
  date.zone_min = zone_min;
  return date;
}

std::strong_ordering compare(const Date& a, const Date& b) {
  if (a.known() != b.known()) return a.known() <=> b.known();
  if (!a.known()) return std::strong_ordering::equal;
  if (const auto order = a.begin() <=> b.begin(); order != 0) return order;
  return b.end() <=> a.end();
}

Result<std::int16_t> zone_offset_min(std::string_view iana_zone, Time at) {
  // The library reports an unknown zone, or a system without zones, by an exception.
  try {
    const auto* zone = date::locate_zone(iana_zone);
    const auto info = zone->get_info(
        date::sys_seconds{std::chrono::floor<std::chrono::seconds>(at).time_since_epoch()});
    return static_cast<std::int16_t>(
        std::chrono::duration_cast<std::chrono::minutes>(info.offset).count());
  } catch (const std::exception&) {
    return not_found("this system knows no time zone named " + std::string(iana_zone));
  }
}

}  // namespace kartei::store
