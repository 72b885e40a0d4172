// The vectors of turns and cards in the box: made after the rows, in small batches, by whatever
// model the owner chose; kept as int8 copies on disk and as codes in memory (MeaningIndex).
//
// How it goes: next() gives texts, an embedder makes vectors of them (on any thread, as slowly as
// it likes), put() stores them. Rows that went or changed meanwhile are noticed. Another model
// makes a new set beside the old one, which answers until the new one is whole.
//
// Threads: the box's writer. Changes within a transaction of the box, which tells of its end.
// Failure: those of the disk; damaged codes are made anew from the int8 copies.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "crypto/result.h"
#include "store/meaning_index.h"
#include "store/row_kind.h"
#include "store/sql.h"

namespace kartei::store {

// Rows that have no vectors yet, and what is to be embedded of each: texts[i] is of rows[i].
struct VectorBatch {
  struct Row {
    RowKind kind = RowKind::kTurn;
    std::int64_t rid = 0;
    std::int64_t sum = 0;  // of its words
    bool late = false;     // came back below the mark
  };
  std::int64_t set = 0;
  std::vector<Row> rows;
  std::vector<std::string> texts;
};

struct MeaningCounts {
  std::string model, next_model;  // that answers; that is being made. Empty: none
  std::uint64_t waiting = 0;      // rows without vectors of the newest set, or a few more
  std::uint64_t memory_bytes = 0;
  std::uint64_t disk_bytes = 0;  // about, of all sets
};

class Vectors {
 public:
  explicit Vectors(Db& db) : db_(db), index_(std::make_shared<MeaningIndex>()) {}

  std::shared_ptr<const MeaningIndex> index() const { return index_; }
  // Reads the codes into memory, once, before anything below; damaged ones are made anew. Within a
  // transaction.
  Status load();
  // From now on vectors are of this model. Within a transaction. Empty: none are made, and those
  // that are there go.
  Status want(const std::string& model, std::size_t dims);
  // At most so many rows. Empty: all have their vectors.
  Result<VectorBatch> next(std::size_t rows_most);
  // texts.size() * dims floats. Within a transaction. What does not fit the set any more is
  // dropped.
  Status put(const VectorBatch& batch, const std::vector<float>& vectors);
  // Takes away what is left of sets and rows that are gone, a little at a time; `all`: of rows, all
  // of it. Within a transaction. False: nothing is left.
  Result<bool> sweep(bool all);
  Result<MeaningCounts> counts();
  // Sets that nobody wants any more are still on disk: sweep() takes them away.
  Result<bool> has_old_sets();
  // Gives the memory back, until load() is called again. Outside of a transaction.
  void unload();
  bool behind() const { return behind_; }  // something has changed since next() had no more

  // By the box, at the end of each transaction.
  void committed(bool changed);
  void rolled_back();

 private:
  struct Fresh {
    std::int64_t set;
    RowKind kind;
    std::int64_t rid;
    std::vector<float> vector;
  };
  struct Held {
    std::shared_ptr<VectorSet> set;
    // By kind: the highest row so far, and the highest in the codes up to the end of each chunk.
    std::array<std::int64_t, 2> highest{};
    std::array<std::vector<std::int64_t>, 2> chunk_ends;
    // Chunks of which something was forgotten that the disk may still have.
    std::array<std::set<std::size_t>, 2> outdated;
  };
  Status reconcile();
  Held* held(std::int64_t set);
  static void append(Held& held, RowKind kind, std::int64_t rid, const std::vector<float>& vector);
  Result<std::int64_t> newest();  // set's id; 0: none
  Status put_row(const VectorBatch& batch, const VectorBatch::Row& row, const float* vector,
                 std::size_t dims);
  Status store_chunks(const Held& held);
  Status load_kind(Held& held, RowKind kind);
  Status append_copies(Held& held, RowKind kind, Query query);
  Result<std::vector<std::int64_t>> late_out_of_codes(Held& held, RowKind kind,
                                                      std::int64_t rid_to);
  Status finish_newest();
  Result<bool> forget_dead();
  Result<bool> drop_old_sets();
  Status drop_old_chunks();

  Db& db_;
  const std::shared_ptr<MeaningIndex> index_;
  bool loaded_ = false;
  bool behind_ = true;
  bool stale_ = false;        // the sets on disk are others than these
  bool rewritten_ = false;    // the transaction under way stores what is outdated
  std::vector<Held> sets_;    // oldest first
  std::vector<Fresh> fresh_;  // of the transaction under way: in memory once it is committed
};

// The tables and triggers, for the schema's version 5.
extern const char kVectorsSql[];
// Where the vector of a row lies: those of a set in one stretch.
inline constexpr std::int64_t kRidMask = (std::int64_t{1} << 44) - 1;
inline std::int64_t vector_key(std::int64_t set, std::int64_t rid) {
  return (set << 44) | rid;
}

}  // namespace kartei::store
