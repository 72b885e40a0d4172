// One clause taken apart: subject, verb, rest. The finite words are turned to the third person
// here, so that what follows only has to join the pieces.
#pragma once

#include <optional>
#include <string>
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

class ClauseParser {
 public:
  ClauseParser(const Lexicon& lexicon, People& people) : lexicon_(lexicon), people_(people) {}

  // `previous`: the subject of the clause before, for "and bought ...".
  Parse parse(const Words& words, const Range& clause, const Subject* previous);
  // Reads a person from word i on ("my uncle Bo", "Ida from yoga", "her dad Arne"); answers the
  // word after and the person.
  std::optional<std::pair<std::size_t, std::size_t>> person(const Words& words, std::size_t i,
                                                            std::size_t end);

 private:
  std::size_t subject(const Words& words, std::size_t i, std::size_t end, Parse& out);
  bool verb_phrase(const Words& words, std::size_t i, std::size_t end, Parse& out);
  bool auxiliary(const Words& words, std::size_t& i, std::size_t end, Parse& out);

  const Lexicon& lexicon_;
  People& people_;
};

}  // namespace kartei::daemon
