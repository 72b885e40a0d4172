#include "tests/vault/fault_disk.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

namespace kartei::vault_test {

namespace {

constexpr std::size_t kSector = 512;

struct Change {
  bool cut = false;
  std::int64_t at = 0;  // the new size, of a cut
  Bytes bytes;
};

void put(Bytes& content, std::int64_t offset, const std::uint8_t* bytes, std::size_t size,
         std::uint8_t filler = 0) {
  const auto at = static_cast<std::size_t>(offset);
  if (content.size() < at + size) content.resize(at + size, filler);
  std::copy_n(bytes, size, content.begin() + static_cast<std::ptrdiff_t>(at));
}

bool chance(std::mt19937_64& dice, unsigned of_ten) {
  return dice() % 10 < of_ten;
}

// Which sectors of a write arrive; `tear`: one may arrive in part.
void put_some(Bytes& content, const Change& change, bool tear, std::mt19937_64& dice) {
  const auto filler = static_cast<std::uint8_t>(chance(dice, 5) ? 0 : dice());
  std::size_t done = 0;
  while (done < change.bytes.size()) {
    const std::size_t at = static_cast<std::size_t>(change.at) + done;
    std::size_t size = std::min(kSector - at % kSector, change.bytes.size() - done);
    const std::size_t step = size;
    bool arrives = chance(dice, 7);
    if (arrives && tear && chance(dice, 3)) size = dice() % (size + 1);
    if (arrives)
      put(content, static_cast<std::int64_t>(at), change.bytes.data() + done, size, filler);
    done += step;
  }
}

std::string fresh_name() {
  static unsigned number = 0;
  return "fault-disk-" + std::to_string(++number);
}

}  // namespace

const char* name_of(CrashStyle style) {
  switch (style) {
    case CrashStyle::kNothingUnsynced:
      return "nothing unsynced";
    case CrashStyle::kKilled:
      return "killed";
    case CrashStyle::kPrefix:
      return "prefix, last torn";
    case CrashStyle::kSectors:
      return "any sectors";
    case CrashStyle::kTornBytes:
      return "any sectors, torn";
  }
  return "";
}

struct FaultDisk::Node {
  std::string name;
  Bytes live;
  Bytes durable;
  bool durable_name = false;
  std::vector<Change> pending;

  void write(std::int64_t offset, const std::uint8_t* bytes, std::size_t size) {
    put(live, offset, bytes, size);
    pending.push_back({false, offset, Bytes(bytes, bytes + size)});
  }
  void truncate(std::int64_t size) {
    live.resize(static_cast<std::size_t>(size));
    pending.push_back({true, size, {}});
  }
  void sync() {
    durable = live;
    durable_name = true;
    pending.clear();
  }
  Bytes crashed(CrashStyle style, std::mt19937_64& dice) const {
    if (style == CrashStyle::kNothingUnsynced) return durable;
    if (style == CrashStyle::kKilled) return live;
    Bytes content = durable;
    const std::size_t end =
        style == CrashStyle::kPrefix ? dice() % (pending.size() + 1) : pending.size();
    for (std::size_t i = 0; i < end; ++i) {
      const Change& change = pending[i];
      const bool last = i + 1 == end;
      if (change.cut) {
        if (style != CrashStyle::kPrefix && chance(dice, 5)) break;
        content.resize(static_cast<std::size_t>(change.at));
      } else if (style == CrashStyle::kPrefix && !last) {
        put(content, change.at, change.bytes.data(), change.bytes.size());
      } else if (style == CrashStyle::kPrefix || chance(dice, 6)) {
        put_some(content, change, style != CrashStyle::kSectors, dice);
      }
    }
    return content;
  }
};

struct FaultDisk::Methods {
  struct File {
    sqlite3_file head;
    FaultDisk* disk;
    std::shared_ptr<Node> node;
    int lock;
  };

  static File& of(sqlite3_file* raw) { return *reinterpret_cast<File*>(raw); }
  static FaultDisk& disk_of(sqlite3_vfs* vfs) { return *static_cast<FaultDisk*>(vfs->pAppData); }

