// The roll as the engine uses it: keys, admissions, revocations, pins.
#include <algorithm>

#include "crypto/hash.h"
#include "crypto/sealed.h"
#include "sync/codec.h"
#include "sync/engine_write.h"

namespace kartei::sync {

namespace {

constexpr std::size_t kKeyPartsARecord = 200;

Bytes key_context(const BoxId& box, const DrawerId& drawer, Epoch epoch) {
  ByteWriter out;
  out.bytes(as_bytes("kartei epoch key v1"));
  out.bytes(box.view());
  out.bytes(drawer.view());
  out.integer(epoch);
  return out.take();
}

DeviceId id_of(const crypto::PublicIdentity& keys) {
  return DeviceId{keys.id()};
}

}  // namespace

// Writes the record, and more of them where there are more key parts than fit one.
Status Engine::Impl::append_roll(const RollOperation& operation, std::vector<KeyPart> parts,
                                 Now now) {
  std::size_t done = 0;
  do {
    Record record;
    KARTEI_ASSIGN(record.header, next_header(RecordKind::kRoll));
    record.seal_part(kControl, 0, roll_key, encode(done == 0 ? operation : RollKeys{}), random);
    for (std::size_t i = 0; i < kKeyPartsARecord && done < parts.size(); ++i, ++done)
      record.add_part(parts[done].drawer, parts[done].epoch, encode(parts[done].boxes));
    KARTEI_TRY(append_own(std::move(record), {}, now));
  } while (done < parts.size());
  return on_roll_changed();
}

void Engine::Impl::open_keys() {
  for (const auto& [name, key_of] : roll->keys()) {
    if (keys.contains(name)) continue;
    auto mine = key_of.boxes.find(self);
    if (mine == key_of.boxes.end()) continue;
    for (const auto& [record, part] : mine->second) {
      auto boxes = decode_key_boxes(*roll->records()[record].record.parts[part].sealed);
      if (!boxes) continue;
      for (const KeyBox& box_of : *boxes) {
        if (box_of.device != self) continue;
        auto secret =
            crypto::open_key(identity, key_context(box_id, name.first, name.second), box_of.sealed);
        if (secret && secret->size() == 32) keys.insert_or_assign(name, std::move(*secret));
      }
    }
  }
}

std::vector<DeviceId> Engine::Impl::holders_of(const DrawerId& drawer) const {
  std::vector<DeviceId> out;
  for (const DeviceId& device : roll->members())
    if (roll->may_hold(drawer, device)) out.push_back(device);
  return out;
}

KeyBox Engine::Impl::box_for(const crypto::BoxKey& to, const DeviceId& device,
                             const DrawerId& drawer, Epoch epoch, const crypto::Secret& secret) {
  return {device, crypto::seal_key(to, key_context(box_id, drawer, epoch), secret, random)};
}

Result<KeyPart> Engine::Impl::new_key(const DrawerId& drawer,
                                      const std::vector<DeviceId>& holders) {
  KeyPart part;
  part.drawer = drawer;
  if (roll->highest_epoch(drawer) >> 32 == UINT32_MAX)
    return Error{Cause::kFull, "the drawer has used up its keys; make a new one", {}};
  part.epoch = ((roll->highest_epoch(drawer) >> 32) + 1) << 32 | (random.next_u64() & 0xffffffff);
  crypto::Secret secret = crypto::Secret::random(32, random);
  for (const DeviceId& device : holders) {
    const RollDevice* known = roll->device(device);
    if (!known && device != self) continue;
    part.boxes.push_back(box_for(known ? known->keys.box_key : identity.pub().box_key, device,
                                 drawer, part.epoch, secret));
  }
  keys.insert_or_assign(std::pair{drawer, part.epoch}, std::move(secret));
  return part;
}

// The key to seal new words of a drawer with. Makes one where there is none that only the allowed
// hold, and gives it to those of them that lack it.
Result<std::pair<Epoch, const crypto::Secret*>> Engine::Impl::sealing_key(const DrawerId& drawer,
                                                                          Now now) {
  if (!roll->may_hold(drawer, self))
    return Error{Cause::kForbidden, "this device may not hold that drawer", {}};
  std::optional<Epoch> epoch = roll->current_epoch(drawer);
  if (!epoch || !key(drawer, *epoch)) {
    KARTEI_ASSIGN(KeyPart part, new_key(drawer, holders_of(drawer)));
    epoch = part.epoch;
    std::vector<KeyPart> parts;
    parts.push_back(std::move(part));
    KARTEI_TRY(append_roll(RollKeys{}, std::move(parts), now));
  } else if (KeyPart grant = grant_of(drawer, *epoch); !grant.boxes.empty()) {
    std::vector<KeyPart> parts;
    parts.push_back(std::move(grant));
    KARTEI_TRY(append_roll(RollKeys{}, std::move(parts), now));
  }
  return std::pair{*epoch, key(drawer, *epoch)};
}

// Boxes for those who may hold the drawer and were not given this key.
KeyPart Engine::Impl::grant_of(const DrawerId& drawer, Epoch epoch) {
  KeyPart part{drawer, epoch, {}};
  auto known = roll->keys().find({drawer, epoch});
  const crypto::Secret* secret = key(drawer, epoch);
  if (known == roll->keys().end() || !secret) return part;
  for (const DeviceId& device : holders_of(drawer))
    if (!known->second.boxes.contains(device))
      part.boxes.push_back(
          box_for(roll->device(device)->keys.box_key, device, drawer, epoch, *secret));
  return part;
}

// Somebody who should hold a key that we hold was not given it.
bool Engine::Impl::grants_owed() const {
  for (const auto& [name, key_of] : roll->keys()) {
    if (!key(name.first, name.second)) continue;
    for (const DeviceId& device : roll->members())
      if (!key_of.boxes.contains(device) && roll->may_hold(name.first, device)) return true;
  }
  return false;
}

// A drawer was granted, a device admitted by one that did not hold all keys, or a revocation turned
// out void. The primary gives them out at once; it may be the one that lacks them, so the others
// follow, one after another.
std::int64_t Engine::Impl::grants_due_ms() const {
  if (is_acting()) return *grants_owed_ms;
  auto place = std::distance(roll->members().begin(), roll->members().find(self));
  return *grants_owed_ms + (1 + place) * std::max<std::int64_t>(config.election.patience_ms, 1);
}

Status Engine::Impl::repair_keys(Now now) {
  if (!roll->is_member(self)) return {};
  if (std::exchange(keys_moved, false)) {
    if (!grants_owed() && !answers_owed(now))
      grants_owed_ms.reset();
    else if (!grants_owed_ms)
      grants_owed_ms = now.mono_ms;
  }
  if (!grants_owed_ms || now.mono_ms < grants_due_ms()) return {};
  grants_owed_ms.reset();
  std::vector<KeyPart> parts;
  for (const auto& [name, key_of] : roll->keys())
    if (KeyPart grant = grant_of(name.first, name.second); !grant.boxes.empty())
      parts.push_back(std::move(grant));
  for (KeyPart& answer : answers(now)) parts.push_back(std::move(answer));
  if (parts.empty()) return {};
  return append_roll(RollKeys{}, std::move(parts), now);
}

std::vector<KeyPart> Engine::Impl::keys_for(const crypto::PublicIdentity& newcomer) {
  DeviceId device = id_of(newcomer);
  std::vector<KeyPart> parts;
  for (const auto& [name, secret] : keys) {
    const auto& [drawer, epoch] = name;
    if (drawer != kControl) {
      auto info = roll->drawers().find(drawer);
      if (info == roll->drawers().end() || !info->second.shared) continue;
      const auto& allowed = info->second.devices;
      if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), device) == allowed.end())
        continue;
    }
    parts.push_back({drawer, epoch, {box_for(newcomer.box_key, device, drawer, epoch, secret)}});
  }
  return parts;
}

