#include "store/calendar.h"

#include <algorithm>

namespace kartei::store::calendar {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

constexpr int kMaxYear = 9999;

int last_day_of(int year, int month) {
  const std::chrono::year_month_day_last last{
      std::chrono::year{year},
      std::chrono::month_day_last{std::chrono::month{static_cast<unsigned>(month)}}};
  return static_cast<int>(static_cast<unsigned>(last.day()));
}

}  // namespace

sys_days first_day(const Date& date) {
  return sys_days{std::chrono::year{date.year} / std::chrono::month{date.month ? date.month : 1u} /
                  std::chrono::day{date.day ? date.day : 1u}};
}

Date make(int year, int month, int day, std::int16_t zone_min) {
  if (year < 1 || year > kMaxYear || month < 0 || month > 12 || day < 0) return {};
  if (day > 0 && (month == 0 || day > last_day_of(year, month))) return {};
  Date date;
  date.year = static_cast<std::int16_t>(year);
  date.month = static_cast<std::uint8_t>(month);
  date.day = static_cast<std::uint8_t>(day);
  date.zone_min = zone_min;
  return date;
}

Date to_date(sys_days day, std::int16_t zone_min) {
  const std::chrono::year_month_day ymd{day};
  if (!ymd.ok()) return {};
  return make(static_cast<int>(ymd.year()), static_cast<int>(static_cast<unsigned>(ymd.month())),
              static_cast<int>(static_cast<unsigned>(ymd.day())), zone_min);
}

Date add_days(const Date& date, std::int64_t count) {
  constexpr std::int64_t kLimit = 4'000'000;  // past any year that a date can hold
  if (!date.known() || count > kLimit || count < -kLimit) return {};
  Date moved = to_date(first_day(date) + days{count}, date.zone_min);
  if (moved.known()) moved.minute = date.minute;
  return moved;
}

Date add_months(const Date& date, int months) {
  if (!date.known() || months > 12 * kMaxYear || months < -12 * kMaxYear) return {};
  const int total = date.year * 12 + (date.month ? date.month - 1 : 0) + months;
  const int year = total >= 0 ? total / 12 : -1;
  if (year < 1 || year > kMaxYear) return {};
  const int month = total % 12 + 1;
  const int day = date.day ? std::min<int>(date.day, last_day_of(year, month)) : 0;
  Date moved = make(year, date.month ? month : 0, day, date.zone_min);
  if (moved.known()) moved.minute = date.minute;
  return moved;
}

Date next_period(const Date& date) {
  if (!date.known()) return {};
  if (date.minute >= 0) {
    Date next = date;
    if (++next.minute < 24 * 60) return next;
    next.minute = 0;
    return add_days(next, 1);
  }
  if (date.day) return add_days(date, 1);
  return add_months(date, date.month ? 1 : 12);
}

Date month_of(const Date& date) {
  return make(date.year, date.month, 0, date.zone_min);
}
Date year_of(const Date& date) {
  return make(date.year, 0, 0, date.zone_min);
}

int weekday(const Date& date) {
  const std::chrono::weekday day{first_day(date)};
  return static_cast<int>(day.iso_encoding()) - 1;
}

Date weekday_from(const Date& day, int wanted) {
  return add_days(day, (wanted - weekday(day) + 7) % 7);
}

Date weekday_before(const Date& day, int wanted) {
  const int back = (weekday(day) - wanted + 7) % 7;
  return add_days(day, back == 0 ? -7 : -back);
}

Date monday_of(const Date& day) {
  return add_days(day, -weekday(day));
}

Date easter_sunday(int year, std::int16_t zone_min) {
  // The Gregorian computus (Meeus, Jones, Butcher).
  const int a = year % 19, b = year / 100, c = year % 100, d = b / 4, e = b % 4, f = (b + 8) / 25;
  const int g = (b - f + 1) / 3, h = (19 * a + b - d - g + 15) % 30, i = c / 4, k = c % 4;
  const int l = (32 + 2 * e + 2 * i - h - k) % 7, m = (a + 11 * h + 22 * l) / 451;
  const int month = (h + l - 7 * m + 114) / 31, day = (h + l - 7 * m + 114) % 31 + 1;
  return make(year, month, day, zone_min);
}

Date nth_weekday(int year, int month, int wanted, int n, std::int16_t zone_min) {
  if (n > 0) {
    const Date first = weekday_from(make(year, month, 1, zone_min), wanted);
    return first.known() ? add_days(first, 7 * (n - 1)) : Date{};
  }
  return weekday_before(add_months(make(year, month, 1, zone_min), 1), wanted);
}

}  // namespace kartei::store::calendar
