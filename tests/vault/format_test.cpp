#include "crypto/vault/format.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <stdexcept>

#include "tests/vault/workload.h"

namespace kartei::vault {
namespace {

struct Sealed {
  Bytes cipher, nonce = Bytes(kNonceSize), tag = Bytes(kTagSize);
};

std::unique_ptr<Format> format_of(std::uint8_t key, std::uint8_t id) {
  DatabaseId database;
  database.fill(id);
  return make_format(vault_test::test_key(key), database,
                     std::make_shared<crypto::SeededRandom>(1));
}

Sealed seal(Format& format, const Place& place, const Bytes& plain) {
  Sealed sealed{Bytes(plain.size())};
  format.seal(place, plain, sealed.cipher.data(), sealed.nonce.data(), sealed.tag.data());
  return sealed;
}

std::optional<Bytes> open(const Format& format, const Place& place, const Sealed& sealed) {
  Bytes plain(sealed.cipher.size(), 0xee);
  if (format.open(place, sealed.cipher, sealed.nonce.data(), sealed.tag.data(), plain.data()))
    return plain;
  EXPECT_EQ(plain, Bytes(plain.size()));  // nothing of it is handed out
  return std::nullopt;
}

TEST(Format, OpensWhatItSealedInItsPlaceOnly) {
  EXPECT_TRUE(rc::check([] {
    const auto format = format_of(1, 1);
    const auto plain = *rc::gen::container<Bytes>(100, rc::gen::arbitrary<std::uint8_t>());
    const auto number = *rc::gen::arbitrary<std::uint64_t>();
    const Bytes clear{16, 0, 2, 2, 40, 64, 32, 32};
    const Place place{Part::kMainPage, number, clear};
    const Sealed sealed = seal(*format, place, plain);
    RC_ASSERT(open(*format, place, sealed) == plain);
    RC_ASSERT(sealed.cipher != plain);

    for (const Part part : {Part::kLogHeader, Part::kFrameHeader, Part::kLogPage})
      RC_ASSERT(!open(*format, {part, number, clear}, sealed));
    const auto bit = *rc::gen::inRange(0, 64);
    RC_ASSERT(!open(*format, {Part::kMainPage, number ^ std::uint64_t{1} << bit, clear}, sealed));
    Bytes other = clear;
    other[static_cast<std::size_t>(bit) % 8] ^= 1;
    RC_ASSERT(!open(*format, {Part::kMainPage, number, other}, sealed));
    RC_ASSERT(!open(*format_of(1, 2), place, sealed));
    RC_ASSERT(!open(*format_of(2, 1), place, sealed));
  }));
}

TEST(Format, EveryBitCounts) {
  const auto format = format_of(1, 1);
  const Place place{Part::kLogPage, 9};
  Sealed sealed = seal(*format, place, Bytes(24, 3));
  for (Bytes* part : {&sealed.cipher, &sealed.nonce, &sealed.tag}) {
    for (std::size_t bit = 0; bit < part->size() * 8; ++bit) {
      (*part)[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
      EXPECT_FALSE(open(*format, place, sealed));
      (*part)[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    }
  }
  EXPECT_TRUE(open(*format, place, sealed));
}

// A layout never changes: these bytes are on people's disks.
TEST(Format, StaysAsItIs) {
  const auto format = format_of(1, 1);
  const Sealed main = seal(*format, {Part::kMainPage, 2}, Bytes(8, 5));
  const Sealed log = seal(*format, {Part::kLogPage, 2}, Bytes(8, 5));
  EXPECT_EQ(to_hex(main.cipher) + to_hex(main.tag),
            "488a6dd42b09633faf4b2891d6c285df33507ba28c226d02");
  EXPECT_EQ(to_hex(log.cipher) + to_hex(log.tag),
            "c0f3fe38b840cc32e8b1709441c98ee0bc8477c1aa0437e4");
}

TEST(Format, RefusesAKeyOfAnotherSize) {
  EXPECT_THROW(make_format(crypto::Secret(Bytes(16, 1)), {}, nullptr), std::logic_error);
}

}  // namespace
}  // namespace kartei::vault
