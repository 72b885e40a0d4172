// The VFS: which files may be opened, and everything that is handed on.
#include <sodium.h>

#include <cstring>
#include <new>

#include "crypto/vault/file_common.h"

namespace kartei::vault {

namespace {

Vault::Core& core_of(sqlite3_vfs* vfs) {
  return *static_cast<Vault::Core*>(vfs->pAppData);
}

sqlite3_vfs* beneath(sqlite3_vfs* vfs) {
  return core_of(vfs).beneath;
}

constexpr int kFileTypes = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TRANSIENT_DB |
                           SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_TEMP_JOURNAL |
                           SQLITE_OPEN_SUBJOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL;

// The methods for a file that may be opened; null for all others: another database, or something
// that would stand in the clear.
const sqlite3_io_methods* methods_for(const Vault::Core& core, const char* name, int type) {
  if (name == nullptr) return nullptr;
  if (type == SQLITE_OPEN_MAIN_DB && core.file == name) return &kMainMethods;
  if (type == SQLITE_OPEN_WAL && core.log_file == name) return &kLogMethods;
  return nullptr;
}

const char* type_name(int type) {
  switch (type) {
    case SQLITE_OPEN_MAIN_DB:
      return "another database was to be opened";
    case SQLITE_OPEN_WAL:
      return "another database's log was to be opened";
    case SQLITE_OPEN_MAIN_JOURNAL:
      return "a rollback journal was to be opened";
    case SQLITE_OPEN_SUBJOURNAL:
      return "a statement journal was to be opened";
    default:
      return "a temporary file was to be opened";
  }
}

// The longest that a file reads or writes at once.
std::size_t scratch_size(const Vault::Core& core) {
  return core.page_size + kReserved + kFrameHeaderSlot;
}

int vfs_open(sqlite3_vfs* vfs, const char* name, sqlite3_file* raw, int flags, int* out_flags) {
  raw->pMethods = nullptr;
  Vault::Core& core = core_of(vfs);
  const sqlite3_io_methods* methods = methods_for(core, name, flags & kFileTypes);
  if (methods == nullptr) {
    core.failures.note(VaultFailure::Kind::kRefused, 0, type_name(flags & kFileTypes));
    return SQLITE_CANTOPEN;
  }
  auto* file = new (static_cast<void*>(raw)) OpenFile{};
  file->core = &core;
  file->scratch = new (std::nothrow) std::uint8_t[scratch_size(core)]();
  if (file->scratch == nullptr) return SQLITE_NOMEM;
  const int code = core.beneath->xOpen(core.beneath, name, file->beneath(), flags, out_flags);
  if (code != SQLITE_OK) {
    if (file->beneath()->pMethods != nullptr) file->beneath()->pMethods->xClose(file->beneath());
    delete[] file->scratch;
    return code;
  }
  file->head.pMethods = methods;
  return SQLITE_OK;
}

int vfs_delete(sqlite3_vfs* vfs, const char* name, int sync_folder) {
  Vault::Core& core = core_of(vfs);
  // Only the log is ever there.
  if (core.log_file != name) return SQLITE_IOERR_DELETE_NOENT;
  return core.beneath->xDelete(core.beneath, name, sync_folder);
}

int vfs_access(sqlite3_vfs* vfs, const char* name, int flags, int* out) {
  Vault::Core& core = core_of(vfs);
  // A rollback journal that somebody laid beside the file is none of ours.
  if (core.file != name && core.log_file != name) {
    *out = 0;
    return SQLITE_OK;
  }
  return core.beneath->xAccess(core.beneath, name, flags, out);
}

int vfs_full_path(sqlite3_vfs* vfs, const char* name, int size, char* out) {
  return beneath(vfs)->xFullPathname(beneath(vfs), name, size, out);
}

void* vfs_library(sqlite3_vfs*, const char*) {
  return nullptr;  // no extension is ever loaded
}

void vfs_library_error(sqlite3_vfs*, int size, char* out) {
  sqlite3_snprintf(size, out, "no extensions here");
}

void (*vfs_symbol(sqlite3_vfs*, void*, const char*))() {
  return nullptr;
}

void vfs_close_library(sqlite3_vfs*, void*) {}

int vfs_randomness(sqlite3_vfs* vfs, int size, char* out) {
  return beneath(vfs)->xRandomness(beneath(vfs), size, out);
}

int vfs_sleep(sqlite3_vfs* vfs, int us) {
  return beneath(vfs)->xSleep(beneath(vfs), us);
}

int vfs_time(sqlite3_vfs* vfs, double* out) {
  return beneath(vfs)->xCurrentTime(beneath(vfs), out);
}

int vfs_last_error(sqlite3_vfs* vfs, int size, char* out) {
  return beneath(vfs)->xGetLastError(beneath(vfs), size, out);
}

int vfs_time_ms(sqlite3_vfs* vfs, sqlite3_int64* out) {
  return beneath(vfs)->xCurrentTimeInt64(beneath(vfs), out);
}

}  // namespace

void fill_vfs(Vault::Core& core) {
  sqlite3_vfs& vfs = core.vfs;
  vfs.iVersion = core.beneath->iVersion >= 2 ? 2 : 1;
  vfs.szOsFile = static_cast<int>(sizeof(OpenFile)) + core.beneath->szOsFile;
  vfs.mxPathname = core.beneath->mxPathname;
  vfs.zName = core.name.c_str();
  vfs.pAppData = &core;
  vfs.xOpen = vfs_open;
  vfs.xDelete = vfs_delete;
  vfs.xAccess = vfs_access;
  vfs.xFullPathname = vfs_full_path;
  vfs.xDlOpen = vfs_library;
  vfs.xDlError = vfs_library_error;
  vfs.xDlSym = vfs_symbol;
  vfs.xDlClose = vfs_close_library;
  vfs.xRandomness = vfs_randomness;
  vfs.xSleep = vfs_sleep;
  vfs.xCurrentTime = vfs_time;
  vfs.xGetLastError = vfs_last_error;
  vfs.xCurrentTimeInt64 = vfs_time_ms;
}

const Vault::Core* core_behind(sqlite3* db) {
  sqlite3_vfs* vfs = nullptr;
  if (sqlite3_file_control(db, "main", SQLITE_FCNTL_VFS_POINTER, &vfs) != SQLITE_OK) return nullptr;
  return vfs != nullptr && vfs->xOpen == vfs_open ? &core_of(vfs) : nullptr;
}

int common_close(sqlite3_file* raw) {
  OpenFile& file = open_file(raw);
  file.core->locks.unlock(file.lock, SQLITE_LOCK_NONE);
  file.core->index.leave(file.index);
  const int code = file.beneath()->pMethods->xClose(file.beneath());
  sodium_memzero(file.scratch, scratch_size(*file.core));
  delete[] file.scratch;
  file.head.pMethods = nullptr;
  return code;
}

int common_size(sqlite3_file* raw, sqlite3_int64* size) {
  sqlite3_file* beneath = open_file(raw).beneath();
  return beneath->pMethods->xFileSize(beneath, size);
}

int common_sync(sqlite3_file* raw, int flags) {
  sqlite3_file* beneath = open_file(raw).beneath();
  return beneath->pMethods->xSync(beneath, flags);
}

int common_sector_size(sqlite3_file* raw) {
  sqlite3_file* beneath = open_file(raw).beneath();
  return beneath->pMethods->xSectorSize(beneath);
}

// Without it SQLite would write a page of the log in two parts. Nothing else of what the file
// beneath may promise (atomic writes of a page, say) holds for sealed slots.
int common_characteristics(sqlite3_file*) {
  return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

Got read_beneath(OpenFile& file, void* out, std::size_t size, std::int64_t offset, int& code) {
  sqlite3_file* beneath = file.beneath();
  code = beneath->pMethods->xRead(beneath, out, static_cast<int>(size), offset);
  if (code == SQLITE_OK) return Got::kAll;
  if (code != SQLITE_IOERR_SHORT_READ) return Got::kError;
  // A short read is believed only where the file does end.
  sqlite3_int64 whole = 0;
  code = beneath->pMethods->xFileSize(beneath, &whole);
  if (code != SQLITE_OK) return Got::kError;
  if (whole >= offset + static_cast<std::int64_t>(size)) {
    code = SQLITE_IOERR_READ;
    return Got::kError;
  }
  return whole <= offset ? Got::kNothing : Got::kPart;
}

}  // namespace kartei::vault
