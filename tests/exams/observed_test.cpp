#include "tests/exams/observed.h"

#include <gtest/gtest.h>

namespace kartei::exams {
namespace {

TEST(Observed, PronounsAtTheBeginning) {
  for (const char* card : {"She moved to Lund.", "\"It rained.", "their boat is red", "I'm late."})
    EXPECT_TRUE(begins_with_pronoun(card)) << card;
  for (const char* card : {"Ida moved, she says.", "Theodor sings.", "Isa rows.", "", "Item 4"})
    EXPECT_FALSE(begins_with_pronoun(card)) << card;
}

TEST(Observed, RelativeDates) {
  for (const char* card : {"Ida rowed yesterday.", "Ida left two weeks ago",
                           "Last Friday Ida sang.", "Ida rests this weekend."})
    EXPECT_TRUE(holds_relative_date(card)) << card;
  for (const char* card : {"Ida rowed on 4 May 2023.", "Ida lasts.", "Ida came last.", ""})
    EXPECT_FALSE(holds_relative_date(card)) << card;
}

TEST(Observed, TheBestCardOfItsTurnsCounts) {
  ExamConversation conversation;
  conversation.sessions = {{"1", std::vector<ExamTurn>(3)}};
  conversation.observations = {{"Ida rows a red boat.", {"a", "b"}}, {"Nils bakes.", {"c"}}};
  ContentWords words;
  Observed observed;
  compare(conversation,
          {{"Ida rows.", {"a"}}, {"Ida rows a boat.", {"b"}}, {"A red boat that Ida rows.", {"c"}}},
          words, observed);
  EXPECT_EQ(observed.turns, 3U);
  EXPECT_EQ(observed.cards, 3U);
  EXPECT_EQ(observed.words, 12U);
  EXPECT_EQ(observed.observations, 2U);
  EXPECT_DOUBLE_EQ(observed.covered, 0.75);
  EXPECT_EQ(observed.met, 1U);
}

}  // namespace
}  // namespace kartei::exams
