// The file: transactions, durability, what may go wrong with it. Reading is in read_test.cpp.
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "store/export.h"
#include "store/librarian.h"
#include "store/schema.h"
#include "tests/store/fixture.h"

namespace kartei::store {
namespace {

using Durability = Box::Transaction::Durability;

Result<std::unique_ptr<Box>> open_box(const std::filesystem::path& file, bool create = true,
                                      const crypto::Secret* key = nullptr) {
  return Box::open({file, create, key});
}

// What a box in the clear keeps, an encrypted one keeps, too.
class BoxKinds : public ::testing::TestWithParam<bool> {
 protected:
  const crypto::Secret* key() const { return GetParam() ? &test_key() : nullptr; }
  Result<std::unique_ptr<Box>> reopen(bool create = true) const {
    return open_box(file_, create, key());
  }
  TempDir dir_;
  const std::filesystem::path file_ = dir_.path() / "box.db";
};
INSTANTIATE_TEST_SUITE_P(All, BoxKinds, ::testing::Bool(), [](const auto& kind) {
  return kind.param ? std::string("Encrypted") : std::string("Plain");
});

// Raw SQL on a file, past the box.
void raw(const std::filesystem::path& file, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(db);
  sqlite3_close(db);
}

TEST_P(BoxKinds, IsMadePrivateAndFoundAgain) {
  EXPECT_EQ(reopen(false).error().cause, Cause::kNotFound);
  { TestBox box(file_, key()); }
  EXPECT_EQ(std::filesystem::status(file_).permissions() & std::filesystem::perms::all,
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  auto again = reopen(false);
  ASSERT_TRUE(again.has_value()) << again.error().what;
  EXPECT_EQ(must((*again)->drawers()).size(), 2u);
  EXPECT_TRUE(must((*again)->check()).empty());
}

TEST(BoxFile, AForeignFileIsLeftAlone) {
  TempDir dir;
  const auto text = dir.path() / "text.db", other = dir.path() / "other.db";
  std::ofstream(text) << "Dear diary, this is no database at all.";
  EXPECT_EQ(open_box(text).error().cause, Cause::kCorrupt);
  raw(other, "CREATE TABLE songs(name)");
  const auto error = open_box(other).error();
  EXPECT_EQ(error.cause, Cause::kCorrupt);
  EXPECT_NE(error.what.find("another program"), std::string::npos) << error.what;
  raw(other, "INSERT INTO songs VALUES('still here')");
}

TEST(BoxFile, ANewerFormatSaysSo) {
  TempDir dir;
  const auto file = dir.path() / "box.db";
  { TestBox box(file); }
  raw(file, "PRAGMA user_version = 99");
  const auto error = open_box(file).error();
  EXPECT_EQ(error.cause, Cause::kVersion);
  EXPECT_NE(error.what.find("newer Kartei"), std::string::npos) << error.what;
}

TEST(BoxFile, AnOlderFormatIsBroughtUpToDate) {
  TempDir dir;
  const auto file = dir.path() / "box.db";
  {
    TestBox box(file);
    box.local({make_add(1, user_card(1, "The hedgehog sleeps."))});
  }
  raw(file,
      std::string(kBackToFormat4) +
          "DROP INDEX confirmations_turn; DROP TRIGGER card_rank_changed; DROP TABLE card_docs;"
          "CREATE TABLE card_docs(rid INTEGER PRIMARY KEY, length INTEGER NOT NULL, bag BLOB NOT "
          "NULL);"
          "DROP TABLE turn_docs; CREATE TABLE turn_docs(rid INTEGER PRIMARY KEY, conversation "
          "INTEGER "
          "NOT NULL, said_at INTEGER NOT NULL, role INTEGER NOT NULL, length INTEGER NOT NULL, bag "
          "BLOB "
          "NOT NULL); CREATE INDEX turn_docs_conversation ON turn_docs(conversation, said_at);"
          "DROP TABLE moves; DROP TABLE unread; DROP TRIGGER unread_filed; DROP TRIGGER "
          "unread_not_filed; DROP TRIGGER unread_read; DROP TRIGGER unread_again; DROP TRIGGER "
          "unread_turn; DROP TRIGGER unread_no_turn;"
          "PRAGMA user_version = 1");
  {
    auto box = open_box(file);
    ASSERT_TRUE(box.has_value()) << box.error().what;
    const auto librarian = must(Librarian::open(**box));
    RecallRequest request;
    request.query = "hedgehog";
    EXPECT_EQ(must(librarian->recall(request)).items.size(), 1U);
  }
  raw(file, "DROP INDEX confirmations_turn; DROP TRIGGER card_rank_changed");  // are there again
}

TEST(BoxFile, AnInterruptedFirstOpenIsDoneAgain) {
  TempDir dir;
  const auto file = dir.path() / "box.db";
  std::ofstream(file).flush();  // made, nothing written
  EXPECT_TRUE(open_box(file).has_value());
}

TEST_P(BoxKinds, DamageIsNoticed) {
  {
    TestBox box(file_, key());
    for (std::uint64_t n = 1; n < 200; ++n) box.hear(make_turn(n, std::string(300, 'x')), n);
    must(box->scrub());
  }
  const auto size = std::filesystem::file_size(file_);
  {
    std::fstream bytes(file_, std::ios::in | std::ios::out | std::ios::binary);
    for (std::uintmax_t at = 2 * 4096; at + 64 < size; at += 4096) {
      bytes.seekp(static_cast<std::streamoff>(at));
      bytes.write(std::string(64, '\x5A').data(), 64);
    }
  }
  auto box = reopen();
  if (box.has_error()) {
    EXPECT_EQ(box.error().cause, Cause::kCorrupt) << box.error().what;
    return;
  }
  const auto wrong = (*box)->check();
  EXPECT_TRUE(wrong.has_error() || !wrong->empty());
  auto turn = (*box)->turn(turn_id(150));
  EXPECT_TRUE(turn.has_value() || turn.error().cause == Cause::kCorrupt);
}

TEST_P(BoxKinds, ACutHeaderIsNoticed) {
  { TestBox box(file_, key()); }
  std::filesystem::resize_file(file_, 50);
  EXPECT_EQ(reopen().error().cause, Cause::kCorrupt);
}

// ---- in children: what a whole process suffers

// Runs `body` in a child; its exit status.
template <class Body>
int in_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    alarm(60);
    ::_exit(body());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_P(BoxKinds, AFileThatCannotBeWrittenSaysSo) {
  { TestBox box(file_, key()); }
  std::filesystem::permissions(file_, std::filesystem::perms(0444));
  std::filesystem::permissions(dir_.path(), std::filesystem::perms(0755));
  // Root may write anything, so the child is nobody.
  const int exit = in_child([&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return 77;
    auto box = reopen();
    if (box.has_value()) return 1;
    return box.error().cause == Cause::kReadOnly ? 0 : 2;
  });
  if (exit == 77) GTEST_SKIP() << "cannot become an unprivileged user";
  EXPECT_EQ(exit, 0);
}

// Stands for a full disk: no file may grow beyond a limit.
TEST_P(BoxKinds, AFullDiskLeavesTheBoxAsItWas) {
  { TestBox box(file_, key()); }
  const int exit = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    auto opened = reopen();
    if (opened.has_error()) return 1;
    Box& box = **opened;
    const rlimit limit{1 << 20, 1 << 20};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
    std::uint64_t stored = 0;
    for (std::uint64_t n = 1; n < 2000; ++n) {
      auto transaction = box.begin();
      if (transaction.has_error()) return 3;
      auto done = box.store_turn(make_turn(n, std::string(2000, 'x')), origin_of(n));
      Status committed =
          done.has_value() ? transaction->commit(Durability::kSynced) : Status{done.error()};
      if (committed.has_value()) {
        ++stored;
        continue;
      }
      const Cause cause = committed.error().cause;
      if (cause != Cause::kFull && cause != Cause::kIo) return 4;
      break;
    }
    if (stored == 0 || stored > 1000) return 5;
    // All that was acknowledged is there, nothing half, and reading goes on.
    return box.counts()->turns == stored ? 0 : 6;
  });
  EXPECT_EQ(exit, 0);
  auto box = reopen();
  ASSERT_TRUE(box.has_value()) << box.error().what;
  EXPECT_TRUE(must((*box)->check()).empty());
}

// A child writes and acknowledges over a pipe until it is killed.
TEST_P(BoxKinds, WhatWasAcknowledgedOutlivesKillNine) {
  { TestBox box(file_, key()); }
  std::uint64_t acknowledged = 0;
  for (int round = 0; round < 20; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      alarm(60);
      auto opened = reopen();
      if (opened.has_error()) ::_exit(1);
      Box& box = **opened;
      for (std::uint64_t n = acknowledged + 1;; ++n) {
        auto transaction = box.begin();
        if (transaction.has_error()) ::_exit(2);
        const std::vector<Delta> deltas{
            filed(n), make_unit({n}, {make_card({n}, "card " + std::to_string(n))})};
        const bool done = box.store_turn(make_turn(n), origin_of(n)).has_value() &&
                          box.apply_entry(box.tip_height() + 1, deltas).has_value() &&
                          transaction->commit(Durability::kSynced).has_value();
        if (!done || ::write(ends[1], &n, sizeof n) != sizeof n) ::_exit(3);
      }
    }
    ::close(ends[1]);
    std::uint64_t n = 0;
    const int enough = 1 + round % 5;
    for (int i = 0; i < enough && ::read(ends[0], &n, sizeof n) == sizeof n; ++i) acknowledged = n;
    ::kill(child, SIGKILL);
    while (::read(ends[0], &n, sizeof n) == sizeof n) acknowledged = n;
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);

