// Noise_IK and Noise_XXpsk3 with 25519, ChaChaPoly and BLAKE2b (Noise revision 34), as a state machine
// without I/O. One thread; owns its secrets; after the first error the object answers errors only.
#pragma once

#include <memory>

#include "crypto/bytes.h"
#include "crypto/identity.h"
#include "crypto/random.h"
#include "crypto/result.h"
#include "crypto/secret.h"

namespace kartei::crypto {

enum class NoisePattern { kIK, kXXpsk3, kXX, kKK };  // the last two for the test vectors
enum class NoiseRole { kInitiator, kResponder };
inline constexpr std::size_t kNoiseMessageMax = 65535;  // bytes, tag included

// The two directions after a handshake. Messages are at most kNoiseMessageMax bytes.
class NoiseTransport {
 public:
  NoiseTransport(Secret send_key, Secret receive_key);
  Result<Bytes> encrypt(ByteView plain);   // error: too long, or nonces used up
  Result<Bytes> decrypt(ByteView cipher);  // error: does not verify; the transport is dead then

 private:
  Secret send_key_, receive_key_;
  std::uint64_t send_nonce_ = 0, receive_nonce_ = 0;
  bool dead_ = false;
};

struct NoiseConfig {
  NoisePattern pattern = NoisePattern::kIK;
  NoiseRole role = NoiseRole::kInitiator;
  Bytes prologue;
  Secret local_static;                       // X25519 secret
  std::optional<BoxKey> remote_static;       // IK initiator (and KK): known beforehand
  std::optional<Secret> psk;                 // XXpsk3: 32 bytes of full entropy
  std::optional<Secret> ephemeral_for_test;  // test vectors only
};

class NoiseHandshake {
 public:
  static Result<std::unique_ptr<NoiseHandshake>> create(NoiseConfig config, Random& random);
  ~NoiseHandshake();

  bool my_turn() const;   // the next message is ours to write
  bool finished() const;
  Result<Bytes> write(ByteView payload);
  Result<Bytes> read(ByteView message);  // the payload
  const std::optional<BoxKey>& remote_static() const;
  Hash32 handshake_hash32() const;       // first 32 bytes of h, for channel binding
  Bytes handshake_hash() const;          // all 64
  Result<NoiseTransport> split();        // once, when finished

 private:
  struct State;
  explicit NoiseHandshake(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kartei::crypto
