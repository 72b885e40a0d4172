// The engine's inside, shared by the files engine*.cpp; not for others.
//
// Everything durable lies in the box and is mirrored here: after a failed transaction the mirrors
// are read again. Every call from outside is one transaction (write()), ended by settle().
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "store/box.h"
#include "store/records.h"
#include "sync/engine.h"
#include "sync/ledger.h"
#include "sync/pace.h"
#include "sync/record.h"
#include "sync/roll.h"
#include "sync/wire.h"

namespace kartei::sync {

using Durability = store::Box::Transaction::Durability;

inline constexpr std::size_t kBodyTarget = 256 << 10;   // of an observation's turns
inline constexpr std::size_t kEntryTarget = 768 << 10;  // of an entry's bodies
inline constexpr std::size_t kTurnMax = 1 << 20;        // text and caption of one turn
inline constexpr std::size_t kEntriesACall = 256;
inline constexpr std::size_t kAnswerAtOnce = 64 << 10;  // bytes of a message; less: soon
inline constexpr std::int64_t kAnswerPauseMs = 60'000;
inline constexpr std::size_t kChunkMax = 512 << 10;        // of a snapshot in one message
inline constexpr std::size_t kWelcomeStateMax = 8u << 20;  // more comes over a link
inline constexpr std::size_t kSnapshotMax = 512u << 20;
inline constexpr std::size_t kDeviceNameMax = 128;  // bytes

struct Feed {
  std::uint64_t start = 0, end = 0;
  std::optional<Hash32> last;  // hash of record end - 1, where known
  bool frozen = false;
  std::int64_t grew_ms = 0;
  // Entries with operations, and observations with edits or units: what overlay and refiling look
  // at.
  std::set<std::uint64_t> notable;
  std::deque<std::uint64_t> observations;
  std::set<std::uint64_t> unreadable;  // a key that we should have has not come yet
};

struct KnownHead {
  Head head;
  Bytes sealed;
};

struct Peer {
  bool up = false, linked_once = false;
  bool heard = false;  // its head came since the link is up
  bool head_due = false, head_soon = false;
  std::int64_t head_soon_ms = INT64_MAX;  // since when, as flush() has seen it
  bool own_head_due = false;              // it speaks below an incarnation of its own that we know
  bool ask_due = false, roll_due = false;
  std::optional<std::size_t> roll_from;  // the roll is being told, from this record on
  std::int64_t head_sent_ms = INT64_MIN / 2, roll_told_ms = INT64_MIN / 2;
  Pace pace;
  bool answer_asked = false;  // half of the window is under way, and it was asked what arrived
  // Where its `have` grew last, and feeds that their authors did not bring it in time.
  std::int64_t heard_first_ms = 0;
  std::map<FeedId, std::int64_t> grew_ms;
  std::set<FeedId> passed_on;
  std::int64_t progress_ms = 0;  // since when nothing in flight has been acknowledged
  Counts sent;                   // optimistic; falls back to its `have`
  struct Flight {
    FeedId feed;
    std::uint64_t end = 0;
    std::size_t bytes = 0;
    std::int64_t sent_ms = 0;
    bool overtaken = false;  // what was sent later has arrived
  };
  std::deque<Flight> flights;  // in the order of sending
  std::size_t in_flight = 0;
  std::map<DeviceId, std::pair<FeedId, std::uint64_t>> heads_sent;
  // A snapshot on its way to it, and what it asked for.
  Hash32 snapshot_hash{};
  Bytes snapshot;
  Hash32 snapshot_at{};  // base it was made of
  Pace snapshot_pace;
  std::int64_t snapshot_sent_ms = INT64_MIN / 2;
  std::uint64_t snapshot_asked = 0;  // the furthest part asked for
  std::optional<std::uint64_t> snapshot_offset;
  bool snapshot_forced = false;  // asked for, though it lacks no record
  bool snapshot_done(std::int64_t now_ms) const {
    return !snapshot_offset && now_ms - snapshot_sent_ms > 20'000;
  }
  std::int64_t reload_asked_ms = INT64_MIN / 2;
};

struct IncomingSnapshot {
  DeviceId from;
  Hash32 hash{};
  std::uint64_t total = 0;
  Bytes data;
  std::int64_t asked_ms = INT64_MIN / 2, heard_ms = INT64_MIN / 2;
  bool ask_due = false;
  Pace pace;
};

// What a primary would file next.
struct Work {
  Counts consumed;                    // feeds read further than the tip has
  std::vector<store::Delta> waiting;  // units and edits of entries that lost
  std::vector<store::Delta> pending;  // turns, edits, proposed units of observations
  bool read_any = false, more = false;
};

bool is_erase(const store::Delta& delta);  // engine_keys.cpp
// Of edits, usage counts and ends of conversations; else null. engine_work.cpp
const store::EditId* edit_of(const store::Delta& delta);

struct Taken;   // engine_collect.cpp
struct Unread;  // engine_collect.cpp

struct EntryDraft {
  std::uint64_t counter = 0, index = 0;
  Counts consumed;  // those raised
  std::vector<store::Delta> deltas;
  std::optional<DeviceId> successor;
  std::string reason;
  bool counts_itself = false;
};

struct KeyPart {
  DrawerId drawer;
  Epoch epoch = 0;
  std::vector<KeyBox> boxes;
};

struct Engine::Impl {
  Impl(store::Box& box, const crypto::Identity& identity, crypto::Random& random,
       EngineConfig config);

