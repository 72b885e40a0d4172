// What is handed out first, and what at all: the order of turns and cards.
#include "store/pack.h"
#include "store/weights.h"
#include "tests/store/librarian_fixture.h"

namespace kartei::store {
namespace {

double leg_of(const RecallItem& item, const std::string& name) {
  for (const Leg& leg : item.legs)
    if (leg.name == name) return leg.score;
  return 0;
}

TEST_F(LibrarianTest, WhoeverIsBroughtAlongLivesByWhoBroughtHim) {
  hear(1, "How often do you row on the lake?", "Tomasz");
  hear(2, "Twice a week, before breakfast.", "Maya");
  const RecallAnswer answer = recall("How often does she row on the lake?");
  ASSERT_EQ(answer.items.size(), 2U);
  EXPECT_EQ(answer.items[1].id, "t2");
  EXPECT_GT(leg_of(answer.items[1], "neighbours"), 0.2);
}

TEST_F(LibrarianTest, TheTurnsOfADayStandUnderItsDate) {
  const auto on = [](const std::string& date) {
    return [date](Turn& turn) { turn.said_at.at = day(date); };
  };
  hear(1, "The kayak is green, the kayak is new.", "Maya", on("2023-05-08"));
  hear(2, "Where do you keep it in winter?", "Tomasz", on("2023-06-01"));
  hear(3, "A kayak is narrow.", "Tomasz", on("2023-05-08"));
  add("Maya owns a kayak.", "Maya");
  const RecallAnswer answer = recall("kayak");
  EXPECT_EQ(answer.text,
            "- [fact] Maya owns a kayak.\n8 May 2023\n"
            "- Maya: \"The kayak is green, the kayak is new.\"\n- Tomasz: \"A kayak is narrow.\"\n"
            "1 June 2023\n- Tomasz: \"Where do you keep it in winter?\"");
  EXPECT_EQ(answer.items.back().text, "- 1 June 2023, Tomasz: \"Where do you keep it in winter?\"");
  EXPECT_LE(estimate_tokens(answer.text), answer.tokens);
}

TEST_F(LibrarianTest, TheBufferStandsBehindAllElse) {
  hear(1, "The kayak is green.", "Maya");
  hear(2, "Good evening.", "Tomasz", [](Turn& turn) { turn.conversation = "now"; });
  const RecallAnswer answer = recall("kayak", [](RecallRequest& request) {
    request.conversation = "now";
    request.buffer = true;
  });
  EXPECT_EQ(answer.text,
            "14 November 2023\n- Maya: \"The kayak is green.\"\n"
            "14 November 2023\n- Tomasz: \"Good evening.\"");
}

TEST(WithDates, WhatIsMeantStandsBehindWhatWasSaid) {
  const auto dated = [](const std::string& text, const std::string& said = "2023-05-08") {
    return with_dates(text, {day(said), 0});
  };
  EXPECT_EQ(dated("We met yesterday, by chance."), "We met yesterday [7 May], by chance.");
  EXPECT_EQ(dated("I moved here last year."), "I moved here last year [2022].");
  EXPECT_EQ(dated("It began last month."), "It began last month [April].");
  EXPECT_EQ(dated("It rained yesterday.", "2023-01-01"), "It rained yesterday [31 December 2022].");
  for (const char* text :
       {"We met on 5 March.", "We meet today.", "We meet every Friday.", "It took two weeks.",
        "We met in 2021.", "We met last week.", "We met in March 2021.", "Nothing to add."})
    EXPECT_EQ(dated(text), text);
}

TEST_F(LibrarianTest, RulesLeaveRoomForAnswers) {
  const auto rule = [&](const std::string& text, std::uint32_t flags = 0) {
    add(text, {}, [&](Card& card) {
      card.colour = Colour::kRule;
      card.flags = flags;
    });
  };
  rule("Answer in short sentences, without any lists.", kHighPriority);
  rule("Of boats, always name the builder and the year.");
  for (int n = 0; n < 20; ++n)
    rule("Never mention the neighbour's cat number " + std::to_string(n) + " to anybody.");
  const RecallAnswer answer =
      recall("Which boats are there?", [](RecallRequest& r) { r.budget_tokens = 300; });
  ASSERT_GE(answer.items.size(), 2U);
  EXPECT_EQ(answer.items[0].card.flags, kHighPriority);
  EXPECT_EQ(answer.items[1].card.text, "Of boats, always name the builder and the year.");
  EXPECT_GE(answer.tokens, 75U);
  EXPECT_LE(answer.tokens, 100U);
}

TEST_F(LibrarianTest, ATurnIsLeftWholeOrCutToLess) {
  const auto long_turn = [](int sentences) {
    std::string text;
    for (int n = 0; n < sentences; ++n)
      text += "The ferry to Texel left at noon from quay number " + std::to_string(n) + ". ";
    return text;
  };
  hear(1, long_turn(5));
  const std::string whole = recall("ferry").text;
  EXPECT_NE(whole.find("number 4."), std::string::npos);
  EXPECT_GT(estimate_tokens(long_turn(5)), kExcerptTokens);
  hear(2, long_turn(9), "Maya", [](Turn& turn) { turn.external_id = "long"; });
  for (const RecallItem& item : recall("ferry").items) {
    if (item.id != "long") continue;
    EXPECT_LE(item.tokens, kExcerptTokens + 20);
    EXPECT_NE(item.text.find("quay"), std::string::npos);
  }
}

TEST_F(LibrarianTest, WhoAsksForManyLooksFarApart) {
  const auto in = [](const std::string& conversation) {
    return [conversation](Turn& turn) { turn.conversation = conversation; };
  };
  hear(1, "My boats lie in Texel, all my wooden boats.", "Maya", in("a"));
  hear(2, "Boats need paint.", "Maya", in("a"));
  hear(3, "I also keep boats in Delft for the winter.", "Maya", in("b"));
  const auto sitting = [&](const std::string& query) {
    double sum = 0;
    for (const RecallItem& item : recall(query).items) sum += leg_of(item, "session");
    return sum;
  };
  EXPECT_GT(sitting("Where are the wooden boats?"), 0);
  EXPECT_GT(sitting("What is with this wooden boat?"), 0);
  EXPECT_EQ(sitting("Which wooden boats does Maya have?"), 0);
  EXPECT_EQ(sitting("What other boats are there?"), 0);
  EXPECT_GT(sitting("How many boats are there?"), 0);
}

}  // namespace
}  // namespace kartei::store
