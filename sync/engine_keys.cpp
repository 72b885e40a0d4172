// Erasing, the part about keys: a new epoch after an erase, and the old key's end once nothing that
// anybody may still have to read is sealed under it.
#include <algorithm>

#include "sync/engine_impl.h"

namespace kartei::sync {

bool is_erase(const store::Delta& delta) {
  auto* edit = std::get_if<store::CardEdited>(&delta);
  return edit &&
         (edit->kind == store::EditKind::kEraseCard || edit->kind == store::EditKind::kEraseTurn);
}

void Engine::Impl::note_erases(const std::vector<store::Delta>& deltas) {
  for (const store::Delta& delta : deltas)
    if (is_erase(delta)) erased_in.insert(store::drawer_of(delta));
}

// By the primary, after the entries that hold the erasures.
Status Engine::Impl::renew_after_erase(Now now) {
  if (erased_in.empty() || !is_acting()) return {};
  std::set<DrawerId> drawers = std::exchange(erased_in, {});
  for (const DrawerId& id : drawers) {
    auto info = roll->drawers().find(id);
    if (info == roll->drawers().end() || !roll->may_hold(id, self)) continue;
    std::optional<std::string> name = drawer_name(info->second);
    if (!name) continue;
    std::vector<DeviceId> devices = info->second.devices;
    KARTEI_ASSIGN(KeyPart part, new_key(id, holders_of(id)));
    std::vector<KeyPart> parts;
    parts.push_back(std::move(part));
    KARTEI_TRY(announce_drawer(id, *name, true, devices, std::move(parts), now));
  }
  return {};
}

// Keys that are not the newest of their drawer, and under which nothing new will be sealed: every
// member has said that it stands on our roll.
std::set<std::pair<DrawerId, Epoch>> Engine::Impl::old_keys() const {
  std::set<std::pair<DrawerId, Epoch>> out;
  for (const auto& [name, known] : roll->keys()) {
    const auto& [drawer, epoch] = name;
    if (drawer == kControl) continue;
    auto info = roll->drawers().find(drawer);
    std::optional<Epoch> current = roll->current_epoch(drawer);
    if (info != roll->drawers().end() && current && epoch < *current && epoch < info->second.epoch)
      out.insert(name);
  }
  if (out.empty()) return out;
  for (const DeviceId& device : roll->members()) {
    if (device == self) continue;
    auto head = heads.find(device);
    if (head == heads.end() || head->second.head.roll != roll->hash()) return {};
  }
  return out;
}

// Leaves in `old` what no unread word, here or on its way, is sealed under.
Status Engine::Impl::keep_needed_keys(std::set<std::pair<DrawerId, Epoch>>& old) {
  if (rules.epoch_rule == Rules::EpochRule::kConfirmed) return {};
  for (const DeviceId& device : roll->members()) {
    auto head = heads.find(device);
    if (device == self || head == heads.end()) continue;
    for (const auto& [id, count] : head->second.head.have)
      if (id.device == device && end_of(id) < count) {
        old.clear();  // it has said something that we do not hold
        return {};
      }
  }
  const Counts& consumed = ledger->base_consumed();
  for (const auto& [id, feed] : feeds) {
    auto read = consumed.find(id);
    std::uint64_t from = std::max(feed.start, read == consumed.end() ? 0 : read->second);
    std::uint64_t to = std::min(feed.end, roll->cut(id));
    for (std::uint64_t seq = from; seq < to && !old.empty(); ++seq) {
      KARTEI_ASSIGN(Record record, read_record(id, seq));
      if (record.header.kind == RecordKind::kRoll) continue;
      for (const Part& part : record.parts) old.erase({part.drawer, part.epoch});
    }
  }
  return {};
}

// A record that counts is sealed under a key that has not come.
void Engine::Impl::note_lacking(const Header& header, const Part& part) {
  if (header.seq >= roll->cut(header.feed)) return;
  if (lacking.insert({part.drawer, part.epoch}).second) heads_due();
}

// Restored from a backup, a device speaks under a key that the others have destroyed: whoever
// holds it gives it out once more. When what it sealed is read it is destroyed again.
void Engine::Impl::note_asked(const Head& head) {
  const DeviceId& device = head.feed.device;
  std::set<KeyName> names;
  for (const KeyName& name : head.lacks)
    if (key(name.first, name.second) && roll->may_hold(name.first, device)) names.insert(name);
  if (names.empty()) {
    asked.erase(device);
    return;
  }
  asked[device] = std::move(names);
  keys_moved = true;
}

// Each answer is a record for ever: whoever goes on asking waits twice as long each time.
bool Engine::Impl::answer_owed(const DeviceId& device, const KeyName& name, Now now) const {
  if (!key(name.first, name.second) || !roll->may_hold(name.first, device)) return false;
  auto before = answered.find({device, name});
  return before == answered.end() || now.mono_ms - before->second.at_ms >= before->second.pause_ms;
}

bool Engine::Impl::answers_owed(Now now) const {
  for (const auto& [device, names] : asked)
    for (const KeyName& name : names)
      if (answer_owed(device, name, now)) return true;
  return false;
}

std::vector<KeyPart> Engine::Impl::answers(Now now) {
  std::map<KeyName, KeyPart> parts;
  for (const auto& [device, names] : asked)
    for (const KeyName& name : names) {
      if (!answer_owed(device, name, now)) continue;
      KeyPart& part = parts.try_emplace(name, KeyPart{name.first, name.second, {}}).first->second;
      part.boxes.push_back(box_for(roll->device(device)->keys.box_key, device, name.first,
                                   name.second, *key(name.first, name.second)));
      Answer& answer = answered[{device, name}];
      answer = {now.mono_ms, answer.pause_ms == 0 ? kAnswerPauseMs : 2 * answer.pause_ms};
    }
  std::vector<KeyPart> out;
  for (auto& [name, part] : parts) out.push_back(std::move(part));
  return out;
}

// The key boxes are purged from the roll's records, so that not even this device's own key opens
// them.
Status Engine::Impl::destroy_old_keys() {
  std::set<std::pair<DrawerId, Epoch>> old = old_keys();
  if (old.empty()) return {};
  KARTEI_TRY(keep_needed_keys(old));
  if (old.empty()) return {};
  for (RollRecord& item : roll->mutable_records()) {
    bool purged = false;
    for (std::size_t part = 1; part < item.record.parts.size(); ++part) {
      const Part& boxes = item.record.parts[part];
      if (!boxes.sealed || !old.contains({boxes.drawer, boxes.epoch})) continue;
      item.record.purge_part(part);
      purged = true;
    }
    if (!purged) continue;
    const Header& header = item.record.header;
    auto feed = feeds.find(header.feed);
    if (feed != feeds.end() && header.seq >= feed->second.start && header.seq < feed->second.end)
      KARTEI_TRY(box.records().replace_bytes(header.feed, header.seq, item.record.encode()));
  }
  for (const auto& name : old) keys.erase(name);
  roll->refold();
  roll_dirty = true;
  return {};
}

}  // namespace kartei::sync