  store::Box& box;
  const crypto::Identity& identity;
  crypto::Random& random;
  EngineConfig config;
  const Rules& rules;
  const DeviceId self;

  // ---- mirrors of what lies in the box
  BoxId box_id;
  crypto::Secret box_secret, roll_key, head_key;
  std::unique_ptr<Roll> roll;
  std::unique_ptr<Ledger> ledger;
  std::map<FeedId, Feed> feeds;
  Term seen;
  std::uint64_t head_counter = 0;
  std::map<DeviceId, KnownHead> heads;
  std::map<std::pair<DrawerId, Epoch>, crypto::Secret> keys;
  std::set<DeviceId> heads_dirty;  // others', to be kept with the next other change
  bool records_dirty = false, seen_dirty = false, base_dirty = false, tip_dirty = false,
       roll_dirty = false;
  // A drawer was granted whose entries were folded as skeletons: its content comes by a snapshot.
  std::set<DrawerId> content_missing;
  bool missing_dirty = false;
  // Of a newcomer: where its sponsor stood. Whoever leads from below could leave a final position.
  Position awaits;
  bool overlay_set = false, overlay_stale = true;
  Counts forked_at;  // frozen feeds, and where they forked
  bool forks_dirty = false;
  std::map<FeedId, std::uint64_t> ever;  // only for the broken rule consumed_by_chain

  // ---- volatile
  std::optional<FeedId> own;  // the incarnation in use
  std::map<DeviceId, Peer> peers;
  std::map<DeviceId, std::int64_t> heard_ms;
  std::optional<IncomingSnapshot> incoming;
  election::Vitals vitals;
  std::vector<Change> changes;
  std::optional<Hash32> too_large_at;  // the final position whose state no snapshot can hold
  bool offered_too_large = false;
  std::uint64_t dropped_messages = 0, rollbacks = 0;
  std::int64_t opened_ms = 0, tip_moved_ms = 0, tenure_ms = 0;
  std::optional<std::int64_t> unread_since_ms, waiting_since_ms;
  std::int64_t last_settled_ms = 0;
  bool roll_moved = false, keys_moved = true, keys_check_due = true;
  std::set<DeviceId> members_known, waiting_known;
  Roll::Owner owner_known;
  Roll::Forgetting forgetting_known;
  std::set<DrawerId> drawers_held, erased_in;
  std::size_t drawers_known = 0;
  std::map<FeedId, std::uint64_t> cuts_known;
  std::optional<std::int64_t> grants_owed_ms;  // keys to be given out, since when
  using KeyName = std::pair<DrawerId, Epoch>;
  std::set<KeyName> lacking;                    // that this device should hold, for unread records
  std::map<DeviceId, std::set<KeyName>> asked;  // by others' newest heads, of keys held here
  struct Answer {
    std::int64_t at_ms = 0, pause_ms = 0;  // none again before that
  };
  std::map<std::pair<DeviceId, KeyName>, Answer> answered;
  bool unextracted = false;  // filed turns that the secretary has not read yet
  bool box_moved = true;     // since that was looked up
  bool gc_owed = true;       // once after a start
  // Deltas of records written or received in this call, so that they are not opened twice.
  std::map<Hash32, std::vector<store::Delta>> deltas_of;

  // ---- engine.cpp: opening, transactions
  Status start(bool with_state, Now now);
  Status load(Now now);
  Status load_feeds();
  Status take_welcome_state();
  Status found(Now now);
  void derive_keys();
  template <class Body>
  Status write(Durability durability, Body body, Now now);
  Status settle(Now now);
  Status save();
  Status save_heads();
  void take_old_feed();  // only for the broken rule incarnations
  Durability user_durability() const {
    return rules.sync_before_ack ? Durability::kSynced : Durability::kLazy;
  }

