#include "crypto/keyring/keyring_file.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sodium.h>

#include "crypto/hash.h"
#include "tests/keyring/support.h"

namespace kartei::keyring {
namespace {

using crypto::Secret;
using crypto::SeededRandom;

KeyringContent some_content(std::uint64_t seed, unsigned backends = 7) {
  SeededRandom random(seed);
  const Secret data_key = Secret::random(kKeySize, random);
  KeyringContent content;
  content.key_id = key_id_of(data_key);
  for (const Backend backend : kBackends) {
    if ((backends >> (static_cast<unsigned>(backend) - 1) & 1) == 0) continue;
    Wrap wrap;
    wrap.backend = backend;
    random.fill(wrap.id);
    if (backend == Backend::kPassphrase) wrap.stretch = {3, 256 << 10};
    seal_wrap(wrap, data_key, Secret::random(kKeySize, random), random);
    content.put(wrap);
  }
  return content;
}

// The bytes with a checksum that fits, as somebody would write it who alters them on purpose.
Bytes resummed(Bytes bytes) {
  bytes.resize(bytes.size() - 32);
  const Hash32 sum = crypto::hash("kartei keyring file", {bytes});
  bytes.insert(bytes.end(), sum.begin(), sum.end());
  return bytes;
}

Cause cause_of(const Bytes& bytes) {
  const auto read = decode_keyring(bytes);
  return read ? Cause::kInternal : read.error().cause;
}

RC_GTEST_PROP(KeyringFile, comes_back_as_it_was, ()) {
  const auto backends = *rc::gen::inRange<unsigned>(1, 8);
  const KeyringContent content = some_content(*rc::gen::arbitrary<std::uint64_t>(), backends);
  const auto back = decode_keyring(encode_keyring(content));
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == content);
}

RC_GTEST_PROP(KeyringFile, any_bit_that_changes_is_noticed, ()) {
  const Bytes good = encode_keyring(some_content(4));
  const auto bit = *rc::gen::inRange<std::size_t>(0, good.size() * 8);
  RC_ASSERT(decode_keyring(crypto::flipped(good, bit)).has_error());
}

// Also with a checksum that fits there is one form of one content only.
RC_GTEST_PROP(KeyringFile, what_is_accepted_has_one_form, ()) {
  Bytes bytes = encode_keyring(some_content(4, *rc::gen::inRange<unsigned>(1, 8)));
  const auto bit = *rc::gen::inRange<std::size_t>(0, (bytes.size() - 32) * 8);
  bytes = resummed(crypto::flipped(std::move(bytes), bit));
  const auto read = decode_keyring(bytes);
  if (read) RC_ASSERT(encode_keyring(*read) == bytes);
}

TEST(KeyringFile, any_length_but_its_own_is_refused) {
  const Bytes good = encode_keyring(some_content(1));
  for (std::size_t size = 0; size < good.size(); ++size) {
    Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(cause_of(cut), Cause::kCorrupt) << size;
    if (size > 41) {
      EXPECT_EQ(cause_of(resummed(cut)), Cause::kCorrupt) << size;
    }
  }
  Bytes longer = good;
  longer.insert(longer.end() - 32, 0);
  EXPECT_EQ(cause_of(resummed(longer)), Cause::kCorrupt);
}

TEST(KeyringFile, a_newer_one_says_so) {
  Bytes bytes = encode_keyring(some_content(1));
  bytes[8] = 2;
  EXPECT_EQ(cause_of(bytes), Cause::kVersion);
  bytes[8] = 0;
  EXPECT_EQ(cause_of(bytes), Cause::kCorrupt);
}

TEST(KeyringFile, wraps_stand_once_and_in_order) {
  KeyringContent content = some_content(1);
  std::swap(content.wraps[0], content.wraps[1]);
  EXPECT_EQ(cause_of(encode_keyring(content)), Cause::kCorrupt);
  content = some_content(1);
  content.wraps[1] = content.wraps[0];
  EXPECT_EQ(cause_of(encode_keyring(content)), Cause::kCorrupt);
  content.wraps.clear();
  EXPECT_EQ(cause_of(encode_keyring(content)), Cause::kCorrupt);
}

TEST(KeyringFile, put_keeps_one_wrap_of_a_backend_and_the_order) {
  KeyringContent content = some_content(1, 6);
  const KeyringContent other = some_content(2, 7);
  content.put(other.wraps[2]);
  content.put(other.wraps[0]);
  ASSERT_EQ(content.wraps.size(), 3u);
  EXPECT_EQ(content.wraps[0], other.wraps[0]);
  EXPECT_EQ(content.wraps[2], other.wraps[2]);
  EXPECT_TRUE(decode_keyring(encode_keyring(content)));
}

// A file that somebody prepared must neither make guessing easy nor eat all memory or time.
TEST(KeyringFile, a_passphrase_costs_neither_too_little_nor_too_much) {
  for (const Stretch stretch : {Stretch{1, 65536}, Stretch{17, 65536}, Stretch{3, 65535},
                                Stretch{3, 262145}, Stretch{3, 0xffffffff}, Stretch{0, 0}}) {
    KeyringContent content = some_content(1);
    content.wraps[2].stretch = stretch;
    EXPECT_EQ(cause_of(encode_keyring(content)), Cause::kCorrupt)
        << stretch.passes << ' ' << stretch.memory_kib;
  }
  for (const Stretch stretch : {Stretch{2, 65536}, Stretch{16, 262144}}) {
    KeyringContent content = some_content(1);
    content.wraps[2].stretch = stretch;
    EXPECT_TRUE(decode_keyring(encode_keyring(content)));
  }
}

TEST(Wrap, opens_with_its_own_key_and_all_of_its_own_words_only) {
  SeededRandom random(5);
  const Secret data_key = Secret::random(kKeySize, random);
  const Secret key = Secret::random(kKeySize, random), other = Secret::random(kKeySize, random);
  Wrap wrap;
  wrap.backend = Backend::kPassphrase;
  wrap.stretch = {3, 65536};
  random.fill(wrap.id);
  seal_wrap(wrap, data_key, key, random);
  const KeyId id = key_id_of(data_key);
  ASSERT_TRUE(open_wrap(wrap, id, key));
  EXPECT_TRUE(same(*open_wrap(wrap, id, key), data_key));

  EXPECT_EQ(open_wrap(wrap, id, other).error().cause, Cause::kForbidden);
  EXPECT_FALSE(open_wrap(wrap, key_id_of(other), key));
  const auto changed = [&](auto change) {
    Wrap altered = wrap;
    change(altered);
    return open_wrap(altered, id, key).has_error();
  };
  EXPECT_TRUE(changed([](Wrap& w) { w.backend = Backend::kFile; }));
  EXPECT_TRUE(changed([](Wrap& w) { w.stretch.passes = 2; }));
  EXPECT_TRUE(changed([](Wrap& w) { w.stretch.memory_kib = 262144; }));
  EXPECT_TRUE(changed([](Wrap& w) { w.id[15] ^= 1; }));
  for (std::size_t i = 0; i < wrap.sealed.size(); ++i)
    EXPECT_TRUE(changed([i](Wrap& w) { w.sealed[i] ^= 0x10; })) << i;
}

// A wrap that opens, but whose data key is not the one of the keyring.
TEST(Wrap, does_not_give_another_data_key) {
  SeededRandom random(6);
  const Secret data_key = Secret::random(kKeySize, random);
  const Secret key = Secret::random(kKeySize, random), other = Secret::random(kKeySize, random);
  Wrap wrap;
  random.fill(wrap.id);
  seal_wrap(wrap, other, key, random);
  EXPECT_FALSE(open_wrap(wrap, key_id_of(data_key), key));
}

// A tag can be made to fit two keys; what stands in the associated data is then of the one only.
TEST(Wrap, does_not_give_a_data_key_that_only_its_tag_vouches_for) {
  SeededRandom random(7);
  const Secret said = Secret::random(kKeySize, random), held = Secret::random(kKeySize, random);
  const Secret key = Secret::random(kKeySize, random);
  Wrap wrap;
  random.fill(wrap.id);
  const KeyId id = key_id_of(said);
  const std::array<std::uint8_t, 9> numbers{static_cast<std::uint8_t>(wrap.backend)};
  const Hash32 ad = crypto::hash("kartei keyring wrap v1", {id, numbers, wrap.id});
  const auto seal = [&](const Secret& data_key) {
    crypto_aead_xchacha20poly1305_ietf_encrypt(
        wrap.sealed.data() + 24, nullptr, data_key.view().data(), kKeySize, ad.data(), ad.size(),
        nullptr, wrap.sealed.data(), key.view().data());
  };
  seal(said);
  ASSERT_TRUE(open_wrap(wrap, id, key));
  seal(held);
  EXPECT_FALSE(open_wrap(wrap, id, key));
}

}  // namespace
}  // namespace kartei::keyring
