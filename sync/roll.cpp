#include "sync/roll.h"

#include <algorithm>

#include "crypto/hash.h"
#include "sync/codec.h"
#include "sync/engine.h"

namespace kartei::sync {

namespace {

const RollDevice* proposed(const RollRecord& record) {
  auto* propose = std::get_if<RollPropose>(&record.operation);
  return propose ? &propose->device : nullptr;
}

DeviceId id_of(const RollDevice& device) {
  return DeviceId{device.keys.id()};
}

// Numbers of which the highest holds: pins, owners, policies, versions of drawers, epochs. A member
// gone bad could end them by giving the last one at once; so whatever leaps too far above those
// below it is left out. Honest ones are one above the highest known.
class Climb {
 public:
  explicit Climb(std::uint64_t leap) : leap_(leap) {}
  // In rising order.
  bool reaches(std::uint64_t number) {
    if (number - top_ > leap_) return false;
    top_ = number;
    return true;
  }
  std::uint64_t top() const { return top_; }

 private:
  std::uint64_t leap_, top_ = 0;
};
constexpr std::uint64_t kNumberLeap = std::uint64_t{1} << 32, kEpochLeap = 1 << 10;

// The highest of those that climb, by (number, tie).
template <class Item>
std::optional<Item> highest(std::vector<Item> items) {
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a < b; });
  Climb climb(kNumberLeap);
  std::optional<Item> best;
  for (Item& item : items) {
    if (!climb.reaches(item.number)) break;
    best = std::move(item);
  }
  return best;
}

struct DrawerVersion {
  std::uint64_t number = 0;
  Hash32 hash{};
  const RollDrawer* drawer = nullptr;
  bool operator<(const DrawerVersion& other) const {
    return std::tie(number, hash) < std::tie(other.number, other.hash);
  }
};

bool accepted(const BoxId& box, const RollDevice& device) {
  return device.keys.verify() &&
         crypto::verify(device.keys.sign_key, acceptance_message(box, device.keys),
                        device.acceptance);
}

}  // namespace

BoxId derive_box_id(const crypto::SignKey& founder, const std::array<std::uint8_t, 16>& nonce) {
  Hash32 hash = crypto::hash("kartei box id v1", {founder, nonce});
  BoxId out;
  std::copy_n(hash.begin(), 16, out.bytes.begin());
  return out;
}

Bytes acceptance_message(const store::BoxId& box, const crypto::PublicIdentity& keys) {
  ByteWriter out;
  out.bytes(as_bytes("kartei acceptance v1"));
  out.bytes(box.view());
  out.bytes(keys.encode());
  return out.take();
}

Bytes recovery_message(const BoxId& box, const crypto::PublicIdentity& keys) {
  ByteWriter out;
  out.bytes(as_bytes("kartei recovery v1"));
  out.bytes(box.view());
  out.bytes(keys.encode());
  return out.take();
}

Result<RollOperation> open_operation(const Record& record, const crypto::Secret& roll_key) {
  if (record.parts.empty() || record.parts[0].drawer != kControl || record.parts[0].epoch != 0)
    return corrupt("roll: a record without its operation");
  KARTEI_ASSIGN(Bytes body, record.open_part(0, roll_key));
  return decode_roll_operation(body);
}

bool Roll::add(RollRecord record) {
  if (!append(std::move(record))) return false;
  fold();
  return true;
}

bool Roll::append(RollRecord record) {
  if (!have_.insert(record.record.hash).second) return false;
  const RollDevice* newcomer = proposed(record);
  record.accepted = newcomer && accepted(box_, *newcomer);
  records_.push_back(std::move(record));
  return true;
}

std::size_t Roll::add_all(const std::vector<Bytes>& records, const crypto::Secret& roll_key) {
  std::vector<RollRecord> open;
  for (const Bytes& bytes : records) {
    auto record = Record::decode(bytes);
    if (!record || record->header.box != box_ || record->header.kind != RecordKind::kRoll) continue;
    auto operation = open_operation(*record, roll_key);
    if (!operation) continue;
    open.push_back({std::move(*record), std::move(*operation), false});
  }
  // Those whose authors are known by now, all at once; they may bring further authors.
  std::size_t added = 0;
  for (bool again = true; again;) {
    again = false;
    std::vector<RollRecord> later;
    for (RollRecord& item : open) {
      auto* genesis = std::get_if<RollGenesis>(&item.operation);
      const RollDevice* author = genesis ? &genesis->device : device(item.author());
      if (!author || id_of(*author) != item.author()) {
        later.push_back(std::move(item));
        continue;
      }
      if (have_.contains(item.record.hash) || !item.record.verify(author->keys.sign_key)) continue;
      append(std::move(item));
      ++added;
      again = true;
    }
    open = std::move(later);
    if (again) fold();
  }
  return added;
}