  // ---- engine_feed.cpp: records
  Result<FeedId> own_feed();
  std::uint32_t highest_own_number() const;
  Result<Header> next_header(RecordKind kind);
  Status append_own(Record record, std::vector<store::Delta> deltas, Now now);
  Status append_observation(std::vector<store::Delta> deltas, Now now);
  Status store_record(const Record& record, Bytes bytes, Now now);
  Status index_record(const Record& record, bool arrived);
  Status index_entry(const Record& record, bool arrived);
  Status index_observation(const Record& record, bool arrived);
  bool should_read(const DrawerId& drawer) const;
  Result<std::vector<store::Delta>> open_deltas(const Record& record, bool* missing_key);
  Result<Record> read_record(const FeedId& feed, std::uint64_t seq);
  Status reread_unreadable();
  Status rescan_turns(const FeedId& feed, std::uint64_t from, std::uint64_t to);
  const crypto::Secret* key(const DrawerId& drawer, Epoch epoch) const;
  std::uint64_t end_of(const FeedId& feed) const;
  void raise_seen(const Term& term);
  void note_fork(const FeedId& feed, std::uint64_t seq);
  void freeze(const FeedId& feed, std::uint64_t seq);
  std::vector<std::string> forks() const;

  // ---- engine_user.cpp
  Result<bool> is_shared(const DrawerId& drawer);
  Status hear(std::vector<store::Turn>& turns, std::vector<TurnId>& ids, Now now);
  using CardsMade = std::map<store::CardId, store::Card>;  // by earlier edits of the same call
  Result<std::optional<store::Card>> find_card(const store::CardId& id, const CardsMade& made);
  Status complete_edit(store::CardEdited& edit, const CardsMade& made);
  Status edit_all(std::vector<store::CardEdited>& edits, std::vector<store::CardId>& ids, Now now);
  Status say(store::Delta delta, Now now);
  Result<bool> file_unit(store::UnitFiled unit, Now now);

  // ---- engine_work.cpp: adoption and the primary's work
  std::uint64_t readable_end(const FeedId& feed) const;
  LedgerView view() const;
  Status adopt(Now now);
  Result<std::vector<store::Delta>> entry_deltas(const Entry& entry,
                                                 std::set<std::size_t>* skeletons);
  bool is_acting() const;
  bool may_lead() const;
  bool awaiting_state() const;
  Status file_unread(Now now);
  Status append_entry(EntryDraft draft, Now now);
  Status open_term(const std::string& reason, Now now);
  Status hand_over(const DeviceId& successor, Now now);
  Status refresh_overlay();
  Status note_waiting(Now now);
  bool started(Now now) const;
  Status consider_handing_over(Now now);
  std::optional<std::int64_t> next_lead_ms() const;
  bool unread_waits() const;
  Status consider_leading(Now now);
  std::size_t rank_of_self(const std::vector<election::Standing>& ranking,
                           const DeviceId& holder) const;
  std::vector<election::Standing> ranking(Now now) const;
  std::optional<DeviceId> holder() const;

  // ---- engine_collect.cpp: what is unread
  Result<Work> collect(bool overlay);
  Status take_foreign(const Entry& entry, Taken& taken, Work& work);
  Status take_observed(const store::Delta& delta, const Header& header, Taken& taken, Work& work,
                       bool overlay);
  Status take_edit(store::Delta delta, Taken& taken, std::vector<store::Delta>& out);
  Result<bool> unit_wanted(const store::UnitFiled& unit, Taken& taken);
  std::uint64_t readable_to(const FeedId& feed, const Feed& known, std::uint64_t from) const;
  Status read_unread(const Record& record, Unread& unread);
  Status read_notable(const FeedId& feed, std::uint64_t from, std::uint64_t to, Unread& unread);
  Status read_feed(const FeedId& feed, std::uint64_t from, std::uint64_t to, Unread& unread);

  // ---- engine_final.cpp
  Status advance_final();
  std::optional<std::uint64_t> final_height() const;
  std::uint64_t received_height(const Head& head) const;
  Counts received_by_all() const;
  Result<BaseState> base_at(std::uint64_t height);
  Status set_base(std::uint64_t height);
  Status collect_garbage();
  Result<Bytes> make_snapshot(const DeviceId& receiver);
  Status take_snapshot(ByteView sealed);
  Status load_snapshot(const Snapshot& snapshot);
  Status load_missing(const Snapshot& snapshot);

