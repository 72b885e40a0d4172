// What happens to devices: power, pauses, backups, loss, and who belongs to the box.
#include "tests/simulation/world.h"

namespace kartei::sim {

void World::switch_on(Device& device) {
  if (device.up() || device.lost || !device.admitted) return;
  ++device.boots;
  device.paused_until_ms = 0;
  device.mono_zero_ms = now_ms_ - dice_.between(0, 5'000);
  device.flush_planned = device.secretary_planned = false;
  device.tick_at_ms.reset();
  device.rollbacks_seen = 0;
  device.random = std::make_unique<crypto::SeededRandom>(config_.seed * 1'000'003 +
                                                         device.index * 10'007 + device.boots);
  device.disk.attach(*device.box);
  sync::EngineConfig engine = config_.engine;
  engine.device_name = "device " + std::to_string(device.index + 1);
  auto opened =
      sync::Engine::open(*device.box, device.identity, *device.random, engine, now_of(device));
  if (opened.has_error())
    throw Violation{"device " + std::to_string(device.index + 1) +
                    " does not start: " + opened.error().what};
  device.engine = std::move(*opened);
  trace_.note(now_ms_, device.index, "on", device.boots);
  plan_secretary(device, dice_.between(10, 1'500));
  settle(device);
}

// Its peers notice by themselves; its own next start knows no links.
void World::switch_off(Device& device) {
  device.engine.reset();
  device.disk.forget_plan();
  device.promised.clear();
  for (auto& other : devices_) {
    if (!network_.linked(device.index, other->index)) continue;
    network_.unlink(device.index, other->index);
    const store::DeviceId gone = device.id;
    if (other->up())
      after_on(*other, dice_.between(1, 3'000), [this, &o = *other, gone, a = device.index] {
        if (network_.linked(a, o.index)) return;  // back already
        call(o, "peer down", [&](sync::Engine& e, sync::Now now) -> Status {
          e.peer_down(gone, now);
          return {};
        });
      });
  }
}

void World::restart_later(Device& device, std::int64_t delay_ms) {
  at(now_ms_ + delay_ms, [this, &device] { switch_on(device); });
}

void World::kill(Device& device) {
  ++coverage_["kills"];
  trace_.note(now_ms_, device.index, "kill");
  switch_off(device);
}

bool World::cut_power(Device& device) {
  auto remains = device.disk.remains();
  if (!remains) return false;
  ++coverage_["power cuts"];
  if (device.disk.loses()) ++coverage_["power cuts that lost writes"];
  if (device.disk.power_is_off()) ++coverage_["power cuts within a call"];
  trace_.note(now_ms_, device.index, "power cut", device.disk.loses());
  const auto promised = std::exchange(device.promised, {});
  switch_off(device);
  auto box = store::Box::from_image(*remains);
  if (box.has_error()) throw Violation{"a box does not survive a power cut: " + box.error().what};
  device.box = std::move(*box);
  const FeedEnds ends = feed_ends(device);
  for (const auto& [feed, count] : promised) {
    const auto left = ends.find(feed);
    if (left == ends.end() || left->second < count)
      throw Violation{"device " + std::to_string(device.index + 1) +
                      " had spoken of records that a power cut took back"};
  }
  restart_later(device, dice_.wait(calm_ ? 100 : 4'000));
  return true;
}

void World::lose(Device& device) {
  ++coverage_["devices lost"];
  trace_.note(now_ms_, device.index, "lost");
  switch_off(device);
  device.lost = true;
  if (forget_) forget_(device);
}

void World::back_up(Device& device) {
  auto image = device.box->image();
  if (image.has_error()) throw Violation{"no backup: " + image.error().what};
  device.backup = std::move(*image);
  trace_.note(now_ms_, device.index, "backup");
}

void World::restore(Device& device) {
  ++coverage_["restores from backup"];
  trace_.note(now_ms_, device.index, "restore");
  switch_off(device);
  auto box = store::Box::from_image(*device.backup);
  if (box.has_error()) throw Violation{"a backup cannot be opened: " + box.error().what};
  device.box = std::move(*box);
  device.restored = true;
  if (forget_) forget_(device);
  switch_on(device);
}

void World::pause(Device& device, std::int64_t duration_ms) {
  ++coverage_["pauses"];
  trace_.note(now_ms_, device.index, "pause", static_cast<std::uint64_t>(duration_ms));
  device.paused_until_ms = now_ms_ + duration_ms;
  at(device.paused_until_ms, [this, &device] {
    if (device.paused_until_ms <= now_ms_) wake(device);
  });
}

// What had to wait happens now, in its order.
void World::wake(Device& device) {
  device.paused_until_ms = 0;
  for (Action& action : std::exchange(device.held, {})) at(now_ms_, std::move(action));
}

// ---- the roll

void World::join(Device& sponsor) {
  crypto::SeededRandom keys(config_.seed * 77'003 + devices_.size());
  auto fresh = std::make_unique<Device>(crypto::Identity::generate(keys));
  fresh->index = devices_.size();
  fresh->admitted = false;
  auto box = store::Box::from_image(templates_.empty_box());
  if (box.has_error()) throw Violation{"no empty box: " + box.error().what};
  fresh->box = std::move(*box);
  fresh->random = std::make_unique<crypto::SeededRandom>(config_.seed * 88'001 + fresh->index);
  const crypto::PublicIdentity keys_of = fresh->identity.pub();
  const sync::Newcomer newcomer{keys_of, "device " + std::to_string(fresh->index + 1),
                                fresh->identity.sign(sync::acceptance_message(
                                    sponsor.engine->status(now_of(sponsor)).box, keys_of))};
  const std::size_t index = fresh->index;
  devices_.push_back(std::move(fresh));
  tend_links_of(index);
  trace_.note(now_ms_, sponsor.index, "propose", index + 1);
  sponsor.sponsor = true;
  std::optional<Status> proposed;
  placed(sponsor, [&] {
    proposed = call(sponsor, "propose", [&](sync::Engine& e, sync::Now now) {
      return e.propose_member(newcomer, now);
    });
  });
  if (!proposed || proposed->has_error()) {
    devices_[index]->lost = true;  // gave up
    return;
  }
  after(dice_.between(50, 2'000), [this, index] { try_admit(index, 40); });
}

void World::try_admit(std::size_t newcomer, int tries) {
  Device& fresh = *devices_[newcomer];
  if (fresh.admitted || fresh.lost) return;
  if (tries == 0) {
    fresh.lost = true;
    return;
  }
  std::vector<Device*> members;
  for (Device* d : up())
    if (d->counts()) members.push_back(d);
  if (!members.empty()) {
    Device& member = *dice_.pick(members);
    if (member.engine->is_member(fresh.id)) {
      admit(fresh, member);
    } else {
      member.sponsor = true;
      placed(member, [&] {
        call(member, "approve",
             [&](sync::Engine& e, sync::Now now) { return e.approve(fresh.id, now); });
      });
    }
  }
  if (!fresh.admitted)
    after(dice_.between(200, 2'000), [this, newcomer, tries] { try_admit(newcomer, tries - 1); });
}

void World::admit(Device& newcomer, Device& member) {
  auto welcome = member.engine->welcome(newcomer.id);
  if (welcome.has_error()) throw Violation{"no welcome for a member: " + welcome.error().what};
  if (!settle(member)) return;
  auto accepted =
      sync::Engine::accept_welcome(*newcomer.box, newcomer.identity, *welcome, *newcomer.random);
  if (accepted.has_error()) throw Violation{"a welcome is refused: " + accepted.error().what};
  newcomer.admitted = true;
  ++coverage_["joins"];
  trace_.note(now_ms_, newcomer.index, "join", member.index + 1);
  switch_on(newcomer);
  if (!newcomer.up()) return;
  auto own = call(newcomer, "make a drawer",
                  [](sync::Engine& e, sync::Now now) { return e.make_drawer("own", now); });
  if (own && own->has_value()) newcomer.local_drawer = (*own)->id;
}

void World::revoke(Device& by, Device& target) {
  // Whether it was made must be known: no power cut here.
  by.disk.forget_plan();
  // What the revoker holds now is what the revocation will name.
  FeedEnds held;
  for (const auto& [feed, end] : feed_ends(by))
    if (feed.device == target.id) held[feed] = end;
  std::optional<Status> done;
  placed(by, [&] {
    done = call(by, "revoke",
                [&](sync::Engine& e, sync::Now now) { return e.revoke(target.id, now); });
  });
  if (!done || done->has_error()) return;
  ++coverage_["revocations"];
  trace_.note(now_ms_, by.index, "revoke", target.index + 1);
  target.revoked = true;
  FeedEnds& cut = history_.cuts[target.id];
  for (const auto& [feed, end] : held) cut[feed] = std::max(cut[feed], end);
}

}  // namespace kartei::sim
