// A made-up course of work on a sealed database, of everything that Kartei does and a little more,
// and what the database holds after each transaction. From a seed. For tests.
#pragma once

#include <sqlite3.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "crypto/bytes.h"
#include "crypto/vault/vault_core.h"
#include "tests/vault/fault_disk.h"

namespace kartei::vault_test {

inline constexpr char kFile[] = "/box.db";
inline constexpr char kLog[] = "/box.db-wal";

struct Step {
  enum class Kind {
    kTransaction,  // statements; it counts itself
    kRolledBack,   // statements that come to nothing
    kPlain,        // one statement outside of a transaction: a checkpoint, VACUUM
    kReopen,       // all connections are closed and opened
    kReaderBegins,
    kReaderEnds,
    kSync,  // lazy commits so far become durable, as the store does it
  };
  Kind kind;
  std::vector<std::string> sql;
};

struct Plan {
  std::uint64_t seed = 1;
  std::size_t page_size = 4096;
  bool lazy = false;  // synchronous=NORMAL and kSync, instead of FULL
  int steps = 60;
  std::string marker = "Quittenbaum";  // stands in every text
  // Pages go into the log before their commit, and are written again there. Kartei does not allow
  // it (Vault::kPragmas); no savepoint is rolled back then, since SQLite gets that wrong.
  bool spills = false;
};

std::vector<Step> make_steps(const Plan& plan);
// After n transactions, for all n: made on a plain database in memory.
std::vector<Hash32> expected_digests(const std::vector<Step>& steps);
// Of everything in the database; an empty one: of nothing.
Result<Hash32> digest(sqlite3* db);
// How many transactions it holds.
Result<int> transactions_in(sqlite3* db);

crypto::Secret test_key(std::uint8_t fill = 7);
// A disk with a new sealed database on it.
DiskImage new_disk(const Plan& plan, const vault::FormatMaker& maker = vault::make_format);
Result<std::unique_ptr<vault::Vault>> open_vault(
    const FaultDisk& disk, const vault::FormatMaker& maker = vault::make_format,
    const crypto::Secret& key = test_key(), bool accept_damaged_log = false);

struct Closer {
  void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};
using Connection = std::unique_ptr<sqlite3, Closer>;
Result<Connection> connect(const vault::Vault& vault);
Status execute(sqlite3* db, const std::string& sql);

// Runs the steps on a disk. Stops at the first error unless told to go on.
class Runner {
 public:
  Runner(const FaultDisk& disk, const Plan& plan, const vault::FormatMaker& maker)
      : disk_(disk), plan_(plan), maker_(maker) {}
  ~Runner();
  Status open();
  Status run(const Step& step);
  void close();

  int acknowledged() const { return acknowledged_; }  // certainly on disk
  int begun() const { return begun_; }                // at most there
  sqlite3* writer() const { return writer_.get(); }
  // After an error: nothing of the transaction is left; says how many there are now.
  Result<int> settle();
  const vault::Vault* vault() const { return vault_.get(); }

 private:
  Status transaction(const Step& step);
  Status sync();

  const FaultDisk& disk_;
  Plan plan_;
  vault::FormatMaker maker_;
  std::unique_ptr<vault::Vault> vault_;
  Connection writer_, reader_;
  int committed_ = 0;
  int acknowledged_ = 0;
  int begun_ = 0;
};

}  // namespace kartei::vault_test
