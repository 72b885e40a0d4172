#include "tests/simulation/world.h"

#include <algorithm>

namespace kartei::sim {

namespace {

constexpr std::int64_t kWallStartMs = 1'760'000'000'000;
// A run that makes this many events does not come to rest.
constexpr std::uint64_t kEventsMax = 400'000;

bool refusal(Cause cause) {
  return cause == Cause::kForbidden || cause == Cause::kNotFound || cause == Cause::kConflict ||
         cause == Cause::kUnavailable || cause == Cause::kBadInput;
}

bool holds_marker(ByteView bytes) {
  return as_text(bytes).find(kMarker) != std::string_view::npos;
}

}  // namespace

World::World(const WorldConfig& config, Templates& templates)
    : config_(config),
      templates_(templates),
      trace_(config.print),
      dice_(config.seed, "world"),
      network_(config.seed),
      secretary_(config.seed, config.secretary) {
  const Template& made = templates.of(config.devices);
  for (const Template::Member& member : made.members) {
    auto device = std::make_unique<Device>(member.identity.copy());
    device->index = devices_.size();
    device->local_drawer = member.local_drawer;
    auto box = store::Box::from_image(member.image);
    if (box.has_error()) throw Violation{"no box from a template: " + box.error().what};
    device->box = std::move(*box);
    devices_.push_back(std::move(device));
  }
  history_.ever_shared.insert(made.home);
  for (auto& device : devices_) {
    device->wall_shift_ms = dice_.chance(0.3) ? dice_.between(-86'400'000, 86'400'000) : 0;
    switch_on(*device);
    tend_links_of(device->index);
  }
}

World::~World() = default;

void World::at(std::int64_t at_ms, Action action) {
  if (++events_made_ > kEventsMax) throw Violation{"does not come to rest: too many events"};
  events_.emplace(std::pair{std::max(at_ms, now_ms_), events_made_}, std::move(action));
}

void World::run_until(std::int64_t at_ms) {
  while (!events_.empty() && events_.begin()->first.first <= at_ms) {
    now_ms_ = events_.begin()->first.first;
    const Action action = std::move(events_.begin()->second);
    events_.erase(events_.begin());
    action();
  }
  now_ms_ = std::max(now_ms_, at_ms);
}

void World::after_on(Device& device, std::int64_t delay_ms, Action action) {
  const std::size_t index = device.index;
  const std::uint64_t boot = device.boots;
  at(now_ms_ + delay_ms, [this, index, boot, action = std::move(action)] {
    Device& d = *devices_[index];
    if (!d.up() || d.boots != boot) return;
    if (d.paused_until_ms > now_ms_) {
      d.held.push_back([&d, boot, action] {
        if (d.up() && d.boots == boot) action();
      });
      return;
    }
    action();
  });
}

Device* World::find(const store::DeviceId& id) {
  for (auto& d : devices_)
    if (d->id == id) return d.get();
  return nullptr;
}

std::vector<Device*> World::up() {
  std::vector<Device*> out;
  for (auto& d : devices_)
    if (d->up() && d->paused_until_ms <= now_ms_) out.push_back(d.get());
  return out;
}

std::vector<Device*> World::counting() {
  std::vector<Device*> out;
  for (auto& d : devices_)
    if (d->counts()) out.push_back(d.get());
  return out;
}

sync::Now World::now_of(const Device& device) const {
  return {store::time_from_ms(kWallStartMs + now_ms_ + device.wall_shift_ms),
          now_ms_ - device.mono_zero_ms};
}

void World::judge_error(Device& device, std::string_view what, const Error& error) {
  const bool asked_by_user = what != "receive" && what != "flush" && what != "tick";
  if (!asked_by_user || !refusal(error.cause))
    throw Violation{"device " + std::to_string(device.index + 1) + ", " + std::string(what) +
                    " fails: " + error.what};
  ++coverage_["refused: " + std::string(what)];
  trace_.note(now_ms_, device.index, "refused", 0, 0, std::string(what) + ": " + error.what);
}

bool World::settle(Device& device) {
  if (device.disk.power_is_off()) {
    cut_power(device);
    return false;
  }
  for (const sync::Change& change : device.engine->take_changes()) {
    trace_.mix(static_cast<std::uint64_t>(change.kind));
    if (change.kind == sync::ChangeKind::kPrimary)
      if (const Device* primary = find(change.device))
        trace_.note(now_ms_, device.index, "follows", primary->index + 1,
                    device.engine->status(now_of(device)).tip.term.counter, change.detail);
    if (change.kind == sync::ChangeKind::kTurns || change.kind == sync::ChangeKind::kPrimary ||
        change.kind == sync::ChangeKind::kCards)
      plan_secretary(device, dice_.between(10, 1'500));
    if (change.kind == sync::ChangeKind::kFork)
      throw Violation{"device " + std::to_string(device.index + 1) +
                      " reports a fork: " + change.detail};
  }
  plan_flush(device);
  plan_tick(device);
  if (step_check_) step_check_(device);
  return true;
}

void World::plan_flush(Device& device) {
  if (device.flush_planned) return;
  device.flush_planned = true;
  after_on(device, dice_.between(0, 10), [this, &device] { flush(device); });
}

void World::plan_tick(Device& device) {
  if (device.flush_planned) return;  // what is due may be said by then
  const auto next = device.engine->next_tick_ms();
  if (!next) return;
  const std::int64_t at_ms = std::max(*next + device.mono_zero_ms, now_ms_ + 1);
  if (device.tick_at_ms && *device.tick_at_ms <= at_ms && *device.tick_at_ms > now_ms_) return;
  device.tick_at_ms = at_ms;
  after_on(device, at_ms - now_ms_, [this, &device, at_ms] {
    if (device.tick_at_ms == at_ms) tick(device);
  });
}

void World::tick(Device& device) {
  device.tick_at_ms.reset();
  call(device, "tick", [](sync::Engine& e, sync::Now now) { return e.tick(now); });
}

void World::flush(Device& device) {
  device.flush_planned = false;
  auto sends = device.engine->flush(now_of(device));
  if (sends.has_error()) judge_error(device, "flush", sends.error());
  if (device.disk.power_is_off()) {
    cut_power(device);
    return;
  }
  if (!sends->empty() && device.disk.planned()) device.promised = feed_ends(device);
  for (sync::Send& s : *sends) send(device, std::move(s));
  plan_tick(device);
}

void World::send(Device& from, sync::Send send) {
  if (send.message.size() > sync::kMessageMax) throw Violation{"a message is too large"};
  if (holds_marker(send.message)) throw Violation{"a message holds what was said in the clear"};
  Device* to = find(send.to);
  if (to == nullptr) throw Violation{"a message to nobody"};
  ++coverage_["messages"];
  coverage_["message bytes"] += send.message.size();
  trace_.note(now_ms_, from.index, "send", to->index + 1, send.message.size());
  trace_.mix(send.message);
  if (!network_.linked(from.index, to->index)) return;
  const std::uint64_t session = network_.session(from.index, to->index);
  const auto arrivals = network_.fate(from.index, to->index);
  if (arrivals.empty()) ++coverage_["messages lost"];
  const auto message = std::make_shared<const Bytes>(std::move(send.message));
  for (const std::int64_t delay_ms : arrivals)
    at(now_ms_ + delay_ms, [this, a = from.index, b = to->index, session, message] {
      deliver(a, b, session, message);
    });
}

void World::deliver(std::size_t from, std::size_t to, std::uint64_t session,
                    const std::shared_ptr<const Bytes>& message) {
  Device& d = *devices_[to];
  if (!d.up()) return;
  if (d.paused_until_ms > now_ms_) {
    d.held.push_back([this, from, to, session, message] { deliver(from, to, session, message); });
    return;
  }
  if (network_.session(from, to) != session && !network_.arrives_late()) return;
  trace_.note(now_ms_, to, "receive", from + 1, message->size());
  const store::DeviceId sender = devices_[from]->id;
  call(d, "receive",
       [&](sync::Engine& e, sync::Now now) { return e.receive(sender, *message, now); });
}

// ---- links

void World::tend_links_of(std::size_t index) {
  for (std::size_t other = 0; other < index; ++other)
    after(dice_.between(1, 400), [this, index, other] { tend_link(other, index); });
}

void World::tend_link(std::size_t a, std::size_t b) {
  after(calm_ ? 500 : dice_.between(300, 2'500), [this, a, b] { tend_link(a, b); });
  Device& x = *devices_[a];
  Device& y = *devices_[b];
  const bool possible = x.up() && y.up() && network_.allowed(a, b) && x.engine->is_member(y.id) &&
                        y.engine->is_member(x.id);
  const bool passes = network_.both_ways(a, b);
  if (network_.linked(a, b)) {
    // A broken path is noticed only after a while.
    if (!possible || (!passes && dice_.chance(0.3))) disconnect(a, b);
    return;
  }
  if (possible && passes) connect(x, y);
}

void World::connect(Device& a, Device& b) {
  network_.link(a.index, b.index);
  trace_.note(now_ms_, a.index, "link", b.index + 1);
  const auto tell = [this](Device& d, const Device& peer) {
    call(d, "peer up", [&](sync::Engine& e, sync::Now now) -> Status {
      e.peer_up(peer.id, now);
      return {};
    });
  };
  tell(a, b);
  if (b.up()) tell(b, a);
}

void World::disconnect(std::size_t a, std::size_t b) {
  network_.unlink(a, b);
  trace_.note(now_ms_, a, "unlink", b + 1);
  for (const auto& [one, other] : {std::pair{a, b}, std::pair{b, a}}) {
    Device& d = *devices_[one];
    if (!d.up()) continue;
    const store::DeviceId peer = devices_[other]->id;
    call(d, "peer down", [&](sync::Engine& e, sync::Now now) -> Status {
      e.peer_down(peer, now);
      return {};
    });
  }
}

// ---- places in feeds

Place World::own_end(Device& device) {
  auto feeds = device.box->records().feeds();
  if (feeds.has_error()) throw Violation{"feeds cannot be read: " + feeds.error().what};
  Place last;
  for (const store::FeedRange& range : *feeds)
    if (range.feed.device == device.id && (last.to == 0 || last.feed < range.feed))
      last = {range.feed, range.start, range.end};
  return last;
}

Place World::placed_since(Device& device, const Place& before) {
  Place now = own_end(device);
  if (now.feed == before.feed) now.from = before.to;
  note_own_records(device, now);
  return now;
}

void World::note_own_records(Device& device, const Place& place) {
  for (std::uint64_t seq = place.from; seq < place.to; ++seq) {
    auto record = device.box->records().get(place.feed, seq);
    if (record.has_error() || !*record) continue;
    const auto [it, fresh] = written_.emplace(std::pair{place.feed, seq}, (*record)->hash);
    if (!fresh && it->second != (*record)->hash)
      throw Violation{"feed forked: device " + std::to_string(device.index + 1) + " says record " +
                      std::to_string(seq) + " twice"};
  }
}

FeedEnds World::feed_ends(Device& device) {
  auto feeds = device.box->records().feeds();
  if (feeds.has_error()) throw Violation{"feeds cannot be read: " + feeds.error().what};
  FeedEnds ends;
  for (const store::FeedRange& range : *feeds) ends[range.feed] = range.end;
  return ends;
}

// ---- the secretary

void World::plan_secretary(Device& device, std::int64_t delay_ms) {
  if (device.secretary_planned) return;
  device.secretary_planned = true;
  after_on(device, delay_ms, [this, &device] { run_secretary(device); });
}

void World::run_secretary(Device& device) {
  device.secretary_planned = false;
  for (const bool local : {true, false}) {
    if (!device.up() || (!local && !device.engine->acting())) continue;
    auto turns = device.box->unextracted(local, 12);
    if (turns.has_error())
      throw Violation{"unextracted turns cannot be read: " + turns.error().what};
    if (turns->empty()) continue;
    store::CardFilter some;
    some.limit = 8;
    auto older = device.box->cards(some);
    if (older.has_error()) throw Violation{"cards cannot be read: " + older.error().what};
    const auto units = secretary_.extract(*turns, older->cards,
                                          device.engine->derived_key("card ids"), device.id, calm_);
    for (const store::UnitFiled& unit : units) {
      if (!device.up()) return;
      history_.worded.emplace(unit.unit, unit);
      std::optional<Result<bool>> filed;
      const Place place = placed(device, [&] {
        filed = call(device, "file a unit",
                     [&](sync::Engine& e, sync::Now now) { return e.file_unit(unit, now); });
      });
      if (!filed || filed->has_error() || !**filed) continue;
      trace_.note(now_ms_, device.index, "unit", unit.sources.size(), unit.cards.size());
      ++coverage_["units filed"];
      history_.filed.push_back({device.index, unit, local, place});
    }
    if (device.up() && units.size() < turns->size())
      plan_secretary(device, dice_.between(300, 3'000));
  }
}

}  // namespace kartei::sim