  static Fault ask(FaultDisk& disk, const Call& call) {
    return disk.before ? disk.before(call) : Fault{};
  }
  static void tell(FaultDisk& disk, const Call& call) {
    if (disk.after) disk.after(call);
  }

  static int close(sqlite3_file* raw) {
    of(raw).~File();
    raw->pMethods = nullptr;
    return SQLITE_OK;
  }
  static int read(sqlite3_file* raw, void* out, int amount, sqlite3_int64 offset) {
    File& file = of(raw);
    const auto size = static_cast<std::size_t>(amount);
    const Call call{CallKind::kRead, file.node->name, offset, size};
    const Fault fault = ask(*file.disk, call);
    const Bytes& live = file.node->live;
    const auto at = std::min(static_cast<std::size_t>(offset), live.size());
    std::size_t there = std::min(size, live.size() - at);
    if (fault.code == SQLITE_IOERR_SHORT_READ) there /= 2;
    std::memset(out, 0, size);
    if (fault.code == SQLITE_OK || fault.code == SQLITE_IOERR_SHORT_READ)
      std::copy_n(live.begin() + static_cast<std::ptrdiff_t>(at), there,
                  static_cast<std::uint8_t*>(out));
    tell(*file.disk, call);
    if (fault.code != SQLITE_OK) return fault.code;
    return there == size ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
  }
  static int write(sqlite3_file* raw, const void* in, int amount, sqlite3_int64 offset) {
    File& file = of(raw);
    const auto size = static_cast<std::size_t>(amount);
    const Call call{CallKind::kWrite, file.node->name, offset, size};
    const Fault fault = ask(*file.disk, call);
    std::size_t part = size;
    if (fault.code != SQLITE_OK) part = fault.torn ? file.disk->tear_() % (size + 1) : 0;
    if (part > 0) file.node->write(offset, static_cast<const std::uint8_t*>(in), part);
    tell(*file.disk, call);
    return fault.code;
  }
  static int truncate(sqlite3_file* raw, sqlite3_int64 size) {
    File& file = of(raw);
    const Call call{CallKind::kTruncate, file.node->name, size, 0};
    const Fault fault = ask(*file.disk, call);
    if (fault.code == SQLITE_OK) file.node->truncate(size);
    tell(*file.disk, call);
    return fault.code;
  }
  static int sync(sqlite3_file* raw, int) {
    File& file = of(raw);
    const Call call{CallKind::kSync, file.node->name, 0, 0};
    const Fault fault = ask(*file.disk, call);
    tell(*file.disk, call);
    if (fault.code == SQLITE_OK) file.node->sync();
    return fault.code;
  }
  static int size(sqlite3_file* raw, sqlite3_int64* out) {
    File& file = of(raw);
    const Fault fault = ask(*file.disk, {CallKind::kSize, file.node->name, 0, 0});
    *out = static_cast<sqlite3_int64>(file.node->live.size());
    return fault.code;
  }
  static int lock(sqlite3_file*, int) { return SQLITE_OK; }
  static int check_reserved(sqlite3_file*, int* out) {
    *out = 0;
    return SQLITE_OK;
  }
  static int control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
  static int sector_size(sqlite3_file*) { return static_cast<int>(kSector); }
  static int characteristics(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

  static int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* raw, int flags,
                  int* out_flags) {
    raw->pMethods = nullptr;
    FaultDisk& disk = disk_of(vfs);
    const std::string file_name = name != nullptr ? name : "(temporary)";
    const Fault fault = ask(disk, {CallKind::kOpen, file_name, 0, 0});
    if (fault.code != SQLITE_OK) return fault.code;
    auto& node = disk.names_[file_name];
    if (node == nullptr) {
      if ((flags & SQLITE_OPEN_CREATE) == 0) {
        disk.names_.erase(file_name);
        return SQLITE_CANTOPEN;
      }
      node = std::make_shared<Node>();
      node->name = file_name;
    }
    new (static_cast<void*>(raw)) File{{&kMethods}, &disk, node, 0};
    if (out_flags != nullptr) *out_flags = flags;
    return SQLITE_OK;
  }
  static int remove(sqlite3_vfs* vfs, const char* name, int sync_folder) {
    FaultDisk& disk = disk_of(vfs);
    const std::string file_name = name;
    const Call call{CallKind::kDelete, file_name, 0, 0};
    const Fault fault = ask(disk, call);
    if (fault.code != SQLITE_OK) return fault.code;
    const auto found = disk.names_.find(file_name);
    if (found == disk.names_.end()) return SQLITE_IOERR_DELETE_NOENT;
    if (found->second->durable_name && sync_folder == 0) disk.removed_[file_name] = found->second;
    disk.names_.erase(found);
    tell(disk, call);
    return SQLITE_OK;
  }
  static int access(sqlite3_vfs* vfs, const char* name, int, int* out) {
    FaultDisk& disk = disk_of(vfs);
    const std::string file_name = name;
    const Fault fault = ask(disk, {CallKind::kAccess, file_name, 0, 0});
    *out = disk.names_.contains(file_name) ? 1 : 0;
    return fault.code;
  }
  static int full_path(sqlite3_vfs*, const char* name, int size, char* out) {
    sqlite3_snprintf(size, out, "%s", name);
    return SQLITE_OK;
  }
  static int randomness(sqlite3_vfs* vfs, int size, char* out) {
    for (int i = 0; i < size; ++i) out[i] = static_cast<char>(disk_of(vfs).tear_());
    return size;
  }
  static int sleep(sqlite3_vfs*, int us) { return us; }
  static int time(sqlite3_vfs*, double* out) {
    *out = 2460000.5;
    return SQLITE_OK;
  }
  static int last_error(sqlite3_vfs*, int, char*) { return 0; }
  static int time_ms(sqlite3_vfs*, sqlite3_int64* out) {
    *out = 212544043200000;
    return SQLITE_OK;
  }

