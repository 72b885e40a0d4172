// What ranking has to know of each turn and card, in memory: words, times, states. Some 90 bytes a
// row, so that a question reads from the disk what it hands out and little else.
//
// RowFacts never changes: a recall keeps the one it began with, whatever the writer does
// (facts_keeper.h); any thread. A recall's connection may see a commit more or less than it: rows
// that are gone are left out when they are read.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "crypto/bytes.h"
#include "store/row_kind.h"
#include "store/short_bag.h"
#include "store/values.h"

namespace kartei::store {

struct TurnFacts {
  std::int64_t conversation = 0, said_at_ms = 0;
  Role role = Role::kUser;
  std::uint32_t length = 0;  // words
  ShortBag bag;
};

struct CardFacts {
  DrawerId drawer;
  std::uint8_t state = 0;  // as in the table: kStateGaveWay, too
  Colour colour = Colour::kFact;
  Trust trust = Trust::kUser;
  float importance = 0;
  std::uint32_t length = 0, flags = 0, times_used = 0;
  std::int64_t valid_from = 0, valid_to = 0;  // packed
  std::int64_t recorded_at_ms = 0, closed_at_ms = 0, last_used_ms = 0;
  ByteView sources;  // ids of turns, 16 bytes each
  ShortBag bag;
};

// The rows of one kind, in chunks of numbers that follow each other; a row is bytes, empty where it
// is not there.
class FactRows {
 public:
  static constexpr std::int64_t kChunkRows = 256;
  struct Chunk {
    std::array<std::uint16_t, kChunkRows> ends{};
    std::vector<std::uint32_t> wide_ends;  // in their place, where the rows are long
    Bytes bytes;
    std::size_t end(std::size_t slot) const {
      return wide_ends.empty() ? ends[slot] : wide_ends[slot];
    }
    ByteView row(std::size_t slot) const {
      const std::size_t begin = slot == 0 ? 0 : end(slot - 1);
      return ByteView(bytes).subspan(begin, end(slot) - begin);
    }
  };
  struct Placed {
    std::int64_t number = 0;  // row number divided by kChunkRows
    std::shared_ptr<const Chunk> chunk;
  };
  // A row to be put, taken out where `bytes` is empty.
  struct Change {
    std::int64_t rid = 0;
    Bytes bytes;
  };

  ByteView row(std::int64_t rid) const;
  std::int64_t highest() const { return highest_; }
  // Ascending, each row once.
  FactRows with(const std::vector<Change>& changes) const;
  std::size_t bytes() const;  // of memory, about

 private:
  static std::shared_ptr<const Chunk> chunk_of(const std::array<ByteView, kChunkRows>& rows);

  using Chunks = std::vector<Placed>;  // ascending
  std::shared_ptr<const Chunks> chunks_ = std::make_shared<const Chunks>();
  std::int64_t highest_ = 0;  // row number that was ever in it
};

using FactDrawers = std::vector<DrawerId>;  // a card names its own by place

// Rows as bytes, and back; zeros where they are cut. What `sources` and `bag` show lies in `row`.
Bytes fact_bytes(const TurnFacts& facts, const BagView& bag);
Bytes fact_bytes(const CardFacts& facts, std::size_t drawer, const BagView& bag);
TurnFacts turn_facts(ByteView row);
CardFacts card_facts(ByteView row, const FactDrawers& drawers);
std::uint8_t card_state(ByteView row);  // of it, alone

class RowFacts {
 public:
  // The turns before and after it in its conversation, 0: none. None where that takes a look at the
  // disk.
  struct Beside {
    std::int64_t before = 0, after = 0;
  };
  std::optional<Beside> beside(std::int64_t rid) const;
  const FactRows& rows(RowKind kind) const { return kind == RowKind::kTurn ? turns : cards; }
  FactRows& rows(RowKind kind) { return kind == RowKind::kTurn ? turns : cards; }
  std::size_t bytes() const { return turns.bytes() + cards.bytes(); }

  FactRows turns, cards;
  std::shared_ptr<const FactDrawers> drawers;
  // Conversations whose turns were not said in the order of their row numbers.
  std::shared_ptr<const std::unordered_set<std::int64_t>> unordered;

 private:
  std::int64_t next_in_conversation(std::int64_t rid, std::int64_t conversation, int step) const;
};

// Where the writer leaves them and the librarians find them.
class FactsIndex {
 public:
  // Null: not read into memory.
  std::shared_ptr<const RowFacts> current() const {
    const std::lock_guard lock(mutex_);
    return current_;
  }
  void use(std::shared_ptr<const RowFacts> facts) {
    const std::lock_guard lock(mutex_);
    current_.swap(facts);  // the old ones go after the lock
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const RowFacts> current_;  // guarded by mutex_
};

}  // namespace kartei::store
