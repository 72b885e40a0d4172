// The vectors of one box in memory, at 2 bits a coordinate: which rows are close to a query,
// nearly. The best of a scan are then to be scored again from their exact copies (exact_copy.h).
//
// Any thread, any number at once: appending and forgetting take turns under a lock, which scans
// only hold for a copy of at most 31 vectors. Memory that a scan reads never moves; it grows by
// 1,024 vectors at a time. Full chunks can be stored and added again; the rest is to be appended
// again from the exact copies. Owns everything; a vector of other dims is a defect of the caller
// (std::logic_error).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "crypto/bytes.h"
#include "crypto/result.h"
#include "store/meaning/large_pages.h"
#include "store/meaning/quantiser.h"

namespace kartei::store {

class Codes {
 public:
  static constexpr std::size_t kChunkVectors = 1024;
  // No key of a row; stands where a vector was forgotten.
  static constexpr std::int64_t kNoKey = std::numeric_limits<std::int64_t>::min();

  struct Hit {
    std::int64_t key;
    float score;  // nearly the cosine
    bool operator==(const Hit&) const = default;
  };
  struct Scan {
    std::vector<Hit> hits;  // the best first, of equals the higher key; each key once
    // Of the scores of all vectors but zero ones; forgotten ones count until their chunk is stored
    // and added again.
    double mean = 0, deviation = 0;
  };

  explicit Codes(std::size_t dims);  // 1 .. Quantiser::kMaxDims
  ~Codes();
  Codes(const Codes&) = delete;
  Codes& operator=(const Codes&) = delete;

  std::size_t dims() const { return quantiser_.dims(); }
  std::size_t size() const;  // vectors, forgotten ones included
  std::size_t memory_bytes() const;

  // Several vectors may have one key: the row counts as close as its closest vector. Only the
  // direction counts; one that is zero or not finite scores 0.
  void append(std::int64_t key, std::span<const float> vector);
  // What was appended under these keys until now is no longer found. One pass over all keys,
  // however many are forgotten. Returns the full chunks that are to be stored again.
  std::vector<std::size_t> forget(std::vector<std::int64_t> keys);

  // Those of these keys under which there is nothing, sorted. One pass over all keys.
  std::vector<std::int64_t> missing(std::vector<std::int64_t> keys) const;

  // What a query is scored with, for all codes of as many dims.
  QueryTables tables(std::span<const float> query) const { return quantiser_.tables(query); }
  // The `count` rows that are closest. The same on every machine and with every kernel.
  Scan scan(const QueryTables& query, std::size_t count,
            const CodeKernel& kernel = code_kernels().front()) const;
  Scan scan(std::span<const float> query, std::size_t count,
            const CodeKernel& kernel = code_kernels().front()) const {
    return scan(tables(query), count, kernel);
  }
  // A scan that several threads share: each takes chunks that nobody has taken.
  class SharedScan;

  // Of each key what a scan would say of it, in their order; -infinity where there is nothing
  // under it. A few hundred nanoseconds a key.
  std::vector<float> scores(const QueryTables& query, std::span<const std::int64_t> keys,
                            const CodeKernel& kernel = code_kernels().front()) const;

  std::size_t full_chunks() const { return size() / kChunkVectors; }
  // For storing; codes of forgotten vectors are blanked. kNotFound unless number < full_chunks().
  Result<Bytes> chunk(std::size_t number) const;
  // Appends a stored chunk. Refuses, with nothing changed: damage and other dims (kCorrupt), what a
  // newer Kartei made (kVersion), and any chunk behind one that isn't full (kConflict).
  Status add_chunk(ByteView stored);

 private:
  struct Chunk;
  struct View;
  View view() const;
  Chunk& room();                       // for the next vector; with the lock held
  std::unique_ptr<Chunk> new_chunk();  // with the lock held

  const Quantiser quantiser_;
  mutable std::mutex mutex_;
  // Guarded by mutex_, as is the block that isn't full; in full blocks only keys ever change.
  std::vector<std::unique_ptr<Chunk>> chunks_;
  LargePages memory_;
  std::size_t size_ = 0;
};

}  // namespace kartei::store
