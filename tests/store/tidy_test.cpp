// The word index is kept in few pieces, and says the same however many it has.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "store/indexer.h"
#include "store/librarian.h"
#include "store/postings.h"
#include "store/schema.h"
#include "store/sql.h"
#include "store/vocabulary.h"
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
    return must(db.integer("SELECT count(*) FROM word_pieces WHERE kind = 0 AND state < 2", 0));
  }
  int tidy() {
    int steps = 1;
    while (must(box_->tidy()) && steps < 1'000) ++steps;
    return steps;
  }
  void read_hashes() {
    while (must(read_piece_hashes(*box_))) {
    }
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
  EXPECT_LE(pieces(), 5);
  EXPECT_NE(recall("number439").find("number439"), std::string::npos);
}

// The newest rows wait outside of the lists until they are many; nobody notices.
class TailTest : public TidyTest {
 protected:
  std::int64_t listed(const std::string& word) {
    Db db(box_->writer());
    Stemmer stemmer;
    std::vector<std::int64_t> rows;
    std::uint64_t docs = 0;
    const auto reader = PostingReader::open(db, RowKind::kTurn);
    EXPECT_TRUE(reader.has_value());
    must(reader->find(token_hash(stemmer.stem(word, Language::kEnglish)), 1'000, rows, docs));
    EXPECT_EQ(rows.size(), docs);
    return static_cast<std::int64_t>(docs);
  }
};

TEST_F(TailTest, WhatWaitsIsFoundLikeTheRest) {
  hear(1, 10);
  EXPECT_EQ(listed("hedgehog"), 0);
  EXPECT_NE(recall("number7").find("number7"), std::string::npos);
  const std::string before = recall("hedgehog number7 number3");
  tidy();
  EXPECT_EQ(listed("hedgehog"), 9);
  EXPECT_EQ(recall("hedgehog number7 number3"), before);
  hear(10, 20);  // some here, some there
  EXPECT_EQ(listed("hedgehog"), 9);
  for (const char* word : {"number2", "number12"})
    EXPECT_NE(recall(word).find(word), std::string::npos) << word;
}

TEST_F(TailTest, ManyGoInTogether) {
  const auto many = static_cast<std::uint64_t>(IndexTail::kRows);
  hear(1, many);
  EXPECT_EQ(listed("hedgehog"), 0);
  hear(many, many + 1);
  EXPECT_EQ(listed("hedgehog"), IndexTail::kRows);
  EXPECT_EQ(pieces(), 1);
  hear(many + 1, many + 2);
  EXPECT_EQ(listed("hedgehog"), IndexTail::kRows);
}

TEST_F(TailTest, FewLargeOnesDoNotWait) {
  const auto large = [](std::uint64_t n) {
    std::string text;
    for (int i = 0; text.size() < 120'000; ++i) text += "w" + std::to_string(i) + " ";
    return make_turn(n, text + "hedgehog");
  };
  box_.hear(make_turn(1, "hedgehog"), 1);
  box_.hear(large(2), 2);
  EXPECT_EQ(listed("hedgehog"), 2);
  // Each by itself is not too large, together they are.
  std::string text;
  for (int i = 0; text.size() < 30'000; ++i) text += "x" + std::to_string(i) + " ";
  box_.hear(make_turn(3, text), 3);
  EXPECT_EQ(listed("x1"), 0);
  for (std::uint64_t n = 4; n < 10; ++n) box_.hear(make_turn(n, text), n);
  EXPECT_GT(listed("x1"), 2);
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
  EXPECT_EQ(listed("number5"), 0);
  EXPECT_EQ(recall("number5").find("number5"), std::string::npos);
  box_.undo_to(1);
  EXPECT_NE(recall("number5").find("number5"), std::string::npos);
}

// A row below the mark that comes back, or has other words now, is in no list.
TEST_F(TailTest, WhatComesLateIsFoundUntilItIsListed) {
  box_.entry({});
  hear(1, 100);
  tidy();
  const auto rename = [&](std::uint64_t n, const std::string& text) {
    box_.write([&](Box& box) -> Status {
      Db db(box.writer());
      return db.run("UPDATE turns SET text = ? WHERE id = ?", text, turn_id(n));
    });
  };
  rename(7, "A walrus.");
  EXPECT_EQ(listed("walrus"), 0);
  EXPECT_NE(recall("walrus").find("walrus"), std::string::npos);
  EXPECT_EQ(recall("number7"), "");  // listed still, but its words are others now
  tidy();
  EXPECT_EQ(listed("walrus"), 1);
  EXPECT_NE(recall("walrus").find("walrus"), std::string::npos);
  rename(7, "A seal.");
  EXPECT_EQ(recall("walrus"), "");
  must(box_->scrub());
  EXPECT_EQ(listed("walrus"), 0) << "not even its hash is left";
  EXPECT_EQ(listed("number7"), 0);
}

TEST_F(TailTest, ManyThatComeLateAreListedWithoutTidying) {
  hear(1, 201);
  tidy();
  box_.write([&](Box& box) -> Status {
    Db db(box.writer());
    return db.run("UPDATE turns SET text = text || ' Walrus.'");
  });
  EXPECT_EQ(listed("walrus"), 200);
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

// What a piece holds is remembered by its number: a question leaves out pieces without its word.
TEST_F(TidyTest, NoNumberOfAPieceIsUsedTwice) {
  std::set<std::pair<std::int64_t, std::int64_t>> seen;
  std::int64_t highest = 0;
  const auto look = [&] {
    read_hashes();
    Db db(box_->writer());
    Query query = db.query("SELECT piece, newest FROM word_pieces WHERE kind = 0 AND state < 2");
    while (query.next()) {
      const bool fresh = seen.emplace(query.integer(0), query.integer(1)).second;
      EXPECT_TRUE(!fresh || query.integer(0) > highest) << "a new piece under an old number";
    }
    for (const auto& piece : seen) highest = std::max(highest, piece.first);
  };
  std::uint64_t n = 0;
  const auto hear_word = [&](const std::string& word) {
    for (const std::uint64_t end = n + 70; n < end;) {
      ++n;
      box_.hear(make_turn(n, "A " + word + " sleeps."), n);
    }
    look();
    EXPECT_NE(recall(word).find(word), std::string::npos) << word;
    std::string slip = word;
    std::swap(slip[2], slip[3]);
    EXPECT_NE(recall(slip).find(word), std::string::npos) << slip;
  };
  for (const char* word : {"badger", "heron", "otter", "squirrel"}) hear_word(word);
  tidy();
  look();
  for (const char* word : {"weasel", "magpie"}) hear_word(word);
  must(box_->scrub());
  look();
  for (const char* word : {"lizard", "walrus"}) hear_word(word);
}

TEST_F(TidyTest, WordsThatNoListHasAreNotLookedFor) {
  hear(1, 200);
  tidy();
  const auto steps = [&](const std::string& query) {
    std::int64_t count = 0;
    sqlite3_progress_handler(
        box_->writer(), 1,
        [](void* so_far) {
          ++*static_cast<std::int64_t*>(so_far);
          return 0;
        },
        &count);
    recall(query);
    sqlite3_progress_handler(box_->writer(), 0, nullptr, nullptr);
    return count;
  };
  const std::string query = "Zebras 11 22 33 44 55 66 77 88?";  // too short to be typing errors
  const std::int64_t before = steps(query);
  read_hashes();
  EXPECT_LT(steps(query), before * 2 / 3);
}

TEST_F(TidyTest, WhatPiecesHoldIsReadAPieceAtATime) {
  hear(1, 200);
  std::vector<std::int64_t> numbers;
  Db db(box_->writer());
  Query query = db.query("SELECT piece FROM word_pieces WHERE kind = 0 AND state < 2");
  while (query.next()) numbers.push_back(query.integer(0));
  ASSERT_GT(numbers.size(), 2U);
  const auto read = [&] {
    const auto known = box_->piece_hashes()->known(RowKind::kTurn, numbers);
    return std::count_if(known.begin(), known.end(), [](const auto& piece) { return piece; });
  };
  for (std::int64_t n = 1; must(read_piece_hashes(*box_)); ++n) EXPECT_EQ(read(), n);
  EXPECT_EQ(read(), static_cast<std::int64_t>(numbers.size()));
  EXPECT_FALSE(must(read_piece_hashes(*box_)));
}

TEST(TidyBox, TheWriterDoesNotWaitForWhoReadsThePieces) {
  TempDir dir;
  TestBox box(dir.path() / "box");
  for (std::uint64_t n = 1; n <= 100; ++n) box.hear(make_turn(n, "The hedgehog sleeps."), n);
  struct Gate {
    std::atomic<bool> inside = false, open = false, in_time = true;
  } gate;
  const auto reader = must(open_reader(box->place()));
  // Stops in the midst of reading until the writer is through.
  sqlite3_progress_handler(
      reader->handle(), 1,
      [](void* at) {
        auto& its = *static_cast<Gate*>(at);
        its.inside = true;
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (!its.open && std::chrono::steady_clock::now() < end) std::this_thread::yield();
        if (!its.open) its.in_time = false;
        its.open = true;
        return 0;
      },
      &gate);
  std::thread reading([&] { EXPECT_TRUE(box->piece_hashes()->of(*reader).has_value()); });
  while (!gate.inside) std::this_thread::yield();
  EXPECT_TRUE(must(read_piece_hashes(*box))) << "it comes back later";
  gate.open = true;
  reading.join();
  EXPECT_TRUE(gate.in_time);
  EXPECT_FALSE(must(read_piece_hashes(*box))) << "the reader has read them";
}

TEST_F(TidyTest, WithinATransactionItIsRefused) {
  auto transaction = box_->begin();
  ASSERT_TRUE(transaction.has_value());
  EXPECT_TRUE(box_->tidy().has_error());
}

}  // namespace
}  // namespace kartei::store
