#include "store/records.h"

#include <algorithm>

#include "store/sql.h"

namespace kartei::store {

namespace {

// A record's row: its feed's number here, and its seq. Records of a feed lie side by side.
constexpr int kSeqBits = 40;
constexpr std::uint64_t kSeqMax = (std::uint64_t{1} << kSeqBits) - 1;

std::int64_t place_of(std::int64_t feed, std::uint64_t seq) {
  return feed << kSeqBits | static_cast<std::int64_t>(seq);
}

struct Feed {
  std::int64_t number_here = 0;  // 0: not known
  std::uint64_t start = 0, end = 0;
};

FeedId read_feed_id(const Query& query, int first) {
  return {query.id<DeviceId>(first), static_cast<std::uint32_t>(query.integer(first + 1)),
          static_cast<std::uint64_t>(query.integer(first + 2))};
}

StoredRecord read_record(const Query& query, const FeedId& feed) {
  StoredRecord record;
  record.feed = feed;
  record.seq = static_cast<std::uint64_t>(query.integer(0)) & kSeqMax;
  const ByteView hash = query.blob(1);
  std::copy_n(hash.begin(), std::min(hash.size(), record.hash.size()), record.hash.begin());
  record.kind = static_cast<std::uint8_t>(query.integer(2));
  record.bytes = to_bytes(query.blob(3));
  return record;
}

Error no_such_record() {
  return not_found("No such record in the box");
}

}  // namespace

struct Records::Impl {
  explicit Impl(sqlite3* raw) : db(raw) {}
  Db db;