// Everything that follows from other records of the roll.
Status Engine::Impl::on_roll_changed() {
  roll_moved = false;
  keys_moved = keys_check_due = overlay_stale = true;
  std::size_t keys_before = keys.size();
  open_keys();
  std::erase_if(lacking, [&](const KeyName& name) { return key(name.first, name.second); });
  if (keys.size() != keys_before || roll->drawers().size() != drawers_known) {
    drawers_known = roll->drawers().size();
    deltas_of.clear();  // opened without them
    KARTEI_TRY(reread_unreadable());
  }
  for (const auto& [term, entries] : ledger->terms())
    if (term > seen && !entries.empty() &&
        entries.begin()->second->seq < roll->cut(entries.begin()->second->feed))
      raise_seen(term);
  std::set<DrawerId> held = drawers_now();
  bool all = !std::includes(drawers_held.begin(), drawers_held.end(), held.begin(), held.end());
  if (all && ledger->tip().height > 0)
    for (const DrawerId& drawer : held)
      if (!drawers_held.contains(drawer) && folded_without(drawer))
        missing_dirty = content_missing.insert(drawer).second || missing_dirty;
  drawers_held = std::move(held);
  for (const auto& [id, feed] : feeds) {
    std::uint64_t cut = roll->cut(id);
    auto [known, fresh_cut] = cuts_known.try_emplace(id, UINT64_MAX);
    std::uint64_t from = std::min(known->second, cut);
    if (all) from = 0;
    if (known->second != cut || all) KARTEI_TRY(rescan_turns(id, from, feed.end));
    known->second = cut;
  }
  note_members();
  KARTEI_TRY(put_drawers());
  heads_due();
  return {};
}

