// A process that is killed in the midst of writing, on real files.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>

#include "tests/crypto/support.h"
#include "tests/vault/workload.h"

namespace kartei::vault_test {
namespace {

constexpr char kMarker[] = "Quittenbaum";

Result<std::unique_ptr<vault::Vault>> open_file(const std::filesystem::path& file) {
  vault::VaultOptions options;
  options.create = true;
  return vault::Vault::open(file, test_key(), options);
}

// Writes one row after the other and tells each that is on disk, until it is killed.
[[noreturn]] void write_on(const std::filesystem::path& file, int tell) {
  const auto vault = open_file(file).value();
  const Connection db = connect(*vault).value();
  execute(db.get(),
          "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 20; PRAGMA cache_size = 5;"
          "CREATE TABLE IF NOT EXISTS t(id INTEGER PRIMARY KEY, said, body)")
      .value();
  for (;;) {
    execute(db.get(), std::string("INSERT INTO t(said, body) VALUES('") + kMarker +
                          "', hex(zeroblob(700)) || '" + kMarker + "')")
        .value();
    const char done = 1;
    if (::write(tell, &done, 1) != 1) ::_exit(1);
  }
}

int count_rows(const std::filesystem::path& file) {
  const auto vault = open_file(file).value();
  const Connection db = connect(*vault).value();
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(db.get(), "SELECT count(*) FROM t WHERE said = 'Quittenbaum'", -1,
                               &statement, nullptr),
            SQLITE_OK);
  EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW);
  const int count = sqlite3_column_int(statement, 0);
  sqlite3_finalize(statement);
  EXPECT_TRUE(execute(db.get(), "PRAGMA integrity_check").has_value());
  return count;
}

void expect_no_marker(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string content((std::istreambuf_iterator<char>(in)), {});
    EXPECT_EQ(content.find(kMarker), std::string::npos) << entry.path();
    EXPECT_EQ(content.find("SQLite"), std::string::npos) << entry.path();
  }
}

TEST(Killed, AProcessLosesNothingAndLeavesNoWord) {
  crypto::TemporaryDirectory directory;
  const auto file = directory.path() / "box.db";
  int acknowledged = 0;
  for (int round = 0; round < 3; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) write_on(file, ends[1]);
    ::close(ends[1]);
    char done;
    for (int i = 0; i < 30 + 11 * round; ++i) {
      ASSERT_EQ(::read(ends[0], &done, 1), 1);
      ++acknowledged;
    }
    expect_no_marker(directory.path());
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    while (::read(ends[0], &done, 1) == 1) ++acknowledged;
    ::close(ends[0]);
    expect_no_marker(directory.path());
    const int rows = count_rows(file);
    EXPECT_GE(rows, acknowledged);
    EXPECT_LE(rows, acknowledged + 1);
    acknowledged = rows;
  }
}

}  // namespace
}  // namespace kartei::vault_test
