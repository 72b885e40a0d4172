// Calls that fail: each fault in a run of its own.
#include <chrono>

#include "tests/vault/crash_run.h"

namespace kartei::vault_test {

namespace {

bool concerns(FaultKind kind, CallKind call) {
  switch (kind) {
    case FaultKind::kReadError:
    case FaultKind::kShortRead:
      return call == CallKind::kRead;
    case FaultKind::kWriteError:
    case FaultKind::kDiskFull:
      return call == CallKind::kWrite;
    case FaultKind::kSyncError:
      return call == CallKind::kSync;
    case FaultKind::kOtherError:
      return call != CallKind::kRead && call != CallKind::kWrite && call != CallKind::kSync;
    case FaultKind::kDeadDisk:
      return true;
  }
  return false;
}

bool lasts(FaultKind kind) {
  return kind == FaultKind::kDiskFull || kind == FaultKind::kDeadDisk;
}

int code_of(FaultKind kind, CallKind call) {
  if (kind == FaultKind::kShortRead) return SQLITE_IOERR_SHORT_READ;
  if (kind == FaultKind::kDiskFull) return SQLITE_FULL;
  switch (call) {
    case CallKind::kOpen:
      return SQLITE_CANTOPEN;
    case CallKind::kRead:
      return SQLITE_IOERR_READ;
    case CallKind::kWrite:
      return SQLITE_IOERR_WRITE;
    case CallKind::kTruncate:
      return SQLITE_IOERR_TRUNCATE;
    case CallKind::kSync:
      return SQLITE_IOERR_FSYNC;
    case CallKind::kSize:
      return SQLITE_IOERR_FSTAT;
    case CallKind::kDelete:
      return SQLITE_IOERR_DELETE;
    case CallKind::kAccess:
      return SQLITE_IOERR_ACCESS;
  }
  return SQLITE_IOERR;
}

class FaultRun {
 public:
  FaultRun(const Plan& plan, FaultKind kind, const Scope& scope, const vault::FormatMaker& maker)
      : plan_(plan),
        kind_(kind),
        scope_(scope),
        maker_(maker),
        steps_(make_steps(plan)),
        digests_(expected_digests(steps_)) {}

  Tally run() {
    const auto began = std::chrono::steady_clock::now();
    tally_.what = name_of(kind_);
    for (std::uint64_t point = 1;; point += stride()) {
      if (scope_.most > 0 && tally_.points >= scope_.most) break;
      if (scope_.stop_at_failure && tally_.failures > 0) break;
      // Some go on with the connections they have, some start anew.
      if (!run_to(point, tally_.points % 2 == 0)) break;
      ++tally_.points;
    }
    tally_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return tally_;
  }

 private:
  // Of syncs, cuts and the like there are few.
  std::uint64_t stride() const {
    const bool few = kind_ == FaultKind::kSyncError || kind_ == FaultKind::kOtherError;
    return few ? 1 : scope_.stride;
  }
  // False: the work has fewer calls than that.
  bool run_to(std::uint64_t point, bool go_on) {
    FaultDisk disk(new_disk(plan_, maker_));
    std::uint64_t seen = 0;
    bool working = true, fired = false;
    disk.before = [&](const Call& call) -> Fault {
      if (!working || !concerns(kind_, call.kind)) return {};
      ++seen;
      if (seen < point || (fired && !lasts(kind_))) return {};
      fired = true;
      return {code_of(kind_, call.kind), true};
    };
    Runner runner(disk, plan_, maker_);
    bool told = false;
    const auto wrong = work(runner, working, told, go_on);
    std::mt19937_64 dice(plan_.seed * 7919 + point);
    const DiskImage cut_off = disk.crashed(kCrashStyles[dice() % std::size(kCrashStyles)], dice);
    // A full or dead disk stays so while everything is closed.
    runner.close();
    working = false;
    if (!fired) return false;
    if (!told) ++tally_.silent;
    tally_.looks += 2;
    auto left = wrong;
    if (!left) left = look(cut_off, runner.acknowledged(), runner.begun(), digests_, maker_, false);
    if (!left)
      left = look(disk.live(), runner.acknowledged(), runner.begun(), digests_, maker_, true);
    if (left) {
      tally_.fail("seed " + std::to_string(plan_.seed) + ", page size " +
                  std::to_string(plan_.page_size) + (plan_.spills ? ", spills, " : ", ") +
                  name_of(kind_) + " at call " + std::to_string(point) +
                  (go_on ? ", going on: " : ": ") + *left);
    }
    return true;
  }

