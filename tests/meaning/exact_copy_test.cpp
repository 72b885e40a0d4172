#include "store/meaning/exact_copy.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/meaning/codes_support.h"

namespace kartei::store {
namespace {

TEST(ExactCopy, IsNearAndNotShorter) {
  for (const std::size_t dims : {1, 7, 8, 100, 256, 1536}) {
    VectorSource source(dims);
    const Vector vector = VectorSource::to_unit(source.any(dims));
    const Vector query = VectorSource::to_unit(source.any(dims));
    const Bytes copy = to_int8(vector);
    EXPECT_EQ(copy.size(), 4 + dims);
    const double exact = plain_dot(query, vector);
    EXPECT_NEAR(int8_dot(copy, query).value(), exact, .004) << dims;
    // Rounding must not make what is equal less close than one.
    EXPECT_NEAR(int8_dot(copy, vector).value(), 1, 1e-5) << dims;
  }
}

TEST(ExactCopy, CanBeReadBack) {
  VectorSource source(2);
  const Vector vector = source.any(50), query = source.any(50);
  const Bytes copy = to_int8(vector);
  const Vector back = from_int8(copy, 50).value();
  EXPECT_NEAR(int8_dot(copy, query).value(), plain_dot(query, back), 1e-3);
  EXPECT_EQ(to_int8(back), copy);
}

TEST(ExactCopy, ZeroAndWhatIsNotFinite) {
  Vector vector(8, 1);
  EXPECT_EQ(to_int8(Vector(8)), Bytes(12));
  vector[2] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(to_int8(vector), Bytes(12));
  vector[2] = std::nanf("");
  EXPECT_EQ(to_int8(vector), Bytes(12));
  EXPECT_EQ(int8_dot(Bytes(12), Vector(8, 1)), 0.0);
  const Vector huge(8, std::numeric_limits<float>::max());
  EXPECT_GT(int8_dot(to_int8(huge), Vector(8, 1)).value(), 1e38);
}

TEST(ExactCopy, WhatIsNoCopyGivesNothing) {
  const Bytes copy = to_int8(Vector(8, 1));
  const Vector query(8, 1);
  EXPECT_FALSE(int8_dot({}, query));
  EXPECT_FALSE(int8_dot(ByteView(copy).first(3), query));
  EXPECT_FALSE(int8_dot(ByteView(copy).first(11), query));
  EXPECT_FALSE(int8_dot(copy, Vector(9, 1)));
  EXPECT_FALSE(int8_dot(copy, Vector(7, 1)));
  EXPECT_FALSE(from_int8(copy, 9));
  for (const std::uint8_t top : {0x7f, 0xff, 0xbf}) {  // infinite, not a number, negative
    Bytes odd = copy;
    odd[2] = 0x80;
    odd[3] = top;
    EXPECT_FALSE(int8_dot(odd, query)) << int{top};
    EXPECT_FALSE(from_int8(odd, 8)) << int{top};
  }
}

}  // namespace
}  // namespace kartei::store
