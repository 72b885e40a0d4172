// Keeps a box's RowFacts in memory as its writer changes rows: SQLite tells which rows of the index
// a transaction touched, and after its commit these are read again.
//
// Threads: the box's writer; the index that it fills is for any. Failure: what cannot be read is
// forgotten as a whole, and questions read the disk until load() is called again.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "crypto/result.h"
#include "store/fact_reading.h"
#include "store/row_facts.h"
#include "store/row_kind.h"
#include "store/sql.h"

namespace kartei::store {

class FactsKeeper {
 public:
  // Takes the connection's update hook.
  explicit FactsKeeper(Db& db);
  ~FactsKeeper();
  FactsKeeper(const FactsKeeper&) = delete;
  FactsKeeper& operator=(const FactsKeeper&) = delete;

  std::shared_ptr<const FactsIndex> index() const { return index_; }
  // Reads at most so many rows more into memory. True: all of them are there, and questions use
  // them. Outside of a transaction.
  Result<bool> load(std::size_t rows_most = SIZE_MAX);
  bool loaded() const { return loading_ == Loading::kDone; }
  void unload();  // gives the memory back

  // By the box, at the end of each transaction.
  void committed();
  void rolled_back();

 private:
  enum class Loading : std::uint8_t { kNot, kTurns, kCards, kDone };
  struct LastTurn {
    std::int64_t rid = 0, said_at_ms = 0;
  };
  static void on_change(void* self, int operation, const char* database, const char* table,
                        std::int64_t rid);
  Result<bool> load_kind(RowKind kind, std::size_t rows_most);
  Status read_again(RowKind kind, std::vector<std::int64_t>& rids);
  bool stays_in_its_place(const FactRows::Change& row) const;  // a turn that is read again
  void note_order(std::int64_t rid);
  void publish();

  Db& db_;
  const std::shared_ptr<FactsIndex> index_ = std::make_shared<FactsIndex>();
  Loading loading_ = Loading::kNot;
  std::int64_t loaded_to_ = 0;                        // row number, of the kind being loaded
  std::array<std::vector<std::int64_t>, 2> changed_;  // of the transaction under way, by kind
  RowFacts facts_;                                    // as published, once loaded
  FactReading reading_;
  // Of each conversation: the highest row number it ever had, and no less than the latest moment.
  std::unordered_map<std::int64_t, LastTurn> newest_;
  std::unordered_set<std::int64_t> unordered_;  // conversations; only grows
};

}  // namespace kartei::store
