#include "crypto/vault/layout.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace kartei::vault {
namespace {

rc::Gen<std::size_t> page_sizes() {
  return rc::gen::element<std::size_t>(512, 1024, 4096, 16384, 65536);
}

// Beyond 32 bits, too.
rc::Gen<std::int64_t> offsets() {
  return rc::gen::oneOf(rc::gen::inRange<std::int64_t>(0, 1 << 16),
                        rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 44));
}

std::int64_t logical_start(const LogLayout& layout, const LogPiece& piece) {
  if (piece.kind == LogPiece::Kind::kHeader) return 0;
  const std::int64_t frame = static_cast<std::int64_t>(kLogHeaderSize) +
                             static_cast<std::int64_t>(piece.frame) * layout.logical_frame();
  return piece.kind == LogPiece::Kind::kFrameHeader
             ? frame
             : frame + static_cast<std::int64_t>(kFrameHeaderSize);
}

TEST(LogLayout, EveryByteLiesInOneSlot) {
  EXPECT_TRUE(rc::check([] {
    const LogLayout layout{*page_sizes()};
    const std::int64_t offset = *offsets();
    const auto size = *rc::gen::inRange<std::size_t>(1, 200000);
    const LogPiece piece = layout.piece_at(offset, size);
    RC_ASSERT(logical_start(layout, piece) + static_cast<std::int64_t>(piece.skip) == offset);
    RC_ASSERT(piece.size >= 1u);
    RC_ASSERT(piece.size <= size);
    RC_ASSERT(piece.skip + piece.size <= piece.whole);
    // It ends where the slot or the request does.
    RC_ASSERT(piece.size == size || piece.skip + piece.size == piece.whole);
  }));
}

TEST(LogLayout, SlotsOnDiskFollowOneAnotherWithoutOverlap) {
  EXPECT_TRUE(rc::check([] {
    const LogLayout layout{*page_sizes()};
    const auto frame = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 33);
    const std::int64_t at = layout.frame_at(frame);
    RC_ASSERT(at >= LogLayout::header_at(1) + static_cast<std::int64_t>(kLogHeaderSlot));
    RC_ASSERT(layout.frame_at(frame + 1) ==
              at + static_cast<std::int64_t>(kFrameHeaderSlot + layout.page_slot()));
    RC_ASSERT(layout.frames_in(at) == frame);
    RC_ASSERT(layout.frames_in(layout.frame_at(frame + 1) - 1) == frame);
  }));
}

TEST(LogLayout, SizesGoBothWays) {
  EXPECT_TRUE(rc::check([] {
    const LogLayout layout{*page_sizes()};
    const std::int64_t wanted = *offsets();
    const std::int64_t physical = layout.physical_size(wanted);
    const std::int64_t logical = layout.logical_size(physical);
    RC_ASSERT(logical <= wanted);
    RC_ASSERT(wanted - logical < layout.logical_frame() ||
              wanted < static_cast<std::int64_t>(kLogHeaderSize));
    RC_ASSERT(layout.physical_size(logical) == physical);
    // More on disk is never less for SQLite.
    const std::int64_t more = physical + *rc::gen::inRange<std::int64_t>(0, 100000);
    RC_ASSERT(layout.logical_size(more) >= logical);
  }));
}

TEST(LogLayout, HalfASlotIsNone) {
  const LogLayout layout{4096};
  EXPECT_EQ(layout.logical_size(0), 0);
  EXPECT_EQ(layout.logical_size(static_cast<std::int64_t>(kLogHeaderSlot) - 1), 0);
  EXPECT_EQ(layout.logical_size(static_cast<std::int64_t>(kLogHeaderSlot)), 32);
  EXPECT_EQ(layout.logical_size(layout.frame_at(1) - 1), 32);
  EXPECT_EQ(layout.logical_size(layout.frame_at(1)), 32 + 24 + 4096);
  EXPECT_EQ(layout.physical_size(31), 0);
}

TEST(MainLayout, KnowsPagesBeyondThirtyTwoBits) {
  const MainLayout layout{4096};
  EXPECT_EQ(layout.lock_page(), 262145u);
  EXPECT_EQ(layout.page_at(0), 1u);
  EXPECT_EQ(layout.page_at(std::int64_t{4096} * 4294967290), 4294967291u);
  EXPECT_TRUE(layout.whole_page(std::int64_t{4096} * 4294967290, 4096));
  EXPECT_FALSE(layout.whole_page(100, 4096));
  EXPECT_FALSE(layout.whole_page(4096, 100));
  EXPECT_FALSE(layout.whole_page(-4096, 4096));
}

}  // namespace
}  // namespace kartei::vault
