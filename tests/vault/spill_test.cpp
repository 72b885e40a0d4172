// SQLite before 3.50 loses a commit where pages had gone into the log before it and a savepoint was
// rolled back: it takes the checksums of what was written over for those of what follows. With the
// vault's pragmas no page goes there early.
#include <gtest/gtest.h>

#include "tests/vault/workload.h"

namespace kartei::vault_test {
namespace {

int rows_in(sqlite3* db) {
  int rows = -1;
  const auto take = [](void* out, int, char** values, char**) {
    *static_cast<int*>(out) = std::atoi(values[0]);
    return 0;
  };
  sqlite3_exec(db, "SELECT count(*) FROM t", take, &rows, nullptr);
  return rows;
}

TEST(Spill, ASavepointThatIsRolledBackCostsNoCommit) {
  const Plan plan{3, 1024, false, 0, "Quittenbaum"};
  FaultDisk disk(new_disk(plan));
  const auto vault = open_vault(disk).value();
  const Connection db = connect(*vault).value();
  execute(db.get(),
          "PRAGMA cache_size = 8; PRAGMA wal_autocheckpoint = 0;"
          "CREATE TABLE t(i INTEGER PRIMARY KEY, b);"
          "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 1000)"
          " INSERT INTO t SELECT i, zeroblob(100) FROM c;"
          "PRAGMA wal_checkpoint(TRUNCATE);"
          "BEGIN; SAVEPOINT s; UPDATE t SET b = randomblob(100) WHERE i < 900;"
          "UPDATE t SET b = randomblob(101) WHERE i > 300; ROLLBACK TO s; RELEASE s;"
          "INSERT INTO t VALUES(1001, zeroblob(10)); COMMIT")
      .value();
  ASSERT_EQ(rows_in(db.get()), 1001);
  const FaultDisk killed(disk.live());
  const auto reopened = open_vault(killed).value();
  const Connection again = connect(*reopened).value();
  EXPECT_EQ(rows_in(again.get()), 1001);
}

}  // namespace
}  // namespace kartei::vault_test