  Result<Feed> find(const FeedId& id) {
    Feed feed;
    Query query = db.query(
        "SELECT number_here, start, end FROM feeds WHERE device = ? AND number = ? AND tag = ?",
        id.device, id.number, id.tag);
    if (query.next()) {
      feed.number_here = query.integer(0);
      feed.start = static_cast<std::uint64_t>(query.integer(1));
      feed.end = static_cast<std::uint64_t>(query.integer(2));
    }
    KARTEI_TRY(query.status());
    return feed;
  }
  // Makes it where it is not there.
  Result<Feed> at_hand(const FeedId& id) {
    KARTEI_ASSIGN(Feed feed, find(id));
    if (feed.number_here != 0) return feed;
    KARTEI_TRY(db.run("INSERT INTO feeds(device, number, tag, start, end) VALUES(?, ?, ?, 0, 0)",
                      id.device, id.number, id.tag));
    return find(id);
  }
  Status set_range(const Feed& feed) {
    return db.run("UPDATE feeds SET start = ?, end = ? WHERE number_here = ?", feed.start, feed.end,
                  feed.number_here);
  }
};

Records::Records(sqlite3* db) : impl_(std::make_unique<Impl>(db)) {}
Records::~Records() = default;

Result<std::vector<FeedRange>> Records::feeds() {
  std::vector<FeedRange> feeds;
  Query query =
      impl_->db.query("SELECT device, number, tag, start, end FROM feeds ORDER BY 1, 2, 3");
  while (query.next()) {
    feeds.push_back({read_feed_id(query, 0), static_cast<std::uint64_t>(query.integer(3)),
                     static_cast<std::uint64_t>(query.integer(4))});
  }
  KARTEI_TRY(query.status());
  return feeds;
}

Status Records::append(const StoredRecord& record) {
  KARTEI_ASSIGN(Feed feed, impl_->at_hand(record.feed));
  if (record.seq != feed.end || record.seq >= kSeqMax) {
    return Error{Cause::kConflict,
                 "Record " + std::to_string(record.seq) +
                     " does not continue its feed, which ends at " + std::to_string(feed.end),
                 {}};
  }
  KARTEI_TRY(impl_->db.run("INSERT INTO records VALUES(?, ?, ?, ?)",
                           place_of(feed.number_here, record.seq), ByteView(record.hash),
                           int{record.kind}, record.bytes));
  feed.end = record.seq + 1;
  return impl_->set_range(feed);
}

Result<std::optional<StoredRecord>> Records::get(const FeedId& id, std::uint64_t seq) {
  std::optional<StoredRecord> record;
  if (seq >= kSeqMax) return record;
  KARTEI_ASSIGN(const Feed feed, impl_->find(id));
  Query query = impl_->db.query("SELECT place, hash, kind, bytes FROM records WHERE place = ?",
                                place_of(feed.number_here, seq));
  if (query.next()) record = read_record(query, id);
  KARTEI_TRY(query.status());
  return record;
}

Result<std::vector<StoredRecord>> Records::range(const FeedId& id, std::uint64_t from,
                                                 std::uint64_t to, std::size_t limit_bytes) {
  std::vector<StoredRecord> records;
  KARTEI_ASSIGN(const Feed feed, impl_->find(id));
  if (from >= to || from >= kSeqMax) return records;
  Query query = impl_->db.query(
      "SELECT place, hash, kind, bytes FROM records WHERE place >= ? AND place < ? ORDER BY place",
      place_of(feed.number_here, from), place_of(feed.number_here, std::min(to, kSeqMax)));
  std::size_t bytes = 0;
  while (query.next()) {
    const std::size_t size = query.blob(3).size();
    if (!records.empty() && bytes + size > limit_bytes) break;
    records.push_back(read_record(query, id));
    bytes += size;
  }
  KARTEI_TRY(query.status());
  return records;
}

Status Records::replace_bytes(const FeedId& id, std::uint64_t seq, ByteView bytes) {
  KARTEI_ASSIGN(const Feed feed, impl_->find(id));
  if (feed.number_here == 0 || seq < feed.start || seq >= feed.end) return no_such_record();
  return impl_->db.run("UPDATE records SET bytes = ? WHERE place = ?", bytes,
                       place_of(feed.number_here, seq));
}

Status Records::drop_before(const FeedId& id, std::uint64_t seq) {
  KARTEI_ASSIGN(Feed feed, impl_->find(id));
  if (seq <= feed.start) return {};
  if (feed.number_here == 0 || seq > feed.end) return no_such_record();
  KARTEI_TRY(impl_->db.run("DELETE FROM records WHERE place >= ? AND place < ?",
                           place_of(feed.number_here, feed.start),
                           place_of(feed.number_here, seq)));
  feed.start = seq;
  return impl_->set_range(feed);
}

Status Records::skip_to(const FeedId& id, std::uint64_t seq) {
  if (seq >= kSeqMax) return bad_input("A feed of that length", "seq");
  KARTEI_ASSIGN(Feed feed, impl_->at_hand(id));
  KARTEI_TRY(impl_->db.run("DELETE FROM records WHERE place >= ? AND place < ?",
                           place_of(feed.number_here, 0), place_of(feed.number_here + 1, 0)));
  feed.start = feed.end = seq;
  return impl_->set_range(feed);
}

Status Records::remove(const FeedId& id) {
  KARTEI_ASSIGN(Feed feed, impl_->find(id));
  if (feed.number_here == 0) return {};
  KARTEI_TRY(skip_to(id, feed.end));
  return impl_->db.run("DELETE FROM feeds WHERE number_here = ?", feed.number_here);
}

Status Records::remove_head(DeviceId device) {
  return impl_->db.run("DELETE FROM heads WHERE device = ?", device);
}

Status Records::put_head(DeviceId device, ByteView bytes) {
  return impl_->db.run(
      "INSERT INTO heads VALUES(?1, ?2) ON CONFLICT(device) DO UPDATE SET bytes = ?2", device,
      bytes);
}

Result<std::vector<std::pair<DeviceId, Bytes>>> Records::heads() {
  std::vector<std::pair<DeviceId, Bytes>> heads;
  Query query = impl_->db.query("SELECT device, bytes FROM heads ORDER BY device");
  while (query.next()) heads.emplace_back(query.id<DeviceId>(0), to_bytes(query.blob(1)));
  KARTEI_TRY(query.status());
  return heads;
}

}  // namespace kartei::store
