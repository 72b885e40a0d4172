// How people are named: "my uncle Bo", "Ida from yoga", "her dad Arne", "the other Ida".
#include <tuple>

#include "daemon/manager/clause.h"

namespace kartei::daemon {
namespace {

bool name_like(const Word& word) {
  return word.kind == WordKind::kWord && word.capital && !in(Set::kNotName, word.low) &&
         word.phrase < 0 && !in(Set::kFiller, word.low);
}

// "Time flies", "Networking helps": it has its capital from where it stands.
bool only_opens(const Words& words, std::size_t i) {
  const bool opens = i == 0 || words[i - 1].kind == WordKind::kBreak ||
                     words[i - 1].kind == WordKind::kEmoji ||
                     one_of(words[i - 1].text, {".", "!", "?", ":", "-", ")"});
  constexpr std::size_t kShortest = 6;  // "Ming" is a name
  const bool doing = words[i].low.size() >= kShortest && words[i].low.ends_with("ing");
  return opens && (doing || in(Set::kOpener, words[i].low));
}

// "my older sister", "my best friend": behind at most two such words.
std::size_t after_degrees(const Words& words, std::size_t i, std::size_t end) {
  constexpr std::size_t kMost = 2;
  std::size_t at = i;
  while (at < i + kMost && in(Set::kDegree, low_at(words, at, end))) ++at;
  return at;
}

}  // namespace

bool ClauseParser::named(const Words& words, std::size_t i, std::size_t end) const {
  if (i >= end) return false;
  return (name_like(words[i]) && !only_opens(words, i)) ||
         (words[i].kind == WordKind::kWord && people_.by_name(words[i].low));
}

// A name's words: "Jo", "Anna Lena", "Dr. Weber".
std::pair<std::size_t, std::string> ClauseParser::read_name(const Words& words, std::size_t i,
                                                            std::size_t end) const {
  constexpr std::size_t kMost = 3;
  std::string name;
  for (std::size_t count = 0; count < kMost && named(words, i, end); ++count) {
    const Word& word = words[i++];
    if (!name.empty()) name += ' ';
    const auto known = people_.by_name(word.low);
    name += !word.capital && known ? people_.at(*known).name : word.text;
    if (word.possessive) break;
  }
  return {i, name};
}

// "from yoga", "at work", "from the gym": which of several is meant.
std::size_t ClauseParser::read_qualifier(const Words& words, std::size_t i, std::size_t end,
                                         Person& seen) const {
  if (i + 1 >= end || !one_of(words[i].low, {"from", "at"}) || words[i].phrase >= 0) return i;
  const bool from = words[i].low == "from";
  const Word& place = words[i + 1];
  // "Ida from chess says": a verb follows the place.
  const bool before_verb = i + 2 < end && finite(words, i + 2, lexicon_);
  const bool known = one_of(place.low, {"work", "school", "uni", "church", "choir", "yoga"});
  const bool named_place =
      from && (place.capital ||
               (before_verb && place.kind == WordKind::kWord && !in(Set::kDeterminer, place.low)));
  if (known || named_place) {
    seen.qualifier = words[i].low + " " + place.text;
    return i + 2;
  }
  const bool the_place = from && one_of(place.low, {"the", "my"}) && i + 2 < end &&
                         words[i + 2].kind == WordKind::kWord && !before_verb;
  if (!the_place) return i;
  seen.qualifier = "from the " + words[i + 2].text;
  return i + 3;
}

// Behind "my sister": "Lea", ", Lea,", "called Lea", "from Skövde".
std::size_t ClauseParser::read_kin_name(const Words& words, std::size_t at, std::size_t end,
                                        Person& seen) const {
  std::size_t name_at = at;
  if (one_of(low_at(words, name_at, end), {"called", "named"})) ++name_at;
  const bool set_off = name_at + 1 < end && comma(words[name_at]) &&
                       named(words, name_at + 1, end) &&
                       (name_at + 2 >= end || comma(words[name_at + 2]));
  if (set_off) ++name_at;
  const auto [after, name] = read_name(words, name_at, end);
  if (!name.empty()) {
    seen.name = name;
    at = after;
    if (set_off && at < end && comma(words[at])) ++at;
  }
  return read_qualifier(words, at, end, seen);
}

// "my cat food": the animal's word is part of a thing's name.
bool ClauseParser::names_a_thing(const Words& words, std::size_t role, std::size_t end,
                                 const Relative& relation) const {
  const std::size_t next = role + 1;
  return next < end && relation.kind == "pet" && !words[role].possessive &&
         !named(words, next, end) && words[next].kind == WordKind::kWord &&
         !finite(words, next, lexicon_) && !in(Set::kAdverb, words[next].low) &&
         !in(Set::kPreposition, words[next].low);
}

// "my older sister Lea", "her dad Arne", "my old beagle".
std::optional<PersonAt> ClauseParser::kin(const Words& words, std::size_t i, std::size_t end) {
  const std::size_t role = after_degrees(words, i + 1, end);
  const Relative* relation = relative(low_at(words, role, end));
  if (!relation || names_a_thing(words, role, end, *relation)) return std::nullopt;
  Person seen;
  relate(seen, *relation);
  seen.of = people_.owner();
  if (one_of(words[i].low, {"his", "her"})) {
    const auto whose = people_.by_pronoun(words[i].low);
    if (!whose) return std::nullopt;
    const Person& holder = people_.at(*whose);
    seen.of = holder.name.empty() ? holder.display() : holder.name;
  }
  std::size_t at = role + 1;
  if (!words[role].possessive) at = read_kin_name(words, at, end, seen);
  return PersonAt{at, people_.mention(seen)};
}

// "Bo's aunt Greta": the relation belongs to Bo, whose name ends before `at`.
PersonAt ClauseParser::kin_of(const Words& words, std::size_t at, std::size_t end,
                              const Person& holder) {
  const std::size_t whose = people_.mention(holder);
  const Relative* relation = relative(low_at(words, at, end));
  if (!relation) return {at, whose};
  Person seen;
  seen.of = people_.at(whose).name;
  relate(seen, *relation);
  const auto [after, name] = read_name(words, at + 1, end);
  seen.name = name;
  return {after, people_.mention(seen)};
}

// "Ebba, my niece from Skövde, ...": what stands behind the name.
std::size_t ClauseParser::read_apposition(const Words& words, std::size_t at, std::size_t end,
                                          Person& seen) const {
  if (at + 2 >= end || !comma(words[at]) || !one_of(words[at + 1].low, {"my", "our"})) return at;
  const Relative* relation = relative(words[at + 2].low);
  if (!relation) return at;
  relate(seen, *relation);
  seen.of = people_.owner();
  const std::size_t after = read_qualifier(words, at + 3, end, seen);
  return after < end && comma(words[after]) ? after + 1 : after;
}

std::optional<PersonAt> ClauseParser::person(const Words& words, std::size_t i, std::size_t end) {
  if (i >= end || words[i].kind != WordKind::kWord) return std::nullopt;
  const std::string& low = words[i].low;
  if (one_of(low, {"my", "our", "his", "her"})) return kin(words, i, end);
  std::size_t at = i;
  if (one_of(low, {"the", "an", "a"}) && low_at(words, i + 1, end) == "other") {
    at += 2;
    people_.set_other();
  }
  if (!named(words, at, end)) return std::nullopt;
  Person seen;
  std::tie(at, seen.name) = read_name(words, at, end);
  if (words[at - 1].possessive) return kin_of(words, at, end, seen);
  at = read_qualifier(words, at, end, seen);
  at = read_apposition(words, at, end, seen);
  return PersonAt{at, people_.mention(seen)};
}

}  // namespace kartei::daemon
