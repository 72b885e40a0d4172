// The inside of a Vault: for the files of this folder, and for tests that put a broken format or a
// failing disk beneath.
#pragma once

#include <sqlite3.h>

#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "crypto/vault/bare_file.h"
#include "crypto/vault/format.h"
#include "crypto/vault/log_book.h"
#include "crypto/vault/shared_memory.h"
#include "crypto/vault/vault.h"

namespace kartei::vault {

bool is_damage(VaultFailure::Kind kind);

class Failures {
 public:
  void note(VaultFailure::Kind kind, std::uint64_t number, const char* what) noexcept;
  std::vector<VaultFailure> all() const;
  std::optional<VaultFailure> last_damage() const;

 private:
  static constexpr std::size_t kMost = 1000;
  mutable std::mutex mutex_;
  std::vector<VaultFailure> list_;
  std::optional<VaultFailure> last_damage_;
};

// The log as all connections see it. Guarded by `mutex`.
struct SharedLog {
  std::mutex mutex;
  LogBook book;
  std::uint64_t vouched = 0;  // recovery: frames below this one were committed and on disk
  bool has_header = false;
  std::uint8_t header[kLogHeaderSize] = {};
};

struct Vault::Core {
  ~Core();

  std::string file;
  std::string log_file;
  std::string name;  // of the VFS
  sqlite3_vfs vfs{};
  sqlite3_vfs* beneath = nullptr;
  bool registered = false;
  FileLock lock;

  std::unique_ptr<Format> format;
  std::shared_ptr<crypto::Random> random;
  std::size_t page_size = 0;
  std::uint8_t clear[kClearSize] = {};  // page 1: never changes
  bool accept_damaged_log = false;

  FileLocks locks;
  LogIndex index;
  SharedLog log;
  Failures failures;

  MainLayout main_layout() const { return {page_size}; }
  LogLayout log_layout() const { return {page_size}; }
};

// An open file of SQLite's; the file beneath lies behind it in the memory that SQLite gave.
struct OpenFile {
  sqlite3_file head;  // first: SQLite knows this part
  Vault::Core* core;
  std::uint8_t* scratch;  // a page or the longest slot
  FileLocks::Member lock;
  LogIndex::Member index;
  bool recovering;  // the log: its header was read, and nothing written since

  sqlite3_file* beneath() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

extern const sqlite3_io_methods kMainMethods;  // main_file.cpp
extern const sqlite3_io_methods kLogMethods;   // log_file.cpp
void fill_vfs(Vault::Core& core);              // vault_vfs.cpp
const Vault::Core* core_behind(sqlite3* db);   // null: a connection without a vault

// Page 1 of a database without a table, in WAL mode.
Bytes first_page(Format& format, const DatabaseId& id, std::size_t page_size);

using FormatMaker = std::function<std::unique_ptr<Format>(
    const crypto::Secret& data_key, const DatabaseId& id, std::shared_ptr<crypto::Random> random)>;

struct VaultMaker {
  static Result<std::unique_ptr<Vault>> open(const std::filesystem::path& file,
                                             const crypto::Secret& data_key,
                                             const VaultOptions& options, const FormatMaker& maker);
};

}  // namespace kartei::vault
