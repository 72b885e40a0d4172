// Who people are, where they live, what they do for a living, when they were born.
#include <algorithm>
#include <array>

#include "daemon/manager/reader.h"

namespace kartei::daemon {
namespace {

using store::Colour;
using store::Date;

constexpr std::array<std::string_view, 13> kMonths = {
    "",     "January", "February",  "March",   "April",    "May",     "June",
    "July", "August",  "September", "October", "November", "December"};

std::string day_and_month(const Date& date) {
  return std::to_string(date.day) + " " + std::string(kMonths[date.month]);
}

std::string month_day_key(const Date& date) {
  return std::to_string(date.month) + "-" + std::to_string(date.day);
}

// "two weeks before", "a day after": how far, as the word at i says it.
int days_apart(const Words& words, const Range& rest, std::size_t i) {
  const bool week = i > rest.begin && one_of(words[i - 1].low, {"week", "weeks"});
  int many = 1;
  if (i >= rest.begin + 2) {
    if (one_of(words[i - 2].low, {"two", "2"})) many = 2;
    if (one_of(words[i - 2].low, {"three", "3"})) many = 3;
  }
  return (words[i].low == "after" ? 1 : -1) * many * (week ? 7 : 1);
}

// The day that a birthday's card names ("5-17"), `days_later`, in that year.
Date day_of_key(const std::string& key, int year, int days_later) {
  const std::size_t dash = key.find('-');
  if (dash == std::string::npos) return {};
  const int month = std::atoi(key.c_str()), day = std::atoi(key.c_str() + dash + 1);
  if (month < 1 || month > 12 || day < 1 || day > 31) return {};
  Date base;
  base.year = year;
  base.month = static_cast<std::uint8_t>(month);
  base.day = static_cast<std::uint8_t>(day);
  return Date::day_of(base.begin() + std::chrono::hours{24 * days_later + 12}, 0);
}

// "in Falun", "with Bo": the first such word of the rest names a place or a company.
bool names_dwelling(const Words& words, const Range& rest) {
  for (std::size_t i = rest.begin; i < rest.end; ++i) {
    const bool leads =
        words[i].phrase < 0 &&
        one_of(words[i].low, {"in", "to", "at", "near", "on", "with", "outside", "by", "around"});
    if (!leads) continue;
    return i + 1 < rest.end && words[i + 1].phrase < 0 && !in(Set::kNotPlace, words[i + 1].low);
  }
  return false;
}

// Where the rest says whither: "to Falun", "in with Bo"; its end where it does not. Nothing where a
// thing is moved: "moved the party to friday" is no move of house.
std::optional<std::size_t> destination(const Words& words, const Range& rest) {
  for (std::size_t i = rest.begin; i < rest.end; ++i) {
    if (words[i].phrase >= 0) continue;
    const bool leads = one_of(words[i].low, {"to", "in", "into", "with"});
    if (leads && i + 1 < rest.end && words[i + 1].phrase < 0) return i;
    if (one_of(words[i].low, {"the", "my", "our", "it", "a", "desks", "teams"})) {
      return std::nullopt;
    }
  }
  return rest.end;
}

}  // namespace

// "that's my uncle", "Bo is my uncle", "my aunt is Greta".
bool Reader::state_identity(const Statement& s) {
  if (learn_called(s)) return true;
  if (s.parse.lemma != "be" || s.parse.negated || s.parse.tense != Tense::kPresent) return false;
  const bool pointing = s.parse.subject.kind == SubjectKind::kDemonstrative;
  if (!pointing && s.parse.subject.kind != SubjectKind::kPerson) return false;
  const auto who = pointing ? people_.latest() : s.parse.subject.person;
  if (!who) return true;
  const std::size_t at = s.rest.begin;
  if (at + 1 < s.rest.end && one_of(page_.words[at].low, {"my", "our"})) {
    return learn_role(s, *who);
  }
  return pointing || learn_name(s, *who);
}

// "my partner is called Robin"
bool Reader::learn_called(const Statement& s) {
  const bool named = s.parse.passive && one_of(s.parse.lemma, {"call", "name"}) &&
                     s.parse.subject.person && !s.rest.empty() && page_.words[s.rest.begin].capital;
  if (!named) return false;
  Person person = people_.at(*s.parse.subject.person);
  if (!person.name.empty()) return false;
  person.name = page_.words[s.rest.begin].text;
  for (std::size_t i = s.rest.begin + 1;
       person.name.ends_with('.') && i < s.rest.end && page_.words[i].capital; ++i)
    person.name += " " + page_.words[i].text;  // "Mr. Okafor"
  people_.mention(person);
  return true;
}

// "Bo is my older brother", "that's our uncle"
bool Reader::learn_role(const Statement& s, std::size_t who) {
  const Words& words = page_.words;
  const bool pointing = s.parse.subject.kind == SubjectKind::kDemonstrative;
  std::size_t k = s.rest.begin + 1;
  while (one_of(low_at(words, k, s.rest.end),
                {"older", "little", "best", "younger", "big", "new", "old"})) {
    ++k;
  }
  if (k >= s.rest.end) return false;
  const Relative* relation = relative(words[k].low);
  Person person = people_.at(who);
  if (!relation || person.name.empty() || !person.relation.empty()) return pointing;
  relate(person, *relation);
  person.of = owner_name_;
  people_.mention(person);
  return true;
}

// "my dentist is Dr. Weber"
bool Reader::learn_name(const Statement& s, std::size_t who) {
  const Words& words = page_.words;
  Person person = people_.at(who);
  const std::size_t at = s.rest.begin;
  const bool names = person.name.empty() && !s.rest.empty() && words[at].capital &&
                     !in(Set::kNotName, words[at].low);
  if (!names) return false;
  constexpr std::size_t kMost = 3;
  std::size_t k = at;
  while (k < s.rest.end && words[k].capital && k < at + kMost) {
    person.name += (person.name.empty() ? "" : " ") + words[k++].text;
  }
  people_.mention(person);
  if (k >= s.rest.end) return true;
  // "my gp is Dr. Ek, 018 55 66 77": the number stays with the name.
  const Turned value = reworded(s.rest, true);
  if (value.foreign_you || value.unresolved || person.of != owner_name_) return false;
  Frame frame = frame_of("be", {});
  frame.domain = "people";
  frame.tags = "people number";
  introduced_.insert(who);
  write(draft(possessive(owner_name_) + " " + person.relation + " is " + value.text, owner_key_,
              person.relation, lower(person.name), Colour::kFact, frame));
  return true;
}

// "Bo's birthday is on 4 May", "Ida turns 40 on 5 June"
bool Reader::state_birthday(const Statement& s) {
  const std::string thing = lower(s.parse.subject.thing);
  const bool turns = s.parse.lemma == "turn" && s.parse.subject.kind != SubjectKind::kThing &&
                     !s.rest.empty() && page_.words[s.rest.begin].kind == WordKind::kNumber &&
                     s.time;
  if (turns) return state_age_day(s);
  if (!thing.ends_with("birthday") && !thing.ends_with("bday")) return false;
  if (s.parse.lemma != "be") return false;
  Date day;
  if (s.time) day = page_.when->phrase(*s.time).from;
  if (!day.known()) day = day_from_birthday(s);
  const auto who = s.parse.subject.person;
  write_birthday(who ? people_.at(*who).display() : owner_name_,
                 who ? people_.at(*who).key() : owner_key_, day);
  return true;
}

// "Ida turns 40 on 5 June"
bool Reader::state_age_day(const Statement& s) {
  const auto text = compose(s, s.parse.verb_text, false);
  if (!text) return true;
  const auto who = s.parse.subject.person;
  Frame frame = frame_of("bear", {});
  frame.tags = "birthday people";
  Draft card = draft(*text, who ? people_.at(*who).key() : owner_key_, "birthday",
                     month_day_key(page_.when->phrase(*s.time).from), Colour::kEvent, frame);
  date(card, s);
  write(std::move(card));
  return true;
}

// "a week before Bo's": found by whose it is; unknown where that cannot be told.
Date Reader::day_from_birthday(const Statement& s) {
  const Words& words = page_.words;
  int days_later = 0;
  std::optional<std::size_t> whose;
  for (std::size_t i = s.rest.begin; i < s.rest.end; ++i) {
    const std::string& low = words[i].low;
    if (low == "after" || low == "before") days_later = days_apart(words, s.rest, i);
    if (const auto known = people_.by_name(low)) whose = known;
    if (one_of(low, {"his", "her", "hers"})) whose = people_.by_pronoun(low);
    const Relative* relation = relative(low);
    if (relation && !whose) whose = people_.by_relation(role_name(*relation));
  }
  if (!whose && !rest_has(s, "mine") && !rest_has(s, "my")) return {};
  Date day;
  for (const Found& found :
       notebook_.open(whose ? people_.at(*whose).key() : owner_key_,
                      [](const store::Card& card) { return card.relation == "birthday"; })) {
    const Date other = day_of_key(found.card.object, page_.when->today().year, days_later);
    if (other.known()) day = other;
  }
  return day;
}

void Reader::write_birthday(const std::string& name, const std::string& key, const Date& day) {
  if (!day.known() || !day.day) return;
  Frame frame = frame_of("bear", {});
  frame.tags = "birthday people";
  Draft card = draft(possessive(name) + " birthday is on " + day_and_month(day), key, "birthday",
                     month_day_key(day), Colour::kFact, frame);
  card.single = true;
  write(std::move(card));
}

// "it's my birthday on friday"
bool Reader::read_own_birthday(const Range& range) {
  const Words& words = page_.words;
  for (std::size_t i = range.begin; i + 3 < range.end; ++i) {
    if (words[i].low != "it" || words[i + 1].low != "is" || words[i + 2].low != "my") continue;
    if (words[i + 3].low != "birthday") continue;
    const auto time = page_.when->main(page_.when->inside(words, range));
    write_birthday(owner_name_, owner_key_, time ? page_.when->phrase(*time).from : Date{});
    return true;
  }
  return false;
}

bool Reader::state_home(const Statement& s) {
  if (!about_somebody(s) || s.parse.subject.and_owner) return false;
  const std::string& lemma = s.parse.lemma;
  if (lemma == "be") return state_arrival(s);
  if (one_of(lemma, {"move", "relocate", "emigrate", "settle", "immigrate"})) return state_move(s);
  const bool lives = one_of(lemma, {"live", "reside"}) || (lemma == "base" && s.parse.passive);
  return lives && state_living(s);
}

// "I'm in Falun now": home only where a move was spoken of.
bool Reader::state_arrival(const Statement& s) {
  const bool here = one_of(rest_low(s, 0), {"in", "back"}) && s.parse.tense == Tense::kPresent &&
                    !s.parse.negated;
  if (!here || !moving_ || s.rest.begin + 1 >= s.rest.end || s.time) return false;
  if (in(Set::kNotPlace, rest_low(s, 1))) return false;
  std::string text = s.subject + " lives " + place_name(reworded(s.rest, s.about_owner).text);
  const store::TimePhrase* moved = moved_ ? &page_.when->phrase(*moved_) : nullptr;
  if (moved) {
    text += std::string(moved->to.known() ? " (since about " : " (since ") +
            store::spoken(moved->from) + ")";
  }
  Draft card = draft(text, s.subject_key, "lives_in", object_of(s), Colour::kFact,
                     frame_of("live", rest_low(s, 0)));
  if (moved) card.card.valid_from = moved->from;
  card.single = true;
  write(std::move(card));
  moving_ = false;
  return true;
}

// "we moved to Falun in May", "I moved in with Bo"
bool Reader::state_move(const Statement& s) {
  const Tense tense = s.parse.tense;
  if (tense == Tense::kFuture || tense == Tense::kProgressive) return false;
  if (s.parse.negated) return true;
  if (tense != Tense::kPast && tense != Tense::kPerfect) return false;
  const auto to = destination(page_.words, s.rest);
  if (!to) return false;
  moving_ = true;
  moved_ = s.time;
  if (*to >= s.rest.end) return true;
  Statement home = s;
  home.rest = {*to + 1, s.rest.end};
  std::string place = reworded(home.rest, s.about_owner, s.time ? *s.time : -1).text;
  if (place.empty()) return true;
  if (page_.words[*to].low == "with") return write_living_with(s, place);
  if (low_at(page_.words, *to + 1, s.rest.end) == "with") {
    return write_living_with(s, place.substr(std::min(place.size(), std::size_t{5})));
  }
  constexpr int kPresentYears = 2;
  const Date from = s.time ? page_.when->phrase(*s.time).from : Date{};
  const bool long_ago = from.known() && from.year + kPresentYears < page_.when->today().year;
  if (long_ago) return write_old_move(s, object_of(home));
  write_new_home(s, page_.words[*to].low == "into", place, object_of(home));
  return true;
}

bool Reader::write_living_with(const Statement& s, const std::string& whom) {
  Draft card = draft(s.subject + " lives with " + whom, s.subject_key, "lives_with", whom,
                     Colour::kFact, frame_of("live", "with"));
  if (s.time) card.card.valid_from = page_.when->phrase(*s.time).from;
  card.single = true;
  write(std::move(card));
  return true;
}

// Long ago: it need not be the home of today.
bool Reader::write_old_move(const Statement& s, const std::string& place) {
  const auto text = compose(s, s.parse.verb_text, false);
  if (!text) return true;
  Draft card =
      draft(*text, s.subject_key, "moved", place, Colour::kEvent, frame_of("live", rest_low(s, 0)));
  date(card, s);
  write(std::move(card));
  return true;
}

// `inner`: "moved into a flat" tells of the house, not of the town.
void Reader::write_new_home(const Statement& s, bool inner, const std::string& place,
                            const std::string& object) {
  const Date from = s.time ? page_.when->phrase(*s.time).from : Date{};
  std::string text = s.subject + " lives in " + (inner ? place : place_name(place));
  if (from.known()) text += " (since " + store::spoken(from) + ")";
  Draft card = draft(text, s.subject_key, inner ? "home" : "lives_in", object, Colour::kFact,
                     frame_of("live", {}));
  card.card.valid_from = from;
  card.single = true;
  write(std::move(card));
  moving_ = false;
}

// "she lives in Falun", "I've lived with Bo for two years", "I no longer live there"
bool Reader::state_living(const Statement& s) {
  if (!names_dwelling(page_.words, s.rest)) return true;
  if (s.parse.negated || s.parse.ended) {
    for (const Found& found : owned_like(s.subject_key, content_words(object_of(s)))) {
      if (found.card.relation == "lives_in")
        notebook_.close(found, end_date(s), std::nullopt, "denied");
    }
    return true;
  }
  if (!s.parse.modal.empty()) return true;
  const Tense tense = s.parse.tense;
  const bool present =
      tense == Tense::kPresent || tense == Tense::kProgressive || tense == Tense::kPerfect;
  if (!present) return state_past(s);
  write_home(s);
  return true;
}

void Reader::write_home(const Statement& s) {
  const bool perfect = s.parse.tense == Tense::kPerfect;
  auto text = compose(s, s.parse.verb_text, !perfect);
  if (!text) return;
  const Frame frame = frame_of("live", rest_low(s, 0));
  // The place gets its capitals, the verb before it does not.
  const std::size_t verb = text->find(s.parse.verb_text);
  if (frame.relation == "lives_in" && verb != std::string::npos) {
    const std::size_t place = verb + s.parse.verb_text.size() + 1;
    if (place < text->size()) *text = text->substr(0, place) + place_name(text->substr(place));
  }
  Draft card =
      draft(*text, s.subject_key, std::string(frame.relation), object_of(s), Colour::kFact, frame);
  date(card, s);
  // "I've lived here for two years"
  const store::TimePhrase* length = length_of(s);
  if (length && perfect) card.card.valid_from = begun_before(*length);
  card.single = frame.single;
  write(std::move(card));
}

bool Reader::state_work(const Statement& s) {
  const std::string& lemma = s.parse.lemma;
  if (!about_somebody(s)) return false;
  const bool works =
      lemma == "work" && one_of(rest_low(s, 0), {"as", "at", "for", "in", "with", "from",
                                                 "part-time", "full-time", "night", "nights"});
  const bool begins = one_of(lemma, {"start", "begin"}) &&
                      (one_of(rest_low(s, 0), {"working", "at", "as"}) || rest_has(s, "job"));
  const bool gets =
      (one_of(lemma, {"get", "land", "accept", "take"}) && rest_has(s, "job")) || lemma == "join";
  const bool hired = s.parse.passive && lemma == "hire";
  if (!works && !begins && !gets && !hired) return false;
  if (s.parse.negated || s.parse.ended || !s.parse.modal.empty()) return false;
  const Tense tense = s.parse.tense;
  if (tense == Tense::kFuture) return false;
  const bool past = tense == Tense::kPast;
  if (works && (past || tense == Tense::kUsedTo)) return false;
  if (begins && !past && tense != Tense::kPerfect) return false;
  if (gets && lemma == "join" && !past && tense != Tense::kPerfect) return false;
  if (gets && lemma == "join" &&
      (rest_has(s, "gym") || rest_has(s, "club") || rest_has(s, "choir") || rest_has(s, "team") ||
       rest_has(s, "group") || rest_has(s, "band"))) {
    return false;
  }
  if (s.time && page_.when->phrase(*s.time).until) return false;
  const Frame frame = frame_of("work", {});
  auto text = compose(s, s.parse.verb_text, tense == Tense::kPresent);
  if (!text) return true;
  Draft card = draft(*text, s.subject_key, "works", object_of(s), Colour::kFact, frame);
  date(card, s);
  card.card.valid_to = {};
  card.single = true;
  write(std::move(card));
  return true;
}

}  // namespace kartei::daemon
