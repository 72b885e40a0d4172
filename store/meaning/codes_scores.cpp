// Scores of single rows: their keys are looked up, the blocks in which they lie are summed.
#include <algorithm>

#include "store/meaning/codes.h"
#include "store/meaning/codes_impl.h"

namespace kartei::store {

namespace {

// Where to begin to look for the key among ascending ones; 0 where a blanked one is met, which
// tells nothing of its order. Where each row has one vector and none is missing, at the first look.
template <class Keys>
std::size_t lower_bound_of(const Keys& keys, std::size_t vectors, std::int64_t key) {
  const std::int64_t first = keys[0];
  const auto guess = static_cast<std::uint64_t>(key) - static_cast<std::uint64_t>(first);
  if (guess < vectors && keys[guess] == key && (guess == 0 || keys[guess - 1] < key)) return guess;
  std::size_t begin = 0, end = vectors;
  while (begin < end) {
    const std::size_t middle = (begin + end) / 2;
    const std::int64_t there = keys[middle];
    if (there == Codes::kNoKey) return 0;
    if (there < key) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

class KeyScores {
 public:
  KeyScores(const QueryTables& query, std::span<const std::int64_t> keys, const CodeKernel& kernel)
      : query_(query),
        kernel_(kernel),
        scores_(keys.size(), -std::numeric_limits<float>::infinity()) {
    wanted_.reserve(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (keys[i] != Codes::kNoKey) wanted_.emplace_back(keys[i], i);
    std::sort(wanted_.begin(), wanted_.end());
  }

  // Whole blocks; all of their keys are within `range`.
  template <class Keys>
  void add(std::span<const CodeRow> rows, const std::uint16_t* scales, const Keys& keys,
           std::pair<std::int64_t, std::int64_t> range, bool ascending) {
    const std::size_t vectors = rows.size() / query_.tables.size() * kBlockVectors;
    auto one = std::lower_bound(wanted_.begin(), wanted_.end(), Wanted{range.first, 0});
    for (; one != wanted_.end() && one->first <= range.second; ++one) {
      float& score = scores_[one->second];
      std::size_t i = ascending ? lower_bound_of(keys, vectors, one->first) : 0;
      for (; i < vectors; ++i) {
        const std::int64_t there = keys[i];
        if (ascending && there > one->first) break;
        if (there == one->first) score = std::max(score, score_at(rows, scales, i));
      }
    }
  }
  std::vector<float> finish() { return std::move(scores_); }

 private:
  using Wanted = std::pair<std::int64_t, std::size_t>;  // key, place

  // The block summed last is kept: neighbours lie in one.
  float score_at(std::span<const CodeRow> rows, const std::uint16_t* scales, std::size_t at) {
    const std::size_t size = query_.tables.size();
    const auto block = rows.subspan(at / kBlockVectors * size, size);
    if (block.data() != summed_) kernel_.sum(block, query_.tables, sums_.data());
    summed_ = block.data();
    const float raw = static_cast<float>(sums_[at % kBlockVectors]) * query_.step + query_.bias;
    return raw * static_cast<float>(scales[at]);
  }

  const QueryTables& query_;
  const CodeKernel& kernel_;
  std::vector<Wanted> wanted_;
  std::vector<float> scores_;
  const CodeRow* summed_ = nullptr;
  std::array<std::uint16_t, kBlockVectors> sums_{};
};

}  // namespace

std::vector<float> Codes::scores(const QueryTables& query, std::span<const std::int64_t> keys,
                                 const CodeKernel& kernel) const {
  const View seen = view();
  KeyScores scores(query, keys, kernel);
  for (std::size_t block = 0; block < seen.full_blocks; block += kChunkBlocks) {
    const View::Part& part = seen.chunks[block / kChunkBlocks];
    const std::size_t blocks = std::min(kChunkBlocks, seen.full_blocks - block);
    scores.add(std::span(part.chunk->rows).first(blocks * quantiser_.code_bytes()),
               part.chunk->scales.data(), part.chunk->keys, {part.least_key, part.most_key},
               part.ascending);
  }
  if (!seen.tail.empty())
    scores.add(seen.tail, seen.tail_scales.data(), seen.tail_keys,
               {kNoKey + 1, std::numeric_limits<std::int64_t>::max()}, false);
  return scores.finish();
}

}  // namespace kartei::store
