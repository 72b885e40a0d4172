#include "crypto/vault/log_book.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

namespace kartei::vault {
namespace {

void commit(LogBook& book, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t frame = first; frame <= last; ++frame) {
    book.frame_header_begins(frame, frame == last);
    book.page_begins(frame);
    book.page_written(frame);
  }
}

LogBook started() {
  LogBook book;
  book.header_written(book.next_header(100));
  return book;
}

TEST(LogBook, VouchesForWhatIsCommittedAndSynced) {
  LogBook book = started();
  commit(book, 0, 3);
  EXPECT_EQ(book.mark(), 0u);
  book.sync_ended(book.sync_begins(), true);
  EXPECT_EQ(book.mark(), 4u);
  book.frame_header_begins(4, false);  // of a transaction that is not committed
  book.page_begins(4);
  book.page_written(4);
  book.sync_ended(book.sync_begins(), true);
  EXPECT_EQ(book.mark(), 4u);
}

TEST(LogBook, AHeaderWithoutItsPageIsNoCommit) {
  LogBook book = started();
  book.frame_header_begins(0, true);
  book.sync_ended(book.sync_begins(), true);
  EXPECT_EQ(book.mark(), 0u);
}

TEST(LogBook, WhatIsWrittenOverIsNoLongerVouchedFor) {
  LogBook book = started();
  commit(book, 0, 5);
  book.sync_ended(book.sync_begins(), true);
  book.frame_header_begins(2, false);
  EXPECT_EQ(book.mark(), 2u);
}

TEST(LogBook, AFailedSyncEndsTheVouching) {
  LogBook book = started();
  commit(book, 0, 1);
  book.sync_ended(book.sync_begins(), false);
  commit(book, 2, 3);
  book.sync_ended(book.sync_begins(), true);
  EXPECT_EQ(book.mark(), 0u);
  book.header_written(book.next_header(0));
  commit(book, 0, 1);
  book.sync_ended(book.sync_begins(), true);
  EXPECT_EQ(book.mark(), 2u);
}

TEST(LogBook, ASyncOfAnEarlierTimeCountsNothing) {
  LogBook book = started();
  commit(book, 0, 5);
  const auto sync = book.sync_begins();
  book.header_written(book.next_header(0));
  commit(book, 0, 1);
  book.sync_ended(sync, true);
  EXPECT_EQ(book.mark(), 0u);
}

TEST(LogBook, AHeaderNeverGoesOverTheOneThatIsOnDisk) {
  LogBook book;
  const auto first = book.next_header(100);
  EXPECT_EQ(first.generation, 100u);
  book.header_written(first);
  book.sync_ended(book.sync_begins(), true);
  const auto second = book.next_header(7);
  EXPECT_NE(second.copy, first.copy);
  EXPECT_EQ(second.generation, 101u);
  book.header_written(second);  // its sync fails: the next one takes the same place
  book.sync_ended(book.sync_begins(), false);
  const auto third = book.next_header(7);
  EXPECT_EQ(third.copy, second.copy);
  EXPECT_EQ(third.generation, 102u);
  book.header_written(third);
  book.sync_ended(book.sync_begins(), true);
  EXPECT_EQ(book.next_header(7).copy, first.copy);
}

TEST(LogBook, AfterRecoveryTheOlderHeaderGoesOnceTheNewerIsSynced) {
  LogBook book;
  book.recovered(LogBook::Header{1, 50}, true);
  EXPECT_TRUE(book.sync_before_header());
  book.sync_ended(book.sync_begins(), false);
  EXPECT_TRUE(book.sync_before_header());
  book.recovered(LogBook::Header{1, 50}, true);
  book.sync_ended(book.sync_begins(), true);
  EXPECT_FALSE(book.sync_before_header());
  EXPECT_EQ(book.next_header(0).copy, 0);
  book.recovered(LogBook::Header{1, 50}, false);
  EXPECT_FALSE(book.sync_before_header());
  EXPECT_EQ(book.next_header(0).copy, 0);
  book.recovered(std::nullopt, false);
  EXPECT_EQ(book.generation(), 0u);
  EXPECT_FALSE(book.sync_before_header());
}

// Against a model that remembers for each frame which write of it is on disk.
TEST(LogBook, NeverVouchesForAFrameThatIsNotOnDisk) {
  EXPECT_TRUE(rc::check([] {
    LogBook book = started();
    struct Frame {
      int written = 0;
      int on_disk = 0;
    };
    std::vector<Frame> frames(12);
    std::vector<Frame> at_sync;
    std::optional<LogBook::Sync> sync;
    const auto steps = *rc::gen::inRange(1, 80);
    for (int i = 0; i < steps; ++i) {
      const auto frame = *rc::gen::inRange<std::uint64_t>(0, frames.size());
      switch (*rc::gen::inRange(0, 5)) {
        case 0:
        case 1:
          book.frame_header_begins(frame, *rc::gen::arbitrary<bool>());
          ++frames[frame].written;
          break;
        case 2:
          book.page_begins(frame);
          ++frames[frame].written;
          book.page_written(frame);
          break;
        case 3:
          sync = book.sync_begins();
          at_sync = frames;
          break;
        default:
          if (!sync) break;
          for (std::size_t k = 0; k < frames.size(); ++k)
            frames[k].on_disk = std::max(frames[k].on_disk, at_sync[k].written);
          book.sync_ended(*sync, true);
          sync.reset();
      }
      // Of what was ever written: frames that never were stand for ones of SQLite's that precede.
      for (std::uint64_t k = 0; k < book.mark(); ++k)
        RC_ASSERT(frames[k].on_disk == frames[k].written);
    }
  }));
}

}  // namespace
}  // namespace kartei::vault
