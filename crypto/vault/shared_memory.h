// What the connections to one file share within this process: SQLite's locks of the file, and the
// index of its log (what would be the -shm file), in ordinary memory.
//
// Threads: any. Ownership: the vault's; a Member belongs to one open file of SQLite's. Failure:
// SQLITE_BUSY where somebody else holds what is asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace kartei::vault {

class FileLocks {
 public:
  struct Member {
    int level = 0;  // SQLITE_LOCK_NONE ...
  };
  int lock(Member& member, int level);
  void unlock(Member& member, int level);
  bool reserved() const;

 private:
  mutable std::mutex mutex_;
  int shared_ = 0;                   // members at SHARED or above
  const Member* writer_ = nullptr;   // at RESERVED or above
  const Member* pending_ = nullptr;  // lets nobody else begin
};

class LogIndex {
 public:
  struct Member {
    std::uint16_t shared = 0;
    std::uint16_t exclusive = 0;
    bool joined = false;
  };
  // A region of the index, made when `extend`; null when it is not there. Stays where it is until
  // the last member leaves.
  int map(Member& member, int region, int size, bool extend, void volatile** out);
  int lock(Member& member, int first, int count, int flags);
  void barrier();
  void leave(Member& member);

 private:
  int take(Member& member, std::uint16_t mask, bool shared);

  std::mutex mutex_;
  std::vector<std::unique_ptr<std::uint64_t[]>> regions_;
  int region_size_ = 0;
  std::set<Member*> members_;
};

}  // namespace kartei::vault
