// The log (WAL): each slot of SQLite's in a longer one on disk. See log_book.h for what is sealed
// with it, and README.md for how a crash is told from damage.
#include <cstring>

#include "crypto/vault/file_common.h"
#include "crypto/vault/numbers.h"

namespace kartei::vault {

namespace {

using FailureKind = VaultFailure::Kind;

// Where a slot lies on disk, and as what it is sealed.
struct Slot {
  Place place;
  std::int64_t offset;
  std::size_t extra;  // sealed before SQLite's bytes
  std::size_t size;   // SQLite's bytes
  std::size_t plain() const { return extra + size; }
  std::size_t whole() const { return plain() + kReserved; }
};

Slot header_slot(int copy) {
  return {{Part::kLogHeader, static_cast<std::uint64_t>(copy)},
          LogLayout::header_at(copy),
          kLogHeaderExtra,
          kLogHeaderSize};
}

Slot frame_header_slot(const Vault::Core& core, std::uint64_t frame) {
  return {{Part::kFrameHeader, frame},
          core.log_layout().frame_at(core.format->frame_on_disk(frame)),
          kFrameHeaderExtra,
          kFrameHeaderSize};
}

Slot page_slot(const Vault::Core& core, std::uint64_t frame) {
  return {{Part::kLogPage, frame},
          core.log_layout().frame_at(core.format->frame_on_disk(frame)) +
              static_cast<std::int64_t>(kFrameHeaderSlot),
          kLogPageExtra,
          core.page_size};
}

// The slot's plain bytes in the file's scratch. kPart also when it does not authenticate.
Got read_slot(OpenFile& file, const Slot& slot, int& code) {
  std::uint8_t* bytes = file.scratch;
  const Got got = read_beneath(file, bytes, slot.whole(), slot.offset, code);
  if (got != Got::kAll) return got;
  const std::uint8_t* nonce = bytes + slot.plain();
  const bool fits =
      file.core->format->open(slot.place, {bytes, slot.plain()}, nonce, nonce + kNonceSize, bytes);
  return fits ? Got::kAll : Got::kPart;
}

// What stands in the scratch, from its extra on, sealed and written.
int write_slot(OpenFile& file, const Slot& slot, const void* content) {
  std::uint8_t* bytes = file.scratch;
  std::memcpy(bytes + slot.extra, content, slot.size);
  std::uint8_t* nonce = bytes + slot.plain();
  file.core->format->seal(slot.place, {bytes, slot.plain()}, bytes, nonce, nonce + kNonceSize);
  return file.beneath()->pMethods->xWrite(file.beneath(), bytes, static_cast<int>(slot.whole()),
                                          slot.offset);
}

// ---- recovery

struct FoundHeader {
  std::optional<LogBook::Header> header;
  bool other_fits = false;
  std::uint8_t content[kLogHeaderSize] = {};
};

int find_header(OpenFile& file, FoundHeader& found) {
  for (int copy = 0; copy < 2; ++copy) {
    int code = SQLITE_OK;
    const Got got = read_slot(file, header_slot(copy), code);
    if (got == Got::kError) return code;
    if (got != Got::kAll) continue;
    const std::uint64_t generation = little_endian_at(file.scratch);
    found.other_fits = found.header.has_value();
    if (found.header && found.header->generation > generation) continue;
    found.header = LogBook::Header{copy, generation};
    std::memcpy(found.content, file.scratch + kLogHeaderExtra, kLogHeaderSize);
  }
  return SQLITE_OK;
}

struct Vouched {
  std::uint64_t frames = 0;  // of the header's generation were on disk
  bool newer = false;        // a frame of a generation whose header is not there
};

int scan_frames(OpenFile& file, std::uint64_t generation, std::uint64_t count, Vouched& vouched) {
  for (std::uint64_t frame = 0; frame < count; ++frame) {
    int code = SQLITE_OK;
    const Got got = read_slot(file, frame_header_slot(*file.core, frame), code);
    if (got == Got::kError) return code;
    if (got != Got::kAll) continue;
    const std::uint64_t its = little_endian_at(file.scratch);
    if (its > generation) vouched.newer = true;
    if (its != generation) continue;
    vouched.frames = std::max(vouched.frames, little_endian_at(file.scratch + 8));
  }
  return SQLITE_OK;
}

// SQLite reads the header only when it is about to go through the whole log, and nobody else is at
// it. Zeros tell it that the log holds nothing.
int begin_recovery(OpenFile& file, std::uint8_t* out) {
  std::memset(out, 0, kLogHeaderSize);
  file.recovering = true;
  FoundHeader found;
  if (const int code = find_header(file, found); code != SQLITE_OK) return code;
  sqlite3_int64 size = 0;
  if (const int code = common_size(&file.head, &size); code != SQLITE_OK) return code;
  const std::uint64_t frames = file.core->log_layout().frames_in(size);
  Vouched vouched;
  if (found.header) {
    const int code = scan_frames(file, found.header->generation, frames, vouched);
    if (code != SQLITE_OK) return code;
  }
  // One copy is on disk before the first frame is written, and stays until the other is.
  if ((!found.header && frames > 0) || vouched.newer) {
    file.core->failures.note(FailureKind::kLogHeader, 0, "the log's header does not authenticate");
    if (!file.core->accept_damaged_log) return SQLITE_IOERR_DATA;
  }
  SharedLog& log = file.core->log;
  const std::lock_guard lock(log.mutex);
  log.book.recovered(found.header, found.other_fits);
  log.vouched = file.core->accept_damaged_log ? 0 : vouched.frames;
  log.has_header = found.header.has_value();
  std::memcpy(log.header, found.content, kLogHeaderSize);
  std::memcpy(out, found.content, kLogHeaderSize);
  return SQLITE_OK;
}

struct Known {
  std::uint64_t generation = 0;
  std::uint64_t vouched = 0;
};

Known known(OpenFile& file) {
  SharedLog& log = file.core->log;
  const std::lock_guard lock(log.mutex);
  return {log.book.generation(), log.vouched};
}

// A frame that does not fit: the end of the log, unless a later frame says that it was on disk.
int end_of_log(OpenFile& file, std::uint64_t frame, const Known& log, std::uint8_t* out) {
  std::memset(out, 0, kFrameHeaderSize + file.core->page_size);
  if (frame < log.vouched) {
    file.core->failures.note(FailureKind::kLogFrame, frame + 1,
                             "was on disk and does not authenticate");
    return SQLITE_IOERR_DATA;
  }
  file.core->failures.note(FailureKind::kLogEnd, frame + 1, "ends the log: does not authenticate");
  return SQLITE_OK;
}

int recover_frame(OpenFile& file, std::uint64_t frame, std::uint8_t* out) {
  const Known log = known(file);
  int code = SQLITE_OK;
  Got got = read_slot(file, frame_header_slot(*file.core, frame), code);
  if (got == Got::kError) return code;
  if (got != Got::kAll) return end_of_log(file, frame, log, out);
  const std::uint64_t generation = little_endian_at(file.scratch);
  std::memcpy(out, file.scratch + kFrameHeaderExtra, kFrameHeaderSize);
  got = read_slot(file, page_slot(*file.core, frame), code);
  if (got == Got::kError) return code;
  const bool whole = got == Got::kAll && little_endian_at(file.scratch) == generation;
  if (whole && generation == log.generation) {
    std::memcpy(out + kFrameHeaderSize, file.scratch + kLogPageExtra, file.core->page_size);
    return SQLITE_OK;
  }
  // A frame of an earlier generation is what usually follows the log's end.
  if (generation != log.generation && frame >= log.vouched) {
    std::memset(out, 0, kFrameHeaderSize + file.core->page_size);
    return SQLITE_OK;
  }
  return end_of_log(file, frame, log, out);
}

// ---- reading and writing beside recovery

int damaged(OpenFile& file, std::uint64_t frame, const char* what) {
  file.core->failures.note(FailureKind::kLogFrame, frame + 1, what);
  return SQLITE_IOERR_DATA;
}

int read_piece(OpenFile& file, const LogPiece& piece, std::uint8_t* out) {
  if (piece.kind == LogPiece::Kind::kHeader) {
    SharedLog& log = file.core->log;
    const std::lock_guard lock(log.mutex);
    if (!log.has_header) return SQLITE_IOERR_READ;
    std::memcpy(out, log.header + piece.skip, piece.size);
    return SQLITE_OK;
  }
  const bool page = piece.kind == LogPiece::Kind::kPage;
  const Slot slot =
      page ? page_slot(*file.core, piece.frame) : frame_header_slot(*file.core, piece.frame);
  int code = SQLITE_OK;
  const Got got = read_slot(file, slot, code);
  if (got == Got::kError) return code;
  if (got != Got::kAll) return damaged(file, piece.frame, "does not authenticate");
  if (little_endian_at(file.scratch) != known(file).generation)
    return damaged(file, piece.frame, "is of an earlier time of the log");
  std::memcpy(out, file.scratch + slot.extra + piece.skip, piece.size);
  return SQLITE_OK;
}

bool has_book(Vault::Core& core) {
  const std::lock_guard lock(core.log.mutex);
  return core.log.book.generation() != 0;
}

int sync_log(OpenFile& file, int flags) {
  SharedLog& log = file.core->log;
  LogBook::Sync sync;
  {
    const std::lock_guard lock(log.mutex);
    sync = log.book.sync_begins();
  }
  const int code = common_sync(&file.head, flags);
  const std::lock_guard lock(log.mutex);
  log.book.sync_ended(sync, code == SQLITE_OK);
  return code;
}

// Both copies of the header were found: the newer one must be on disk before the older one goes.
int settle_headers(OpenFile& file) {
  {
    const std::lock_guard lock(file.core->log.mutex);
    if (!file.core->log.book.sync_before_header()) return SQLITE_OK;
  }
  return sync_log(file, SQLITE_SYNC_NORMAL);
}

int write_header(OpenFile& file, const std::uint8_t* content) {
  Vault::Core& core = *file.core;
  if (big_endian_at(content + 8) != core.page_size) {
    core.failures.note(FailureKind::kRefused, 0, "a log of another page size");
    return SQLITE_IOERR_WRITE;
  }
  // SQLite looks at no header of a log without frames; the next one must follow it all the same.
  if (!has_book(core)) {
    FoundHeader found;
    if (const int code = find_header(file, found); code != SQLITE_OK) return code;
    const std::lock_guard lock(core.log.mutex);
    core.log.book.recovered(found.header, found.other_fits);
  }
  if (const int code = settle_headers(file); code != SQLITE_OK) return code;
  LogBook::Header header;
  {
    const std::lock_guard lock(core.log.mutex);
    // A new log begins anywhere, so that no slot of a former one fits.
    header = core.log.book.next_header((core.random->next_u64() >> 8) + 1);
  }
  put_little_endian(file.scratch, header.generation);
  const int code = write_slot(file, header_slot(header.copy), content);
  if (code != SQLITE_OK) return code;
  const std::lock_guard lock(core.log.mutex);
  core.log.book.header_written(header);
  core.log.vouched = 0;
  core.log.has_header = true;
  std::memcpy(core.log.header, content, kLogHeaderSize);
  return SQLITE_OK;
}

int write_frame_header(OpenFile& file, std::uint64_t frame, const std::uint8_t* content) {
  Vault::Core& core = *file.core;
  {
    const std::lock_guard lock(core.log.mutex);
    core.log.book.frame_header_begins(frame, big_endian_at(content + 4) != 0);
    put_little_endian(file.scratch, core.log.book.generation());
    put_little_endian(file.scratch + 8, core.log.book.mark());
  }
  return write_slot(file, frame_header_slot(core, frame), content);
}

int write_page(OpenFile& file, std::uint64_t frame, const std::uint8_t* content) {
  Vault::Core& core = *file.core;
  {
    const std::lock_guard lock(core.log.mutex);
    core.log.book.page_begins(frame);
    put_little_endian(file.scratch, core.log.book.generation());
  }
  const int code = write_slot(file, page_slot(core, frame), content);
  if (code != SQLITE_OK) return code;
  const std::lock_guard lock(core.log.mutex);
  core.log.book.page_written(frame);
  return SQLITE_OK;
}

int write_piece(OpenFile& file, const LogPiece& piece, const std::uint8_t* content) {
  if (piece.skip != 0 || piece.size != piece.whole) {
    file.core->failures.note(FailureKind::kRefused, piece.frame,
                             "a write of an odd size to the log");
    return SQLITE_IOERR_WRITE;
  }
  switch (piece.kind) {
    case LogPiece::Kind::kHeader:
      return write_header(file, content);
    case LogPiece::Kind::kFrameHeader:
      return write_frame_header(file, piece.frame, content);
    case LogPiece::Kind::kPage:
      return write_page(file, piece.frame, content);
  }
  return SQLITE_IOERR_WRITE;
}

// ---- SQLite's calls

int log_read(sqlite3_file* raw, void* out, int amount, sqlite3_int64 offset) {
  OpenFile& file = open_file(raw);
  const LogLayout layout = file.core->log_layout();
  auto* bytes = static_cast<std::uint8_t*>(out);
  if (offset == 0 && amount == static_cast<int>(kLogHeaderSize)) return begin_recovery(file, bytes);
  LogPiece piece = layout.piece_at(offset, static_cast<std::size_t>(amount));
  if (file.recovering && piece.kind == LogPiece::Kind::kFrameHeader && piece.skip == 0 &&
      amount == layout.logical_frame())
    return recover_frame(file, piece.frame, bytes);
  for (std::size_t left = static_cast<std::size_t>(amount); left > 0;) {
    piece = layout.piece_at(offset, left);
    const int code = read_piece(file, piece, bytes);
    if (code != SQLITE_OK) {
      std::memset(out, 0, static_cast<std::size_t>(amount));
      return code;
    }
    bytes += piece.size;
    offset += static_cast<sqlite3_int64>(piece.size);
    left -= piece.size;
  }
  return SQLITE_OK;
}

int log_write(sqlite3_file* raw, const void* in, int amount, sqlite3_int64 offset) {
  OpenFile& file = open_file(raw);
  file.recovering = false;
  const auto* bytes = static_cast<const std::uint8_t*>(in);
  for (std::size_t left = static_cast<std::size_t>(amount); left > 0;) {
    const LogPiece piece = file.core->log_layout().piece_at(offset, left);
    if (const int code = write_piece(file, piece, bytes); code != SQLITE_OK) return code;
    bytes += piece.size;
    offset += static_cast<sqlite3_int64>(piece.size);
    left -= piece.size;
  }
  return SQLITE_OK;
}

int log_truncate(sqlite3_file* raw, sqlite3_int64 size) {
  OpenFile& file = open_file(raw);
  sqlite3_int64 now = 0;
  if (const int code = common_size(raw, &now); code != SQLITE_OK) return code;
  const std::int64_t wanted = file.core->log_layout().physical_size(size);
  if (wanted >= now) return SQLITE_OK;  // cutting must not lengthen it
  return file.beneath()->pMethods->xTruncate(file.beneath(), wanted);
}

int log_size(sqlite3_file* raw, sqlite3_int64* size) {
  const int code = common_size(raw, size);
  if (code == SQLITE_OK) *size = open_file(raw).core->log_layout().logical_size(*size);
  return code;
}

int log_sync(sqlite3_file* raw, int flags) {
  return sync_log(open_file(raw), flags);
}

int log_lock(sqlite3_file*, int) {
  return SQLITE_OK;
}

int log_check_reserved(sqlite3_file*, int* out) {
  *out = 0;
  return SQLITE_OK;
}

int log_control(sqlite3_file*, int, void*) {
  return SQLITE_NOTFOUND;
}

}  // namespace

const sqlite3_io_methods kLogMethods = {
    1,
    common_close,
    log_read,
    log_write,
    log_truncate,
    log_sync,
    log_size,
    log_lock,
    log_lock,
    log_check_reserved,
    log_control,
    common_sector_size,
    common_characteristics,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
};

}  // namespace kartei::vault
