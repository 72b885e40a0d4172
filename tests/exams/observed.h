// How the secretary's cards compare with the cards that somebody else wrote from the same turns.
// Values.
#pragma once

#include <string>
#include <vector>

#include "tests/exams/exam.h"
#include "tests/exams/score.h"

namespace kartei::exams {

struct WrittenCard {
  std::string text;
  std::vector<std::string> sources;  // turn ids
};

// Sums over conversations.
struct Observed {
  std::size_t turns = 0, cards = 0, observations = 0;
  double covered = 0;        // of each observation, the share that its best card covers
  std::size_t met = 0;       // observations of which a card covers anything
  std::size_t words = 0;     // of all cards
  std::size_t pronouns = 0;  // cards that begin with one
  std::size_t relative = 0;  // cards that hold a relative date
};

bool begins_with_pronoun(std::string_view card);
bool holds_relative_date(std::string_view card);

// An observation's best card is the one, among those that name one of its turns as a source, which
// has most of its content words.
void compare(const ExamConversation& conversation, const std::vector<WrittenCard>& cards,
             ContentWords& words, Observed& observed);

}  // namespace kartei::exams
