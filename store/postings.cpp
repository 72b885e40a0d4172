#include "store/postings.h"

#include <algorithm>
#include <cstring>

#include "store/indexer.h"

namespace kartei::store {

namespace {

// A blob with its row fits into a page of 4096 bytes.
constexpr std::size_t kBlobBytes = 4000;
constexpr std::size_t kSumBytes = 4;
// Pieces of a size, in steps of four, are joined when there are so many; at once up to this many
// rows, which takes about a millisecond.
constexpr std::size_t kJoined = 4;
constexpr std::uint64_t kSmallRows = 4096;
constexpr std::size_t kStepBlobs = 128;
constexpr std::uint64_t kHashEnd = std::uint64_t{1} << 32;

const char* table_of(RowKind kind) {
  return kind == RowKind::kTurn ? "turn_postings" : "card_postings";
}

std::int64_t blob_id(std::int64_t piece, std::uint64_t hash) {
  return piece << 32 | static_cast<std::int64_t>(hash);
}

void put_varint(Bytes& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::uint8_t>(value | 0x80));
  out.push_back(static_cast<std::uint8_t>(value));
}

std::uint32_t sum_of(ByteView bytes) {
  return token_hash(as_text(bytes));
}

// Any bytes are accepted: what is no list is none.
class BlobCursor {
 public:
  explicit BlobCursor(ByteView blob)
      : at_(blob.size() < kSumBytes ? nullptr : blob.data() + kSumBytes),
        end_(blob.size() < kSumBytes ? nullptr : blob.data() + blob.size()) {}

  // The next list; false at the end.
  bool next() {
    if (end_ - at_ < 6) return false;
    hash_ = std::uint32_t{at_[0]} | std::uint32_t{at_[1]} << 8 | std::uint32_t{at_[2]} << 16 |
            std::uint32_t{at_[3]} << 24;
    at_ += 4;
    docs_ = number(at_, end_);
    const std::uint64_t bytes = number(at_, end_);
    if (bytes > static_cast<std::uint64_t>(end_ - at_)) return false;
    list_ = at_;
    at_ += bytes;
    return true;
  }
  std::uint32_t hash() const { return hash_; }
  std::uint64_t docs() const { return docs_; }
  void rows(std::vector<std::int64_t>& rows, std::size_t most) const {
    const std::uint8_t* at = list_;
    std::int64_t rid = 0;
    for (std::size_t i = 0; i < most && at < at_; ++i) {
      const auto step = static_cast<std::int64_t>(number(at, at_));
      rid = i == 0 ? step : rid - step;
      rows.push_back(rid);
    }
  }

 private:
  static std::uint64_t number(const std::uint8_t*& at, const std::uint8_t* end) {
    std::uint64_t value = 0;
    for (int shift = 0; at < end && shift < 63; shift += 7) {
      const std::uint8_t byte = *at++;
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) break;
    }
    return value;
  }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  const std::uint8_t* list_ = nullptr;
  std::uint32_t hash_ = 0;
  std::uint64_t docs_ = 0;
};

// The lists of one piece in the order of their hashes, blob by blob.
class PieceCursor {
 public:
  PieceCursor(Db& db, RowKind kind, std::int64_t piece, std::uint64_t from)
      : query_(db.query(kind == RowKind::kTurn ? "SELECT data FROM turn_postings WHERE id >= ?"
                                                 " AND id < ? ORDER BY id"
                                               : "SELECT data FROM card_postings WHERE id >= ?"
                                                 " AND id < ? ORDER BY id",
                        first_id(db, kind, piece, from), blob_id(piece + 1, 0))),
        lists_(ByteView()) {
    while (next() && hash() < from) {
    }
  }
  bool there() const { return there_; }
  std::uint64_t hash() const { return lists_.hash(); }
  const BlobCursor& list() const { return lists_; }
  bool next() {
    while (!lists_.next()) {
      if (!query_.next()) return there_ = false;
      blob_ = to_bytes(query_.blob(0));
      lists_ = BlobCursor(blob_);
    }
    return there_ = true;
  }
  Status status() const { return query_.status(); }

 private:
  // Of the blob in which the hash stands, if anywhere.
  static std::int64_t first_id(Db& db, RowKind kind, std::int64_t piece, std::uint64_t from) {
    if (from == 0) return blob_id(piece, 0);
    const auto found =
        db.integer(std::string("SELECT max(id) FROM ") + table_of(kind) + " WHERE id <= ?", 0,
                   blob_id(piece, from));
    return std::max(found.has_value() ? *found : 0, blob_id(piece, 0));
  }

