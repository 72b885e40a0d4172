// Words that are stored are in no file: not at any call, not after a crash.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/vault/workload.h"

namespace kartei::vault_test {
namespace {

bool holds(const Bytes& content, const std::string& marker) {
  return std::search(content.begin(), content.end(), marker.begin(), marker.end()) != content.end();
}

// What a watched run saw.
struct Seen {
  std::uint64_t calls = 0;
  std::uint64_t with_marker = 0;
  std::set<std::string> files;
};

void watch(FaultDisk& disk, const std::string& marker, Seen& seen) {
  disk.after = [&disk, &seen, marker](const Call& call) {
    if (call.kind != CallKind::kWrite) return;
    ++seen.calls;
    seen.files.insert(call.file);
    const Bytes& content = *disk.file(call.file);
    const auto from = static_cast<std::size_t>(
        std::max<std::int64_t>(0, call.offset - static_cast<std::int64_t>(marker.size())));
    const std::size_t to =
        std::min(content.size(), static_cast<std::size_t>(call.offset) + call.size + marker.size());
    const Bytes around(content.begin() + static_cast<std::ptrdiff_t>(from),
                       content.begin() + static_cast<std::ptrdiff_t>(to));
    if (holds(around, marker)) ++seen.with_marker;
  };
}

TEST(Markers, AreInNoFileAtAnyCall) {
  for (const std::size_t page_size : {1024u, 4096u}) {
    const Plan plan{11, page_size, false, 40, "Quittenbaum"};
    FaultDisk disk(new_disk(plan));
    Seen seen;
    watch(disk, plan.marker, seen);
    std::mt19937_64 dice(1);
    Runner runner(disk, plan, vault::make_format);
    ASSERT_TRUE(runner.open().has_value());
    for (const Step& step : make_steps(plan)) {
      ASSERT_TRUE(runner.run(step).has_value());
      for (const CrashStyle style : kCrashStyles)
        for (const auto& [name, content] : disk.crashed(style, dice))
          EXPECT_FALSE(holds(content, plan.marker)) << name;
    }
    // A sort and an index over everything, which need room somewhere.
    ASSERT_TRUE(execute(runner.writer(),
                        "CREATE TEMP TABLE sorted AS SELECT said, body FROM turns ORDER BY body;"
                        "CREATE INDEX by_body ON turns(body, said); DROP INDEX by_body")
                    .has_value());
    runner.close();
    EXPECT_GT(seen.calls, 500u);
    EXPECT_EQ(seen.with_marker, 0u);
    EXPECT_EQ(seen.files, (std::set<std::string>{kFile, kLog}));
    for (const auto& [name, content] : disk.live()) EXPECT_FALSE(holds(content, "SQLite")) << name;
  }
}

// The search itself: without the vault the words are everywhere.
TEST(Markers, AreFoundInAPlainDatabase) {
  FaultDisk disk;
  Seen seen;
  watch(disk, "Quittenbaum", seen);
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open_v2(kFile, &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                            disk.vfs_name().c_str()),
            SQLITE_OK);
  const Connection db(raw);
  ASSERT_TRUE(execute(raw, "CREATE TABLE t(x); INSERT INTO t VALUES('Quittenbaum')").has_value());
  EXPECT_GT(seen.with_marker, 0u);
}

}  // namespace
}  // namespace kartei::vault_test
