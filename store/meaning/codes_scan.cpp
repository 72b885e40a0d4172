// One pass over all codes: sums of table entries, chunk by chunk, made scores, the best of them
// kept.
#include <algorithm>
#include <cmath>

#include "store/meaning/codes.h"
#include "store/meaning/codes_impl.h"
#include "store/meaning/shared_scan.h"

namespace kartei::store {

namespace {

bool better(const Codes::Hit& a, const Codes::Hit& b) {
  return a.score != b.score ? a.score > b.score : a.key > b.key;
}

// The `count` best keys of those offered. What is offered waits unsorted until it is worth sorting.
class BestHits {
 public:
  explicit BestHits(std::size_t count) : count_(count), room_(2 * count + 64) {
    if (count == 0) least_ = std::numeric_limits<float>::infinity();
  }

  // What is below it need not be offered.
  float least() const { return least_; }
  void offer(std::int64_t key, float score) {
    hits_.push_back({key, score});
    if (hits_.size() >= room_) keep_best();
  }
  std::vector<Codes::Hit> finish() {
    keep_best();
    std::sort(hits_.begin(), hits_.end(), better);
    return std::move(hits_);
  }

 private:
  void keep_best() {
    std::sort(hits_.begin(), hits_.end(), [](const Codes::Hit& a, const Codes::Hit& b) {
      return a.key != b.key ? a.key < b.key : a.score > b.score;
    });
    const auto same_key = [](const Codes::Hit& a, const Codes::Hit& b) { return a.key == b.key; };
    hits_.erase(std::unique(hits_.begin(), hits_.end(), same_key), hits_.end());
    if (hits_.empty() || hits_.size() < count_) return;
    const auto last = hits_.begin() + static_cast<std::ptrdiff_t>(count_);
    std::nth_element(hits_.begin(), last - 1, hits_.end(), better);
    hits_.erase(last, hits_.end());
    least_ = hits_.back().score;
  }

  std::size_t count_, room_;
  float least_ = -std::numeric_limits<float>::infinity();
  std::vector<Codes::Hit> hits_;
};

class Scanner {
 public:
  Scanner(const QueryTables& query, std::size_t count, const CodeKernel& kernel)
      : query_(query), kernel_(kernel), best_(count) {}

  // At most a chunk: whole blocks, and as many scales and keys as they have vectors. Gives what
  // they add to the moments: by lane in float, so that it is fast, and the same in any order of
  // chunks.
  template <class Keys>
  ChunkMoments add(std::span<const CodeRow> rows, const std::uint16_t* scales, const Keys& keys) {
    kernel_.sum(rows, query_.tables, sums_.data());
    const std::size_t vectors = rows.size() / query_.tables.size() * kBlockVectors;
    BlockScores block;
    for (std::size_t at = 0; at < vectors; at += kBlockVectors) {
      kernel_.score(sums_.data() + at, scales + at, {query_.step, query_.bias, best_.least()},
                    block);
      if (block.any) choose(block, at, keys);
    }
    ChunkMoments moments;
    for (const float sum : block.sums) moments.sum += sum;
    for (const float square : block.squares) moments.squares += square;
    moments.count = block.counted;
    return moments;
  }
  std::vector<Codes::Hit> finish() { return best_.finish(); }

 private:
  template <class Keys>
  void choose(const BlockScores& block, std::size_t at, const Keys& keys) {
    for (std::size_t i = 0; i < kBlockVectors; ++i) {
      if (block.scores[i] < best_.least()) continue;
      const std::int64_t key = keys[at + i];
      if (key != Codes::kNoKey) best_.offer(key, block.scores[i]);
    }
  }

  const QueryTables& query_;
  const CodeKernel& kernel_;
  BestHits best_;
  std::array<std::uint16_t, Codes::kChunkVectors> sums_;
};

void add_moments(const std::vector<ChunkMoments>& chunks, Codes::Scan& scan) {
  double sum = 0, squares = 0, count = 0;
  for (const ChunkMoments& chunk : chunks) {
    sum += chunk.sum;
    squares += chunk.squares;
    count += chunk.count;
  }
  if (count == 0) return;
  scan.mean = sum / count;
  const double variance = squares / count - scan.mean * scan.mean;
  // What floats lost is no difference.
  if (variance > 1e-6 * squares / count) scan.deviation = std::sqrt(variance);
}

}  // namespace

Codes::SharedScan::SharedScan(const Codes& codes, const QueryTables& query, std::size_t count,
                              const CodeKernel& kernel)
    : query_(query),
      kernel_(kernel),
      code_bytes_(codes.quantiser_.code_bytes()),
      seen_(codes.view()),
      chunks_((seen_.full_blocks + kChunkBlocks - 1) / kChunkBlocks),
      // One more: the block that is being filled.
      moments_(chunks_ + 1) {
  const std::size_t all =
      seen_.full_blocks * kBlockVectors + (seen_.tail.empty() ? 0 : kBlockVectors);
  count_ = std::min(count, all);
}

void Codes::SharedScan::work() {
  Scanner scanner(query_, count_, kernel_);
  for (;;) {
    const std::size_t chunk = next_.fetch_add(1, std::memory_order_relaxed);
    if (chunk >= moments_.size()) break;
    if (chunk < chunks_) {
      const Chunk& part = *seen_.chunks[chunk].chunk;
      const std::size_t blocks = std::min(kChunkBlocks, seen_.full_blocks - chunk * kChunkBlocks);
      moments_[chunk] = scanner.add(std::span(part.rows).first(blocks * code_bytes_),
                                    part.scales.data(), part.keys);
    } else if (!seen_.tail.empty()) {
      moments_[chunk] = scanner.add(seen_.tail, seen_.tail_scales.data(), seen_.tail_keys);
    }
  }
  const std::vector<Hit> hits = scanner.finish();
  const std::lock_guard lock(mutex_);
  hits_.insert(hits_.end(), hits.begin(), hits.end());
}

Codes::Scan Codes::SharedScan::finish() {
  BestHits best(count_);
  for (const Hit& hit : hits_) best.offer(hit.key, hit.score);
  Scan scan;
  scan.hits = best.finish();
  add_moments(moments_, scan);
  return scan;
}

Codes::Scan Codes::scan(const QueryTables& query, std::size_t count,
                        const CodeKernel& kernel) const {
  SharedScan scan(*this, query, count, kernel);
  scan.work();
  return scan.finish();
}

}  // namespace kartei::store