    auto box = reopen(false);
    ASSERT_TRUE(box.has_value()) << box.error().what;
    ASSERT_TRUE(must((*box)->check()).empty()) << "round " << round;
    for (std::uint64_t i = 1; i <= acknowledged; ++i) {
      ASSERT_TRUE(must((*box)->turn(turn_id(i)))) << i << " in round " << round;
    }
    // One more may have been committed and not acknowledged; never half of one.
    const std::uint64_t turns = must((*box)->counts()).turns;
    ASSERT_LE(turns, acknowledged + 1);
    ASSERT_EQ((*box)->tip_height(), turns);
    ASSERT_EQ(must((*box)->counts()).cards_open, turns);
    acknowledged = turns;
  }
  EXPECT_GE(acknowledged, 20u);
}

// ---- transactions

TEST(BoxTransaction, RollsBackUnlessCommitted) {
  TestBox box;
  {
    auto transaction = box->begin();
    EXPECT_TRUE(must(box->store_turn(make_turn(1), origin_of(1))));
    EXPECT_TRUE(must(box->turn(turn_id(1))));
  }
  EXPECT_FALSE(must(box->turn(turn_id(1))));
  EXPECT_TRUE(box->begin().has_value());
}

TEST(BoxTransaction, IsNeededForEveryChangeAndNotNested) {
  TestBox box;
  EXPECT_TRUE(box->store_turn(make_turn(1), origin_of(1)).has_error());
  EXPECT_TRUE(box->apply_entry(1, {}).has_error());
  EXPECT_TRUE(box->put_meta("a", {}).has_error());
  EXPECT_TRUE(box->put_drawer({}).has_error());
  auto transaction = box->begin();
  EXPECT_TRUE(box->begin().has_error());
}

