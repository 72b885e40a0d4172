// Which tokens the word index has, by their hashes: asked some hundred times for a word that nobody
// ever said. Pieces of the lists never change, so each is read once; the first such question of a
// large box takes as long as reading its lists.
//
// One thread; kept beside a reader's connection. Memory: 4 bytes a token and piece.
#pragma once

#include <cstdint>
#include <vector>

#include "store/postings.h"
#include "store/sql.h"

namespace kartei::store {

class Vocabulary {
 public:
  // Reads what is new.
  Status refresh(Db& db);
  bool has(std::uint32_t hash) const;

 private:
  struct Piece {
    RowKind kind = RowKind::kTurn;
    std::int64_t number = 0;
    std::vector<std::uint32_t> hashes;  // sorted
  };
  Status refresh_tail(Db& db);

  std::vector<Piece> pieces_;
  std::vector<std::uint32_t> tail_;  // of rows that are in no list yet; sorted
};

}  // namespace kartei::store
