// Several events of one kind become one card.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "daemon/manager/forgetting.h"
#include "store/time_phrase.h"

namespace kartei::daemon {
namespace {

using store::CardState;
using store::Colour;
using store::Date;
using store::Forgettable;
using store::Forgotten;
using store::Time;

// What is said of the event but for its day: "Maya went climbing with Bo." Empty: the text does not
// say the day as the secretary writes it in English, so that it is not certain what it says.
std::string said_but_for_its_day(const store::Card& card) {
  if (!card.valid_from.known() || card.valid_from.day == 0) return {};
  const std::string phrase = " on " + store::spoken(card.valid_from);
  const std::size_t at = card.text.find(phrase);
  if (at == std::string::npos || at == 0) return {};
  if (card.text.find(phrase, at + 1) != std::string::npos) return {};
  const std::string rest = card.text.substr(at + phrase.size());
  if (!rest.empty() && rest[0] != '.' && rest[0] != ' ') return {};
  std::string said = card.text.substr(0, at) + rest;
  while (said.ends_with('.')) said.pop_back();
  // Another number may tell what differs from time to time, or another day.
  const bool numbered =
      std::any_of(said.begin(), said.end(), [](char c) { return c >= '0' && c <= '9'; });
  return numbered ? std::string() : said;
}

// Plans, and what did not come about, are no events that happened so many times.
bool happened(const store::Card& card) {
  const bool told = !card.subject.empty() && !card.relation.empty() && !card.object.empty();
  return told && card.relation != "event" && card.relation != "cancelled" &&
         !card.object.starts_with("no ");
}

bool may_go_in(const Forgettable& item, const ForgettingPolicy& policy, Time now) {
  const store::Card& card = item.card;
  if (is_protected(card) || card.colour != Colour::kEvent || card.user_made || item.made)
    return false;
  if (card.state != CardState::kFaded && card.state != CardState::kArchived) return false;
  if (item.step != Forgotten::kFaded && item.step != Forgotten::kArchived) return false;
  if (card.trust != store::Trust::kUser || card.sources.empty() || !happened(card)) return false;
  const Time rests = std::max(decays_from(item), item.step_at);
  return rests + std::chrono::hours(24 * policy.condense_after_days) <= now;
}

// One kind: of one drawer and one half of a year, told in the same words.
using EventKind = std::tuple<store::DrawerId, std::string, std::string, std::string, std::string,
                             std::int16_t, bool>;

std::string times_in_words(std::size_t times) {
  return times == 2 ? "twice" : std::to_string(times) + " times";
}

std::string month_name(const Date& date) {
  const std::string month_and_year = store::spoken(Date{date.year, date.month});
  return month_and_year.substr(0, month_and_year.find(' '));
}

std::string period_in_words(const Date& first, const Date& last) {
  const std::string year = " " + std::to_string(first.year);
  if (first.month == last.month) return "in " + month_name(first) + year;
  return "between " + month_name(first) + " and " + month_name(last) + year;
}

Date month_of(const Date& date) {
  Date month;
  month.year = date.year;
  month.month = date.month;
  return month;
}

Date month_after(const Date& date) {
  Date month = month_of(date);
  month.year = static_cast<std::int16_t>(date.year + (date.month == 12 ? 1 : 0));
  month.month = static_cast<std::uint8_t>(date.month % 12 + 1);
  return month;
}

// `events`: by their days.
Condensation condensation_of(const std::string& said, const std::vector<const Forgettable*>& events,
                             std::size_t times) {
  const store::Card& first = events.front()->card;
  const Date from = first.valid_from, to = events.back()->card.valid_from;
  Condensation made;
  store::Card& card = made.card;
  card.text = said + ' ' + times_in_words(times) + ' ' + period_in_words(from, to) + '.';
  card.colour = Colour::kEvent;
  card.drawer = first.drawer;
  card.sub_domain = first.sub_domain;
  card.micro_context = card.text;
  card.subject = first.subject;
  card.relation = first.relation;
  // It says another thing than each of them does.
  card.object = first.object + ", " + times_in_words(times) + ' ' + period_in_words(from, to);
  card.valid_from = month_of(from);
  card.valid_to = month_after(to);
  card.trust = first.trust;
  card.said_by = first.said_by;
  card.tags = first.tags;
  for (const std::size_t place : {std::size_t{0}, events.size() / 2, events.size() - 1}) {
    const store::TurnId turn = events[place]->card.sources.front();
    if (std::find(card.sources.begin(), card.sources.end(), turn) == card.sources.end())
      card.sources.push_back(turn);
  }
  std::uint64_t used = 0;
  for (const Forgettable* event : events) {
    made.sources.push_back(event->card.id);
    card.importance = std::max(card.importance, event->card.importance);
    card.last_used = std::max(card.last_used, event->card.last_used);
    used += event->card.times_used;
  }
  card.times_used = static_cast<std::uint32_t>(std::min<std::uint64_t>(used, UINT32_MAX));
  made.why = std::to_string(events.size()) + " events of one kind, long unused, told by one card.";
  return made;
}

}  // namespace

std::pair<Time, Time> half_year_of(Time at) {
  const Date day = Date::day_of(at, 0);
  Date from, to;
  from.year = to.year = day.year;
  from.month = day.month <= 6 ? 1 : 7;
  to.month = day.month <= 6 ? 7 : 1;
  if (to.month == 1) ++to.year;
  return {from.begin(), to.begin()};
}

std::vector<Condensation> condense(const std::vector<Forgettable>& events,
                                   const ForgettingPolicy& policy, Time now) {
  std::vector<Condensation> made;
  if (!policy.on || !policy.condense) return made;
  std::map<EventKind, std::vector<const Forgettable*>> kinds;
  for (const Forgettable& item : events) {
    if (!may_go_in(item, policy, now)) continue;
    const store::Card& card = item.card;
    const std::string said = said_but_for_its_day(card);
    if (said.empty()) continue;
    kinds[{card.drawer, card.subject, card.relation, card.object, said, card.valid_from.year,
           card.valid_from.month <= 6}]
        .push_back(&item);
  }
  for (auto& [kind, members] : kinds) {
    std::sort(members.begin(), members.end(), [](const Forgettable* a, const Forgettable* b) {
      const auto day_and_id = [](const store::Card& card) {
        return std::tuple(card.valid_from.begin(), card.id);
      };
      return day_and_id(a->card) < day_and_id(b->card);
    });
    std::set<Time> days;  // told twice, it happened once
    for (const Forgettable* member : members) days.insert(member->card.valid_from.begin());
    if (days.size() < static_cast<std::size_t>(policy.condense_least)) continue;
    made.push_back(condensation_of(std::get<4>(kind), members, days.size()));
  }
  return made;
}

}  // namespace kartei::daemon
