// What codes are made of: the rotation, the points of the plane, the tables of a query, the sums of
// table entries.
#include "store/meaning/quantiser.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

#include "tests/meaning/codes_support.h"

namespace kartei::store {
namespace {

TEST(Rotation, KeepsLengthsAndAngles) {
  for (const std::size_t dims : {1, 2, 3, 8, 100, 256, 384, 768, 1024, 1536, 3072}) {
    const Rotation rotation(dims);
    VectorSource source(dims);
    for (int i = 0; i < 10; ++i) {
      Vector a = source.any(dims), b = source.any(dims);
      const double aa = plain_dot(a, a), ab = plain_dot(a, b);
      rotation.apply(a);
      rotation.apply(b);
      EXPECT_NEAR(plain_dot(a, a), aa, 1e-4 * aa) << dims;
      EXPECT_NEAR(plain_dot(a, b), ab, 1e-4 * aa) << dims;
    }
  }
}

// Each axis is sent to as many coordinates as there are, and to none with much: whatever the model,
// no coordinate stands out.
TEST(Rotation, SpreadsEachAxisOverAllCoordinates) {
  for (const std::size_t dims : {64, 100, 256, 384, 768}) {
    const Rotation rotation(dims);
    for (std::size_t axis = 0; axis < dims; ++axis) {
      Vector vector(dims);
      vector[axis] = 1;
      rotation.apply(vector);
      float most = 0;
      for (const float v : vector) most = std::max(most, std::abs(v));
      EXPECT_LE(most, 5 / std::sqrt(static_cast<float>(dims))) << dims << ", axis " << axis;
    }
  }
}

TEST(Quantiser, TheSameBitsOnEveryMachine) {
  Vector vector(24);
  for (std::size_t i = 0; i < vector.size(); ++i) {
    vector[i] = static_cast<float>((i * 37) % 17) - 8;
  }
  const Quantiser quantiser(vector.size());
  Bytes code(quantiser.code_bytes());
  const std::uint16_t scale = quantiser.encode(vector, code);
  EXPECT_EQ(to_hex(code), "2f480466645d");
  EXPECT_EQ(scale, 19439);
}

TEST(Quantiser, ScoresAreNearlyCosines) {
  for (const std::size_t dims : {64, 256, 384, 1536}) {
    VectorSource source(7);
    Codes codes(dims);
    const Vector query = VectorSource::to_unit(source.any(dims));
    std::vector<double> exact;
    for (std::int64_t key = 0; key < 500; ++key) {
      const Vector vector = source.near(query, static_cast<float>(key % 10));
      exact.push_back(plain_dot(query, vector));
      codes.append(key, vector);
    }
    double bias = 0, squares = 0;
    for (const Codes::Hit& hit : codes.scan(query, 500).hits) {
      const double error = hit.score - exact[static_cast<std::size_t>(hit.key)];
      bias += error / 500;
      squares += error * error / 500;
    }
    // .35 is the tangent of the angle by which codes of 2 bits miss.
    EXPECT_LE(std::sqrt(squares), .37 / std::sqrt(static_cast<double>(dims))) << dims;
    EXPECT_NEAR(bias, 0, .12 / std::sqrt(static_cast<double>(dims))) << dims;
  }
}

TEST(Quantiser, WhatIsNoDirectionScoresZero) {
  const Quantiser quantiser(8);
  Bytes code(quantiser.code_bytes());
  EXPECT_EQ(quantiser.encode(Vector(8), code), 0);
  for (const float odd : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
    Vector vector(8, 1);
    vector[3] = odd;
    EXPECT_EQ(quantiser.encode(vector, code), 0);
    const QueryTables tables = quantiser.tables(vector);
    EXPECT_EQ(tables.step, 0);
    EXPECT_EQ(tables.bias, 0);
  }
  EXPECT_NE(quantiser.encode(Vector(8, std::numeric_limits<float>::max()), code), 0);
  EXPECT_NE(quantiser.encode(Vector(8, std::numeric_limits<float>::denorm_min()), code), 0);
}

TEST(Quantiser, RefusesOtherDims) {
  EXPECT_THROW(Quantiser(0), std::logic_error);
  EXPECT_THROW(Quantiser(Quantiser::kMaxDims + 1), std::logic_error);
  const Quantiser quantiser(8);
  Bytes code(quantiser.code_bytes());
  EXPECT_THROW(quantiser.encode(Vector(7), code), std::logic_error);
  EXPECT_THROW(quantiser.tables(Vector(9)), std::logic_error);
}

int largest_sum(const QueryTables& made) {
  int sum = 0;
  for (const CodeTable& table : made.tables) {
    sum += *std::max_element(table.low.begin(), table.low.end());
    sum += *std::max_element(table.high.begin(), table.high.end());
  }
  return sum;
}

TEST(Quantiser, TablesUseTheirRangeAndNeverOverflow) {
  for (const std::size_t dims : {1, 8, 255, 256, 1024, 3072, 4096}) {
    const Quantiser quantiser(dims);
    VectorSource source(dims);
    // Evenly large coordinates after the rotation are the worst case: a spike before it.
    Vector spike(dims);
    spike[dims / 2] = 1;
    for (const Vector& query : {source.any(dims), spike}) {
      const QueryTables made = quantiser.tables(query);
      EXPECT_LT(largest_sum(made), 65536) << dims;
      int most = 0;
      for (const CodeTable& table : made.tables) {
        for (const std::uint8_t entry : table.low) most = std::max<int>(most, entry);
        for (const std::uint8_t entry : table.high) most = std::max<int>(most, entry);
      }
      EXPECT_LE(most, kMaxTableEntry);
      EXPECT_GE(most, dims <= 1024 ? kMaxTableEntry : 20) << dims;
    }
  }
}

// Entries as large as the contract of the sums allows, so that a carry or a saturation would show.
TEST(CodeSums, EveryFormGivesTheSameSums) {
  EXPECT_TRUE(rc::check([] {
    const auto code_bytes = 2 * *rc::gen::inRange<std::size_t>(1, 400);
    const auto blocks = *rc::gen::inRange<std::size_t>(1, 4);
    VectorSource source(*rc::gen::arbitrary<std::uint64_t>());
    const std::size_t most = std::min<std::size_t>(kMaxTableEntry, 65535 / (2 * code_bytes));
    const bool full = *rc::gen::arbitrary<bool>();
    const auto entry = [&] {
      return static_cast<std::uint8_t>(full ? most : source.below(most + 1));
    };
    std::vector<CodeTable> tables(code_bytes);
    for (CodeTable& table : tables) {
      for (std::uint8_t& value : table.low) value = entry();
      for (std::uint8_t& value : table.high) value = entry();
    }
    std::vector<CodeRow> rows(blocks * code_bytes);
    for (CodeRow& row : rows) {
      for (std::uint8_t& byte : row.byte) byte = static_cast<std::uint8_t>(source.below(256));
    }
    std::vector<int> expected(blocks * kBlockVectors);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      for (std::size_t k = 0; k < code_bytes; ++k) {
        const std::uint8_t byte = rows[i / kBlockVectors * code_bytes + k].byte[i % kBlockVectors];
        expected[i] += tables[k].low[byte & 15] + tables[k].high[byte >> 4];
      }
    }
    for (const CodeKernel& kernel : code_kernels()) {
      std::vector<std::uint16_t> sums(expected.size());
      kernel.sum(rows, tables, sums.data());
      RC_ASSERT(std::vector<int>(sums.begin(), sums.end()) == expected);
    }
  }));
}

TEST(CodeSums, ThePortableFormIsAlwaysThere) {
  ASSERT_FALSE(code_kernels().empty());
  EXPECT_STREQ(code_kernels().back().name, "portable");
}

}  // namespace
}  // namespace kartei::store
