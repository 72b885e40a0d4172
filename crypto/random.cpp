#include "crypto/random.h"

#include <sodium.h>

#include <algorithm>
#include <array>

namespace kartei::crypto {

namespace {
std::array<std::uint8_t, 8> little_endian(std::uint64_t value) {
  std::array<std::uint8_t, 8> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
  return bytes;
}
}  // namespace

std::uint64_t Random::next_u64() {
  std::array<std::uint8_t, 8> bytes;
  fill(bytes);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    value |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
  }
  return value;
}

void SystemRandom::fill(std::span<std::uint8_t> out) {
  // libsodium takes no null, which an empty span may be.
  if (!out.empty()) randombytes_buf(out.data(), out.size());
}

SeededRandom::SeededRandom(std::uint64_t seed) : seed_(seed) {}

void SeededRandom::fill(std::span<std::uint8_t> out) {
  static_assert(crypto_stream_chacha20_NONCEBYTES == 8);
  std::array<std::uint8_t, crypto_stream_chacha20_KEYBYTES> key{};
  const auto seed = little_endian(seed_);
  std::copy(seed.begin(), seed.end(), key.begin());
  // One nonce a call: what a call yields depends on the seed and the number of calls before it.
  const auto nonce = little_endian(block_++);
  if (!out.empty()) crypto_stream_chacha20(out.data(), out.size(), nonce.data(), key.data());
}

bool init() {
  return sodium_init() >= 0;
}

}  // namespace kartei::crypto
