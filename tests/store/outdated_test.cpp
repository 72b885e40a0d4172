// What is no longer so does not come in by the back door: a turn whose card has been closed.
#include <gtest/gtest.h>

#include <algorithm>

#include "store/librarian.h"
#include "store/sql.h"
#include "tests/store/fixture.h"

namespace kartei::store {
namespace {

class OutdatedTest : public ::testing::Test {
 protected:
  // Maya moved: the old sentence and the new one, a card of each, the old one replaced.
  void SetUp() override {
    librarian_ = must(Librarian::open(*box_));
    hear(1, "I live in Tartu, and my cat is called Mog.");
    hear(2, "By now I live in Leipzig.");
    old_ = make_card({1}, "Maya lives in Tartu.");
    cat_ = make_card({1}, "Maya's cat is called Mog.");
    next_ = make_card({2}, "Maya lives in Leipzig.");
    next_.valid_from = must(Date::parse("2025-10-01"));
    box_.entry({filed(1), filed(2), make_unit({1}, {old_, cat_})});
  }
  void hear(std::uint64_t n, const std::string& text) {
    Turn turn = make_turn(n, text);
    turn.external_id = "t" + std::to_string(n);
    box_.hear(turn, n);
  }
  void move() {
    UnitFiled unit;
    unit.drawer = kShared;
    unit.sources = {turn_id(2)};
    unit.cards = {next_};
    unit.closes = {{old_.id, old_.sources, card_key(old_), next_.valid_from, next_.id, "moved",
                    next_.valid_from.begin()}};
    unit.unit = derive_unit_id(unit);
    box_.entry({unit});
  }
  RecallAnswer recall(const std::string& query,
                      const std::function<void(RecallRequest&)>& change = {}) {
    RecallRequest request;
    request.query = query;
    request.now = must(Date::parse("2026-03-01")).begin();
    if (change) change(request);
    return must(librarian_->recall(request));
  }
  // Whether the old sentence, or another, is handed out word for word.
  bool told(const std::string& query, const std::function<void(RecallRequest&)>& change = {},
            const std::string& turn = "t1") {
    const RecallAnswer answer = recall(query, change);
    return std::any_of(answer.items.begin(), answer.items.end(),
                       [&](const RecallItem& item) { return item.id == turn && !item.cut; });
  }

