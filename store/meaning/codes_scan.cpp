// One pass over all codes: sums of table entries, chunk by chunk, made scores, the best of them
// kept.
#include <algorithm>
#include <cmath>

#include "store/meaning/codes.h"
#include "store/meaning/codes_impl.h"

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

// Sums and sums of squares, by lane in float within a chunk, over the chunks in double: in a fixed
// order, and fast.
class Moments {
 public:
  using Lanes = std::array<float, kBlockVectors>;
  void add(const Lanes& sums, const Lanes& squares, std::size_t count) {
    for (const float sum : sums) sum_ += sum;
    for (const float square : squares) squares_ += square;
    count_ += count;
  }
  void finish(Codes::Scan& scan) const {
    if (count_ == 0) return;
    const auto n = static_cast<double>(count_);
    scan.mean = sum_ / n;
    const double variance = squares_ / n - scan.mean * scan.mean;
    // What floats lost is no difference.
    if (variance > 1e-6 * squares_ / n) scan.deviation = std::sqrt(variance);
  }

 private:
  double sum_ = 0, squares_ = 0;
  std::size_t count_ = 0;
};

class Scanner {
 public:
  Scanner(QueryTables query, std::size_t count, SumCodes sum_codes)
      : query_(std::move(query)), sum_codes_(sum_codes), best_(count) {}

  // At most a chunk: whole blocks, and as many scales and keys as they have vectors.
  template <class Keys>
  void add(std::span<const CodeRow> rows, const std::uint16_t* scales, const Keys& keys) {
    sum_codes_(rows, query_.tables, sums_.data());
    const std::size_t vectors = rows.size() / query_.tables.size() * kBlockVectors;
    Moments::Lanes sums{}, squares{};
    std::size_t counted = 0;
    for (std::size_t at = 0; at < vectors; at += kBlockVectors) {
      counted += score_block(sums_.data() + at, scales + at, sums, squares);
      choose(at, keys);
    }
    moments_.add(sums, squares, counted);
  }
  Codes::Scan finish() {
    Codes::Scan scan;
    moments_.finish(scan);
    scan.hits = best_.finish();
    return scan;
  }

 private:
  // Scores of 32 vectors; returns how many have one. Plain loops of fixed length: vectorised.
  std::size_t score_block(const std::uint16_t* code_sums, const std::uint16_t* scales,
                          Moments::Lanes& sums, Moments::Lanes& squares) {
    unsigned counted = 0;
    for (std::size_t i = 0; i < kBlockVectors; ++i) {
      const float raw = static_cast<float>(code_sums[i]) * query_.step + query_.bias;
      scores_[i] = raw * static_cast<float>(scales[i]);
    }
    for (std::size_t i = 0; i < kBlockVectors; ++i) {
      sums[i] += scores_[i];
      squares[i] += scores_[i] * scores_[i];
    }
    for (std::size_t i = 0; i < kBlockVectors; ++i) counted += scales[i] != 0;
    return counted;
  }

  template <class Keys>
  void choose(std::size_t at, const Keys& keys) {
    const float least = best_.least();
    int any = 0;
    for (std::size_t i = 0; i < kBlockVectors; ++i) any |= scores_[i] >= least ? 1 : 0;
    if (any == 0) return;
    for (std::size_t i = 0; i < kBlockVectors; ++i) {
      if (scores_[i] < best_.least()) continue;
      const std::int64_t key = keys[at + i];
      if (key != Codes::kNoKey) best_.offer(key, scores_[i]);
    }
  }

  QueryTables query_;
  SumCodes sum_codes_;
  BestHits best_;
  Moments moments_;
  std::array<std::uint16_t, Codes::kChunkVectors> sums_;
  std::array<float, kBlockVectors> scores_;
};

}  // namespace

Codes::Scan Codes::scan(std::span<const float> query, std::size_t count, SumCodes sum_codes) const {
  const View seen = view();
  const std::size_t all =
      seen.full_blocks * kBlockVectors + (seen.tail.empty() ? 0 : kBlockVectors);
  Scanner scanner(quantiser_.tables(query), std::min(count, all), sum_codes);
  for (std::size_t block = 0; block < seen.full_blocks; block += kChunkBlocks) {
    const Chunk& chunk = *seen.chunks[block / kChunkBlocks];
    const std::size_t blocks = std::min(kChunkBlocks, seen.full_blocks - block);
    scanner.add(std::span(chunk.rows).first(blocks * quantiser_.code_bytes()), chunk.scales.data(),
                chunk.keys);
  }
  if (!seen.tail.empty()) scanner.add(seen.tail, seen.tail_scales.data(), seen.tail_keys);
  return scanner.finish();
}

}  // namespace kartei::store
