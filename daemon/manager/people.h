// Who is spoken of: the people and animals of a conversation, and what "she", "the other Ida" and
// "her dad" mean in it. Owned by one run of the secretary; not shared between threads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/manager/lexicon.h"
#include "daemon/manager/words.h"

namespace kartei::daemon {

struct Person {
  std::string name;       // "Bo"; empty: known by the relation only
  std::string relation;   // "uncle"; empty where not said
  std::string kind;       // of the relation: "partner", "family", "pet", ...
  std::string of;         // whose: display name; the owner's first name, or another's
  std::string qualifier;  // "from yoga", "from Skövde"
  Gender gender = Gender::kUnknown;
  bool animal = false;

  // "Nora's uncle Bo", "Ida from yoga", "Nora's mother".
  std::string display() const;
  // "bo", "ida from yoga", "mother": the subject of cards about them.
  std::string key() const;
};

std::string possessive(std::string_view name);    // "Bo's"
std::string role_name(const Relative& relation);  // "mother", where "mum" was said
void relate(Person& person, const Relative& relation);

class People {
 public:
  explicit People(std::string owner_name) : owner_(std::move(owner_name)) {}

  const std::string& owner() const { return owner_; }
  // Finds that person, or adds them; the last one spoken of comes first for pronouns.
  std::size_t mention(const Person& seen);
  const Person& at(std::size_t index) const { return people_[index]; }
  std::size_t count() const { return people_.size(); }

  std::optional<std::size_t> by_name(std::string_view low) const;
  // The one spoken of last.
  std::optional<std::size_t> latest() const {
    return recent_.empty() ? std::nullopt : std::optional(recent_.back());
  }
  std::optional<std::size_t> by_relation(std::string_view relation) const;
  // Whom "he", "she", "him", "her", "his" mean now.
  std::optional<std::size_t> by_pronoun(std::string_view low) const;
  void touch(std::size_t index);
  void note_gender(std::size_t index, Gender gender) { people_[index].gender = gender; }
  // "the other Ida": not the one spoken of last.
  void set_other() { other_ = true; }
  void forget_focus() { recent_.clear(); }

 private:
  std::string owner_;
  std::vector<Person> people_;
  std::vector<std::size_t> recent_;  // the newest last, at most a handful
  bool other_ = false;
};

}  // namespace kartei::daemon
