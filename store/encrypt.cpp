#include "store/encrypt.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "crypto/file_error.h"
#include "crypto/private_file.h"
#include "crypto/vault/vault.h"
#include "store/row_copy.h"
#include "store/schema.h"

namespace kartei::store {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kSpareBytes = 16 << 20;
constexpr std::uint64_t kRowsATelling = 1000;

// box.kartei and what stands beside it on the way.
struct Names {
  explicit Names(const fs::path& file) : box(file) {}
  fs::path with(const char* suffix) const {
    fs::path name = box;
    name += suffix;
    return name;
  }
  const fs::path box;
  const fs::path log = with("-wal"), index = with("-shm");
  const fs::path fresh = with(".sealed"), fresh_log = with(".sealed-wal");  // until it is proven
  const fs::path old = with(".plain"), old_log = with(".plain-wal");        // to be overwritten
};

class Teller {
 public:
  explicit Teller(const TellEncryptStep& tell) : tell_(tell) {}
  void begin(const char* doing) {
    step_.doing = doing;
    say();
  }
  void set_rows(std::uint64_t rows) { step_.all = 3 * rows; }
  TellRow each_row() {
    return [this] {
      if (++step_.done % kRowsATelling == 0) say();
    };
  }

 private:
  void say() const {
    if (tell_) tell_(step_);
  }
  const TellEncryptStep& tell_;
  EncryptStep step_{"", 0, 0};
};

Status remove_file(const fs::path& file) {
  std::error_code error;
  fs::remove(file, error);
  if (error) return crypto::file_error("removing", file, error);
  return {};
}

Status rename_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) return crypto::file_error("renaming", from, error);
  return {};
}

Status sync_folder_of(const Names& names) {
  return crypto::sync_folder(names.box.has_parent_path() ? names.box.parent_path() : ".");
}

// What is old goes for good. While the box is still in the clear, `old` is a second name of it,
// and only the name goes.
Status shred_old(const Names& names) {
  KARTEI_TRY(crypto::shred_file(names.old));
  KARTEI_TRY(crypto::shred_file(names.old_log));
  return sync_folder_of(names);
}

Status remove_fresh(const Names& names) {
  KARTEI_TRY(remove_file(names.fresh));
  return remove_file(names.fresh_log);
}

// Better told before than after half of it is written.
Status check_room(const Names& names) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(names.box, error);
  if (error) return crypto::file_error("looking at", names.box, error);
  const std::uintmax_t needed = size + size / 8 + kSpareBytes;
  struct statvfs info {};
  const fs::path folder = names.box.has_parent_path() ? names.box.parent_path() : fs::path(".");
  if (::statvfs(folder.c_str(), &info) != 0) return {};  // the disk itself will say
  const std::uintmax_t free = std::uintmax_t{info.f_bavail} * info.f_frsize;
  if (free >= needed) return {};
  return Error{Cause::kFull,
               "it needs " + std::to_string(needed >> 20) + " MB, and " +
                   std::to_string(free >> 20) + " MB are free",
               {}};
}

Result<std::unique_ptr<Db>> open_fresh(const Names& names, const crypto::Secret& key, bool create) {
  KARTEI_ASSIGN(const BoxFile place, open_box_file(names.fresh, &key, create));
  return open_unmade(place);
}

Status fold_log(Db& db) {
  KARTEI_ASSIGN(const std::int64_t busy, db.integer("PRAGMA wal_checkpoint(TRUNCATE)", 1));
  if (busy == 0) return {};
  return Error{Cause::kInternal, "somebody else has the box open", {}};
}

Status copy_into_fresh(Db& plain, const Names& names, const crypto::Secret& key, Teller& teller) {
  KARTEI_ASSIGN(auto fresh, open_fresh(names, key, true));
  KARTEI_TRY(copy_database(plain, *fresh, teller.each_row()));
  KARTEI_TRY(fold_log(*fresh));
  return {};
}

// What counts is what a start will find: the file is opened anew.
Status prove_fresh(Db& plain, const Names& names, const crypto::Secret& key, Teller& teller) {
  KARTEI_ASSIGN(const Hash32 before, digest_database(plain, teller.each_row()));
  KARTEI_ASSIGN(auto fresh, open_fresh(names, key, false));
  KARTEI_ASSIGN(const Hash32 after, digest_database(*fresh, teller.each_row()));
  Query check = fresh->query("PRAGMA integrity_check(1)");
  const bool sound = check.next() && check.text(0) == "ok";
  KARTEI_TRY(check.status());
  if (sound && before == after) return {};
  return Error{Cause::kInternal, "the encrypted copy is not what it was made from", {}};
}