std::vector<Bytes> Roll::encoded() const {
  std::vector<Bytes> out;
  for (const RollRecord& item : records_) out.push_back(item.record.encode());
  return out;
}

const RollDevice* Roll::device(const DeviceId& device) const {
  auto found = devices_.find(device);
  return found == devices_.end() ? nullptr : &found->second;
}

bool Roll::proposed_by(const DeviceId& newcomer, const DeviceId& sponsor) const {
  return std::any_of(records_.begin(), records_.end(), [&](const RollRecord& item) {
    const RollDevice* device = proposed(item);
    return device && item.author() == sponsor && id_of(*device) == newcomer;
  });
}

std::uint64_t Roll::cut(const FeedId& feed) const {
  auto revoked = cuts_.find(feed.device);
  if (revoked == cuts_.end()) return is_member(feed.device) ? UINT64_MAX : 0;
  auto named = revoked->second.find(feed);
  return named == revoked->second.end() ? 0 : named->second;
}

bool Roll::may_hold(const DrawerId& drawer, const DeviceId& device) const {
  if (!is_member(device)) return false;
  if (drawer == kControl) return true;
  auto found = drawers_.find(drawer);
  if (found == drawers_.end() || !found->second.shared) return false;
  const auto& allowed = found->second.devices;
  return allowed.empty() || std::find(allowed.begin(), allowed.end(), device) != allowed.end();
}

std::optional<Epoch> Roll::current_epoch(const DrawerId& drawer) const {
  auto past = keys_.upper_bound({drawer, UINT64_MAX});
  for (auto it = past; it != keys_.begin();) {
    --it;
    if (it->first.first != drawer) break;
    const Key& key = it->second;
    bool sound = std::all_of(key.makers.begin(), key.makers.end(),
                             [&](const DeviceId& maker) { return may_hold(drawer, maker); });
    for (const auto& [device, boxes] : key.boxes) sound = sound && may_hold(drawer, device);
    if (sound) return it->first.second;
  }
  return std::nullopt;
}

Epoch Roll::highest_epoch(const DrawerId& drawer) const {
  auto past = keys_.upper_bound({drawer, UINT64_MAX});
  if (past == keys_.begin()) return 0;
  --past;
  return past->first.first == drawer ? past->first.second : 0;
}

bool Roll::within_cut(const Record& record) const {
  auto revoked = cuts_.find(record.header.feed.device);
  if (revoked == cuts_.end()) return true;
  auto named = revoked->second.find(record.header.feed);
  return named != revoked->second.end() && record.header.seq < named->second;
}

bool Roll::counts(std::size_t index) const {
  const RollRecord& item = records_[index];
  if (!admitted_.contains(item.author())) return false;
  if (std::holds_alternative<RollRevoke>(item.operation)) return revocation_counts_[index];
  return within_cut(item.record);
}

void Roll::fold() {
  fold_devices();
  // Revocations by devices whose own admission turns out void do not count.
  std::set<std::size_t> excluded;
  for (bool again = true; again;) {
    again = false;
    fold_cuts(excluded);
    fold_members();
    for (std::size_t i = 0; i < records_.size(); ++i)
      if (revocation_counts_[i] && !admitted_.contains(records_[i].author()))
        again = excluded.insert(i).second || again;
  }
  fold_rest();
}

// Whoever was ever admitted, cuts left aside: whose records can be verified and kept.
void Roll::fold_devices() {
  founder_.reset();
  devices_.clear();
  for (const RollRecord& item : records_) {
    auto* genesis = std::get_if<RollGenesis>(&item.operation);
    if (!genesis || derive_box_id(genesis->device.keys.sign_key, genesis->device.nonce) != box_)
      continue;
    founder_ = item.author();
    devices_.emplace(*founder_, genesis->device);
  }
  cuts_.clear();
  std::set<DeviceId> struck;
  for (const RollRecord& item : records_)
    if (auto* revoke = std::get_if<RollRevoke>(&item.operation)) struck.insert(revoke->device);
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const RollDevice* newcomer = proposed(records_[i]);
      if (!newcomer || !devices_.contains(records_[i].author()) || !records_[i].accepted) continue;
      if (devices_.contains(id_of(*newcomer))) continue;
      std::set<DeviceId> all;
      bool alone = true;
      for (const auto& [device, keys] : devices_) {
        all.insert(device);
        alone = alone && (device == records_[i].author() || struck.contains(device));
      }
      if (!admitted_by(i, all, false) && !(alone && admitted_by(i, all, true))) continue;
      devices_.emplace(id_of(*newcomer), *newcomer);
      again = true;
    }
  }
}

