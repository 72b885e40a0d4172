#include "store/meaning/code_sums.h"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace kartei::store {

namespace {

void sum_portable(std::span<const CodeRow> rows, std::span<const CodeTable> tables,
                  std::uint16_t* sums) {
  for (; !rows.empty(); rows = rows.subspan(tables.size()), sums += kBlockVectors) {
    std::array<std::uint16_t, kBlockVectors> block{};
    for (std::size_t k = 0; k < tables.size(); ++k) {
      const CodeTable& table = tables[k];
      for (std::size_t i = 0; i < kBlockVectors; ++i) {
        const std::uint8_t code = rows[k].byte[i];
        block[i] =
            static_cast<std::uint16_t>(block[i] + table.low[code & 15] + table.high[code >> 4]);
      }
    }
    std::copy(block.begin(), block.end(), sums);
  }
}

// Plain loops of fixed length, which compilers turn into vector instructions; no product is fused
// with a sum, so that all forms give the same bits.
[[gnu::always_inline]] inline void score_block(const std::uint16_t* code_sums,
                                               const std::uint16_t* scales, const ScoreScale& scale,
                                               BlockScores& block) {
  const auto [step, bias, least] = scale;
  std::array<float, kBlockVectors> scores;  // of its own: nothing else may change it meanwhile
  for (std::size_t i = 0; i < kBlockVectors; ++i) {
    const float raw = static_cast<float>(code_sums[i]) * step + bias;
    scores[i] = raw * static_cast<float>(scales[i]);
  }
  block.scores = scores;
  for (std::size_t i = 0; i < kBlockVectors; ++i) {
    block.sums[i] += scores[i];
    block.squares[i] += scores[i] * scores[i];
  }
  std::uint16_t counted = 0;
  for (std::size_t i = 0; i < kBlockVectors; ++i)
    counted = static_cast<std::uint16_t>(counted + (scales[i] != 0 ? 1 : 0));
  block.counted += counted;
  int any = 0;
  for (std::size_t i = 0; i < kBlockVectors; ++i) any |= scores[i] >= least ? 1 : 0;
  block.any = any != 0;
}

void score_portable(const std::uint16_t* sums, const std::uint16_t* scales, const ScoreScale& scale,
                    BlockScores& block) {
  score_block(sums, scales, scale, block);
}

#if defined(__x86_64__)

#define KARTEI_AVX2 __attribute__((target("avx2")))

// Both entries of each byte of a row, added.
KARTEI_AVX2 inline __m256i look_up_avx2(const CodeRow& row, const CodeTable& table) {
  const __m256i nibble = _mm256_set1_epi8(15);
  const __m256i codes = _mm256_load_si256(reinterpret_cast<const __m256i*>(row.byte.data()));
  const auto* halves = reinterpret_cast<const __m128i*>(&table);
  const __m256i low = _mm256_broadcastsi128_si256(_mm_load_si128(halves));
  const __m256i high = _mm256_broadcastsi128_si256(_mm_load_si128(halves + 1));
  return _mm256_add_epi8(
      _mm256_shuffle_epi8(low, _mm256_and_si256(codes, nibble)),
      _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(codes, 4), nibble)));
}

// A page ahead, where the processor's own prefetching stops; no fault where nothing lies there.
inline void fetch_ahead(const CodeRow* row) {
  constexpr std::uintptr_t kAheadBytes = 4096;
  const std::uintptr_t there = reinterpret_cast<std::uintptr_t>(row) + kAheadBytes;
  _mm_prefetch(reinterpret_cast<const char*>(there), _MM_HINT_T0);
}

KARTEI_AVX2 void sum_avx2(std::span<const CodeRow> rows, std::span<const CodeTable> tables,
                          std::uint16_t* sums) {
  const CodeRow* row = rows.data();
  const CodeRow* end = row + rows.size();
  for (; row != end; row += tables.size(), sums += kBlockVectors) {
    // Of each 16 bits `both` sums even + 256 * odd byte, modulo 65,536, `odd` the odd byte alone.
    __m256i both = _mm256_setzero_si256(), odd = _mm256_setzero_si256();
    for (std::size_t k = 0; k < tables.size(); k += 2) {
      fetch_ahead(row + k);
      const __m256i four =
          _mm256_add_epi8(look_up_avx2(row[k], tables[k]), look_up_avx2(row[k + 1], tables[k + 1]));
      both = _mm256_add_epi16(both, four);
      odd = _mm256_add_epi16(odd, _mm256_srli_epi16(four, 8));
    }
    const __m256i even = _mm256_sub_epi16(both, _mm256_slli_epi16(odd, 8));
    const __m256i low = _mm256_unpacklo_epi16(even, odd), high = _mm256_unpackhi_epi16(even, odd);
    auto* out = reinterpret_cast<__m256i*>(sums);
    _mm256_storeu_si256(out, _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256(out + 1, _mm256_permute2x128_si256(low, high, 0x31));
  }
}

KARTEI_AVX2 void score_avx2(const std::uint16_t* sums, const std::uint16_t* scales,
                            const ScoreScale& scale, BlockScores& block) {
  score_block(sums, scales, scale, block);
}

#undef KARTEI_AVX2

#elif defined(__aarch64__)

// Both entries of each of 16 bytes, added.
inline uint8x16_t look_up_neon(const std::uint8_t* bytes, uint8x16_t low, uint8x16_t high) {
  const uint8x16_t codes = vld1q_u8(bytes);
  return vaddq_u8(vqtbl1q_u8(low, vandq_u8(codes, vdupq_n_u8(15))),
                  vqtbl1q_u8(high, vshrq_n_u8(codes, 4)));
}

void sum_neon(std::span<const CodeRow> rows, std::span<const CodeTable> tables,
              std::uint16_t* sums) {
  const CodeRow* row = rows.data();
  const CodeRow* end = row + rows.size();
  for (; row != end; row += tables.size(), sums += kBlockVectors) {
    uint16x8_t sum[4] = {vdupq_n_u16(0), vdupq_n_u16(0), vdupq_n_u16(0), vdupq_n_u16(0)};
    for (std::size_t k = 0; k < tables.size(); k += 2) {
      const uint8x16_t low = vld1q_u8(tables[k].low.data());
      const uint8x16_t high = vld1q_u8(tables[k].high.data());
      const uint8x16_t low2 = vld1q_u8(tables[k + 1].low.data());
      const uint8x16_t high2 = vld1q_u8(tables[k + 1].high.data());
      for (std::size_t half = 0; half < 2; ++half) {
        const uint8x16_t four =
            vaddq_u8(look_up_neon(row[k].byte.data() + 16 * half, low, high),
                     look_up_neon(row[k + 1].byte.data() + 16 * half, low2, high2));
        sum[2 * half] = vaddw_u8(sum[2 * half], vget_low_u8(four));
        sum[2 * half + 1] = vaddw_high_u8(sum[2 * half + 1], four);
      }
    }
    for (std::size_t i = 0; i < 4; ++i) vst1q_u16(sums + 8 * i, sum[i]);
  }
}

#endif

constexpr CodeKernel kCodeKernels[] = {
#if defined(__x86_64__)
    {"avx2", sum_avx2, score_avx2},
#elif defined(__aarch64__)
    {"neon", sum_neon, score_portable},
#endif
    {"portable", sum_portable, score_portable},
};

}  // namespace

std::span<const CodeKernel> code_kernels() {
  std::span<const CodeKernel> kernels = kCodeKernels;
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2")) kernels = kernels.subspan(1);
#endif
  return kernels;
}

}  // namespace kartei::store
