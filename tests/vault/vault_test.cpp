#include "crypto/vault/vault.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "crypto/vault/examine.h"
#include "crypto/vault/vault_core.h"
#include "tests/crypto/support.h"
#include "tests/vault/thief.h"

namespace kartei::vault {
namespace {

using vault_test::Connection;
using vault_test::DiskImage;
using vault_test::execute;
using vault_test::test_key;
using FailureKind = VaultFailure::Kind;

class VaultTest : public testing::Test {
 protected:
  std::filesystem::path file() const { return directory_.path() / "box.db"; }
  Result<std::unique_ptr<Vault>> open(bool create, const crypto::Secret& key = test_key()) {
    VaultOptions options;
    options.create = create;
    return Vault::open(file(), key, options);
  }
  std::string all_files() const {
    std::string out;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path()))
      out += entry.path().filename().string() + " ";
    return out;
  }

  crypto::TemporaryDirectory directory_;
};

bool refused(const Vault& vault) {
  for (const auto& failure : vault.failures())
    if (failure.kind == FailureKind::kRefused) return true;
  return false;
}

// A statement that fails with a damaged page names that page, whatever was met since.
TEST(VaultFailures, WhatIsNoDamageDoesNotTakeThePlaceOfTheLastDamage) {
  Failures failures;
  failures.note(FailureKind::kLogEnd, 1, "ends the log");
  EXPECT_FALSE(failures.last_damage());
  failures.note(FailureKind::kMainPage, 7, "does not authenticate");
  failures.note(FailureKind::kRefused, 0, "a journal");
  failures.note(FailureKind::kLogEnd, 9, "ends the log");
  ASSERT_TRUE(failures.last_damage());
  EXPECT_EQ(failures.last_damage()->number, 7U);
  EXPECT_EQ(failures.all().size(), 4U);
}

