// One clause taken apart: subject, verb, rest. The finite words are turned to the third person
// here, so that what follows only has to join the pieces.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/manager/people.h"
#include "daemon/manager/sentences.h"

namespace kartei::daemon {

enum class SubjectKind {
  kNone,
  kOwner,
  kPerson,
  kOwnThing,
  kThing,
  kIt,
  kThey,
  kYou,
  kDemonstrative
};

struct Subject {
  SubjectKind kind = SubjectKind::kNone;
  std::optional<std::size_t> person;
  bool and_owner = false;  // "bo and I"
  std::string thing;       // "shoe size"; of kThing: "the reunion"
  bool plural = false;
  bool elided = false;
};

enum class Tense { kNone, kPresent, kPast, kPerfect, kFuture, kProgressive, kUsedTo };

struct Parse {
  Subject subject;
  Tense tense = Tense::kNone;
  std::string lemma;
  Verb verb = Verb::kPlain;
  std::string modal;  // "can", "would", "must", ...
  bool negated = false;
  bool ended = false;  // "no longer", "not ... anymore"
  bool never = false;
  bool passive = false;
  bool perfect = false;   // "have been doing", too
  std::string verb_text;  // in the third person: "lives", "has been doing", "does not eat"
  Range subject_words, rest;
  Range lead;  // what stood before the subject: "in the morning"
};

using PersonAt = std::pair<std::size_t, std::size_t>;  // the word after, and who it is

class ClauseParser {
 public:
  ClauseParser(const Lexicon& lexicon, People& people) : lexicon_(lexicon), people_(people) {}

  // `previous`: the subject of the clause before, for "and bought ...".
  Parse parse(const Words& words, const Range& clause, const Subject* previous);
  // Reads a person from word i on ("my uncle Bo", "Ida from yoga", "her dad Arne"); answers the
  // word after and the person.
  std::optional<PersonAt> person(const Words& words, std::size_t i, std::size_t end);

 private:
  // Each of these answers the word after what it has read.
  std::size_t subject(const Words& words, std::size_t i, std::size_t end, Parse& out);
  std::size_t owner_subject(const Words& words, std::size_t i, std::size_t end, Subject& subject);
  std::size_t person_subject(const Words& words, std::size_t i, std::size_t end, PersonAt who,
                             Subject& subject);
  std::size_t persons_thing(const Words& words, std::size_t at, std::size_t end, Subject& subject);
  std::size_t thing_subject(const Words& words, std::size_t i, std::size_t end, Subject& subject);
  std::optional<std::size_t> end_of_thing(const Words& words, std::size_t first,
                                          std::size_t end) const;
  void pronoun_subject(const std::string& low, Subject& subject);
  void they_subject(Subject& subject);
  bool borrow_subject(const Word& verb, const Subject* previous, Subject& out) const;

  // People, in clause_person.cpp.
  bool named(const Words& words, std::size_t i, std::size_t end) const;
  bool names_a_thing(const Words& words, std::size_t role, std::size_t end,
                     const Relative& relation) const;
  std::optional<PersonAt> kin(const Words& words, std::size_t i, std::size_t end);
  PersonAt kin_of(const Words& words, std::size_t at, std::size_t end, const Person& holder);
  std::pair<std::size_t, std::string> read_name(const Words& words, std::size_t i,
                                                std::size_t end) const;
  std::size_t read_kin_name(const Words& words, std::size_t at, std::size_t end,
                            Person& seen) const;
  std::size_t read_qualifier(const Words& words, std::size_t i, std::size_t end,
                             Person& seen) const;
  std::size_t read_apposition(const Words& words, std::size_t at, std::size_t end,
                              Person& seen) const;

  // The verb phrase, in clause_verb.cpp; those that take `i` by reference move it on.
  bool verb_phrase(const Words& words, std::size_t i, std::size_t end, Parse& out);
  bool possessive_is(const Words& words, std::size_t& i, Parse& out) const;
  bool auxiliary(const Words& words, std::size_t& i, std::size_t end, Parse& out);
  bool used_to(const Words& words, std::size_t& i, std::size_t end, Parse& out) const;
  bool plain_verb(const Word& word, Parse& out) const;
  void read_be(const Words& words, std::size_t& i, std::size_t end, Parse& out);
  bool read_going_to(const Words& words, std::size_t& i, std::size_t end, Parse& out) const;
  void read_have(const Words& words, std::size_t& i, std::size_t end, Parse& out);
  void read_have_been(const Words& words, std::size_t& i, std::size_t end, std::string text,
                      Parse& out) const;
  bool read_have_done(const Words& words, std::size_t& i, std::size_t end, const std::string& text,
                      Parse& out) const;
  bool been_doing(const Words& words, std::size_t& i, std::size_t end, Parse& out) const;
  void read_do(const Words& words, std::size_t& i, std::size_t end, Parse& out) const;
  void read_modal(const Words& words, std::size_t& i, std::size_t end, Parse& out) const;

  const Lexicon& lexicon_;
  People& people_;
};

}  // namespace kartei::daemon
