// Finality, what may be dropped below it, and snapshots of it.
#include <algorithm>

#include "crypto/hash.h"
#include "crypto/sealed.h"
#include "sync/codec.h"
#include "sync/engine_impl.h"

namespace kartei::sync {

// The lowest position on which all members stand under one term and one roll, having seen none
// higher.
std::optional<std::uint64_t> Engine::Impl::final_height() const {
  Position tip = ledger->tip();
  if (tip.height == ledger->base().height || !roll->is_member(self)) return std::nullopt;
  if (rules.final_seen && seen != tip.term) return std::nullopt;
  std::set<DeviceId> need = roll->members();
  if (rules.revoked_blocks)
    for (const auto& [device, cuts] : roll->cuts()) need.insert(device);
  std::uint64_t lowest = tip.height;
  std::size_t missing = 0;
  for (const DeviceId& device : need) {
    if (device == self) continue;
    auto known = heads.find(device);
    std::uint64_t height = 0;
    bool stands = known != heads.end();
    if (stands) {
      const Head& head = known->second.head;
      height = head.tip.height;
      switch (rules.final_rule) {
        case Rules::FinalRule::kTerm:
        case Rules::FinalRule::kMost:
          stands = head.tip.term == tip.term && (!rules.final_seen || head.seen == tip.term);
          break;
        case Rules::FinalRule::kPosition: {
          const Entry* entry = ledger->find(head.tip.hash);
          stands = head.tip.hash == ledger->root().hash || (entry && ledger->is_ancestor(*entry));
          break;
        }
        case Rules::FinalRule::kHave:
          height = received_height(head);
          break;
      }
      if (rules.final_roll && head.roll != roll->hash()) stands = false;
    }
    if (!stands) {
      ++missing;
      continue;
    }
    lowest = std::min(lowest, height);
  }
  std::size_t spared = rules.final_rule == Rules::FinalRule::kMost && need.size() > 2 ? 1 : 0;
  if (missing > spared || lowest <= ledger->base().height) return std::nullopt;
  return lowest;
}

// Only for the broken rule kHave: how high the chain is that a device has received.
std::uint64_t Engine::Impl::received_height(const Head& head) const {
  std::uint64_t height = ledger->base().height;
  for (const Entry* entry : ledger->chain()) {
    for (const auto& [feed, count] : entry->consumed) {
      auto have = head.have.find(feed);
      if (have == head.have.end() || have->second < count) return height;
    }
    height = entry->height;
  }
  return height;
}

Status Engine::Impl::advance_final() {
  std::optional<std::uint64_t> height = final_height();
  if (height) KARTEI_TRY(set_base(*height));
  if (height || gc_owed) KARTEI_TRY(collect_garbage());
  gc_owed = false;
  if (!std::exchange(keys_check_due, false)) return {};
  return destroy_old_keys();
}

Result<BaseState> Engine::Impl::base_at(std::uint64_t height) {
  const Entry* entry = ledger->chain()[height - ledger->root().height - 1];
  BaseState base;
  base.position = entry->position();
  base.consumed = ledger->consumed_at(height);
  base.ancestors = ledger->uncovered_ancestors(base.position, base.consumed);
  base.successor = entry->successor;
  for (const Entry* below : ledger->chain()) {
    if (below->height > height) break;
    if (below->term == entry->term && below->index == 0) base.reason = below->reason;
  }
  if (base.reason.empty() && entry->term == ledger->base().term)
    base.reason = ledger->base_state().reason;
  base.hashes = ledger->base_hashes();
  for (const auto& [feed, count] : base.consumed) {
    auto before = ledger->base_consumed().find(feed);
    if (count == 0 || (before != ledger->base_consumed().end() && before->second == count))
      continue;
    KARTEI_ASSIGN(auto record, box.records().get(feed, count - 1));
    if (record) base.hashes[feed] = record->hash;
  }
  return base;
}

Status Engine::Impl::set_base(std::uint64_t height) {
  KARTEI_ASSIGN(BaseState base, base_at(height));
  std::uint64_t above = ledger->tip().height - height;
  // With the guard broken on purpose everything must stay undoable.
  if (rules.guard && rules.rollback) KARTEI_TRY(box.forget_undo_through(box.tip_height() - above));
  ledger->set_base(base, rules.guard && rules.rollback);
  base_dirty = keys_check_due = true;
  return {};
}

// Consumed at the final position: nobody needs these records any more.
Status Engine::Impl::collect_garbage() {
  Counts limits = ledger->base_consumed();
  if (rules.gc_rule == Rules::GcRule::kHave) limits = received_by_all();
  for (const auto& [id, count] : limits) {
    auto found = feeds.find(id);
    if (found == feeds.end() || found->second.start >= count) continue;
    Feed& feed = found->second;
    if (feed.end < count) continue;  // only a snapshot brings a base beyond what we have
    KARTEI_TRY(box.records().drop_before(id, count));
    feed.start = count;
    feed.notable.erase(feed.notable.begin(), feed.notable.lower_bound(count));
    feed.unreadable.erase(feed.unreadable.begin(), feed.unreadable.lower_bound(count));
    while (!feed.observations.empty() && feed.observations.front() < count)
      feed.observations.pop_front();
    if (rules.guard && rules.rollback) ledger->forget_before(id, count);
  }
  if (std::all_of(feeds.begin(), feeds.end(),
                  [](const auto& item) { return item.second.unreadable.empty(); }))
    lacking.clear();
  return {};
}

// Only for the broken rule kHave. Entries above the final position stay, or nothing works at all.
Counts Engine::Impl::received_by_all() const {
  Counts out;
  for (const auto& [id, feed] : feeds) {
    std::uint64_t limit = feed.end;
    for (const DeviceId& device : roll->members()) {
      if (device == self) continue;
      auto known = heads.find(device);
      auto have =
          known == heads.end() ? Counts::const_iterator() : known->second.head.have.find(id);
      bool has = known != heads.end() && have != known->second.head.have.end();
      limit = std::min(limit, has ? have->second : 0);
    }
    for (const Entry* entry : ledger->chain())
      if (entry->feed == id && entry->height > ledger->base().height)
        limit = std::min(limit, entry->seq);
    out[id] = limit;
  }
  return out;
}

// ---- snapshots

// The final state, for one receiver: the drawers that it may hold. Sealed under the control key and
// signed: signature(64), message.
Result<Bytes> Engine::Impl::make_snapshot(const DeviceId& receiver) {
  const Error too_large{Cause::kUnavailable, "the box's state is too large to be sent", {}};
  if (too_large_at == ledger->base().hash)
    return too_large;  // not looked up again for each message
  Snapshot snapshot;
  snapshot.base = ledger->base_state();
  snapshot.roll = roll->encoded();
  snapshot.seen = seen;
  Dump dump;
  for (const auto& [id, drawer] : roll->drawers())
    if (roll->may_hold(id, receiver) && roll->may_hold(id, self) && !content_missing.contains(id))
      dump.drawers.push_back(id);
  std::uint64_t above = ledger->tip().height - ledger->base().height;
  KARTEI_ASSIGN(dump.image, box.dump_fold(box.tip_height() - above, dump.drawers));
  const bool fits = dump.image.size() <= config.state_max;
  too_large_at = fits ? std::nullopt : std::optional(ledger->base().hash);
  if (!fits) return too_large;
  snapshot.dumps.push_back(std::move(dump));
  Bytes message = encode(snapshot);
  std::optional<Epoch> epoch = roll->current_epoch(kControl);
  const crypto::Secret* secret = epoch ? key(kControl, *epoch) : nullptr;
  if (!secret) return Error{Cause::kUnavailable, "the box-wide key is being renewed", {}};
  ByteWriter body;
  body.bytes(identity.sign(message));
  body.bytes(message);
  ByteWriter out;
  out.bytes(self.view());
  out.integer(*epoch);
  out.bytes(crypto::seal(*secret, as_bytes("kartei snapshot v1"), body.take(), random));
  return out.take();
}

Status Engine::Impl::take_snapshot(ByteView bytes) {
  ByteReader in(bytes);
  DeviceId maker;
  maker.bytes = in.array<16>();
  auto epoch = in.integer<Epoch>();
  const crypto::Secret* secret = key(kControl, epoch);
  if (!in.ok() || !secret || !roll->is_member(maker)) return {};
  auto body = crypto::open(*secret, as_bytes("kartei snapshot v1"), bytes.subspan(24));
  if (!body || body->size() < 64) return {};
  crypto::Signature signature{};
  std::copy_n(body->begin(), 64, signature.begin());
  ByteView message = ByteView(*body).subspan(64);
  const RollDevice* device = roll->device(maker);
  if (!device || !crypto::verify(device->keys.sign_key, message, signature)) {
    ++dropped_messages;
    return {};
  }
  auto snapshot = decode_snapshot(message);
  if (!snapshot || snapshot->dumps.empty()) {
    ++dropped_messages;
    return {};
  }
  return load_snapshot(*snapshot);
}

// Of our own final position: what we were not allowed to fold when we did.
Status Engine::Impl::load_missing(const Snapshot& snapshot) {
  const Dump& dump = snapshot.dumps.front();
  std::vector<DrawerId> drawers;
  std::copy_if(dump.drawers.begin(), dump.drawers.end(), std::back_inserter(drawers),
               [&](const DrawerId& id) { return content_missing.contains(id); });
  if (drawers.empty() || snapshot.base.position != ledger->base()) return {};
  if (overlay_set) KARTEI_TRY(box.set_overlay({}, {}));
  overlay_set = false;
  std::uint64_t above = ledger->tip().height - ledger->base().height;
  KARTEI_TRY(box.undo_to(box.tip_height() - above));
  KARTEI_TRY(box.load_fold(box.tip_height(), dump.image, drawers));
  ledger->reset(ledger->base_state());
  for (const DrawerId& id : drawers) content_missing.erase(id);
  tip_dirty = overlay_stale = missing_dirty = true;
  for (const auto& [id, feed] : feeds) KARTEI_TRY(rescan_turns(id, feed.start, feed.end));
  changes.push_back({ChangeKind::kCards, self, "snapshot"});
  heads_due();
  return {};
}

Status Engine::Impl::load_snapshot(const Snapshot& snapshot) {
  std::uint64_t height = snapshot.base.position.height;
  if (height < ledger->base().height) return {};
  KARTEI_TRY(take_roll(snapshot.roll));
  raise_seen(snapshot.seen);
  const auto& drawers = snapshot.dumps.front().drawers;
  std::set<DrawerId> brought(drawers.begin(), drawers.end()), missing;
  std::set_difference(drawers_held.begin(), drawers_held.end(), brought.begin(), brought.end(),
                      std::inserter(missing, missing.end()));
  if (height == ledger->base().height) return load_missing(snapshot);
  const Entry* known = ledger->find(snapshot.base.position.hash);
  if (known && ledger->on_chain(*known)) {
    KARTEI_TRY(set_base(known->height));
    KARTEI_TRY(collect_garbage());
    return load_missing(snapshot);
  }
  if (overlay_set) KARTEI_TRY(box.set_overlay({}, {}));
  overlay_set = false;
  KARTEI_TRY(box.load_fold(snapshot.base.position.height, snapshot.dumps.front().image));
  if (!ledger->chain().empty()) ++rollbacks;
  changes.push_back({ChangeKind::kErased, self, {}});  // perhaps: it does not say what it left out
  ledger->reset(snapshot.base);
  for (const auto& [id, count] : snapshot.base.consumed) {
    Feed& feed = feeds[id];
    if (feed.end < count) {
      KARTEI_TRY(box.records().skip_to(id, count));
      feed = Feed{};
      feed.start = feed.end = count;
      if (auto hash = snapshot.base.hashes.find(id); hash != snapshot.base.hashes.end())
        feed.last = hash->second;
    }
  }
  base_dirty = tip_dirty = overlay_stale = missing_dirty = true;
  content_missing = std::move(missing);
  KARTEI_TRY(collect_garbage());
  // Turns that are retained but not in the snapshot: unread ones.
  for (const auto& [id, feed] : feeds) KARTEI_TRY(rescan_turns(id, feed.start, feed.end));
  changes.push_back({ChangeKind::kCards, self, "snapshot"});
  heads_due();
  return {};
}

}  // namespace kartei::sync
