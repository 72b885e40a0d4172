// Many readers beside a writer and checkpoints, on threads and real files.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/crypto/support.h"
#include "tests/vault/workload.h"

namespace kartei::vault_test {
namespace {

// Two tables that are always equal: a reader that sees a difference saw half a transaction.
constexpr char kTables[] =
    "CREATE TABLE a(id INTEGER PRIMARY KEY, x, filler); CREATE TABLE b(id INTEGER PRIMARY KEY, x,"
    "filler); INSERT INTO a WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i"
    "< 60) SELECT i, 0, zeroblob(300) FROM c; INSERT INTO b SELECT * FROM a";

std::int64_t one_number(sqlite3* db, const char* sql, std::atomic<int>& errors) {
  sqlite3_stmt* statement = nullptr;
  std::int64_t value = -1;
  if (sqlite3_prepare_v2(db, sql, -1, &statement, nullptr) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW)
    value = sqlite3_column_int64(statement, 0);
  if (sqlite3_finalize(statement) != SQLITE_OK) ++errors;
  return value;
}

struct Shared {
  const vault::Vault& vault;
  std::atomic<bool> stop{false};
  std::atomic<int> errors{0};
  std::atomic<int> torn{0};
  std::atomic<std::int64_t> reads{0};
};

void read_on(Shared& shared) {
  std::int64_t last = 0;
  while (!shared.stop) {
    auto db = connect(shared.vault);
    if (db.has_error()) {
      ++shared.errors;
      continue;
    }
    sqlite3_busy_timeout(db->get(), 60000);
    for (int i = 0; i < 20 && !shared.stop; ++i) {
      execute(db->get(), "BEGIN").value();
      const auto a = one_number(db->get(), "SELECT sum(x) FROM a", shared.errors);
      const auto b = one_number(db->get(), "SELECT sum(x) FROM b", shared.errors);
      execute(db->get(), "COMMIT").value();
      if (a != b || a < last) ++shared.torn;
      last = std::max(last, a);
      ++shared.reads;
    }
  }
}

void checkpoint_on(Shared& shared) {
  const auto db = connect(shared.vault);
  sqlite3_busy_timeout(db->get(), 100);
  for (int i = 0; !shared.stop; ++i) {
    static constexpr int kModes[] = {SQLITE_CHECKPOINT_PASSIVE, SQLITE_CHECKPOINT_FULL,
                                     SQLITE_CHECKPOINT_RESTART, SQLITE_CHECKPOINT_TRUNCATE};
    const int code = sqlite3_wal_checkpoint_v2(db->get(), "main", kModes[i % 4], nullptr, nullptr);
    if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY && (code & 0xff) != SQLITE_LOCKED)
      ++shared.errors;
    std::this_thread::yield();
  }
}

TEST(Readers, SeeWholeTransactionsBesideAWriterAndCheckpoints) {
  crypto::TemporaryDirectory directory;
  vault::VaultOptions options;
  options.create = true;
  const auto vault = vault::Vault::open(directory.path() / "box.db", test_key(), options).value();
  Connection writer = connect(*vault).value();
  sqlite3_busy_timeout(writer.get(), 60000);
  ASSERT_TRUE(execute(writer.get(), kTables).has_value());
  ASSERT_TRUE(execute(writer.get(),
                      "PRAGMA synchronous = NORMAL; PRAGMA cache_size = 10;"
                      "PRAGMA wal_autocheckpoint = 30")
                  .has_value());
  Shared shared{*vault};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { read_on(shared); });
  threads.emplace_back([&] { checkpoint_on(shared); });
  for (int i = 0; i < 300; ++i) {
    const Status written = execute(
        writer.get(), "BEGIN IMMEDIATE; UPDATE a SET x = x + 1; UPDATE b SET x = x + 1; COMMIT");
    if (written.has_error()) {
      execute(writer.get(), "ROLLBACK");
      ++shared.errors;
    }
  }
  while (shared.reads < 200 && shared.errors == 0) std::this_thread::yield();
  shared.stop = true;
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(shared.errors, 0);
  EXPECT_EQ(shared.torn, 0);
  EXPECT_TRUE(vault->failures().empty());
  EXPECT_EQ(one_number(writer.get(), "SELECT sum(x) FROM a", shared.errors), 300 * 60);
}

// The last connection to go empties and removes the log; the next one begins it anew.
TEST(Readers, ComeAndGoWithTheLog) {
  crypto::TemporaryDirectory directory;
  vault::VaultOptions options;
  options.create = true;
  const auto vault = vault::Vault::open(directory.path() / "box.db", test_key(), options).value();
  ASSERT_TRUE(execute(connect(*vault).value().get(), "CREATE TABLE t(x); INSERT INTO t VALUES(0)")
                  .has_value());
  std::atomic<int> errors{0}, written{0};
  const auto come_and_go = [&] {
    for (int i = 0; i < 60; ++i) {
      auto db = connect(*vault);
      if (db.has_error()) {
        ++errors;
        continue;
      }
      sqlite3_busy_timeout(db->get(), 60000);
      const Status status =
          execute(db->get(), "PRAGMA synchronous = OFF; UPDATE t SET x = x + 1; SELECT * FROM t");
      status.has_value() ? ++written : ++errors;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(come_and_go);
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(errors, 0);
  EXPECT_EQ(one_number(connect(*vault).value().get(), "SELECT x FROM t", errors), written);
  EXPECT_TRUE(vault->failures().empty());
}

}  // namespace
}  // namespace kartei::vault_test
