#include "store/schema.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "crypto/file_error.h"
#include "crypto/vault/vault.h"
#include "store/schema_sql.h"
#include "store/vectors.h"
#include "store/word_index.h"

namespace kartei::store {

namespace {

Status make_version_1(Db& db) {
  KARTEI_TRY(db.script(kTurnsSql));
  KARTEI_TRY(db.script(kCardsSql));
  KARTEI_TRY(db.script(kRestSql));
  for (const std::string& sql : word_index_schema()) KARTEI_TRY(db.script(sql));
  return {};
}

// Which cards a turn has confirmed: asked for each turn that is about to be handed out.
Status make_version_2(Db& db) {
  return db.script("CREATE INDEX confirmations_turn ON confirmations(turn)");
}

// The word index holds what ranking asks.
Status make_version_3(Db& db) {
  return db.script(ranked_card_docs_sql());
}

// What is unread by conversation, where cards were moved to, and check sums of the words.
Status make_version_4(Db& db) {
  KARTEI_TRY(db.script(kUnreadSql));
  KARTEI_TRY(db.script(kMovesSql));
  return db.script(summed_docs_sql());
}

// Vectors of what turns and cards mean.
Status make_version_5(Db& db) {
  return db.script(kVectorsSql);
}

// Which turns may be outdated: asked for each turn that is about to be handed out.
Status make_version_6(Db& db) {
  return db.script(kClosedTurnsSql);
}

// What forgetting did.
Status make_version_7(Db& db) {
  return db.script(kForgottenSql);
}

// Step i brings a file of version i to version i + 1.
using Step = Status (*)(Db&);
constexpr Step kSteps[] = {make_version_1, make_version_2, make_version_3, make_version_4,
                           make_version_5, make_version_6, make_version_7};
static_assert(std::size(kSteps) == kSchemaVersion);

Result<std::int64_t> pragma(Db& db, const char* name) {
  return db.integer(std::string("PRAGMA ") + name, 0);
}

// Before its first table: pages that become free can then be given back a few at a time. A page in
// some 800 says which page points to which.
Status make_shrinkable(Db& db) {
  return db.script("PRAGMA auto_vacuum = INCREMENTAL");
}

Status migrate(Db& db, const std::string& name) {
  KARTEI_ASSIGN(const std::int64_t application, pragma(db, "application_id"));
  KARTEI_ASSIGN(const std::int64_t version, pragma(db, "user_version"));
  if (application != kApplicationId) {
    KARTEI_ASSIGN(const bool foreign, db.exists("SELECT 1 FROM sqlite_master LIMIT 1"));
    if (foreign || application != 0 || version != 0) {
      return corrupt(name +
                     " is not a Kartei box but a database of another program; move it away or name "
                     "another file");
    }
  }
  if (version > kSchemaVersion) {
    return Error{Cause::kVersion,
                 name + " was written by a newer Kartei (format " + std::to_string(version) +
                     ", this one knows " + std::to_string(kSchemaVersion) + "); update Kartei",
                 {}};
  }
  if (version == kSchemaVersion) return {};
  if (version == 0) KARTEI_TRY(make_shrinkable(db));
  KARTEI_TRY(db.script("BEGIN IMMEDIATE"));
  const auto all_steps = [&]() -> Status {
    for (std::int64_t step = version; step < kSchemaVersion; ++step) KARTEI_TRY(kSteps[step](db));
    KARTEI_TRY(db.script("PRAGMA application_id = " + std::to_string(kApplicationId) +
                         "; PRAGMA user_version = " + std::to_string(kSchemaVersion)));
    return db.script("COMMIT");
  };
  Status done = all_steps();
  if (done.has_error()) sqlite3_exec(db.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  return done;
}

// Refuses what SQLite would take for an empty file or fail on later; makes a new file private. A
// vault has seen to both.
Status check_file(const BoxFile& box, bool create) {
  if (box.vault) return {};
  const std::filesystem::path& file = box.path;
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) {
    if (!create) return not_found("There is no box at " + file.string());
    const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
      Error error = crypto::file_error("Cannot make", file, errno);
      if (error.cause == Cause::kForbidden) error.cause = Cause::kReadOnly;
      return error;
    }
    ::close(fd);
    return {};
  }
  if (!S_ISREG(status.st_mode)) return bad_input(file.string() + " is not a file", "file");
  if (status.st_size == 0) return {};
  KARTEI_ASSIGN(const bool database, is_in_the_clear(file));
  if (!database) {
    return corrupt(file.string() +
                   " is not a box, or its start is damaged; restore a backup or name another file");
  }
  return {};
}

Result<std::unique_ptr<Db>> connect(const BoxFile& file, int flags) {
  sqlite3* raw = nullptr;
  const std::string name = file.vault ? file.vault->file() : file.path.string();
  const char* vfs = file.vault ? file.vault->vfs_name() : nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX, vfs);
  auto db = std::make_unique<Db>(raw, Db::Owner::kOwned, file.vault);
  if (code != SQLITE_OK) return sql_error(raw, code, "open " + name);
  sqlite3_extended_result_codes(raw, 1);
  KARTEI_TRY(prepare_word_index(raw));
  KARTEI_TRY(prepare_row_list(raw));
  return db;
}

