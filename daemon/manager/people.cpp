#include "daemon/manager/people.h"

#include <algorithm>

namespace kartei::daemon {
namespace {

constexpr std::size_t kMostPeople = 256;
constexpr std::size_t kFocus = 6;

}  // namespace

std::string possessive(std::string_view name) {
  return std::string(name) + "'s";
}

std::string role_name(const Relative& relation) {
  return std::string(relation.name.empty() ? relation.word : relation.name);
}

void relate(Person& person, const Relative& relation) {
  person.relation = role_name(relation);
  person.kind = relation.kind;
  person.gender = relation.gender;
  person.animal = relation.kind == "pet";
}

std::string Person::display() const {
  std::string out;
  if (!relation.empty() && kind != "former") {
    out = possessive(of) + " " + relation;
    if (!name.empty()) out += " " + name;
  } else if (!relation.empty()) {
    out = possessive(of) + " " + relation + (name.empty() ? "" : " " + name);
  } else {
    out = name;
  }
  if (!qualifier.empty()) out += " " + qualifier;
  return out;
}

std::string Person::key() const {
  std::string out = name.empty() ? relation : lower(name);
  if (!qualifier.empty()) out += " " + lower(qualifier);
  return out;
}

std::size_t People::mention(const Person& seen) {
  std::size_t found = people_.size();
  for (std::size_t i = 0; i < people_.size(); ++i) {
    Person& known = people_[i];
    const bool same_name = !seen.name.empty() && lower(known.name) == lower(seen.name);
    const bool clash =
        (!seen.relation.empty() && !known.relation.empty() &&
         (seen.relation != known.relation || seen.of != known.of)) ||
        (!seen.qualifier.empty() && !known.qualifier.empty() &&
         seen.qualifier != known.qualifier) ||
        (!seen.relation.empty() && known.relation.empty() && !known.qualifier.empty());
    const bool exact = same_name && seen.relation == known.relation && seen.of == known.of &&
                       seen.qualifier == known.qualifier &&
                       (!seen.relation.empty() || !seen.qualifier.empty());
    if ((same_name && !clash && !other_) || exact) found = i;
    const bool same_role = !seen.relation.empty() && seen.relation == known.relation &&
                           seen.of == known.of && (seen.name.empty() || known.name.empty()) &&
                           seen.kind != "friend";
    if (same_role && found == people_.size()) found = i;
  }
  other_ = false;
  if (found == people_.size()) {
    if (people_.size() >= kMostPeople) return kMostPeople - 1;
    people_.push_back(seen);
  } else {
    Person& known = people_[found];
    if (known.name.empty()) known.name = seen.name;
    if (known.relation.empty()) {
      known.relation = seen.relation;
      known.kind = seen.kind;
      known.of = seen.of;
    }
    if (known.qualifier.empty()) known.qualifier = seen.qualifier;
    if (known.gender == Gender::kUnknown) known.gender = seen.gender;
    known.animal = known.animal || seen.animal;
  }
  touch(found);
  return found;
}

void People::touch(std::size_t index) {
  std::erase(recent_, index);
  recent_.push_back(index);
  if (recent_.size() > kFocus) recent_.erase(recent_.begin());
}

std::optional<std::size_t> People::by_name(std::string_view low) const {
  // Of two with one name, the one spoken of last.
  for (auto at = recent_.rbegin(); at != recent_.rend(); ++at) {
    if (lower(people_[*at].name) == low) return *at;
  }
  for (std::size_t i = people_.size(); i-- > 0;) {
    if (!people_[i].name.empty() && lower(people_[i].name) == low) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> People::by_relation(std::string_view relation) const {
  for (std::size_t i = people_.size(); i-- > 0;) {
    if (people_[i].relation == relation && people_[i].of == owner_) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> People::by_pronoun(std::string_view low) const {
  const bool male = low == "he" || low == "him" || low == "his";
  const bool female = low == "she" || low == "her" || low == "hers";
  if (!male && !female) return std::nullopt;
  const Gender wanted = male ? Gender::kMale : Gender::kFemale;
  for (auto at = recent_.rbegin(); at != recent_.rend(); ++at) {
    const Gender gender = people_[*at].gender;
    if (gender == wanted || gender == Gender::kUnknown) return *at;
  }
  return std::nullopt;
}

}  // namespace kartei::daemon
