// The inner loops of a scan: for 32 vectors at once, the sum of the table entries that their codes
// select, and what scores that makes. Three forms with equal results; the fastest that the machine
// can run is chosen when it runs.
//
// Pure functions: any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace kartei::store {

inline constexpr std::size_t kBlockVectors = 32;
// Four entries are added in a byte.
inline constexpr int kMaxTableEntry = 63;

// Byte k of 32 codes, side by side: a byte belongs to one vector, its nibbles to two tables.
struct alignas(32) CodeRow {
  std::array<std::uint8_t, kBlockVectors> byte{};
};

// What the 16 values of a byte's low nibble and of its high nibble are worth.
struct alignas(32) CodeTable {
  std::array<std::uint8_t, 16> low{}, high{};
};

// `rows` holds blocks of tables.size() rows (an even number), one block behind the other; `sums`
// has room for 32 a block. No entry is above kMaxTableEntry, and the largest entries of all tables
// sum up to less than 65,536.
using SumCodes = void (*)(std::span<const CodeRow> rows, std::span<const CodeTable> tables,
                          std::uint16_t* sums);

// Of 32 sums their scores, (bias + step * sum) * scale; what they add to the moments, lane by lane;
// how many have a scale; whether any is at least `least`.
struct BlockScores {
  std::array<float, kBlockVectors> scores{};
  std::array<float, kBlockVectors> sums{}, squares{};  // over all blocks so far
  std::uint32_t counted = 0;                           // over all blocks so far
  bool any = false;
};
struct ScoreScale {
  float step = 0, bias = 0, least = 0;
};
using ScoreSums = void (*)(const std::uint16_t* sums, const std::uint16_t* scales,
                           const ScoreScale& scale, BlockScores& block);

struct CodeKernel {
  const char* name;
  SumCodes sum;
  ScoreSums score;
};

// What this machine can run, the fastest first; the last is the portable form.
std::span<const CodeKernel> code_kernels();

}  // namespace kartei::store
