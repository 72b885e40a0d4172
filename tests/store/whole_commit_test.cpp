// What a transaction commits is on disk although a savepoint within it was rolled back, as when a
// snapshot is made (Glimpse). With a small cache: a large box needs no small one.
#include "store/box_file.h"
#include "store/schema.h"
#include "store/sql.h"
#include "tests/store/fixture.h"

namespace kartei::store {
namespace {

class WholeCommit : public ::testing::TestWithParam<bool> {
 protected:
  const crypto::Secret* key() const { return GetParam() ? &test_key() : nullptr; }
};
INSTANTIATE_TEST_SUITE_P(All, WholeCommit, ::testing::Bool(), [](const auto& kind) {
  return kind.param ? std::string("Encrypted") : std::string("Plain");
});

TEST_P(WholeCommit, IsFoundByWhoeverOpensTheFilesOfAKilledProcess) {
  TempDir dir;
  const auto db = must(open_writer(must(open_box_file(dir.path() / "box.db", key(), true)), true));
  must(
      db->script("PRAGMA cache_size = 8; PRAGMA wal_autocheckpoint = 0;"
                 "CREATE TABLE t(i INTEGER PRIMARY KEY, b);"
                 "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 1000)"
                 " INSERT INTO t SELECT i, zeroblob(400) FROM c"));
  ASSERT_EQ(must(db->integer("PRAGMA wal_checkpoint(TRUNCATE)", 1)), 0);
  must(db->script(
      "BEGIN; SAVEPOINT glimpse; UPDATE t SET b = randomblob(400) WHERE i < 900;"
      "UPDATE t SET b = randomblob(401) WHERE i > 300; ROLLBACK TO glimpse; RELEASE glimpse;"
      "INSERT INTO t VALUES(1001, 'committed'); COMMIT"));

  const auto copy = dir.path() / "copy";
  std::filesystem::create_directory(copy);
  for (const char* name : {"box.db", "box.db-wal"})
    std::filesystem::copy_file(dir.path() / name, copy / name);
  const auto killed = must(open_box_file(copy / "box.db", key(), false));
  EXPECT_EQ(must(must(open_writer(killed, false))->integer("SELECT count(*) FROM t", 0)), 1001);
}

}  // namespace
}  // namespace kartei::store
