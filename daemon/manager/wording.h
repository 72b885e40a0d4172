// The words of a card: third person, names instead of pronouns, absolute dates. The last line of
// defence is fit_to_write(): what would break a rule of cards is not written at all.
#pragma once

#include <string>
#include <string_view>

#include "daemon/manager/people.h"
#include "daemon/manager/sentences.h"
#include "daemon/manager/when.h"

namespace kartei::daemon {

struct Turned {
  std::string text;
  bool foreign_you = false;  // speaks to the assistant
  bool unresolved = false;   // "they", "it": of whom or what is not known
  int first_phrase = -1;     // the first time phrase that the text holds
};

// The words of a range, rewritten. `about_owner`: the owner is the sentence's subject ("my" is
// "their"), else the owner is named. Words of `without` (a phrase index) are left out.
Turned turned(const Words& words, Range range, std::string_view turn_text, const When& when,
              const People& people, bool about_owner, int without = -1);
// The range without fillers at its end ("lol", "btw", "though") and without loose tails after a
// comma.
Range trimmed(const Words& words, Range range);
// True iff the sentence may be a card: no pronoun at its start, no first person, no relative date.
bool fit_to_write(std::string_view sentence);
// A capital at the beginning, a full stop at the end, single spaces.
std::string sentence_of(std::string text);
// Names of months and weekdays and of places with their capitals: "san francisco".
std::string place_name(std::string_view text);

}  // namespace kartei::daemon
