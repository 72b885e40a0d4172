// Relative phrases: "last week", "three days ago", "the week after next", "every thursday".
#include "store/calendar.h"
#include "store/time_finder.h"

namespace kartei::store::time_words {

using namespace calendar;

// direction: -1 the one before, 0 the present or coming one, 1 the one after.
std::optional<Span> Finder::relative_unit(Unit unit, int direction, Lean lean) const {
  switch (unit) {
    case kWeek: {
      Span span = days(0, add_days(monday_of(today_), 7 * direction), 7);
      span.week = true;
      return span;
    }
    case kFortnight:
      return days(0, add_days(monday_of(today_), 14 * direction), 14);
    case kWeekend: {
      const Date saturday = add_days(monday_of(today_), 5);
      const bool begun = calendar::weekday(today_) >= 5;
      int weeks = direction;
      if (direction == 0 && lean == Lean::kPast && !begun) weeks = -1;
      return days(0, add_days(saturday, 7 * weeks), 2);
    }
    case kMonthUnit:
      return point(0, month_of(add_months(today_, direction)));
    case kYear:
      return point(0, year_of(add_months(today_, 12 * direction)));
    case kDecade:
      return std::nullopt;
    case kDay:
      return point(0, add_days(today_, direction));
    default:
      return std::nullopt;
  }
}

std::optional<Span> Finder::relative(std::size_t i, Lean lean) {
  int direction = is(i, Word::kLast) ? -1 : is(i, Word::kNext) ? 1 : 0;
  const bool coming = is(i, Word::kComing);
  std::size_t at = i + 1;
  if (is(at, Word::kComing) || (is(at, Word::kPastWord) && direction == 0)) {
    if (is(at, Word::kPastWord)) direction = -1;
    ++at;
  }
  if (at >= tokens_.size()) return std::nullopt;
  const Word word = tokens_[at].word;
  const int what = value(at);
  if (word == Word::kUnit) {
    const Unit unit = static_cast<Unit>(what);
    if (unit == kDay) return std::nullopt;  // "last day", "this day": no date
    auto span = relative_unit(unit, coming && unit != kWeekend ? 1 : direction, lean);
    if (!span) return std::nullopt;
    span->next = at + 1;
    // "next week monday"
    const std::size_t day_at = skip(is_punct(at + 1, ',') ? at + 2 : at + 1, Word::kOn);
    if (unit == kWeek && is(day_at, Word::kWeekday) && !tokens_[day_at].shaky) {
      const Date monday = span->from;
      week_ = monday;
      return point(day_at + 1, weekday_from(monday, value(day_at)));
    }
    return span;
  }
  if (word == Word::kWeekday) {
    if (direction < 0) return point(at + 1, weekday_before(today_, what));
    if (direction > 0) return point(at + 1, add_days(monday_of(today_), 7 + what));
    const Date day = add_days(monday_of(today_), what);
    if (coming || (compare(day, today_) < 0 && lean != Lean::kPast)) {
      return point(at + 1, weekday_from(add_days(today_, 1), what));
    }
    if (lean == Lean::kPast && compare(day, today_) > 0) {
      return point(at + 1, weekday_before(today_, what));
    }
    return point(at + 1, day);
  }
  if (word == Word::kMonth) {
    Date date =
        resolve(what, 0, direction < 0 || lean == Lean::kPast ? Lean::kPast : Lean::kFuture);
    if (direction < 0 && date == month_of(today_)) date = add_months(date, -12);
    if (direction > 0 && date == month_of(today_)) date = add_months(date, 12);
    return point(at + 1, date);
  }
  if (word == Word::kSeason) {
    Date from = year_season(today_.year - 1, what);
    // The season that holds today, or the next to come.
    while (compare(add_months(from, 3), month_of(today_)) <= 0) from = add_months(from, 12);
    const bool running = compare(from, today_) <= 0;
    if (direction < 0 || (direction == 0 && lean == Lean::kPast && !running)) {
      from = add_months(from, -12);
    }
    if (direction > 0 && running) from = add_months(from, 12);
    return Span{at + 1, from, add_months(from, 3)};
  }
  if (word == Word::kDayPart) {
    evening_ = what >= 1;
    if (direction < 0) return point(at + 1, add_days(today_, -1));
    if (direction == 0 && !coming) return point(at + 1, today_);
    return std::nullopt;
  }
  if (word == Word::kHoliday || is_text(at, "new")) {
    if (is_text(at, "new") && !(is(at + 1, Word::kUnit) && value(at + 1) == kYear)) {
      return std::nullopt;
    }
    return holiday(at, lean, direction == 0 && !coming ? 2 : direction < 0 ? -1 : 1);
  }
  return std::nullopt;
}

// "the week after next", "the day before yesterday", "the weekend before Easter".
std::optional<Span> Finder::unit_beside(std::size_t i, Lean lean) {
  const bool after = is(i + 1, Word::kAfter);
  if (!after && !is(i + 1, Word::kBefore)) return std::nullopt;
  const Unit unit = static_cast<Unit>(value(i));
  const std::size_t at = i + 2;
  const bool bare = after ? is(at, Word::kNext) : is(at, Word::kLast);
  const bool more = is(at + 1, Word::kUnit) || is(at + 1, Word::kWeekday) ||
                    is(at + 1, Word::kMonth) || is(at + 1, Word::kSeason);
  if (bare && !more) {
    auto span = relative_unit(unit, after ? 2 : -2, lean);
    if (span) span->next = at + 1;
    return span;
  }
  if (unit == kDay && is(at, after ? Word::kTomorrow : Word::kYesterday)) {
    return point(at + 1, add_days(today_, after ? 2 : -2));
  }
  auto near = base(at, lean, true);
  if (!near || !near->from.known()) return std::nullopt;
  Date start = near->from;
  if (!start.day) start = to_date(first_day(start), start.zone_min);
  const int step = after ? 1 : -1;
  const Date last = after && near->to.known() ? add_days(near->to, -1) : start;
  switch (unit) {
    case kDay:
      return point(near->next, add_days(after ? last : start, step));
    case kWeek: {
      Span span = days(near->next, add_days(monday_of(last), 7 * step), 7);
      span.week = true;
      return span;
    }
    case kWeekend: {
      const Date saturday =
          after ? weekday_from(add_days(last, 1), 5) : add_days(weekday_before(start, 6), -1);
      return days(near->next, saturday, 2);
    }
    case kMonthUnit:
      return point(near->next, month_of(add_months(start, step)));
    case kYear:
      return point(near->next, year_of(add_months(start, 12 * step)));
    default:
      return std::nullopt;
  }
}

// "three days", "a couple of weeks", "half a year", "a year and a half" (in months then).
std::optional<Finder::Count> Finder::count(std::size_t i) const {
  Count out;
  std::size_t at = i;
  bool half = false;
  if (is(at, Word::kNumber)) {
    out.number = value(at++);
    if (is(at, Word::kAnd) && is(at + 1, Word::kA) && is(at + 2, Word::kHalf)) half = true, at += 3;
  } else if (is(at, Word::kHalf) && is(at + 1, Word::kA)) {
    half = true;
    at += 2;
  } else {
    const bool article = is(at, Word::kA);
    if (article) ++at;
    out.number = 1;
    if (is(at, Word::kCouple) || is(at, Word::kFew)) {
      out.number = is(at, Word::kCouple) ? 2 : 3;
      at = skip(at + 1, Word::kOf);
    } else if (!article) {
      return std::nullopt;
    }
  }
  if (!is(at, Word::kUnit) || out.number > 1000) return std::nullopt;
  out.unit = static_cast<Unit>(value(at++));
  if (is(at, Word::kAnd) && is(at + 1, Word::kA) && is(at + 2, Word::kHalf)) half = true, at += 3;
  if (half && out.unit == kYear) {
    out.number = out.number * 12 + 6;
    out.unit = kMonthUnit;
  } else if (half && out.number == 0) {
    return std::nullopt;
  }
  out.next = at;
  return out;
}

// loose: as precise as such words are meant ("two years ago" names a year).
Span Finder::shifted(const Count& count, int direction, const Date& start, bool loose) const {
  const int number = count.number * direction;
  Date from;
  switch (count.unit) {
    case kMinute:
    case kHour:
      return point(count.next, start);
    case kDay:
      return point(count.next, add_days(start, number));
    case kWeek:
      return point(count.next, add_days(start, 7 * number));
    case kFortnight:
      return point(count.next, add_days(start, 14 * number));
    case kWeekend: {
      const int weeks =
          calendar::weekday(start) >= 5 && direction > 0 ? number : number - (direction > 0);
      return days(count.next, add_days(add_days(monday_of(start), 5), 7 * weeks), 2);
    }
    case kMonthUnit: {
      from = add_months(start, number);
      return point(count.next, loose ? month_of(from) : from);
    }
    case kYear:
    case kDecade: {
      from = add_months(start, 12 * number * (count.unit == kDecade ? 10 : 1));
      return point(count.next, loose ? year_of(from) : from);
    }
  }
  return point(count.next, start);
}

// "three days ago", "in two weeks", "two weeks before Easter", "a week from thursday".
std::optional<Span> Finder::counted(std::size_t i, bool after_in, bool after_before) {
  const auto many = count(i);
  if (!many) return std::nullopt;
  std::size_t at = many->next;
  if (is(at, Word::kAgo) || (is_text(at, "back") && !after_in)) {
    Span span = shifted(*many, -1, today_, true);
    span.next = at + 1;
    return span;
  }
  if (after_before) return shifted(*many, -1, today_, true);
  if (is(at, Word::kFrom) && (is(at + 1, Word::kNow) || is(at + 1, Word::kToday))) {
    Span span = shifted(*many, 1, today_, true);
    span.next = at + 2;
    return span;
  }
  const bool before = is(at, Word::kBefore);
  if (before || is(at, Word::kAfter) || is(at, Word::kFrom)) {
    if (auto near = base(at + 1, is(at, Word::kFrom) ? Lean::kFuture : lean_at(i), true);
        near && near->from.day) {
      Span span = shifted(*many, before ? -1 : 1, near->from, false);
      span.next = near->next;
      return span;
    }
  }
  const bool takes_time = lean_at(i) == Lean::kPast || is_text(at, "time");
  if (!after_in || (takes_time && !is_text(at, "time"))) return std::nullopt;
  Span span = shifted(*many, 1, today_, many->unit != kMonthUnit || many->number > 2);
  if (is_text(at, "time") || is_text(at, "time's")) span.next = at + 1;
  if (is_text(at, "'") && is_text(at + 1, "time")) span.next = at + 2;
  return span;
}

// "for a year", "for the last two years", "over the past month".
std::optional<Span> Finder::length(std::size_t i) {
  const bool lasting = is(i, Word::kFor);
  if (!lasting && !is(i, Word::kDuring) && !is(i, Word::kIn) && !is(i, Word::kSince)) {
    return std::nullopt;
  }
  std::size_t at = i + 1;
  if (is_text(at, "about") || is_text(at, "around") || is_text(at, "almost") ||
      is_text(at, "nearly")) {
    ++at;
  }
  const std::size_t the = skip(at, Word::kThe);
  const bool ending_now = is(the, Word::kLast) || is(the, Word::kPastWord);
  auto many = count(ending_now ? the + 1 : at);
  if (ending_now && !many && is(the + 1, Word::kUnit) && the > at) {
    many = Count{1, static_cast<Unit>(value(the + 1)), the + 2};
  }
  if (!many) return std::nullopt;
  if (is(many->next, Word::kAgo)) return std::nullopt;
  if (ending_now || is(i, Word::kSince)) {
    Span span = shifted(*many, -1, today_, true);
    span.to = {};
    span.since = true;
    return span;
  }
  if (!lasting || is_text(many->next, "old")) return std::nullopt;
  const Date start = start_.known() ? start_ : today_;
  Span span = point(many->next, start);
  span.to = shifted(*many, 1, start, false).from;
  span.duration = true;
  if (is(span.next, Word::kNow)) {
    span = shifted(*many, -1, today_, true);
    ++span.next;
    span.since = true;
  }
  return span;
}

// "twice a week", "once a month", "three times a day".
std::optional<Span> Finder::habit(std::size_t i) const {
  std::size_t at = i;
  if (is_text(i, "once") || is_text(i, "twice")) {
    at = i + 1;
  } else if (is(i, Word::kNumber) && (is_text(i + 1, "times") || is_text(i + 1, "x"))) {
    at = i + 2;
  } else if (is(i, Word::kHabit)) {
    Span span = point(i + 1, {});
    span.recurring = true;
    return span;
  } else {
    return std::nullopt;
  }
  if ((!is(at, Word::kA) && !is(at, Word::kEvery) && !is_text(at, "per")) ||
      !is(at + 1, Word::kUnit)) {
    return std::nullopt;
  }
  Span span = point(at + 2, {});
  span.recurring = true;
  return span;
}

// "every friday at 6, from next month on", "on mondays and fridays".
std::optional<Span> Finder::recurring(std::size_t i) {
  std::size_t at = i;
  int day = -1;
  const bool every = is(i, Word::kEvery);
  if (every) {
    ++at;
    if (is(at, Word::kOther2) || is(at, Word::kOrdinal) || is(at, Word::kNumber) ||
        is_text(at, "single")) {
      ++at;
    }
    if (is(at, Word::kWeekday)) {
      day = value(at);
    } else if (!is(at, Word::kUnit) && !is(at, Word::kDayPart) && !is(at, Word::kSeason) &&
               !is(at, Word::kMonth) && !is(at, Word::kHoliday) && !is(at, Word::kWeekdays)) {
      return std::nullopt;
    }
  } else {
    at = is(i, Word::kOn) || is(i, Word::kAt) || (is(i, Word::kAm)) ? i + 1 : i;
    if (!is(at, Word::kWeekdays)) return std::nullopt;
    if (value(at) < 7) day = value(at);
  }
  ++at;
  while ((is(at, Word::kAnd) || is_punct(at, ',')) &&
         (is(at + 1, Word::kWeekdays) || (every && is(at + 1, Word::kWeekday)))) {
    at += 2;
  }
  if (is(at, Word::kDayPart)) {
    evening_ = value(at) >= 1;
    ++at;
  }
  Span span = point(at, {});
  span.recurring = true;
  int minute = -1;
  const bool hinted = is(at, Word::kAt);
  if (const auto time = time_of_day(hinted ? at + 1 : at, hinted)) {
    minute = time->first;
    const bool clear = tokens_[time->second - 1].half_day;
    if (evening_ && minute < 12 * 60 && !clear) minute += 12 * 60;
    span.next = time->second;
  }
  Date start = today_;
  const std::size_t from_at = is_punct(span.next, ',') ? span.next + 1 : span.next;
  if (is(from_at, Word::kStarting) || is(from_at, Word::kFrom) || is(from_at, Word::kSince)) {
    const std::size_t base_at = skip(skip(from_at + 1, Word::kOn), Word::kFrom);
    const Lean lean = is(from_at, Word::kSince) ? Lean::kPast : Lean::kFuture;
    if (const auto first = base(base_at, lean, true)) {
      span.since = true;
      span.next = first->next;
      start = first->from;
    }
  }
  if (day >= 0 && start.known()) {
    span.from = start.day ? weekday_from(start, day) : start;
    if (span.from.day) span.from.minute = static_cast<std::int16_t>(minute);
  } else if (span.since) {
    span.from = start;
  }
  return span;
}

}  // namespace kartei::store::time_words
