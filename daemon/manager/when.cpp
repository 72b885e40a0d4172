#include "daemon/manager/when.h"

#include <algorithm>

namespace kartei::daemon {
namespace {

using store::Date;
using store::TimePhrase;

std::int64_t width_min(const TimePhrase& phrase) {
  if (!phrase.from.known()) return phrase.to.known() ? 1'000'000'000 : 2'000'000'000;
  const store::Time end = phrase.to.known() ? phrase.to.begin() : phrase.from.end();
  return std::chrono::duration_cast<std::chrono::minutes>(end - phrase.from.begin()).count();
}

// The last day of a period whose end is exclusive.
Date before_end(const Date& to) {
  if (to.minute >= 0) return to;
  if (to.day) return Date::day_of(to.begin() - std::chrono::hours{12}, to.zone_min);
  Date last = to;
  if (to.month) {
    if (--last.month == 0) {
      last.month = 12;
      --last.year;
    }
    return last;
  }
  --last.year;
  return last;
}

// "summer 2025", where the phrase names a season.
std::string season_of(const TimePhrase& phrase, std::string_view said) {
  const std::string low = lower(said);
  if (phrase.from.day || !phrase.from.month) return {};
  for (std::string_view season : {"spring", "summer", "autumn", "fall", "winter"}) {
    if (low.find(season) == std::string::npos) continue;
    std::string year = std::to_string(phrase.from.year);
    if (season == "winter") year += "/" + std::to_string((phrase.from.year + 1) % 100);
    return std::string(season == "fall" ? "autumn" : season) + " " + year;
  }
  return {};
}

std::string preposition(const Date& date) {
  return date.day ? "on " : "in ";
}

std::string habit(std::string_view said) {
  // As it was said, with the weekdays' capitals.
  std::string out;
  for (const Word& word : lex_words(said)) {
    static constexpr std::string_view kDays[] = {"monday", "tuesday",  "wednesday", "thursday",
                                                 "friday", "saturday", "sunday"};
    const bool day = std::any_of(std::begin(kDays), std::end(kDays),
                                 [&](std::string_view d) { return word.low.starts_with(d); });
    if (!out.empty() && !word.glued) out += ' ';
    out += day ? capitalised(word.low) : word.text;
  }
  return out;
}

}  // namespace

Date in_zone(Date date, const std::string& zone, store::ZonedTime said_at) {
  if (!date.known() || zone.empty()) return date;
  const auto home = store::zone_offset_min(zone, said_at.at);
  if (home.has_error() || *home != said_at.zone_min) return date;  // spoken elsewhere
  const auto there = store::zone_offset_min(zone, date.begin());
  if (there.has_value()) date.zone_min = *there;
  return date;
}

When::When(std::string_view text, store::ZonedTime said_at, const std::string& zone, Words& words)
    : phrases_(store::find_time_phrases(text, said_at)),
      today_(Date::day_of(said_at.at, said_at.zone_min)) {
  for (std::size_t p = 0; p < phrases_.size(); ++p) {
    TimePhrase& phrase = phrases_[p];
    phrase.from = in_zone(phrase.from, zone, said_at);
    phrase.to = in_zone(phrase.to, zone, said_at);
  }
  for (Word& word : words) {
    for (std::size_t p = 0; p < phrases_.size() && phrases_[p].begin <= word.begin; ++p) {
      if (word.begin < phrases_[p].end && word.kind != WordKind::kBreak) {
        word.phrase = static_cast<int>(p);
      }
    }
  }
}

std::vector<int> When::inside(const Words& words, const Range& range) const {
  std::vector<int> out;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const int phrase = words[i].phrase;
    if (phrase >= 0 && (out.empty() || out.back() != phrase)) out.push_back(phrase);
  }
  return out;
}

std::optional<int> When::main(const std::vector<int>& indexes) const {
  std::optional<int> best;
  for (const int index : indexes) {
    const TimePhrase& candidate = phrase(index);
    if (candidate.duration || candidate.recurring) continue;
    // Narrower wins; of equals the first.
    if (!best || width_min(candidate) < width_min(phrase(*best))) {
      const bool later = best && phrase(*best).from.known() && candidate.from.known() &&
                         candidate.from.begin() >= phrase(*best).from.end() &&
                         !phrase(*best).to.known();
      if (!later) best = index;
    }
  }
  return best;
}

std::string When::wording(const TimePhrase& phrase, std::string_view said) const {
  using store::spoken;
  if (phrase.duration) return std::string(said);
  if (phrase.recurring) {
    std::string text = habit(said);
    if (phrase.since && phrase.from.known()) {
      // "every Friday, starting next month": the start gets its date.
      for (std::string_view mark :
           {", starting", " starting", ", from", " from", ", since", " since", ", beginning"}) {
        if (const std::size_t at = text.find(mark); at != std::string::npos) text.resize(at);
      }
      Date day = phrase.from;
      day.minute = -1;
      text += ", from " + spoken(day) + " on";
    }
    return text;
  }
  if (const std::string season = season_of(phrase, said); !season.empty()) {
    return (phrase.since ? "since " : "in ") + season;
  }
  if (phrase.since) {
    const bool from = lower(said.substr(0, 4)) == "from";
    return (from ? "from " : "since ") + spoken(phrase.from);
  }
  if (phrase.until) return "until " + spoken(before_end(phrase.to));
  if (!phrase.to.known()) {
    // "planned for 2 May", "due by Friday"
    const std::string low = lower(said.substr(0, 4));
    if (low == "for ") return "for " + spoken(phrase.from);
    if (low.starts_with("by ")) return "by " + spoken(phrase.from);
    return preposition(phrase.from) + spoken(phrase.from);
  }
  if (phrase.from.minute >= 0 && phrase.to.minute >= 0) {
    const std::string end = spoken(phrase.to);
    return "on " + spoken(phrase.from) + " to " + end.substr(end.size() - 5);
  }
  // By the calendar: a day of 23 hours is one.
  Date first = phrase.from, end = phrase.to;
  first.zone_min = end.zone_min = 0;
  const auto length = end.begin() - first.begin();
  const std::string said_low = lower(said);
  if (phrase.from.day && said_low.find("week") != std::string::npos) {
    if (length == std::chrono::hours{24 * 2}) return "on the weekend of " + spoken(phrase.from);
    if (length == std::chrono::hours{24 * 7}) return "in the week of " + spoken(phrase.from);
  }
  const Date last = before_end(phrase.to);
  if (last == phrase.from) return preposition(last) + spoken(last);
  if (last.day && last.month == phrase.from.month && last.year == phrase.from.year) {
    return "from " + std::to_string(phrase.from.day) + " to " + spoken(last);
  }
  return "from " + spoken(phrase.from) + " to " + spoken(last);
}

}  // namespace kartei::daemon
