// Peers, in: heads, records, snapshots. Signatures decide, never where the bytes came from.
#include <algorithm>

#include "crypto/hash.h"
#include "sync/engine_write.h"

namespace kartei::sync {

void Engine::peer_up(DeviceId device, Now) {
  Peer& peer = impl_->peers[device];
  peer = Peer{};
  peer.up = peer.linked_once = peer.head_due = peer.ask_due = true;
  impl_->heads_due();  // they name the links
}

void Engine::peer_down(DeviceId device, Now) {
  auto found = impl_->peers.find(device);
  if (found == impl_->peers.end()) return;
  found->second = Peer{};
  found->second.linked_once = true;
  impl_->heads_due();
  if (impl_->incoming && impl_->incoming->from == device) impl_->incoming.reset();
}

Status Engine::receive(DeviceId from, ByteView bytes, Now now) {
  Impl& impl = *impl_;
  auto drop = [&]() -> Status {
    ++impl.dropped_messages;
    return {};
  };
  if (bytes.size() > kMessageMax || impl.roll->is_revoked(from)) return drop();
  auto message = decode_message(bytes);
  if (!message || message->box != impl.box_id) return drop();
  if (!impl.roll->is_member(impl.self)) {
    // Revoked; unless whoever did it turns out to be revoked itself, and before.
    if (message->roll.empty()) return drop();
    Message roll_alone;
    roll_alone.box = message->box;
    roll_alone.roll = std::move(message->roll);
    *message = std::move(roll_alone);
  }
  Peer& peer = impl.peers[from];
  const bool answers = !message->snapshot && impl.roll->is_member(impl.self);
  if (message->ask || bytes.size() >= kAnswerAtOnce) peer.head_due = true;
  if (!message->ranges.empty()) peer.head_soon = true;
  if (message->request) impl.note_request(peer, *message->request, now);
  return impl.write(
      Durability::kLazy,
      [&, moved = impl.box_moved]() -> Status {
        bool only_heads = message->ranges.empty() && message->roll.empty() && !message->snapshot;
        impl.box_moved = moved || !only_heads;
        KARTEI_TRY(impl.take_roll(message->roll));
        // Only what it lacks is worth an answer; else two members would answer each other for ever.
        if (answers && !message->roll.empty())
          peer.roll_due =
              std::max<std::size_t>(message->roll.size(), message->roll_size) < impl.roll->size();
        KARTEI_TRY(impl.take_heads(*message, from, now));
        KARTEI_TRY(impl.take_ranges(*message, now));
        if (message->snapshot) KARTEI_TRY(impl.take_chunk(from, *message->snapshot, now));
        return {};
      },
      now);
}

// Roll records stand for themselves: each is signed by a device that the roll knows.
Status Engine::Impl::take_roll(const std::vector<Bytes>& records) {
  if (records.empty() || roll->add_all(records, roll_key) == 0) return {};
  roll_dirty = true;
  return on_roll_changed();
}

Status Engine::Impl::take_heads(const Message& message, const DeviceId& from, Now now) {
  if (!message.head.empty()) KARTEI_TRY(take_head(message.head, from, now));
  for (const Bytes& sealed : message.heads) KARTEI_TRY(take_head(sealed, from, now));
  return {};
}

Status Engine::Impl::take_head(const Bytes& sealed, const DeviceId& from, Now now) {
  auto opened = open_head(sealed, head_key);
  if (!opened || opened->head.box != box_id) {
    ++dropped_messages;
    return {};
  }
  const DeviceId author = opened->head.feed.device;
  const RollDevice* device = roll->device(author);
  auto known = heads.find(author);
  bool newer = known == heads.end() || opened->head.newer_than(known->second.head);
  Peer* direct = author == from ? &peers[from] : nullptr;
  if (!device || (!newer && !direct)) return {};
  if (!opened->verify(device->keys.sign_key)) {
    ++dropped_messages;
    return {};
  }
  // The first head over a new link says what the peer has, also when it is one that we know.
  if (direct) {
    if (!std::exchange(direct->heard, true)) {
      direct->head_due = true;
      direct->heard_first_ms = now.mono_ms;
      heads_due();
    }
    if (known != heads.end() && !newer) heard_ms[author] = now.mono_ms;
    if (known != heads.end() && known->second.head.newer_than(opened->head))
      direct->own_head_due = true;
  }
  if (!newer) return {};
  keys_check_due = true;
  if (author == self) {
    // Somebody knows a later incarnation of ours: this is an old backup. Speak under a newer one.
    if (own &&
        std::tie(opened->head.feed.number, opened->head.feed.tag) >
            std::tie(own->number, own->tag) &&
        rules.incarnations)
      own.reset();
  } else {
    heard_ms[author] = now.mono_ms;
    if (rules.seen_spreads && !roll->is_revoked(author)) raise_seen(opened->head.seen);
    note_asked(opened->head);
  }
  if (auto peer = peers.find(author); peer != peers.end())
    acknowledge(peer->second, opened->head, now);
  heads_dirty.insert(author);
  heads[author] = {std::move(opened->head), sealed};
  return {};
}

// What it has now is no longer in flight. A link keeps the order: what was sent before and is not
// there did not arrive, or was not taken.
void Engine::Impl::acknowledge(Peer& peer, const Head& head, Now now) {
  if (auto known = heads.find(head.feed.device); known != heads.end()) {
    const Counts& had = known->second.head.have;
    for (const auto& [id, end] : head.have)
      if (auto old = had.find(id); old == had.end() || old->second < end)
        peer.grew_ms[id] = now.mono_ms;
  }
  std::size_t before = peer.flights.size(), last = 0;
  const bool full = 2 * peer.in_flight >= window(peer);
  std::int64_t sent_ms = INT64_MIN;
  std::deque<Peer::Flight> left;
  for (Peer::Flight& flight : peer.flights) {
    auto have = head.have.find(flight.feed);
    if (have == head.have.end() || have->second < flight.end) {
      left.push_back(flight);
      continue;
    }
    peer.in_flight -= flight.bytes;
    sent_ms = std::max(sent_ms, flight.sent_ms);
    last = left.size();
  }
  for (std::size_t i = 0; i < last; ++i) left[i].overtaken = true;
  peer.flights = std::move(left);
  if (peer.flights.size() == before) return;
  peer.progress_ms = now.mono_ms;
  peer.answer_asked = false;
  peer.pace.answered(now.mono_ms - sent_ms, full);
}

// Ranges in any order: one may bring the member whose feed another one is.
Status Engine::Impl::take_ranges(const Message& message, Now now) {
  std::set<std::size_t> open;
  for (std::size_t i = 0; i < message.ranges.size(); ++i) open.insert(i);
  for (bool progress = true; progress && !open.empty();) {
    progress = false;
    for (auto i = open.begin(); i != open.end();) {
      KARTEI_ASSIGN(bool taken, take_range(message.ranges[*i], now));
      if (taken) {
        progress = true;
        i = open.erase(i);
      } else {
        ++i;
      }
    }
    if (roll_moved) KARTEI_TRY(on_roll_changed());
  }
  return {};
}

// False: the author is not known (yet).
Result<bool> Engine::Impl::take_range(const RecordRange& range, Now now) {
  const RollDevice* author = roll->device(range.feed.device);
  if (!author) return false;
  const crypto::SignKey sign_key = author->keys.sign_key;
  auto reject = [&]() {
    ++dropped_messages;
    return true;
  };
  auto found = feeds.find(range.feed);
  std::uint64_t end = found == feeds.end() ? 0 : found->second.end;
  if (found != feeds.end() && found->second.frozen) return true;
  std::optional<Hash32> last = found == feeds.end() ? std::nullopt : found->second.last;

  std::vector<std::pair<Record, const Bytes*>> records;
  std::uint64_t next = 0;
  for (const Bytes& bytes : range.records) {
    auto record = Record::decode(bytes);
    if (!record || record->header.feed != range.feed || record->header.box != box_id)
      return reject();
    if (!records.empty() &&
        (record->header.seq != next || record->header.prev != records.back().first.hash))
      return reject();
    next = record->header.seq + 1;
    records.emplace_back(std::move(*record), &bytes);
  }
  if (records.empty()) return true;
  // The signature at the end of the range vouches for all before it.
  if (!records.back().first.verify(sign_key)) return reject();
  std::uint64_t first = records.front().first.header.seq;
  if (first > end) return true;  // a gap: keep nothing, wait
  KARTEI_ASSIGN(bool forked, forks_from(range.feed, records));
  if (forked) return true;
  std::uint64_t limit = ledger->consumed(range.feed) + config.unread_max;
  for (auto& [record, bytes] : records) {
    if (record.header.seq < end_of(range.feed)) continue;
    if (record.header.seq >= limit) break;
    if (record.header.seq == end && end > 0 && last && record.header.prev != *last) {
      note_fork(range.feed, record.header.seq);
      return true;
    }
    KARTEI_TRY(store_record(record, *bytes, now));
    if (range.feed.device == self && own && rules.incarnations &&
        std::tie(range.feed.number, range.feed.tag) > std::tie(own->number, own->tag))
      own.reset();
  }
  return true;
}

// The same place, another record: two devices write under one identity.
Result<bool> Engine::Impl::forks_from(const FeedId& id,
                                      const std::vector<std::pair<Record, const Bytes*>>& records) {
  auto found = feeds.find(id);
  if (found == feeds.end()) return false;
  for (const auto& [record, bytes] : records) {
    std::uint64_t seq = record.header.seq;
    if (seq < found->second.start || seq >= found->second.end) continue;
    KARTEI_ASSIGN(auto held, box.records().get(id, seq));
    if (!held || held->hash == record.hash) continue;
    note_fork(id, seq);
    return true;
  }
  return false;
}

// ---- snapshots come in chunks that the receiver asks for, one by one

void Engine::Impl::note_request(Peer& peer, const SnapshotRequest& request, Now now) {
  if (request.hash == Hash32{} && ledger->base().height > 0) {
    if (peer.snapshot_forced) return;
    peer.snapshot_forced = true;
    peer.snapshot.clear();
    return;
  }
  if (request.hash != peer.snapshot_hash || request.offset >= peer.snapshot.size()) return;
  if (request.offset > peer.snapshot_asked)  // the part before has arrived
    peer.snapshot_pace.answered(now.mono_ms - peer.snapshot_sent_ms, true);
  peer.snapshot_asked = request.offset;
  peer.snapshot_offset = request.offset;
}

Status Engine::Impl::take_chunk(const DeviceId& from, const SnapshotChunk& chunk, Now now) {
  offered_too_large = chunk.total > kSnapshotMax;
  if (chunk.total == 0 || offered_too_large || chunk.data.size() > kMessageMax) return {};
  if (!incoming || incoming->hash != chunk.hash) {
    if (chunk.offset != 0) return {};
    if (incoming && now.mono_ms - incoming->heard_ms < 4 * patience_ms(incoming->pace)) return {};
    incoming = IncomingSnapshot{};
    incoming->from = from;
    incoming->hash = chunk.hash;
    incoming->total = chunk.total;
  }
  if (chunk.offset != incoming->data.size() || chunk.total != incoming->total ||
      chunk.data.size() > incoming->total - chunk.offset)
    return {};
  incoming->heard_ms = now.mono_ms;
  if (chunk.offset > 0) incoming->pace.answered(now.mono_ms - incoming->asked_ms, false);
  incoming->from = from;
  incoming->data.insert(incoming->data.end(), chunk.data.begin(), chunk.data.end());
  incoming->ask_due = true;
  if (incoming->data.size() < incoming->total) return {};
  IncomingSnapshot whole = std::move(*incoming);
  incoming.reset();
  if (crypto::hash("kartei snapshot v1", {whole.data}) != whole.hash) {
    ++dropped_messages;
    return {};
  }
  return take_snapshot(whole.data);
}

}  // namespace kartei::sync
