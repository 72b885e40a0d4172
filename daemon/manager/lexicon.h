// What the secretary knows of English: verbs and their forms, relatives, and sets of words. Data
// and look-ups, built once by its owner; no state afterwards, any thread may read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kartei::daemon {

enum class Form : std::uint8_t { kBase, kThird, kPast, kParticiple, kIng };

// How much a verb tells by itself.
enum class Verb : std::uint8_t {
  kPlain,    // tells with a date or a habit's words
  kHabit,    // "I keep bees" is worth a card
  kEvent,    // "I graduated" is worth a card without a date
  kTrivial,  // thinking, wanting, small talk: never by itself
};

struct VerbForm {
  std::string_view lemma;
  Form form = Form::kBase;  // of "cut" and the like: the base
  Verb verb = Verb::kPlain;
  bool past_too = false;  // the base is also its past: "put", "quit"
};

enum class Gender : std::uint8_t { kUnknown, kMale, kFemale };

struct Relative {
  std::string_view word, name;  // "mum" is written "mother"
  Gender gender = Gender::kUnknown;
  std::string_view kind;  // "partner", "family", "friend", "work", "service", "pet"
};

class Lexicon {
 public:
  Lexicon();

  // The form that a word may be; of several the finite one.
  std::optional<VerbForm> verb(std::string_view low) const;
  // As a past participle ("have eaten", "was moved"); an unknown "-ed" word is one.
  std::optional<VerbForm> participle(std::string_view low) const;

 private:
  struct Entry {
    VerbForm finite;
    std::optional<VerbForm> participle;
  };
  void add(std::string_view lemma, Verb verb);
  void put(std::string form, const VerbForm& value);

  std::unordered_map<std::string, Entry> forms_;
};

// Third person of a base form: "go" to "goes", "carry" to "carries".
std::string third_person(std::string_view base);
const Relative* relative(std::string_view low);

// Membership in the sets below, by lower case.
enum class Set : std::uint8_t {
  kFiller,         // words before a statement that say nothing
  kAdverb,         // words between subject and verb
  kTrailing,       // words after a statement that say nothing
  kState,          // adjectives that last: "vegan", "divorced"
  kOwnable,        // "my kayak" means that there is one
  kEventNoun,      // "dentist", "party": with a date, an appointment
  kEmptyObject,    // "have a question", "have no idea"
  kAttribute,      // "my blood type is ..."
  kJob,            // "I am a nurse" (endings are known besides)
  kTransientNoun,  // "I am a mess"
  kPreposition,
  kDeterminer,
  kPet,
  kAux,
  kNotPlace,  // "live in fear"
  kAble,      // verbs of "can" and "can't" that last: "swim", "eat"
  kNotName,   // not a name: pronouns and words with a capital at a sentence's start
  kOpener,    // not a name where a sentence begins: "Time flies"
  // The lists of single rules, lexicon_rules.h.
  kOrderOpener,      // "can you always answer ..."
  kImperative,       // what an assistant can be told to do
  kTellingAdverb,    // adverbs that change what is said: "usually"
  kNoSubject,        // no thing that a card could be about: "there"
  kOpeningVerb,      // may begin a sentence without "I": "love hiking"
  kDegree,           // "my older sister", "my best friend"
  kVagueObject,      // points to something told elsewhere: "it", "how"
  kLastingActivity,  // done for a while: "I'm learning Italian"
  kDailyVerb,        // what every day holds: "sleep"
  kStateVerb,        // true for a while: "I rented a flat in 2012"
  kCommonAbility,    // what everybody can: "I can see"
  kBareHabit,        // tells without an object: "I smoke"
  kTraitNoun,        // what one is for long: "a light sleeper"
  kSchedulingVerb,   // what events do: "starts"
  kThingVerb,        // what things do for long: "hangs"
  kChangeStem,       // stems that tell of a change, not of what is changed
  kNuisance,         // what is not loved in earnest: "queueing"
  // What people tell each other, lexicon_told.h.
  kToldVerb,    // worth telling without a date: "visited"
  kIngQuality,  // no verb: "amazing"
  kAttitude,    // "passionate" about, "determined" to
  kMood,        // passes sooner: "excited" about
  kEffect,      // what a thing does to somebody: "calms"
  kCourtesy,    // what people thank for: "advice"
  kHollowNoun,  // names nothing by itself: "had a blast"
  kCount
};
bool in(Set set, std::string_view low);
std::span<const std::string_view> words_in(Set set);  // sorted

}  // namespace kartei::daemon
