#include "crypto/cpace.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sodium.h>

#include "tests/crypto/vectors.h"

namespace kartei::crypto {
namespace {

Bytes concat(std::initializer_list<ByteView> parts) {
  Bytes all;
  for (ByteView part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// Length-prefixed concatenation, for parts under 128 bytes: written apart from the code under test.
Bytes lv_cat(std::initializer_list<ByteView> parts) {
  Bytes all;
  for (ByteView part : parts) {
    all.push_back(static_cast<std::uint8_t>(part.size()));
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

Bytes sha512(const Bytes& bytes) {
  Bytes digest(64);
  crypto_hash_sha512(digest.data(), bytes.data(), bytes.size());
  return digest;
}

// Makes Cpace draw exactly this scalar: 64 bytes that are already below the group's order.
ScriptedRandom drawing(const Bytes& scalar) {
  return ScriptedRandom(concat({scalar, Bytes(32)}));
}

boost::json::object vector_of_kind(std::string_view kind) {
  for (const auto& vector : vectors_of("cpace_ristretto255_sha512.json")) {
    if (std::string_view(vector.at("kind").as_string()) == kind) return vector.as_object();
  }
  throw std::logic_error("no such vector");
}

TEST(CpaceVectors, Generator) {
  const auto vector = vector_of_kind("calculate_generator");
  ScriptedRandom one = drawing(concat({hex("01"), Bytes(31)}));  // 1 times the generator
  const Cpace side(field(vector, "PRS"), field(vector, "sid"), field(vector, "CI"), {}, one);
  EXPECT_EQ(to_bytes(side.share()), field(vector, "encoded generator g"));
}

TEST(CpaceVectors, Protocol) {
  const auto vector = vector_of_kind("protocol");
  const Bytes code = field(vector, "PRS"), session = field(vector, "sid"),
              channel = field(vector, "CI"), ada = field(vector, "ADa"), adb = field(vector, "ADb");
  ScriptedRandom ya = drawing(field(vector, "ya")), yb = drawing(field(vector, "yb"));
  Cpace a(code, session, channel, ada, ya), b(code, session, channel, adb, yb);
  const Bytes share_a = to_bytes(a.share()), share_b = to_bytes(b.share());
  EXPECT_EQ(share_a, field(vector, "Ya"));
  EXPECT_EQ(share_b, field(vector, "Yb"));
  const Secret isk_a = a.finish(share_b, adb, true).value();
  const Secret isk_b = b.finish(share_a, ada, false).value();
  EXPECT_EQ(to_bytes(isk_a.view()), field(vector, "ISK_IR"));
  EXPECT_EQ(to_bytes(isk_b.view()), field(vector, "ISK_IR"));
}

TEST(CpaceVectors, ValidPoint) {
  const auto vector = vector_of_kind("scalar_mult_vfy_points");
  const auto& valid = vector.at("Valid").as_object();
  ScriptedRandom random = drawing(field(valid, "s"));
  Cpace side(hex("aa"), hex("bb"), hex("cc"), hex("dd"), random);
  const Bytes share = to_bytes(side.share()), other = field(valid, "X");
  const Secret isk = side.finish(other, hex("ee"), true).value();
  const Bytes expected = sha512(concat({lv_cat({as_bytes("CPaceRistretto255_ISK"), hex("bb"),
                                                field(valid, "G.scalar_mult_vfy(s,X)")}),
                                        lv_cat({share, hex("dd"), other, hex("ee")})}));
  EXPECT_EQ(to_bytes(isk.view()), expected);
}

TEST(CpaceVectors, InvalidPointsAbort) {
  const auto vector = vector_of_kind("scalar_mult_vfy_points");
  for (const char* name : {"Invalid Y1", "Invalid Y2"}) {
    ScriptedRandom random = drawing(field(vector.at("Valid").as_object(), "s"));
    Cpace side(hex("aa"), hex("bb"), hex("cc"), {}, random);
    const auto isk = side.finish(field(vector, name), {}, true);
    ASSERT_TRUE(isk.has_error()) << name;
    EXPECT_EQ(isk.error().cause, Cause::kCorrupt);
    // And the attempt is over, also for a valid share.
    const auto again = side.finish(field(vector.at("Valid").as_object(), "X"), {}, true);
    EXPECT_TRUE(again.has_error()) << name;
  }
}

// One run with possibly different views of the two sides.
struct Party {
  Bytes code = hex("313233"), session = hex("0102"), channel = hex("03"), ad = hex("04");
};

struct Outcome {
  Secret isk_a, isk_b;
  bool a_accepts = false, b_accepts = false;
};

Outcome run(const Party& a_view, const Party& b_view, std::uint64_t seed) {
  SeededRandom random(seed);
  Cpace a(a_view.code, a_view.session, a_view.channel, a_view.ad, random);
  Cpace b(b_view.code, b_view.session, b_view.channel, b_view.ad, random);
  Outcome outcome;
  const Bytes ya = to_bytes(a.share()), yb = to_bytes(b.share());
  outcome.isk_a = a.finish(yb, b_view.ad, true).value();
  outcome.isk_b = b.finish(ya, a_view.ad, false).value();
  const Bytes tag_a = cpace_confirmation(outcome.isk_a, a_view.session, ya, a_view.ad);
  const Bytes tag_b = cpace_confirmation(outcome.isk_b, b_view.session, yb, b_view.ad);
  outcome.a_accepts = cpace_confirms(outcome.isk_a, a_view.session, yb, b_view.ad, tag_b);
  outcome.b_accepts = cpace_confirms(outcome.isk_b, b_view.session, ya, a_view.ad, tag_a);
  return outcome;
}

bool keys_agree(const Outcome& outcome) {
  return equal_in_constant_time(outcome.isk_a.view(), outcome.isk_b.view());
}

RC_GTEST_PROP(CpaceProperty, TheSameCodeGivesTheSameConfirmedKey, ()) {
  Party party;
  party.code = *bytes_gen(200);
  party.session = *bytes_gen(200);
  party.channel = *bytes_gen(200);
  party.ad = *bytes_gen(200);
  const Outcome outcome = run(party, party, *rc::gen::arbitrary<std::uint64_t>());
  RC_ASSERT(keys_agree(outcome));
  RC_ASSERT(outcome.a_accepts && outcome.b_accepts);
}

RC_GTEST_PROP(CpaceProperty, AnyDifferenceGivesOtherKeysAndNoConfirmation, ()) {
  Party a;
  a.code = *bytes_gen(20);
  a.session = *bytes_gen(20);
  a.channel = *bytes_gen(20);
  Party b = a;
  Bytes* const parts[] = {&b.code, &b.session, &b.channel};
  Bytes* const part = parts[*rc::gen::inRange(0, 3)];
  const Bytes other = *bytes_gen(20);
  RC_PRE(other != *part);
  *part = other;
  const Outcome outcome = run(a, b, *rc::gen::arbitrary<std::uint64_t>());
  RC_ASSERT(!keys_agree(outcome));
  RC_ASSERT(!outcome.a_accepts && !outcome.b_accepts);
}

class CpaceRun : public testing::Test {
 protected:
  SeededRandom random_{6};
  Bytes code_ = hex("313233"), session_ = hex("01"), channel_ = hex("02"), ad_ = hex("03");
  Cpace a_{code_, session_, channel_, ad_, random_}, b_{code_, session_, channel_, ad_, random_};
};

TEST_F(CpaceRun, AlteredAdGivesAnotherKey) {
  const Bytes ya = to_bytes(a_.share()), yb = to_bytes(b_.share());
  const Secret isk_a = a_.finish(yb, hex("ff"), true).value();
  const Secret isk_b = b_.finish(ya, ad_, false).value();
  EXPECT_NE(to_hex(isk_a.view()), to_hex(isk_b.view()));
}

TEST_F(CpaceRun, BothAsInitiatorDisagree) {
  const Bytes ya = to_bytes(a_.share()), yb = to_bytes(b_.share());
  EXPECT_NE(to_hex(a_.finish(yb, ad_, true).value().view()),
            to_hex(b_.finish(ya, ad_, true).value().view()));
}

TEST_F(CpaceRun, AMirrorIsRefused) {
  const Bytes own = to_bytes(a_.share());
  EXPECT_TRUE(a_.finish(own, ad_, true).has_error());
}

TEST_F(CpaceRun, OneGuessAnObject) {
  const Bytes yb = to_bytes(b_.share());
  EXPECT_TRUE(a_.finish(yb, ad_, true).has_value());
  EXPECT_TRUE(a_.finish(yb, ad_, true).has_error());
}

TEST_F(CpaceRun, SharesThatAreNoSharesAbort) {
  const Bytes yb = to_bytes(b_.share());
  Bytes longer = yb;
  longer.push_back(0);
  // No encoding of a point: not 32 bytes, the identity, not reduced, negative, all ones.
  Bytes negative(32);
  negative[0] = 1;
  Bytes modulus(32, 0xff);
  modulus[0] = 0xed;
  modulus[31] = 0x7f;
  for (const Bytes& share : {Bytes(), Bytes(yb.begin(), yb.end() - 1), longer, Bytes(32), negative,
                             modulus, Bytes(32, 0xff)}) {
    Cpace side(code_, session_, channel_, ad_, random_);
    EXPECT_TRUE(side.finish(share, ad_, true).has_error()) << to_hex(share);
  }
}

TEST_F(CpaceRun, EveryRunHasAnotherShare) {
  EXPECT_NE(to_bytes(a_.share()), to_bytes(b_.share()));
}

TEST(CpaceConfirmation, IsTheDraftsMac) {
  const Secret isk{ByteView(Bytes(64, 5))};
  const Bytes session = hex("aabb"), share(32, 1), ad = hex("0203");
  const Bytes key = sha512(concat({as_bytes("CPaceMac"), session, isk.view()}));
  const Bytes text = lv_cat({share, ad});
  crypto_auth_hmacsha512_state state;
  crypto_auth_hmacsha512_init(&state, key.data(), key.size());
  crypto_auth_hmacsha512_update(&state, text.data(), text.size());
  Bytes expected(64);
  crypto_auth_hmacsha512_final(&state, expected.data());
  EXPECT_EQ(cpace_confirmation(isk, session, share, ad), expected);
  EXPECT_TRUE(cpace_confirms(isk, session, share, ad, expected));
  for (std::size_t bit = 0; bit < expected.size() * 8; ++bit) {
    ASSERT_FALSE(cpace_confirms(isk, session, share, ad, flipped(expected, bit)));
  }
  EXPECT_FALSE(cpace_confirms(isk, session, share, ad, {}));
  EXPECT_FALSE(cpace_confirms(isk, session, share, hex("0204"), expected));
}

TEST(CpaceConfirmation, LongPartsHaveTwoByteLengths) {  // LEB128
  const Secret isk{ByteView(Bytes(64, 5))};
  const Bytes ad(200, 7);
  const Bytes key = sha512(concat({as_bytes("CPaceMac"), isk.view()}));
  const Bytes text = concat({hex("00c801"), ad});
  crypto_auth_hmacsha512_state state;
  crypto_auth_hmacsha512_init(&state, key.data(), key.size());
  crypto_auth_hmacsha512_update(&state, text.data(), text.size());
  Bytes expected(64);
  crypto_auth_hmacsha512_final(&state, expected.data());
  EXPECT_EQ(cpace_confirmation(isk, {}, {}, ad), expected);
}

}  // namespace
}  // namespace kartei::crypto
