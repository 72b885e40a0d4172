#include "crypto/vault/shared_memory.h"

#include <sqlite3.h>

#include <atomic>
#include <new>

namespace kartei::vault {

int FileLocks::lock(Member& member, int level) {
  const std::lock_guard lock(mutex_);
  if (member.level >= level) return SQLITE_OK;
  const bool others_pending = pending_ != nullptr && pending_ != &member;
  const bool others_write = writer_ != nullptr && writer_ != &member;
  if (level == SQLITE_LOCK_SHARED) {
    const bool taken = others_write && writer_->level == SQLITE_LOCK_EXCLUSIVE;
    if (others_pending || taken) return SQLITE_BUSY;
    ++shared_;
    member.level = SQLITE_LOCK_SHARED;
    return SQLITE_OK;
  }
  if (others_write || others_pending) return SQLITE_BUSY;
  if (level == SQLITE_LOCK_EXCLUSIVE && shared_ > 1) {
    // A writer that waits lets nobody else begin; one that only tries (the last to close a log
    // does) is in nobody's way.
    if (member.level >= SQLITE_LOCK_RESERVED) {
      pending_ = &member;
      member.level = SQLITE_LOCK_PENDING;
    }
    return SQLITE_BUSY;
  }
  writer_ = &member;
  member.level = level;
  return SQLITE_OK;
}

void FileLocks::unlock(Member& member, int level) {
  const std::lock_guard lock(mutex_);
  if (pending_ == &member) pending_ = nullptr;
  if (writer_ == &member) writer_ = nullptr;
  if (member.level <= level) return;
  if (level == SQLITE_LOCK_NONE) --shared_;
  member.level = level;
}

bool FileLocks::reserved() const {
  const std::lock_guard lock(mutex_);
  return writer_ != nullptr;
}

int LogIndex::map(Member& member, int region, int size, bool extend, void volatile** out) {
  const std::lock_guard lock(mutex_);
  *out = nullptr;
  if (!member.joined) {
    members_.insert(&member);
    member.joined = true;
  }
  if (region_size_ != 0 && region_size_ != size) return SQLITE_IOERR_SHMSIZE;
  const auto wanted = static_cast<std::size_t>(region);
  if (wanted >= regions_.size() && !extend) return SQLITE_OK;
  region_size_ = size;
  while (regions_.size() <= wanted) {
    const std::size_t words = (static_cast<std::size_t>(size) + 7) / 8;
    regions_.emplace_back(new (std::nothrow) std::uint64_t[words]());
    if (regions_.back() != nullptr) continue;
    regions_.pop_back();
    return SQLITE_IOERR_NOMEM;
  }
  *out = regions_[wanted].get();
  return SQLITE_OK;
}

int LogIndex::lock(Member& member, int first, int count, int flags) {
  const std::lock_guard lock(mutex_);
  const auto mask = static_cast<std::uint16_t>(((1u << count) - 1) << first);
  if ((flags & SQLITE_SHM_UNLOCK) == 0) return take(member, mask, (flags & SQLITE_SHM_SHARED) != 0);
  member.shared &= static_cast<std::uint16_t>(~mask);
  member.exclusive &= static_cast<std::uint16_t>(~mask);
  return SQLITE_OK;
}

int LogIndex::take(Member& member, std::uint16_t mask, bool shared) {
  for (const Member* other : members_) {
    if (other == &member) continue;
    if ((other->exclusive & mask) != 0) return SQLITE_BUSY;
    if (!shared && (other->shared & mask) != 0) return SQLITE_BUSY;
  }
  (shared ? member.shared : member.exclusive) |= mask;
  return SQLITE_OK;
}

void LogIndex::barrier() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // Where a fence is not enough, a mutex is; the unix VFS does the same.
  const std::lock_guard lock(mutex_);
}

void LogIndex::leave(Member& member) {
  const std::lock_guard lock(mutex_);
  members_.erase(&member);
  member = {};
  if (!members_.empty()) return;
  regions_.clear();
  region_size_ = 0;
}

}  // namespace kartei::vault
