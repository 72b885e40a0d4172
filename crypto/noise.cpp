#include "crypto/noise.h"

#include <sodium.h>

#include <algorithm>

#include "crypto/noise_symmetric.h"

namespace kartei::crypto {

namespace {

constexpr std::size_t kPointSize = 32;
static_assert(kPointSize == crypto_scalarmult_BYTES);

// Two letters: the initiator's key first, then the responder's.
enum class Token { kE, kS, kEE, kES, kSE, kSS, kPsk };
using Message = std::vector<Token>;

struct Pattern {
  std::string_view name;
  bool initiator_static_known;
  bool responder_static_known;
  bool psk;
  std::vector<Message> messages;  // the initiator's first, then in turns
};

Pattern pattern_of(NoisePattern pattern) {
  using enum Token;
  switch (pattern) {
    case NoisePattern::kIK:
      return {"Noise_IK_25519_ChaChaPoly_BLAKE2b",
              false,
              true,
              false,
              {{kE, kES, kS, kSS}, {kE, kEE, kSE}}};
    case NoisePattern::kKK:
      return {
          "Noise_KK_25519_ChaChaPoly_BLAKE2b", true, true, false, {{kE, kES, kSS}, {kE, kEE, kSE}}};
    case NoisePattern::kXX:
      return {"Noise_XX_25519_ChaChaPoly_BLAKE2b",
              false,
              false,
              false,
              {{kE}, {kE, kEE, kS, kES}, {kS, kSE}}};
    case NoisePattern::kXXpsk3:
      break;
  }
  return {"Noise_XXpsk3_25519_ChaChaPoly_BLAKE2b",
          false,
          false,
          true,
          {{kE}, {kE, kEE, kS, kES}, {kS, kSE, kPsk}}};
}

BoxKey public_of(const Secret& secret) {
  BoxKey key;
  crypto_scalarmult_base(key.data(), secret.view().data());
  return key;
}

Status check(const NoiseConfig& config, const Pattern& pattern) {
  const bool needs_remote = config.role == NoiseRole::kInitiator ? pattern.responder_static_known
                                                                 : pattern.initiator_static_known;
  if (config.local_static.size() != kPointSize) return bad_input("a Noise key must be 32 bytes");
  if (needs_remote != config.remote_static.has_value()) {
    return bad_input(needs_remote ? "this Noise pattern needs the other side's key"
                                  : "this Noise pattern learns the other side's key");
  }
  if (pattern.psk != config.psk.has_value()) {
    return bad_input("exactly the Noise patterns with psk take a shared key");
  }
  if (config.psk && config.psk->size() != 32) return bad_input("a Noise psk must be 32 bytes");
  if (config.ephemeral_for_test && config.ephemeral_for_test->size() != kPointSize) {
    return bad_input("a Noise key must be 32 bytes");
  }
  return {};
}

}  // namespace

// Section 5.3 of the specification, with the pattern as a table of tokens.
struct NoiseHandshake::State {
  State(NoiseConfig config, Pattern pattern, Random& random);

  bool is_initiator() const { return role == NoiseRole::kInitiator; }
  bool finished() const { return step == pattern.messages.size(); }
  bool my_turn() const { return !dead && !finished() && (step % 2 == 0) == is_initiator(); }
  void wipe();
  Error fail(const char* what);
  std::size_t message_overhead() const;

  Status write_token(Token token, Bytes& message);
  Status read_token(Token token, ByteView& message);
  Status read_static(ByteView& message);
  void mix_ephemeral(const BoxKey& key);
  Status mix_dh(Token token);

