#include "crypto/noise_symmetric.h"

#include <sodium.h>

#include <algorithm>

#include "crypto/numbers.h"

namespace kartei::crypto::noise {

namespace {

constexpr std::size_t kBlockSize = 128;  // BLAKE2b's, for HMAC
constexpr std::size_t kNonceSize = crypto_aead_chacha20poly1305_ietf_NPUBBYTES;
static_assert(crypto_aead_chacha20poly1305_ietf_ABYTES == kTagSize);

// Plain BLAKE2b-512; wiped, since HMAC runs it over keys.
class Blake2b512 {
 public:
  Blake2b512() { crypto_generichash_init(&state_, nullptr, 0, kHashSize); }
  ~Blake2b512() { sodium_memzero(&state_, sizeof state_); }
  Blake2b512(const Blake2b512&) = delete;
  Blake2b512& operator=(const Blake2b512&) = delete;
  void add(ByteView bytes) { crypto_generichash_update(&state_, bytes.data(), bytes.size()); }
  void finish(std::span<std::uint8_t> out) {
    crypto_generichash_final(&state_, out.data(), kHashSize);
  }

 private:
  crypto_generichash_state state_;
};

void add_key_block(Blake2b512& state, ByteView key, std::uint8_t pad) {
  std::array<std::uint8_t, kBlockSize> block;
  block.fill(pad);
  for (std::size_t i = 0; i < key.size(); ++i) block[i] ^= key[i];
  state.add(block);
  sodium_memzero(block.data(), block.size());
}

// HMAC (RFC 2104) with a key of at most one block, over two parts. `out` may be one of the parts.
void hmac(std::span<std::uint8_t> out, ByteView key, ByteView first, ByteView second) {
  std::array<std::uint8_t, kHashSize> inner;
  {
    Blake2b512 state;
    add_key_block(state, key, 0x36);
    state.add(first);
    state.add(second);
    state.finish(inner);
  }
  Blake2b512 state;
  add_key_block(state, key, 0x5c);
  state.add(inner);
  state.finish(out);
  sodium_memzero(inner.data(), inner.size());
}

std::array<std::uint8_t, kNonceSize> nonce_bytes(std::uint64_t nonce) {
  std::array<std::uint8_t, kNonceSize> bytes{};
  put_little_endian(bytes.data() + 4, nonce);
  return bytes;
}

}  // namespace

void append_encrypted(Bytes& out, ByteView key32, std::uint64_t nonce, ByteView ad,
                      ByteView plain) {
  const std::size_t at = out.size();
  out.resize(at + plain.size() + kTagSize);
  const auto nonce_at = nonce_bytes(nonce);
  crypto_aead_chacha20poly1305_ietf_encrypt(out.data() + at, nullptr, plain.data(), plain.size(),
                                            ad.data(), ad.size(), nullptr, nonce_at.data(),
                                            key32.data());
}

bool append_decrypted(Bytes& out, ByteView key32, std::uint64_t nonce, ByteView ad,
                      ByteView cipher) {
  if (cipher.size() < kTagSize) return false;
  const std::size_t at = out.size();
  // One byte more than the plain text, so that data() is never null for an empty one.
  out.resize(at + cipher.size() - kTagSize + 1);
  const auto nonce_at = nonce_bytes(nonce);
  const int status = crypto_aead_chacha20poly1305_ietf_decrypt(
      out.data() + at, nullptr, nullptr, cipher.data(), cipher.size(), ad.data(), ad.size(),
      nonce_at.data(), key32.data());
  out.resize(status == 0 ? out.size() - 1 : at);
  return status == 0;
}

SymmetricState::SymmetricState(std::string_view protocol_name) : memory_(kKeySize + 5 * kHashSize) {
  // Names of up to 64 bytes stand for themselves, padded with zeros; ours are shorter.
  std::copy_n(protocol_name.begin(), std::min(protocol_name.size(), kHashSize), hash_.begin());
  std::copy(hash_.begin(), hash_.end(), chaining_key().begin());
}

void SymmetricState::mix_hash(ByteView data) {
  Blake2b512 state;
  state.add(hash_);
  state.add(data);
  state.finish(hash_);
}

// HKDF of section 4.3; the first output becomes the chaining key.
void SymmetricState::derive(ByteView input, std::size_t outputs) {
  hmac(extracted(), chaining_key(), input, {});
  ByteView previous;
  for (std::size_t i = 0; i < outputs; ++i) {
    const auto counter = static_cast<std::uint8_t>(i + 1);
    hmac(output(i), extracted(), previous, {&counter, 1});
    previous = output(i);
  }
  std::copy_n(output(0).begin(), kHashSize, chaining_key().begin());
}

void SymmetricState::take_key(std::size_t from_output) {
  std::copy_n(output(from_output).begin(), kKeySize, key().begin());
  has_key_ = true;
  nonce_ = 0;
}

void SymmetricState::mix_key(ByteView input) {
  derive(input, 2);
  take_key(1);
}

void SymmetricState::mix_key_and_hash(ByteView input) {
  derive(input, 3);
  mix_hash(output(1));
  take_key(2);
}

void SymmetricState::append_encrypted_and_hashed(Bytes& out, ByteView plain) {
  const std::size_t at = out.size();
  if (has_key_) {
    append_encrypted(out, key(), nonce_++, hash_, plain);
  } else {
    out.insert(out.end(), plain.begin(), plain.end());
  }
  mix_hash(ByteView(out).subspan(at));
}

bool SymmetricState::append_decrypted_and_hashed(Bytes& out, ByteView cipher) {
  if (has_key_) {
    if (!append_decrypted(out, key(), nonce_, hash_, cipher)) return false;
    ++nonce_;
  } else {
    out.insert(out.end(), cipher.begin(), cipher.end());
  }
  mix_hash(cipher);
  return true;
}

std::pair<Secret, Secret> SymmetricState::split() {
  derive({}, 2);
  return {Secret(ByteView(output(0).first(kKeySize))), Secret(ByteView(output(1).first(kKeySize)))};
}

}  // namespace kartei::crypto::noise
