// Which tokens the word index has, by their hashes: asked some hundred times for a word that nobody
// ever said. Pieces of the lists never change, so each is read once, for all readers of a box; a
// question that comes before the writer has read them takes as long as reading the lists.
//
// PieceHashes: any thread; shared by the box and its librarians. Vocabulary: one thread; kept
// beside a reader's connection. Memory: 4 bytes a token and piece, once for all readers.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "store/postings.h"
#include "store/sql.h"

namespace kartei::store {

class Box;

// What the pieces of a box hold, as far as somebody has asked.
class PieceHashes {
 public:
  // Of all pieces that this connection sees, newest first. Whoever asks at the same time waits.
  Result<std::vector<TokenHashes>> of(Db& db);
  // Reads one piece more. True: ask again, others are left, or somebody else is reading; never
  // waits for whoever does.
  Result<bool> read_one(Db& db);
  // Of these what is in memory already; null: nothing. Never waits for the disk.
  std::vector<TokenHashes> known(RowKind kind, const std::vector<std::int64_t>& pieces) const;

 private:
  struct Piece {
    RowKind kind = RowKind::kTurn;
    std::int64_t number = 0;
    TokenHashes hashes;
  };
  TokenHashes find(RowKind kind, std::int64_t number) const;
  void use(std::vector<Piece> pieces);

  std::mutex reading_;  // one at a time
  mutable std::mutex mutex_;
  std::vector<Piece> pieces_;  // guarded by mutex_; as the last who asked saw them
};

class Vocabulary {
 public:
  explicit Vocabulary(std::shared_ptr<PieceHashes> shared) : shared_(std::move(shared)) {}
  // Reads what is new.
  Status refresh(Db& db);
  bool has(std::uint32_t hash) const;
  const PieceHashes& pieces() const { return *shared_; }

 private:
  Status refresh_tail(Db& db);

  const std::shared_ptr<PieceHashes> shared_;
  std::vector<TokenHashes> pieces_;
  std::vector<std::uint32_t> tail_;  // of rows that are in no list yet; sorted
};

// One piece more of a box, by its writer, outside of a transaction: before a question needs it.
// True: ask again, a little later.
Result<bool> read_piece_hashes(Box& box);

}  // namespace kartei::store