  Pattern pattern;
  NoiseRole role;
  Random& random;
  noise::SymmetricState symmetric;
  Secret local_static, local_ephemeral;
  Secret shared{kPointSize};  // the newest exchange's result
  std::optional<Secret> psk;
  BoxKey local_static_public{}, remote_ephemeral{};
  std::optional<BoxKey> remote_static;
  std::size_t step = 0;  // messages written and read so far
  bool dead = false, split_done = false;
};

NoiseHandshake::State::State(NoiseConfig config, Pattern pattern_in, Random& random_in)
    : pattern(std::move(pattern_in)),
      role(config.role),
      random(random_in),
      symmetric(pattern.name),
      local_static(std::move(config.local_static)),
      local_ephemeral(config.ephemeral_for_test ? std::move(*config.ephemeral_for_test)
                                                : Secret::random(kPointSize, random)),
      psk(std::move(config.psk)),
      local_static_public(public_of(local_static)),
      remote_static(config.remote_static) {
  symmetric.mix_hash(config.prologue);
  const BoxKey& initiator = is_initiator() || !remote_static ? local_static_public : *remote_static;
  const BoxKey& responder = is_initiator() && remote_static ? *remote_static : local_static_public;
  if (pattern.initiator_static_known) symmetric.mix_hash(initiator);
  if (pattern.responder_static_known) symmetric.mix_hash(responder);
}

void NoiseHandshake::State::wipe() {
  symmetric.wipe();
  local_static = Secret();
  local_ephemeral = Secret();
  shared = Secret();
  psk.reset();
}

Error NoiseHandshake::State::fail(const char* what) {
  dead = true;
  wipe();
  remote_static.reset();
  return corrupt(what);
}

// With a psk, ephemeral keys go into the chaining key too (section 9.2).
void NoiseHandshake::State::mix_ephemeral(const BoxKey& key) {
  symmetric.mix_hash(key);
  if (pattern.psk) symmetric.mix_key(key);
}

Status NoiseHandshake::State::mix_dh(Token token) {
  const bool initiator_static = token == Token::kSE || token == Token::kSS;
  const bool responder_static = token == Token::kES || token == Token::kSS;
  const bool use_local_static = is_initiator() ? initiator_static : responder_static;
  const bool use_remote_static = is_initiator() ? responder_static : initiator_static;
  const Secret& local = use_local_static ? local_static : local_ephemeral;
  const BoxKey& remote = use_remote_static ? remote_static.value() : remote_ephemeral;
  if (crypto_scalarmult(shared.writable().data(), local.view().data(), remote.data()) != 0) {
    return corrupt("the other side's Noise key is unusable");
  }
  symmetric.mix_key(shared.view());
  return {};
}

// Bytes that the next message has beside its payload.
std::size_t NoiseHandshake::State::message_overhead() const {
  std::size_t size = 0, tag = symmetric.overhead();
  for (Token token : pattern.messages[step]) {
    if (token == Token::kE) size += kPointSize;
    if (token == Token::kS) size += kPointSize + tag;
    if (token != Token::kS && (token != Token::kE || pattern.psk)) tag = noise::kTagSize;
  }
  return size + tag;
}

Status NoiseHandshake::State::write_token(Token token, Bytes& message) {
  switch (token) {
    case Token::kE: {
      const BoxKey key = public_of(local_ephemeral);
      message.insert(message.end(), key.begin(), key.end());
      mix_ephemeral(key);
      return {};
    }
    case Token::kS:
      symmetric.append_encrypted_and_hashed(message, local_static_public);
      return {};
    case Token::kPsk:
      symmetric.mix_key_and_hash(psk.value().view());
      return {};
    default:
      return mix_dh(token);
  }
}

Status NoiseHandshake::State::read_static(ByteView& message) {
  const std::size_t size = kPointSize + symmetric.overhead();
  if (message.size() < size) return corrupt("a Noise message is too short");
  Bytes key;
  if (!symmetric.append_decrypted_and_hashed(key, message.first(size))) {
    return corrupt("a Noise message does not verify");
  }
  std::copy_n(key.begin(), kPointSize, remote_static.emplace().begin());
  message = message.subspan(size);
  return {};
}

Status NoiseHandshake::State::read_token(Token token, ByteView& message) {
  switch (token) {
    case Token::kE:
      if (message.size() < kPointSize) return corrupt("a Noise message is too short");
      std::copy_n(message.begin(), kPointSize, remote_ephemeral.begin());
      message = message.subspan(kPointSize);
      mix_ephemeral(remote_ephemeral);
      return {};
    case Token::kS:
      return read_static(message);
    case Token::kPsk:
      symmetric.mix_key_and_hash(psk.value().view());
      return {};
    default:
      return mix_dh(token);
  }
}

NoiseHandshake::NoiseHandshake(std::unique_ptr<State> state) : state_(std::move(state)) {}
NoiseHandshake::~NoiseHandshake() = default;

Result<std::unique_ptr<NoiseHandshake>> NoiseHandshake::create(NoiseConfig config, Random& random) {
  Pattern pattern = pattern_of(config.pattern);
  KARTEI_TRY(check(config, pattern));
  auto state = std::make_unique<State>(std::move(config), std::move(pattern), random);
  return std::unique_ptr<NoiseHandshake>(new NoiseHandshake(std::move(state)));
}

bool NoiseHandshake::my_turn() const {
  return state_->my_turn();
}
bool NoiseHandshake::finished() const {
  return !state_->dead && state_->finished();
}

Result<Bytes> NoiseHandshake::write(ByteView payload) {
  if (state_->dead) return corrupt("this Noise handshake has failed");
  if (!state_->my_turn()) return state_->fail("a Noise message was written out of turn");
  const std::size_t overhead = state_->message_overhead();
  if (payload.size() > kNoiseMessageMax - overhead) {
    return state_->fail("a Noise message is too long");
  }
  Bytes message;
  message.reserve(payload.size() + overhead);
  for (Token token : state_->pattern.messages[state_->step]) {
    if (Status done = state_->write_token(token, message); done.has_error()) {
      return state_->fail(done.error().what.c_str());
    }
  }
  state_->symmetric.append_encrypted_and_hashed(message, payload);
  ++state_->step;
  return message;
}

Result<Bytes> NoiseHandshake::read(ByteView message) {
  if (state_->dead) return corrupt("this Noise handshake has failed");
  if (state_->my_turn() || state_->finished()) {
    return state_->fail("a Noise message came out of turn");
  }
  if (message.size() > kNoiseMessageMax) return state_->fail("a Noise message is too long");
  for (Token token : state_->pattern.messages[state_->step]) {
    if (Status done = state_->read_token(token, message); done.has_error()) {
      return state_->fail(done.error().what.c_str());
    }
  }
  Bytes payload;
  if (!state_->symmetric.append_decrypted_and_hashed(payload, message)) {
    return state_->fail("a Noise message does not verify");
  }
  ++state_->step;
  return payload;
}

const std::optional<BoxKey>& NoiseHandshake::remote_static() const {
  return state_->remote_static;
}

Bytes NoiseHandshake::handshake_hash() const {
  return to_bytes(state_->symmetric.handshake_hash());
}

Hash32 NoiseHandshake::handshake_hash32() const {
  Hash32 first;
  std::copy_n(state_->symmetric.handshake_hash().begin(), first.size(), first.begin());
  return first;
}

Result<NoiseTransport> NoiseHandshake::split() {
  if (state_->dead || state_->split_done) return corrupt("this Noise handshake has ended");
  if (!state_->finished()) return state_->fail("this Noise handshake is not finished");
  auto [forth, back] = state_->symmetric.split();
  state_->split_done = true;
  state_->wipe();
  if (state_->is_initiator()) return NoiseTransport(std::move(forth), std::move(back));
  return NoiseTransport(std::move(back), std::move(forth));
}

}  // namespace kartei::crypto
