#include "store/meaning/large_pages.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>

namespace kartei::store {

namespace {

constexpr std::size_t kLargePage = 2 << 20;
constexpr int kMadviseCollapse = 25;  // MADV_COLLAPSE, since Linux 6.1; Debian 12's headers lack it

}  // namespace

LargePages::~LargePages() {
  for (const Region& region : regions_) ::munmap(region.begin, region.size);
}

void* LargePages::take(std::size_t bytes) {
  if (regions_.empty() || regions_.back().size - regions_.back().used < bytes) {
    if (!regions_.empty()) close(regions_.back());
    regions_.push_back(map(bytes));
  }
  Region& region = regions_.back();
  void* piece = static_cast<std::uint8_t*>(region.begin) + region.used;
  region.used += bytes;
  return piece;
}

// Begins where a large page may, which costs no more than addresses.
LargePages::Region LargePages::map(std::size_t bytes) {
  const std::size_t size = (bytes + kLargePage - 1) / kLargePage * kLargePage;
  void* all = ::mmap(nullptr, size + kLargePage, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  auto* first = static_cast<std::uint8_t*>(all);
  const std::size_t before =
      (kLargePage - reinterpret_cast<std::uintptr_t>(all) % kLargePage) % kLargePage;
  if (before > 0) ::munmap(first, before);
  ::munmap(first + before + size, kLargePage - before);
  ::madvise(first + before, size, MADV_NOHUGEPAGE);  // while it is not full
  return {first + before, size, 0};
}

// What is not supported is not needed.
void LargePages::close(const Region& region) {
  ::madvise(region.begin, region.size, MADV_HUGEPAGE);
  ::madvise(region.begin, region.size, kMadviseCollapse);
}

}  // namespace kartei::store