  Query query_;
  Bytes blob_;
  BlobCursor lists_;
  bool there_ = false;
};

// Writes lists, which come in the order of their hashes.
class BlobWriter {
 public:
  BlobWriter(Db& db, RowKind kind, std::int64_t piece) : db_(db), kind_(kind), piece_(piece) {}

  // `rows`: newest first.
  Status add(std::uint32_t hash, std::uint64_t docs, const std::vector<std::int64_t>& rows) {
    list_.clear();
    std::int64_t last = 0;
    const std::size_t most = std::min(rows.size(), PostingWriter::kListed);
    for (std::size_t i = 0; i < most; ++i) {
      put_varint(list_, static_cast<std::uint64_t>(i == 0 ? rows[i] : last - rows[i]));
      last = rows[i];
    }
    head_.clear();
    for (int shift = 0; shift < 32; shift += 8)
      head_.push_back(static_cast<std::uint8_t>(hash >> shift));
    put_varint(head_, docs);
    put_varint(head_, list_.size());
    if (blob_.size() + head_.size() + list_.size() > kBlobBytes) KARTEI_TRY(flush());
    if (blob_.empty()) {
      first_ = hash;
      blob_.resize(kSumBytes);
    }
    blob_.insert(blob_.end(), head_.begin(), head_.end());
    blob_.insert(blob_.end(), list_.begin(), list_.end());
    return {};
  }
  Status flush() {
    if (blob_.empty()) return {};
    const std::uint32_t sum = sum_of(ByteView(blob_).subspan(kSumBytes));
    for (std::size_t i = 0; i < kSumBytes; ++i) blob_[i] = static_cast<std::uint8_t>(sum >> 8 * i);
    KARTEI_TRY(db_.run(kind_ == RowKind::kTurn ? "INSERT INTO turn_postings VALUES(?, ?)"
                                               : "INSERT INTO card_postings VALUES(?, ?)",
                       blob_id(piece_, first_), blob_));
    blob_.clear();
    ++written_;
    return {};
  }
  std::size_t written() const { return written_; }

 private:
  Db& db_;
  RowKind kind_;
  std::int64_t piece_;
  std::uint32_t first_ = 0;
  Bytes blob_, head_, list_;
  std::size_t written_ = 0;
};

void newest_first(std::vector<std::int64_t>& rows) {
  if (!std::is_sorted(rows.rbegin(), rows.rend())) std::sort(rows.rbegin(), rows.rend());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
}

int size_class(std::uint64_t docs) {
  int level = 0;
  for (docs /= 64; docs > 1; docs /= kJoined) ++level;
  return level;
}

}  // namespace

std::string posting_tables_sql() {
  return "CREATE TABLE turn_postings(id INTEGER PRIMARY KEY, data BLOB NOT NULL);"
         "CREATE TABLE card_postings(id INTEGER PRIMARY KEY, data BLOB NOT NULL);"
         "CREATE TABLE word_pieces(kind INTEGER NOT NULL, piece INTEGER NOT NULL,"
         " newest INTEGER NOT NULL, docs INTEGER NOT NULL, state INTEGER NOT NULL,"
         " resume INTEGER NOT NULL, PRIMARY KEY(kind, piece)) WITHOUT ROWID;";
}

std::string no_postings_sql() {
  return "DELETE FROM turn_postings; DELETE FROM card_postings; DELETE FROM word_pieces WHERE "
         "piece <"
         " (SELECT max(p.piece) FROM word_pieces p WHERE p.kind = word_pieces.kind);"
         " UPDATE word_pieces SET newest = 0, docs = 0, state = 3;";  // dead
}

Result<PostingReader> PostingReader::open(Db& db, RowKind kind) {
  PostingReader reader(db, kind);
  Query query = db.query(
      "SELECT piece FROM word_pieces WHERE kind = ? AND state < 2 ORDER BY newest DESC, piece DESC",
      static_cast<int>(kind));
  while (query.next()) reader.pieces_.push_back(query.integer(0));
  KARTEI_TRY(query.status());
  return reader;
}

Status PostingReader::find(std::uint32_t hash, std::size_t most, std::vector<std::int64_t>& rows,
                           std::uint64_t& docs) const {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const std::int64_t piece = pieces_[i];
    if (i < known_.size() && known_[i] &&
        !std::binary_search(known_[i]->begin(), known_[i]->end(), hash))
      continue;
    Query query = db_->query(kind_ == RowKind::kTurn
                                 ? "SELECT data FROM turn_postings WHERE id BETWEEN ? AND ?"
                                   " ORDER BY id DESC LIMIT 1"
                                 : "SELECT data FROM card_postings WHERE id BETWEEN ? AND ?"
                                   " ORDER BY id DESC LIMIT 1",
                             blob_id(piece, 0), blob_id(piece, hash));
    if (query.next()) {
      BlobCursor lists(query.blob(0));
      while (lists.next() && lists.hash() <= hash) {
        if (lists.hash() != hash) continue;
        lists.rows(rows, most);
        docs += lists.docs();
        break;
      }
    }
    KARTEI_TRY(query.status());
  }
  return {};
}

