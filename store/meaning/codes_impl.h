// What codes*.cpp share: how chunks lie in memory.
#pragma once

#include <algorithm>

#include "store/meaning/codes.h"

namespace kartei::store {

inline constexpr std::size_t kChunkBlocks = Codes::kChunkVectors / kBlockVectors;

struct Codes::Chunk {
  // `memory`: of kChunkBlocks * code_bytes rows.
  Chunk(CodeRow* memory, std::size_t code_bytes) : rows(memory, kChunkBlocks * code_bytes) {
    for (auto& key : keys) key.store(kNoKey, std::memory_order_relaxed);
  }
  const std::span<CodeRow> rows;  // block behind block, each one row for each byte of a code
  std::array<std::uint16_t, kChunkVectors> scales{};
  std::array<std::atomic<std::int64_t>, kChunkVectors> keys;
  // Guarded by the lock. Of all keys that were ever in it; whether each came behind the last.
  std::int64_t least_key = std::numeric_limits<std::int64_t>::max(), most_key = kNoKey;
  bool ascending = true;

  void note_key(std::int64_t key) {
    ascending = ascending && key >= most_key;
    least_key = std::min(least_key, key);
    most_key = std::max(most_key, key);
  }
};

// What a scan sees: the full blocks in place, and a copy of the block that is being filled.
struct Codes::View {
  struct Part {
    const Chunk* chunk;
    std::int64_t least_key, most_key;
    bool ascending;
  };
  std::vector<Part> chunks;
  std::size_t full_blocks = 0;
  std::vector<CodeRow> tail;
  std::array<std::uint16_t, kBlockVectors> tail_scales{};
  std::array<std::int64_t, kBlockVectors> tail_keys;
};

}  // namespace kartei::store