  std::optional<std::string> work(Runner& runner, bool& working, bool& told, bool go_on) {
    Status status = runner.open();
    bool renewed = false, rebuilt = false;
    for (std::size_t i = 0; i < steps_.size();) {
      if (status.has_value()) status = runner.run(steps_[i]);
      if (status.has_value()) {
        ++i;
        continue;
      }
      if (told && !renewed && is_fts5_muddled(status)) {
        renewed = true;
        ++tally_.renewed;
        runner.close();
        status = runner.open();
        continue;
      }
      if (told && !rebuilt && is_fts5_muddled(status)) {
        rebuilt = true;
        ++tally_.rebuilt;
        status = rebuild_fts5(runner);
        continue;
      }
      if (told) return "an error without a fault: " + status.error().what;
      told = true;
      if (!go_on) return complaint(runner);
      working = false;  // the disk is well again
      const auto count = runner.settle();
      if (count.has_error()) return "stays broken: " + count.error().what;
      if (*count < runner.acknowledged() || *count > runner.begun())
        return "goes on with " + std::to_string(*count) + " transactions instead of " +
               std::to_string(runner.acknowledged());
      if (transactions_before(i + 1) == *count) ++i;  // it was committed all the same
      status = {};
    }
    return complaint(runner);
  }

  // SQLITE_CORRUPT_VTAB: what FTS5 keeps in a connection is of the statement that failed. A new
  // connection finds all of it sound, or what the old one had added to its index since must be made
  // anew; plain SQLite does the same with these faults. Nothing else may be amiss.
  static bool is_fts5_muddled(const Status& status) {
    return status.error().what.ends_with("(267)");
  }

  static Status rebuild_fts5(Runner& runner) {
    KARTEI_TRY(runner.settle());
    return execute(runner.writer(), "INSERT INTO words(words) VALUES('rebuild')");
  }

  // A disk that fails is no damage.
  static std::optional<std::string> complaint(const Runner& runner) {
    if (runner.vault() == nullptr) return std::nullopt;
    for (const auto& failure : runner.vault()->failures())
      if (failure.kind != vault::VaultFailure::Kind::kLogEnd)
        return "takes the fault for damage: " + failure.what;
    return std::nullopt;
  }

  int transactions_before(std::size_t end) const {
    int count = 0;
    for (std::size_t i = 0; i < end; ++i)
      if (steps_[i].kind == Step::Kind::kTransaction) ++count;
    return count;
  }

  const Plan plan_;
  const FaultKind kind_;
  const Scope scope_;
  const vault::FormatMaker& maker_;
  const std::vector<Step> steps_;
  const std::vector<Hash32> digests_;
  Tally tally_;
};

}  // namespace

const char* name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kReadError:
      return "EIO while reading";
    case FaultKind::kShortRead:
      return "short read";
    case FaultKind::kWriteError:
      return "EIO while writing";
    case FaultKind::kDiskFull:
      return "disk full";
    case FaultKind::kSyncError:
      return "EIO while syncing";
    case FaultKind::kOtherError:
      return "open, cut, remove ... fails";
    case FaultKind::kDeadDisk:
      return "every call fails from here";
  }
  return "";
}

Tally run_faults(const Plan& plan, FaultKind kind, const Scope& scope,
                 const vault::FormatMaker& maker) {
  return FaultRun(plan, kind, scope, maker).run();
}

}  // namespace kartei::vault_test
