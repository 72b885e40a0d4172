#include "store/vocabulary.h"

#include <algorithm>

#include "store/indexer.h"

namespace kartei::store {

Result<std::vector<PieceHashes::Hashes>> PieceHashes::of(Db& db) {
  const std::lock_guard lock(mutex_);
  std::vector<Piece> now;
  std::vector<Hashes> all;
  for (const RowKind kind : {RowKind::kTurn, RowKind::kCard}) {
    KARTEI_ASSIGN(const PostingReader reader, PostingReader::open(db, kind));
    for (const std::int64_t number : reader.pieces()) {
      const auto known = std::find_if(pieces_.begin(), pieces_.end(), [&](const Piece& piece) {
        return piece.kind == kind && piece.number == number;
      });
      Piece piece{kind, number, known == pieces_.end() ? nullptr : known->hashes};
      if (!piece.hashes) {
        KARTEI_ASSIGN(auto hashes, reader.hashes(number));
        piece.hashes = std::make_shared<const std::vector<std::uint32_t>>(std::move(hashes));
      }
      all.push_back(piece.hashes);
      now.push_back(std::move(piece));
    }
  }
  pieces_ = std::move(now);
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
                                  [&](const PieceHashes::Hashes& piece) { return in(*piece); });
}

}  // namespace kartei::store
