// Day arithmetic on dates: what "two weeks later" or "the Thursday after" is. Pure; dates that
// leave the years 1 to 9999 become unknown.
#pragma once

#include <chrono>

#include "store/time.h"

namespace kartei::store::calendar {

// A day as a count, so that it can be added to. Months and years begin on their first day.
std::chrono::sys_days first_day(const Date& date);
Date to_date(std::chrono::sys_days day, std::int16_t zone_min);

Date add_days(const Date& date, std::int64_t days);
// Keeps the precision; the day is cut to the month's last.
Date add_months(const Date& date, int months);
// The period after the one that the date names, at its precision; with a minute, the next minute.
Date next_period(const Date& date);
Date month_of(const Date& date);
Date year_of(const Date& date);
Date make(int year, int month, int day, std::int16_t zone_min);

int weekday(const Date& date);  // Monday is 0
// The first such weekday on or after the day, and the last one before it.
Date weekday_from(const Date& day, int weekday);
Date weekday_before(const Date& day, int weekday);
Date monday_of(const Date& day);
Date easter_sunday(int year, std::int16_t zone_min);
// The nth (1 to 4) such weekday of a month; n = -1: its last.
Date nth_weekday(int year, int month, int weekday, int n, std::int16_t zone_min);

}  // namespace kartei::store::calendar