  TestBox box_;
  std::unique_ptr<Librarian> librarian_;
  Card old_, cat_, next_;
};

TEST_F(OutdatedTest, TheSentenceOfAClosedCardDoesNotAnswerAboutThePresent) {
  const auto no_cards = [](RecallRequest& request) { request.cards = false; };
  EXPECT_TRUE(told("Where does Maya live?", no_cards));
  move();
  EXPECT_FALSE(told("Where does Maya live?"));
  EXPECT_FALSE(told("Where does Maya live?", no_cards));
  EXPECT_FALSE(told("Maya lives in Tartu, doesn't she?"));
  EXPECT_NE(recall("Where does Maya live?").text.find("Leipzig"), std::string::npos);
}

TEST_F(OutdatedTest, ItAnswersAboutThePast) {
  move();
  const auto only_turns = [](RecallRequest& request) { request.cards = false; };
  EXPECT_TRUE(told("Where did Maya live before?", only_turns));
  EXPECT_TRUE(told("Where was Maya living in 2023?", only_turns));
  EXPECT_TRUE(told("Where was Maya living in November?", only_turns));
  EXPECT_TRUE(told("Where was Maya living last summer?", only_turns));
  EXPECT_FALSE(told("Where is Maya living this week?", only_turns));
  const auto then = [&](RecallRequest& request) {
    only_turns(request);
    request.as_of = must(Date::parse("2024-05-01")).begin();
  };
  EXPECT_TRUE(told("Where does Maya live?", then));
  const auto known = [&](RecallRequest& request) {
    only_turns(request);
    request.known_at = must(Date::parse("2024-05-01")).begin();
  };
  EXPECT_TRUE(told("Where does Maya live?", known));
}

TEST_F(OutdatedTest, ItAnswersAboutWhatHappened) {
  hear(3, "I work at the mill and last week I repaired its great wheel with Ole.");
  const Card mill = make_card({3}, "Maya works at the mill and repaired its great wheel with Ole.");
  box_.entry({filed(3), make_unit({3}, {mill})});
  box_.entry({make_edit(1, EditKind::kClose, mill)});
  EXPECT_TRUE(told("When did Maya repair the great wheel?", {}, "t3"));
  EXPECT_TRUE(told("Who did she repair the wheel with?", {}, "t3"));
  EXPECT_FALSE(told("Does Maya work at the mill?", {}, "t3"));
}

TEST_F(OutdatedTest, WhatElseWasSaidInItIsStillFound) {
  move();
  const auto only_turns = [](RecallRequest& request) { request.cards = false; };
  EXPECT_TRUE(told("What is Maya's cat called?", only_turns));  // its card is open
  hear(3, "I live in Tartu and my printer is broken.");
  box_.entry({filed(3), make_unit({3}, {make_card({3}, "Maya lives in Narva.")})});
  EXPECT_TRUE(told("broken printer", {}, "t3"));  // no card of it says so
}

TEST_F(OutdatedTest, AWordThatOnlyTheTurnHasIsFoundThoughItsCardIsClosed) {
  hear(3, "I sleep badly and my printer is broken.");
  const Card sleep = make_card({3}, "Maya sleeps badly.");
  box_.entry({filed(3), make_unit({3}, {sleep})});
  box_.entry({make_edit(1, EditKind::kClose, sleep)});
  EXPECT_TRUE(told("broken printer", {}, "t3"));
  EXPECT_FALSE(told("Who sleeps badly?", {}, "t3"));
}

TEST_F(OutdatedTest, ATurnThatOnlySaidItAgainIsOldToo) {
  hear(4, "As I said, I live in Tartu.");
  UnitFiled again;
  again.drawer = kShared;
  again.sources = {turn_id(4)};
  again.confirmed = {old_.id};
  again.confirmed_by = {turn_id(4)};
  again.unit = derive_unit_id(again);
  box_.entry({filed(4), again});
  move();
  EXPECT_FALSE(told("Where does Maya live?", {}, "t4"));
}

TEST_F(OutdatedTest, ExplainSaysWhy) {
  move();
  const RecallAnswer answer =
      recall("Where does Maya live?", [](RecallRequest& request) { request.explain = true; });
  const auto left_out = std::find_if(answer.items.begin(), answer.items.end(),
                                     [](const RecallItem& item) { return item.id == "t1"; });
  ASSERT_NE(left_out, answer.items.end());
  EXPECT_TRUE(left_out->cut);
  EXPECT_EQ(left_out->legs.back().name, "outdated");
}

TEST_F(OutdatedTest, TheTurnIsBackWhenItsCardIs) {
  move();
  box_.undo_to(1);
  const auto no_cards = [](RecallRequest& request) { request.cards = false; };
  EXPECT_TRUE(told("Where does Maya live?", no_cards));
}

// A file of a format that did not mark such turns.
TEST(OutdatedFile, TurnsOfClosedCardsAreMarkedInOlderFiles) {
  TempDir dir;
  const auto file = dir.path() / "box";
  const auto told = [](TestBox& box, const std::string& query) {
    RecallRequest request;
    request.query = query;
    request.cards = false;
    return must(must(Librarian::open(*box))->recall(request)).items.size();
  };
  {
    TestBox box(file);
    Card old = user_card(1, "Maya lives in Tartu.");
    old.drawer = kLocalDrawer;
    old.sources = {turn_id(1)};
    box.local({TurnHeard{make_turn(1, "I live in Tartu.", kLocalDrawer)}, make_add(1, old)});
    EXPECT_EQ(told(box, "Who lives in Tartu?"), 1U);
    box.local({make_edit(2, EditKind::kClose, old)});
    EXPECT_EQ(told(box, "Who lives in Tartu?"), 0U);
    Db db(box->writer());
    must(db.script(kBackToFormat5));
  }
  TestBox box(file);
  EXPECT_EQ(told(box, "Who lives in Tartu?"), 0U);
  EXPECT_TRUE(must(box->check()).empty());
}

}  // namespace
}  // namespace kartei::store