Result<std::vector<std::uint32_t>> PostingReader::hashes(std::int64_t piece) const {
  std::vector<std::uint32_t> hashes;
  PieceCursor cursor(*db_, kind_, piece, 0);
  for (; cursor.there(); cursor.next()) hashes.push_back(static_cast<std::uint32_t>(cursor.hash()));
  KARTEI_TRY(cursor.status());
  // As they are written; what is damaged may lie otherwise.
  std::sort(hashes.begin(), hashes.end());
  return hashes;
}

Result<std::vector<PostingWriter::Piece>> PostingWriter::pieces() {
  std::vector<Piece> found;
  Query query = db_.query(
      "SELECT piece, newest, docs, state, resume FROM word_pieces WHERE kind = ?"
      " ORDER BY newest DESC, piece DESC",
      static_cast<int>(kind_));
  while (query.next()) {
    Piece piece;
    piece.number = query.integer(0);
    piece.newest = query.integer(1);
    piece.docs = static_cast<std::uint64_t>(query.integer(2));
    piece.state = static_cast<State>(query.integer(3));
    piece.resume = static_cast<std::uint64_t>(query.integer(4));
    found.push_back(piece);
  }
  KARTEI_TRY(query.status());
  return found;
}

Status PostingWriter::put(const Piece& piece) {
  return db_.run("INSERT OR REPLACE INTO word_pieces VALUES(?, ?, ?, ?, ?, ?)",
                 static_cast<int>(kind_), piece.number, piece.newest, piece.docs,
                 static_cast<int>(piece.state), piece.resume);
}

namespace {

template <class Pieces>
std::int64_t highest_number(const Pieces& pieces) {
  std::int64_t highest = 0;
  for (const auto& piece : pieces) highest = std::max(highest, piece.number);
  return highest;
}
// What a piece holds is remembered by its number: none is used twice.
template <class Pieces>
std::int64_t next_number(const Pieces& pieces) {
  return highest_number(pieces) + 1;
}

}  // namespace

Status PostingWriter::add(std::vector<Posting1> postings, std::uint64_t docs) {
  if (docs == 0) return {};
  std::sort(postings.begin(), postings.end(), [](const Posting1& a, const Posting1& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.rid > b.rid;
  });
  KARTEI_ASSIGN(const auto all, pieces());
  Piece piece;
  piece.number = next_number(all);
  piece.docs = docs;
  BlobWriter writer(db_, kind_, piece.number);
  std::vector<std::int64_t> rows;
  for (std::size_t i = 0; i < postings.size();) {
    rows.clear();
    const std::uint32_t hash = postings[i].hash;
    for (; i < postings.size() && postings[i].hash == hash; ++i) rows.push_back(postings[i].rid);
    piece.newest = std::max(piece.newest, rows.front());
    KARTEI_TRY(writer.add(hash, rows.size(), rows));
  }
  KARTEI_TRY(writer.flush());
  KARTEI_TRY(put(piece));
  return join_small();
}

// Up to `blobs` of them more, from where it stands; it is live when it is done.
Status PostingWriter::build(Piece& piece, const std::vector<Piece>& inputs, std::size_t blobs) {
  std::vector<PieceCursor> cursors;
  cursors.reserve(inputs.size());
  for (const Piece& input : inputs) cursors.emplace_back(db_, kind_, input.number, piece.resume);
  BlobWriter writer(db_, kind_, piece.number);
  std::vector<std::int64_t> rows;
  while (true) {
    std::uint64_t hash = kHashEnd;
    for (const PieceCursor& cursor : cursors)
      if (cursor.there()) hash = std::min(hash, cursor.hash());
    piece.resume = hash;
    if (hash == kHashEnd || writer.written() >= blobs) break;
    rows.clear();
    std::uint64_t docs = 0;
    for (PieceCursor& cursor : cursors) {
      if (!cursor.there() || cursor.hash() != hash) continue;
      cursor.list().rows(rows, kListed);
      docs += cursor.list().docs();
      cursor.next();
    }
    newest_first(rows);
    KARTEI_TRY(writer.add(static_cast<std::uint32_t>(hash), docs, rows));
  }
  for (const PieceCursor& cursor : cursors) KARTEI_TRY(cursor.status());
  KARTEI_TRY(writer.flush());
  if (piece.resume == kHashEnd) {
    piece.state = State::kLive;
    for (Piece input : inputs) {
      input.state = State::kDead;
      KARTEI_TRY(put(input));
    }
  }
  return put(piece);
}

