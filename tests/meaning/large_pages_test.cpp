#include "store/meaning/large_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <set>
#include <string>

namespace kartei::store {
namespace {

// Of the address space around `address`, in KiB; 0: unknown.
std::size_t large_pages_kib(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  std::string line;
  bool inside = false;
  while (std::getline(maps, line)) {
    std::uintptr_t from = 0, to = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &from, &to) == 2) {
      const auto at = reinterpret_cast<std::uintptr_t>(address);
      inside = at >= from && at < to;
    }
    std::size_t kib = 0;
    if (inside && std::sscanf(line.c_str(), "AnonHugePages: %zu kB", &kib) == 1) return kib;
  }
  return 0;
}

TEST(LargePages, PiecesAreApartAndZero) {
  constexpr std::size_t kPiece = 64 << 10;
  LargePages pages;
  std::set<std::uint8_t*> pieces;
  for (int i = 0; i < 100; ++i) {
    auto* piece = static_cast<std::uint8_t*>(pages.take(kPiece));
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(piece) % 4096, 0U);
    ASSERT_TRUE(std::all_of(piece, piece + kPiece, [](std::uint8_t byte) { return byte == 0; }));
    std::fill(piece, piece + kPiece, static_cast<std::uint8_t>(i + 1));
    const auto next = pieces.upper_bound(piece);
    ASSERT_TRUE(next == pieces.end() || piece + kPiece <= *next);
    ASSERT_TRUE(next == pieces.begin() || *std::prev(next) + kPiece <= piece);
    pieces.insert(piece);
  }
  std::set<std::uint8_t> contents;
  for (const std::uint8_t* piece : pieces) {
    ASSERT_TRUE(std::all_of(piece, piece + kPiece, [&](std::uint8_t b) { return b == *piece; }));
    contents.insert(*piece);
  }
  EXPECT_EQ(contents.size(), 100U) << "nothing was lost when a page became large";
}

TEST(LargePages, OnlyFullOnesBecomeLarge) {
  constexpr std::size_t kPiece = 512 << 10;
  LargePages pages;
  auto* first = static_cast<std::uint8_t*>(pages.take(kPiece));
  std::fill(first, first + kPiece, std::uint8_t{1});
  EXPECT_EQ(large_pages_kib(first), 0U);
  for (int i = 1; i < 4; ++i) {
    auto* piece = static_cast<std::uint8_t*>(pages.take(kPiece));
    std::fill(piece, piece + kPiece, std::uint8_t{1});
  }
  auto* beyond = static_cast<std::uint8_t*>(pages.take(kPiece));
  if (large_pages_kib(first) == 0) GTEST_SKIP() << "this system gave no large page";
  EXPECT_EQ(large_pages_kib(first), 2048U);
  beyond[0] = 1;
  EXPECT_EQ(large_pages_kib(beyond), 0U);
}

TEST(LargePages, LargerThanOne) {
  LargePages pages;
  constexpr std::size_t kPiece = 5 << 20;
  for (int i = 0; i < 3; ++i) {
    auto* piece = static_cast<std::uint8_t*>(pages.take(kPiece));
    piece[0] = piece[kPiece - 1] = 1;
  }
}

}  // namespace
}  // namespace kartei::store
