#include "store/meaning/row_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace kartei::store {
namespace {

constexpr std::size_t kGroupBytes = PackedModel::kGroup / 2;

// Vectors of the compiler: SSE2, NEON, or whatever it makes of them. A group is 4 words of 32 bits;
// bits 4k to 4k+3 of word i are the number of its dim 4k + i.
using Words4 = std::int32_t __attribute__((vector_size(16)));
using Floats4 = float __attribute__((vector_size(16)));

// f16. Infinities and NaN of a damaged file become large numbers.
float from_half(std::uint16_t half) {
  const std::uint32_t sign = half & 0x8000u, rest = half & 0x7FFFu;
  return std::bit_cast<float>(sign << 16 | rest << 13) * 0x1p112F;
}

// One group of dims over all pieces. The numbers are not shifted down but taken as they stand,
// times 16^k, which floats hold exactly; only the last one is, for its top bit is no sign.
void sum_group(const PackedModel& model, std::span<const std::uint32_t> pieces, std::size_t group,
               float* out) {
  Floats4 sums[8] = {};
  float offset = 0;  // numbers are stored 8 too high
  for (const std::uint32_t piece : pieces) {
    if (piece >= model.pieces) continue;
    const std::uint8_t* row = model.rows.data() + piece * model.row_size();
    Words4 words;
    std::uint16_t half;
    std::memcpy(&words, row + group * kGroupBytes, sizeof words);
    std::memcpy(&half, row + model.dims / 2 + group * sizeof half, sizeof half);
    const float scale = from_half(half);
    for (int k = 0; k < 7; ++k) {
      sums[k] += __builtin_convertvector(words & (15 << 4 * k), Floats4) * scale;
    }
    sums[7] += __builtin_convertvector((words >> 4) & (15 << 24), Floats4) * scale;
    offset += 8 * scale;
  }
  float unit = 1;
  for (int k = 0; k < 8; ++k) {
    sums[k] = sums[k] * unit - offset;
    if (k < 6) unit /= 16;
  }
  std::memcpy(out, sums, sizeof sums);
}

}  // namespace

void sum_rows(const PackedModel& model, std::span<const std::uint32_t> pieces, float* out) {
  for (std::size_t group = 0; group < model.dims / PackedModel::kGroup; ++group) {
    sum_group(model, pieces, group, out + group * PackedModel::kGroup);
  }
  float squares = 0;
  for (std::size_t i = 0; i < model.dims; ++i) squares += out[i] * out[i];
  if (!(squares > 0)) {
    std::fill_n(out, model.dims, 0.0F);
    return;
  }
  const float factor = 1 / std::sqrt(squares);
  for (std::size_t i = 0; i < model.dims; ++i) out[i] *= factor;
}

}  // namespace kartei::store
