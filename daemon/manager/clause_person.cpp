// How people are named: "my uncle Bo", "Ida from yoga", "her dad Arne", "the other Ida".
#include <algorithm>
#include <array>

#include "daemon/manager/clause.h"

namespace kartei::daemon {
namespace {

bool name_like(const Word& word) {
  return word.kind == WordKind::kWord && word.capital && !in(Set::kNotName, word.low) &&
         word.phrase < 0 && !in(Set::kFiller, word.low);
}

}  // namespace

std::optional<std::pair<std::size_t, std::size_t>> ClauseParser::person(const Words& words,
                                                                        std::size_t i,
                                                                        std::size_t end) {
  if (i >= end || words[i].kind != WordKind::kWord) return std::nullopt;
  const std::string& low = words[i].low;
  Person seen;
  std::size_t at = i;
  const bool mine = low == "my" || low == "our";
  const bool theirs = low == "his" || low == "her";
  auto named = [&](std::size_t k) {
    return k < end && (name_like(words[k]) ||
                       (words[k].kind == WordKind::kWord && people_.by_name(words[k].low)));
  };
  // A name's words: "Jo", "Anna Lena", "Dr. Weber".
  auto read_name = [&](std::size_t k) {
    std::string name;
    std::size_t count = 0;
    while (named(k) && count < 3) {
      if (!name.empty()) name += ' ';
      const auto known = people_.by_name(words[k].low);
      name += words[k].capital ? words[k].text : known ? people_.at(*known).name : words[k].text;
      ++count;
      if (words[k++].possessive) break;
    }
    return std::pair{k, name};
  };
  auto read_qualifier = [&](std::size_t k) {
    if (k + 1 < end && one_of(words[k].low, {"from", "at"}) && words[k].phrase < 0) {
      const bool place =
          one_of(words[k + 1].low, {"work", "school", "uni", "church", "choir", "yoga"}) ||
          (words[k + 1].capital && words[k].low == "from") ||
          (words[k].low == "from" && k + 2 < end && words[k + 1].kind == WordKind::kWord &&
           !in(Set::kDeterminer, words[k + 1].low) && finite(words, k + 2, lexicon_));
      if (place) {
        seen.qualifier = words[k].low + " " + words[k + 1].text;
        return k + 2;
      }
      if (k + 2 < end && one_of(words[k + 1].low, {"the", "my"}) &&
          words[k + 2].kind == WordKind::kWord && words[k].low == "from" &&
          !finite(words, k + 2, lexicon_)) {
        seen.qualifier = "from the " + words[k + 2].text;
        return k + 3;
      }
    }
    return k;
  };
  if (mine || theirs ||
      ((low == "the" || low == "an" || low == "a") && i + 1 < end && words[i + 1].low == "other")) {
    ++at;
    if (!mine && !theirs) {
      ++at;
      people_.set_other();
    } else {
      // "my older sister", "my best friend", "my old beagle"
      static constexpr std::array<std::string_view, 14> kDegrees = {
          "older",  "little", "best",     "old",  "new",  "younger", "big",
          "eldest", "oldest", "youngest", "twin", "dear", "lovely",  "own"};
      const std::size_t before = at;
      while (at < end && at < before + 2 &&
             std::find(kDegrees.begin(), kDegrees.end(), words[at].low) != kDegrees.end()) {
        ++at;
      }
      const Relative* relation = at < end ? relative(words[at].low) : nullptr;
      // "my cat food" and "my dog's vet" are things.
      if (!relation) return std::nullopt;
      if (at + 1 < end && relation->kind == "pet" && !words[at].possessive && !named(at + 1) &&
          words[at + 1].kind == WordKind::kWord && !finite(words, at + 1, lexicon_) &&
          !in(Set::kAdverb, words[at + 1].low) && !in(Set::kPreposition, words[at + 1].low)) {
        return std::nullopt;
      }
      seen.relation =
          relation->name.empty() ? std::string(relation->word) : std::string(relation->name);
      seen.kind = relation->kind;
      seen.gender = relation->gender;
      seen.animal = relation->kind == "pet";
      seen.of = people_.owner();
      if (theirs) {
        const auto whose = people_.by_pronoun(low);
        if (!whose) return std::nullopt;
        const Person& holder = people_.at(*whose);
        seen.of = holder.name.empty() ? holder.display() : holder.name;
      }
      const bool possessive_role = words[at].possessive;
      ++at;
      if (!possessive_role) {
        // "my sister, Lea," and "my sister called Lea"
        std::size_t name_at = at;
        const bool called = name_at < end && one_of(words[name_at].low, {"called", "named"});
        if (called) ++name_at;
        const bool set_off = name_at + 1 < end && comma(words[name_at]) && named(name_at + 1) &&
                             (name_at + 2 >= end || comma(words[name_at + 2]));
        if (set_off) ++name_at;
        const auto [after, name] = read_name(name_at);
        if (!name.empty()) {
          seen.name = name;
          at = after;
          if (set_off && at < end && comma(words[at])) ++at;
        }
        at = read_qualifier(at);
      }
      return std::pair{at, people_.mention(seen)};
    }
  }
  if (!named(at)) return std::nullopt;
  const auto [after, name] = read_name(at);
  seen.name = name;
  at = after;
  if (words[at - 1].possessive) {
    // "Bo's aunt Greta": the relation belongs to Bo.
    const Relative* relation = at < end ? relative(words[at].low) : nullptr;
    if (relation) {
      const std::size_t holder = people_.mention(seen);
      Person second;
      second.of = people_.at(holder).name;
      second.relation =
          relation->name.empty() ? std::string(relation->word) : std::string(relation->name);
      second.kind = relation->kind;
      second.gender = relation->gender;
      second.animal = relation->kind == "pet";
      ++at;
      const auto [behind, own] = read_name(at);
      second.name = own;
      return std::pair{behind, people_.mention(second)};
    }
    return std::pair{at, people_.mention(seen)};
  }
  at = read_qualifier(at);
  // "Ebba, my niece from Skövde, ..."
  if (at + 2 < end && comma(words[at]) && one_of(words[at + 1].low, {"my", "our"})) {
    if (const Relative* relation = relative(words[at + 2].low)) {
      seen.relation =
          relation->name.empty() ? std::string(relation->word) : std::string(relation->name);
      seen.kind = relation->kind;
      seen.gender = relation->gender;
      seen.animal = relation->kind == "pet";
      seen.of = people_.owner();
      at = read_qualifier(at + 3);
      if (at < end && comma(words[at])) ++at;
    }
  }
  return std::pair{at, people_.mention(seen)};
}

}  // namespace kartei::daemon
