// What turns state, as ground for a card: a card must rest on it in its words, names, numbers and
// dates. A model makes things up, and does what a turn tells it to; what no turn states is not
// written. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/manager/secretary.h"
#include "daemon/manager/words.h"

namespace kartei::daemon {

// Why a proposal makes no card.
enum class Unfit {
  kNone,
  kWording,   // pronouns, relative dates, no sentence
  kSecret,    // it holds one
  kUnstated,  // its words are not those of a statement in its sources
  kNames,     // a name that nobody said
  kNumbers,   // a number that nobody said
  kDates,     // a date that was not said
  kDenial,    // it denies what was said, or the other way round
  kOtherOne,  // about the speaker, where the statement is about somebody of theirs
};
std::string_view name_of(Unfit why);  // "unstated", for people

// Statements of the turns that a card names as its sources; questions, jokes, quotations, stories
// and what was taken back are none. Names may come from what else people said, and from cards.
class Ground {
 public:
  // `places`: the sources, in task.turns; at least one.
  Ground(const SecretaryTask& task, const std::vector<std::size_t>& places,
         const std::vector<store::Card>& known);

  // `from`, `to`: as on the card, `to` exclusive.
  Unfit judge(std::string_view card_text, const store::Date& from, const store::Date& to) const;
  // When an event happened that the model gave no date: the one that its text or its sources name,
  // else the day it was told; unknown where they name several.
  store::Date date_of_event(std::string_view card_text) const;
  const std::string& speaker() const { return speaker_; }  // of the first source, in full
  const store::Date& today() const { return today_; }      // of the first source

 private:
  struct Statement {
    std::vector<std::string> words;  // stems
    std::string text;                // for scripts without spaces
    bool denies = false;
    bool first_person = false;  // "I", "we"
    bool possessive = false;    // "my", "our"
  };
  void read(const SecretaryTask& task, const store::Turn& turn);
  void add_names(std::string_view text);
  bool has_date(const store::Date& date) const;
  bool is_speaker(std::string_view low) const;
  const Statement* nearest(const std::vector<std::string>& words) const;
  Unfit judge_words(const Words& words) const;
  Unfit judge_meaning(std::string_view text, const Words& words) const;
  Unfit judge_characters(std::string_view text) const;
  Unfit judge_dates(std::string_view text, const store::Date& from, const store::Date& to) const;

  std::vector<Statement> statements_;
  std::set<std::string> words_;  // all of theirs
  std::set<std::string> names_;  // that may stand on a card
  std::string speaker_;
  std::vector<store::Date> dates_;  // that were said
  store::Date today_;
  store::ZonedTime said_at_;
};

// Cards that say no, "never", "no longer".
bool says_no(std::string_view text);

}  // namespace kartei::daemon