// A revocation is void iff one that surely counts cuts it off. Two that cut off each other both
// count: removal wins.
std::vector<bool> Roll::effective_revocations(const std::set<std::size_t>& excluded) const {
  enum State { kOpen, kIn, kOut };
  std::vector<State> state(records_.size(), kOut);
  for (std::size_t i = 0; i < records_.size(); ++i)
    if (std::holds_alternative<RollRevoke>(records_[i].operation) &&
        devices_.contains(records_[i].author()) && !excluded.contains(i))
      state[i] = kOpen;
  auto cuts_off = [&](std::size_t by, std::size_t what) {
    const auto& revoke = std::get<RollRevoke>(records_[by].operation);
    const Header& header = records_[what].record.header;
    if (revoke.device != header.feed.device) return false;
    auto named = revoke.cuts.find(header.feed);
    return named == revoke.cuts.end() || header.seq >= named->second;
  };
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      if (state[i] != kOpen) continue;
      bool attacked = false, out = false;
      for (std::size_t k = 0; k < records_.size(); ++k) {
        if (k == i || state[k] == kOut || !cuts_off(k, i)) continue;
        attacked = true;
        out = out || state[k] == kIn;
      }
      if (attacked && !out) continue;
      state[i] = out ? kOut : kIn;
      again = true;
    }
  }
  std::vector<bool> effective(records_.size());
  for (std::size_t i = 0; i < records_.size(); ++i) effective[i] = state[i] != kOut;
  return effective;
}

void Roll::fold_cuts(const std::set<std::size_t>& excluded) {
  revocation_counts_ = effective_revocations(excluded);
  cuts_.clear();
  for (std::size_t i = 0; i < records_.size(); ++i) {
    if (!revocation_counts_[i]) continue;
    const auto& revoke = std::get<RollRevoke>(records_[i].operation);
    auto [entry, fresh] = cuts_.try_emplace(revoke.device);
    Counts& cut = entry->second;
    if (fresh) {
      cut = revoke.cuts;
      continue;
    }
    if (rules_.cut_merge == Rules::CutMerge::kMax) {
      for (const auto& [feed, count] : revoke.cuts) cut[feed] = std::max(cut[feed], count);
      continue;
    }
    Counts lowest;
    for (const auto& [feed, count] : revoke.cuts)
      if (auto other = cut.find(feed); other != cut.end())
        lowest[feed] = std::min(other->second, count);
    cut = std::move(lowest);
  }
}

// `alone`: the sponsor's own approval counts, given that it is the only one left.
bool Roll::admitted_by(std::size_t proposal, const std::set<DeviceId>& admitted, bool alone) const {
  const RollRecord& item = records_[proposal];
  const RollDevice& newcomer = *proposed(item);
  DeviceId id = id_of(newcomer);
  for (const RollRecord& other : records_) {
    if (!admitted.contains(other.author())) continue;
    if (rules_.join_cut && !within_cut(other.record)) continue;
    if (auto* approve = std::get_if<RollApprove>(&other.operation);
        approve && approve->device == id && other.author() != id &&
        (alone ? other.author() == item.author() : other.author() != item.author()))
      return true;
    if (auto* recovery = std::get_if<RollRecoveryApprove>(&other.operation);
        recovery && recovery->device == id)
      for (const crypto::SignKey& key : recovery_)
        if (crypto::verify(key, recovery_message(box_, newcomer.keys), recovery->signature))
          return true;
  }
  return false;
}

void Roll::fold_members() {
  admitted_.clear();
  waiting_.clear();
  if (founder_) admitted_.insert(*founder_);

  std::vector<std::size_t> proposals;
  for (std::size_t i = 0; i < records_.size(); ++i)
    if (const RollDevice* newcomer = proposed(records_[i]);
        newcomer && records_[i].accepted && (!rules_.join_cut || within_cut(records_[i].record)))
      proposals.push_back(i);
  std::sort(proposals.begin(), proposals.end(), [&](std::size_t a, std::size_t b) {
    const Header &x = records_[a].record.header, &y = records_[b].record.header;
    return std::tie(x.feed, x.seq) < std::tie(y.feed, y.seq);
  });

  auto admit = [&](bool alone) {
    for (std::size_t i : proposals) {
      DeviceId id = id_of(*proposed(records_[i]));
      DeviceId sponsor = records_[i].author();
      if (admitted_.contains(id) || !admitted_.contains(sponsor)) continue;
      bool others = std::any_of(admitted_.begin(), admitted_.end(), [&](const DeviceId& other) {
        return other != sponsor && !cuts_.contains(other);
      });
      if (alone && others) continue;
      if (!admitted_by(i, admitted_, alone)) continue;
      admitted_.insert(id);
      return true;
    }
    return false;
  };
  while (admit(false) || admit(true)) {
  }

  members_.clear();
  for (const DeviceId& device : admitted_)
    if (!cuts_.contains(device)) members_.insert(device);
  for (std::size_t i : proposals) {
    const RollDevice& newcomer = *proposed(records_[i]);
    if (is_member(records_[i].author()) && !admitted_.contains(id_of(newcomer)) &&
        !cuts_.contains(id_of(newcomer)))
      waiting_.emplace(id_of(newcomer), newcomer);
  }
}

