// Lists of rows by token, in pieces that are joined: they say what was written, whatever the
// pieces.
#include "store/postings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "tests/store/fixture.h"

namespace kartei::store {
namespace {

class PostingsTest : public ::testing::Test {
 protected:
  // Rows from..to, each with hashes of which some are common and most are rare.
  void add(std::int64_t from, std::int64_t to) {
    std::vector<Posting1> postings;
    for (std::int64_t rid = from; rid < to; ++rid) {
      std::vector<std::uint32_t> hashes{0, 0xFFFFFFFF};
      for (int i = 0; i < 12; ++i)
        hashes.push_back(static_cast<std::uint32_t>(random_() % (1U << (random_() % 20))) * 4'001U);
      std::sort(hashes.begin(), hashes.end());
      hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
      for (const std::uint32_t hash : hashes) {
        postings.push_back({hash, rid});
        rows_[hash].push_back(rid);
      }
    }
    must(writer().add(std::move(postings), static_cast<std::uint64_t>(to - from)));
  }
  PostingWriter writer() { return {db_, RowKind::kCard}; }
  std::int64_t pieces(const std::string& where = "state < 2") {
    return must(db_.integer("SELECT count(*) FROM word_pieces WHERE kind = 1 AND " + where, 0));
  }
  bool join_step() {
    const auto more = writer().join_step();
    EXPECT_TRUE(more.has_value());
    return more.has_value() && *more;
  }
  void expect_all_there() {
    const auto reader = PostingReader::open(db_, RowKind::kCard);
    ASSERT_TRUE(reader.has_value());
    for (const auto& [hash, expected] : rows_) {
      std::vector<std::int64_t> rows;
      std::uint64_t docs = 0;
      must(reader->find(hash, PostingWriter::kListed, rows, docs));
      ASSERT_EQ(docs, expected.size()) << hash;
      std::sort(rows.rbegin(), rows.rend());
      const std::size_t listed = std::min(expected.size(), PostingWriter::kListed);
      ASSERT_GE(rows.size(), listed) << hash;
      rows.resize(listed);
      ASSERT_TRUE(std::equal(rows.begin(), rows.end(), expected.rbegin())) << hash;
    }
    std::vector<std::int64_t> none;
    std::uint64_t docs = 0;
    must(reader->find(4'002, 10, none, docs));
    EXPECT_TRUE(none.empty());
    EXPECT_EQ(docs, 0U);
  }

  TestBox box_;
  Db db_{box_->writer()};
  std::mt19937 random_{5};
  std::map<std::uint32_t, std::vector<std::int64_t>> rows_;
};

TEST_F(PostingsTest, SayWhatWasWrittenAndStayFew) {
  for (std::int64_t rid = 1; rid < 3'000; rid += 64) add(rid, rid + 64);
  expect_all_there();
  EXPECT_LE(pieces(), 12);
  EXPECT_EQ(must(writer().damaged()), 0U);
}

TEST_F(PostingsTest, ASizeOfPiecesThatIsJoinedInStepsSaysTheSameAtEachOfThem) {
  for (std::int64_t rid = 1; rid < 40'000; rid += 2'000) add(rid, rid + 2'000);
  EXPECT_GT(pieces(), 4);
  int steps = 0;
  while (join_step() && ++steps < 200) {
    if (steps % 3 == 0) expect_all_there();
    if (steps == 5) add(50'000, 50'064);  // in the midst of it
  }
  EXPECT_GT(steps, 5);
  EXPECT_LT(steps, 200);
  EXPECT_EQ(pieces("1"), 2) << "nothing dead or half built is left, and one that came later";
  expect_all_there();
}

TEST_F(PostingsTest, ACommonTokenHasItsNewestRowsOnly) {
  add(1, 2'000);
  std::vector<std::int64_t> rows;
  std::uint64_t docs = 0;
  const auto reader = PostingReader::open(db_, RowKind::kCard);
  ASSERT_TRUE(reader.has_value());
  must(reader->find(0, 100'000, rows, docs));
  EXPECT_EQ(docs, 1'999U);
  ASSERT_EQ(rows.size(), PostingWriter::kListed);
  EXPECT_EQ(rows.front(), 1'999);
}

// Whatever bytes are there: answered, and noticed.
TEST_F(PostingsTest, DamageIsNoticedAndBreaksNothing) {
  for (std::int64_t rid = 1; rid < 1'000; rid += 64) add(rid, rid + 64);
  for (int round = 0; round < 300; ++round) {
    must(db_.script("SAVEPOINT damage"));
    const std::int64_t id =
        must(db_.integer("SELECT id FROM card_postings ORDER BY id LIMIT 1 OFFSET ?", 0,
                         static_cast<std::int64_t>(random_() % 4)));
    Bytes blob;
    {
      Query query = db_.query("SELECT data FROM card_postings WHERE id = ?", id);
      ASSERT_TRUE(query.next());
      blob = to_bytes(query.blob(0));
    }
    if (round % 3 == 0) blob.resize(random_() % blob.size());
    for (int i = 0; i < 4 && !blob.empty(); ++i)
      blob[random_() % blob.size()] ^= static_cast<std::uint8_t>(1 + random_() % 255);
    must(db_.run("UPDATE card_postings SET data = ? WHERE id = ?", blob, id));
    EXPECT_EQ(must(writer().damaged()), 1U);
    const auto reader = PostingReader::open(db_, RowKind::kCard);
    ASSERT_TRUE(reader.has_value());
    for (const auto& [hash, expected] : rows_) {
      std::vector<std::int64_t> rows;
      std::uint64_t docs = 0;
      must(reader->find(hash, 100, rows, docs));
      if (round % 50 != 0) break;
    }
    for (int steps = 0; join_step() && steps < 20; ++steps) {
    }
    must(db_.script("ROLLBACK TO damage; RELEASE damage"));
  }
  expect_all_there();
}

}  // namespace
}  // namespace kartei::store
