// Noise_IK and Noise_XXpsk3 with 25519, ChaChaPoly and BLAKE2b (Noise revision 34), as a state
// machine without I/O. One thread; owns its secrets; after the first error the object answers
// errors only.
#pragma once

#include <memory>
#include <optional>

#include "crypto/bytes.h"
#include "crypto/identity.h"
#include "crypto/random.h"
#include "crypto/result.h"
#include "crypto/secret.h"

namespace kartei::crypto {

enum class NoisePattern { kIK, kXXpsk3, kXX, kKK };  // the last two for the test vectors
enum class NoiseRole { kInitiator, kResponder };
inline constexpr std::size_t kNoiseMessageMax = 65535;                // bytes, tag included
inline constexpr std::size_t kNoisePlainMax = kNoiseMessageMax - 16;  // of one transport message

// The two directions after a handshake. Messages are at most kNoiseMessageMax bytes and arrive in
// the order in which they were sent, none left out. After the first error, of either direction, or
// once moved from, there are errors only. That the other side's last message arrived is not known
// here.
class NoiseTransport {
 public:
  // Keys of 32 bytes. Nonces start at `first_nonce`: other than 0 in tests of their end only.
  NoiseTransport(Secret send_key, Secret receive_key, std::uint64_t first_nonce = 0);
  Result<Bytes> encrypt(ByteView plain);            // error: too long, or nonces used up
  Status encrypt_onto(Bytes& out, ByteView plain);  // the same, appended to `out`
  Result<Bytes> decrypt(ByteView cipher);  // error: too long, does not verify, or nonces used up

 private:
  bool dead() const { return send_key_.empty(); }
  void die();
  Error fail(const char* what);

  Secret send_key_, receive_key_;  // empty when dead
  std::uint64_t send_nonce_ = 0, receive_nonce_ = 0;
};

struct NoiseConfig {
  NoisePattern pattern = NoisePattern::kIK;
  NoiseRole role = NoiseRole::kInitiator;
  Bytes prologue;
  Secret local_static;                       // X25519 secret
  std::optional<BoxKey> remote_static;       // IK initiator (and KK): known beforehand; else none
  std::optional<Secret> psk;                 // XXpsk3: 32 bytes of full entropy
  std::optional<Secret> ephemeral_for_test;  // test vectors only
};

// One run of a pattern. After the first error of write, read or split its secrets are gone and it
// answers errors only. `random` must outlive it.
class NoiseHandshake {
 public:
  // Error (kBadInput): a key is missing, of a wrong size, or given where the pattern has no use for
  // it.
  static Result<std::unique_ptr<NoiseHandshake>> create(NoiseConfig config, Random& random);
  ~NoiseHandshake();

  bool my_turn() const;  // the next message is ours to write
  bool finished() const;
  Result<Bytes> write(ByteView payload);  // the message, at most kNoiseMessageMax bytes
  Result<Bytes> read(ByteView message);   // the payload
  // Known once a message that proves it was read; none after an error.
  const std::optional<BoxKey>& remote_static() const;
  Hash32 handshake_hash32() const;  // first 32 bytes of h, for channel binding
  Bytes handshake_hash() const;     // all 64
  Result<NoiseTransport> split();   // once, when finished

 private:
  struct State;
  explicit NoiseHandshake(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kartei::crypto
