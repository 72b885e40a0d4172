// A SQLite database that is encrypted on disk: the main file and its log. A Vault is a SQLite VFS
// for one database file, registered under a name of its own while the object lives:
//
//   auto vault = Vault::open(file, data_key, {.create = true});
//   sqlite3_open_v2(vault->file().c_str(), &db, flags, vault->vfs_name());
//   sqlite3_exec(db, Vault::kPragmas, ...);   // on every connection
//
// Threads: open() and the queries from any; connections as SQLite wants it. Many connections of
// this process may be open; another process, or a second Vault on the same file, is refused.
// Ownership: must outlive its connections. Failure: open() says what a person can do; later a page
// that does not authenticate is an error of the statement (SQLITE_IOERR_DATA), never data, and
// stands in failures().
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "crypto/random.h"
#include "crypto/result.h"
#include "crypto/secret.h"

struct sqlite3;

namespace kartei::vault {

struct VaultOptions {
  bool create = false;                 // where there is no file, and no log of one
  std::size_t page_size_bytes = 4096;  // of a new file
  // For rescue only: a log that is damaged in its midst ends there, instead of being refused, and a
  // main page that is damaged is still refused.
  bool accept_damaged_log = false;
  // The VFS beneath; empty: SQLite's default one.
  std::string beneath;
  // Where nonces and ids come from; null: the system's.
  std::shared_ptr<crypto::Random> random;
};

struct VaultFailure {
  enum class Kind {
    kMainPage,   // does not authenticate; `number` is the page, from 1
    kLogHeader,  // neither copy of it does, and there are frames
    kLogFrame,   // does not though it was on disk once; `number` is the frame, from 1
    kLogEnd,     // ends the log: what a crash leaves behind, or damage that cannot be told from it
    kRefused,    // something that would have been in the clear; `what` tells
  };
  Kind kind;
  std::uint64_t number;
  std::string what;
  std::uint64_t times;  // it was met
};

class Vault {
 public:
  static Result<std::unique_ptr<Vault>> open(const std::filesystem::path& file,
                                             const crypto::Secret& data_key,
                                             const VaultOptions& options = {});
  ~Vault();
  Vault(const Vault&) = delete;
  Vault& operator=(const Vault&) = delete;

  const char* vfs_name() const;
  const std::string& file() const;
  // Nothing of a connection's temporary files may reach the disk; the box is not mapped; and no
  // page goes into the log before its commit: see "Pitfalls" in README.md.
  static constexpr char kPragmas[] =
      "PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0; PRAGMA cache_spill = OFF;";

  // The damage that the vault beneath this connection met last, on this connection or another, as
  // a sentence's beginning with page and file; empty: none, or there is no vault.
  static std::string last_failure(sqlite3* db);
  // What is damaged as far as it was met, one sentence each, with file and page.
  std::vector<std::string> damage() const;
  // What did not fit so far, oldest first; bounded.
  std::vector<VaultFailure> failures() const;

  struct Core;  // vault_core.h

 private:
  friend struct VaultMaker;
  explicit Vault(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
};

}  // namespace kartei::vault
