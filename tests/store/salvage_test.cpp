// What is left of a damaged box gets out; what is damaged is said.
#include <fstream>
#include <map>
#include <set>

#include "store/salvage.h"
#include "tests/store/fixture.h"

namespace kartei::store {
namespace {

constexpr std::uint64_t kTurnsSaid = 300;

class SalvageTest : public ::testing::Test {
 protected:
  SalvageTest() {
    TestBox box(file_, &test_key());
    for (std::uint64_t n = 1; n <= kTurnsSaid; ++n)
      box.hear(make_turn(n, "said " + std::to_string(n) + std::string(300, 'x'), kLocalDrawer), n);
    for (std::uint64_t n = 1; n <= 50; ++n)
      box.local({make_add(n, user_card(n, "card " + std::to_string(n) + "."))});
    must(box->scrub());
    bytes_ = read(file_);
  }
  static std::string read(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  std::uint64_t pages() const { return bytes_.size() / 4096; }
  void damage(const std::set<std::uint64_t>& pages) {
    std::string bytes = bytes_;
    for (const std::uint64_t page : pages) bytes[(page - 1) * 4096 + 2000] ^= 1;
    std::ofstream(file_, std::ios::binary | std::ios::trunc) << bytes;
  }
  // Ids of turns in the lines.
  std::set<std::string> salvage(Salvaged& salvaged) {
    std::set<std::string> turns;
    bool head = false;
    std::size_t cards = 0;
    auto done = salvage_box(file_, test_key(), [&](std::string_view line) {
      head |= line.starts_with(R"({"kind":"box")");
      cards += line.starts_with(R"({"kind":"card")") ? 1 : 0;
      if (line.starts_with(R"({"kind":"turn")")) turns.emplace(line.substr(21, 32));
      return true;
    });
    if (!done) {
      error_ = done.error().what;
      return {};
    }
    salvaged = *done;
    EXPECT_TRUE(head);
    EXPECT_EQ(turns.size(), salvaged.turns);
    EXPECT_EQ(cards, salvaged.cards);
    return turns;
  }

  TempDir dir_;
  const std::filesystem::path file_ = dir_.path() / "box.kartei";
  std::string bytes_, error_;
};

TEST_F(SalvageTest, OfASoundBoxNothingIsLost) {
  EXPECT_TRUE(must(describe_damage(file_, test_key())).empty());
  Salvaged salvaged;
  EXPECT_EQ(salvage(salvaged).size(), kTurnsSaid);
  EXPECT_EQ(salvaged.cards, 50U);
  EXPECT_EQ(salvaged.gaps, 0U);
  EXPECT_EQ(read(file_), bytes_);
}

// Each page in turn: what lies elsewhere is there, and the box is left as it was.
TEST_F(SalvageTest, OnePageTakesLittleWithIt) {
  std::size_t with_gaps = 0;
  for (std::uint64_t page = 2; page <= pages(); page += 3) {
    damage({page});
    const std::string damaged = read(file_);
    const auto said = must(describe_damage(file_, test_key()));
    ASSERT_FALSE(said.empty()) << page;
    EXPECT_NE(said.front().find("1 page of"), std::string::npos) << said.front();
    EXPECT_NE(said.front().find("(" + std::to_string(page) + ")"), std::string::npos);
    Salvaged salvaged;
    const auto turns = salvage(salvaged);
    EXPECT_EQ(read(file_), damaged);
    EXPECT_FALSE(std::filesystem::exists(dir_.path() / "box.kartei.salvage"));
    if (turns.empty()) {
      // One of the few that all else hangs on: the list of tables, or a table's root.
      EXPECT_LT(page, 76U) << error_;
      continue;
    }
    with_gaps += salvaged.gaps > 0 ? 1 : 0;
    EXPECT_GE(turns.size() + 20, kTurnsSaid) << page;
    const bool lost = turns.size() < kTurnsSaid || salvaged.cards < 50U;
    EXPECT_TRUE(!lost || salvaged.gaps > 0) << page;
  }
  EXPECT_GT(with_gaps, 3U);
}

TEST_F(SalvageTest, SeveralGapsAreGoneAround) {
  // Which pages hold turns, by what one of them takes along.
  std::set<std::uint64_t> leaves;
  for (std::uint64_t page = pages(); page > 1 && leaves.size() < 5; page -= 2) {
    damage({page});
    Salvaged salvaged;
    const auto turns = salvage(salvaged);
    if (!turns.empty() && turns.size() < kTurnsSaid) leaves.insert(page);
  }
  ASSERT_EQ(leaves.size(), 5U);
  damage(leaves);
  Salvaged salvaged;
  const auto turns = salvage(salvaged);
  EXPECT_GE(turns.size(), kTurnsSaid - 100);
  EXPECT_LT(turns.size(), kTurnsSaid);
  EXPECT_GE(salvaged.gaps, 2U);
  EXPECT_LE(salvaged.gaps, 5U);
  bool named = false;
  for (const std::string& one : must(describe_damage(file_, test_key())))
    named |= one.starts_with("Affected: ") && one.find("turns") != std::string::npos;
  EXPECT_TRUE(named);
}

// Each page takes its own rows along and no others: also where but a few good ones stand between
// long gaps.
TEST_F(SalvageTest, WhatStandsBetweenLongGapsIsKept) {
  Salvaged salvaged;
  const std::set<std::string> all = salvage(salvaged);
  ASSERT_EQ(all.size(), kTurnsSaid);
  std::map<std::string, std::uint64_t> leaf_of;  // by turn; their order is that of the rows
  for (std::uint64_t page = 2; page <= pages(); ++page) {
    damage({page});
    const auto turns = salvage(salvaged);
    if (turns.size() + 30 < all.size()) continue;  // what all else hangs on
    for (const std::string& turn : all)
      if (turns.count(turn) == 0) leaf_of[turn] = page;
  }
  ASSERT_EQ(leaf_of.size(), all.size());
  const std::vector<std::string> turns(all.begin(), all.end());
  std::set<std::uint64_t> good, bad;
  for (std::size_t i = 110; i < 130; ++i) good.insert(leaf_of[turns[i]]);
  for (std::size_t i = 10; i < 230; ++i)
    if (const std::uint64_t leaf = leaf_of[turns[i]]; good.count(leaf) == 0) bad.insert(leaf);
  damage(bad);
  std::set<std::string> left;
  for (const auto& [turn, leaf] : leaf_of)
    if (bad.count(leaf) == 0) left.insert(turn);
  ASSERT_LT(left.size(), 150U);
  EXPECT_EQ(salvage(salvaged), left);
  EXPECT_EQ(salvaged.gaps, 2U);
}

TEST_F(SalvageTest, ADamagedLogIsReadUpToTheDamage) {
  const auto copy = dir_.path() / "copy";
  {
    TestBox box(must(Box::open({file_, false, &test_key()})));
    for (std::uint64_t n = 1; n <= 10; ++n) {
      box.hear(make_turn(1000 + n, "later"), 1000 + n);
      must(box->sync());
    }
    std::filesystem::create_directory(copy);
    std::filesystem::copy(file_, copy);
    std::filesystem::copy(file_.string() + "-wal", copy);
  }
  const auto log = copy / "box.kartei-wal";
  std::string bytes = read(log);
  bytes[bytes.size() / 2] ^= 1;
  std::ofstream(log, std::ios::binary | std::ios::trunc) << bytes;
  EXPECT_TRUE(Box::open({copy / "box.kartei", false, &test_key()}).has_error());
  const auto said = must(describe_damage(copy / "box.kartei", test_key()));
  ASSERT_FALSE(said.empty());
  EXPECT_NE(said.front().find("write-ahead log is damaged"), std::string::npos) << said.front();
  std::size_t turns = 0;
  const auto done = salvage_box(copy / "box.kartei", test_key(), [&](std::string_view line) {
    turns += line.starts_with(R"({"kind":"turn")") ? 1 : 0;
    return true;
  });
  ASSERT_TRUE(done.has_value()) << done.error().what;
  EXPECT_GE(turns, kTurnsSaid);
  EXPECT_LT(turns, kTurnsSaid + 10);
  EXPECT_EQ(read(log), bytes);
}

TEST_F(SalvageTest, OneThatIsHeldOrForeignIsLeftAlone) {
  const crypto::Secret other(Bytes(32, 9));
  const auto none = [](std::string_view) { return true; };
  EXPECT_EQ(salvage_box(file_, other, none).error().cause, Cause::kForbidden);
  const auto held = must(Box::open({file_, false, &test_key()}));
  EXPECT_EQ(salvage_box(file_, test_key(), none).error().cause, Cause::kConflict);
  EXPECT_EQ(describe_damage(file_, test_key()).error().cause, Cause::kConflict);
}

}  // namespace
}  // namespace kartei::store
