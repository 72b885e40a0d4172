// What is asked for with a slip of the finger, and what is quoted.
#include "store/typing.h"

#include <algorithm>

#include "store/librarian.h"
#include "store/sql.h"
#include "store/vocabulary.h"
#include "store/word_index.h"
#include "tests/store/fixture.h"

namespace kartei::store {
namespace {

TEST(NearForms, HasEachSlipOnce) {
  const auto forms = near_forms("garden");
  for (const char* form : {"gardeen", "gardn", "gaqden", "agrden", "gadren", "gardens"})
    EXPECT_EQ(std::count(forms.begin(), forms.end(), form), 1) << form;
  EXPECT_EQ(std::count(forms.begin(), forms.end(), "garden"), 0);
  EXPECT_EQ(std::count(forms.begin(), forms.end(), "warden"), 0) << "the first letter stays";
  EXPECT_LT(forms.size(), 350U);
}

TEST(NearForms, OnlyOfWordsInLettersOfOneAlphabet) {
  for (const char* word :
       {"tree", "a23456", "x", "", "antidisestablishment", "café-s", "茶茶茶茶茶"})
    EXPECT_TRUE(near_forms(word).empty()) << word;
  const auto forms = near_forms("велосипед");
  EXPECT_EQ(std::count(forms.begin(), forms.end(), "велосепед"), 1);
  EXPECT_LT(near_forms("abcdefghijklmnop").size(), 900U);
}

class TypingTest : public ::testing::Test {
 protected:
  void hear(std::uint64_t n, const std::string& text) {
    Turn turn = make_turn(n, text, kLocalDrawer);
    box_.write([&](Box& box) -> Status {
      auto stored = box.store_turn(turn, {});
      return stored.has_error() ? Status{stored.error()} : Status{};
    });
  }
  std::string first(const std::string& query) {
    auto librarian = must(Librarian::open(*box_));
    RecallRequest request;
    request.query = query;
    request.limit = 1;
    const RecallAnswer answer = must(librarian->recall(request));
    return answer.items.empty() ? "" : answer.items[0].turn.text + answer.items[0].card.text;
  }
  TestBox box_;
};

TEST_F(TypingTest, OneSlipIsForgiven) {
  hear(1, "The accordion stands in the cellar.");
  hear(2, "Nine herons sat by the pond.");
  for (const char* query : {"Where is the acordion?", "accordoin", "Where is the axccordion?",
                            "acccordion", "ACCORDOIN!"})
    EXPECT_NE(first(query).find("accordion"), std::string::npos) << query;
  EXPECT_EQ(first("Where is the bcordion?"), "") << "two slips, and the first letter";
}

TEST_F(TypingTest, TheAnswerTellsWhatAWordWasTakenFor) {
  hear(1, "The accordion stands in the cellar.");
  auto librarian = must(Librarian::open(*box_));
  RecallRequest request;
  request.query = "Is the acordion in the cellar?";
  const RecallAnswer answer = must(librarian->recall(request));
  ASSERT_EQ(answer.guesses.size(), 1U);
  EXPECT_EQ(answer.guesses[0].word, "acordion");
  EXPECT_EQ(answer.guesses[0].meant, std::vector<std::string>{"accordion"});
  request.query = "Is the accordion in the cellar?";
  EXPECT_TRUE(must(librarian->recall(request)).guesses.empty());
}

TEST_F(TypingTest, AlsoInWhatIsInTheListsAlready) {
  for (std::uint64_t n = 1; n <= 200; ++n)
    hear(n, n == 7 ? "The accordion stands in the cellar." : "Number " + std::to_string(n) + ".");
  while (must(box_->tidy())) {
  }
  EXPECT_NE(first("acordion").find("accordion"), std::string::npos);
}

TEST_F(TypingTest, WhatThePiecesHoldIsReadOnceForAllReaders) {
  for (std::uint64_t n = 1; n <= 200; ++n) hear(n, "Number " + std::to_string(n) + ".");
  while (must(box_->tidy())) {
  }
  Db db(box_->writer());
  const auto first = must(box_->piece_hashes()->of(db)), again = must(box_->piece_hashes()->of(db));
  ASSERT_FALSE(first.empty());
  EXPECT_EQ(first, again) << "the same vectors";
  hear(201, "The accordion stands in the cellar.");
  must(scrub_word_index(box_->writer()));
  for (const auto& piece : must(box_->piece_hashes()->of(db)))
    EXPECT_EQ(std::count(first.begin(), first.end(), piece), 0) << "all lists are new";
  EXPECT_NE(this->first("acordion").find("accordion"), std::string::npos);
}

TEST_F(TypingTest, AWordThatSomebodySaidIsNoSlip) {
  hear(1, "The warder closed the gate.");
  hear(2, "We saw a warden of the forest.");
  hear(3, "Another warden came along.");
  EXPECT_EQ(first("warder"), "The warder closed the gate.");
}

TEST_F(TypingTest, ANameMayBeMistypedToo) {
  Card card = user_card(1, "She plays the cello on Sundays.");
  card.drawer = kLocalDrawer;
  card.subject = "Katharina Berg";
  box_.local({make_add(1, card)});
  EXPECT_EQ(first("What does Katherina play?"), card.text);
}

TEST_F(TypingTest, AQuotedPhraseIsWantedWordForWord) {
  hear(1, "The moon was red, and the river full of red moon light and moon red stones.");
  hear(2, "They sang of the red river moon.");
  hear(3, "A river, a moon, all of it red: river moon red river.");
  EXPECT_EQ(first("\"red river moon\""), "They sang of the red river moon.");
  EXPECT_EQ(first("Who sang “Red river moon”?"), "They sang of the red river moon.");
  EXPECT_FALSE(first("\"river of stones\"").empty()) << "what nobody said word for word";
  EXPECT_FALSE(first("\"river\"").empty());
  EXPECT_FALSE(first("river \"moon stones").empty()) << "a quote that does not end";
}

}  // namespace
}  // namespace kartei::store
