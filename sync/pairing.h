// A newcomer joins a box with a short code that a member shows: CPace turns the code into a key,
// that key opens a Noise XXpsk3 channel, and inside of it both sides say who they are. State
// machines without I/O; pairing_driver.h gives them sockets and deadlines.
//
// An eavesdropper learns nothing about the code; who guesses has one guess a connection, and a code
// dies after three wrong ones, after its time, and once it was right.
//
// Threads: one at a time. Ownership: a session borrows its offer and random. Failure: a Failed
// event, after which the session does nothing more.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "crypto/cpace.h"
#include "crypto/identity.h"
#include "crypto/noise.h"
#include "sync/engine.h"
#include "sync/frames.h"

namespace kartei::sync {

inline constexpr std::array<std::uint8_t, 4> kPairingGreeting{'K', 'r', 'P', 1};
inline constexpr std::size_t kPairingPacketMax = 256;  // until the code was right
inline constexpr std::size_t kDeviceNameMax = 64;      // bytes of UTF-8
inline constexpr int kPairingAttempts = 3;

// Nine random digits and a check digit, so that a slip of the finger costs no attempt.
class PairingCode {
 public:
  static PairingCode generate(crypto::Random& random);
  static Result<PairingCode> parse(std::string_view text);  // spaces and dashes do not matter
  std::string text() const;                                 // "48105-13965"
  ByteView bytes() const { return as_bytes(digits_); }
  bool operator==(const PairingCode&) const = default;

 private:
  explicit PairingCode(std::string digits) : digits_(std::move(digits)) {}
  std::string digits_;
};

enum class PairingFailure : std::uint8_t {
  kWrongCode = 1,
  kExpired = 2,
  kSpent = 3,    // used, or too many wrong tries
  kRefused = 4,  // by the member's owner or its engine
  kProtocol = 5,
  kLost = 6,
  kTimeout = 7,
  kNotFound = 8,  // no member that waits was found
};
std::string_view text(PairingFailure failure);

// A member's standing invitation; shared by all connections made with it.
class PairingOffer {
 public:
  PairingOffer(PairingCode code, std::int64_t expires_ms)
      : code_(std::move(code)), expires_ms_(expires_ms) {}
  std::optional<PairingFailure> refusal(std::int64_t now_ms) const;
  const PairingCode& code() const { return code_; }
  void count_wrong() { --attempts_; }
  void spend() { spent_ = true; }
  std::int64_t expires_ms() const { return expires_ms_; }

 private:
  PairingCode code_;
  std::int64_t expires_ms_;
  int attempts_ = kPairingAttempts;
  bool spent_ = false;
};

struct PairingConfirmed {};  // both hold the same code
struct PairingJoin {         // at the member: who wants to join; its acceptance is verified
  Newcomer newcomer;
};
struct PairingSponsor {  // at the newcomer
  store::BoxId box;
  crypto::PublicIdentity keys;
  std::string name;
};
struct PairingWaiting {};  // at the newcomer: a second device has to approve
struct PairingWelcome {    // at the newcomer: for Engine::accept_welcome
  Bytes welcome;
};
struct PairingDone {};  // at the member: the newcomer has taken the welcome
struct PairingFailed {
  PairingFailure failure = PairingFailure::kProtocol;
  std::string what;  // for a person; empty: text(failure) says it all
};
using PairingEvent = std::variant<PairingConfirmed, PairingJoin, PairingSponsor, PairingWaiting,
                                  PairingWelcome, PairingDone, PairingFailed>;

// What both roles share: packets, the key, the channel.
class PairingSession {
 public:
  virtual ~PairingSession() = default;
  // Bytes after the greeting.
  std::vector<PairingEvent> receive(ByteView bytes, std::int64_t now_ms);
  std::vector<PairingEvent> end();
  Bytes take_output() { return std::exchange(output_, {}); }
  bool closed() const { return closed_; }
  bool confirmed() const { return confirmed_; }

 protected:
  using Events = std::vector<PairingEvent>;
  explicit PairingSession(crypto::Random& random) : random_(random) {}

  virtual Status take_clear(ByteView packet, std::int64_t now_ms, Events& events) = 0;
  virtual Status take_message(ByteView message, Events& events) = 0;
  virtual Status opened(Events& events) = 0;  // the channel is up

  // After the confirmation: the newcomer is the initiator of Noise.
  Status start_noise(bool newcomer, const crypto::Secret& box_secret);
  void fail(PairingFailure failure, std::string what, Events& events);
  Status send(std::uint8_t type, std::initializer_list<ByteView> parts);
  void make_session(ByteView newcomer_nonce, ByteView member_nonce);
  void start_cpace(const PairingCode& code, std::string_view role);
  Status finish_cpace(ByteView share, std::string_view role, bool initiator);
  Bytes proof(ByteView share,
              std::string_view role) const;  // that the holder of this share has the code

  crypto::Random& random_;
  Hash32 session_{};
  std::optional<crypto::Cpace> cpace_;
  crypto::Secret isk_;
  std::unique_ptr<crypto::NoiseHandshake> handshake_;
  std::optional<FrameChannel> channel_;
  crypto::BoxKey peer_key_{};
  Bytes output_;
  bool confirmed_ = false, closed_ = false;

 private:
  Status take_packet(ByteView packet, std::int64_t now_ms, Events& events);
  Status take_noise(ByteView packet, Events& events);

  PacketReader reader_{kPairingPacketMax};
};

struct PairingSelf {
  crypto::Identity identity;
  std::string name;
};

class PairingMember final : public PairingSession {
 public:
  PairingMember(PairingOffer& offer, store::BoxId box, const PairingSelf& self,
                crypto::Random& random);
  // The answer to a Join; each only then.
  Status waiting();
  Status welcome(ByteView welcome);
  Status refuse(std::string_view why);

 private:
  Status take_clear(ByteView packet, std::int64_t now_ms, Events& events) override;
  Status take_message(ByteView message, Events& events) override;
  Status opened(Events& events) override;
  Status take_share(ByteView packet, Events& events);
  Status take_join(ByteView body, Events& events);
  void say_no(PairingFailure failure, Events& events);

  PairingOffer& offer_;
  store::BoxId box_;
  const PairingSelf& self_;
  bool joined_ = false, welcomed_ = false;
};

class PairingNewcomer final : public PairingSession {
 public:
  // Its first output holds the greeting.
  PairingNewcomer(PairingCode code, const PairingSelf& self, crypto::Random& random);
  Status done();  // the welcome was taken
  bool welcomed() const { return welcomed_; }

 private:
  Status take_clear(ByteView packet, std::int64_t now_ms, Events& events) override;
  Status take_message(ByteView message, Events& events) override;
  Status opened(Events& events) override;
  Status take_sponsor(ByteView body, Events& events);

  PairingCode code_;
  const PairingSelf& self_;
  std::array<std::uint8_t, 16> nonce_{};
  Bytes member_share_;
  bool sponsored_ = false, welcomed_ = false;
};

}  // namespace kartei::sync