std::set<DrawerId> Engine::Impl::drawers_now() const {
  std::set<DrawerId> held;
  for (const auto& [id, drawer] : roll->drawers())
    if (roll->may_hold(id, self)) held.insert(id);
  return held;
}

// Whether there was a time when this device might not hold the drawer.
bool Engine::Impl::folded_without(const DrawerId& drawer) const {
  for (const RollRecord& item : roll->records()) {
    auto* info = std::get_if<RollDrawer>(&item.operation);
    if (info && info->id == drawer && !info->devices.empty() &&
        std::find(info->devices.begin(), info->devices.end(), self) == info->devices.end())
      return true;
  }
  return false;
}

void Engine::Impl::note_members() {
  for (const DeviceId& device : roll->members())
    if (members_known.insert(device).second)
      changes.push_back({ChangeKind::kMemberAdmitted, device, roll->device(device)->name});
  for (const auto& [device, cuts] : roll->cuts())
    if (members_known.erase(device) > 0)
      changes.push_back({ChangeKind::kRevoked, device, roll->device(device)->name});
  for (const auto& [device, info] : roll->waiting())
    if (waiting_known.insert(device).second)
      changes.push_back({ChangeKind::kMemberProposed, device, info.name});
  if (const Roll::Owner& owner = roll->owner(); std::exchange(owner_known, owner) != owner)
    changes.push_back({ChangeKind::kOwner, owner.author, {}});
  const Roll::Forgetting& forgetting = roll->forgetting();
  if (std::exchange(forgetting_known, forgetting) != forgetting)
    changes.push_back({ChangeKind::kForgetting, forgetting.author, {}});
}

Status Engine::Impl::must_be_member() const {
  if (roll->is_member(self)) return {};
  return Error{Cause::kForbidden, "this device was revoked; pair it anew", {}};
}

