#include "store/meaning/quantiser.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace kartei::store {

namespace {

struct Point {
  float x, y;
};

// The 16 points that stand best for two independent normal variables (Lloyd-Max in the plane: mean
// squared error .1076 a coordinate; 4 levels on each of two axes leave .1175).
constexpr std::array<Point, 16> kPlane = {{{0.0027F, -0.0049F},
                                           {0.8078F, 0.3752F},
                                           {-0.7278F, 0.5055F},
                                           {-0.0731F, -0.8931F},
                                           {0.0828F, 0.9502F},
                                           {-0.8635F, -0.4091F},
                                           {0.7903F, -0.5497F},
                                           {1.2918F, 1.3442F},
                                           {-1.0540F, 1.5344F},
                                           {-1.8071F, 0.4584F},
                                           {-0.8064F, -1.6865F},
                                           {0.5169F, -1.7971F},
                                           {1.8636F, 0.1550F},
                                           {-1.8127F, -0.8451F},
                                           {0.1615F, 1.9968F},
                                           {1.6523F, -1.1384F}}};

// Sums of entries are of 16 bits.
constexpr float kMaxSum = 65535;
// A vector's scale is in 16,384ths of what it would be, did its code meet it exactly.
constexpr double kScaleUnit = 16384, kMaxScale = 65535;

std::uint8_t nearest_point(float x, float y) {
  std::uint8_t best = 0;
  float best_gain = -1e30F;  // of <v, p> - |p|^2 / 2, which is largest where |v - p| is smallest
  for (std::uint8_t i = 0; i < kPlane.size(); ++i) {
    const Point p = kPlane[i];
    const float gain = x * p.x + y * p.y - (p.x * p.x + p.y * p.y) / 2;
    if (gain > best_gain) {
      best_gain = gain;
      best = i;
    }
  }
  return best;
}

// The values of one table, still exact.
struct PairValues {
  std::array<float, 16> value;
  float low, high;

  PairValues(float x, float y) {
    for (std::size_t i = 0; i < value.size(); ++i) value[i] = x * kPlane[i].x + y * kPlane[i].y;
    const auto [least, most] = std::minmax_element(value.begin(), value.end());
    low = *least;
    high = *most;
  }
  void quantise(float step, std::array<std::uint8_t, 16>& table) const {
    for (std::size_t i = 0; i < value.size(); ++i) {
      const int entry = static_cast<int>((value[i] - low) / step + 0.5F);
      table[i] = static_cast<std::uint8_t>(std::min(entry, kMaxTableEntry));
    }
  }
};

}  // namespace

Quantiser::Quantiser(std::size_t dims)
    : rotation_(dims == 0 || dims > kMaxDims ? throw std::logic_error("vectors of that many dims")
                                             : dims),
      // Two coordinates a nibble; an even number of bytes, as the sums want it.
      code_bytes_((dims + 7) / 8 * 2) {}

std::vector<float> Quantiser::rotated(std::span<const float> vector) const {
  if (vector.size() != dims()) throw std::logic_error("a vector of other dims");
  std::vector<float> unit(code_bytes_ * 4);
  double squares = 0;
  for (const float v : vector) squares += static_cast<double>(v) * v;
  if (!std::isfinite(squares) || squares <= 0) return unit;
  const double norm = std::sqrt(squares);
  for (std::size_t i = 0; i < vector.size(); ++i) unit[i] = static_cast<float>(vector[i] / norm);
  rotation_.apply(std::span(unit).first(dims()));
  return unit;
}

std::uint16_t Quantiser::encode(std::span<const float> vector, std::span<std::uint8_t> code) const {
  const std::vector<float> unit = rotated(vector);
  const auto spread = static_cast<float>(std::sqrt(static_cast<double>(dims())));
  double along = 0;  // <u, x^>: what renormalises
  for (std::size_t pair = 0; pair < unit.size() / 2; ++pair) {
    const float x = unit[2 * pair], y = unit[2 * pair + 1];
    const std::uint8_t point = nearest_point(x * spread, y * spread);
    if (pair % 2 == 0) {
      code[pair / 2] = point;
    } else {
      code[pair / 2] = static_cast<std::uint8_t>(code[pair / 2] | point << 4);
    }
    along += static_cast<double>(x) * kPlane[point].x + static_cast<double>(y) * kPlane[point].y;
  }
  // Each point was nearest, so `along` is positive unless there is no vector.
  if (along <= 0) return 0;
  const double scale = std::nearbyint(kScaleUnit * spread / along);
  return static_cast<std::uint16_t>(std::min(scale, kMaxScale));
}

QueryTables Quantiser::tables(std::span<const float> query) const {
  const std::vector<float> unit = rotated(query);
  std::vector<PairValues> pairs;
  pairs.reserve(unit.size() / 2);
  float widest = 0, widths = 0;
  double bias = 0;
  for (std::size_t pair = 0; pair < unit.size() / 2; ++pair) {
    pairs.emplace_back(unit[2 * pair], unit[2 * pair + 1]);
    const float width = pairs.back().high - pairs.back().low;
    widest = std::max(widest, width);
    widths += width;
    bias += pairs.back().low;
  }
  QueryTables made;
  made.tables.resize(code_bytes_);
  if (widest <= 0) return made;
  // The finest step with which no entry is above kMaxTableEntry and no sum above kMaxSum: rounding
  // adds less than one to each entry.
  const float step =
      std::max(widest / kMaxTableEntry, widths / (kMaxSum - static_cast<float>(pairs.size())));
  for (std::size_t k = 0; k < code_bytes_; ++k) {
    pairs[2 * k].quantise(step, made.tables[k].low);
    pairs[2 * k + 1].quantise(step, made.tables[k].high);
  }
  // Here the unit of the scales is taken out again.
  const double scale = 1 / (kScaleUnit * std::sqrt(static_cast<double>(dims())));
  made.step = static_cast<float>(step * scale);
  made.bias = static_cast<float>(bias * scale);
  return made;
}

}  // namespace kartei::store
