#include "tests/vault/crash_run.h"

#include <chrono>

namespace kartei::vault_test {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

// Everything that changes the disk.
bool changes(CallKind kind) {
  return kind == CallKind::kWrite || kind == CallKind::kTruncate || kind == CallKind::kSync ||
         kind == CallKind::kDelete;
}

Result<std::string> integrity(sqlite3* db) {
  std::string answer;
  const auto take = [](void* out, int, char** values, char**) {
    *static_cast<std::string*>(out) += values[0];
    return 0;
  };
  if (sqlite3_exec(db, "PRAGMA integrity_check(3)", take, &answer, nullptr) != SQLITE_OK)
    return corrupt(std::string("integrity_check: ") + sqlite3_errmsg(db));
  return answer;
}

// The vault complains of nothing but where the log ends.
std::string complaints(const vault::Vault& vault) {
  std::string out;
  for (const auto& failure : vault.failures()) {
    if (failure.kind == vault::VaultFailure::Kind::kLogEnd) continue;
    out += " [" + std::to_string(static_cast<int>(failure.kind)) + " " +
           std::to_string(failure.number) + " " + failure.what + "]";
  }
  return out;
}

Status check(sqlite3* db, int least, int most, const std::vector<Hash32>& digests) {
  KARTEI_ASSIGN(const int count, transactions_in(db));
  if (count < least || count > most) {
    return corrupt(std::to_string(count) + " transactions instead of " + std::to_string(least) +
                   " to " + std::to_string(most));
  }
  KARTEI_ASSIGN(const std::string sound, integrity(db));
  if (sound != "ok") return corrupt("integrity_check: " + sound);
  KARTEI_ASSIGN(const Hash32 found, digest(db));
  if (found != digests[static_cast<std::size_t>(count)])
    return corrupt("holds something else than " + std::to_string(count) + " transactions");
  return {};
}

Status look_once(const FaultDisk& disk, int least, int most, const std::vector<Hash32>& digests,
                 const vault::FormatMaker& maker) {
  KARTEI_ASSIGN(auto vault, open_vault(disk, maker));
  Status status = [&]() -> Status {
    KARTEI_ASSIGN(const Connection db, connect(*vault));
    return check(db.get(), least, most, digests);
  }();
  const std::string complaint = complaints(*vault);
  if (status.has_error()) return corrupt(status.error().what + complaint);
  if (!complaint.empty()) return corrupt("the vault complains:" + complaint);
  return {};
}

// It is written to again, and holds that.
Status use_again(const FaultDisk& disk, int least, int most, const std::vector<Hash32>& digests,
                 const vault::FormatMaker& maker) {
  {
    KARTEI_ASSIGN(auto vault, open_vault(disk, maker));
    KARTEI_ASSIGN(const Connection db, connect(*vault));
    KARTEI_TRY(execute(db.get(),
                       "PRAGMA cache_size = 5; BEGIN; CREATE TABLE extra(x);"
                       "INSERT INTO extra WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 "
                       "FROM c WHERE i < 60) SELECT zeroblob(400) FROM c; COMMIT;"
                       "PRAGMA wal_checkpoint(PASSIVE); DROP TABLE extra"));
  }
  return look_once(disk, least, most, digests, maker);
}

struct Left {
  DiskImage image;
  int least, most;
  std::uint64_t point;
  CrashStyle style;
};

class CrashRun {
 public:
  CrashRun(const Plan& plan, const Scope& scope, const vault::FormatMaker& maker)
      : plan_(plan),
        scope_(scope),
        maker_(maker),
        steps_(make_steps(plan)),
        digests_(expected_digests(steps_)) {}

  Tally run() {
    const auto began = Clock::now();
    tally_.what = std::string(plan_.lazy ? "crash, lazy commits" : "crash, synced commits");
    FaultDisk disk(new_disk(plan_, maker_));
    Runner runner(disk, plan_, maker_);
    disk.after = [&](const Call& call) { note(disk, runner, call); };
    Status status = runner.open();
    for (const Step& step : steps_) {
      if (status.has_error() || over()) break;
      status = runner.run(step);
    }
    if (status.has_error()) tally_.fail(where(0) + ": without a fault: " + status.error().what);
    runner.close();
    tally_.seconds = seconds_since(began);
    return tally_;
  }

