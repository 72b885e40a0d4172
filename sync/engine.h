// The engine: all that one device does about feeds, ledger, roll, terms and peers, for one box, as
// a state machine. User's words, peers' messages and the time go in; messages and changes come out.
// It reads no clock, opens no socket and starts no thread; what it must remember lies in the box.
// Asio drives it in the daemon, the seeded simulator in tests.
//
// The rules are ledger_rules.md (restated in sync/README.md). Fsync, then speak: messages leave
// only through flush(), which first makes durable whatever they rest on.
//
// Threads: one at a time, the box's. Ownership: borrows box, identity and random for its lifetime.
// Failure: an error of the disk leaves engine and box as before the call; bad input from a peer is
// counted and dropped, never an error of the caller.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "crypto/identity.h"
#include "crypto/random.h"
#include "crypto/result.h"
#include "election/election.h"
#include "store/box.h"
#include "store/delta.h"
#include "sync/rules.h"

namespace kartei::sync {

using store::DeviceId;
using store::DrawerId;
using store::TurnId;

// The time goes in with every call. Timers use `mono_ms`, records are dated with `wall`.
struct Now {
  store::Time wall{};
  std::int64_t mono_ms = 0;
};

struct EngineConfig {
  std::string device_name;
  election::Rules election;
  std::int64_t head_interval_ms = 30'000;  // an idle, connected device says that it lives
  std::int64_t head_gather_ms = 50;        // what changes within this time is told by one head
  std::int64_t head_pause_ms = 500;        // between two heads to one peer, unless it asks
  std::int64_t resend_after_ms = 2'000;    // unacknowledged records go out again
  std::size_t window_bytes = 1 << 20;      // in flight to one peer
  std::size_t roll_slice_bytes = 1 << 20;  // of the roll in one message, about
  std::size_t unread_max = 65'536;         // records of one feed held unread; beyond: not taken yet
  std::size_t state_max = 480u << 20;      // of a snapshot's state; sealed it stays below 512 MiB
  Rules rules;                             // all repaired; the simulator breaks one at a time
};

// What a message must not be sent without: flush() has seen to it.
struct Send {
  DeviceId to;
  Bytes message;  // at most kMessageMax
};
inline constexpr std::size_t kMessageMax = 4 << 20;

enum class ChangeKind {
  kTurns,
  kCards,
  kDrawers,
  kPrimary,
  kDevices,
  kFork,
  kMemberProposed,
  kMemberAdmitted,
  kRevoked,
  kOwner,
  kForgetting,
  kErased  // words are gone; what is left of them on the disk may be scrubbed, also when final
};
struct Change {
  ChangeKind kind;
  DeviceId device;     // where one is meant
  std::string detail;  // for events and logs; no content of cards or turns
};

struct MemberView {
  DeviceId id;
  std::string name;
  bool self = false, member = true, connected = false, frozen = false;
  std::string approval;  // "", or "waiting for a second device"
  election::Vitals vitals;
  std::optional<std::int64_t> silent_ms;  // since last heard; empty: never
  std::uint64_t applied_height = 0;       // from its head
  store::Term applied_term;               // the term under which it stands there
  std::uint64_t pending = 0;              // its observations not yet in an entry here
};

struct EngineStatus {
  store::BoxId box;
  DeviceId self;
  bool acting = false;              // primary, in the term opened since this start
  std::optional<DeviceId> primary;  // holder of the adopted term
  store::Position tip, final_position;
  store::Term seen;
  std::uint64_t pending = 0;  // own observations not yet in an entry
  std::uint64_t unread = 0;
  std::uint64_t withheld = 0;  // records whose key, and granted content that has not come yet
  std::vector<MemberView> members;
  std::vector<election::Standing> ranking;
  std::optional<DeviceId> pin;
  std::vector<std::string> forks;
  std::vector<std::string> troubles;  // what keeps others from having all, and what to do
  std::uint64_t dropped_messages = 0, rollbacks = 0;
  std::string take_over_reason;  // of the adopted term: "first", "planned", "pin", "silent", ...
};

struct Newcomer {
  crypto::PublicIdentity keys;
  std::string name;
  crypto::Signature acceptance{};  // by its sign key over acceptance_message(box, keys)
};
Bytes acceptance_message(const store::BoxId& box, const crypto::PublicIdentity& keys);

class Engine {
 public:
  // Opens what the box holds, or founds a box of one device in it (its roll's first record).
  static Result<std::unique_ptr<Engine>> open(store::Box& box, const crypto::Identity& identity,
                                              crypto::Random& random, EngineConfig config, Now now);
  // Both at once, or neither: a welcome that is refused leaves the box as it was.
  static Result<std::unique_ptr<Engine>> join(store::Box& box, const crypto::Identity& identity,
                                              ByteView welcome, crypto::Random& random,
                                              EngineConfig config, Now now);
  // Whether the box belongs to a set of devices already; false also where it cannot be read.
  static bool founded(store::Box& box);
  // A newcomer's empty or local-only box becomes a copy of the sponsor's; then open() it.
  static Status accept_welcome(store::Box& box, const crypto::Identity& identity, ByteView welcome,
                               crypto::Random& random);
  ~Engine();

