#include "crypto/random.h"

#include <sodium.h>

#include <array>

#include "crypto/numbers.h"

namespace kartei::crypto {

std::uint64_t Random::next_u64() {
  std::array<std::uint8_t, 8> bytes;
  fill(bytes);
  return little_endian_at(bytes.data());
}

void SystemRandom::fill(std::span<std::uint8_t> out) {
  // libsodium takes no null, which an empty span may be.
  if (!out.empty()) randombytes_buf(out.data(), out.size());
}

SeededRandom::SeededRandom(std::uint64_t seed) : seed_(seed) {}

void SeededRandom::fill(std::span<std::uint8_t> out) {
  static_assert(crypto_stream_chacha20_NONCEBYTES == 8);
  std::array<std::uint8_t, crypto_stream_chacha20_KEYBYTES> key{};
  put_little_endian(key.data(), seed_);
  // One nonce a call: what a call yields depends on the seed and the number of calls before it.
  std::array<std::uint8_t, crypto_stream_chacha20_NONCEBYTES> nonce;
  put_little_endian(nonce.data(), block_++);
  if (!out.empty()) crypto_stream_chacha20(out.data(), out.size(), nonce.data(), key.data());
}

bool init() {
  return sodium_init() >= 0;
}

}  // namespace kartei::crypto
