// One connection between two members of a box: Noise IK, then messages. A state machine without
// I/O: bytes go in, events and bytes come out; link_driver.h gives it sockets and deadlines.
//
// On the wire (README.md): the dialler's greeting, its handshake packet {version, level, box tag},
// the answer {version}, the dialler's confirmation, then frames. Whoever answers says nothing about
// itself to a stranger: a connection that is not wanted just closes.
//
// Threads: one at a time. Ownership: dial() copies what it needs; accept() borrows boxes and random
// until the connection is ready. Failure: a Closed event, after which the session does nothing
// more.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "crypto/noise.h"
#include "store/ids.h"
#include "sync/frames.h"

namespace kartei::sync {

inline constexpr std::uint8_t kLinkVersion = 1;
inline constexpr std::size_t kGreetingBytes = 4;
// The first bytes of a connection, from the dialler: link or pairing. The last one is the version.
inline constexpr std::array<std::uint8_t, kGreetingBytes> kLinkGreeting{'K', 'r', 'L',
                                                                        kLinkVersion};
inline constexpr std::size_t kLinkHandshakePacketMax = 256;  // until the peer is known
inline constexpr std::size_t kLinkMessageMax = 4 << 20;      // the engine's kMessageMax

// A box as links see it: this device's key pair in it, a key that only members have, the members.
struct LinkBox {
  store::BoxId box;
  crypto::Secret box_secret;  // X25519
  crypto::BoxKey box_key{};
  Hash32 link_key{};                                  // Engine::derived_key("link")
  std::map<crypto::BoxKey, store::DeviceId> members;  // current ones; this device may be left out
};
using LinkBoxes = std::map<store::BoxId, LinkBox>;

enum class LinkEnd {
  kLocal,      // we closed
  kBye,        // the peer closed
  kDuplicate,  // the peer keeps another connection with us, of `level`
  kRevoked,    // the peer says that we are no member
  kLost,       // the connection broke
  kRefused,    // not accepted: not a member, unknown box, wrong key
  kProtocol,   // what arrived does not verify, or breaks the rules
  kTimeout,
  kOverrun,  // the queue towards the peer was full
};
std::string_view text(LinkEnd end);

struct LinkReady {
  store::BoxId box;
  store::DeviceId device;
  crypto::BoxKey key{};
  std::uint8_t level = 0;
};
struct LinkMessage {
  Bytes message;
};
struct LinkClosed {
  LinkEnd end = LinkEnd::kLost;
  std::uint8_t level = 0;  // kDuplicate: of the connection that the peer keeps
  std::string what;        // kProtocol: what was wrong
};
using LinkEvent = std::variant<LinkReady, LinkMessage, LinkClosed>;

// Names the box to the one who answers, and to nobody else.
Hash32 link_box_tag(const Hash32& link_key, const crypto::BoxKey& dialler,
                    const crypto::BoxKey& answerer);

// Two connections between the same devices: which one stays, the same on both sides without a word.
// Higher level wins, then the one dialled by the smaller key; between equals the newer one.
struct LinkRank {
  std::uint8_t level = 0;  // 0; one above the level kept, after a refusal as a duplicate
  bool by_smaller_key = false;
  auto operator<=>(const LinkRank&) const = default;
};
inline bool newer_wins(const LinkRank& older, const LinkRank& newer) {
  return newer >= older;
}

class LinkSession {
 public:
  // Towards a member. `level`: see LinkRank.
  static Result<LinkSession> dial(const LinkBox& box, const crypto::BoxKey& peer,
                                  std::uint8_t level, crypto::Random& random);
  static LinkSession accept(const LinkBoxes& boxes, crypto::Random& random);

  // Bytes from the peer; what happened, in order. The first bytes of accept() are the greeting.
  std::vector<LinkEvent> receive(ByteView bytes);
  // The stream has ended.
  std::vector<LinkEvent> end();

  Status send(ByteView message);  // only when ready; error: longer than kLinkMessageMax
  void ping();
  // Says why (kBye, kDuplicate, kRevoked) if the peer is known, then nothing more.
  void close(LinkEnd reason, std::uint8_t level = 0);

  Bytes take_output();
  bool ready() const { return state_ == State::kReady; }
  bool closed() const { return state_ == State::kClosed; }
  bool dialled() const { return dialled_; }

 private:
  enum class State { kGreeting, kHello, kAnswer, kConfirm, kReady, kClosed };

  LinkSession(bool dialled, State state);
  Status take_packet(ByteView packet, std::vector<LinkEvent>& events);
  Status take_hello(ByteView packet);
  Result<bool> take_hello_for(const LinkBox& first, ByteView packet);
  Status take_answer(ByteView packet, std::vector<LinkEvent>& events);
  Status take_frame(ByteView packet, std::vector<LinkEvent>& events);
  bool take_greeting(ByteView& bytes);
  void become_ready(std::vector<LinkEvent>& events);
  void fail(const Error& error, std::vector<LinkEvent>& events);

  bool dialled_;
  State state_;
  const LinkBoxes* boxes_ = nullptr;
  crypto::Random* random_ = nullptr;
  std::unique_ptr<crypto::NoiseHandshake> handshake_;
  std::optional<FrameChannel> channel_;
  PacketReader reader_{kLinkHandshakePacketMax};
  std::size_t greeting_seen_ = 0;
  LinkReady peer_;
  Bytes output_;
};

}  // namespace kartei::sync
