#include "crypto/vault/vault.h"

#include <cstdio>
#include <cstring>

#include "crypto/private_file.h"
#include "crypto/vault/bare_file.h"
#include "crypto/vault/numbers.h"
#include "crypto/vault/vault_core.h"

namespace kartei::vault {

namespace {

Result<Bytes> read_start(Vault::Core& core, std::size_t size) {
  Bytes start(size);
  const int code =
      BareFile(core.beneath, core.file, SQLITE_OPEN_MAIN_DB).read(start.data(), size, 0);
  if (code == SQLITE_IOERR_SHORT_READ)
    return corrupt(core.file + " is too short to be an encrypted box; restore a backup");
  if (code != SQLITE_OK) return disk_error(core.file, code);
  return start;
}

bool opens_page_one(const Vault::Core& core, Bytes page) {
  const std::uint8_t* nonce = page.data() + page.size() - kReserved;
  const Place place{Part::kMainPage, 1, ByteView(page).subspan(kIdSize, kClearSize - kIdSize)};
  return core.format->open(place, {page.data() + kClearSize, page.size() - kReserved - kClearSize},
                           nonce, nonce + kNonceSize, page.data() + kClearSize);
}

// Page 1 may be torn by a crash during a checkpoint; the log then holds it, and knows the key, too.
bool opens_log(Vault::Core& core) {
  int there = 0;
  core.beneath->xAccess(core.beneath, core.log_file.c_str(), SQLITE_ACCESS_EXISTS, &there);
  if (there == 0) return false;
  BareFile log(core.beneath, core.log_file, SQLITE_OPEN_WAL);
  std::uint8_t slot[kLogHeaderSlot];
  constexpr std::size_t plain = kLogHeaderSlot - kReserved;
  for (int copy = 0; copy < 2; ++copy) {
    if (log.read(slot, sizeof slot, LogLayout::header_at(copy)) != SQLITE_OK) continue;
    const Place place{Part::kLogHeader, static_cast<std::uint64_t>(copy)};
    if (core.format->open(place, {slot, plain}, slot + plain, slot + plain + kNonceSize, slot))
      return true;
  }
  return false;
}

Status check_key(Vault::Core& core) {
  auto page = read_start(core, core.page_size);
  if (page.has_value() && opens_page_one(core, std::move(*page))) return {};
  if (opens_log(core)) return {};
  KARTEI_TRY(page);
  return Error{Cause::kForbidden,
               "The key does not open " + core.file + ", or the file's start is damaged",
               {}};
}

Status create_file(const std::string& file, const crypto::Secret& data_key,
                   const VaultOptions& options, std::shared_ptr<crypto::Random> random,
                   const FormatMaker& maker) {
  if (!valid_page_size(static_cast<std::int64_t>(options.page_size_bytes)) ||
      options.page_size_bytes < 1024)
    return bad_input("A page size is a power of two from 1024 to 65536", "page_size_bytes");
  DatabaseId id;
  random->fill(id);
  const auto format = maker(data_key, id, random);
  return crypto::write_private_file(file, first_page(*format, id, options.page_size_bytes));
}

Result<bool> is_there(const std::string& file) {
  std::error_code error;
  const bool there = std::filesystem::exists(file, error);
  if (error) return Error{Cause::kIo, "Cannot look at " + file + ": " + error.message(), {}};
  return there;
}

// A new file is made whole or not at all: an empty one, or a log alone, are what is left of a box,
// and not to be begun anew.
Status prepare_file(const Vault::Core& core, const crypto::Secret& data_key,
                    const VaultOptions& options, const FormatMaker& maker) {
  if (!options.beneath.empty()) return {};
  KARTEI_ASSIGN(const bool there, is_there(core.file));
  if (there) return {};
  if (!options.create) return not_found("There is no box at " + core.file);
  KARTEI_ASSIGN(const bool log, is_there(core.log_file));
  if (log)
    return corrupt(core.log_file + " is there without its box; restore a backup, or move it away");
  return create_file(core.file, data_key, options, core.random, maker);
}

std::string in_words(const Vault::Core& core, const VaultFailure& failure) {
  const std::string number = std::to_string(failure.number);
  switch (failure.kind) {
    case VaultFailure::Kind::kMainPage:
      return "page " + number + " of " + core.file + ": " + failure.what;
    case VaultFailure::Kind::kLogFrame:
    case VaultFailure::Kind::kLogEnd:
      return "frame " + number + " of " + core.log_file + ": " + failure.what;
    case VaultFailure::Kind::kLogHeader:
      return core.log_file + ": " + failure.what;
    default:
      return core.file + ": " + failure.what;
  }
}

}  // namespace

// See "The Database Header" and "B-tree Pages" of SQLite's file format.
Bytes first_page(Format& format, const DatabaseId& id, std::size_t page_size) {
  Bytes page(page_size);
  std::uint8_t* at = page.data();
  std::copy(id.begin(), id.end(), at);
  put_big_endian(at + 16, page_size == 65536 ? 1 : page_size, 2);
  at[18] = at[19] = 2;  // WAL
  at[20] = kReserved;
  at[21] = 64;
  at[22] = at[23] = 32;
  put_big_endian(at + 24, 1, 4);  // change counter
  put_big_endian(at + 28, 1, 4);  // pages
  put_big_endian(at + 44, 4, 4);  // schema format
  put_big_endian(at + 52, 1, 4);  // the largest root page: free pages can be given back,
  put_big_endian(at + 64, 1, 4);  // when somebody asks for it
  put_big_endian(at + 56, 1, 4);  // UTF-8
  put_big_endian(at + 92, 1, 4);  // the change counter at which the number of pages is valid
  put_big_endian(at + 96, SQLITE_VERSION_NUMBER, 4);
  at[100] = 13;                                        // an empty leaf of a table
  put_big_endian(at + 105, page_size - kReserved, 2);  // where its cells begin; 65536 - 40 fits
  std::uint8_t* nonce = at + page_size - kReserved;
  const Place place{Part::kMainPage, 1, {at + kIdSize, kClearSize - kIdSize}};
  format.seal(place, {at + kClearSize, page_size - kReserved - kClearSize}, at + kClearSize, nonce,
              nonce + kNonceSize);
  return page;
}

// Not what a crash leaves behind, nor what was refused.
bool is_damage(VaultFailure::Kind kind) {
  return kind != VaultFailure::Kind::kLogEnd && kind != VaultFailure::Kind::kRefused;
}

void Failures::note(VaultFailure::Kind kind, std::uint64_t number, const char* what) noexcept {
  const std::lock_guard lock(mutex_);
  if (is_damage(kind)) last_damage_ = VaultFailure{kind, number, what, 1};
  for (VaultFailure& known : list_) {
    if (known.kind != kind || known.number != number || known.what != what) continue;
    ++known.times;
    return;
  }
  if (list_.size() < kMost) list_.push_back({kind, number, what, 1});
}

std::optional<VaultFailure> Failures::last_damage() const {
  const std::lock_guard lock(mutex_);
  return last_damage_;
}

std::vector<VaultFailure> Failures::all() const {
  const std::lock_guard lock(mutex_);
  return list_;
}

Vault::Core::~Core() {
  if (registered) sqlite3_vfs_unregister(&vfs);
}

Vault::Vault(std::unique_ptr<Core> core) : core_(std::move(core)) {}
Vault::~Vault() = default;

Result<std::unique_ptr<Vault>> Vault::open(const std::filesystem::path& file,
                                           const crypto::Secret& data_key,
                                           const VaultOptions& options) {
  return VaultMaker::open(file, data_key, options, make_format);
}

Result<std::unique_ptr<Vault>> VaultMaker::open(const std::filesystem::path& file,
                                                const crypto::Secret& data_key,
                                                const VaultOptions& options,
                                                const FormatMaker& maker) {
  if (!crypto::init()) return Error{Cause::kInternal, "libsodium is unusable", {}};
  auto core = std::make_unique<Vault::Core>();
  const bool default_disk = options.beneath.empty();
  core->beneath = sqlite3_vfs_find(default_disk ? nullptr : options.beneath.c_str());
  if (core->beneath == nullptr) return Error{Cause::kInternal, "There is no such VFS", {}};
  KARTEI_ASSIGN(core->file, full_path(core->beneath, file.string()));
  core->log_file = core->file + "-wal";
  core->random = options.random ? options.random : std::make_shared<crypto::SystemRandom>();
  core->accept_damaged_log = options.accept_damaged_log;
  KARTEI_TRY(prepare_file(*core, data_key, options, maker));
  if (default_disk) {
    KARTEI_ASSIGN(core->lock, FileLock::take(core->file));
  }
  KARTEI_ASSIGN(const Bytes start, read_start(*core, kClearSize));
  KARTEI_TRY(check_start(core->file, start.data()));
  std::copy(start.begin(), start.end(), core->clear);
  core->page_size = page_size_of(start.data());
  DatabaseId id;
  std::copy_n(start.begin(), kIdSize, id.begin());
  core->format = maker(data_key, id, core->random);
  KARTEI_TRY(check_key(*core));
  char name[40];
  std::snprintf(name, sizeof name, "kartei-vault-%p", static_cast<void*>(core.get()));
  core->name = name;
  fill_vfs(*core);
  if (sqlite3_vfs_register(&core->vfs, 0) != SQLITE_OK)
    return Error{Cause::kInternal, "SQLite takes no further VFS", {}};
  core->registered = true;
  return std::unique_ptr<Vault>(new Vault(std::move(core)));
}

const char* Vault::vfs_name() const {
  return core_->name.c_str();
}

const std::string& Vault::file() const {
  return core_->file;
}

std::string Vault::last_failure(sqlite3* db) {
  const Core* core = core_behind(db);
  const auto failure = core != nullptr ? core->failures.last_damage() : std::nullopt;
  return failure ? in_words(*core, *failure) : std::string();
}

std::vector<std::string> Vault::damage() const {
  std::vector<std::string> sentences;
  for (const VaultFailure& failure : failures()) {
    if (is_damage(failure.kind)) sentences.push_back(in_words(*core_, failure));
  }
  return sentences;
}

std::vector<VaultFailure> Vault::failures() const {
  return core_->failures.all();
}

}  // namespace kartei::vault
