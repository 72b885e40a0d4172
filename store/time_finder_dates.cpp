// The dates of the grammar: calendar days, months, seasons, years, holidays, weekdays.
#include "store/calendar.h"
#include "store/time_finder.h"

namespace kartei::store::time_words {

using namespace calendar;

namespace {

constexpr int kFirstYear = 1900, kLastYear = 2100;

}  // namespace

Span Finder::days(std::size_t next, const Date& from, int count) const {
  return {next, from, add_days(from, count)};
}

bool Finder::is_year(std::size_t i) const {
  return is(i, Word::kNumber) && !tokens_[i].spelled && value(i) >= kFirstYear &&
         value(i) <= kLastYear && tokens_[i].end - tokens_[i].begin == 4;
}

std::optional<Span> Finder::year(std::size_t i) const {
  if (!is_year(i)) return std::nullopt;
  return point(i + 1, make(value(i), 0, 0, today_.zone_min));
}

// The day of that month nearest on the side that the tense points to; unknown where there is none.
// Where it points nowhere, a day that has only just gone by is meant rather than next year's.
Date Finder::resolve(int month, int day, Lean lean) const {
  constexpr int kJustGoneDays = 14;
  if (lean == Lean::kNone && day) {
    const Date past = resolve(month, day, Lean::kPast);
    if (past.known() && compare(past, add_days(today_, -kJustGoneDays)) >= 0) return past;
  }
  const int step = lean == Lean::kPast ? -1 : 1;
  for (int tries = 0, year = today_.year; tries < 8; ++tries, year += step) {
    const Date date = make(year, month, day, today_.zone_min);
    if (!date.known()) continue;  // 29 February
    const Date now = day ? today_ : month_of(today_);
    const auto order = compare(date, now);
    if (lean == Lean::kPast ? order <= 0 : order >= 0) return date;
  }
  return {};
}

// "1st of october", "18 July 2026", "3-5 July", "14. August".
std::optional<Span> Finder::day_month(std::size_t i, Lean lean) {
  auto is_day = [this](std::size_t k) {
    return (is(k, Word::kOrdinal) || (is(k, Word::kNumber) && !tokens_[k].spelled)) &&
           value(k) >= 1 && value(k) <= 31;
  };
  if (!is_day(i)) return std::nullopt;
  std::size_t at = is_punct(i + 1, '.') ? i + 2 : i + 1;
  int last = 0;
  if (is_punct(at, '-') || is(at, Word::kTo) || is(at, Word::kAnd) || is(at, Word::kUntil)) {
    const std::size_t end = skip(at + 1, Word::kThe);
    if (is_day(end) && value(end) > value(i)) {
      last = value(end);
      at = is_punct(end + 1, '.') ? end + 2 : end + 1;
    }
  }
  at = skip(at, Word::kOf);
  if (!is(at, Word::kMonth)) return std::nullopt;
  const int month = value(at++);
  const std::size_t year_at = is_punct(at, ',') ? at + 1 : skip(at, Word::kOf);
  Date from;
  if (is_year(year_at)) {
    from = make(value(year_at), month, value(i), today_.zone_min);
    at = year_at + 1;
  } else {
    from = resolve(month, value(i), lean);
  }
  if (!from.known()) return std::nullopt;
  Span span = point(at, from);
  if (last) {
    const Date end = make(from.year, month, last, today_.zone_min);
    if (end.known()) span.to = add_days(end, 1);
  }
  return span;
}

// "march 2026", "july 18th", "in january".
std::optional<Span> Finder::month(std::size_t i, Lean lean, bool after_preposition) {
  const int month = value(i);
  std::size_t at = i + 1;
  const std::size_t day_at = skip(at, Word::kThe);
  const bool day =
      (is(day_at, Word::kOrdinal) || (is(day_at, Word::kNumber) && !tokens_[day_at].spelled)) &&
      value(day_at) >= 1 && value(day_at) <= 31;
  // "march 5 km" and "may 8 people" are other things.
  if (day && !(is(day_at, Word::kNumber) && is(day_at + 1, Word::kUnit))) {
    at = day_at + 1;
    int last = 0;
    const std::size_t end_at = skip(at + 1, Word::kThe);
    if ((is_punct(at, '-') || is(at, Word::kTo)) && end_at < tokens_.size() &&
        (is(end_at, Word::kNumber) || is(end_at, Word::kOrdinal)) && value(end_at) <= 31 &&
        value(end_at) > value(day_at)) {
      last = value(end_at);
      at = end_at + 1;
    }
    const std::size_t year_at = is_punct(at, ',') ? at + 1 : at;
    Date from = is_year(year_at) ? make(value(year_at), month, value(day_at), today_.zone_min)
                                 : resolve(month, value(day_at), lean);
    if (!from.known()) return std::nullopt;
    Span span = point(is_year(year_at) ? year_at + 1 : at, from);
    if (last) span.to = add_days(make(from.year, month, last, today_.zone_min), 1);
    return span;
  }
  const std::size_t year_at = is_punct(at, ',') ? at + 1 : skip(at, Word::kOf);
  if (is_year(year_at)) return point(year_at + 1, make(value(year_at), month, 0, today_.zone_min));
  if (tokens_[i].shaky && !after_preposition) return std::nullopt;
  // Without a preposition it may be a name: "April said".
  const bool led = i > 0 && (is(i - 1, Word::kEarly) || is(i - 1, Word::kLate) ||
                             is(i - 1, Word::kMid) || is(i - 1, Word::kOf) || is_punct(i - 1, '-'));
  if (!after_preposition && !led) return std::nullopt;
  return point(at, resolve(month, 0, lean));
}

Date Finder::year_season(int year, int season) const {
  constexpr int kFirstMonth[] = {3, 6, 9, 12};
  return make(year, kFirstMonth[season], 0, today_.zone_min);
}

// "summer 2024", "the summer of 2024", "in summer" beside a verb in the past or future.
std::optional<Span> Finder::season(std::size_t i, Lean lean, bool after_preposition) {
  const int season = value(i);
  const std::size_t year_at = skip(i + 1, Word::kOf);
  Date from;
  std::size_t next = i + 1;
  if (is_year(year_at)) {
    from = year_season(value(year_at), season);
    next = year_at + 1;
  } else if (after_preposition && lean != Lean::kNone && !tokens_[i].shaky) {
    const bool past = lean == Lean::kPast;
    from = year_season(today_.year + (past ? 0 : -1), season);
    if (past && compare(from, today_) > 0) from = add_months(from, -12);
    while (!past && compare(add_months(from, 3), today_) <= 0) from = add_months(from, 12);
  }
  if (!from.known()) return std::nullopt;
  return Span{next, from, add_months(from, 3)};
}

Date Finder::holiday_date(Holiday day, int year) const {
  const std::int16_t zone = today_.zone_min;
  switch (day) {
    case kEaster:
      return easter_sunday(year, zone);
    case kGoodFriday:
      return add_days(easter_sunday(year, zone), -2);
    case kEasterMonday:
      return add_days(easter_sunday(year, zone), 1);
    case kPentecost:
      return add_days(easter_sunday(year, zone), 49);
    case kAscension:
      return add_days(easter_sunday(year, zone), 39);
    case kAshWednesday:
      return add_days(easter_sunday(year, zone), -46);
    case kChristmas:
      return make(year, 12, 25, zone);
    case kChristmasEve:
      return make(year, 12, 24, zone);
    case kNewYear:
      return make(year, 1, 1, zone);
    case kNewYearsEve:
      return make(year, 12, 31, zone);
    case kHalloween:
      return make(year, 10, 31, zone);
    case kValentine:
      return make(year, 2, 14, zone);
    case kThanksgiving:
      return nth_weekday(year, 11, 3, 4, zone);
    case kEpiphany:
      return make(year, 1, 6, zone);
  }
  return {};
}

// direction: -1 "last", 1 "next", 2 "this", 0 by the tense.
std::optional<Span> Finder::holiday(std::size_t i, Lean lean, int direction) {
  Holiday day = is(i, Word::kHoliday) ? static_cast<Holiday>(value(i)) : kNewYear;
  std::size_t next = i + 1;
  if (is_text(i, "good")) {
    day = kGoodFriday;
    next = i + 2;
  } else if (is_text(i, "new")) {
    next = i + 2;
  }
  if (is(next, Word::kEve)) {
    if (day == kChristmas) day = kChristmasEve;
    if (day == kNewYear) day = kNewYearsEve;
    ++next;
  } else if (is(next, Word::kUnit) && value(next) == kDay) {
    ++next;
  } else if (day == kEaster && is(next, Word::kWeekday)) {
    if (value(next) == 0) day = kEasterMonday;
    ++next;
  }
  const std::size_t year_at = skip(next, Word::kOf);
  Date from;
  if (is_year(year_at)) {
    from = holiday_date(day, value(year_at));
    next = year_at + 1;
  } else if (direction == 2) {
    from = holiday_date(day, today_.year);
  } else {
    const bool past = direction < 0 || (direction == 0 && lean == Lean::kPast);
    from = holiday_date(day, today_.year);
    if (past && compare(from, today_) > 0) from = holiday_date(day, today_.year - 1);
    if (!past && compare(from, today_) < 0) from = holiday_date(day, today_.year + 1);
  }
  if (!from.known()) return std::nullopt;
  return point(next, from);
}

// "the 25th": after the day that the sentence named last, else by the tense.
std::optional<Span> Finder::day_of_month(std::size_t i, Lean lean) const {
  if (!is(i, Word::kOrdinal) || tokens_[i].spelled || value(i) < 1 || value(i) > 31) {
    return std::nullopt;
  }
  // "the 3rd floor": a day stands before a stop, a preposition or a time.
  if (is(i + 1, Word::kOther) && !is_text(i + 1, "i") && !is_text(i + 1, "we")) return std::nullopt;
  const bool after_anchor = anchor_.known();
  const Date start = after_anchor ? anchor_ : today_;
  const int step = !after_anchor && lean == Lean::kPast ? -1 : 1;
  Date month = month_of(start);
  for (int tries = 0; tries < 4 && month.known(); ++tries, month = add_months(month, step)) {
    const Date date = make(month.year, month.month, value(i), today_.zone_min);
    if (!date.known()) continue;
    if (step > 0 ? first_day(date) >= first_day(start) : first_day(date) <= first_day(start)) {
      return point(i + 1, date);
    }
  }
  return std::nullopt;
}

std::optional<Span> Finder::weekday(std::size_t i, Lean lean, bool after_preposition) {
  const int day = value(i);
  std::size_t at = i + 1;
  // "friday, july 3rd": the date that follows says it all.
  const std::size_t date_at = skip(is_punct(at, ',') ? at + 1 : at, Word::kThe);
  if (auto date = day_month(date_at, lean)) return date;
  if (is(date_at, Word::kMonth)) {
    if (auto date = month(date_at, lean, false); date && date->from.day) return date;
  }
  if (is(at, Word::kThe)) {
    if (auto date = day_of_month(at + 1, lean)) return date;
  }
  if (is(date_at, Word::kIso) && date_at < tokens_.size()) return base(date_at, lean, true);
  // "monday next week", "thursday in two weeks", "thursday week".
  std::size_t week_at = skip(skip(at, Word::kOf), Word::kThe);
  const bool led = is(week_at, Word::kNext) || is(week_at, Word::kLast) || is(week_at, Word::kThis);
  if (led && is(week_at + 1, Word::kUnit) && value(week_at + 1) == kWeek) {
    if (auto week = relative(week_at, lean)) {
      return point(week->next, weekday_from(week->from, day));
    }
  }
  if (is(week_at, Word::kUnit) && value(week_at) == kWeek) {
    if (auto week = unit_beside(week_at, lean)) {
      return point(week->next, weekday_from(week->from, day));
    }
    if (week_at == at) return point(at + 1, add_days(weekday_from(add_days(today_, 1), day), 7));
  }
  if (is(at, Word::kIn)) {
    if (const auto in = count(at + 1); in && (in->unit == kWeek || in->unit == kFortnight)) {
      const int weeks = in->unit == kFortnight ? 2 * in->number : in->number;
      return point(in->next, weekday_from(add_days(monday_of(today_), 7 * weeks), day));
    }
  }
  const bool timed = is(at, Word::kClock) || is(at, Word::kAt) || is(at, Word::kDayPart);
  if (tokens_[i].shaky && !after_preposition && !timed) return std::nullopt;
  Span span = point(at, {});
  span.weekday = true;
  if (week_.known()) {
    span.from = weekday_from(week_, day);
  } else if (lean == Lean::kPast) {
    span.from = weekday_before(today_, day);
  } else {
    span.from = weekday_from(add_days(today_, 1), day);
  }
  return span;
}

// "early 2020", "the end of march", "mid-may", "the start of next year".
std::optional<Span> Finder::part_of(std::size_t i, Lean lean) {
  const Word part = tokens_[i].word;
  std::size_t at = i + 1;
  if (is_punct(at, '-')) ++at;
  const bool of = is(at, Word::kOf) || is(at, Word::kIn);
  if (of) ++at;
  if ((part == Word::kEnd || part == Word::kStart) && !of && !is(at, Word::kMonth)) {
    return std::nullopt;
  }
  std::optional<Span> whole = year(at);
  const std::size_t unit_at = skip(at, Word::kThe);
  if (!whole && of && is(unit_at, Word::kUnit) &&
      (value(unit_at) == kMonthUnit || value(unit_at) == kYear || value(unit_at) == kWeek)) {
    whole = relative_unit(static_cast<Unit>(value(unit_at)), 0, lean);
    if (whole) whole->next = unit_at + 1;
  }
  if (!whole) whole = base(at, lean, true);
  if (!whole || !whole->from.known() || whole->from.day) return std::nullopt;
  const Date begin = whole->from;
  const int months = whole->to.known() ? 3 : begin.month ? 1 : 12;
  Span span = *whole;
  if (months == 1) {
    const Date first = make(begin.year, begin.month, 1, begin.zone_min);
    const Date end = add_months(first, 1);
    if (part == Word::kEnd || part == Word::kLate) {
      span.from = add_days(end, -10);
      span.to = end;
    } else if (part == Word::kMid) {
      span.from = add_days(first, 9);
      span.to = add_days(first, 20);
    } else {
      span.from = first;
      span.to = add_days(first, 10);
    }
    return span;
  }
  const Date first = begin.month ? begin : make(begin.year, 1, 0, begin.zone_min);
  const int third = months / 3;
  const int skip_months = part == Word::kEnd || part == Word::kLate ? months - third
                          : part == Word::kMid                      ? third
                                                                    : 0;
  span.from = add_months(first, skip_months);
  span.to = add_months(span.from, third);
  return span;
}

}  // namespace kartei::store::time_words
