// A disk in memory that fails like a real one: a SQLite VFS that knows which writes a sync has made
// durable, and what a power cut may leave of the others. For tests.
//
// Model: writes of one file may reach the disk in any order, in part (by sectors of 512 bytes, or
// cut within one), or not at all, until the file is synced. A file's cuts keep their order with the
// writes before and after. A made file is there for certain after its first sync; a removed one may
// come back. Bytes outside of a write are not touched by it (powersafe overwrite).
//
// Threads: one. Ownership: registered while it lives; must outlive what is opened on it.
#pragma once

#include <sqlite3.h>

#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "crypto/bytes.h"

namespace kartei::vault_test {

using DiskImage = std::map<std::string, Bytes>;

enum class CallKind { kOpen, kRead, kWrite, kTruncate, kSync, kSize, kDelete, kAccess };

struct Call {
  CallKind kind;
  const std::string& file;
  std::int64_t offset;
  std::size_t size;
};

// What a call is to do. A write that fails may have written a part of its bytes.
struct Fault {
  int code = SQLITE_OK;
  bool torn = false;
};

// What survives a power cut, or (kKilled) the process alone.
enum class CrashStyle { kNothingUnsynced, kKilled, kPrefix, kSectors, kTornBytes };
inline constexpr CrashStyle kCrashStyles[] = {CrashStyle::kNothingUnsynced, CrashStyle::kKilled,
                                              CrashStyle::kPrefix, CrashStyle::kSectors,
                                              CrashStyle::kTornBytes};
const char* name_of(CrashStyle style);

class FaultDisk {
 public:
  explicit FaultDisk(const DiskImage& image = {});
  ~FaultDisk();
  FaultDisk(const FaultDisk&) = delete;
  FaultDisk& operator=(const FaultDisk&) = delete;

  const std::string& vfs_name() const { return name_; }
  // Asked before each call; and told of each after it took effect in memory (a sync: before).
  std::function<Fault(const Call&)> before;
  std::function<void(const Call&)> after;

  DiskImage live() const;
  DiskImage crashed(CrashStyle style, std::mt19937_64& dice) const;
  Bytes* file(const std::string& name);  // as it is now; null: not there

  struct Node;  // fault_disk.cpp
  struct Methods;

 private:
  friend struct Methods;
  std::map<std::string, std::shared_ptr<Node>> names_;
  std::map<std::string, std::shared_ptr<Node>> removed_;
  std::string name_;
  sqlite3_vfs vfs_{};
  std::mt19937_64 tear_{7};
};

}  // namespace kartei::vault_test
