// Memory for what is read from end to end, again and again: handed out in pieces that lie side by
// side and go together. Two megabytes of it become one large page of the processor's once they are
// full, so that the part which is not takes no more than it needs.
//
// One thread at a time; whoever has a piece may read it meanwhile. Failure: where the system has no
// large pages, small ones stay.
#pragma once

#include <cstddef>
#include <vector>

namespace kartei::store {

class LargePages {
 public:
  LargePages() = default;
  ~LargePages();
  LargePages(const LargePages&) = delete;
  LargePages& operator=(const LargePages&) = delete;

  // Zeros, at a multiple of 4096 where all pieces are of such a size. Throws std::bad_alloc.
  void* take(std::size_t bytes);

 private:
  struct Region {
    void* begin = nullptr;
    std::size_t size = 0, used = 0;
  };
  static Region map(std::size_t bytes);
  static void close(const Region& region);

  std::vector<Region> regions_;  // the last one is being filled
};

}  // namespace kartei::store
