// The main file: whole pages, each sealed in its place.
#include <sodium.h>

#include <cstring>

#include "crypto/vault/file_common.h"

namespace kartei::vault {

namespace {

constexpr char kMagic[kIdSize] = "SQLite format 3";

// Bytes of the page that are not sealed: page 1's first 24.
std::size_t clear_of(std::uint64_t page) {
  return page == 1 ? kClearSize : 0;
}

Place place_of(std::uint64_t page, const std::uint8_t* content) {
  if (page != 1) return {Part::kMainPage, page};
  return {Part::kMainPage, page, ByteView(content + kIdSize, kClearSize - kIdSize)};
}

int fail(OpenFile& file, std::uint64_t page, const char* what) {
  file.core->failures.note(VaultFailure::Kind::kMainPage, page, what);
  return SQLITE_IOERR_DATA;
}

int refuse(OpenFile& file, std::uint64_t page, const char* what, int code) {
  file.core->failures.note(VaultFailure::Kind::kRefused, page, what);
  return code;
}

bool open_page(OpenFile& file, std::uint64_t page, std::uint8_t* content) {
  const std::size_t size = file.core->page_size;
  const std::size_t clear = clear_of(page);
  const std::uint8_t* nonce = content + size - kReserved;
  if (page == 1 && std::memcmp(content, file.core->clear, kIdSize) != 0) return false;
  const bool fits =
      file.core->format->open(place_of(page, content), {content + clear, size - kReserved - clear},
                              nonce, nonce + kNonceSize, content + clear);
  if (!fits) return false;
  std::memset(content + size - kReserved, 0, kReserved);
  if (page == 1) std::memcpy(content, kMagic, kIdSize);
  return true;
}

int read_page(OpenFile& file, std::uint8_t* content, std::int64_t offset) {
  const std::size_t size = file.core->page_size;
  const std::uint64_t page = file.core->main_layout().page_at(offset);
  int code = SQLITE_OK;
  switch (read_beneath(file, content, size, offset, code)) {
    case Got::kNothing:
      return SQLITE_IOERR_SHORT_READ;  // beyond the end: zeros, as SQLite wants it
    case Got::kPart:
      std::memset(content, 0, size);
      return fail(file, page, "the file ends within this page");
    case Got::kError:
      return code;
    case Got::kAll:
      break;
  }
  if (open_page(file, page, content)) return SQLITE_OK;
  std::memset(content, 0, size);
  return fail(file, page, "does not authenticate");
}

// A part of page 1: its first 100 bytes when the file is opened, its change counter later. A crash
// during a checkpoint may leave page 1 torn while the log holds it whole: opening must go on then,
// with what stands in the clear and is the same in every write. SQLite reads the whole page before
// it believes any of it.
int read_start(OpenFile& file, std::uint8_t* out, std::size_t size, std::int64_t offset) {
  std::uint8_t* page = file.scratch;
  int code = SQLITE_OK;
  const Got got = read_beneath(file, page, file.core->page_size, 0, code);
  if (got == Got::kError) return code;
  if (got == Got::kAll && open_page(file, 1, page)) {
    std::memcpy(out, page + offset, size);
    return SQLITE_OK;
  }
  std::memset(out, 0, size);
  if (offset != 0) return fail(file, 1, "does not authenticate");
  std::memcpy(out, kMagic, std::min(size, kIdSize));
  if (size > kIdSize) {
    std::memcpy(out + kIdSize, file.core->clear + kIdSize, std::min(size, kClearSize) - kIdSize);
  }
  return SQLITE_OK;
}

int main_read(sqlite3_file* raw, void* out, int amount, sqlite3_int64 offset) {
  OpenFile& file = open_file(raw);
  auto* bytes = static_cast<std::uint8_t*>(out);
  const auto size = static_cast<std::size_t>(amount);
  if (file.core->main_layout().whole_page(offset, size)) return read_page(file, bytes, offset);
  const auto page_size = static_cast<std::int64_t>(file.core->page_size);
  if (offset >= 0 && offset + amount <= page_size) return read_start(file, bytes, size, offset);
  return refuse(file, file.core->main_layout().page_at(offset), "a read of an odd size",
                SQLITE_IOERR_READ);
}

int main_write(sqlite3_file* raw, const void* in, int amount, sqlite3_int64 offset) {
  OpenFile& file = open_file(raw);
  const auto size = static_cast<std::size_t>(amount);
  const std::uint64_t page = file.core->main_layout().page_at(offset);
  if (!file.core->main_layout().whole_page(offset, size))
    return refuse(file, page, "a write of an odd size", SQLITE_IOERR_WRITE);
  const auto* plain = static_cast<const std::uint8_t*>(in);
  std::uint8_t* sealed = file.scratch;
  const std::size_t clear = clear_of(page);
  if (page == 1) {
    // Another page size, or leaving WAL mode, would break what is on disk already.
    if (std::memcmp(plain + kIdSize, file.core->clear + kIdSize, kClearSize - kIdSize) != 0)
      return refuse(file, page, "a change of page size or journal mode", SQLITE_IOERR_WRITE);
    std::memcpy(sealed, file.core->clear, kClearSize);
  }
  std::uint8_t* nonce = sealed + size - kReserved;
  file.core->format->seal(place_of(page, sealed), {plain + clear, size - kReserved - clear},
                          sealed + clear, nonce, nonce + kNonceSize);
  return file.beneath()->pMethods->xWrite(file.beneath(), sealed, amount, offset);
}

int main_truncate(sqlite3_file* raw, sqlite3_int64 size) {
  OpenFile& file = open_file(raw);
  if (size % static_cast<sqlite3_int64>(file.core->page_size) != 0)
    return refuse(file, 0, "a cut within a page", SQLITE_IOERR_TRUNCATE);
  return file.beneath()->pMethods->xTruncate(file.beneath(), size);
}

int main_lock(sqlite3_file* raw, int level) {
  OpenFile& file = open_file(raw);
  return file.core->locks.lock(file.lock, level);
}

int main_unlock(sqlite3_file* raw, int level) {
  OpenFile& file = open_file(raw);
  file.core->locks.unlock(file.lock, level);
  return SQLITE_OK;
}

int main_check_reserved(sqlite3_file* raw, int* out) {
  *out = open_file(raw).core->locks.reserved() ? 1 : 0;
  return SQLITE_OK;
}

int main_control(sqlite3_file* raw, int what, void* argument) {
  OpenFile& file = open_file(raw);
  switch (what) {
    // The sizes of the main file are the same above and beneath.
    case SQLITE_FCNTL_SIZE_HINT:
    case SQLITE_FCNTL_CHUNK_SIZE:
    case SQLITE_FCNTL_PERSIST_WAL:
    case SQLITE_FCNTL_HAS_MOVED:
    case SQLITE_FCNTL_SYNC:
    case SQLITE_FCNTL_COMMIT_PHASETWO:
      return file.beneath()->pMethods->xFileControl(file.beneath(), what, argument);
    default:
      return SQLITE_NOTFOUND;
  }
}

int main_shm_map(sqlite3_file* raw, int region, int size, int extend, void volatile** out) {
  OpenFile& file = open_file(raw);
  return file.core->index.map(file.index, region, size, extend != 0, out);
}

int main_shm_lock(sqlite3_file* raw, int first, int count, int flags) {
  OpenFile& file = open_file(raw);
  return file.core->index.lock(file.index, first, count, flags);
}

void main_shm_barrier(sqlite3_file* raw) {
  open_file(raw).core->index.barrier();
}

int main_shm_unmap(sqlite3_file* raw, int) {
  OpenFile& file = open_file(raw);
  file.core->index.leave(file.index);
  return SQLITE_OK;
}

}  // namespace

// Version 2: with shared memory, without mapping of the file (xFetch).
const sqlite3_io_methods kMainMethods = {
    2,
    common_close,
    main_read,
    main_write,
    main_truncate,
    common_sync,
    common_size,
    main_lock,
    main_unlock,
    main_check_reserved,
    main_control,
    common_sector_size,
    common_characteristics,
    main_shm_map,
    main_shm_lock,
    main_shm_barrier,
    main_shm_unmap,
    nullptr,
    nullptr,
};

}  // namespace kartei::vault
