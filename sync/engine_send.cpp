// Peers, out: what each of them lacks, as far as we know. Fsync, then speak.
#include <algorithm>

#include "crypto/hash.h"
#include "sync/engine_write.h"

namespace kartei::sync {

// Something has changed that heads tell: soon, several changes in one.
void Engine::Impl::heads_due() {
  for (auto& [device, peer] : peers) peer.head_soon = true;
}

Head Engine::Impl::make_head() const {
  Head head;
  head.box = box_id;
  head.feed = *own;
  head.counter = head_counter;
  for (const auto& [id, feed] : feeds) head.have[id] = feed.end;
  head.tip = ledger->tip();
  head.seen = seen;
  head.roll = roll->hash();
  head.final_height = ledger->base().height;
  for (const auto& [device, peer] : peers)
    if (peer.up && peer.heard) head.linked.push_back(device);
  head.vitals = vitals;
  head.acting = is_acting();
  // Those of drawers first: there is no end to the names that a bad member can invent.
  for (const bool control : {false, true})
    for (const auto& name : lacking)
      if ((name.first == kControl) == control && head.lacks.size() < kLacksMax)
        head.lacks.insert(name);
  return head;
}

// Whether a head is owed to it by now; `with_more`: other things go to it anyway.
bool Engine::Impl::head_wanted(const Peer& peer, bool with_more, Now now) const {
  if (!peer.up) return false;
  if (peer.head_due || (peer.head_soon && with_more)) return true;
  return now.mono_ms >= head_wanted_ms(peer);
}

std::int64_t Engine::Impl::head_wanted_ms(const Peer& peer) const {
  std::int64_t at = peer.head_sent_ms + (peer.heard ? head_interval() : config.resend_after_ms);
  if (!peer.head_soon) return at;
  std::int64_t gathered = std::min(peer.head_soon_ms, last_settled_ms) + config.head_gather_ms;
  return std::min(at, std::max(peer.head_sent_ms + config.head_pause_ms, gathered));
}

// A primary with turns left to read says often that it lives, so that nobody takes over.
std::int64_t Engine::Impl::head_interval() const {
  if (unextracted && is_acting())
    return std::min(config.head_interval_ms,
                    std::max<std::int64_t>(config.election.patience_ms / 2, 1));
  return config.head_interval_ms;
}

Result<std::vector<Send>> Engine::flush(Now now) {
  Impl& impl = *impl_;
  std::vector<Send> out;
  if (!impl.roll->is_member(impl.self) && impl.feeds.empty()) return out;
  std::vector<std::pair<DeviceId, Message>> messages;
  std::set<DeviceId> with_head;
  for (auto& [device, peer] : impl.peers) {
    if (!peer.up) continue;
    Message message;
    message.box = impl.box_id;
    if (impl.roll_owed(device, peer, now)) peer.roll_from = 0;
    if (impl.roll->is_revoked(device)) {  // is told so, and nothing else
      impl.add_roll(peer, message);
      if (!message.empty()) messages.emplace_back(device, std::move(message));
      continue;
    }
    impl.add_heads(device, peer, message);
    KARTEI_TRY(impl.add_records(device, peer, message, now));
    KARTEI_TRY(impl.add_snapshot(device, peer, message, now));
    impl.add_roll(peer, message);
    if (peer.head_soon) peer.head_soon_ms = std::min(peer.head_soon_ms, now.mono_ms);
    bool head = impl.head_wanted(peer, !message.empty(), now);
    if (head && (!peer.heard || peer.ask_due)) message.ask = true;
    if (head) {
      peer.head_due = peer.head_soon = peer.ask_due = false;
      peer.head_soon_ms = INT64_MAX;
      peer.head_sent_ms = now.mono_ms;
      with_head.insert(device);
    }
    if (head || !message.empty()) messages.emplace_back(device, std::move(message));
  }
  if (!with_head.empty()) KARTEI_TRY(impl.renew_head());
  for (auto& [device, message] : messages)
    if (with_head.contains(device)) message.head = impl.heads.at(impl.self).sealed;
  if (messages.empty()) return out;
  if (impl.rules.sync_before_send) KARTEI_TRY(impl.box.sync());
  for (auto& [device, message] : messages) out.push_back({device, encode(message)});
  return out;
}

// Who belongs is told besides the feeds to the revoked; by the revoked to those who take them for
// members (whoever revoked them may be gone since); and to whoever told less of it than there is.
bool Engine::Impl::roll_owed(const DeviceId& device, Peer& peer, Now now) const {
  bool answer = std::exchange(peer.roll_due, false);
  bool differ = roll->is_revoked(device) || !roll->is_member(self);
  if (!answer && (!differ || now.mono_ms - peer.roll_told_ms < config.head_interval_ms))
    return false;
  peer.roll_told_ms = now.mono_ms;
  return true;
}

// As much of the roll as one message holds; the rest with the next ones.
void Engine::Impl::add_roll(Peer& peer, Message& message) const {
  if (!peer.roll_from) return;
  std::size_t bytes = 0, next = *peer.roll_from;
  for (; next < roll->size() && bytes < config.roll_slice_bytes; ++next) {
    message.roll.push_back(roll->records()[next].record.encode());
    bytes += message.roll.back().size();
  }
  message.roll_size = static_cast<std::uint32_t>(roll->size());
  peer.roll_from = next;
  if (next >= roll->size()) peer.roll_from.reset();
}

Status Engine::Impl::renew_head() {
  KARTEI_TRY(own_feed());
  ++head_counter;
  Head head = make_head();
  Bytes sealed = seal_head(head, identity, head_key, random);
  // Heads are ordered by incarnation, then counter: the incarnation must be remembered before it is
  // spoken, the counter need not, since every start makes a new one.
  auto stored = heads.find(self);
  bool first = stored == heads.end() || stored->second.head.feed != *own;
  if (first || !rules.incarnations) {
    KARTEI_ASSIGN(auto transaction, box.begin());
    KARTEI_TRY(box.records().put_head(self, sealed));
    KARTEI_TRY(transaction.commit(Durability::kLazy));
  }
  heads[self] = {std::move(head), std::move(sealed)};
  return {};
}

// Others' heads that it may not have; not those of devices that it has a link to itself.
void Engine::Impl::add_heads(const DeviceId& device, Peer& peer, Message& message) {
  auto known = heads.find(device);
  if (!peer.heard || known == heads.end()) return;
  // Restored from a backup, it learns from its own newest head to speak under a higher number.
  if (std::exchange(peer.own_head_due, false)) message.heads.push_back(known->second.sealed);
  const auto& linked = known->second.head.linked;
  for (const auto& [author, head] : heads) {
    if (author == self || author == device) continue;
    if (std::find(linked.begin(), linked.end(), author) != linked.end()) continue;
    std::pair name{head.head.feed, head.head.counter};
    auto sent = peer.heads_sent.find(author);
    if (sent != peer.heads_sent.end() && sent->second >= name) continue;
    message.heads.push_back(head.sealed);
    peer.heads_sent[author] = name;
  }
}

// When something in flight is to be taken for lost; further records that go out do not put it off.
std::optional<std::int64_t> Engine::Impl::lost_flights_ms(const Peer& peer) const {
  if (peer.flights.empty()) return std::nullopt;
  std::int64_t at = peer.progress_ms;
  if (peer.flights.front().overtaken) at = std::min(at, peer.flights.front().sent_ms);
  return at + patience_ms(peer.pace);
}

// They go out again: those that were overtaken, or all if nothing arrives at all.
void Engine::Impl::forget_lost_flights(Peer& peer, Now now) const {
  auto lost_ms = lost_flights_ms(peer);
  if (!lost_ms || now.mono_ms < *lost_ms) return;
  peer.answer_asked = false;
  const std::int64_t patience = patience_ms(peer.pace);
  if (now.mono_ms - peer.progress_ms >= patience) {
    peer.pace.in_vain();
    peer.sent.clear();
    peer.flights.clear();
    peer.in_flight = 0;
    return;
  }
  std::set<FeedId> again;
  for (const Peer::Flight& flight : peer.flights)
    if (flight.overtaken && now.mono_ms - flight.sent_ms >= patience) again.insert(flight.feed);
  for (const FeedId& feed : again) peer.sent.erase(feed);
  std::erase_if(peer.flights, [&](const Peer::Flight& flight) {
    if (!again.contains(flight.feed)) return false;
    peer.in_flight -= flight.bytes;
    return true;
  });
}

Status Engine::Impl::add_records(const DeviceId& device, Peer& peer, Message& message, Now now) {
  auto known = heads.find(device);
  if (!peer.heard || known == heads.end()) return {};
  const Counts& have = known->second.head.have;
  forget_lost_flights(peer, now);
  const std::size_t most = window(peer);
  const auto& linked = known->second.head.linked;
  // Our own words first, then by device: they may bring the members whose feeds follow.
  std::vector<const std::pair<const FeedId, Feed>*> order;
  for (const auto& item : feeds) order.push_back(&item);
  std::stable_partition(order.begin(), order.end(),
                        [&](const auto* item) { return item->first.device == self; });
  for (const auto* item : order) {
    const auto& [id, feed] = *item;
    auto has = have.find(id);
    std::uint64_t from = has == have.end() ? 0 : has->second;
    if (auto sent = peer.sent.find(id); sent != peer.sent.end())
      from = std::max(from, sent->second);
    if (from >= feed.end || from < feed.start) continue;  // dropped: a snapshot brings it
    // Its author brings it itself, unless that takes too long.
    bool direct =
        id.device == device || std::find(linked.begin(), linked.end(), id.device) != linked.end();
    if (id.device != self && direct) {
      if (now.mono_ms < left_to_author_until(peer, id, feed)) continue;
      peer.passed_on.insert(id);
    }
    if (peer.in_flight >= most) break;
    RecordRange range;
    range.feed = id;
    while (from < feed.end && peer.in_flight < most) {
      KARTEI_ASSIGN(auto records, box.records().range(id, from, feed.end, most - peer.in_flight));
      if (records.empty()) break;
      for (store::StoredRecord& stored : records) {
        if (peer.flights.empty()) peer.progress_ms = now.mono_ms;
        peer.in_flight += stored.bytes.size();
        peer.flights.push_back({id, stored.seq + 1, stored.bytes.size(), now.mono_ms, false});
        range.records.push_back(std::move(stored.bytes));
        ++from;
      }
    }
    if (range.records.empty()) continue;
    peer.sent[id] = from;
    message.ranges.push_back(std::move(range));
  }
  // Its next head may take a while; more could go out before that.
  if (!message.ranges.empty() && 2 * peer.in_flight >= most && !peer.answer_asked)
    message.ask = peer.answer_asked = true;
  return {};
}

bool Engine::Impl::lacks_dropped(const DeviceId& device) const {
  auto known = heads.find(device);
  if (known == heads.end() || known->second.head.final_height >= ledger->base().height)
    return false;
  const Counts& have = known->second.head.have;
  for (const auto& [id, feed] : feeds) {
    auto has = have.find(id);
    if ((has == have.end() ? 0 : has->second) < feed.start) return true;
  }
  return false;
}

Status Engine::Impl::add_snapshot(const DeviceId& device, Peer& peer, Message& message, Now now) {
  if (incoming && incoming->from == device &&
      (incoming->ask_due || now.mono_ms - incoming->asked_ms >= patience_ms(incoming->pace))) {
    if (!incoming->ask_due) incoming->pace.in_vain();
    message.request = SnapshotRequest{incoming->hash, incoming->data.size()};
    incoming->ask_due = false;
    incoming->asked_ms = now.mono_ms;
  }
  if (!peer.heard) return {};
  bool can_bring = std::any_of(content_missing.begin(), content_missing.end(),
                               [&](const DrawerId& id) { return roll->may_hold(id, device); });
  if (can_bring && !incoming && now.mono_ms - peer.reload_asked_ms >= 2 * config.resend_after_ms) {
    message.request = SnapshotRequest{};
    peer.reload_asked_ms = now.mono_ms;
  }
  if (peer.snapshot_forced && !peer.snapshot.empty() && peer.snapshot_done(now.mono_ms)) {
    peer.snapshot_forced = false;
    peer.snapshot.clear();
  }
  if (!lacks_dropped(device) && !peer.snapshot_forced) {
    peer.snapshot.clear();
    peer.snapshot_offset.reset();
    return {};
  }
  bool again = now.mono_ms - peer.snapshot_sent_ms >= 2 * patience_ms(peer.snapshot_pace);
  if (peer.snapshot.empty() ||
      (again && !peer.snapshot_offset && peer.snapshot_at != ledger->base().hash)) {
    auto made = make_snapshot(device);
    if (!made) return made.error().cause == Cause::kUnavailable ? Status{} : made.error();
    peer.snapshot = std::move(*made);
    peer.snapshot_hash = crypto::hash("kartei snapshot v1", {peer.snapshot});
    peer.snapshot_at = ledger->base().hash;
    peer.snapshot_asked = 0;
    peer.snapshot_offset = 0;
  }
  if (!peer.snapshot_offset) {
    if (!again) return {};
    peer.snapshot_pace.in_vain();
    peer.snapshot_offset = peer.snapshot_asked = 0;
  }
  std::size_t offset = static_cast<std::size_t>(*peer.snapshot_offset);
  std::size_t size = std::min(peer.snapshot_pace.window(kChunkMax), peer.snapshot.size() - offset);
  SnapshotChunk chunk{peer.snapshot_hash, offset, peer.snapshot.size(), {}};
  auto begin = peer.snapshot.begin() + static_cast<std::ptrdiff_t>(offset);
  chunk.data.assign(begin, begin + static_cast<std::ptrdiff_t>(size));
  // With the roll, whose keys may have been lost like the records that it lacks.
  if (offset == 0) peer.roll_from = 0;
  message.snapshot = std::move(chunk);
  peer.snapshot_offset.reset();
  peer.snapshot_sent_ms = now.mono_ms;
  return {};
}

std::optional<std::int64_t> Engine::next_tick_ms() const {
  Impl& impl = *impl_;
  std::optional<std::int64_t> next;
  auto at = [&](std::int64_t ms) { next = next ? std::min(*next, ms) : ms; };
  for (const auto& [device, peer] : impl.peers) {
    if (peer.up && peer.roll_from) at(impl.last_settled_ms);
    if (!peer.up || impl.roll->is_revoked(device)) continue;
    at(impl.head_wanted_ms(peer));
    if (auto lost = impl.lost_flights_ms(peer)) at(*lost);
    if (auto held = impl.held_back_until(device, peer)) at(*held);
    if (peer.heard && impl.lacks_dropped(device))
      at(peer.snapshot_sent_ms + 2 * impl.patience_ms(peer.snapshot_pace));
  }
  if (impl.incoming) at(impl.incoming->asked_ms + impl.patience_ms(impl.incoming->pace));
  if (auto lead = impl.next_lead_ms()) at(*lead);
  if (impl.grants_owed_ms) at(impl.grants_due_ms());
  return next;
}

// A feed that grows at the peer is on its way there; over a slow line twice would be too much.
std::int64_t Engine::Impl::left_to_author_until(const Peer& peer, const FeedId& id,
                                                const Feed& feed) const {
  const std::int64_t until = feed.grew_ms + config.resend_after_ms;
  if (peer.passed_on.contains(id)) return until;
  auto grew = peer.grew_ms.find(id);
  const std::int64_t since = grew == peer.grew_ms.end() ? peer.heard_first_ms : grew->second;
  return std::max(until, since + 4 * config.resend_after_ms);
}

// When records that their author should bring itself are passed on all the same.
std::optional<std::int64_t> Engine::Impl::held_back_until(const DeviceId& device,
                                                          const Peer& peer) const {
  auto known = heads.find(device);
  if (!peer.heard || known == heads.end() || peer.in_flight >= window(peer)) return std::nullopt;
  std::optional<std::int64_t> next;
  for (const auto& [id, feed] : feeds) {
    auto has = known->second.head.have.find(id);
    std::uint64_t from = has == known->second.head.have.end() ? 0 : has->second;
    if (auto sent = peer.sent.find(id); sent != peer.sent.end())
      from = std::max(from, sent->second);
    if (id.device == self || from >= feed.end || from < feed.start) continue;
    std::int64_t due = left_to_author_until(peer, id, feed);
    next = next ? std::min(*next, due) : due;
  }
  return next;
}

}  // namespace kartei::sync
