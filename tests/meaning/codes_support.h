// What the tests of the codes share: seeded vectors, and a scan that says plainly what a scan is.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "store/meaning/codes.h"

namespace kartei::store {

using Vector = std::vector<float>;

inline double plain_dot(const Vector& a, const Vector& b) {
  double sum = 0;
  const float *x = a.data(), *y = b.data();
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(x[i]) * y[i];
  return sum;
}

class VectorSource {
 public:
  explicit VectorSource(std::uint64_t seed) : random_(seed) {}

  Vector any(std::size_t dims) {
    std::normal_distribution<float> normal;
    Vector vector(dims);
    for (float& v : vector) v = normal(random_);
    return vector;
  }
  // A unit vector near `centre`: at spread 1 about as much noise as centre.
  Vector near(const Vector& centre, float spread) {
    Vector vector = any(centre.size());
    const float share = spread / std::sqrt(static_cast<float>(centre.size()));
    for (std::size_t i = 0; i < vector.size(); ++i) vector[i] = centre[i] + share * vector[i];
    return to_unit(std::move(vector));
  }
  static Vector to_unit(Vector vector) {
    double squares = 0;
    for (const float v : vector) squares += static_cast<double>(v) * v;
    for (float& v : vector) v = static_cast<float>(v / std::sqrt(squares));
    return vector;
  }
  std::size_t below(std::size_t end) { return random_() % end; }

 private:
  std::mt19937_64 random_;
};

// The definition of Codes::scan, without blocks, thresholds or byte shuffles.
class PlainCodes {
 public:
  explicit PlainCodes(std::size_t dims) : quantiser_(dims) {}

  void append(std::int64_t key, const Vector& vector) {
    One one{key, Bytes(quantiser_.code_bytes()), 0};
    one.scale = static_cast<float>(quantiser_.encode(vector, one.code));
    all_.push_back(one);
  }
  void forget(std::int64_t key) {
    for (One& one : all_) one.key = one.key == key ? Codes::kNoKey : one.key;
  }
  Codes::Scan scan(const Vector& query, std::size_t count) const {
    const QueryTables tables = quantiser_.tables(query);
    std::map<std::int64_t, float> best;
    double sum = 0, squares = 0, counted = 0;
    for (const One& one : all_) {
      const float score = score_of(one, tables);
      if (one.scale != 0) {
        sum += score;
        squares += static_cast<double>(score) * score;
        ++counted;
      }
      if (one.key == Codes::kNoKey) continue;
      const auto [at, added] = best.try_emplace(one.key, score);
      if (!added) at->second = std::max(at->second, score);
    }
    Codes::Scan scan;
    for (const auto& [key, score] : best) scan.hits.push_back({key, score});
    std::sort(scan.hits.begin(), scan.hits.end(), [](const Codes::Hit& a, const Codes::Hit& b) {
      return a.score != b.score ? a.score > b.score : a.key > b.key;
    });
    if (scan.hits.size() > count) scan.hits.resize(count);
    if (counted == 0) return scan;
    scan.mean = sum / counted;
    scan.deviation = std::sqrt(std::max(0.0, squares / counted - scan.mean * scan.mean));
    return scan;
  }

 private:
  struct One {
    std::int64_t key;
    Bytes code;
    float scale;
  };
  static float score_of(const One& one, const QueryTables& tables) {
    int sum = 0;
    for (std::size_t k = 0; k < one.code.size(); ++k) {
      sum += tables.tables[k].low[one.code[k] & 15] + tables.tables[k].high[one.code[k] >> 4];
    }
    float score = static_cast<float>(sum) * tables.step;
    score += tables.bias;
    score *= one.scale;
    return score;
  }

  Quantiser quantiser_;
  std::vector<One> all_;
};

inline void expect_equal(const Codes::Scan& a, const Codes::Scan& b) {
  EXPECT_EQ(a.hits.size(), b.hits.size());
  for (std::size_t i = 0; i < std::min(a.hits.size(), b.hits.size()); ++i) {
    ASSERT_EQ(a.hits[i].key, b.hits[i].key) << "at " << i;
    ASSERT_EQ(a.hits[i].score, b.hits[i].score) << "at " << i;
  }
  EXPECT_NEAR(a.mean, b.mean, 1e-5);
  EXPECT_NEAR(a.deviation * a.deviation, b.deviation * b.deviation, 2e-6 * (1 + b.mean * b.mean));
}

}  // namespace kartei::store
