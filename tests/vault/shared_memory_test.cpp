// The locks that connections of one process have among themselves.
#include "crypto/vault/shared_memory.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>

namespace kartei::vault {
namespace {

constexpr int kRegion = 32768;

TEST(FileLocks, NobodyReadsBesideAnExclusiveOne) {
  EXPECT_TRUE(rc::check([] {
    FileLocks locks;
    std::array<FileLocks::Member, 3> members;
    const auto steps = *rc::gen::inRange(1, 60);
    for (int i = 0; i < steps; ++i) {
      auto& member = members[*rc::gen::inRange<std::size_t>(0, members.size())];
      const int before = member.level;
      // SQLite's ways: up to SHARED first; down to SHARED or NONE.
      const int wanted = *rc::gen::element(SQLITE_LOCK_NONE, SQLITE_LOCK_SHARED,
                                           SQLITE_LOCK_RESERVED, SQLITE_LOCK_EXCLUSIVE);
      const bool pending = std::ranges::any_of(members, [&](const auto& other) {
        return &other != &member && other.level == SQLITE_LOCK_PENDING;
      });
      if (wanted <= SQLITE_LOCK_SHARED && wanted <= before) {
        locks.unlock(member, wanted);
        RC_ASSERT(member.level == wanted);
      } else if (wanted == SQLITE_LOCK_SHARED || before >= SQLITE_LOCK_SHARED) {
        const int code = locks.lock(member, wanted);
        RC_ASSERT((code == SQLITE_OK) == (member.level >= wanted));
        if (pending && before == SQLITE_LOCK_NONE) RC_ASSERT(code == SQLITE_BUSY);
      }
      int readers = 0, writers = 0, alone = 0;
      for (const auto& other : members) {
        if (other.level >= SQLITE_LOCK_SHARED) ++readers;
        if (other.level >= SQLITE_LOCK_RESERVED) ++writers;
        if (other.level == SQLITE_LOCK_EXCLUSIVE) ++alone;
      }
      RC_ASSERT(writers <= 1);
      RC_ASSERT(alone == 0 || readers == 1);
      RC_ASSERT(locks.reserved() == (writers == 1));
    }
  }));
}

TEST(FileLocks, OneThatFailsToCloseTheLogIsInNobodysWay) {
  FileLocks locks;
  FileLocks::Member closing, reader, next;
  ASSERT_EQ(locks.lock(closing, SQLITE_LOCK_SHARED), SQLITE_OK);
  ASSERT_EQ(locks.lock(reader, SQLITE_LOCK_SHARED), SQLITE_OK);
  EXPECT_EQ(locks.lock(closing, SQLITE_LOCK_EXCLUSIVE), SQLITE_BUSY);
  EXPECT_EQ(locks.lock(next, SQLITE_LOCK_SHARED), SQLITE_OK);
}

TEST(LogIndex, LocksExcludeOneAnother) {
  EXPECT_TRUE(rc::check([] {
    LogIndex index;
    std::array<LogIndex::Member, 3> members;
    void volatile* region = nullptr;
    for (auto& member : members) index.map(member, 0, kRegion, true, &region);
    const auto steps = *rc::gen::inRange(1, 60);
    for (int i = 0; i < steps; ++i) {
      auto& member = members[*rc::gen::inRange<std::size_t>(0, members.size())];
      const int first = *rc::gen::inRange(0, 8);
      const int kind = *rc::gen::element(SQLITE_SHM_SHARED, SQLITE_SHM_EXCLUSIVE);
      const int count = kind == SQLITE_SHM_SHARED ? 1 : *rc::gen::inRange(1, 9 - first);
      const auto mask = static_cast<std::uint16_t>(((1u << count) - 1) << first);
      const bool has = ((member.shared | member.exclusive) & mask) != 0;
      const int code =
          index.lock(member, first, count, kind | (has ? SQLITE_SHM_UNLOCK : SQLITE_SHM_LOCK));
      if (has) RC_ASSERT(code == SQLITE_OK);
      for (const auto& a : members)
        for (const auto& b : members)
          RC_ASSERT(&a == &b || (a.exclusive & (b.exclusive | b.shared)) == 0);
    }
    for (auto& member : members) index.leave(member);
  }));
}

TEST(LogIndex, LivesAsLongAsSomebodyUsesIt) {
  LogIndex index;
  LogIndex::Member a, b;
  void volatile* first = nullptr;
  void volatile* again = nullptr;
  EXPECT_EQ(index.map(a, 1, kRegion, false, &first), SQLITE_OK);
  EXPECT_EQ(first, nullptr);  // not there, and not to be made
  ASSERT_EQ(index.map(a, 1, kRegion, true, &first), SQLITE_OK);
  static_cast<volatile char*>(first)[5] = 7;
  ASSERT_EQ(index.map(b, 9, kRegion, true, &again), SQLITE_OK);
  ASSERT_EQ(index.map(b, 1, kRegion, false, &again), SQLITE_OK);
  EXPECT_EQ(again, first);  // never moves
  EXPECT_EQ(index.map(b, 1, kRegion / 2, false, &again), SQLITE_IOERR_SHMSIZE);
  index.leave(a);
  ASSERT_EQ(index.map(b, 1, kRegion, false, &again), SQLITE_OK);
  EXPECT_EQ(static_cast<volatile char*>(again)[5], 7);
  index.leave(b);
  ASSERT_EQ(index.map(a, 1, kRegion, true, &again), SQLITE_OK);
  EXPECT_EQ(static_cast<volatile char*>(again)[5], 0);
  index.leave(a);
}

}  // namespace
}  // namespace kartei::vault
