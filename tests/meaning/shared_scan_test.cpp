// Scans in which several threads take part, and the thread that helps.
#include "store/meaning/shared_scan.h"

#include <thread>

#include "store/meaning/helper_thread.h"
#include "tests/meaning/codes_support.h"

namespace kartei::store {
namespace {

TEST(SharedScan, WhoTookWhichChunkMakesNoDifference) {
  VectorSource source(11);
  constexpr std::size_t kDims = 64;
  Codes codes(kDims);
  for (std::int64_t i = 0; i < 9 * 1024 + 77; ++i) codes.append(i / 3, source.any(kDims));
  const Vector question = source.any(kDims);
  const QueryTables tables = codes.tables(question);
  const Codes::Scan expected = codes.scan(tables, 30);
  for (int round = 0; round < 20; ++round) {
    Codes::SharedScan scan(codes, tables, 30);
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back([&scan] { scan.work(); });
    scan.work();
    for (std::thread& thread : threads) thread.join();
    const Codes::Scan found = scan.finish();
    EXPECT_EQ(found.hits, expected.hits);
    EXPECT_EQ(found.mean, expected.mean);
    EXPECT_EQ(found.deviation, expected.deviation);
  }
}

TEST(HelperThread, DoesItsJobOrGivesItBack) {
  HelperThread helper;
  helper.end();  // without a job: nothing
  for (int round = 0; round < 500; ++round) {
    // Whether it has begun or not: after end() nobody touches it any more.
    auto count = std::make_unique<int>(0);
    helper.begin([at = count.get()] { ++*at; });
    helper.end();
    EXPECT_LE(*count, 1);
    count.reset();
  }
}

TEST(HelperThread, WorksWhileItsOwnerDoes) {
  HelperThread helper;
  std::mutex mutex;
  std::condition_variable changed;
  bool begun = false;
  helper.begin([&] {
    const std::lock_guard lock(mutex);
    begun = true;
    changed.notify_all();
  });
  {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(60), [&] { return begun; }));
  }
  helper.end();
}

TEST(HelperThread, GoesWithAJobThatWasNeverBegun) {
  for (int round = 0; round < 50; ++round) {
    auto helper = std::make_unique<HelperThread>();
    helper->begin([] {});
    helper.reset();
  }
}

}  // namespace
}  // namespace kartei::store