constexpr char kEachConnection[] =
    "PRAGMA busy_timeout = 5000; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = ON; "
    "PRAGMA mmap_size = 0; PRAGMA cache_size = -2000; PRAGMA cell_size_check = ON;";

}  // namespace

// By the number of pages from which they spill: the switch works between transactions only. (SQLite
// takes a number whose last byte is zero for OFF.)
Status let_pages_spill(Db& db, bool on) {
  return db.script(on ? "PRAGMA cache_spill = 500" : "PRAGMA cache_spill = 2147483647");
}

Result<std::unique_ptr<Db>> open_writer(const BoxFile& file, bool create) {
  KARTEI_TRY(check_file(file, create));
  KARTEI_ASSIGN(auto db, connect(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
  if (sqlite3_db_readonly(db->handle(), "main") != 0) {
    return Error{
        Cause::kReadOnly, file.path.string() + " cannot be written; check its permissions", {}};
  }
  KARTEI_TRY(db->script(kEachConnection));
  // Foreign or newer files must stay as they are: looked at before the journal mode is set.
  KARTEI_TRY(migrate(*db, file.path.string()));
  KARTEI_TRY(update_word_index(*db));
  // No page may go into the log before its commit from here on, or a savepoint that is rolled back
  // (Glimpse) can cost the commit: crypto/vault/README.md, "Pitfalls". The migrations, which may
  // write more than memory should hold, have none.
  KARTEI_TRY(let_pages_spill(*db, false));
  KARTEI_TRY(db->script(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 1000; "
      "PRAGMA journal_size_limit = 8388608"));
  return db;
}

Result<std::unique_ptr<Db>> open_unmade(const BoxFile& file) {
  KARTEI_ASSIGN(auto db, connect(file, SQLITE_OPEN_READWRITE));
  KARTEI_TRY(db->script(kEachConnection));
  KARTEI_TRY(make_shrinkable(*db));
  KARTEI_TRY(db->script("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 1000"));
  return db;
}

Result<std::unique_ptr<Db>> open_in_memory(ByteView image) {
  KARTEI_ASSIGN(auto db,
                connect({":memory:", nullptr}, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
  if (!image.empty()) {
    auto* copy = static_cast<std::uint8_t*>(sqlite3_malloc64(image.size()));
    if (copy == nullptr) return Error{Cause::kInternal, "Out of memory", {}};
    std::memcpy(copy, image.data(), image.size());
    // Bytes 18 and 19 ask for a write-ahead log, which memory has not.
    if (image.size() >= 100) copy[18] = copy[19] = 1;
    const int code =
        sqlite3_deserialize(db->handle(), "main", copy, static_cast<sqlite3_int64>(image.size()),
                            static_cast<sqlite3_int64>(image.size()),
                            SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
    if (code != SQLITE_OK) return sql_error(db->handle(), code, "image");
  }
  // Small pages: the images that tests and simulations keep by the thousand are copied whole.
  KARTEI_TRY(db->script(
      "PRAGMA temp_store = MEMORY; PRAGMA page_size = 1024; PRAGMA journal_mode = MEMORY"));
  KARTEI_TRY(migrate(*db, "The image"));
  KARTEI_TRY(update_word_index(*db));
  return db;
}

Result<std::unique_ptr<Db>> open_for_check(const BoxFile& file) {
  KARTEI_TRY(check_file(file, false));
  KARTEI_ASSIGN(auto db, connect(file, SQLITE_OPEN_READONLY));
  KARTEI_TRY(db->script(kEachConnection));
  KARTEI_ASSIGN(const std::int64_t application, pragma(*db, "application_id"));
  KARTEI_ASSIGN(const std::int64_t version, pragma(*db, "user_version"));
  if (application != kApplicationId || version != kSchemaVersion)
    return Error{Cause::kVersion,
                 file.path.string() + " is not a box of this Kartei's format " +
                     std::to_string(kSchemaVersion) + " (it says " + std::to_string(version) + ")",
                 {}};
  return db;
}

Result<std::unique_ptr<Db>> open_reader(const BoxFile& file) {
  KARTEI_ASSIGN(auto db, connect(file, SQLITE_OPEN_READWRITE));
  KARTEI_TRY(db->script(kEachConnection));
  // The cache of 500 pages holds what one question touches, and the tops of all trees: more of it
  // made none faster at 100,000 rows.
  KARTEI_TRY(db->script("PRAGMA query_only = ON"));
  return db;
}

}  // namespace kartei::store
