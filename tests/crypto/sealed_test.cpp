#include "crypto/sealed.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sodium.h>

#include <stdexcept>

#include "tests/crypto/support.h"

namespace kartei::crypto {
namespace {

Secret key_of(std::uint8_t byte) {
  return Secret(ByteView(Bytes(32, byte)));
}

// Seals any plain text, also one that seal() would never make.
Bytes seal_raw(const Secret& key, const Bytes& plain) {
  Bytes out(24 + plain.size() + 16);
  crypto_aead_xchacha20poly1305_ietf_encrypt(out.data() + 24, nullptr, plain.data(), plain.size(),
                                             nullptr, 0, nullptr, out.data(), key.view().data());
  return out;
}

TEST(Padme, KnownSizes) {
  const std::pair<std::size_t, std::size_t> kSizes[] = {
      {0, 256},     {1, 256},     {256, 256},     {257, 272},         {272, 272},
      {1000, 1024}, {4097, 4352}, {65537, 67584}, {1000000, 1015808}, {1 << 20, 1 << 20}};
  for (const auto& [size, padded] : kSizes) EXPECT_EQ(padme(size), padded) << size;
}

RC_GTEST_PROP(Padme, BoundsHold, ()) {
  const int bits = *rc::gen::inRange(0, 62);
  const std::size_t base = std::size_t{1} << bits;
  const std::size_t size = base + *rc::gen::inRange<std::size_t>(0, base);
  const std::size_t padded = padme(size);
  RC_ASSERT(padded >= size && padded >= 256u);
  if (size >= 256) RC_ASSERT((padded - size) * 100 <= size * 12);
  RC_ASSERT(padme(padded) == padded);
  RC_ASSERT(padme(size + 1) >= padded);
}

TEST(Padme, NeverWrapsAround) {
  const std::size_t most = std::numeric_limits<std::size_t>::max();
  EXPECT_GE(padme(most), most);
}

RC_GTEST_PROP(Sealed, OpensToWhatWasSealed, ()) {
  SeededRandom random(*rc::gen::arbitrary<std::uint64_t>());
  const Bytes ad = *bytes_gen(100), body = *bytes_gen(3000);
  const Bytes sealed = seal(key_of(1), ad, body, random);
  RC_ASSERT(sealed.size() == 24 + padme(4 + body.size()) + 16);
  const auto opened = open(key_of(1), ad, sealed);
  RC_ASSERT(opened.has_value());
  RC_ASSERT(*opened == body);
}

RC_GTEST_PROP(Sealed, AnyFlippedBitFails, ()) {
  SeededRandom random(*rc::gen::arbitrary<std::uint64_t>());
  const Bytes ad = *bytes_gen(40), body = *bytes_gen(600);
  const Bytes sealed = seal(key_of(1), ad, body, random);
  const auto bit = *rc::gen::inRange<std::size_t>(0, sealed.size() * 8);
  const auto opened = open(key_of(1), ad, flipped(sealed, bit));
  RC_ASSERT(opened.has_error());
  RC_ASSERT(opened.error().cause == Cause::kCorrupt);
}

TEST(Sealed, EverySingleFlippedBitFails) {
  SeededRandom random(1);
  const Bytes ad = hex("0102");
  const Bytes sealed = seal(key_of(1), ad, hex("68656c6c6f"), random);
  for (std::size_t bit = 0; bit < sealed.size() * 8; ++bit) {
    ASSERT_TRUE(open(key_of(1), ad, flipped(sealed, bit)).has_error()) << bit;
  }
}

TEST(Sealed, EveryOtherLengthFails) {
  SeededRandom random(1);
  const Bytes sealed = seal(key_of(1), {}, hex("68656c6c6f"), random);
  for (std::size_t size = 0; size < sealed.size(); ++size) {
    ASSERT_TRUE(open(key_of(1), {}, ByteView(sealed).first(size)).has_error()) << size;
  }
  Bytes longer = sealed;
  longer.push_back(0);
  EXPECT_TRUE(open(key_of(1), {}, longer).has_error());
}

RC_GTEST_PROP(Sealed, OtherAssociatedDataFails, ()) {
  SeededRandom random(*rc::gen::arbitrary<std::uint64_t>());
  const Bytes ad = *bytes_gen(40), other = *bytes_gen(40);
  RC_PRE(ad != other);
  const Bytes sealed = seal(key_of(1), ad, hex("aa"), random);
  RC_ASSERT(open(key_of(1), other, sealed).has_error());
}

TEST(Sealed, OtherKeyFailsAndNoncesDiffer) {
  SeededRandom random(1);
  const Bytes body = hex("aa");
  const Bytes first = seal(key_of(1), {}, body, random), second = seal(key_of(1), {}, body, random);
  EXPECT_TRUE(open(key_of(2), {}, first).has_error());
  EXPECT_NE(to_bytes(ByteView(first).first(24)), to_bytes(ByteView(second).first(24)));
  EXPECT_NE(first, second);
}

TEST(Sealed, SizesOfOneClassLookAlike) {
  SeededRandom random(1);
  EXPECT_EQ(seal(key_of(1), {}, Bytes(1), random).size(),
            seal(key_of(1), {}, Bytes(252), random).size());
  EXPECT_LT(seal(key_of(1), {}, Bytes(252), random).size(),
            seal(key_of(1), {}, Bytes(253), random).size());
}

TEST(Sealed, OnlyTheOneWellFormedPaddingOpens) {
  const Secret key = key_of(1);
  Bytes plain(256);
  plain[0] = 3;
  EXPECT_TRUE(open(key, {}, seal_raw(key, plain)).has_value());
  Bytes dirty = plain;
  dirty.back() = 1;
  EXPECT_TRUE(open(key, {}, seal_raw(key, dirty)).has_error());
  Bytes too_long = plain;
  too_long[1] = 1;  // length 259
  EXPECT_TRUE(open(key, {}, seal_raw(key, too_long)).has_error());
  Bytes all_of_it = plain;
  all_of_it[0] = 253;  // one more than fits behind the length
  EXPECT_TRUE(open(key, {}, seal_raw(key, all_of_it)).has_error());
  Bytes roomy = plain;
  roomy.resize(272);
  EXPECT_TRUE(open(key, {}, seal_raw(key, roomy)).has_error());
  Bytes huge = plain;
  huge[0] = huge[1] = huge[2] = huge[3] = 0xff;
  EXPECT_TRUE(open(key, {}, seal_raw(key, huge)).has_error());
}

TEST(Sealed, AKeyOfAnotherSizeIsADefect) {
  SeededRandom random(1);
  EXPECT_THROW(seal(Secret(31), {}, {}, random), std::logic_error);
  EXPECT_THROW((void)open(Secret(), {}, Bytes(500)), std::logic_error);
  EXPECT_THROW(seal_key(BoxKey{}, {}, Secret(16), random), std::logic_error);
}

class KeyBox : public testing::Test {
 protected:
  SeededRandom random_{5};
  Identity me_ = Identity::generate(random_), other_ = Identity::generate(random_);
  Bytes context_ = hex("c0ffee");
  Secret key_ = Secret::random(32, random_);
};

TEST_F(KeyBox, OpensForItsDeviceOnly) {
  const Bytes box = seal_key(me_.pub().box_key, context_, key_, random_);
  EXPECT_EQ(box.size(), 104u);
  const auto opened = open_key(me_, context_, box);
  ASSERT_TRUE(opened.has_value());
  EXPECT_EQ(to_hex(opened->view()), to_hex(key_.view()));
  EXPECT_TRUE(open_key(other_, context_, box).has_error());
  EXPECT_TRUE(open_key(me_, hex("c0ffef"), box).has_error());
  EXPECT_TRUE(open_key(me_, {}, box).has_error());
}

TEST_F(KeyBox, AnyAlteredBitOrLengthFails) {
  const Bytes box = seal_key(me_.pub().box_key, context_, key_, random_);
  // The top bit of an X25519 point is ignored by the curve; the key derivation must still see it.
  for (std::size_t bit = 0; bit < box.size() * 8; ++bit) {
    ASSERT_TRUE(open_key(me_, context_, flipped(box, bit)).has_error()) << bit;
  }
  for (std::size_t size = 0; size < box.size(); ++size) {
    ASSERT_TRUE(open_key(me_, context_, ByteView(box).first(size)).has_error()) << size;
  }
}

TEST_F(KeyBox, BoxesOfOneKeyDiffer) {
  EXPECT_NE(seal_key(me_.pub().box_key, context_, key_, random_),
            seal_key(me_.pub().box_key, context_, key_, random_));
}

TEST_F(KeyBox, LowOrderPointsGiveNoBox) {
  EXPECT_TRUE(seal_key(BoxKey{}, context_, key_, random_).empty());
  EXPECT_TRUE(seal_key(BoxKey{1}, context_, key_, random_).empty());
  EXPECT_TRUE(open_key(me_, context_, {}).has_error());
  EXPECT_TRUE(open_key(me_, context_, Bytes(104)).has_error());
}

}  // namespace
}  // namespace kartei::crypto
