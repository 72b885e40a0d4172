// Which rows have a token: an index of our own, for one purpose. A question looks at the newest
// rows of a token only, so no list is longer than kListed, however common the token is; how many
// rows have it is counted beside the list. Tokens are known by their hashes, as in the bags: no
// word of a text stands here.
//
// The lists lie in pieces. A piece is written once, from a few dozen rows, and later joined with
// others: small ones at once, large ones in steps (`join_step`). Within a piece they lie sorted by
// hash in blobs of less than a page; a question reads one blob a piece and token.
//
// What a list says of a row may be outdated, because nothing is taken out of a piece: the row is
// gone, or has other words now. The row's bag tells.
//
// One connection, one thread. All that is written belongs to a transaction of the caller's.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "crypto/result.h"
#include "store/row_kind.h"
#include "store/sql.h"

namespace kartei::store {

// Tables turn_postings, card_postings and word_pieces.
std::string posting_tables_sql();
// All lists away, but not the highest number of a piece: none is used twice.
std::string no_postings_sql();
// Of all tokens in one piece, sorted.
using TokenHashes = std::shared_ptr<const std::vector<std::uint32_t>>;

struct Posting1 {
  std::uint32_t hash = 0;
  std::int64_t rid = 0;
};

// One moment's pieces, for the questions of one recall.
class PostingReader {
 public:
  static Result<PostingReader> open(Db& db, RowKind kind);
  // The newest rows that have it, at most `most` of each piece, appended; how many there are,
  // added.
  Status find(std::uint32_t hash, std::size_t most, std::vector<std::int64_t>& rows,
              std::uint64_t& docs) const;

  const std::vector<std::int64_t>& pieces() const { return pieces_; }
  Result<std::vector<std::uint32_t>> hashes(std::int64_t piece) const;
  // What is known of each of pieces(), null where nothing is: find() asks the disk for those tokens
  // alone that are there.
  void look_only_for(std::vector<TokenHashes> known) { known_ = std::move(known); }

 private:
  PostingReader(Db& db, RowKind kind) : db_(&db), kind_(kind) {}
  Db* db_;
  RowKind kind_;
  std::vector<std::int64_t> pieces_;  // newest first
  std::vector<TokenHashes> known_;    // of each of them; or empty
};

class PostingWriter {
 public:
  static constexpr std::size_t kListed = 900;

  PostingWriter(Db& db, RowKind kind) : db_(db), kind_(kind) {}
  // A piece of `docs` rows; joins small ones.
  Status add(std::vector<Posting1> postings, std::uint64_t docs);
  // Joins a few milliseconds long. False: nothing is left to join.
  Result<bool> join_step();
  // Blobs that are not as they were written.
  Result<std::size_t> damaged();

 private:
  enum class State : std::uint8_t { kLive = 0, kJoining = 1, kBuilding = 2, kDead = 3 };
  struct Piece {
    std::int64_t number = 0, newest = 0;
    std::uint64_t docs = 0;
    State state = State::kLive;
    std::uint64_t resume = 0;  // of one that is built: the first hash that it has not yet
  };
  Result<std::vector<Piece>> pieces();
  Status put(const Piece& piece);
  Status join_small();
  Status begin_join(const std::vector<Piece>& inputs, const std::vector<Piece>& all);
  Status build(Piece& piece, const std::vector<Piece>& inputs, std::size_t blobs);
  Result<bool> drop_dead(const std::vector<Piece>& all);

  Db& db_;
  RowKind kind_;
};

}  // namespace kartei::store