// Also of records that are void: others may have spoken under such a key before they knew. Nobody
// seals under it any more, since its maker may not hold it.
void Roll::fold_keys(std::size_t i) {
  const RollRecord& item = records_[i];
  if (!devices_.contains(item.author())) return;
  for (std::size_t part = 1; part < item.record.parts.size(); ++part) {
    const Part& sealed = item.record.parts[part];
    epochs_[sealed.drawer].insert(sealed.epoch >> 32);
    if (!sealed.sealed) continue;
    auto boxes = decode_key_boxes(*sealed.sealed);
    if (!boxes) continue;
    Key& key = keys_[{sealed.drawer, sealed.epoch}];
    key.makers.insert(item.author());
    for (const KeyBox& box : *boxes) key.boxes[box.device].push_back({i, part});
  }
}

void Roll::drop_leaping_keys() {
  for (const auto& [drawer, numbers] : epochs_) {
    Climb climb(kEpochLeap);
    for (std::uint64_t number : numbers)
      if (!climb.reaches(number)) break;
    keys_.erase(keys_.upper_bound({drawer, (climb.top() << 32) | 0xffffffff}),
                keys_.upper_bound({drawer, UINT64_MAX}));
  }
}

void Roll::fold_rest() {
  // A recovery key counts if it was made before the founder had admitted anybody: later, one stolen
  // device could make itself a second approver.
  std::pair<std::uint32_t, std::uint64_t> first_approval{UINT32_MAX, UINT64_MAX};
  auto place = [](const Record& record) {
    return std::pair{record.header.feed.number, record.header.seq};
  };
  for (const RollRecord& item : records_)
    if (founder_ && item.author() == *founder_ &&
        std::holds_alternative<RollApprove>(item.operation))
      first_approval = std::min(first_approval, place(item.record));
  std::set<crypto::SignKey> recovery;
  pin_ = {};
  owner_ = {};
  forgetting_ = {};
  drawers_.clear();
  keys_.clear();
  epochs_.clear();
  std::vector<Pin> pins;
  std::vector<Owner> owners;
  std::vector<Forgetting> policies;
  std::map<DrawerId, std::vector<DrawerVersion>> versions;
  std::vector<Hash32> counted;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const RollRecord& item = records_[i];
    if (auto* op = std::get_if<RollRecovery>(&item.operation);
        op && founder_ && item.author() == *founder_ && place(item.record) < first_approval)
      recovery.insert(op->key);
    fold_keys(i);
    if (!counts(i)) continue;
    counted.push_back(item.record.hash);
    if (auto* op = std::get_if<RollPin>(&item.operation))
      pins.push_back({op->number, item.author(), op->device});
    if (auto* op = std::get_if<RollOwner>(&item.operation))
      owners.push_back({op->number, item.author(), op->name, op->zone});
    if (auto* op = std::get_if<RollForgetting>(&item.operation))
      policies.push_back({op->number, item.author(), op->policy});
    if (auto* op = std::get_if<RollDrawer>(&item.operation))
      versions[op->id].push_back({op->version, item.record.hash, op});
  }
  pin_ = highest(std::move(pins)).value_or(Pin{});
  owner_ = highest(std::move(owners)).value_or(Owner{});
  forgetting_ = highest(std::move(policies)).value_or(Forgetting{});
  for (auto& [id, all] : versions)
    if (auto newest = highest(std::move(all))) drawers_[id] = *newest->drawer;
  drop_leaping_keys();
  std::sort(counted.begin(), counted.end());
  Bytes all;
  for (const Hash32& hash : counted) all.insert(all.end(), hash.begin(), hash.end());
  hash_ = crypto::hash("kartei roll v1", {all});
  if (recovery != recovery_) {
    recovery_ = std::move(recovery);
    fold();  // admissions by it can be told only now
  }
}

}  // namespace kartei::sync
