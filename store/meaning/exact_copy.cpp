#include "store/meaning/exact_copy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace kartei::store {

namespace {

constexpr std::size_t kScaleBytes = 4;

// Empty unless these are a scale and `dims` coordinates.
std::optional<float> read_scale(ByteView copy, std::size_t dims) {
  if (copy.size() != kScaleBytes + dims) return std::nullopt;
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < kScaleBytes; ++i) bits |= std::uint32_t{copy[i]} << (8 * i);
  const auto scale = std::bit_cast<float>(bits);
  if (!std::isfinite(scale) || scale < 0) return std::nullopt;
  return scale;
}

}  // namespace

Bytes to_int8(std::span<const float> vector) {
  Bytes copy(kScaleBytes + vector.size());
  float most = 0;
  for (const float v : vector) {
    if (!std::isfinite(v)) return copy;
    most = std::max(most, std::abs(v));
  }
  if (most <= 0) return copy;
  // Rounding turns the vector a little and shortens it. The scale gives its length along the
  // original back, not the largest coordinate: closer by a fifth in what is found.
  double squares = 0, along = 0;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    const double exact = vector[i];
    const double rounded = std::nearbyint(exact * 127 / most);
    squares += exact * exact;
    along += exact * rounded;
    copy[kScaleBytes + i] = static_cast<std::uint8_t>(static_cast<std::int8_t>(rounded));
  }
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(squares / along));
  for (std::size_t i = 0; i < kScaleBytes; ++i)
    copy[i] = static_cast<std::uint8_t>(bits >> (8 * i));
  return copy;
}

std::optional<std::vector<float>> from_int8(ByteView copy, std::size_t dims) {
  const auto scale = read_scale(copy, dims);
  if (!scale) return std::nullopt;
  std::vector<float> vector(dims);
  for (std::size_t i = 0; i < dims; ++i) {
    vector[i] = *scale * static_cast<float>(static_cast<std::int8_t>(copy[kScaleBytes + i]));
  }
  return vector;
}

std::optional<double> int8_dot(ByteView copy, std::span<const float> query) {
  const auto scale = read_scale(copy, query.size());
  if (!scale) return std::nullopt;
  const std::uint8_t* bytes = copy.data() + kScaleBytes;
  std::array<float, 8> lanes{};
  std::size_t i = 0;
  for (; i + lanes.size() <= query.size(); i += lanes.size()) {
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      lanes[lane] +=
          query[i + lane] * static_cast<float>(static_cast<std::int8_t>(bytes[i + lane]));
    }
  }
  for (; i < query.size(); ++i) {
    lanes[0] += query[i] * static_cast<float>(static_cast<std::int8_t>(bytes[i]));
  }
  double sum = 0;
  for (const float lane : lanes) sum += lane;
  return sum * *scale;
}

}  // namespace kartei::store
