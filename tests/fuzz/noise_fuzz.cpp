// One side of a Noise run against an attacker who sees, alters and makes up messages: every pattern
// and role, the handshake and then the transport. Traps when it accepts what it must not.
//
// Input: a byte for pattern and role, then per message a byte for what arrives (as sent; the rest
// of the chunk in its place; as sent but xored with the chunk) and a chunk of a 16-bit length.
#include <cstdlib>
#include <memory>
#include <optional>

#include "crypto/identity.h"
#include "crypto/noise.h"
#include "tests/fuzz/input.h"

namespace {

using namespace kartei;
using namespace kartei::crypto;

struct Keys {
  SeededRandom random{1};
  Identity initiator = Identity::generate(random), responder = Identity::generate(random);
  Secret psk = Secret::random(32, random);
};

std::unique_ptr<NoiseHandshake> start(const Keys& keys, NoisePattern pattern, NoiseRole role,
                                      Random& random) {
  const bool first = role == NoiseRole::kInitiator;
  NoiseConfig config;
  config.pattern = pattern;
  config.role = role;
  config.local_static = (first ? keys.initiator : keys.responder).box_secret().copy();
  if (pattern == NoisePattern::kKK || (pattern == NoisePattern::kIK && first)) {
    config.remote_static = (first ? keys.responder : keys.initiator).pub().box_key;
  }
  if (pattern == NoisePattern::kXXpsk3) config.psk = keys.psk.copy();
  return NoiseHandshake::create(std::move(config), random).value();
}

// Short enough for any message.
ByteView payload(fuzz::Input& input) {
  const ByteView chunk = input.chunk();
  return chunk.first(std::min<std::size_t>(chunk.size(), 1024));
}

Bytes arriving(fuzz::Input& input, const Bytes& sent) {
  const std::uint8_t how = input.byte();
  const ByteView chunk = input.chunk();
  if (how % 3 == 0) return sent;
  if (how % 3 == 1) return to_bytes(chunk);
  return fuzz::xored(sent, chunk);
}

// The two sides' transports, once both have finished; none when the attacked side refused.
struct Session {
  NoiseTransport attacked, peer;
};

std::optional<Session> shake_hands(fuzz::Input& input, NoisePattern pattern,
                                   NoiseHandshake& attacked, NoiseHandshake& peer) {
  const bool clear_start = pattern == NoisePattern::kXX || pattern == NoisePattern::kXXpsk3;
  for (int step = 0; !attacked.finished(); ++step) {
    if (attacked.my_turn()) {
      const auto written = attacked.write(input.chunk());
      if (written.has_error() || peer.read(*written).has_error()) return std::nullopt;
      continue;
    }
    const Bytes sent = peer.write(payload(input)).value();
    const Bytes message = arriving(input, sent);
    if (attacked.read(message).has_error()) {
      fuzz::require(attacked.write({}).has_error() && !attacked.remote_static());
      return std::nullopt;
    }
    fuzz::require(message == sent || (clear_start && step == 0));
  }
  if (!peer.finished()) return std::nullopt;
  fuzz::require(attacked.handshake_hash() == peer.handshake_hash());
  return Session{attacked.split().value(), peer.split().value()};
}

void talk(fuzz::Input& input, Session session) {
  while (!input.empty()) {
    const ByteView plain = payload(input);
    const Bytes sent = session.peer.encrypt(plain).value();
    const Bytes message = arriving(input, sent);
    const auto read = session.attacked.decrypt(message);
    fuzz::require(read.has_value() == (message == sent));
    if (read.has_error()) {
      fuzz::require(session.attacked.decrypt(sent).has_error());
      return;
    }
    fuzz::require(*read == to_bytes(plain));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Keys keys;
  fuzz::Input input({data, size});
  const std::uint8_t choice = input.byte();
  const auto pattern = static_cast<NoisePattern>(choice & 3);
  const bool attack_initiator = (choice & 4) != 0;
  SeededRandom random(2);
  const auto initiator = start(keys, pattern, NoiseRole::kInitiator, random);
  const auto responder = start(keys, pattern, NoiseRole::kResponder, random);
  NoiseHandshake& attacked = attack_initiator ? *initiator : *responder;
  NoiseHandshake& peer = attack_initiator ? *responder : *initiator;
  if (auto session = shake_hands(input, pattern, attacked, peer)) {
    talk(input, std::move(*session));
  }
  return 0;
}
