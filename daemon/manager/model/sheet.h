// What a model is shown of a task, and what the short names in it mean. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "daemon/manager/secretary.h"

namespace kartei::daemon {

// Turns are T1, T2, ... by their place in the task; only those that people said themselves have a
// name, so no answer can rest on another. Cards are C1, C2, ...
struct Sheet {
  std::vector<std::size_t> sources;  // places in task.turns of those that have a name
  std::vector<store::Card> cards;    // shown: what the turns may change
  std::string text;                  // as the model reads it, secrets masked
  // That a card may bear: those that the shown turns name.
  std::vector<store::Date> first_days, last_days;
  std::size_t bytes_a_letter = 2;  // of what was said, at most; but for a few signs
};

// Said by a person, in that person's own words.
bool is_own_word(const store::Turn& turn);
// Open cards that the turns may have to do with, of the speakers and of everybody they name; the
// newest last.
Result<std::vector<store::Card>> related_cards(const SecretaryTask& task, CardLookup& cards);
// Of the cards the few that share words with the turns. No sources: there is nothing to ask.
Sheet make_sheet(const SecretaryTask& task, const std::vector<store::Card>& related);

std::string turn_name(std::size_t place);  // "T1"
std::string card_name(std::size_t place);  // "C1"

}  // namespace kartei::daemon
