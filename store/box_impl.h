// What the files of the box share.
#pragma once

#include "store/box.h"
#include "store/facts_keeper.h"
#include "store/records.h"
#include "store/sql.h"
#include "store/vectors.h"
#include "store/vocabulary.h"
#include "store/word_index.h"

namespace kartei::store {

// A savepoint that is always rolled back: to look at another state for a moment.
class Glimpse {
 public:
  static Result<Glimpse> start(Db& db);
  Glimpse(Glimpse&& other) noexcept : db_(std::exchange(other.db_, nullptr)) {}
  ~Glimpse();

 private:
  explicit Glimpse(Db* db) : db_(db) {}
  Db* db_;
};

struct Box::Impl {
  std::unique_ptr<Db> db;
  std::unique_ptr<Records> records;
  std::unique_ptr<Vectors> vectors;
  std::unique_ptr<FactsKeeper> facts;
  std::shared_ptr<PieceHashes> piece_hashes = std::make_shared<PieceHashes>();
  BoxFile file;
  std::function<void(bool synced)> observer;
  bool in_transaction = false;
  bool failed = false;       // a change failed half-way: the transaction can only be rolled back
  bool owed = false;         // something committed is not known to be on disk
  bool sync_broken = false;  // a sync failed: what the kernel then still says is not to be believed
  std::int64_t changes_before = 0;
  IndexTail index_tail;
  bool compacting = false;  // compact() has begun
  bool untidy = false;      // the word index has grown
  bool spilling = false;    // the transaction's pages may go into the log before its commit

  bool in_memory() const { return file.path.empty(); }
  Status sync_log();
  // For a change of a large part of the box: its pages go into the log as they come, and are not
  // kept in memory. No glimpse until the transaction ends: see open_writer.
  Status let_spill(bool on);

  // Runs a change within the transaction; after a failure only a rollback is left.
  template <class Change>
  auto change(Change&& what) -> decltype(what()) {
    if (!in_transaction) {
      return Error{Cause::kInternal, "A change of the box outside of a transaction", {}};
    }
    auto outcome = what();
    if (outcome.has_error()) failed = true;
    return outcome;
  }
  Result<std::uint64_t> tip();
  Status lift_overlay();
  Result<Glimpse> glimpse();  // kUnavailable: the transaction lets pages spill
};

}  // namespace kartei::store