  // ---- the user and the apps. On disk when they return; errors name the field.
  // Turns whose drawer is local stay; the others become observations. Ids in the input's order; a
  // repeated one gives the id that is there. Many calls' turns may be handed over at once.
  Result<std::vector<TurnId>> hear(std::vector<store::Turn> turns, Now now);
  // `edit.edit`, `at`, sources, key and copy are filled in from the target where empty. Gives the
  // card's id (kAdd, kReplace: the new one's).
  Result<store::CardId> edit(store::CardEdited edit, Now now);
  // Many edits in their order, all or none, with one sync; a later one may be about an earlier
  // one's card. Edits of several drawers that fit into one record stand in one, so that others take
  // them together. Gives the cards' ids in the same order.
  Result<std::vector<store::CardId>> edit_all(std::vector<store::CardEdited> edits, Now now);
  Status end_conversation(const std::string& conversation, Now now);
  Status count_usage(std::vector<store::CardId> handed_out, Now now);

  // ---- the secretary. True: this device writes cards for shared drawers now.
  bool acting() const;
  // Files a unit made of turns of one drawer, if still allowed: acting (shared drawers), and none
  // of its turns extracted. False: not (any more) wanted; nothing is lost.
  // `ends`: edits of cards in other drawers, in the same commit, if it is filed.
  Result<bool> file_unit(store::UnitFiled unit, Now now, std::vector<store::CardEdited> ends = {});
  // Many of them with one sync; those not wanted are passed over.
  Status file_units(std::vector<store::UnitFiled> units, Now now);

  // ---- drawers
  Result<store::Drawer> make_drawer(const std::string& name, Now now);  // local
  // Sharing sends what the drawer holds; un-sharing keeps a local copy here and stops new content.
  Status share_drawer(DrawerId drawer, bool shared, std::vector<DeviceId> devices, Now now);
  Status rename_drawer(DrawerId drawer, const std::string& name, Now now);

  // ---- members
  // Effective at once in a box of one device; else it waits for approve() on another member.
  Status propose_member(const Newcomer& newcomer, Now now);
  Status approve(DeviceId newcomer, Now now);
  Status approve_with_recovery(DeviceId newcomer, const crypto::Secret& recovery_seed, Now now);
  // What a member newly admitted needs to begin: box id, roll, keys, sealed to it.
  Result<Bytes> welcome(DeviceId newcomer);
  bool is_member(DeviceId device) const;
  std::optional<crypto::PublicIdentity> member_keys(DeviceId device) const;
  std::optional<DeviceId> member_by_box_key(const crypto::BoxKey& key) const;
  Status revoke(DeviceId device, Now now);
  // Once, in a box that has none: makes the recovery key; the text is shown and forgotten.
  Result<std::optional<std::string>> make_recovery(Now now);
  Status pin(std::optional<DeviceId> device, Now now);
  // Whose box it is and in which zone they live, on all members; the newest word holds. Empty:
  // nobody has said so yet.
  struct Owner {
    std::string name, zone;
    bool operator==(const Owner&) const = default;
  };
  std::optional<Owner> owner() const;
  Status set_owner(const Owner& owner, Now now);
  // The policy of forgetting, on all members, opaque here; the newest word holds. Empty: none.
  std::string forgetting_policy() const;
  Status set_forgetting_policy(const std::string& policy, Now now);

  // ---- peers: an authenticated link is up or gone; a message came over it (or from a relay).
  void peer_up(DeviceId device, Now now);
  void peer_down(DeviceId device, Now now);
  Status receive(DeviceId from, ByteView message, Now now);

  // ---- time
  void set_vitals(const election::Vitals& vitals);
  Status tick(Now now);
  // When tick() has something to do; empty: nothing until an event. mono_ms.
  std::optional<std::int64_t> next_tick_ms() const;

  // ---- out. Syncs what the messages rest on, then gives them; empty where nothing is to be said.
  Result<std::vector<Send>> flush(Now now);
  std::vector<Change> take_changes();

  EngineStatus status(Now now) const;
  // For the doctor: what does not verify of the feeds, and of the turns that they hold. Reads all.
  Result<std::vector<std::string>> check();
  std::uint64_t final_height() const;  // entries up to it cannot be taken back any more
  // Keyed hash of the box's secret for other folders' use (discovery tags, card ids).
  Hash32 derived_key(std::string_view purpose) const;

 private:
  friend struct EngineProbe;  // tests: opens terms and makes messages by hand
  struct Impl;
  explicit Engine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kartei::sync
