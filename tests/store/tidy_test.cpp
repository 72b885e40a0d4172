// The word index is kept in few pieces, and says the same however many it has.
#include <gtest/gtest.h>

#include "store/librarian.h"
#include "store/sql.h"
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

TEST_F(TidyTest, WithinATransactionItIsRefused) {
  auto transaction = box_->begin();
  ASSERT_TRUE(transaction.has_value());
  EXPECT_TRUE(box_->tidy().has_error());
}

}  // namespace
}  // namespace kartei::store
