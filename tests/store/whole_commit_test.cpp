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

// A state that comes from another device may be larger than memory should hold.
TEST_P(WholeCommit, OfAWholeStateNeedsLittleMemory) {
  constexpr std::uint64_t kTurns = 4'000;
  TempDir dir;
  TestBox old;
  old.write([&](Box& box) -> Status {
    std::vector<Delta> entry;
    for (std::uint64_t n = 1; n <= kTurns; ++n) {
      KARTEI_TRY(box.store_turn(make_turn(n, std::string(1'000, 'x')), origin_of(n)));
      entry.push_back(filed(n));
    }
    return box.apply_entry(1, entry);
  });
  const std::vector<DrawerId> all{kShared};
  const Bytes state = must(old->dump_fold(1, all));
  TestBox fresh(dir.path() / "box.db", key());
  fresh.write([&](Box& box) -> Status {
    KARTEI_TRY(box.load_fold(1, state, {}));
    EXPECT_GT(std::filesystem::file_size(dir.path() / "box.db-wal"), state.size() / 2);
    const auto refused = box.dump_fold(1, all);
    EXPECT_TRUE(refused.has_error() && refused.error().cause == Cause::kUnavailable);
    return {};
  });
  EXPECT_EQ(fresh.digest(), old.digest());
  EXPECT_EQ(must(fresh->dump_fold(1, all)), state);
}

}  // namespace
}  // namespace kartei::store
