// What faded and what was archived, in the librarian's answers.
#include "store/facts_keeper.h"
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

TEST_F(PutAwayTest, ArchivedCardsAnswerNothing) {
  const Card sailing = event("Maya went sailing in Gdansk on 3 May 2024.", "2024-05-03");
  edit(EditKind::kArchive, sailing);
  EXPECT_EQ(ask("Where did Maya go sailing in May 2024?"), "");
  edit(EditKind::kReactivate, sailing);
  EXPECT_NE(ask("Where does Maya go sailing?").find("Gdansk"), std::string::npos);
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
