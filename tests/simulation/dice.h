// The simulator's own randomness: small, fast, the same everywhere. Every part of the simulator has
// dice of its own, so that a change in one part does not shift the others.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kartei::sim {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  Dice(std::uint64_t seed, std::string_view purpose) : state_(seed * 0x9e3779b97f4a7c15ull + 1) {
    for (const char c : purpose)
      state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    next();
  }

  // splitmix64
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ull;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  // 0 to n-1; 0 if n is 0.
  std::uint64_t below(std::uint64_t n) { return n == 0 ? 0 : next() % n; }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low + 1)));
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  double uniform(double low, double high) { return low + (high - low) * unit(); }
  bool chance(double p) { return unit() < p; }
  // Waiting time with this mean.
  std::int64_t wait(double mean_ms) {
    return static_cast<std::int64_t>(-mean_ms * std::log1p(-unit()));
  }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(below(from.size()))];
  }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i)
      std::swap(items[i - 1], items[static_cast<std::size_t>(below(i))]);
  }
  std::size_t weighted(const std::vector<double>& weights) {
    double sum = 0;
    for (const double w : weights) sum += w;
    double at = unit() * sum;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      at -= weights[i];
      if (at < 0) return i;
    }
    return weights.size() - 1;
  }
  std::array<std::uint8_t, 16> id() {
    std::array<std::uint8_t, 16> out{};
    for (std::size_t half = 0; half < 2; ++half) {
      const std::uint64_t word = next();
      for (std::size_t i = 0; i < 8; ++i)
        out[half * 8 + i] = static_cast<std::uint8_t>(word >> (8 * i));
    }
    return out;
  }

 private:
  std::uint64_t state_;
};

}  // namespace kartei::sim