Status PostingWriter::begin_join(const std::vector<Piece>& inputs, const std::vector<Piece>& all) {
  Piece piece;
  piece.number = next_number(all);
  piece.state = State::kBuilding;
  for (Piece input : inputs) {
    piece.docs += input.docs;
    piece.newest = std::max(piece.newest, input.newest);
    input.state = State::kJoining;
    KARTEI_TRY(put(input));
  }
  return put(piece);
}

Status PostingWriter::join_small() {
  while (true) {
    KARTEI_ASSIGN(const auto all, pieces());
    std::vector<Piece> inputs;
    for (int level = 0; inputs.size() < kJoined && level < size_class(kSmallRows); ++level) {
      inputs.clear();
      for (const Piece& piece : all)
        if (piece.state == State::kLive && size_class(piece.docs) == level) inputs.push_back(piece);
    }
    if (inputs.size() < kJoined) return {};
    Piece joined;
    joined.number = next_number(all);
    for (const Piece& input : inputs) {
      joined.docs += input.docs;
      joined.newest = std::max(joined.newest, input.newest);
    }
    KARTEI_TRY(build(joined, inputs, SIZE_MAX));
    for (const Piece& input : inputs) {
      KARTEI_TRY(
          db_.run(std::string("DELETE FROM ") + table_of(kind_) + " WHERE id >= ? AND id < ?",
                  blob_id(input.number, 0), blob_id(input.number + 1, 0)));
      KARTEI_TRY(db_.run("DELETE FROM word_pieces WHERE kind = ? AND piece = ?",
                         static_cast<int>(kind_), input.number));
    }
  }
}

// True: something was dropped.
Result<bool> PostingWriter::drop_dead(const std::vector<Piece>& all) {
  for (const Piece& piece : all) {
    if (piece.state != State::kDead || piece.number == highest_number(all)) continue;
    KARTEI_TRY(db_.run(std::string("DELETE FROM ") + table_of(kind_) +
                           " WHERE id IN (SELECT id FROM " + table_of(kind_) +
                           " WHERE id >= ? AND id < ? ORDER BY id LIMIT ?)",
                       blob_id(piece.number, 0), blob_id(piece.number + 1, 0),
                       static_cast<std::int64_t>(kStepBlobs)));
    if (db_.changes() == 0) {
      KARTEI_TRY(db_.run("DELETE FROM word_pieces WHERE kind = ? AND piece = ?",
                         static_cast<int>(kind_), piece.number));
    }
    return true;
  }
  return false;
}

// All pieces become one when the largest is not most of them any more, so that each row is written
// again a few times only; in between those beside the largest become one when they are many.
Result<bool> PostingWriter::join_step() {
  KARTEI_ASSIGN(const auto all, pieces());
  KARTEI_ASSIGN(const bool dropped, drop_dead(all));
  if (dropped) return true;
  std::vector<Piece> live, joining;
  for (const Piece& piece : all) {
    if (piece.state == State::kLive) live.push_back(piece);
    if (piece.state == State::kJoining) joining.push_back(piece);
  }
  for (Piece piece : all) {
    if (piece.state != State::kBuilding) continue;
    KARTEI_TRY(build(piece, joining, kStepBlobs));
    return true;
  }
  if (live.size() < 2) return false;
  const auto largest = std::max_element(
      live.begin(), live.end(), [](const Piece& a, const Piece& b) { return a.docs < b.docs; });
  std::uint64_t others = 0;
  for (const Piece& piece : live) others += piece.docs;
  others -= largest->docs;
  if (others < largest->docs / 4) {
    if (live.size() <= kJoined) return false;
    live.erase(largest);
  }
  KARTEI_TRY(begin_join(live, all));
  return true;
}

Result<std::size_t> PostingWriter::damaged() {
  std::size_t wrong = 0;
  Query query = db_.query(std::string("SELECT data FROM ") + table_of(kind_));
  while (query.next()) {
    const ByteView blob = query.blob(0);
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < kSumBytes && i < blob.size(); ++i)
      sum |= std::uint32_t{blob[i]} << 8 * i;
    if (blob.size() < kSumBytes || sum != sum_of(blob.subspan(kSumBytes))) ++wrong;
  }
  KARTEI_TRY(query.status());
  return wrong;
}

}  // namespace kartei::store
