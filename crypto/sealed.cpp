#include "crypto/sealed.h"

#include <sodium.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

#include "crypto/hash.h"
#include "crypto/numbers.h"
#include "crypto/sealed_secret.h"

namespace kartei::crypto {

namespace {

constexpr std::size_t kKeySize = crypto_aead_xchacha20poly1305_ietf_KEYBYTES;
constexpr std::size_t kNonceSize = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kTagSize = crypto_aead_xchacha20poly1305_ietf_ABYTES;
constexpr std::size_t kLengthSize = 4;
constexpr std::size_t kBoxPointSize = crypto_scalarmult_BYTES;
constexpr std::size_t kKeyBoxSize = kBoxPointSize + kKeySize + kSealedSecretMore;

void require_key(const Secret& key) {
  if (key.size() != kKeySize) throw std::logic_error("a sealing key must be 32 bytes");
}

void store_length(std::span<std::uint8_t> out, std::uint32_t length) {
  put_little_endian(out.data(), length, kLengthSize);
}

std::size_t load_length(ByteView bytes) {
  return little_endian_at(bytes.data(), kLengthSize);
}

// True iff the plain text is what seal() makes: one body has one form only.
bool well_formed(ByteView plain) {
  const std::size_t length = load_length(plain);
  if (length > plain.size() - kLengthSize) return false;
  if (padme(kLengthSize + length) != plain.size()) return false;
  const ByteView padding = plain.subspan(kLengthSize + length);
  return std::all_of(padding.begin(), padding.end(), [](std::uint8_t byte) { return byte == 0; });
}

// The key that both sides of a key box get; empty when `point` is of low order.
Secret key_box_key(const Secret& scalar, const BoxKey& point, ByteView ephemeral, ByteView to) {
  Secret shared(kBoxPointSize);
  if (crypto_scalarmult(shared.writable().data(), scalar.view().data(), point.data()) != 0) {
    return {};
  }
  return derive_key(shared, "kartei key box v1", {ephemeral, to});
}

}  // namespace

std::size_t padme(std::size_t size) {
  constexpr std::size_t kFloor = 256;
  if (size <= kFloor) return kFloor;
  const int exponent = std::bit_width(size) - 1;
  const int kept_bits = std::bit_width(static_cast<unsigned>(exponent));
  const std::size_t mask = (std::size_t{1} << (exponent - kept_bits)) - 1;
  if (size > std::numeric_limits<std::size_t>::max() - mask) return size;
  return (size + mask) & ~mask;
}

Bytes seal(const Secret& key32, ByteView ad, ByteView body, Random& random) {
  require_key(key32);
  if (body.size() > kSealedBodyMax) throw std::logic_error("a body to be sealed is too long");
  const std::size_t padded = padme(kLengthSize + body.size());
  Bytes out(kNonceSize + padded + kTagSize);
  const std::span<std::uint8_t> nonce(out.data(), kNonceSize);
  random.fill(nonce);
  std::uint8_t* text = out.data() + kNonceSize;  // encrypted where it stands
  store_length({text, kLengthSize}, static_cast<std::uint32_t>(body.size()));
  std::copy(body.begin(), body.end(), text + kLengthSize);
  crypto_aead_xchacha20poly1305_ietf_encrypt(text, nullptr, text, padded, ad.data(), ad.size(),
                                             nullptr, nonce.data(), key32.view().data());
  return out;
}

Result<Bytes> open(const Secret& key32, ByteView ad, ByteView sealed) {
  require_key(key32);
  if (sealed.size() < kNonceSize + padme(kLengthSize) + kTagSize) {
    return corrupt("a sealed part is too short");
  }
  const ByteView nonce = sealed.first(kNonceSize), text = sealed.subspan(kNonceSize);
  Bytes plain(text.size() - kTagSize);
  if (crypto_aead_xchacha20poly1305_ietf_decrypt(plain.data(), nullptr, nullptr, text.data(),
                                                 text.size(), ad.data(), ad.size(), nonce.data(),
                                                 key32.view().data()) != 0) {
    return corrupt("a sealed part does not verify");
  }
  if (!well_formed(plain)) return corrupt("a sealed part is padded wrongly");
  const std::size_t length = load_length(plain);
  plain.erase(plain.begin(), plain.begin() + kLengthSize);
  plain.resize(length);
  return plain;
}

Bytes seal_key(const BoxKey& to, ByteView context, const Secret& key32, Random& random) {
  require_key(key32);
  const Secret scalar = Secret::random(crypto_scalarmult_SCALARBYTES, random);
  Bytes out(kKeyBoxSize);
  std::uint8_t* const ephemeral = out.data();
  crypto_scalarmult_base(ephemeral, scalar.view().data());
  const Secret box_key = key_box_key(scalar, to, {ephemeral, kBoxPointSize}, to);
  if (box_key.empty()) return {};
  seal_secret(box_key, context, key32, random, std::span(out).subspan(kBoxPointSize));
  return out;
}

Result<Secret> open_key(const Identity& me, ByteView context, ByteView sealed) {
  if (sealed.size() != kKeyBoxSize) return corrupt("a key box has a wrong length");
  BoxKey ephemeral;
  std::copy_n(sealed.begin(), kBoxPointSize, ephemeral.begin());
  const Secret box_key = key_box_key(me.box_secret(), ephemeral, ephemeral, me.pub().box_key);
  if (box_key.empty()) return corrupt("a key box was made with an unusable key");
  Secret key = open_secret(box_key, context, sealed.subspan(kBoxPointSize));
  if (key.empty())
    return corrupt("a key box does not open: it is for another device or context, or altered");
  return key;
}

}  // namespace kartei::crypto
