#include "store/box.h"

#include <sqlite3.h>

#include <utility>

#include "store/box_impl.h"
#include "store/fold.h"
#include "store/fold_tables.h"
#include "store/schema.h"
#include "store/undo.h"
#include "store/word_index.h"

namespace kartei::store {

namespace {

// 2^20 steps an entry: an entry of 4 MiB holds far fewer.
constexpr int kStepsBits = 20;

}  // namespace

void prepare_store() {
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

Box::Box(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Box::~Box() {
  if (impl_->in_transaction) sqlite3_exec(writer(), "ROLLBACK", nullptr, nullptr, nullptr);
}

Result<std::unique_ptr<Box>> Box::open(const BoxOptions& options) {
  auto impl = std::make_unique<Impl>();
  if (options.file.empty()) {
    KARTEI_ASSIGN(impl->db, open_in_memory({}));
  } else {
    KARTEI_ASSIGN(impl->file, open_box_file(options.file, options.data_key, options.create));
    KARTEI_ASSIGN(impl->db, open_writer(impl->file, options.create));
    impl->owed = true;  // of those before us
  }
  impl->records = std::make_unique<Records>(impl->db->handle());
  impl->vectors = std::make_unique<Vectors>(*impl->db);
  impl->facts = std::make_unique<FactsKeeper>(*impl->db);
  return std::unique_ptr<Box>(new Box(std::move(impl)));
}

Result<std::unique_ptr<Box>> Box::from_image(ByteView image) {
  if (image.empty()) return bad_input("An empty image", "image");
  auto impl = std::make_unique<Impl>();
  KARTEI_ASSIGN(impl->db, open_in_memory(image));
  impl->records = std::make_unique<Records>(impl->db->handle());
  impl->vectors = std::make_unique<Vectors>(*impl->db);
  impl->facts = std::make_unique<FactsKeeper>(*impl->db);
  return std::unique_ptr<Box>(new Box(std::move(impl)));
}

Result<Bytes> Box::image() {
  sqlite3_int64 size = 0;
  unsigned char* data = sqlite3_serialize(writer(), "main", &size, 0);
  if (data == nullptr) return Error{Cause::kInternal, "The box cannot be copied to memory", {}};
  Bytes image(data, data + size);
  sqlite3_free(data);
  return image;
}

// ---- transactions

Box::Transaction::Transaction(Transaction&& other) noexcept
    : box_(std::exchange(other.box_, nullptr)) {}

Box::Transaction::~Transaction() {
  if (box_ == nullptr) return;
  Impl& impl = *box_->impl_;
  if (!sqlite3_get_autocommit(impl.db->handle())) {
    sqlite3_exec(impl.db->handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  (void)impl.let_spill(false);
  impl.vectors->rolled_back();
  impl.facts->rolled_back();
  impl.in_transaction = false;
}

Result<Box::Transaction> Box::begin() {
  Impl& impl = *impl_;
  if (impl.in_transaction) return Error{Cause::kInternal, "A transaction within another", {}};
  if (impl.sync_broken) {
    return Error{Cause::kIo, "The disk failed to keep what was written; restart Kartei", {}};
  }
  KARTEI_TRY(impl.db->run("BEGIN IMMEDIATE"));
  impl.in_transaction = true;
  impl.failed = false;
  impl.changes_before = impl.db->total_changes();
  return Transaction(this);
}

Status Box::Transaction::commit(Durability durability) {
  if (box_ == nullptr) return Error{Cause::kInternal, "A transaction committed twice", {}};
  Box& box = *box_;
  Impl& impl = *box.impl_;
  if (impl.failed || sqlite3_get_autocommit(impl.db->handle())) {
    return Error{Cause::kInternal, "A transaction that failed half-way cannot be committed", {}};
  }
  const bool changed = impl.db->total_changes() != impl.changes_before;
  if (changed) {
    KARTEI_ASSIGN(const bool grew, impl.index_tail.settle(*impl.db));
    impl.untidy |= grew;
  }
  KARTEI_TRY(impl.db->run("COMMIT"));
  (void)impl.let_spill(false);  // it is committed, whatever this says; no glimpse until it works
  impl.in_transaction = false;
  impl.vectors->committed(changed);
  impl.facts->committed();
  box_ = nullptr;
  if (changed) impl.owed = true;
  const bool synced = durability == Durability::kSynced;
  if (synced && impl.owed) KARTEI_TRY(impl.sync_log());
  if (changed && impl.observer) impl.observer(synced);
  return {};
}

// The log holds all commits in their order: syncing it makes every one so far durable. (In NORMAL
// mode SQLite itself syncs it before a checkpoint only; and the mode cannot be changed within a
// transaction, when it is not yet known how it will be committed.)
Status Box::Impl::sync_log() {
  if (!in_memory()) {
    sqlite3_file* log = nullptr;
    int code = sqlite3_file_control(db->handle(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (code == SQLITE_OK && log != nullptr && log->pMethods != nullptr) {
      code = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
    }
    if (code != SQLITE_OK) {
      sync_broken = true;
      return sql_error(nullptr, code, "sync");
    }
  }
  owed = false;
  return {};
}

Status Box::sync() {
  if (!impl_->owed) return {};
  if (impl_->sync_broken) {
    return Error{Cause::kIo, "The disk failed to keep what was written; restart Kartei", {}};
  }
  KARTEI_TRY(impl_->sync_log());
  if (impl_->observer) impl_->observer(true);
  return {};
}

bool Box::sync_owed() const {
  return impl_->owed;
}

void Box::observe_commits(std::function<void(bool synced)> observer) {
  impl_->observer = std::move(observer);
}

Status Box::Impl::let_spill(bool on) {
  if (spilling == on) return {};
  KARTEI_TRY(let_pages_spill(*db, on));
  spilling = on;
  return {};
}

Result<Glimpse> Box::Impl::glimpse() {
  if (spilling) return Error{Cause::kUnavailable, "Much is being written just now; try again", {}};
  return Glimpse::start(*db);
}

Result<Glimpse> Glimpse::start(Db& db) {
  KARTEI_TRY(db.run("SAVEPOINT glimpse"));
  return Glimpse(&db);
}

Glimpse::~Glimpse() {
  if (db_ == nullptr) return;
  sqlite3_exec(db_->handle(), "ROLLBACK TO glimpse; RELEASE glimpse", nullptr, nullptr, nullptr);
}

// ---- turns

Result<bool> Box::store_turn(const Turn& turn, const TurnOrigin& origin) {
  return impl_->change([&] {
    return insert_turn(*impl_->db, turn, origin.feed ? &*origin.feed : nullptr, origin.seq);
  });
}

Status Box::drop_unfiled_turn(TurnId turn) {
  return impl_->change([&]() -> Status {
    Db& db = *impl_->db;
    KARTEI_ASSIGN(const bool filed, turn_filed(turn));
    if (filed) return {};
    KARTEI_TRY(db.run("DELETE FROM turns WHERE id = ?", turn));
    if (db.changes() != 0) return {};
    // Perhaps the overlay hides it (an erase that waits) and would bring it back later.
    KARTEI_TRY(impl_->lift_overlay());
    return db.run("DELETE FROM turns WHERE id = ?", turn);
  });
}

// ---- the fold

Result<std::uint64_t> Box::Impl::tip() {
  KARTEI_ASSIGN(const std::int64_t tip, db->integer("SELECT tip FROM ledger", 0));
  return static_cast<std::uint64_t>(tip);
}

Status Box::Impl::lift_overlay() {
  return take_back(*db, kOverlaySlot);
}

std::uint64_t Box::tip_height() const {
  auto tip = impl_->tip();
  return tip.has_value() ? *tip : 0;
}

Status Box::apply_entry(std::uint64_t height, std::span<const Delta> deltas) {
  return impl_->change([&]() -> Status {
    Db& db = *impl_->db;
    KARTEI_ASSIGN(const std::uint64_t tip, impl_->tip());
    if (height != tip + 1) {
      return Error{Cause::kInternal,
                   "Entry " + std::to_string(height) + " on top of entry " + std::to_string(tip),
                   {}};
    }
    KARTEI_TRY(impl_->lift_overlay());
    UndoRecorder recorder(db);
    Fold fold(db, Layer::kLedger, static_cast<std::int64_t>(height << kStepsBits));
    for (const Delta& delta : deltas) KARTEI_TRY(fold.apply(delta));
    KARTEI_TRY(recorder.store(static_cast<std::int64_t>(height)));
    return db.run("UPDATE ledger SET tip = ?", height);
  });
}

Status Box::undo_to(std::uint64_t height) {
  return impl_->change([&]() -> Status {
    Db& db = *impl_->db;
    KARTEI_ASSIGN(const std::uint64_t tip, impl_->tip());
    KARTEI_ASSIGN(const std::int64_t forgotten, db.integer("SELECT forgotten FROM ledger", 0));
    if (height > tip || height < static_cast<std::uint64_t>(forgotten)) {
      return Error{Cause::kInternal,
                   "Entry " + std::to_string(height) +
                       " cannot be gone back to: the ledger stands at " + std::to_string(tip) +
                       ", final is " + std::to_string(forgotten),
                   {}};
    }
    KARTEI_TRY(impl_->lift_overlay());
    for (std::uint64_t at = tip; at > height; --at) {
      KARTEI_TRY(take_back(db, static_cast<std::int64_t>(at)));
    }
    return db.run("UPDATE ledger SET tip = ?", height);
  });
}

Status Box::forget_undo_through(std::uint64_t height) {
  return impl_->change([&]() -> Status {
    Db& db = *impl_->db;
    KARTEI_ASSIGN(const std::uint64_t tip, impl_->tip());
    if (height > tip) {
      return Error{Cause::kInternal, "An entry beyond the tip cannot be final", {}};
    }
    KARTEI_TRY(db.run("DELETE FROM undo WHERE slot > 0 AND slot <= ?", height));
    return db.run("UPDATE ledger SET forgotten = max(forgotten, ?)", height);
  });
}

Status Box::set_overlay(std::span<const Delta> pending, std::span<const Delta> waiting) {
  return impl_->change([&]() -> Status {
    Db& db = *impl_->db;
    KARTEI_TRY(impl_->lift_overlay());
    if (pending.empty() && waiting.empty()) return {};
    KARTEI_ASSIGN(const std::uint64_t tip, impl_->tip());
    UndoRecorder recorder(db);
    // In the order in which a primary would file them.
    Fold lost(db, Layer::kWaiting, static_cast<std::int64_t>((tip + 1) << kStepsBits));
    for (const Delta& delta : waiting) KARTEI_TRY(lost.apply(delta));
    Fold own(db, Layer::kPending, lost.next_n());
    for (const Delta& delta : pending) KARTEI_TRY(own.apply(delta));
    return recorder.store(kOverlaySlot);
  });
}

Status Box::apply_local(std::span<const Delta> deltas) {
  return impl_->change([&]() -> Status {
    Db& db = *impl_->db;
    KARTEI_ASSIGN(const std::int64_t n, db.integer("SELECT local_n FROM ledger", 0));
    Fold fold(db, Layer::kLocal, n);
    for (const Delta& delta : deltas) KARTEI_TRY(fold.apply(delta));
    return db.run("UPDATE ledger SET local_n = ?", fold.next_n());
  });
}

Result<bool> Box::scrub() {
  if (impl_->in_transaction) return Error{Cause::kInternal, "Scrubbing within a transaction", {}};
  {
    KARTEI_ASSIGN(Transaction transaction, begin());
    KARTEI_TRY(impl_->vectors->sweep(true));
    KARTEI_TRY(scrub_word_index(writer()));
    KARTEI_TRY(transaction.commit(Transaction::Durability::kSynced));
  }
  return cut_log();
}

Result<bool> Box::cut_log() {
  if (impl_->in_memory()) return true;
  // Its first column: whether somebody was in the way. SQLite would wait for that one.
  const int patience_ms = 5000;
  sqlite3_busy_timeout(writer(), 0);
  const auto busy = impl_->db->integer("PRAGMA wal_checkpoint(TRUNCATE)", 1);
  sqlite3_busy_timeout(writer(), patience_ms);
  KARTEI_ASSIGN(const std::int64_t in_the_way, busy);
  return in_the_way == 0;
}

Result<bool> Box::tidy() {
  if (impl_->in_transaction) return Error{Cause::kInternal, "Tidying within a transaction", {}};
  KARTEI_ASSIGN(Transaction transaction, begin());
  KARTEI_ASSIGN(const bool more, tidy_word_index(*impl_->db));
  KARTEI_TRY(transaction.commit(Transaction::Durability::kLazy));
  impl_->untidy = more;
  return more;
}

Result<bool> Box::compact() {
  if (impl_->in_transaction) return Error{Cause::kInternal, "Compacting within a transaction", {}};
  if (impl_->in_memory()) return false;
  constexpr std::int64_t kStepPages = 64, kBeginPages = 512, kBeginShare = 8, kKeptShare = 32;
  Db& db = *impl_->db;
  KARTEI_ASSIGN(const std::int64_t free, db.integer("PRAGMA freelist_count", 0));
  KARTEI_ASSIGN(const std::int64_t pages, db.integer("PRAGMA page_count", 0));
  const std::int64_t kept = pages / kKeptShare;
  const bool worth = free >= kBeginPages && free >= pages / kBeginShare;
  impl_->compacting = impl_->compacting ? free > kept : worth;
  if (!impl_->compacting) return false;
  KARTEI_ASSIGN(Transaction transaction, begin());
  KARTEI_TRY(db.script("PRAGMA incremental_vacuum(" +
                       std::to_string(std::min(kStepPages, free - kept)) + ")"));
  KARTEI_TRY(transaction.commit(Transaction::Durability::kLazy));
  // A file that was made before cannot be shortened.
  KARTEI_ASSIGN(const std::int64_t left, db.integer("PRAGMA freelist_count", 0));
  impl_->compacting = left < free && left > kept;
  if (impl_->compacting) return true;
  KARTEI_TRY(
      cut_log());  // with it the file gets short; where a reader is in the way, some time later
  return false;
}

bool Box::untidy() const {
  return impl_->untidy;
}

void Box::rest() {
  if (!impl_->in_memory()) impl_->db->release_memory();
}

Records& Box::records() {
  return *impl_->records;
}
Vectors& Box::vectors() {
  return *impl_->vectors;
}
FactsKeeper& Box::facts() {
  return *impl_->facts;
}
std::shared_ptr<PieceHashes> Box::piece_hashes() const {
  return impl_->piece_hashes;
}
sqlite3* Box::writer() {
  return impl_->db->handle();
}
const std::filesystem::path& Box::file() const {
  return impl_->file.path;
}
const BoxFile& Box::place() const {
  return impl_->file;
}

}  // namespace kartei::store
