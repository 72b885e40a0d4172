// Two sides of a Noise run, for the tests.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "crypto/identity.h"
#include "crypto/noise.h"
#include "tests/crypto/support.h"

namespace kartei::crypto {

inline constexpr NoisePattern kAllPatterns[] = {NoisePattern::kIK, NoisePattern::kXX,
                                                NoisePattern::kXXpsk3, NoisePattern::kKK};

inline std::size_t messages_of(NoisePattern pattern) {
  return pattern == NoisePattern::kIK || pattern == NoisePattern::kKK ? 2 : 3;
}

// The keys of a pair of devices, and what a configuration of each side needs.
struct NoisePair {
  explicit NoisePair(std::uint64_t seed)
      : random(seed),
        initiator(Identity::generate(random)),
        responder(Identity::generate(random)),
        psk(Secret::random(32, random)) {}

  NoiseConfig config(NoisePattern pattern, NoiseRole role) const {
    const bool first = role == NoiseRole::kInitiator;
    NoiseConfig config;
    config.pattern = pattern;
    config.role = role;
    config.prologue = hex("4b61727465690001");
    config.local_static = (first ? initiator : responder).box_secret().copy();
    if (pattern == NoisePattern::kKK || (pattern == NoisePattern::kIK && first)) {
      config.remote_static = (first ? responder : initiator).pub().box_key;
    }
    if (pattern == NoisePattern::kXXpsk3) config.psk = psk.copy();
    return config;
  }

  std::unique_ptr<NoiseHandshake> start(NoisePattern pattern, NoiseRole role) {
    return NoiseHandshake::create(config(pattern, role), random).value();
  }

  SeededRandom random;
  Identity initiator, responder;
  Secret psk;
};

struct NoiseRun {
  std::unique_ptr<NoiseHandshake> sides[2];  // initiator, responder

  NoiseRun(NoisePair& pair, NoisePattern pattern)
      : sides{pair.start(pattern, NoiseRole::kInitiator),
              pair.start(pattern, NoiseRole::kResponder)} {}

  NoiseHandshake& writer(std::size_t step) { return *sides[step % 2]; }
  NoiseHandshake& reader(std::size_t step) { return *sides[1 - step % 2]; }
  // Plays the messages before `step`.
  void play_until(std::size_t step) {
    for (std::size_t i = 0; i < step; ++i) {
      reader(i).read(writer(i).write(hex("706179")).value()).value();
    }
  }
  std::pair<NoiseTransport, NoiseTransport> finish(NoisePattern pattern) {
    play_until(messages_of(pattern));
    auto first = sides[0]->split(), second = sides[1]->split();
    return {std::move(first).value(), std::move(second).value()};
  }
};

}  // namespace kartei::crypto