Status Engine::propose_member(const Newcomer& newcomer, Now now) {
  Impl& impl = *impl_;
  KARTEI_TRY(impl.must_be_member());
  DeviceId device = id_of(newcomer.keys);
  if (!newcomer.keys.verify() ||
      !crypto::verify(newcomer.keys.sign_key, acceptance_message(impl.box_id, newcomer.keys),
                      newcomer.acceptance))
    return corrupt("the new device's keys do not verify; pair again");
  if (newcomer.name.size() > kDeviceNameMax)
    return bad_input("the device's name is too long", "name");
  if (impl.roll->is_member(device)) return {};
  if (impl.roll->is_revoked(device))
    return Error{Cause::kForbidden, "this device was revoked; it needs new keys to be paired", {}};
  return impl.write(
      Durability::kSynced,
      [&]() -> Status {
        RollPropose propose;
        propose.device.keys = newcomer.keys;
        propose.device.name = newcomer.name;
        propose.device.acceptance = newcomer.acceptance;
        bool alone = impl.roll->members().size() == 1;
        KARTEI_TRY(impl.append_roll(propose, {}, now));
        if (!alone) return {};
        return impl.append_roll(RollApprove{device}, impl.keys_for(newcomer.keys), now);
      },
      now);
}

Status Engine::approve(DeviceId newcomer, Now now) {
  Impl& impl = *impl_;
  KARTEI_TRY(impl.must_be_member());
  auto waiting = impl.roll->waiting().find(newcomer);
  if (waiting == impl.roll->waiting().end()) return not_found("no such device waits for approval");
  if (impl.roll->proposed_by(newcomer, impl.self) && impl.roll->members().size() > 1)
    return Error{
        Cause::kForbidden, "approve it on another of your devices, or with the recovery key", {}};
  crypto::PublicIdentity keys = waiting->second.keys;
  return impl.write(
      Durability::kSynced,
      [&] { return impl.append_roll(RollApprove{newcomer}, impl.keys_for(keys), now); }, now);
}

Status Engine::approve_with_recovery(DeviceId newcomer, const crypto::Secret& seed, Now now) {
  Impl& impl = *impl_;
  KARTEI_TRY(impl.must_be_member());
  auto waiting = impl.roll->waiting().find(newcomer);
  if (waiting == impl.roll->waiting().end()) return not_found("no such device waits for approval");
  if (!impl.roll->recovery_keys().contains(crypto::recovery_public(seed)))
    return Error{Cause::kForbidden, "that is not this box's recovery key", {}};
  crypto::PublicIdentity keys = waiting->second.keys;
  RollRecoveryApprove approve{newcomer,
                              crypto::recovery_sign(seed, recovery_message(impl.box_id, keys))};
  return impl.write(
      Durability::kSynced, [&] { return impl.append_roll(approve, impl.keys_for(keys), now); },
      now);
}

Result<Bytes> Engine::welcome(DeviceId newcomer) {
  const RollDevice* device = impl_->roll->device(newcomer);
  if (!device || !impl_->roll->is_member(newcomer))
    return not_found("the device has not been admitted (yet)");
  Welcome out;
  out.box = impl_->box_id;
  out.secret = crypto::seal_key(device->keys.box_key, as_bytes("kartei welcome v1"),
                                impl_->box_secret, impl_->random);
  out.roll = impl_->roll->encoded();
  out.sponsor = impl_->self;
  out.seen = impl_->seen;
  out.tip = impl_->ledger->tip();
  if (impl_->ledger->base().height > 0) {
    auto state = impl_->make_snapshot(newcomer);
    if (!state && state.error().cause != Cause::kUnavailable) return state.error();
    if (state && state->size() <= kWelcomeStateMax) out.state = std::move(*state);
  }
  if (impl_->rules.sync_before_send) KARTEI_TRY(impl_->box.sync());
  return encode(out);
}

bool Engine::is_member(DeviceId device) const {
  return impl_->roll->is_member(device);
}

std::optional<crypto::PublicIdentity> Engine::member_keys(DeviceId device) const {
  if (!impl_->roll->is_member(device)) return std::nullopt;
  return impl_->roll->device(device)->keys;
}

std::optional<DeviceId> Engine::member_by_box_key(const crypto::BoxKey& key) const {
  for (const DeviceId& device : impl_->roll->members())
    if (impl_->roll->device(device)->keys.box_key == key) return device;
  return std::nullopt;
}