TEST_F(VaultTest, MakesAFileAndOpensItAgain) {
  {
    const auto vault = open(true).value();
    const Connection db = vault_test::connect(*vault).value();
    ASSERT_TRUE(execute(db.get(), "CREATE TABLE t(x); INSERT INTO t VALUES(42)").has_value());
    EXPECT_NE(all_files().find("box.db-wal"), std::string::npos);
    EXPECT_EQ(all_files().find("-shm"), std::string::npos);
    EXPECT_EQ(all_files().find("-journal"), std::string::npos);
  }
  EXPECT_EQ(all_files(), "box.db ");
  const auto status = std::filesystem::status(file()).permissions();
  EXPECT_EQ(status, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const auto vault = open(false).value();
  const Connection db = vault_test::connect(*vault).value();
  EXPECT_TRUE(execute(db.get(), "CREATE TABLE u(x); INSERT INTO u SELECT x FROM t").has_value());
  EXPECT_TRUE(vault->failures().empty());
}

TEST_F(VaultTest, RefusesWithACauseThatAPersonCanActOn) {
  EXPECT_EQ(open(false).error().cause, Cause::kNotFound);
  ASSERT_TRUE(open(true).has_value());
  EXPECT_EQ(open(false, test_key(8)).error().cause, Cause::kForbidden);
  std::ofstream(file()) << "SQLite format 3" << std::string(5000, '\0');
  EXPECT_EQ(open(true).error().cause, Cause::kConflict);
  std::ofstream(file()) << std::string(5000, 'x');
  EXPECT_EQ(open(true).error().cause, Cause::kCorrupt);
  std::ofstream(file()) << "short";
  EXPECT_EQ(open(true).error().cause, Cause::kCorrupt);
}

// What is left of a box is never taken for a place to begin anew.
TEST_F(VaultTest, FillsNoEmptyFileAndJoinsNoLog) {
  std::ofstream(file()).close();
  EXPECT_EQ(open(true).error().cause, Cause::kCorrupt);
  EXPECT_EQ(std::filesystem::file_size(file()), 0u);
  std::filesystem::rename(file(), file().string() + "-wal");
  EXPECT_EQ(open(true).error().cause, Cause::kCorrupt);
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(VaultTest, LetsNobodyElseIn) {
  const auto vault = open(true).value();
  EXPECT_EQ(open(false).error().cause, Cause::kConflict);
  EXPECT_EQ(examine(file(), test_key()).error().cause, Cause::kConflict);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto again = open(false);
    ::_exit(again.has_error() && again.error().cause == Cause::kConflict ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(VaultTest, SeveralWithDifferentKeysLiveBesideOneAnother) {
  std::vector<std::unique_ptr<Vault>> vaults;
  std::vector<Connection> connections;
  for (std::uint8_t i = 0; i < 4; ++i) {
    VaultOptions options;
    options.create = true;
    const auto name = directory_.path() / ("box" + std::to_string(i));
    vaults.push_back(Vault::open(name, test_key(i), options).value());
    connections.push_back(vault_test::connect(*vaults.back()).value());
    ASSERT_TRUE(execute(connections.back().get(), "CREATE TABLE t(x)").has_value());
  }
  for (auto& db : connections)
    EXPECT_TRUE(execute(db.get(), "INSERT INTO t VALUES(1)").has_value());
  // One's VFS opens no other's file.
  sqlite3* raw = nullptr;
  EXPECT_EQ(sqlite3_open_v2(vaults[0]->file().c_str(), &raw, SQLITE_OPEN_READWRITE,
                            vaults[1]->vfs_name()),
            SQLITE_CANTOPEN);
  sqlite3_close(raw);
}

TEST_F(VaultTest, NothingIsWrittenInTheClear) {
  const auto vault = open(true).value();
  Connection db = vault_test::connect(*vault).value();
  ASSERT_TRUE(
      execute(db.get(), "CREATE TABLE t(x); INSERT INTO t VALUES('Quittenbaum')").has_value());
  const std::string other = (directory_.path() / "other.db").string();
  EXPECT_TRUE(execute(db.get(), "ATTACH '" + other + "' AS o").has_error());
  EXPECT_TRUE(refused(*vault));
  EXPECT_TRUE(execute(db.get(), "VACUUM INTO '" + other + "'").has_error());
  EXPECT_TRUE(execute(db.get(),
                      "PRAGMA temp_store = FILE; CREATE TEMP TABLE p(x);"
                      "INSERT INTO p SELECT zeroblob(9000000)")
                  .has_error());
  EXPECT_EQ(all_files().find("other"), std::string::npos);
}

TEST_F(VaultTest, StaysInWriteAheadModeAndKeepsItsPageSize) {
  const auto vault = open(true).value();
  Connection db = vault_test::connect(*vault).value();
  ASSERT_TRUE(execute(db.get(), "CREATE TABLE t(x); INSERT INTO t VALUES(1)").has_value());
  for (const char* mode : {"DELETE", "MEMORY", "OFF", "TRUNCATE", "PERSIST"}) {
    const Status left = execute(db.get(), std::string("PRAGMA journal_mode = ") + mode);
    EXPECT_TRUE(left.has_error()) << mode;
    db.reset();
    db = vault_test::connect(*vault).value();
  }
  EXPECT_TRUE(refused(*vault));
  EXPECT_TRUE(execute(db.get(),
                      "INSERT INTO t VALUES(2); PRAGMA page_size = 8192; VACUUM;"
                      "INSERT INTO t VALUES(3)")
                  .has_value());
  EXPECT_EQ(std::filesystem::file_size(file()) % 4096, 0u);
}

// Sizes differ above and beneath: what cuts for SQLite must not lengthen on disk.
TEST_F(VaultTest, CuttingTheLogNeverLengthensIt) {
  const auto vault = open(true).value();
  const Connection db = vault_test::connect(*vault).value();
  ASSERT_TRUE(execute(db.get(), "CREATE TABLE t(x); PRAGMA wal_checkpoint(TRUNCATE)").has_value());
  sqlite3_file* log = nullptr;
  ASSERT_EQ(sqlite3_file_control(db.get(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &log), SQLITE_OK);
  const auto size = [&] { return std::filesystem::file_size(file().string() + "-wal"); };
  ASSERT_EQ(size(), 0u);
  EXPECT_EQ(log->pMethods->xTruncate(log, 1 << 20), SQLITE_OK);
  EXPECT_EQ(size(), 0u);
  ASSERT_TRUE(execute(db.get(), "INSERT INTO t VALUES(1)").has_value());
  const auto before = size();
  sqlite3_int64 logical = 0;
  ASSERT_EQ(log->pMethods->xFileSize(log, &logical), SQLITE_OK);
  EXPECT_EQ(log->pMethods->xTruncate(log, logical), SQLITE_OK);
  EXPECT_EQ(size(), before);
  EXPECT_EQ(log->pMethods->xTruncate(log, logical - 1), SQLITE_OK);
  EXPECT_LT(size(), before);
}

TEST_F(VaultTest, AJournalLaidBesideItIsIgnored) {
  {
    const auto vault = open(true).value();
    const Connection db = vault_test::connect(*vault).value();
    ASSERT_TRUE(execute(db.get(), "CREATE TABLE t(x); INSERT INTO t VALUES(1)").has_value());
  }
  std::ofstream(file().string() + "-journal")
      << "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" << std::string(5000, '\1');
  const auto vault = open(false).value();
  const Connection db = vault_test::connect(*vault).value();
  EXPECT_TRUE(execute(db.get(), "INSERT INTO t VALUES(2)").has_value());
}

TEST_F(VaultTest, IsAsSQLiteDescribesAnEmptyDatabase) {
  for (const std::size_t size : {1024u, 4096u, 65536u}) {
    VaultOptions options;
    options.create = true;
    options.page_size_bytes = size;
    const auto name = directory_.path() / std::to_string(size);
    const auto vault = Vault::open(name, test_key(), options).value();
    const Connection db = vault_test::connect(*vault).value();
    EXPECT_TRUE(execute(db.get(),
                        "PRAGMA integrity_check; CREATE TABLE t(x);"
                        "INSERT INTO t VALUES(zeroblob(100000)); VACUUM")
                    .has_value())
        << size;
  }
  VaultOptions odd;
  odd.create = true;
  odd.page_size_bytes = 1000;
  EXPECT_EQ(Vault::open(directory_.path() / "odd", test_key(), odd).error().cause,
            Cause::kBadInput);
}

// A crash between a header and its first frame leaves a log of which SQLite looks at nothing. The
// next header must count for more than that one all the same.
TEST(LogHeader, FollowsOneThatHasNoFrames) {
  for (int round = 0; round < 8; ++round) {
    vault_test::Plan plan;
    plan.page_size = 1024;
    vault_test::FaultDisk disk(vault_test::new_disk(plan));
    DiskImage image;
    disk.after = [&](const vault_test::Call& call) {
      const bool second = call.kind == vault_test::CallKind::kWrite &&
                          call.file == vault_test::kLog && call.offset == LogLayout::header_at(1);
      if (second) image = disk.live();
    };
    {
      const auto vault = vault_test::open_vault(disk).value();
      const Connection db = vault_test::connect(*vault).value();
      ASSERT_TRUE(execute(db.get(),
                          "CREATE TABLE t(x); PRAGMA wal_checkpoint(TRUNCATE);"
                          "INSERT INTO t VALUES(1)")
                      .has_value());
    }
    ASSERT_EQ(image[vault_test::kLog].size(), LogLayout::header_at(1) + kLogHeaderSlot);
    vault_test::FaultDisk crashed(image);
    const auto vault = vault_test::open_vault(crashed).value();
    const Connection db = vault_test::connect(*vault).value();
    ASSERT_TRUE(execute(db.get(), "INSERT INTO t VALUES(2)").has_value());
    const vault_test::FaultDisk killed(crashed.live());
    const auto again = vault_test::open_vault(killed).value();
    const Connection last = vault_test::connect(*again).value();
    EXPECT_TRUE(execute(last.get(),
                        "CREATE TEMP TABLE one(x CHECK(x = 1));"
                        "INSERT INTO one SELECT count(*) FROM t WHERE x = 2")
                    .has_value());
  }
}

// ---- what is damaged

TEST(Examine, TellsSoundPagesFromDamagedOnes) {
  const auto scene = vault_test::make_scene(make_format, false).value();
  const std::size_t size = scene.plan.page_size;
  DiskImage image = scene.image;
  Bytes& content = image[vault_test::kFile];
  const std::size_t pages = content.size() / size;
  ASSERT_GT(pages, 8u);
  content[2 * size + 100] ^= 1;
  std::fill_n(content.begin() + static_cast<std::ptrdiff_t>(4 * size), size, 0);
  content.resize(content.size() + 10);
  const vault_test::FaultDisk disk(image);
  const Examination found = examine(vault_test::kFile, test_key(), disk.vfs_name()).value();
  EXPECT_EQ(found.pages, pages);
  EXPECT_EQ(found.sound, pages - 2);
  EXPECT_EQ(found.never_written, 1u);
  EXPECT_EQ(found.damaged_pages, std::vector<std::uint64_t>{3});
  EXPECT_EQ(found.held_by_log, 0u);
  EXPECT_TRUE(found.ends_within_a_page);
  EXPECT_EQ(found.page_size_bytes, size);
}

TEST(Examine, KnowsWhatTheLogHolds) {
  const auto scene = vault_test::make_scene(make_format, true).value();
  DiskImage image = scene.image;
  image[vault_test::kFile][30] ^= 1;  // page 1, which every commit writes
  const LogLayout layout{scene.plan.page_size};
  const std::uint64_t frames =
      layout.frames_in(static_cast<std::int64_t>(image[vault_test::kLog].size()));
  {
    const vault_test::FaultDisk disk(image);
    const Examination found = examine(vault_test::kFile, test_key(), disk.vfs_name()).value();
    EXPECT_EQ(found.damaged, 1u);
    EXPECT_EQ(found.held_by_log, 1u);
    EXPECT_GT(found.log_frames, 5u);
    EXPECT_EQ(found.log_damaged, 0u);
  }
  image[vault_test::kLog][static_cast<std::size_t>(layout.frame_at(1)) + 200] ^= 1;
  const vault_test::FaultDisk disk(image);
  const Examination found = examine(vault_test::kFile, test_key(), disk.vfs_name()).value();
  EXPECT_EQ(found.log_damaged, 1u);
  EXPECT_LT(found.log_frames, frames);
}

}  // namespace
}  // namespace kartei::vault