TEST_P(BoxKinds, SyncIsOwedByLazyCommitsOnly) {
  TestBox box(file_, key());
  std::vector<bool> seen;
  box->observe_commits([&](bool synced) { seen.push_back(synced); });
  must(box->sync());
  EXPECT_FALSE(box->sync_owed());
  seen.clear();
  box.hear(make_turn(1), 1);
  EXPECT_TRUE(box->sync_owed());
  must(box->sync());
  EXPECT_FALSE(box->sync_owed());
  must(box->sync());  // nothing to do: nobody is told
  auto transaction = box->begin();
  must(box->put_meta("a", as_bytes("b")));
  must(transaction->commit(Durability::kSynced));
  EXPECT_FALSE(box->sync_owed());
  auto empty = box->begin();
  must(empty->commit(Durability::kLazy));
  EXPECT_FALSE(box->sync_owed());
  EXPECT_EQ(seen, (std::vector<bool>{false, true, true}));
}

TEST_P(BoxKinds, ASyncedCommitCallsTheDisk) {
  // The log is the only file written between checkpoints; its syncs are counted through a shim.
  TestBox box(file_, key());
  sqlite3_file* log = nullptr;
  box.hear(make_turn(1), 1);
  ASSERT_EQ(sqlite3_file_control(box->writer(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &log),
            SQLITE_OK);
  ASSERT_NE(log, nullptr);
  static int syncs;
  static const sqlite3_io_methods* real;
  syncs = 0;
  real = log->pMethods;
  sqlite3_io_methods counting = *real;
  counting.xSync = [](sqlite3_file* file, int flags) {
    ++syncs;
    return real->xSync(file, flags);
  };
  log->pMethods = &counting;
  box.hear(make_turn(2), 2);
  EXPECT_EQ(syncs, 0);
  must(box->sync());
  EXPECT_EQ(syncs, 1);
  must(box->sync());
  EXPECT_EQ(syncs, 1);
  auto transaction = box->begin();
  must(box->put_meta("a", as_bytes("b")));
  must(transaction->commit(Durability::kSynced));
  EXPECT_EQ(syncs, 2);
  // A disk that fails to sync is not believed again.
  counting.xSync = [](sqlite3_file*, int) { return SQLITE_IOERR_FSYNC; };
  box.hear(make_turn(3), 3);
  EXPECT_EQ(box->sync().error().cause, Cause::kIo);
  counting.xSync = real->xSync;
  EXPECT_TRUE(box->sync().has_error());
  EXPECT_TRUE(box->begin().has_error());
  log->pMethods = real;
}

// ---- images

TEST_P(BoxKinds, IsACopyThatLivesOnItsOwn) {
  for (const auto& file : {std::filesystem::path(), dir_.path() / "box.db"}) {
    TestBox box(file, key());
    box.hear(make_turn(1), 1);
    box.entry({filed(1), make_unit({1}, {make_card({1}, "tea")})});
    const Bytes image = must(box->image());
    TestBox copy(must(Box::from_image(image)));
    EXPECT_EQ(copy.digest(), box.digest());
    EXPECT_EQ(must(copy->turn(turn_id(1))), make_turn(1));
    copy.hear(make_turn(2), 2);
    copy.undo_to(0);
    EXPECT_FALSE(must(box->turn(turn_id(2))));
    EXPECT_EQ(box->tip_height(), 1u);
    EXPECT_TRUE(must(copy->check()).empty());
    // And a copy of the copy.
    TestBox third(must(Box::from_image(must(copy->image()))));
    EXPECT_TRUE(must(third->turn(turn_id(2))));
  }
}

TEST(BoxImage, FromRubbishIsAnError) {
  EXPECT_TRUE(Box::from_image({}).has_error());
  EXPECT_TRUE(Box::from_image(Bytes(5000, 7)).has_error());
}

// ---- erasing leaves nothing behind once scrubbed

// A reader that is busy keeps the log; nobody waits for it, and the log is cut later.
TEST_P(BoxKinds, AReaderInTheWayIsNotWaitedFor) {
  const auto log = dir_.path() / "box.db-wal";
  TestBox box(file_, key());
  box.hear(make_turn(1, "zanzibarquux"));
  const auto exporter = must(Exporter::open(box->place()));
  must(exporter->run([&](std::string_view line) {
    if (line.find("\"drawer\"") == std::string_view::npos) return true;
    box.hear(make_turn(2, "the reader sees the moment before this"));
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_FALSE(must(box->scrub()));
    EXPECT_FALSE(must(box->cut_log()));
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(4));
    EXPECT_GT(std::filesystem::file_size(log), 0u);
    return false;
  }));
  EXPECT_TRUE(must(box->cut_log()));
  EXPECT_EQ(std::filesystem::file_size(log), 0u);
}

TEST_P(BoxKinds, LeavesNoTraceInTheFile) {
  TestBox box(file_, key());
  const std::string secret = "rosebud-under-the-snow";
  box.hear(make_turn(1, "I said " + secret), 1);
  Card card = make_card({1}, "Maya said " + secret);
  CardEdited close = make_edit(1, EditKind::kClose, card);
  close.note = "no more " + secret;
  box.entry({filed(1), make_unit({1}, {card}), close});
  box.entry({make_edit(2, EditKind::kEraseCard, card), erase_turn(3, 1)});
  box.write([](Box& b) { return b.forget_undo_through(2); });
  must(box->scrub());
  const auto holds_secret = [&](const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    return bytes.find("rosebud") != std::string::npos;
  };
  EXPECT_FALSE(holds_secret(file_));
  EXPECT_FALSE(holds_secret(file_.string() + "-wal"));
  // What is beneath the encryption.
  const Bytes image = must(box->image());
  EXPECT_EQ(as_text(image).find("rosebud"), std::string_view::npos);
}

}  // namespace
}  // namespace kartei::store
