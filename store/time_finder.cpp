#include "store/time_finder.h"

#include "store/calendar.h"

namespace kartei::store::time_words {

using namespace calendar;

Finder::Finder(std::string_view text, ZonedTime said_at)
    : text_(text),
      tokens_(lex(text, said_at.zone_min)),
      today_(Date::day_of(said_at.at, said_at.zone_min)) {}

std::vector<TimePhrase> Finder::run() {
  std::vector<TimePhrase> found;
  std::size_t i = 0;
  while (i < tokens_.size()) {
    if (is(i, Word::kPunct)) {
      const int mark = value(i);
      if (mark == '!' || mark == '?' || mark == '\n' || mark == '.')
        anchor_ = week_ = start_ = Date{};
      ++i;
      continue;
    }
    evening_ = false;
    const auto span = phrase(i);
    if (!span || span->next <= i) {
      ++i;
      continue;
    }
    found.push_back({tokens_[i].begin, tokens_[span->next - 1].end, span->from, span->to,
                     span->since, span->until, span->recurring, span->duration});
    if (span->from.day) anchor_ = span->from;
    if (span->week) week_ = span->from;
    if (!span->duration && !span->recurring && span->from.known()) start_ = span->from;
    i = span->next;
  }
  return found;
}

std::optional<Span> Finder::phrase(std::size_t i) {
  if (const Word word = tokens_[i].word; word == Word::kOther || word == Word::kPast) {
    // Few phrases begin with a word that means nothing by itself.
    if (!is_text(i, "new") && !is_text(i, "good") && !is_text(i, "once") && !is_text(i, "twice") &&
        !is_text(i, "as") && !is_text(i, "around") && !is_text(i, "about")) {
      return std::nullopt;
    }
  }
  if (auto span = recurring(i)) return span;
  if (auto span = habit(i)) return span;
  if (auto span = length(i)) return span;
  if (auto span = bounded(i)) return span;
  if (auto span = clock_first(i)) return span;
  return dated(i);
}

// "since X", "until X", "from X to Y", "between X and Y", "before X", "after X", "starting X".
std::optional<Span> Finder::bounded(std::size_t i) {
  const Word word = tokens_[i].word;
  const bool as_of = is_text(i, "as") && is(i + 1, Word::kOf);
  std::size_t at = as_of ? i + 2 : i + 1;
  if (word == Word::kSince || word == Word::kStarting || as_of) {
    if (word == Word::kStarting &&
        (is(at, Word::kOn) || is(at, Word::kFrom) || is(at, Word::kIn))) {
      ++at;
    }
    const Lean lean = word == Word::kSince ? Lean::kPast : Lean::kFuture;
    auto span = base(at, lean, true);
    if (!span) span = year(at);
    if (!span) return std::nullopt;
    *span = with_time(*span);
    span->to = {};
    span->since = true;
    return span;
  }
  if (word == Word::kUntil || word == Word::kBefore || word == Word::kBy) {
    if (word == Word::kBefore && is_text(i, "vor")) return std::nullopt;  // German "ago"
    Lean lean = lean_at(i);
    if (lean == Lean::kNone) lean = Lean::kFuture;
    auto span = base(at, lean, true);
    if (!span) span = year(at);
    if (!span) return std::nullopt;
    *span = with_time(*span);
    if (word == Word::kBy) return span;
    const Date end = word == Word::kBefore ? span->from
                     : span->to.known()    ? span->to
                                           : next_period(span->from);
    span->to = end;
    span->from = {};
    span->until = true;
    return span;
  }
  if (word == Word::kAfter) {
    auto span = base(at, lean_at(i), true);
    if (!span) return std::nullopt;
    if (span->to.known()) span->from = span->to;
    span->to = {};
    return span;
  }
  if (word != Word::kFrom && word != Word::kBetween) return std::nullopt;
  const Lean lean = lean_at(i);
  // "from 3 to 5 July": the first number borrows the second's month.
  auto first = base(at, lean, true);
  if (!first) first = year(at);
  if (!first) return std::nullopt;
  *first = with_time(*first);
  const bool joined = is(first->next, Word::kTo) || is(first->next, Word::kUntil) ||
                      is_punct(first->next, '-') ||
                      (word == Word::kBetween && is(first->next, Word::kAnd));
  const std::size_t before = first->next;
  if (joined) *first = with_range(*first, lean);
  if (first->next == before && !first->to.known()) {
    if (is(first->next, Word::kOn) || is_text(first->next, "onwards") ||
        is_text(first->next, "onward")) {
      if (!base(first->next + 1, lean, true)) ++first->next;
    }
    first->since = word == Word::kFrom;
  }
  return first;
}

// The end of a range that began with `first`, when one follows.
Span Finder::with_range(Span first, Lean lean) {
  std::size_t at = first.next;
  if (!is(at, Word::kTo) && !is(at, Word::kUntil) && !is(at, Word::kAnd) && !is_punct(at, '-')) {
    return first;
  }
  at = skip(at + 1, Word::kOn);
  std::optional<Span> second;
  if (first.from.month == 0) {
    second = year(at);
  } else if (is(at, Word::kWeekday) && first.from.day) {
    second = point(at + 1, weekday_from(add_days(first.from, 1), value(at)));
  } else if (is(skip(at, Word::kThe), Word::kOrdinal)) {
    const Date saved = anchor_;
    anchor_ = first.from;
    second = day_month(skip(at, Word::kThe), Lean::kFuture);
    if (!second) second = day_of_month(skip(at, Word::kThe), Lean::kFuture);
    anchor_ = saved;
  } else {
    second = base(at, lean, true);
  }
  if (!second || !second->from.known()) return first;
  Date end = second->from;
  // The end of a range lies after its beginning, whatever the tense made of it.
  for (int tries = 0; tries < 2 && compare(end, first.from) < 0 && end.month; ++tries) {
    end = add_months(end, 12);
  }
  if (compare(end, first.from) < 0) return first;
  first.to = second->to.known() && second->from == end ? second->to : next_period(end);
  first.next = second->next;
  return first;
}

std::optional<Span> Finder::dated(std::size_t i) {
  const Word word = tokens_[i].word;
  const bool preposition = word == Word::kOn || word == Word::kIn || word == Word::kAt ||
                           word == Word::kDuring || word == Word::kFor || word == Word::kTo ||
                           (word == Word::kAm && is(i + 1, Word::kNumber)) ||
                           (word == Word::kAm && is(i + 1, Word::kWeekday)) ||
                           is_text(i, "around") || is_text(i, "about");
  Lean lean = lean_at(i);
  if (word == Word::kFor || word == Word::kTo) lean = Lean::kFuture;
  if (word == Word::kBefore && is_text(i, "vor")) return counted(i + 1, false, true);
  const std::size_t at = preposition ? i + 1 : i;
  std::optional<Span> span;
  if (word == Word::kIn) span = counted(at, true, false);
  if (!span) span = base(at, lean, preposition);
  if (!span && (word == Word::kIn || word == Word::kDuring || is_text(i, "around"))) {
    const bool named = is(at, Word::kThe) && is(at + 1, Word::kUnit) && value(at + 1) == kYear;
    span = year(named ? at + 2 : at);
  }
  if (!span && preposition && is(at, Word::kThe)) span = day_of_month(at + 1, lean);
  if (!span && preposition && word != Word::kTo && is(at, Word::kOrdinal)) {
    span = day_of_month(at, lean);
  }
  if (!span) return std::nullopt;
  *span = with_range(*span, lean);
  return with_time(*span);
}

// "at 7pm on thursday", "8am tomorrow".
std::optional<Span> Finder::clock_first(std::size_t i) {
  const bool at_word = is(i, Word::kAt);
  const auto time = time_of_day(at_word ? i + 1 : i, at_word);
  if (!time) return std::nullopt;
  std::size_t at = time->second;
  if (is_punct(at, ',')) ++at;
  const bool preposition = is(at, Word::kOn) || (is(at, Word::kAm) && is(at + 1, Word::kWeekday));
  if (preposition) ++at;
  auto day = base(at, lean_at(i), preposition);
  if (!day && preposition && is(at, Word::kThe)) day = day_of_month(at + 1, lean_at(i));
  if (!day || !day->from.day || day->from.minute >= 0 || day->to.known()) return std::nullopt;
  int minute = time->first;
  if (evening_ && minute < 12 * 60 && !tokens_[time->second - 1].half_day) minute += 12 * 60;
  day->from.minute = static_cast<std::int16_t>(minute);
  return day;
}

std::optional<std::pair<int, std::size_t>> Finder::time_of_day(std::size_t i, bool hinted) const {
  if (is(i, Word::kClock)) return std::pair{value(i), skip(i + 1, Word::kOclock)};
  if (is(i, Word::kNoon)) return std::pair{12 * 60, i + 1};
  if (is(i, Word::kMidnight) && hinted) return std::pair{0, i + 1};
  if ((is(i, Word::kHalf) || is(i, Word::kQuarter)) && is(i + 1, Word::kPastWord) &&
      is(i + 2, Word::kNumber) && value(i + 2) <= 12) {
    return std::pair{value(i + 2) % 24 * 60 + (is(i, Word::kHalf) ? 30 : 15), i + 3};
  }
  if (is(i, Word::kQuarter) && is(i + 1, Word::kTo) && is(i + 2, Word::kNumber) &&
      value(i + 2) >= 1 && value(i + 2) <= 12) {
    return std::pair{value(i + 2) * 60 - 15, i + 3};
  }
  if (!is(i, Word::kNumber) || value(i) > 23) return std::nullopt;
  if (is(i + 1, Word::kOclock)) return std::pair{value(i) * 60, i + 2};
  const bool free = !is(i + 1, Word::kUnit) && !is(i + 1, Word::kMonth) && !is(i + 1, Word::kOf) &&
                    !is_punct(i + 1, '%');
  if (hinted && free && value(i) >= 1) return std::pair{value(i) * 60, i + 1};
  return std::nullopt;
}

// The day's part and the time of day that follow a day.
Span Finder::with_time(Span day) {
  if (!day.from.day || day.from.minute >= 0) return day;
  std::size_t at = day.next;
  const bool ranged = day.to.known();
  if (is(at, Word::kIn) && is(at + 1, Word::kThe) && is(at + 2, Word::kDayPart)) at += 2;
  if (is(at, Word::kDayPart)) {
    evening_ = value(at) >= 1;
    day.next = ++at;
  }
  if (ranged) return day;
  if (is_punct(at, ',') && (is(at + 1, Word::kAt) || is(at + 1, Word::kClock))) ++at;
  const bool hinted = is(at, Word::kAt);
  const auto time = time_of_day(hinted ? at + 1 : at, hinted);
  if (!time) return day;
  const Token& said = tokens_[time->second - 1];
  int minute = time->first;
  if (evening_ && minute < 12 * 60 && !said.half_day) minute += 12 * 60;
  // "at 3": few appointments are at night.
  if (!evening_ && said.word == Word::kNumber && minute < 7 * 60) minute += 12 * 60;
  day.from.minute = static_cast<std::int16_t>(minute);
  day.next = time->second;
  if ((is_punct(day.next, '-') || is(day.next, Word::kTo) || is(day.next, Word::kUntil))) {
    if (const auto until = time_of_day(day.next + 1, true)) {
      day.to = day.from;
      day.to.minute = static_cast<std::int16_t>(until->first);
      if (day.to.minute <= day.from.minute) day.to.minute = -1, day.to = add_days(day.to, 1);
      day.next = until->second;
    }
  }
  return day;
}

std::optional<Span> Finder::base(std::size_t i, Lean lean, bool after_preposition) {
  const std::size_t j = skip(i, Word::kThe);
  if (j >= tokens_.size()) return std::nullopt;
  if (is_text(j, "new") && is(j + 1, Word::kUnit) && value(j + 1) == kYear) {
    if (j > 0 && (is_text(j - 1, "chinese") || is_text(j - 1, "lunar"))) return std::nullopt;
    return holiday(j, lean, 0);
  }
  if (is_text(j, "good") && is(j + 1, Word::kWeekday) && value(j + 1) == 4)
    return holiday(j, lean, 0);
  switch (tokens_[j].word) {
    case Word::kIso: {
      const int code = value(j);
      if (code < 10000) return point(j + 1, resolve(code / 100, code % 100, lean));
      const Date date = make(code / 10000, code / 100 % 100, code % 100, today_.zone_min);
      if (!date.known()) return std::nullopt;
      return point(j + 1, date);
    }
    case Word::kNumber:
    case Word::kOrdinal: {
      if (auto span = day_month(j, lean)) return span;
      return counted(j, false, false);
    }
    case Word::kA:
    case Word::kCouple:
    case Word::kFew:
    case Word::kHalf:
      return counted(j, false, false);
    case Word::kMonth:
      return month(j, lean, after_preposition);
    case Word::kSeason:
      return season(j, lean, after_preposition);
    case Word::kToday:
    case Word::kTonight:
    case Word::kYesterday:
    case Word::kTomorrow:
      return near_day(j);
    case Word::kLast:
    case Word::kNext:
    case Word::kThis:
    case Word::kComing:
      return relative(j, lean);
    case Word::kWeekday:
      return weekday(j, lean, after_preposition);
    case Word::kUnit: {
      if (auto span = unit_beside(j, lean)) return span;
      if (after_preposition && value(j) == kWeekend) {
        auto span = relative_unit(kWeekend, lean == Lean::kPast ? -1 : 0, lean);
        if (span) span->next = j + 1;
        return span;
      }
      return std::nullopt;
    }
    case Word::kHoliday:
      return holiday(j, lean, 0);
    case Word::kEarly:
    case Word::kLate:
    case Word::kMid:
    case Word::kEnd:
    case Word::kStart:
      return part_of(j, lean);
    default:
      return std::nullopt;
  }
}

std::optional<Span> Finder::near_day(std::size_t i) const {
  const Word word = tokens_[i].word;
  const bool far = value(i) == 1;
  if (is_text(i, "morgen") && i > 0 && (is_text(i - 1, "guten") || is_text(i - 1, "am"))) {
    return std::nullopt;
  }
  if (word == Word::kYesterday) return point(i + 1, add_days(today_, far ? -2 : -1));
  if (word == Word::kTomorrow) return point(i + 1, add_days(today_, far ? 2 : 1));
  if (word == Word::kTonight) {
    // The time after "tonight" is one of the evening.
    Span span = point(i + 1, today_);
    const bool hinted = is(i + 1, Word::kAt);
    if (const auto time = time_of_day(hinted ? i + 2 : i + 1, hinted)) {
      int minute = time->first;
      if (minute < 12 * 60 && !tokens_[time->second - 1].half_day) minute += 12 * 60;
      span.from.minute = static_cast<std::int16_t>(minute);
      span.next = time->second;
    }
    return span;
  }
  return point(i + 1, today_);
}

Lean Finder::lean_at(std::size_t i) const {
  auto ends = [this](std::size_t k) {
    return is(k, Word::kPunct) && value(k) != '-' && value(k) != '\'' && value(k) != '/';
  };
  constexpr std::size_t kReach = 24;
  bool past = false;
  auto read = [&](std::size_t k) {
    if (is(k, Word::kFuture)) return true;
    if (is(k, Word::kPast)) {
      const bool have = k > 0 && (is_text(k - 1, "have") || is_text(k - 1, "has") ||
                                  is_text(k - 1, "i've") || is_text(k - 1, "we've"));
      past = past || !(have && is_text(k, "got"));
    }
    return false;
  };
  for (std::size_t k = i, steps = 0; k-- > 0 && steps < kReach && !ends(k); ++steps) {
    if (read(k)) return Lean::kFuture;
  }
  for (std::size_t k = i, steps = 0; k < tokens_.size() && steps < kReach && !ends(k);
       ++k, ++steps) {
    if (read(k)) return Lean::kFuture;
  }
  return past ? Lean::kPast : Lean::kNone;
}

bool Finder::is_text(std::size_t i, std::string_view lower) const {
  if (i >= tokens_.size()) return false;
  const std::string_view word = text_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin);
  if (word.size() != lower.size()) return false;
  for (std::size_t k = 0; k < word.size(); ++k) {
    const char c = word[k] >= 'A' && word[k] <= 'Z' ? static_cast<char>(word[k] + 32) : word[k];
    if (c != lower[k]) return false;
  }
  return true;
}

}  // namespace kartei::store::time_words