  // ---- engine_members.cpp: roll, keys, drawers
  Status append_roll(const RollOperation& operation, std::vector<KeyPart> parts, Now now);
  Status on_roll_changed();
  void open_keys();
  Status put_drawers();
  Result<std::pair<Epoch, const crypto::Secret*>> sealing_key(const DrawerId& drawer, Now now);
  Result<KeyPart> new_key(const DrawerId& drawer, const std::vector<DeviceId>& holders);
  KeyBox box_for(const crypto::BoxKey& to, const DeviceId& device, const DrawerId& drawer,
                 Epoch epoch, const crypto::Secret& secret);
  KeyPart grant_of(const DrawerId& drawer, Epoch epoch);
  bool grants_owed() const;
  std::int64_t grants_due_ms() const;
  Status repair_keys(Now now);
  std::set<DrawerId> drawers_now() const;
  bool folded_without(const DrawerId& drawer) const;
  void note_members();
  Status must_be_member() const;
  Status revoke(const DeviceId& device, Now now);
  std::vector<DeviceId> holders_of(const DrawerId& drawer) const;
  std::vector<KeyPart> keys_for(const crypto::PublicIdentity& newcomer);
  // ---- engine_keys.cpp
  void note_erases(const std::vector<store::Delta>& deltas);
  Status renew_after_erase(Now now);
  std::set<std::pair<DrawerId, Epoch>> old_keys() const;
  Status keep_needed_keys(std::set<std::pair<DrawerId, Epoch>>& old);
  Status destroy_old_keys();
  void note_lacking(const Header& header, const Part& part);
  void note_asked(const Head& head);
  bool answer_owed(const DeviceId& device, const KeyName& name, Now now) const;
  bool answers_owed(Now now) const;
  std::vector<KeyPart> answers(Now now);

  // ---- engine_drawers.cpp
  Status announce_drawer(const DrawerId& id, const std::string& name, bool shared,
                         const std::vector<DeviceId>& devices, std::vector<KeyPart> parts, Now now);
  Status share_drawer(const DrawerId& id, bool shared, const std::vector<DeviceId>& devices,
                      Now now);
  Status share_local(const store::Drawer& drawer, const std::vector<DeviceId>& devices, Now now);
  std::vector<KeyPart> grants(const DrawerId& id, const std::vector<DeviceId>& holders);
  std::optional<std::string> drawer_name(const RollDrawer& drawer) const;

  // ---- engine_peers.cpp: in
  Status take_roll(const std::vector<Bytes>& records);
  Status take_heads(const Message& message, const DeviceId& from, Now now);
  Status take_head(const Bytes& sealed, const DeviceId& from, Now now);
  void acknowledge(Peer& peer, const Head& head, Now now);
  Status take_ranges(const Message& message, Now now);
  Result<bool> take_range(const RecordRange& range, Now now);
  Result<bool> forks_from(const FeedId& id,
                          const std::vector<std::pair<Record, const Bytes*>>& records);
  void note_request(Peer& peer, const SnapshotRequest& request, Now now);
  Status take_chunk(const DeviceId& from, const SnapshotChunk& chunk, Now now);

  // ---- engine_send.cpp: out
  void heads_due();
  Head make_head() const;
  Status renew_head();
  bool head_wanted(const Peer& peer, bool with_more, Now now) const;
  std::int64_t head_wanted_ms(const Peer& peer) const;
  std::int64_t head_interval() const;
  void add_heads(const DeviceId& device, Peer& peer, Message& message);
  bool roll_owed(const DeviceId& device, Peer& peer, Now now) const;
  void add_roll(Peer& peer, Message& message) const;
  Status add_records(const DeviceId& device, Peer& peer, Message& message, Now now);
  void forget_lost_flights(Peer& peer, Now now) const;
  std::optional<std::int64_t> lost_flights_ms(const Peer& peer) const;
  std::size_t window(const Peer& peer) const { return peer.pace.window(config.window_bytes); }
  std::int64_t patience_ms(const Pace& pace) const {
    return pace.patience_ms(config.resend_after_ms);
  }
  Status add_snapshot(const DeviceId& device, Peer& peer, Message& message, Now now);
  bool lacks_dropped(const DeviceId& device) const;
  std::optional<std::int64_t> held_back_until(const DeviceId& device, const Peer& peer) const;
  std::int64_t left_to_author_until(const Peer& peer, const FeedId& id, const Feed& feed) const;

  // ---- engine_check.cpp
  Status check_record(const Record& record, std::vector<std::string>& wrong);
  Status check_feed(const FeedId& id, const Feed& feed, std::vector<std::string>& wrong);

  // ---- engine_status.cpp
  std::uint64_t unread_of(const FeedId& id, const Feed& feed) const;
};

}  // namespace kartei::sync
