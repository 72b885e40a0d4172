// What is noticed of damage: a letter that is not what was stored, a log that is gone or damaged.
#include <sys/wait.h>

#include <fstream>

#include "store/box_impl.h"
#include "store/check.h"
#include "store/log_check.h"
#include "tests/store/fixture.h"

namespace kartei::store {
namespace {
namespace fs = std::filesystem;

// Changes one letter in the file, wherever the word stands in it.
int flip(const fs::path& file, const std::string& word) {
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  std::string all((std::istreambuf_iterator<char>(bytes)), {});
  int found = 0;
  for (std::size_t at = all.find(word); at != std::string::npos; at = all.find(word, at + 1)) {
    bytes.seekp(static_cast<std::streamoff>(at));
    bytes.put(static_cast<char>(word[0] ^ 1));
    ++found;
  }
  return found;
}

TEST(KeptWords, AFlippedLetterIsNoticed) {
  TempDir dir;
  for (const bool of_card : {false, true}) {
    const auto file = dir.path() / (of_card ? "card" : "turn");
    {
      TestBox box(file);
      box.local(
          {TurnHeard{make_turn(1, "the first turn, Zanzibar", kLocalDrawer)},
           TurnHeard{make_turn(2, "another", kLocalDrawer)},
           make_unit({2}, {make_card({2}, "a card of Quuxland", kLocalDrawer)}, kLocalDrawer)});
      EXPECT_TRUE(must(box->check_words()).empty());
      must(box->cut_log());
    }
    EXPECT_TRUE(must(check_box_file(file)).empty());
    ASSERT_GT(flip(file, of_card ? "Quuxland" : "Zanzibar"), 0);
    const auto wrong = must(check_box_file(file));
    ASSERT_EQ(wrong.size(), 1U);
    const std::string id =
        of_card ? make_card({2}, "a card of Quuxland", kLocalDrawer).id.text() : turn_id(1).text();
    EXPECT_NE(wrong[0].find(id), std::string::npos) << wrong[0];
    TestBox box(file);  // all else can be used
    EXPECT_EQ(must(box->check_words()).size(), 1U);
    EXPECT_TRUE(must(box->check()).empty());
  }
}

TEST(KeptWords, DamagedListsAreMadeAnew) {
  TestBox box;
  for (std::uint64_t n = 1; n < 100; ++n) box.hear(make_turn(n, "A badger."));
  must(box->tidy());
  EXPECT_TRUE(must(box->check_words()).empty());
  Db db(box->writer());
  must(db.run("UPDATE turn_postings SET data = zeroblob(length(data))"));
  const auto wrong = must(box->check_words());
  ASSERT_EQ(wrong.size(), 1U);
  EXPECT_NE(wrong[0].find("made anew"), std::string::npos) << wrong[0];
  EXPECT_TRUE(must(box->check_words()).empty());
}

TEST(KeptWords, ChangesOfACardKeepItsSum) {
  TestBox box;
  Card card = user_card(1, "tea");
  card.drawer = kLocalDrawer;
  box.local({make_add(1, card), make_edit(2, EditKind::kFlags, card)});
  CardEdited note = make_edit(3, EditKind::kAnnotate, card);
  note.note = "green";
  box.local({note, make_edit(4, EditKind::kClose, card)});
  EXPECT_TRUE(must(box->check_words()).empty());
}

TEST(KeptWords, WhatIsNoBoxIsSaid) {
  TempDir dir;
  EXPECT_EQ(check_box_file(dir.path() / "none").error().cause, Cause::kNotFound);
  std::ofstream(dir.path() / "other") << "something else, long enough";
  EXPECT_EQ(check_box_file(dir.path() / "other").error().cause, Cause::kCorrupt);
}

class LogTest : public ::testing::Test {
 protected:
  fs::path file() const { return dir_.path() / "box"; }
  fs::path log() const { return dir_.path() / "box-wal"; }
  fs::path index() const { return dir_.path() / "box-shm"; }
  // A process that is cut off with commits in its log.
  void cut_off_after(int commits) {
    { TestBox made(file()); }
    const pid_t child = ::fork();
    if (child == 0) {
      TestBox box(file());
      for (int n = 1; n <= commits; ++n)
        box.hear(make_turn(static_cast<std::uint64_t>(n), std::string(500, 'x')), n);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_GT(fs::file_size(log()), 32U);
  }
  void damage(std::uintmax_t at) {
    std::fstream bytes(log(), std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekg(static_cast<std::streamoff>(at));
    const int was = bytes.get();
    bytes.seekp(static_cast<std::streamoff>(at));
    bytes.put(static_cast<char>(was ^ 4));
  }
  LogReport report() { return must(look_at_log(file(), booted_at_)); }

  TempDir dir_;
  std::optional<fs::file_time_type> booted_at_;
};

// The index is not synced: after a power cut nothing follows from it.
TEST_F(LogTest, AnIndexOfAnEarlierBootTellsNothing) {
  cut_off_after(8);
  fs::remove(log());
  booted_at_ = fs::last_write_time(index()) - std::chrono::hours(1);
  EXPECT_EQ(report().state, LogState::kGone);
  booted_at_ = fs::last_write_time(index()) + std::chrono::hours(1);
  EXPECT_EQ(report().state, LogState::kSound);
  ASSERT_TRUE(boot_time());
  EXPECT_LT(*boot_time(), fs::last_write_time(index()));
}

TEST_F(LogTest, OneThatIsWholeIsSound) {
  EXPECT_EQ(report().state, LogState::kSound);  // there is no box at all
  cut_off_after(8);
  EXPECT_EQ(report().state, LogState::kSound);
  TestBox box(file());
  EXPECT_EQ(must(box->counts()).turns, 8U);
  EXPECT_EQ(report().state, LogState::kSound);
}

TEST_F(LogTest, OneThatIsGoneIsNoticed) {
  cut_off_after(8);
  fs::remove(log());
  EXPECT_EQ(report().state, LogState::kGone);
  EXPECT_GT(report().lost_pages, 0U);
  std::ofstream{log()};  // empty is as good as gone
  EXPECT_EQ(report().state, LogState::kGone);
  fs::remove(index());  // its owner's word that it may go on
  EXPECT_EQ(report().state, LogState::kSound);
}

TEST_F(LogTest, AfterAnOrderlyEndNothingIsMissed) {
  cut_off_after(8);
  { TestBox box(file()); }
  EXPECT_FALSE(fs::exists(log()));
  EXPECT_EQ(report().state, LogState::kSound);
}

// Frames of a large change are written before it is committed, and again in their place.
TEST_F(LogTest, AChangeThatWasCutOffIsNoDamage) {
  { TestBox made(file()); }
  const pid_t child = ::fork();
  if (child == 0) {
    TestBox box(file());
    for (int n = 1; n <= 8; ++n)
      box.hear(make_turn(static_cast<std::uint64_t>(n), std::string(500, 'x')), n);
    Db db(box->writer());
    must(db.run("PRAGMA cache_size = 4"));
    must(db.run("PRAGMA cache_spill = 4"));  // as while much is written
    must(db.run("BEGIN IMMEDIATE"));
    must(db.run("CREATE TABLE large(a INTEGER PRIMARY KEY, b TEXT)"));
    must(
        db.run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)"
               " INSERT INTO large SELECT i, hex(zeroblob(500)) FROM n"));
    for (int round = 0; round < 3; ++round)
      must(db.run("UPDATE large SET b = b || '1' WHERE a % 7 = ?", round));
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_GT(fs::file_size(log()), 500U * 1000U);
  EXPECT_EQ(report().state, LogState::kSound);
  const fs::path kept = dir_.path() / "kept";
  fs::copy_file(index(), kept);
  fs::remove(index());
  EXPECT_EQ(report().state, LogState::kSound);
  fs::copy_file(kept, index());
  TestBox box(file());
  EXPECT_EQ(must(box->counts()).turns, 8U);
}

// A commit's last frame is written before the sums of those that were written anew.
TEST_F(LogTest, WhatTheIndexDoesNotCountWasNotCommitted) {
  { TestBox made(file()); }
  const fs::path then = dir_.path() / "then";
  const pid_t child = ::fork();
  if (child == 0) {
    TestBox box(file());
    for (int n = 1; n <= 8; ++n) {
      box.hear(make_turn(static_cast<std::uint64_t>(n), std::string(500, 'x')), n);
      if (n != 4) continue;
      fs::copy_file(index(), then);
      std::ofstream(dir_.path() / "size") << fs::file_size(log());
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  std::uintmax_t committed = 0;
  std::ifstream(dir_.path() / "size") >> committed;
  ASSERT_GT(fs::file_size(log()), committed);
  fs::copy_file(then, index(), fs::copy_options::overwrite_existing);
  damage(committed + 200);
  EXPECT_EQ(report().state, LogState::kSound);
  damage(committed - 200);
  EXPECT_EQ(report().state, LogState::kDamaged);
}

// Each byte may be the one: of a page, of a frame's head, of the log's own head; and with or
// without the index that tells how long the log was.
TEST_F(LogTest, DamageIsNoticedWhereverItIs) {
  cut_off_after(8);
  const fs::path whole = dir_.path() / "whole", kept = dir_.path() / "kept";
  fs::copy_file(log(), whole);
  fs::copy_file(index(), kept);
  const std::uintmax_t size = fs::file_size(log()), frame = 24 + 4096;
  for (const bool with_index : {true, false}) {
    if (!with_index) fs::remove(index());
    for (std::uintmax_t at = 0; at + frame < size; at += 397) {
      if (!with_index && at < 32) continue;  // nothing else tells that this was a log
      fs::copy_file(whole, log(), fs::copy_options::overwrite_existing);
      damage(at);
      EXPECT_EQ(report().state, LogState::kDamaged) << at << ' ' << with_index;
      EXPECT_GT(report().lost_pages, 0U);
    }
  }
  fs::copy_file(kept, index());
  fs::copy_file(whole, log(), fs::copy_options::overwrite_existing);
  damage(size - 100);  // the last page: the index tells
  EXPECT_EQ(report().state, LogState::kDamaged);
  // A torn end is what a power cut leaves of what was not synced: with nothing behind it, and
  // without the index, nothing is told.
  fs::remove(index());
  EXPECT_EQ(report().state, LogState::kSound);
}

}  // namespace
}  // namespace kartei::store