// After a crash: the box opens with this key and is sound, before what it was made from goes.
Status prove_box(const Names& names, const crypto::Secret& key) {
  KARTEI_ASSIGN(const BoxFile place, open_box_file(names.box, &key, false));
  KARTEI_ASSIGN(const auto box, open_unmade(place));
  Query check = box->query("PRAGMA integrity_check(1)");
  const bool sound = check.next() && check.text(0) == "ok";
  KARTEI_TRY(check.status());
  if (sound) return {};
  return Error{Cause::kCorrupt, names.box.string() + " is damaged", {}};
}

bool has_old(const Names& names) {
  std::error_code ignored;
  return fs::exists(names.old, ignored) || fs::exists(names.old_log, ignored);
}

// All that stands in the log goes into the file; the log stays for being overwritten.
Status close_plain(std::unique_ptr<Db> plain, const Names& names) {
  int keep = 1;
  sqlite3_file_control(plain->handle(), "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
  KARTEI_TRY(plain->script("PRAGMA journal_size_limit = -1"));
  {
    Query query = plain->query("PRAGMA wal_checkpoint(FULL)");
    const bool whole =
        query.next() && query.integer(0) == 0 && query.integer(1) == query.integer(2);
    KARTEI_TRY(query.status());
    if (!whole) return Error{Cause::kInternal, "somebody else has the box open", {}};
  }
  plain.reset();
  // The index first: it would say that a log is missing.
  KARTEI_TRY(remove_file(names.index));
  std::error_code error;
  if (!fs::exists(names.log, error)) return {};
  return rename_file(names.log, names.old_log);
}

// A second name keeps the old file reachable until it has been overwritten. A file system without
// such names loses it at the renaming instead.
Status take_place(const Names& names, Teller& teller) {
  std::error_code ignored;
  fs::create_hard_link(names.box, names.old, ignored);
  KARTEI_TRY(sync_folder_of(names));
  KARTEI_TRY(remove_file(names.fresh_log));
  teller.begin("putting the encrypted file in its place");
  KARTEI_TRY(rename_file(names.fresh, names.box));
  return sync_folder_of(names);
}

Status sync_file(const fs::path& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const int code = fd < 0 || ::fsync(fd) != 0 ? errno : 0;
  if (fd >= 0) ::close(fd);
  if (code != 0) return crypto::file_error("syncing", file, code);
  return {};
}

Status encrypt(const Names& names, const crypto::Secret& key, Teller& teller) {
  teller.begin("removing what an earlier try left");
  KARTEI_TRY(remove_fresh(names));
  KARTEI_TRY(shred_old(names));
  KARTEI_TRY(check_room(names));
  KARTEI_ASSIGN(auto plain, open_writer({names.box, nullptr}, false));
  KARTEI_ASSIGN(const auto tables, table_shapes(*plain));
  KARTEI_ASSIGN(const std::uint64_t rows, count_rows(*plain, tables));
  teller.set_rows(rows);
  teller.begin("copying");
  KARTEI_TRY(copy_into_fresh(*plain, names, key, teller));
  teller.begin("comparing");
  KARTEI_TRY(prove_fresh(*plain, names, key, teller));
  KARTEI_TRY(sync_file(names.fresh));
  teller.begin("closing the old file");
  KARTEI_TRY(close_plain(std::move(plain), names));
  teller.begin("keeping a name of the old file");
  return take_place(names, teller);
}

}  // namespace

Result<bool> encrypt_box(const fs::path& file, const crypto::Secret& data_key,
                         const TellEncryptStep& tell) {
  const Names names(file);
  Teller teller(tell);
  KARTEI_ASSIGN(const bool plain, is_in_the_clear(file));
  if (plain) {
    if (Status done = encrypt(names, data_key, teller); done.has_error()) {
      static_cast<void>(remove_fresh(names));  // the next try does, too
      Error error = done.error();
      const auto still = is_in_the_clear(file);
      if (still && !*still) return error;  // its last sync failed
      error.what = file.string() + " could not be encrypted and stays as it was: " + error.what;
      return error;
    }
  }
  if (!plain && has_old(names)) {
    if (Status proven = prove_box(names, data_key); proven.has_error()) {
      Error error = proven.error();
      error.what += ". What it was before is kept beside it: " + names.old.string();
      return error;
    }
  }
  teller.begin("overwriting the old file");
  if (Status gone = shred_old(names); gone.has_error())
    return Error{gone.error().cause,
                 file.string() +
                     " is encrypted, but what it was before is still there: " + gone.error().what,
                 {}};
  teller.begin("done");
  return plain;
}

}  // namespace kartei::store
