// The values behind wire.capnp, and their way to bytes and back. Decoding is bounded and never
// throws; it checks form only. Signatures are checked by whoever knows the keys.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "crypto/identity.h"
#include "crypto/result.h"
#include "election/election.h"
#include "store/ids.h"
#include "sync/record.h"

namespace kartei::sync {

using store::Position;
using store::TurnId;

// How many records of each feed, counted from its first.
using Counts = std::map<FeedId, std::uint64_t>;

// One step of the fold as every device sees it, also those that may not hold the drawer.
struct Operation {
  enum class Kind : std::uint8_t { kTurn, kUnit, kEdit };
  Kind kind = Kind::kEdit;
  DrawerId drawer;
  std::array<std::uint8_t, 16> id{};  // of the turn, unit or edit
  FeedId feed;                        // kTurn: where its record lies
  std::uint64_t seq = 0;
  std::vector<TurnId> sources;  // kUnit
};

struct Control {
  Position parent;
  Counts consumed;  // those that differ from the parent's
  std::optional<DeviceId> successor;
  std::string reason;
  std::vector<Operation> operations;
};
Bytes encode(const Control& control);
Result<Control> decode_control(ByteView bytes);

// ---- the roll's operations
struct RollDevice {
  crypto::PublicIdentity keys;
  std::string name;
  crypto::Signature acceptance{};        // RollPropose
  std::array<std::uint8_t, 16> nonce{};  // RollGenesis
};
struct RollGenesis {
  RollDevice device;
};
struct RollRecovery {
  crypto::SignKey key{};
};
struct RollPropose {
  RollDevice device;
};
struct RollApprove {
  DeviceId device;
};
struct RollRecoveryApprove {
  DeviceId device;
  crypto::Signature signature{};
};
struct RollRevoke {
  DeviceId device;
  Counts cuts;
};
struct RollPin {
  std::uint64_t number = 0;
  std::optional<DeviceId> device;
};
struct RollDrawer {
  DrawerId id;
  std::uint64_t version = 0;
  bool shared = false;
  std::vector<DeviceId> devices;  // empty: every member
  Epoch epoch = 0;
  Bytes name;  // sealed under the drawer's `epoch`
};
// Whose box it is, and in which zone they live: the secretary of every device needs to know.
struct RollOwner {
  std::uint64_t number = 0;
  std::string name, zone;
};
// What is to be forgotten, and when: whichever device leads has to know.
struct RollForgetting {
  std::uint64_t number = 0;
  std::string policy;
};
inline constexpr std::size_t kPolicyBytesMax = 4096;
struct RollKeys {};
using RollOperation =
    std::variant<RollGenesis, RollRecovery, RollPropose, RollApprove, RollRecoveryApprove,
                 RollRevoke, RollPin, RollDrawer, RollKeys, RollOwner, RollForgetting>;
Bytes encode(const RollOperation& operation);
Result<RollOperation> decode_roll_operation(ByteView bytes);

struct KeyBox {
  DeviceId device;
  Bytes sealed;
};
Bytes encode(const std::vector<KeyBox>& boxes);
Result<std::vector<KeyBox>> decode_key_boxes(ByteView bytes);

// ---- heads: a device's promise. "I stand on this tip, have this much, and know no higher term."
inline constexpr std::size_t kLacksMax = 64;
struct Head {
  BoxId box;
  FeedId feed;  // the incarnation in use
  std::uint64_t counter = 0;
  Counts have;
  Position tip;
  Term seen;
  Hash32 roll{};
  std::uint64_t final_height = 0;
  std::vector<DeviceId> linked;
  election::Vitals vitals;
  bool acting = false;
  std::set<std::pair<DrawerId, Epoch>> lacks;  // at most kLacksMax

  // Newest first by (incarnation, counter).
  bool newer_than(const Head& other) const {
    return std::tie(feed.number, feed.tag, counter) >
           std::tie(other.feed.number, other.feed.tag, other.counter);
  }
};
// Sealed under the box's head key: signature(64) and message inside.
Bytes seal_head(const Head& head, const crypto::Identity& identity, const crypto::Secret& key,
                crypto::Random& random);
struct OpenedHead {
  Head head;
  Bytes message;  // what the signature is over
  crypto::Signature signature{};
  bool verify(const crypto::SignKey& author) const;
};
Result<OpenedHead> open_head(ByteView sealed, const crypto::Secret& key);

// ---- messages
struct RecordRange {
  FeedId feed;
  std::vector<Bytes> records;
};
struct SnapshotChunk {
  Hash32 hash{};
  std::uint64_t offset = 0, total = 0;
  Bytes data;
};
struct SnapshotRequest {
  Hash32 hash{};  // zero: the newest there is
  std::uint64_t offset = 0;
};
struct Message {
  BoxId box;
  bool ask = false;
  Bytes head;
  std::vector<Bytes> heads;
  std::vector<RecordRange> ranges;
  std::optional<SnapshotChunk> snapshot;
  std::optional<SnapshotRequest> request;
  std::vector<Bytes> roll;
  std::uint32_t roll_size = 0;  // 0: `roll` is all that the sender has

  bool empty() const {
    return !ask && head.empty() && heads.empty() && ranges.empty() && roll.empty() && !snapshot &&
           !request;
  }
};
Bytes encode(const Message& message);
Result<Message> decode_message(ByteView bytes);

// ---- a final position with what rests on it
struct BaseState {
  Position position;
  Counts consumed;
  std::vector<Hash32> ancestors;      // entries at or below it that `consumed` does not cover
  std::map<FeedId, Hash32> hashes;    // of the last record consumed of each feed
  std::optional<DeviceId> successor;  // if it is a hand-over
  std::string reason;                 // of its term
};
Bytes encode(const BaseState& base);
Result<BaseState> decode_base(ByteView bytes);

struct Dump {
  std::vector<DrawerId> drawers;
  Bytes image;
};
struct Snapshot {
  BaseState base;
  std::vector<Bytes> roll;
  Term seen;
  std::vector<Dump> dumps;
};
Bytes encode(const Snapshot& snapshot);
Result<Snapshot> decode_snapshot(ByteView bytes);

struct Welcome {
  BoxId box;
  Bytes secret;  // sealed to the newcomer
  std::vector<Bytes> roll;
  DeviceId sponsor;
  Term seen;     // by the sponsor
  Position tip;  // where it stood: below it the newcomer does not lead
  Bytes state;   // a sealed snapshot; empty: it comes later
};
Bytes encode(const Welcome& welcome);
Result<Welcome> decode_welcome(ByteView bytes);

}  // namespace kartei::sync
