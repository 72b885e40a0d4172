// The word index is kept in few pieces, and says the same however many it has.
#include <gtest/gtest.h>

#include "store/librarian.h"
#include "store/sql.h"
#include "store/word_index.h"
#include "tests/store/fixture.h"

namespace kartei::store {
namespace {

class TidyTest : public ::testing::Test {
 protected:
  // One commit each.
  void hear(std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t n = from; n < to; ++n)
      box_.hear(make_turn(n, "The hedgehog number" + std::to_string(n) + " sleeps."), n);
  }
  std::int64_t pieces() {
    Db db(box_->writer());
    return must(db.integer("SELECT count(DISTINCT segid) FROM turn_words_idx", 0));
  }
  int tidy() {
    int steps = 1;
    while (must(box_->tidy()) && steps < 1'000) ++steps;
    return steps;
  }
  std::string recall(const std::string& query) {
    const auto librarian = must(Librarian::open(*box_));
    RecallRequest request;
    request.query = query;
    return must(librarian->recall(request)).text;
  }
  TestBox box_;
};

TEST_F(TidyTest, ManyCommitsBecomeOnePiece) {
  hear(1, 400);
  EXPECT_GT(pieces(), 1);
  EXPECT_TRUE(box_->untidy());
  const std::string before = recall("hedgehog number7");
  const Hash32 digest = box_.digest();
  EXPECT_LT(tidy(), 20);
  EXPECT_EQ(pieces(), 1);
  EXPECT_FALSE(box_->untidy());
  EXPECT_EQ(recall("hedgehog number7"), before);
  EXPECT_EQ(box_.digest(), digest);
}

TEST_F(TidyTest, AFewMoreAreJoinedWithoutWritingAllAnew) {
  hear(1, 400);
  tidy();
  EXPECT_EQ(tidy(), 1) << "nothing to do";
  hear(400, 440);
  Db db(box_->writer());
  const std::int64_t before = db.total_changes();
  tidy();
  EXPECT_LT(db.total_changes() - before, 100);
  EXPECT_LE(pieces(), 4);
  EXPECT_NE(recall("number439").find("number439"), std::string::npos);
}

// The newest rows wait outside of FTS5 until they are many; nobody notices.
class TailTest : public TidyTest {
 protected:
  std::int64_t in_fts5(const std::string& word) {
    Db db(box_->writer());
    return must(db.integer("SELECT count(*) FROM turn_words WHERE turn_words MATCH ?", 0, word));
  }
};

TEST_F(TailTest, WhatWaitsIsFoundLikeTheRest) {
  hear(1, 10);
  EXPECT_EQ(in_fts5("hedgehog"), 0);
  EXPECT_NE(recall("number7").find("number7"), std::string::npos);
  const std::string before = recall("hedgehog number7 number3");
  tidy();
  EXPECT_EQ(in_fts5("hedgehog"), 9);
  EXPECT_EQ(recall("hedgehog number7 number3"), before);
  hear(10, 20);  // some here, some there
  EXPECT_EQ(in_fts5("hedgehog"), 9);
  for (const char* word : {"number2", "number12"})
    EXPECT_NE(recall(word).find(word), std::string::npos) << word;
}

TEST_F(TailTest, ManyGoInTogether) {
  const auto many = static_cast<std::uint64_t>(IndexTail::kRows);
  hear(1, many);
  EXPECT_EQ(in_fts5("hedgehog"), 0);
  hear(many, many + 1);
  EXPECT_EQ(in_fts5("hedgehog"), IndexTail::kRows);
  EXPECT_EQ(pieces(), 1);
  hear(many + 1, many + 2);
  EXPECT_EQ(in_fts5("hedgehog"), IndexTail::kRows);
}

TEST_F(TailTest, FewLargeOnesDoNotWait) {
  const auto large = [](std::uint64_t n) {
    std::string text;
    for (int i = 0; text.size() < 120'000; ++i) text += "w" + std::to_string(i) + " ";
    return make_turn(n, text + "hedgehog");
  };
  box_.hear(make_turn(1, "hedgehog"), 1);
  box_.hear(large(2), 2);
  EXPECT_EQ(in_fts5("hedgehog"), 2);
  // Each by itself is not too large, together they are.
  std::string text;
  for (int i = 0; text.size() < 30'000; ++i) text += "x" + std::to_string(i) + " ";
  box_.hear(make_turn(3, text), 3);
  EXPECT_EQ(in_fts5("x1"), 0);
  for (std::uint64_t n = 4; n < 10; ++n) box_.hear(make_turn(n, text), n);
  EXPECT_GT(in_fts5("x1"), 2);
}

TEST_F(TailTest, WhatIsErasedWhileItWaitsLeavesNothing) {
  hear(1, 10);
  box_.entry({filed(5)});
  CardEdited erase;
  erase.edit = edit_id(1);
  erase.drawer = kShared;
  erase.kind = EditKind::kEraseTurn;
  erase.turn = turn_id(5);
  box_.entry({erase});
  EXPECT_EQ(recall("number5").find("number5"), std::string::npos);
  tidy();
  EXPECT_EQ(in_fts5("number5"), 0);
  EXPECT_EQ(recall("number5").find("number5"), std::string::npos);
  box_.undo_to(1);
  EXPECT_NE(recall("number5").find("number5"), std::string::npos);
}

TEST_F(TailTest, ItIsThereAfterAStart) {
  TempDir dir;
  const auto file = dir.path() / "box";
  {
    TestBox box(file);
    box.hear(make_turn(1, "The hedgehog sleeps."));
  }
  TestBox box(file);
  const auto librarian = must(Librarian::open(*box));
  RecallRequest request;
  request.query = "hedgehog";
  EXPECT_EQ(must(librarian->recall(request)).items.size(), 1U);
  box.hear(make_turn(2, "The hedgehog wakes."));
  EXPECT_TRUE(box->untidy());
  while (must(box->tidy())) {
  }
  EXPECT_EQ(must(librarian->recall(request)).items.size(), 2U);
}

TEST_F(TidyTest, WithinATransactionItIsRefused) {
  auto transaction = box_->begin();
  ASSERT_TRUE(transaction.has_value());
  EXPECT_TRUE(box_->tidy().has_error());
}

}  // namespace
}  // namespace kartei::store
