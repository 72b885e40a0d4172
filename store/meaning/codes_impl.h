// What codes*.cpp share: how chunks lie in memory.
#pragma once

#include "store/meaning/codes.h"

namespace kartei::store {

inline constexpr std::size_t kChunkBlocks = Codes::kChunkVectors / kBlockVectors;

struct Codes::Chunk {
  explicit Chunk(std::size_t code_bytes) : rows(kChunkBlocks * code_bytes) {
    for (auto& key : keys) key.store(kNoKey, std::memory_order_relaxed);
  }
  std::vector<CodeRow> rows;  // block behind block, each one row for each byte of a code
  std::array<std::uint16_t, kChunkVectors> scales{};
  std::array<std::atomic<std::int64_t>, kChunkVectors> keys;
};

// What a scan sees: the full blocks in place, and a copy of the block that is being filled.
struct Codes::View {
  std::vector<Chunk*> chunks;
  std::size_t full_blocks = 0;
  std::vector<CodeRow> tail;
  std::array<std::uint16_t, kBlockVectors> tail_scales{};
  std::array<std::int64_t, kBlockVectors> tail_keys;
};

}  // namespace kartei::store
