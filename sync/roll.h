// The roll: who belongs to the box, with which keys, who may hold which drawer, whom the owner
// pinned. A set of signed records, folded the same way everywhere whatever the order of arrival:
// removal wins, and what a revoked device said beyond its cut is void with all that follows from
// it.
//
// Values and arithmetic; no I/O, no clock. One thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sync/record.h"
#include "sync/rules.h"
#include "sync/wire.h"

namespace kartei::sync {

struct RollRecord {
  Record record;
  RollOperation operation;
  bool accepted = false;  // of a proposal: its newcomer's own signatures hold; found out by add()

  const DeviceId& author() const { return record.header.feed.device; }
};

// The box's id is made of its first device's key, so that nobody else can have founded it.
BoxId derive_box_id(const crypto::SignKey& founder, const std::array<std::uint8_t, 16>& nonce);
// What a newcomer signs to be admitted, and the recovery key to admit it.
Bytes recovery_message(const BoxId& box, const crypto::PublicIdentity& keys);

class Roll {
 public:
  Roll(const BoxId& box, const Rules& rules) : box_(box), rules_(rules) {}

  // The caller has checked the signature by key_of(author), or is adding the genesis. False: had
  // it.
  bool add(RollRecord record);
  // Checks and adds records in any order (a welcome's, a snapshot's); those that do not verify are
  // left out. How many were added.
  std::size_t add_all(const std::vector<Bytes>& records, const crypto::Secret& roll_key);

  bool is_member(const DeviceId& device) const { return members_.contains(device); }
  const std::set<DeviceId>& members() const { return members_; }
  bool is_revoked(const DeviceId& device) const { return cuts_.contains(device); }
  const std::map<DeviceId, Counts>& cuts() const { return cuts_; }
  // How far a feed may be consumed: all of it for members; the cut for revoked devices; else
  // nothing.
  std::uint64_t cut(const FeedId& feed) const;
  // Of every device that was admitted once, also by an admission that is void now.
  const RollDevice* device(const DeviceId& device) const;
  // Proposed by a member, acceptance verified, still waiting for a second one.
  const std::map<DeviceId, RollDevice>& waiting() const { return waiting_; }
  bool proposed_by(const DeviceId& newcomer, const DeviceId& sponsor) const;
  std::optional<DeviceId> founder() const { return founder_; }
  bool has_recovery() const { return !recovery_.empty(); }
  const std::set<crypto::SignKey>& recovery_keys() const { return recovery_; }

  struct Pin {
    std::uint64_t number = 0;
    DeviceId author;
    std::optional<DeviceId> device;
    auto operator<=>(const Pin&) const = default;
  };
  const Pin& pin() const { return pin_; }
  struct Owner {
    std::uint64_t number = 0;  // 0: nobody has said it
    DeviceId author;
    std::string name, zone;
    auto operator<=>(const Owner&) const = default;
  };
  const Owner& owner() const { return owner_; }
  struct Forgetting {
    std::uint64_t number = 0;  // 0: nobody has said it
    DeviceId author;
    std::string policy;
    auto operator<=>(const Forgetting&) const = default;
  };
  const Forgetting& forgetting() const { return forgetting_; }

  const std::map<DrawerId, RollDrawer>& drawers() const { return drawers_; }
  // kControl: every member. A drawer that is not shared: nobody.
  bool may_hold(const DrawerId& drawer, const DeviceId& device) const;

  // One epoch's key of a drawer (or kControl), and who has been given it.
  struct Key {
    std::set<DeviceId> makers;  // authors of the records that carry it
    std::map<DeviceId, std::vector<std::pair<std::size_t, std::size_t>>> boxes;  // record, part
  };
  const std::map<std::pair<DrawerId, Epoch>, Key>& keys() const { return keys_; }
  // The newest key that was given out by nobody, and to nobody, who may not hold the drawer.
  std::optional<Epoch> current_epoch(const DrawerId& drawer) const;
  Epoch highest_epoch(const DrawerId& drawer) const;

  // Over the records that count.
  const Hash32& hash() const { return hash_; }
  const std::vector<RollRecord>& records() const { return records_; }
  std::size_t size() const { return records_.size(); }
  // For purging key parts; call refold() afterwards.
  std::vector<RollRecord>& mutable_records() { return records_; }
  void refold() { fold(); }
  std::vector<Bytes> encoded() const;
  const BoxId& box() const { return box_; }

 private:
  bool append(RollRecord record);  // without the fold
  void fold();
  void fold_devices();
  std::vector<bool> effective_revocations(const std::set<std::size_t>& excluded) const;
  void fold_cuts(const std::set<std::size_t>& excluded);
  void fold_members();
  bool admitted_by(std::size_t proposal, const std::set<DeviceId>& admitted, bool alone) const;
  void fold_rest();
  void fold_keys(std::size_t index);
  void drop_leaping_keys();
  bool counts(std::size_t index) const;
  bool within_cut(const Record& record) const;

  BoxId box_;
  Rules rules_;
  std::vector<RollRecord> records_;
  std::set<Hash32> have_;

  // folded
  std::optional<DeviceId> founder_;
  std::map<DeviceId, RollDevice> devices_;  // ever admitted
  std::map<DeviceId, RollDevice> waiting_;
  std::set<DeviceId> admitted_, members_;
  std::map<DeviceId, Counts> cuts_;
  std::vector<bool> revocation_counts_;
  std::set<crypto::SignKey> recovery_;
  Pin pin_;
  Owner owner_;
  Forgetting forgetting_;
  std::map<DrawerId, RollDrawer> drawers_;
  std::map<std::pair<DrawerId, Epoch>, Key> keys_;
  std::map<DrawerId, std::set<std::uint64_t>> epochs_;  // numbers ever given, purged ones too
  Hash32 hash_{};
};

// A roll record's operation, opened and decoded. Its first part; the others are key boxes.
Result<RollOperation> open_operation(const Record& record, const crypto::Secret& roll_key);

}  // namespace kartei::sync
