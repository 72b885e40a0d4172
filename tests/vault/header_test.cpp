// A second crash while the log's next header is written. The first one left two headers, and of the
// newer one's frames nothing that authenticates: neither may be lost.
#include <gtest/gtest.h>

#include <optional>

#include "tests/vault/workload.h"

namespace kartei::vault_test {
namespace {

constexpr int kRows = 6;
const Plan kPlan{3, 1024, false, 0, "Quittenbaum"};
const vault::LogLayout kLayout{kPlan.page_size};

int rows_of_t(sqlite3* db) {
  int rows = -1;
  const auto take = [](void* out, int, char** values, char**) {
    *static_cast<int*>(out) = std::atoi(values[0]);
    return 0;
  };
  sqlite3_exec(db, "SELECT count(*) FROM t", take, &rows, nullptr);
  return rows;
}

void spoil(DiskImage& image, std::int64_t offset, std::size_t size) {
  Bytes& log = image.at(kLog);
  for (std::size_t i = 0; i < size; ++i) log[static_cast<std::size_t>(offset) + i] ^= 0x5A;
}

// Power is cut in the first frame's header or page of a log that was begun anew, over frames of
// which later ones vouch for the first.
DiskImage cut_in_first_frame(bool page_arrives) {
  FaultDisk disk(new_disk(kPlan));
  const auto vault = open_vault(disk).value();
  const Connection db = connect(*vault).value();
  execute(db.get(), "PRAGMA synchronous = FULL; CREATE TABLE t(i INTEGER PRIMARY KEY)").value();
  for (int i = 1; i <= kRows; ++i)
    execute(db.get(), "INSERT INTO t VALUES(" + std::to_string(i) + ")").value();
  execute(db.get(), "PRAGMA wal_checkpoint(RESTART)").value();
  const DiskImage before = disk.live();
  std::optional<DiskImage> cut;
  const std::int64_t page_at =
      kLayout.frame_at(0) + static_cast<std::int64_t>(vault::kFrameHeaderSlot);
  disk.after = [&](const Call& call) {
    if (!cut && call.kind == CallKind::kWrite && call.file == kLog && call.offset == page_at)
      cut = disk.live();
  };
  execute(db.get(), "INSERT INTO t VALUES(100)").value();
  disk.after = nullptr;
  const Bytes& old = before.at(kLog);
  std::copy_n(old.begin() + kLayout.frame_at(0), vault::kFrameHeaderSlot,
              cut->at(kLog).begin() + kLayout.frame_at(0));
  if (!page_arrives) {
    spoil(*cut, kLayout.frame_at(0) + 8, 16);
    spoil(*cut, page_at + 300, 200);
  }
  return *cut;
}

class SecondCrash : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(All, SecondCrash, ::testing::Bool(), [](const auto& arrives) {
  return arrives.param ? std::string("PageArrived") : std::string("NothingArrived");
});

TEST_P(SecondCrash, WithinTheNextHeaderIsNoDamage) {
  FaultDisk disk(cut_in_first_frame(GetParam()));
  std::optional<DiskImage> torn;
  {
    const auto vault = open_vault(disk).value();
    const Connection db = connect(*vault).value();
    ASSERT_EQ(rows_of_t(db.get()), kRows);
    disk.after = [&](const Call& call) {
      if (torn || call.kind != CallKind::kWrite || call.file != kLog) return;
      ASSERT_LT(call.offset, vault::kFramesAt);
      torn = disk.live();
      spoil(*torn, call.offset + 40, 30);
    };
    execute(db.get(), "INSERT INTO t VALUES(100)").value();
    disk.after = nullptr;
  }
  ASSERT_TRUE(torn.has_value());
  const FaultDisk after(*torn);
  const auto vault = open_vault(after).value();
  const Connection db = connect(*vault).value();
  EXPECT_EQ(rows_of_t(db.get()), kRows);
  for (const auto& failure : vault->failures())
    EXPECT_EQ(failure.kind, vault::VaultFailure::Kind::kLogEnd) << failure.what;
}

// After a kill the newer header may be in the kernel's cache only: it is synced before the older
// one is written over.
TEST(NewerHeader, IsSyncedBeforeTheOlderGoes) {
  FaultDisk disk(cut_in_first_frame(true));
  const auto vault = open_vault(disk).value();
  const Connection db = connect(*vault).value();
  ASSERT_EQ(rows_of_t(db.get()), kRows);
  std::string calls;
  disk.after = [&](const Call& call) {
    if (call.file != kLog) return;
    if (call.kind == CallKind::kSync) calls += 's';
    if (call.kind == CallKind::kWrite) calls += call.offset < vault::kFramesAt ? 'h' : 'f';
  };
  execute(db.get(), "INSERT INTO t VALUES(100)").value();
  disk.after = nullptr;
  EXPECT_TRUE(calls.starts_with("sh")) << calls;
}

}  // namespace
}  // namespace kartei::vault_test
