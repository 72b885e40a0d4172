#include "store/topics.h"

#include <gtest/gtest.h>

#include "store/librarian.h"
#include "tests/store/fixture.h"

namespace kartei::store {
namespace {

TEST(Topics, EverydayWordsHaveOne) {
  EXPECT_EQ(topic_of("cook"), "food");
  EXPECT_EQ(topic_of("supper"), "food");        // the last of the table
  EXPECT_EQ(topic_of("address"), "residence");  // the first
  EXPECT_EQ(topic_of("gift"), "birthday");
  EXPECT_EQ(topic_of("kochen"), "food");
}

TEST(Topics, OtherWordsHaveNone) {
  for (const char* word : {"", "a", "zebra", "coo", "cookx", "Cook", "\xff\xfe"})
    EXPECT_TRUE(topic_of(word).empty()) << word;
}

// What they are for: a question finds a card by its tag though they share no word.
TEST(Topics, AQuestionFindsACardByItsTag) {
  TestBox box;
  Card card = user_card(1, "Maya is a vegetarian.");
  card.tags = {"food"};
  box.local({make_add(1, card)});
  const auto librarian = must(Librarian::open(*box));
  RecallRequest request;
  request.query = "What shall I cook tonight?";
  EXPECT_EQ(must(librarian->recall(request)).items.size(), 1U);
  request.query = "What shall I wear tonight?";
  EXPECT_TRUE(must(librarian->recall(request)).items.empty());
}

}  // namespace
}  // namespace kartei::store
