#include "store/vocabulary.h"

#include <algorithm>

#include "store/box.h"
#include "store/indexer.h"

namespace kartei::store {

TokenHashes PieceHashes::find(RowKind kind, std::int64_t number) const {
  const auto there = std::find_if(pieces_.begin(), pieces_.end(), [&](const Piece& piece) {
    return piece.kind == kind && piece.number == number;
  });
  return there == pieces_.end() ? nullptr : there->hashes;
}

std::vector<TokenHashes> PieceHashes::known(RowKind kind,
                                            const std::vector<std::int64_t>& pieces) const {
  const std::lock_guard lock(mutex_);
  std::vector<TokenHashes> all;
  all.reserve(pieces.size());
  for (const std::int64_t number : pieces) all.push_back(find(kind, number));
  return all;
}

void PieceHashes::use(std::vector<Piece> pieces) {
  const std::lock_guard lock(mutex_);
  pieces_.swap(pieces);  // the old ones go after the lock
}

Result<bool> PieceHashes::read_one(Db& db) {
  const std::unique_lock reading(reading_, std::try_to_lock);
  if (!reading) return true;
  std::vector<Piece> now;
  for (const RowKind kind : {RowKind::kTurn, RowKind::kCard}) {
    KARTEI_ASSIGN(const PostingReader reader, PostingReader::open(db, kind));
    const std::vector<TokenHashes> in_memory = known(kind, reader.pieces());
    for (std::size_t i = 0; i < in_memory.size(); ++i) {
      Piece piece{kind, reader.pieces()[i], in_memory[i]};
      if (piece.hashes) {
        now.push_back(std::move(piece));
        continue;
      }
      KARTEI_ASSIGN(auto hashes, reader.hashes(piece.number));
      piece.hashes = std::make_shared<const std::vector<std::uint32_t>>(std::move(hashes));
      const std::lock_guard lock(mutex_);
      pieces_.push_back(std::move(piece));
      return true;
    }
  }
  use(std::move(now));  // without those that are joined now
  return false;
}

Result<std::vector<TokenHashes>> PieceHashes::of(Db& db) {
  const std::lock_guard reading(reading_);
  std::vector<Piece> now;
  std::vector<TokenHashes> all;
  for (const RowKind kind : {RowKind::kTurn, RowKind::kCard}) {
    KARTEI_ASSIGN(const PostingReader reader, PostingReader::open(db, kind));
    const std::vector<TokenHashes> in_memory = known(kind, reader.pieces());
    for (std::size_t i = 0; i < in_memory.size(); ++i) {
      Piece piece{kind, reader.pieces()[i], in_memory[i]};
      if (!piece.hashes) {
        KARTEI_ASSIGN(auto hashes, reader.hashes(piece.number));
        piece.hashes = std::make_shared<const std::vector<std::uint32_t>>(std::move(hashes));
      }
      all.push_back(piece.hashes);
      now.push_back(std::move(piece));
    }
  }
  use(std::move(now));
  return all;
}

Status Vocabulary::refresh(Db& db) {
  KARTEI_ASSIGN(pieces_, shared_->of(db));
  return refresh_tail(db);
}

Status Vocabulary::refresh_tail(Db& db) {
  tail_.clear();
  Query query = db.query(
      "SELECT bag FROM turn_docs WHERE rid > (SELECT mark FROM word_totals WHERE kind = 0)"
      " UNION ALL SELECT bag FROM card_docs WHERE rid > (SELECT mark FROM word_totals WHERE kind ="
      " 1) UNION ALL SELECT d.bag FROM word_late l CROSS JOIN turn_docs d ON d.rid = l.rid WHERE"
      " l.kind = 0 UNION ALL SELECT d.bag FROM word_late l CROSS JOIN card_docs d ON d.rid = l.rid"
      " WHERE l.kind = 1");
  while (query.next()) BagView(query.blob(0)).append_hashes(tail_);
  KARTEI_TRY(query.status());
  std::sort(tail_.begin(), tail_.end());
  return {};
}

bool Vocabulary::has(std::uint32_t hash) const {
  const auto in = [hash](const std::vector<std::uint32_t>& hashes) {
    return std::binary_search(hashes.begin(), hashes.end(), hash);
  };
  return in(tail_) || std::any_of(pieces_.begin(), pieces_.end(),
                                  [&](const TokenHashes& piece) { return in(*piece); });
}

Result<bool> read_piece_hashes(Box& box) {
  Db db(box.writer());
  return box.piece_hashes()->read_one(db);
}

}  // namespace kartei::store
