// The inside of noise.cpp: Noise's cipher and symmetric state over ChaChaPoly and BLAKE2b.
#pragma once

#include <array>
#include <utility>

#include "crypto/bytes.h"
#include "crypto/result.h"
#include "crypto/secret.h"

namespace kartei::crypto::noise {

inline constexpr std::size_t kHashSize = 64;  // BLAKE2b
inline constexpr std::size_t kKeySize = 32;
inline constexpr std::size_t kTagSize = 16;
using NoiseHash = std::array<std::uint8_t, kHashSize>;

// ChaCha20-Poly1305; the nonce is 4 zero bytes and the counter, little-endian.
// Appends ciphertext and tag.
void append_encrypted(Bytes& out, ByteView key32, std::uint64_t nonce, ByteView ad, ByteView plain);
// Appends the plain text; false, and nothing appended, when it does not verify.
bool append_decrypted(Bytes& out, ByteView key32, std::uint64_t nonce, ByteView ad,
                      ByteView cipher);

// Section 5.2 of the specification. One thread; owns its secrets, all in one piece of guarded
// memory (a piece costs several system calls, and a handshake derives some twenty keys).
class SymmetricState {
 public:
  explicit SymmetricState(std::string_view protocol_name);
  void mix_hash(ByteView data);
  void mix_key(ByteView input);
  void mix_key_and_hash(ByteView input);
  void append_encrypted_and_hashed(Bytes& out, ByteView plain);
  bool append_decrypted_and_hashed(Bytes& out, ByteView cipher);
  std::pair<Secret, Secret> split();  // initiator to responder, responder to initiator
  // Bytes that encryption adds now.
  std::size_t overhead() const { return has_key_ ? kTagSize : 0; }
  const NoiseHash& handshake_hash() const { return hash_; }
  void wipe() { memory_ = Secret(); }  // only handshake_hash() may be called afterwards

 private:
  std::span<std::uint8_t> chaining_key() { return memory_.writable().first(kHashSize); }
  std::span<std::uint8_t> key() { return memory_.writable().subspan(kHashSize, kKeySize); }
  std::span<std::uint8_t> extracted() {
    return memory_.writable().subspan(kHashSize + kKeySize, kHashSize);
  }
  std::span<std::uint8_t> output(std::size_t index) {
    return memory_.writable().subspan(kKeySize + (2 + index) * kHashSize, kHashSize);
  }
  void derive(ByteView input, std::size_t outputs);
  void take_key(std::size_t from_output);

  Secret
      memory_;  // chaining key(64) | cipher key(32) | while deriving: extracted(64) | 3 outputs(64)
  bool has_key_ = false;
  std::uint64_t nonce_ = 0;
  NoiseHash hash_{};
};

}  // namespace kartei::crypto::noise