Status Engine::revoke(DeviceId device, Now now) {
  Impl& impl = *impl_;
  KARTEI_TRY(impl.must_be_member());
  if (device == impl.self) return bad_input("revoke this device from another one", "device");
  if (!impl.roll->device(device)) return not_found("there is no such device");
  return impl.write(
      Durability::kSynced, [&] { return impl.revoke(device, now); }, now);
}

// New keys for all that it could read, in the same record.
Status Engine::Impl::revoke(const DeviceId& device, Now now) {
  RollRevoke revoke;
  revoke.device = device;
  for (const auto& [id, feed] : feeds)
    if (id.device == device) revoke.cuts[id] = feed.end;
  std::vector<KeyPart> parts;
  auto renew = [&](const DrawerId& drawer) -> Status {
    if (!roll->may_hold(drawer, device) || !roll->may_hold(drawer, self)) return {};
    std::vector<DeviceId> holders = holders_of(drawer);
    std::erase(holders, device);
    KARTEI_ASSIGN(KeyPart part, new_key(drawer, holders));
    parts.push_back(std::move(part));
    return {};
  };
  KARTEI_TRY(renew(kControl));
  for (const auto& [id, drawer] : roll->drawers()) KARTEI_TRY(renew(id));
  return append_roll(revoke, std::move(parts), now);
}

Result<std::optional<std::string>> Engine::make_recovery(Now now) {
  Impl& impl = *impl_;
  if (impl.roll->has_recovery()) return std::optional<std::string>();
  if (impl.roll->founder() != impl.self || impl.roll->members().size() != 1 ||
      !impl.roll->cuts().empty())
    return Error{Cause::kForbidden,
                 "a recovery key can only be made before the box has a second device",
                 {}};
  crypto::Secret seed = crypto::Secret::random(32, impl.random);
  KARTEI_TRY(impl.write(
      Durability::kSynced,
      [&] { return impl.append_roll(RollRecovery{crypto::recovery_public(seed)}, {}, now); }, now));
  return std::optional<std::string>(crypto::recovery_text(seed));
}

Status Engine::pin(std::optional<DeviceId> device, Now now) {
  Impl& impl = *impl_;
  KARTEI_TRY(impl.must_be_member());
  if (device && !impl.roll->is_member(*device)) return not_found("there is no such device");
  RollPin pin{impl.roll->pin().number + 1, device};
  return impl.write(
      Durability::kSynced, [&] { return impl.append_roll(pin, {}, now); }, now);
}

std::optional<Engine::Owner> Engine::owner() const {
  const Roll::Owner& owner = impl_->roll->owner();
  if (owner.number == 0) return std::nullopt;
  return Owner{owner.name, owner.zone};
}

Status Engine::set_owner(const Owner& owner, Now now) {
  Impl& impl = *impl_;
  if (this->owner() == owner) return {};
  KARTEI_TRY(impl.must_be_member());
  if (owner.name.size() > 256) return bad_input("the owner's name is too long", "owner");
  if (owner.zone.size() > 256) return bad_input("there is no such zone", "zone");
  RollOwner operation{impl.roll->owner().number + 1, owner.name, owner.zone};
  return impl.write(
      Durability::kSynced, [&] { return impl.append_roll(operation, {}, now); }, now);
}

std::string Engine::forgetting_policy() const {
  return impl_->roll->forgetting().policy;
}

Status Engine::set_forgetting_policy(const std::string& policy, Now now) {
  Impl& impl = *impl_;
  if (forgetting_policy() == policy) return {};
  KARTEI_TRY(impl.must_be_member());
  if (policy.size() > kPolicyBytesMax) return bad_input("the policy is too long", "policy");
  RollForgetting operation{impl.roll->forgetting().number + 1, policy};
  return impl.write(
      Durability::kSynced, [&] { return impl.append_roll(operation, {}, now); }, now);
}

}  // namespace kartei::sync