 private:
  bool over() const {
    return (scope_.stop_at_failure && tally_.failures > 0) ||
           (scope_.most > 0 && tally_.points >= scope_.most);
  }
  std::string where(std::uint64_t point) const {
    return "seed " + std::to_string(plan_.seed) + ", page size " + std::to_string(plan_.page_size) +
           (plan_.lazy ? ", lazy" : "") + (plan_.spills ? ", spills" : "") + ", point " +
           std::to_string(point);
  }

  // Looked at at once, within the call: another disk, another vault, other connections.
  void note(const FaultDisk& disk, const Runner& runner, const Call& call) {
    if (!changes(call.kind) || ++calls_ % scope_.stride != 0 || over()) return;
    ++tally_.points;
    for (const CrashStyle style : kCrashStyles) {
      std::mt19937_64 dice(plan_.seed * 1000003 + calls_ * 17 + static_cast<unsigned>(style));
      look_at({disk.crashed(style, dice), runner.acknowledged(), runner.begun(), calls_, style});
    }
  }

  void look_at(const Left& left) {
    ++tally_.looks;
    auto wrong = look(left.image, left.least, left.most, digests_, maker_, tally_.looks % 4 == 0);
    if (!wrong && scope_.twice && tally_.looks % 8 == 0) wrong = crash_again(left);
    if (wrong) tally_.fail(where(left.point) + ", " + name_of(left.style) + ": " + *wrong);
  }

  // Opening and closing checkpoints the log: another crash in the midst of that.
  std::optional<std::string> crash_again(const Left& one) {
    std::vector<DiskImage> images;
    {
      FaultDisk disk(one.image);
      std::mt19937_64 dice(one.point);
      disk.after = [&](const Call& call) {
        if (!changes(call.kind) || images.size() == 4 || dice() % 9 != 0) return;
        images.push_back(disk.crashed(kCrashStyles[dice() % std::size(kCrashStyles)], dice));
      };
      const Status status = use_again(disk, one.least, one.most, digests_, maker_);
      if (status.has_error()) return "again: " + status.error().what;
    }
    for (const DiskImage& image : images) {
      ++tally_.looks;
      const FaultDisk disk(image);
      // The table of use_again may be there: not part of the digest.
      const Status opened = look_once(disk, one.least, one.most, digests_, maker_);
      if (opened.has_error()) return "crashed again: " + opened.error().what;
    }
    return std::nullopt;
  }

  const Plan plan_;
  const Scope scope_;
  const vault::FormatMaker& maker_;
  const std::vector<Step> steps_;
  const std::vector<Hash32> digests_;
  Tally tally_;
  std::uint64_t calls_ = 0;
};

}  // namespace

void Tally::fail(std::string text) {
  ++failures;
  if (first.size() < 5) first.push_back(std::move(text));
}

void Tally::add(const Tally& other) {
  what = other.what;
  points += other.points;
  looks += other.looks;
  silent += other.silent;
  renewed += other.renewed;
  rebuilt += other.rebuilt;
  failures += other.failures;
  seconds += other.seconds;
  for (const std::string& text : other.first)
    if (first.size() < 5) first.push_back(text);
}

std::optional<std::string> look(const DiskImage& image, int least, int most,
                                const std::vector<Hash32>& digests, const vault::FormatMaker& maker,
                                bool go_on) {
  const FaultDisk disk(image);
  Status status = look_once(disk, least, most, digests, maker);
  if (status.has_value() && go_on) {
    status = use_again(disk, least, most, digests, maker);
    if (status.has_error()) return "used again: " + status.error().what;
  }
  if (status.has_error()) return status.error().what;
  return std::nullopt;
}

Tally run_crashes(const Plan& plan, const Scope& scope, const vault::FormatMaker& maker) {
  return CrashRun(plan, scope, maker).run();
}

}  // namespace kartei::vault_test
