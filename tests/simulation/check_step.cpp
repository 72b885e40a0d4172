#include "tests/simulation/check_step.h"

namespace kartei::sim {

namespace {
Hash32 digest_of(Device& d) {
  auto digest = d.box->digest(false);
  if (digest.has_error()) throw Violation{"no digest: " + digest.error().what};
  return *digest;
}
}  // namespace

void StepChecker::after_call(Device& device) {
  if (seen_[device.index].calls++ % 4 == 0) look(device);
}

void StepChecker::look(Device& device) {
  Seen& seen = seen_[device.index];
  const sync::EngineStatus status = device.engine->status(world_.now_of(device));
  if (!status.forks.empty()) throw Violation{name(device) + " sees a fork: " + status.forks[0]};
  if (seen.boots != device.boots) {
    // What it had adopted may be gone; what was final for it must not be, but may be told later.
    seen.boots = device.boots;
    seen.rollbacks = 0;
    seen.compared = {};
    seen.chain.clear();
    seen.final_position = {};
  }
  if (status.rollbacks != seen.rollbacks) {
    world_.coverage()["rollbacks"] += status.rollbacks - seen.rollbacks;
    seen.rollbacks = status.rollbacks;
    seen.chain.erase(seen.chain.upper_bound(seen.final_position.height), seen.chain.end());
  }
  if (status.final_position.height < seen.final_position.height)
    throw Violation{name(device) + " takes back a final position"};
  if (status.tip.height < status.final_position.height)
    throw Violation{name(device) + " stands below its final position"};
  const auto [at, fresh] = seen.chain.emplace(status.tip.height, status.tip.hash);
  if (!fresh && at->second != status.tip.hash)
    throw Violation{name(device) + " changed its tip at height " +
                    std::to_string(status.tip.height) + " without a rollback"};
  if (!(status.final_position == seen.final_position))
    note_final(device, seen, status.final_position);
}

void StepChecker::note_final(const Device& device, Seen& seen, const store::Position& position) {
  seen.final_position = position;
  if (position.height == 0) return;
  // Set back to a backup, it may have led a branch that nobody can adopt.
  if (device.restored) seen.chain.clear();
  ++world_.coverage()["final positions"];
  const auto [at, fresh] = finals_.emplace(position.height, position.hash);
  if (!fresh && at->second != position.hash)
    throw Violation{"two final positions at height " + std::to_string(position.height)};
  for (const auto& [height, hash] : finals_) {
    const auto on_chain = seen.chain.find(height);
    if (height <= position.height && on_chain != seen.chain.end() && on_chain->second != hash)
      throw Violation{name(device) + " leaves the final position at height " +
                      std::to_string(height)};
  }
}

void StepChecker::forget(const Device& device) {
  std::uint64_t known = 0;
  for (const auto& [index, seen] : seen_)
    if (index != device.index && world_.device(index).counts())
      known = std::max(known, seen.final_position.height);
  finals_.erase(finals_.upper_bound(known), finals_.end());
}

void StepChecker::compare() {
  std::map<std::string, std::pair<const Device*, store::Position>> tips;
  for (auto& one : world_.devices()) {
    Device& d = *one;
    if (!d.up() || !d.counts()) continue;
    const sync::EngineStatus status = d.engine->status(world_.now_of(d));
    if (status.withheld > 0) continue;  // a key is on its way to it
    std::string feeds;
    for (const auto& [feed, end] : world_.feed_ends(d))
      feeds +=
          feed.device.text() + "/" + std::to_string(feed.tag) + ":" + std::to_string(end) + " ";
    feeds += to_hex(status.final_position.hash);
    for (auto& other : world_.devices())
      if (d.engine->is_member(other->id)) feeds += " " + std::to_string(other->index);
    const auto [tip, first] = tips.emplace(feeds, std::pair{&d, status.tip});
    if (!first && tip->second.second.hash != status.tip.hash)
      throw Violation{"same feeds, different tips: " + name(*tip->second.first) + " and " +
                      name(d)};
    ++world_.coverage()[first ? "views compared" : "equal feeds compared"];

    // Who may not hold some drawer knows of it only what the entries' control parts say, or not
    // even that if it came by a snapshot.
    auto drawers = d.box->drawers();
    if (drawers.has_error()) throw Violation{"drawers cannot be read: " + drawers.error().what};
    bool all = true;
    std::string stand = to_hex(status.tip.hash);
    for (const store::Drawer& drawer : *drawers) {
      all = all && (!drawer.shared || drawer.held);
      if (drawer.shared) stand += " " + drawer.id.text();
    }
    Seen& seen = seen_[d.index];
    if (!all || std::exchange(seen.compared, stand) == stand) continue;
    const Hash32 shown = digest_of(d);
    const auto [there, alone] = shown_at_.emplace(stand, shown);
    if (!alone && there->second != shown)
      throw Violation{"same tip, different states: " + name(d) + " and another one"};
  }
}

void StepChecker::compare_feeds() {
  std::map<std::pair<store::FeedId, std::uint64_t>, Hash32> records;
  for (auto& one : world_.devices()) {
    Device& d = *one;
    if (!d.up() || !d.admitted || d.lost) continue;
    auto feeds = d.box->records().feeds();
    if (feeds.has_error()) throw Violation{"feeds cannot be read: " + feeds.error().what};
    for (const store::FeedRange& range : *feeds) {
      auto held = d.box->records().range(range.feed, range.start, range.end, std::size_t{1} << 30);
      if (held.has_error()) throw Violation{"records cannot be read: " + held.error().what};
      if (held->size() != range.end - range.start)
        throw Violation{name(d) + " holds a feed with a hole"};
      for (const store::StoredRecord& r : *held) {
        const auto [at, fresh] = records.emplace(std::pair{r.feed, r.seq}, r.hash);
        if (!fresh && at->second != r.hash)
          throw Violation{"feed forked: record " + std::to_string(r.seq) + " of " +
                          r.feed.device.text() + " is two"};
      }
    }
  }
}

}  // namespace kartei::sim