  static const sqlite3_io_methods kMethods;
};

const sqlite3_io_methods FaultDisk::Methods::kMethods = {
    1,       close,          read,    write,       truncate,        sync,    size,    lock,
    lock,    check_reserved, control, sector_size, characteristics, nullptr, nullptr, nullptr,
    nullptr, nullptr,        nullptr};

FaultDisk::FaultDisk(const DiskImage& image) : name_(fresh_name()) {
  for (const auto& [name, content] : image) {
    auto node = std::make_shared<Node>();
    node->name = name;
    node->live = node->durable = content;
    node->durable_name = true;
    names_[name] = node;
  }
  vfs_.iVersion = 2;
  vfs_.szOsFile = sizeof(Methods::File);
  vfs_.mxPathname = 256;
  vfs_.zName = name_.c_str();
  vfs_.pAppData = this;
  vfs_.xOpen = Methods::open;
  vfs_.xDelete = Methods::remove;
  vfs_.xAccess = Methods::access;
  vfs_.xFullPathname = Methods::full_path;
  vfs_.xRandomness = Methods::randomness;
  vfs_.xSleep = Methods::sleep;
  vfs_.xCurrentTime = Methods::time;
  vfs_.xGetLastError = Methods::last_error;
  vfs_.xCurrentTimeInt64 = Methods::time_ms;
  sqlite3_vfs_register(&vfs_, 0);
}

FaultDisk::~FaultDisk() {
  sqlite3_vfs_unregister(&vfs_);
}

DiskImage FaultDisk::live() const {
  DiskImage image;
  for (const auto& [name, node] : names_) image[name] = node->live;
  return image;
}

Bytes* FaultDisk::file(const std::string& name) {
  const auto found = names_.find(name);
  return found == names_.end() ? nullptr : &found->second->live;
}

DiskImage FaultDisk::crashed(CrashStyle style, std::mt19937_64& dice) const {
  if (style == CrashStyle::kKilled) return live();
  DiskImage image;
  for (const auto& [name, node] : removed_)
    if (chance(dice, 5)) image[name] = node->crashed(style, dice);
  for (const auto& [name, node] : names_) {
    const bool there =
        node->durable_name || (style != CrashStyle::kNothingUnsynced && chance(dice, 5));
    if (there) image[name] = node->crashed(style, dice);
  }
  return image;
}

}  // namespace kartei::vault_test
