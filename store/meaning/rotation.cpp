#include "store/meaning/rotation.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace kartei::store {

namespace {

// Changing either changes every code: a new version of the chunk's format.
constexpr std::uint64_t kRotationSeed = 0x4b61727465693031;
// A window that covers all coordinates needs one round; else they alternate between the two ends.
constexpr std::size_t kShiftedRounds = 4;

std::uint64_t next_random(std::uint64_t& state) {  // splitmix64
  state += 0x9e3779b97f4a7c15;
  std::uint64_t bits = state;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

void hadamard(std::span<float> window) {
  for (std::size_t half = 1; half < window.size(); half *= 2) {
    for (std::size_t start = 0; start < window.size(); start += 2 * half) {
      float* low = window.data() + start;
      float* high = low + half;
      for (std::size_t i = 0; i < half; ++i) {
        const float sum = low[i] + high[i];
        high[i] = low[i] - high[i];
        low[i] = sum;
      }
    }
  }
}

}  // namespace

Rotation::Rotation(std::size_t dims) : dims_(dims), window_(std::bit_floor(dims)) {
  const std::size_t rounds = window_ == dims ? 1 : kShiftedRounds;
  // The transform's factor 1/sqrt(window) rides on the signs.
  const auto unit = static_cast<float>(1 / std::sqrt(static_cast<double>(window_)));
  std::uint64_t state = kRotationSeed;
  signs_.reserve(rounds * window_);
  for (std::size_t i = 0; i < rounds * window_; ++i) {
    signs_.push_back((next_random(state) >> 63) != 0 ? -unit : unit);
  }
}

void Rotation::apply(std::span<float> vector) const {
  const std::size_t rounds = signs_.size() / window_;
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto window = vector.subspan(round % 2 == 0 ? 0 : dims_ - window_, window_);
    const float* signs = signs_.data() + round * window_;
    for (std::size_t i = 0; i < window_; ++i) window[i] *= signs[i];
    hadamard(window);
  }
}

}  // namespace kartei::store
