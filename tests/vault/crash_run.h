// Crashes and faults at every call of a course of work, each followed by a look at what is left.
// For tests. A failure tells seed, page size and point.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/vault/workload.h"

namespace kartei::vault_test {

struct Tally {
  std::string what;
  std::uint64_t points = 0;   // calls at which something happened
  std::uint64_t looks = 0;    // databases that were opened afterwards and compared
  std::uint64_t silent = 0;   // faults that no statement told of (and that did no harm)
  std::uint64_t renewed = 0;  // runs that needed a new connection for FTS5,
  std::uint64_t rebuilt = 0;  // and its index anew
  std::uint64_t failures = 0;
  double seconds = 0;
  std::vector<std::string> first;  // of the failures

  void fail(std::string text);
  void add(const Tally& other);
};

struct Scope {
  std::uint64_t stride = 1;  // every how many calls
  bool twice = false;        // also crashes while the crashed one is opened and closed again
  std::uint64_t most = 0;    // points; 0: all
  bool stop_at_failure = false;
};

// What must hold of a disk: it opens, is sound, and holds n transactions, least <= n <= most.
// Empty: it does.
std::optional<std::string> look(const DiskImage& image, int least, int most,
                                const std::vector<Hash32>& digests, const vault::FormatMaker& maker,
                                bool go_on);

Tally run_crashes(const Plan& plan, const Scope& scope,
                  const vault::FormatMaker& maker = vault::make_format);

enum class FaultKind {
  kReadError,
  kShortRead,
  kWriteError,
  kDiskFull,
  kSyncError,
  kOtherError,
  kDeadDisk
};
inline constexpr FaultKind kFaultKinds[] = {
    FaultKind::kReadError, FaultKind::kShortRead,  FaultKind::kWriteError, FaultKind::kDiskFull,
    FaultKind::kSyncError, FaultKind::kOtherError, FaultKind::kDeadDisk};
const char* name_of(FaultKind kind);

Tally run_faults(const Plan& plan, FaultKind kind, const Scope& scope,
                 const vault::FormatMaker& maker = vault::make_format);

}  // namespace kartei::vault_test
