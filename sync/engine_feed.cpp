// Feeds and records: appending our own, storing and indexing what arrives.
#include "sync/codec.h"
#include "sync/engine_impl.h"

namespace kartei::sync {

namespace {

Bytes to_hex_bytes(const FeedId& feed) {
  ByteWriter out;
  out.feed(feed);
  return out.take();
}

std::string fork_text(const FeedId& id, std::uint64_t seq) {
  return "device " + id.device.text() + " has said two different things at record " +
         std::to_string(seq) + " of its feed " + to_hex(to_hex_bytes(id)) +
         ": its keys or its disk were copied; revoke it and pair it anew";
}

}  // namespace

std::uint32_t Engine::Impl::highest_own_number() const {
  std::uint32_t highest = 0;
  for (const auto& [id, feed] : feeds)
    if (id.device == self) highest = std::max(highest, id.number);
  if (auto head = heads.find(self); head != heads.end())
    highest = std::max(highest, head->second.head.feed.number);
  return highest;
}

// A new incarnation after every start, lazily, so that neither lost writes nor an old backup can
// make one feed say two things.
Result<FeedId> Engine::Impl::own_feed() {
  if (own) return *own;
  std::uint32_t highest = highest_own_number();
  if (highest == UINT32_MAX)
    return Error{Cause::kFull, "this device has used up its numbers; pair it anew", {}};
  own = FeedId{self, highest + 1, random.next_u64()};
  return *own;
}

void Engine::Impl::take_old_feed() {
  for (const auto& [id, feed] : feeds)
    if (id.device == self) own = id;
}

Result<Header> Engine::Impl::next_header(RecordKind kind) {
  KARTEI_ASSIGN(FeedId id, own_feed());
  Header header;
  header.box = box_id;
  header.feed = id;
  header.kind = kind;
  auto found = feeds.find(id);
  if (found != feeds.end() && found->second.end > 0) {
    header.seq = found->second.end;
    if (found->second.last) header.prev = *found->second.last;
    return header;
  }
  for (const auto& [other, feed] : feeds) {
    if (other.device != self || other == id) continue;
    header.before = other;
    header.before_end = feed.end;
    header.prev = feed.last.value_or(Hash32{});
  }
  return header;
}

Status Engine::Impl::append_own(Record record, std::vector<store::Delta> deltas, Now now) {
  record.sign(identity);
  deltas_of[record.hash] = std::move(deltas);
  Bytes bytes = record.encode();
  if (bytes.size() > kRecordMax)
    return bad_input("too much in one piece: at most about 1 MiB can be stored at once");
  return store_record(record, std::move(bytes), now);
}

Status Engine::Impl::store_record(const Record& record, Bytes bytes, Now now) {
  const Header& header = record.header;
  store::StoredRecord stored{header.feed, header.seq, record.hash,
                             static_cast<std::uint8_t>(header.kind), std::move(bytes)};
  KARTEI_TRY(box.records().append(stored));
  records_dirty = true;
  Feed& feed = feeds[header.feed];
  feed.end = header.seq + 1;
  feed.last = record.hash;
  feed.grew_ms = now.mono_ms;
  heads_due();
  return index_record(record, true);
}

Status Engine::Impl::append_observation(std::vector<store::Delta> deltas, Now now) {
  std::map<DrawerId, std::vector<store::Delta>> by_drawer;
  for (store::Delta& delta : deltas) {
    DrawerId drawer = store::drawer_of(delta);
    by_drawer[drawer].push_back(std::move(delta));
  }
  std::map<DrawerId, std::pair<Epoch, const crypto::Secret*>> with;
  for (const auto& [drawer, items] : by_drawer) {
    KARTEI_ASSIGN(auto key_of, sealing_key(drawer, now));
    with[drawer] = key_of;
  }
  Record record;
  KARTEI_ASSIGN(record.header, next_header(RecordKind::kObservation));
  for (const auto& [drawer, items] : by_drawer)
    record.seal_part(drawer, with[drawer].first, *with[drawer].second, store::encode(items),
                     random);
  std::vector<store::Delta> all;
  for (auto& [drawer, items] : by_drawer)
    std::move(items.begin(), items.end(), std::back_inserter(all));
  return append_own(std::move(record), std::move(all), now);
}

const crypto::Secret* Engine::Impl::key(const DrawerId& drawer, Epoch epoch) const {
  auto found = keys.find({drawer, epoch});
  return found == keys.end() ? nullptr : &found->second;
}

std::uint64_t Engine::Impl::end_of(const FeedId& feed) const {
  auto found = feeds.find(feed);
  return found == feeds.end() ? 0 : found->second.end;
}

void Engine::Impl::raise_seen(const Term& term) {
  if (term <= seen) return;
  std::uint64_t here = ledger->tip().term.counter;
  if (term.counter > here && term.counter - here >= kTermLeap) return;
  seen = term;
  seen_dirty = true;
  heads_due();
}

void Engine::Impl::note_fork(const FeedId& id, std::uint64_t seq) {
  Feed& feed = feeds[id];
  if (feed.frozen) return;
  freeze(id, seq);
  forks_dirty = true;
  changes.push_back({ChangeKind::kFork, id.device, fork_text(id, seq)});
}

// Nothing more is taken of the feed, also after a restart.
void Engine::Impl::freeze(const FeedId& id, std::uint64_t seq) {
  feeds[id].frozen = true;
  forked_at[id] = seq;
}

// Those that the owner has to do something about: a revoked device's are settled.
std::vector<std::string> Engine::Impl::forks() const {
  std::vector<std::string> out;
  for (const auto& [id, seq] : forked_at)
    if (!roll->is_revoked(id.device)) out.push_back(fork_text(id, seq));
  return out;
}

Result<Record> Engine::Impl::read_record(const FeedId& feed, std::uint64_t seq) {
  KARTEI_ASSIGN(auto stored, box.records().get(feed, seq));
  if (!stored) return corrupt("a record that is still needed is missing; run `kartei doctor`");
  return Record::decode(stored->bytes);
}

// `arrived`: now; else it lay in the box, with its turns stored and its roll operation counted.
Status Engine::Impl::index_record(const Record& record, bool arrived) {
  switch (record.header.kind) {
    case RecordKind::kEntry:
      return index_entry(record, arrived);
    case RecordKind::kObservation:
      return index_observation(record, arrived);
    case RecordKind::kRoll:
      break;
  }
  if (!arrived) return {};
  auto operation = open_operation(record, roll_key);
  if (!operation) {
    ++dropped_messages;
    return {};
  }
  if (roll->add({record, std::move(*operation), false})) roll_dirty = roll_moved = true;
  return {};
}

// A drawer that the roll does not name yet may turn out to be ours, too.
bool Engine::Impl::should_read(const DrawerId& drawer) const {
  return !roll->drawers().contains(drawer) || roll->may_hold(drawer, self);
}

// Folded only with every key that this device should have: a part left out would never come back.
Status Engine::Impl::index_entry(const Record& record, bool arrived) {
  const Header& header = record.header;
  Feed& feed = feeds[header.feed];
  const crypto::Secret* secret =
      record.parts.empty() ? nullptr : key(kControl, record.parts[0].epoch);
  bool missing = false;
  if (!secret && !record.parts.empty()) note_lacking(header, record.parts[0]);
  for (const Part& part : record.parts) {
    if (part.drawer == kControl || !should_read(part.drawer) || key(part.drawer, part.epoch))
      continue;
    missing = true;
    note_lacking(header, part);
  }
  if (!secret || missing) feed.unreadable.insert(header.seq);
  if (!secret || (missing && arrived)) return {};
  if (!missing) feed.unreadable.erase(header.seq);
  auto body = record.open_part(0, *secret);
  if (!body || record.parts[0].drawer != kControl) {
    ++dropped_messages;
    return {};
  }
  auto control = decode_control(*body);
  std::uint64_t parent_counter = control ? control->parent.term.counter : 0;
  if (!control || header.height != control->parent.height + 1 || header.counter < parent_counter ||
      header.counter - parent_counter > kTermLeap) {
    ++dropped_messages;
    return {};
  }
  Entry entry;
  entry.hash = record.hash;
  entry.parent = control->parent.hash;
  entry.parent_counter = parent_counter;
  entry.feed = header.feed;
  entry.seq = header.seq;
  entry.term = header.term();
  entry.index = header.index;
  entry.height = header.height;
  entry.consumed = std::move(control->consumed);
  entry.successor = control->successor;
  entry.reason = std::move(control->reason);
  entry.has_operations = !control->operations.empty();
  entry.withheld = missing;
  if (entry.has_operations) {
    feed.notable.insert(header.seq);
    overlay_stale = true;
  }
  if (rules.void_free && header.seq < roll->cut(header.feed)) raise_seen(entry.term);
  ledger->add(std::move(entry));
  return {};
}

Result<std::vector<store::Delta>> Engine::Impl::open_deltas(const Record& record,
                                                            bool* missing_key) {
  if (auto known = deltas_of.find(record.hash); known != deltas_of.end()) return known->second;
  std::vector<store::Delta> out;
  for (std::size_t i = 0; i < record.parts.size(); ++i) {
    const Part& part = record.parts[i];
    if (part.drawer == kControl || !part.sealed) continue;
    const crypto::Secret* secret = key(part.drawer, part.epoch);
    if (!secret) {
      if (!should_read(part.drawer)) continue;
      *missing_key = true;
      note_lacking(record.header, part);
      continue;
    }
    auto body = record.open_part(i, *secret);
    auto deltas =
        body ? store::decode_deltas(*body) : Result<std::vector<store::Delta>>(body.error());
    if (!deltas) {
      ++dropped_messages;
      continue;
    }
    for (store::Delta& delta : *deltas)
      if (store::drawer_of(delta) == part.drawer) out.push_back(std::move(delta));
  }
  return out;
}

Status Engine::Impl::index_observation(const Record& record, bool arrived) {
  const Header& header = record.header;
  Feed& feed = feeds[header.feed];
  bool missing = false;
  KARTEI_ASSIGN(auto deltas, open_deltas(record, &missing));
  if (missing) {
    feed.unreadable.insert(header.seq);
  } else {
    feed.unreadable.erase(header.seq);
  }
  if (feed.observations.empty() || feed.observations.back() < header.seq)
    feed.observations.push_back(header.seq);
  bool store_turns = arrived && header.seq < roll->cut(header.feed);
  for (const store::Delta& delta : deltas) {
    if (auto* heard = std::get_if<store::TurnHeard>(&delta)) {
      if (!store_turns) continue;
      KARTEI_ASSIGN(bool stored, box.store_turn(heard->turn, {header.feed, header.seq}));
      if (stored && header.feed.device != self)
        changes.push_back({ChangeKind::kTurns, header.feed.device, heard->turn.conversation});
      continue;
    }
    if (std::holds_alternative<store::UsageCounted>(delta)) continue;
    feed.notable.insert(header.seq);
    overlay_stale = true;
  }
  if (arrived && !missing) deltas_of.try_emplace(record.hash, std::move(deltas));
  return {};
}

Status Engine::Impl::reread_unreadable() {
  for (auto& [id, feed] : feeds) {
    std::set<std::uint64_t> again = feed.unreadable;
    for (std::uint64_t seq : again) {
      KARTEI_ASSIGN(Record record, read_record(id, seq));
      KARTEI_TRY(index_record(record, true));
    }
  }
  return {};
}

// After a change of cuts or drawers: turns within the cut are stored, those beyond it go.
Status Engine::Impl::rescan_turns(const FeedId& id, std::uint64_t from, std::uint64_t to) {
  std::uint64_t cut = roll->cut(id);
  for (std::uint64_t seq = std::max(from, feeds[id].start); seq < to && seq < end_of(id); ++seq) {
    KARTEI_ASSIGN(Record record, read_record(id, seq));
    if (record.header.kind != RecordKind::kObservation) continue;
    bool missing = false;
    KARTEI_ASSIGN(auto deltas, open_deltas(record, &missing));
    for (const store::Delta& delta : deltas) {
      auto* heard = std::get_if<store::TurnHeard>(&delta);
      if (!heard) continue;
      if (seq >= cut) {
        KARTEI_TRY(box.drop_unfiled_turn(heard->turn.id));
      } else {
        KARTEI_TRY(box.store_turn(heard->turn, {id, seq}));
      }
    }
  }
  return {};
}

}  // namespace kartei::sync
