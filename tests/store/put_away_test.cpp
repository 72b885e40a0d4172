// What faded and what was archived, in the librarian's answers.
#include "store/facts_keeper.h"
#include "store/time_phrase.h"
#include "tests/store/librarian_fixture.h"

namespace kartei::store {
namespace {

class PutAwayTest : public LibrarianTest {
 protected:
  Card event(const std::string& text, const std::string& date) {
    return add(text, "Maya", [&](Card& card) {
      card.colour = Colour::kEvent;
      card.valid_from = must(Date::parse(date));
    });
  }
  // What a run of forgetting does.
  void forget(EditKind kind, const Card& card, std::uint8_t run,
              const std::function<void(CardEdited&)>& change = {}) {
    edit(kind, card, [&](CardEdited& edit) {
      edit.run.bytes[0] = run;
      edit.card.reset();
      if (change) change(edit);
    });
  }
  std::string ask(const std::string& query, const std::function<void(RecallRequest&)>& more = {}) {
    return recall(query,
                  [&](RecallRequest& request) {
                    request.now = day("2026-09-20");
                    if (more) more(request);
                  })
        .text;
  }
};

TEST_F(PutAwayTest, FadedEventsAnswerDatedQuestionsOnly) {
  const Card sailing = event("Maya went sailing in Gdansk on 3 May 2024.", "2024-05-03");
  event("Maya went sailing in Kiel on 4 May 2024.", "2024-05-04");
  edit(EditKind::kFade, sailing);
  EXPECT_EQ(ask("Where does Maya go sailing?").find("Gdansk"), std::string::npos);
  EXPECT_NE(ask("Where does Maya go sailing?").find("Kiel"), std::string::npos);
  for (const char* query : {"Where did Maya go sailing in May 2024?", "Sailing in spring 2024?",
                            "What happened on 3 May 2024?", "What did Maya do in 2024?"})
    EXPECT_NE(ask(query).find("Gdansk"), std::string::npos) << query;
  for (const char* query : {"Where did Maya go sailing in May 2025?", "Sailing in July 2024?",
                            "Where did she go sailing before?", "Will she go sailing tomorrow?"})
    EXPECT_EQ(ask(query).find("Gdansk"), std::string::npos) << query;
}

TEST_F(PutAwayTest, FadedEventsAnswerAsOfAMoment) {
  edit(EditKind::kFade, event("Maya went sailing in Gdansk on 3 May 2024.", "2024-05-03"));
  const auto as_of = [&](const char* moment) {
    return ask("Where does Maya go sailing?",
               [&](RecallRequest& request) { request.as_of = day(moment); });
  };
  EXPECT_NE(as_of("2024-06-01").find("Gdansk"), std::string::npos);
  EXPECT_EQ(as_of("2024-04-01").find("Gdansk"), std::string::npos);
}

TEST_F(PutAwayTest, WhatForgettingArchivedAnswersDatedQuestionsOnly) {
  const Card sailing = event("Maya went sailing in Gdansk on 3 May 2024.", "2024-05-03");
  event("Maya went sailing in Kiel on 4 May 2024.", "2024-05-04");
  forget(EditKind::kFade, sailing, 1);
  forget(EditKind::kArchive, sailing, 2);
  EXPECT_EQ(ask("Where does Maya go sailing?").find("Gdansk"), std::string::npos);
  EXPECT_NE(ask("Where does Maya go sailing?").find("Kiel"), std::string::npos);
  for (const char* query : {"Where did Maya go sailing on 3 May 2024?", "Sailing in spring 2024?",
                            "What did Maya do in 2024?"})
    EXPECT_NE(ask(query).find("Gdansk"), std::string::npos) << query;
  for (const char* query : {"Where did Maya go sailing in May 2025?", "Sailing in July 2024?",
                            "Where did she go sailing before?", "Will she go sailing tomorrow?"})
    EXPECT_EQ(ask(query).find("Gdansk"), std::string::npos) << query;
  const auto as_of = [&](const char* moment) {
    return ask("Where does Maya go sailing?",
               [&](RecallRequest& request) { request.as_of = day(moment); });
  };
  EXPECT_NE(as_of("2024-06-01").find("Gdansk"), std::string::npos);
  EXPECT_EQ(as_of("2024-04-01").find("Gdansk"), std::string::npos);
  forget(EditKind::kTrash, sailing, 3);
  EXPECT_EQ(ask("Where did Maya go sailing on 3 May 2024?").find("Gdansk"), std::string::npos);
}

TEST_F(PutAwayTest, AnOpenCardThatFitsAsWellComesFirst) {
  const Card sailing = event("Maya went sailing in Gdansk.", "2024-05-03");
  const Card open = event("Maya went sailing in Bergen.", "2024-05-03");
  forget(EditKind::kArchive, sailing, 1);
  const auto first_of_two = [&] {
    const std::string text = ask("Where did Maya go sailing on 3 May 2024?");
    EXPECT_NE(text.find("Gdansk"), std::string::npos) << text;
    EXPECT_NE(text.find("Bergen"), std::string::npos) << text;
    return text.find("Gdansk") < text.find("Bergen") ? "Gdansk" : "Bergen";
  };
  EXPECT_STREQ(first_of_two(), "Bergen");
  edit(EditKind::kReactivate, sailing);
  forget(EditKind::kArchive, open, 2);
  EXPECT_STREQ(first_of_two(), "Gdansk");
}

// Whoever puts a card away himself, also one that forgetting had put away before, wants no answer.
TEST_F(PutAwayTest, WhatTheUserPutAwayAnswersNothing) {
  const Card sailing = event("Maya went sailing in Gdansk on 3 May 2024.", "2024-05-03");
  const Card rowing = event("Maya went rowing in Gdansk on 5 May 2024.", "2024-05-05");
  const Card skating = event("Maya went skating in Gdansk on 6 May 2024.", "2024-05-06");
  edit(EditKind::kArchive, sailing);
  forget(EditKind::kArchive, rowing, 1);
  edit(EditKind::kArchive, rowing);
  edit(EditKind::kClose, skating);
  const std::string text = ask("What did Maya do in Gdansk in May 2024?");
  EXPECT_EQ(text, "");
  edit(EditKind::kReactivate, sailing);
  EXPECT_NE(ask("Where does Maya go sailing?").find("Gdansk"), std::string::npos);
}

// The card that stands for others is open and has words of theirs, and turns of three of them.
TEST_F(PutAwayTest, ADayAskedForGetsTheOneOfManyThatItWas) {
  std::vector<Card> days;
  for (int i = 0; i < 5; ++i) {
    const auto n = static_cast<std::uint64_t>(i) + 1;
    const std::string date = "2024-0" + std::to_string(i + 1) + "-1" + std::to_string(i);
    hear(n, "I went climbing with Bo today.", "Maya", [&](Turn& turn) {
      turn.said_at = {day(date), 0};
    });
    days.push_back(add("Maya went climbing with Bo on " + spoken(must(Date::parse(date))) + ".",
                       "Maya", [&](Card& card) {
                         card.colour = Colour::kEvent;
                         card.valid_from = must(Date::parse(date));
                         card.sources = {turn_id(n)};
                       }));
    forget(EditKind::kFade, days.back(), 1);
  }
  Card made =
      user_card(++count_, "Maya went climbing with Bo 5 times between January and May 2024.");
  made.drawer = kLocalDrawer;
  made.subject = "Maya";
  made.colour = Colour::kEvent;
  made.valid_from = must(Date::parse("2024-01"));
  made.valid_to = must(Date::parse("2024-06"));
  made.sources = {turn_id(1), turn_id(3), turn_id(5)};
  CardEdited adding = make_add(2000, made);
  adding.run.bytes[0] = 2;
  box_.local({adding});
  for (const Card& card : days)
    forget(EditKind::kCondense, card, 2, [&](CardEdited& edit) { edit.stands_in = made.id; });

  const auto cards_of = [&](const std::string& query) {
    return ask(query, [](RecallRequest& request) { request.turns = false; });
  };
  const std::string march = cards_of("With whom did Maya go climbing on 12 March 2024?");
  EXPECT_NE(march.find("on 12 March 2024"), std::string::npos) << march;
  EXPECT_EQ(march.find("13 April"), std::string::npos) << march;
  EXPECT_NE(march.find("5 times"), std::string::npos) << march;
  const std::string undated = cards_of("With whom does Maya go climbing?");
  EXPECT_NE(undated.find("5 times"), std::string::npos) << undated;
  EXPECT_EQ(undated.find(" on 1"), std::string::npos) << undated;
  // A single day in the same words takes its place no more than the other way round.
  const std::string half = cards_of("Climbing with Bo in 2024?");
  EXPECT_NE(half.find("5 times"), std::string::npos) << half;
  EXPECT_NE(half.find("on 12 March 2024"), std::string::npos) << half;
}

// Hundreds of events of the same words, newer than the one that still stands.
TEST_F(PutAwayTest, WhatWasPutAwayCrowdsNothingOut) {
  event("Maya went sailing on the lake with Ida.", "2022-05-03");
  std::vector<Delta> deltas;
  for (int i = 0; i < 600; ++i) {
    Card card =
        user_card(++count_, "Maya went sailing on the lake, day " + std::to_string(i) + ".");
    card.drawer = kLocalDrawer;
    card.subject = "Maya";
    card.colour = Colour::kEvent;
    card.valid_from = must(Date::parse("2024-05-03"));
    card.state = i % 2 == 0 ? CardState::kFaded : CardState::kArchived;
    deltas.emplace_back(make_add(count_, card));
  }
  box_.local(deltas);
  EXPECT_NE(ask("Who went sailing on the lake?").find("Ida"), std::string::npos);
  while (!must(box_->facts().load(4096))) {
  }
  EXPECT_NE(ask("Who went sailing on the lake?").find("Ida"), std::string::npos);
  EXPECT_NE(ask("Who went sailing in May 2024?").find("day"), std::string::npos);
}

}  // namespace
}  // namespace kartei::store
