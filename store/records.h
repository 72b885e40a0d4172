// The feeds' records as rows of the box: bytes with the few columns that the rules look up. Knows
// nothing of what the bytes mean. Part of the box's transactions; same thread rule.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "crypto/bytes.h"
#include "crypto/result.h"
#include "store/ids.h"

struct sqlite3;

namespace kartei::store {

struct StoredRecord {
  FeedId feed;
  std::uint64_t seq = 0;
  Hash32 hash{};
  std::uint8_t kind = 0;  // sync/record.h's RecordKind
  Bytes bytes;            // the record as sent
};

struct FeedRange {
  FeedId feed;
  std::uint64_t start = 0;  // first seq still held
  std::uint64_t end = 0;    // one past the last
};

class Records {
 public:
  explicit Records(sqlite3* db);
  ~Records();

  Result<std::vector<FeedRange>> feeds();
  // `record.seq` must be the feed's end (0, or the start set by `skip_to`, for a new one).
  Status append(const StoredRecord& record);
  Result<std::optional<StoredRecord>> get(const FeedId& feed, std::uint64_t seq);
  // [from, to), at most `limit_bytes` of record bytes but at least one record if there is one.
  Result<std::vector<StoredRecord>> range(const FeedId& feed, std::uint64_t from, std::uint64_t to,
                                          std::size_t limit_bytes);
  Status replace_bytes(const FeedId& feed, std::uint64_t seq, ByteView bytes);  // purged parts
  Status drop_before(const FeedId& feed, std::uint64_t seq);                    // start = seq
  Status skip_to(const FeedId& feed, std::uint64_t seq);  // drop all, start = end = seq
  Status remove(const FeedId& feed);                      // as if it had never been heard of
  // Newest head of each device, as sent.
  Status put_head(DeviceId device, ByteView bytes);
  Status remove_head(DeviceId device);
  Result<std::vector<std::pair<DeviceId, Bytes>>> heads();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kartei::store
