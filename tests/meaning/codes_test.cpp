// The index of codes: a scan is what PlainCodes says, with every kernel, while it grows; chunks.
#include "store/meaning/codes.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <atomic>
#include <set>
#include <thread>

#include "crypto/hash.h"
#include "store/meaning/exact_copy.h"
#include "tests/meaning/codes_support.h"

namespace kartei::store {
namespace {

struct Both {
  explicit Both(std::size_t dims) : codes(dims), plain(dims) {}
  void append(std::int64_t key, const Vector& vector) {
    codes.append(key, vector);
    plain.append(key, vector);
  }
  void expect_same(const Vector& query, std::size_t count) const {
    const Codes::Scan expected = plain.scan(query, count);
    std::vector<Codes::Scan> scans;
    for (const CodeKernel& kernel : code_kernels()) {
      SCOPED_TRACE(kernel.name);
      scans.push_back(codes.scan(query, count, kernel));
      expect_equal(scans.back(), expected);
      EXPECT_EQ(scans.back().mean, scans.front().mean);
      EXPECT_EQ(scans.back().deviation, scans.front().deviation);
      expect_same_scores(query, kernel);
    }
  }
  // Of single rows, asked for in any order and twice, and of some that are not there.
  void expect_same_scores(const Vector& query, const CodeKernel& kernel) const {
    std::vector<std::int64_t> keys = {Codes::kNoKey, 1'000'000'000, -1'000'000'000};
    std::vector<float> expected(3, -std::numeric_limits<float>::infinity());
    for (const Codes::Hit& hit : plain.scan(query, SIZE_MAX).hits) {
      for (const std::size_t times : {1, 2}) {
        if (times == 2 && hit.key % 3 != 0) continue;
        keys.push_back(hit.key);
        expected.push_back(hit.score);
      }
    }
    EXPECT_EQ(codes.scores(codes.tables(query), keys, kernel), expected);
  }
  Codes codes;
  PlainCodes plain;
};

TEST(Codes, AScanIsWhatItsDefinitionSays) {
  EXPECT_TRUE(rc::check([] {
    const auto dims = *rc::gen::element<std::size_t>(8, 24, 100, 256);
    const auto size = *rc::gen::element<std::size_t>(0, 1, 31, 32, 33, 64, 500, 1023, 1024, 1025);
    const auto keys = *rc::gen::element<std::size_t>(1, 3, 200, 100'000);
    VectorSource source(*rc::gen::arbitrary<std::uint64_t>());
    Both both(dims);
    const Vector query = source.any(dims);
    for (std::size_t i = 0; i < size; ++i) {
      const auto key = static_cast<std::int64_t>(source.below(keys)) - 100;
      // Some are equal, some zero.
      const std::size_t kind = source.below(10);
      both.append(key, kind == 0 ? Vector(dims) : kind == 1 ? query : source.any(dims));
    }
    const auto count = *rc::gen::element<std::size_t>(0, 1, 10, 100, 5000);
    both.expect_same(query, count);
    both.expect_same(Vector(dims), count);
    RC_ASSERT(!testing::Test::HasFailure());
  }));
}

TEST(Codes, AcrossChunksAndManyDims) {
  for (const auto& [dims, size] : {std::pair{13U, 2 * 1024 + 40}, {1536U, 1024 + 40}}) {
    VectorSource source(dims);
    Both both(dims);
    for (std::int64_t i = 0; i < size; ++i) both.append(i / 2, source.any(dims));
    EXPECT_EQ(both.codes.size(), static_cast<std::size_t>(size));
    EXPECT_EQ(both.codes.full_chunks(), static_cast<std::size_t>(size) / 1024);
    both.expect_same(source.any(dims), 20);
  }
}

// The worst order for the threshold: each one is better than all before.
TEST(Codes, BetterAndBetterOnes) {
  VectorSource source(3);
  Both both(16);
  const Vector query = source.any(16);
  for (int i = 0; i < 1500; ++i) {
    both.append(i, source.near(query, 10.0F / static_cast<float>(i + 1)));
  }
  both.expect_same(query, 7);
}

TEST(Codes, OfEqualsTheHigherKeyIsFirstAndKept) {
  Codes codes(8);
  const Vector vector{1, 2, 3, 4, 5, 6, 7, 8};
  for (const std::int64_t key : {5, 900, -3, 17}) codes.append(key, vector);
  for (std::int64_t key = 100; key < 800; ++key) codes.append(key, vector);
  const auto hits = codes.scan(vector, 2).hits;
  ASSERT_EQ(hits.size(), 2U);
  EXPECT_EQ(hits[0].key, 900);
  EXPECT_EQ(hits[1].key, 799);
}

TEST(Codes, ForgottenRowsAreNotFound) {
  VectorSource source(5);
  Both both(64);
  for (std::int64_t i = 0; i < 2500; ++i) both.append(i % 800, source.any(64));
  const Vector query = source.any(64);
  const std::int64_t best = both.codes.scan(query, 1).hits.at(0).key;
  const std::vector<std::int64_t> gone{799, best, 3, 3, 12'345};
  const auto changed = both.codes.forget(gone);
  for (const std::int64_t key : gone) both.plain.forget(key);
  EXPECT_EQ(changed, (std::vector<std::size_t>{0, 1}));
  both.expect_same(query, 2000);
  EXPECT_TRUE(both.codes.forget(gone).empty());
  EXPECT_TRUE(both.codes.forget({Codes::kNoKey}).empty());
  // A key may come again.
  both.append(best, query);
  both.expect_same(query, 2000);
  EXPECT_EQ(both.codes.scan(query, 1).hits.at(0).key, best);
}

TEST(Codes, MemoryIsBoundedByVectors) {
  Codes codes(256);
  EXPECT_LT(codes.memory_bytes(), 1000U);
  const Vector vector(256, 1);
  for (std::int64_t i = 0; i < 8 * 1024; ++i) codes.append(i, vector);
  EXPECT_LE(codes.memory_bytes(), 8 * 1024 * 75U);
  EXPECT_GE(codes.memory_bytes(), 8 * 1024 * 74U);
}

TEST(Codes, RefusesWhatIsADefect) {
  EXPECT_THROW(Codes(0), std::logic_error);
  Codes codes(8);
  EXPECT_THROW(codes.append(1, Vector(9)), std::logic_error);
  EXPECT_THROW(codes.append(Codes::kNoKey, Vector(8)), std::logic_error);
  EXPECT_THROW(codes.scan(Vector(7), 1), std::logic_error);
  EXPECT_EQ(codes.size(), 0U);
}

// Clusters of near neighbours; the best of the codes, scored again from their exact copies.
TEST(Codes, OverlapWithExactSearchAfterRescoring) {
  constexpr std::size_t kDims = 256, kSize = 3000, kQueries = 40, kTop = 10;
  VectorSource source(11);
  std::vector<Vector> centres, vectors;
  for (int i = 0; i < 60; ++i) centres.push_back(VectorSource::to_unit(source.any(kDims)));
  Codes codes(kDims);
  std::vector<Bytes> copies;
  for (std::size_t i = 0; i < kSize; ++i) {
    const float spread = .3F + static_cast<float>(source.below(1000)) / 500;
    vectors.push_back(source.near(centres[i % centres.size()], spread));
    codes.append(static_cast<std::int64_t>(i), vectors.back());
    copies.push_back(to_int8(vectors.back()));
  }
  const auto top_keys = [](std::vector<std::pair<double, std::size_t>> scored) {
    std::sort(scored.rbegin(), scored.rend());
    std::set<std::size_t> keys;
    for (std::size_t i = 0; i < kTop; ++i) keys.insert(scored[i].second);
    return keys;
  };
  std::size_t found = 0;
  for (std::size_t q = 0; q < kQueries; ++q) {
    const Vector query = source.near(centres[q % centres.size()], .8F);
    std::vector<std::pair<double, std::size_t>> exact, again;
    for (std::size_t i = 0; i < kSize; ++i) {
      exact.emplace_back(std::inner_product(query.begin(), query.end(), vectors[i].begin(), 0.0),
                         i);
    }
    for (const Codes::Hit& hit : codes.scan(query, 100).hits) {
      const auto at = static_cast<std::size_t>(hit.key);
      again.emplace_back(int8_dot(copies[at], query).value(), at);
    }
    const auto right = top_keys(exact);
    for (const std::size_t key : top_keys(again)) found += right.count(key);
  }
  EXPECT_GE(static_cast<double>(found), .99 * kQueries * kTop);
}

// Each scan sees a beginning of what is appended, whole and right.
TEST(Codes, ScansWhileItGrowsAndForgets) {
  constexpr std::size_t kDims = 32, kSize = 3000;
  VectorSource source(13);
  std::vector<Vector> vectors;
  for (std::size_t i = 0; i < kSize; ++i) vectors.push_back(source.any(kDims));
  const Vector query = source.any(kDims);
  PlainCodes plain(kDims);
  for (std::size_t i = 0; i < kSize; ++i) {
    plain.append(static_cast<std::int64_t>(i), vectors[i]);
  }
  std::map<std::int64_t, float> expected;
  for (const Codes::Hit& hit : plain.scan(query, kSize).hits) expected[hit.key] = hit.score;

  Codes codes(kDims);
  std::atomic<bool> done = false;
  std::atomic<std::size_t> wrong = 0;
  const auto keep_scanning = [&] {
    while (!done) {
      const std::size_t before = codes.size();
      const auto hits = codes.scan(query, kSize).hits;
      std::size_t even = 0;
      for (const Codes::Hit& hit : hits) {
        const auto at = expected.find(hit.key);
        if (at == expected.end() || at->second != hit.score) ++wrong;
        even += hit.key % 2 == 0;
      }
      if (even < before / 2) ++wrong;  // odd ones may be forgotten
    }
  };
  std::thread first(keep_scanning), second(keep_scanning);
  std::thread forgetter([&] {
    for (std::int64_t key = 1; !done; key = (key + 2) % 500) codes.forget({key});
  });
  for (std::size_t i = 0; i < kSize; ++i) codes.append(static_cast<std::int64_t>(i), vectors[i]);
  done = true;
  first.join();
  second.join();
  forgetter.join();
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(codes.size(), kSize);
}

class CodesChunk : public testing::Test {
 protected:
  static constexpr std::size_t kDims = 20;
  CodesChunk() {
    VectorSource source(17);
    for (std::int64_t i = 0; i < 1024 + 30; ++i) codes_.append(i / 2 - 40, source.any(kDims));
    query_ = source.any(kDims);
    stored_ = codes_.chunk(0).value();
  }
  static Bytes sealed_again(Bytes content) {
    content.resize(content.size() - sizeof(Hash32));
    const Hash32 hash = crypto::hash("kartei codes chunk", {content});
    content.insert(content.end(), hash.begin(), hash.end());
    return content;
  }
  static Cause refused(const Bytes& stored) {
    Codes codes(kDims);
    const Status status = codes.add_chunk(stored);
    EXPECT_TRUE(status.has_error());
    EXPECT_EQ(codes.size(), 0U);
    return status.has_error() ? status.error().cause : Cause::kInternal;
  }
  Codes codes_{kDims};
  Vector query_;
  Bytes stored_;
};

TEST_F(CodesChunk, GoesThereAndBack) {
  Codes back(kDims);
  ASSERT_TRUE(back.add_chunk(stored_).has_value());
  EXPECT_EQ(back.size(), 1024U);
  EXPECT_EQ(back.chunk(0).value(), stored_);
  VectorSource source(17);
  for (std::int64_t i = 0; i < 1024 + 30; ++i) {
    const Vector vector = source.any(kDims);
    if (i >= 1024) back.append(i / 2 - 40, vector);
  }
  const auto a = codes_.scan(query_, 1000), b = back.scan(query_, 1000);
  EXPECT_EQ(a.hits, b.hits);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.deviation, b.deviation);
}

TEST_F(CodesChunk, OnlyFullOnes) {
  EXPECT_EQ(codes_.chunk(1).error().cause, Cause::kNotFound);
  EXPECT_EQ(codes_.chunk(2).error().cause, Cause::kNotFound);
  EXPECT_EQ(codes_.add_chunk(stored_).error().cause, Cause::kConflict);
  EXPECT_EQ(codes_.size(), 1024U + 30);
}

TEST_F(CodesChunk, NothingOfForgottenVectorsIsStored) {
  // The 6th vector: row 3 with the key -37 has the vectors 6 and 7.
  codes_.forget({-37});
  Bytes again = codes_.chunk(0).value();
  const std::size_t code_bytes = 6, head = 12;
  for (std::size_t k = 0; k < code_bytes; ++k) EXPECT_EQ(again[head + k * 32 + 6], 0);
  const std::size_t scales = head + code_bytes * 1024;
  EXPECT_EQ(again[scales + 12] | again[scales + 13] | again[scales + 14] | again[scales + 15], 0);
  EXPECT_NE(again[scales + 16] | again[scales + 17], 0);
  Codes back(kDims);
  ASSERT_TRUE(back.add_chunk(again).has_value());
  for (const Codes::Hit& hit : back.scan(query_, 2000).hits) EXPECT_NE(hit.key, -37);
}

TEST_F(CodesChunk, DamageIsRefused) {
  for (std::size_t at = 0; at < stored_.size(); at += at < 64 ? 1 : 97) {
    Bytes damaged = stored_;
    damaged[at] ^= 4;
    EXPECT_EQ(refused(damaged), Cause::kCorrupt) << "byte " << at;
  }
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{31}, std::size_t{43}, std::size_t{44}, stored_.size() - 1}) {
    EXPECT_EQ(refused({stored_.begin(), stored_.begin() + static_cast<std::ptrdiff_t>(size)}),
              Cause::kCorrupt);
  }
  Bytes longer = stored_;
  longer.push_back(0);
  EXPECT_EQ(refused(longer), Cause::kCorrupt);
}

// What a defect wrote, with a checksum that is right.
TEST_F(CodesChunk, WhatDoesNotFitIsRefused) {
  Bytes newer = stored_;
  newer[0] = 2;
  EXPECT_EQ(refused(sealed_again(newer)), Cause::kVersion);
  Bytes dims = stored_;
  dims[4] = 24;
  EXPECT_EQ(refused(sealed_again(dims)), Cause::kCorrupt);
  Bytes count = stored_;
  count[8] = 1;
  EXPECT_EQ(refused(sealed_again(count)), Cause::kCorrupt);
  Bytes longer = stored_;
  longer.insert(longer.begin() + 12, 0);
  EXPECT_EQ(refused(sealed_again(longer)), Cause::kCorrupt);
}

}  // namespace
}  // namespace kartei::store
