#include "tests/simulation/workload.h"

#include <algorithm>

namespace kartei::sim {

Workload::Workload(World& world, const Climate& climate)
    : world_(world),
      climate_(climate),
      dice_(climate.world.seed, "workload"),
      home_(*world.history().ever_shared.begin()) {}

void Workload::run() {
  world_.network().set_weather(climate_.weather);
  for (int i = 0; i < climate_.steps; ++i) {
    world_.run_until(world_.now_ms() + dice_.wait(climate_.gap_mean_ms));
    step(static_cast<Event>(dice_.weighted(climate_.weights)));
  }
  world_.run_until(world_.now_ms() + dice_.wait(climate_.gap_mean_ms));
}

std::vector<Device*> Workload::members_up() {
  std::vector<Device*> out;
  for (Device* d : world_.up())
    if (d->counts()) out.push_back(d);
  return out;
}

void Workload::step(Event event) {
  if (event == kPartition) return partition();
  const auto members = members_up();
  if (members.empty()) return;
  Device& d = *dice_.pick(members);
  switch (event) {
    case kSay: {
      std::vector<store::DrawerId> open = {home_};
      for (const auto& [drawer, devices] : world_.history().granted)
        if (devices.contains(d.id)) open.push_back(drawer);
      say(d, dice_.chance(0.7) ? home_ : dice_.pick(open), false);
      break;
    }
    case kSayLocal:
      say(d, d.local_drawer, true);
      break;
    case kSayAgain:
      say_again(d);
      break;
    case kEdit:
      edit(d);
      break;
    case kEraseTurn:
      erase_turn(d);
      break;
    case kPower:
      power(d);
      break;
    case kKill:
      world_.kill(d);
      world_.restart_later(d, dice_.wait(3'000));
      break;
    case kPause:
      world_.pause(d, dice_.wait(8'000));
      break;
    case kClock:
      ++world_.coverage()["clock jumps"];
      d.wall_shift_ms += dice_.between(-40, 40) * 3'600'000;
      break;
    case kBackup:
      world_.back_up(d);
      break;
    case kRestore:
      if (d.backup && restores_++ == 0) world_.restore(d);
      break;
    case kJoin:
      if (joins_ < 1 && world_.devices().size() < 6) {
        ++joins_;
        world_.join(d);
      }
      break;
    case kLose:
      lose(d);
      break;
    case kRevoke:
      revoke(d);
      break;
    case kPin:
      pin(d);
      break;
    case kShare:
      share(d);
      break;
    case kUsage:
      use(d);
      break;
    case kEnd:
      world_.placed(d, [&] {
        world_.call(d, "end a conversation", [](sync::Engine& e, sync::Now now) {
          return e.end_conversation("talk 0", now);
        });
      });
      break;
    default:
      break;
  }
}

void Workload::say(Device& device, store::DrawerId drawer, bool local) {
  store::Turn turn;
  turn.id = *store::TurnId::from_bytes(dice_.id());
  const std::uint64_t marker = ++markers_;
  turn.external_id = "m" + std::to_string(marker);
  turn.conversation = "talk " + std::to_string(dice_.below(3));
  turn.speaker = "Maya";
  turn.text = "about " + marker_word(marker) + " and more";
  turn.said_at = {world_.now_of(device).wall, 60};
  turn.drawer = drawer;
  turn.app = "simulation";
  std::optional<Result<std::vector<store::TurnId>>> heard;
  const Place place = world_.placed(device, [&] {
    heard = world_.call(device, "hear",
                        [&](sync::Engine& e, sync::Now now) { return e.hear({turn}, now); });
  });
  world_.trace().note(world_.now_ms(), device.index, local ? "say local" : "say", marker,
                      heard && heard->has_value(), drawer.text());
  if (!heard || heard->has_error()) return;
  if ((*heard)->size() != 1) throw Violation{"one turn was heard, not one id given"};
  ++world_.coverage()[local ? "local turns" : "turns"];
  world_.history().turns.push_back(
      {device.index, (*heard)->front(), drawer, turn.text, marker, local, place});
  world_.plan_secretary(device, dice_.between(10, 1'500));
}

// The app has had no answer and says it again: stored once.
void Workload::say_again(Device& device) {
  std::vector<const SaidTurn*> own;
  for (const SaidTurn& t : world_.history().turns)
    if (t.device == device.index && !device.restored) own.push_back(&t);
  if (own.empty()) return;
  const SaidTurn& said = *dice_.pick(own);
  auto turn = device.box->turn(said.id);
  if (turn.has_error() || !*turn || (*turn)->text.empty()) return;  // erased
  auto heard = world_.call(device, "hear",
                           [&](sync::Engine& e, sync::Now now) { return e.hear({**turn}, now); });
  if (!heard || heard->has_error()) return;
  ++world_.coverage()["turns repeated"];
  if ((*heard)->size() != 1 || (*heard)->front() != said.id)
    throw Violation{"a repeated turn has another id"};
}

std::optional<store::Card> Workload::shown_card(Device& device) {
  store::CardFilter filter;
  filter.limit = 60;
  auto page = device.box->cards(filter);
  if (page.has_error()) throw Violation{"cards cannot be read: " + page.error().what};
  if (page->cards.empty()) return std::nullopt;
  return dice_.pick(page->cards);
}

void Workload::edit(Device& device) {
  store::CardEdited e;
  e.edit = *store::EditId::from_bytes(dice_.id());
  auto target = shown_card(device);
  static constexpr store::EditKind kKinds[] = {
      store::EditKind::kClose,     store::EditKind::kFlags,   store::EditKind::kFlags,
      store::EditKind::kAnnotate,  store::EditKind::kReplace, store::EditKind::kEraseCard,
      store::EditKind::kImportance};
  e.kind = target ? kKinds[dice_.below(std::size(kKinds))] : store::EditKind::kAdd;
  if (dice_.chance(0.1)) e.kind = store::EditKind::kAdd;
  if (e.kind == store::EditKind::kAdd) target.reset();
  e.drawer = target ? target->drawer : home_;
  if (target) e.target = target->id;
  if (e.kind == store::EditKind::kFlags) e.flags = store::kPersistent;
  if (e.kind == store::EditKind::kAnnotate) e.note = "seen by the owner";
  if (e.kind == store::EditKind::kImportance) e.importance = 0.9;
  if (e.kind == store::EditKind::kAdd || e.kind == store::EditKind::kReplace) {
    store::Card card;
    card.id = *store::CardId::from_bytes(dice_.id());
    card.text = "The owner's own words " + marker_word(++markers_) + ".";
    card.drawer = e.drawer;
    card.said_by = "Maya";
    card.recorded_at = world_.now_of(device).wall;
    e.card = card;
  }
  const bool local = !world_.history().ever_shared.contains(e.drawer);
  record_edit(device, std::move(e), std::move(target), local);
}

void Workload::erase_turn(Device& device) {
  std::vector<const SaidTurn*> known;
  for (const SaidTurn& t : world_.history().turns) {
    if (t.local) continue;
    auto filed = device.box->turn_filed(t.id);
    auto gone = device.box->turn_erased(t.id);
    if (filed.has_value() && *filed && gone.has_value() && !*gone) known.push_back(&t);
  }
  if (known.empty()) return;
  const SaidTurn& said = *dice_.pick(known);
  store::CardEdited e;
  e.edit = *store::EditId::from_bytes(dice_.id());
  e.kind = store::EditKind::kEraseTurn;
  e.turn = said.id;
  e.drawer = said.drawer;
  record_edit(device, std::move(e), std::nullopt, false);
}

void Workload::record_edit(Device& device, store::CardEdited edit,
                           std::optional<store::Card> target, bool local) {
  std::optional<Result<store::CardId>> done;
  const Place place = world_.placed(device, [&] {
    done = world_.call(device, "edit",
                       [&](sync::Engine& e, sync::Now now) { return e.edit(edit, now); });
  });
  world_.trace().note(world_.now_ms(), device.index, "edit", static_cast<std::uint64_t>(edit.kind),
                      done && done->has_value(), target ? target->id.text() : edit.turn.text());
  if (done && done->has_error()) return;
  if (done) ++world_.coverage()["edits"];
  SaidEdit said;
  said.device = device.index;
  said.made = done ? **done : edit.card ? edit.card->id : store::CardId{};
  said.edit = std::move(edit);
  said.target = std::move(target);
  said.answered = done.has_value();
  said.local = local;
  said.place = place;
  world_.history().edits.push_back(std::move(said));
}

void Workload::partition() {
  Network& net = world_.network();
  net.heal();
  if (dice_.chance(0.3)) {
    world_.trace().note(world_.now_ms(), 0, "healed");
    return;
  }
  std::vector<bool> side;
  for (std::size_t i = 0; i < 6; ++i) side.push_back(dice_.chance(0.5));
  const bool one_way = dice_.chance(0.25);
  ++world_.coverage()[one_way ? "one-way partitions" : "partitions"];
  for (std::size_t a = 0; a < 6; ++a)
    for (std::size_t b = 0; b < 6; ++b)
      if (side[a] != side[b] && (!one_way || side[a])) net.cut(a, b);
  world_.trace().note(world_.now_ms(), 0, "partition", one_way);
}

// Either in the middle of one of the next calls, or when a little time has passed.
void Workload::power(Device& device) {
  device.disk.plan_cut(1 + dice_.below(10), dice_.chance(0.3));
  world_.after_on(device, dice_.wait(3'000), [this, &device] {
    if (device.disk.planned()) world_.cut_power(device);
  });
}

void Workload::lose(Device& device) {
  if (lost_ >= climate_.lost_max || !can_spare(device)) return;
  ++lost_;
  world_.lose(device);
}

// Revocations in a row, never mutual: those are not the rules' matter.
void Workload::revoke(Device& device) {
  if (revoked_ >= 2 || world_.counting().size() < 3) return;
  // Who is struck with a revoked sponsor is not told here; the hand-written cases do that.
  std::vector<Device*> targets;
  for (auto& d : world_.devices())
    if (d.get() != &device && d->admitted && !revokers_.contains(d->index) && !d->sponsor &&
        device.engine->is_member(d->id) && (!d->counts() || can_spare(*d)))
      targets.push_back(d.get());
  if (targets.empty()) return;
  ++revoked_;
  revokers_.insert(device.index);
  world_.revoke(device, *dice_.pick(targets));
}

void Workload::pin(Device& device) {
  std::vector<store::DeviceId> members;
  for (auto& d : world_.devices())
    if (device.engine->is_member(d->id)) members.push_back(d->id);
  std::optional<store::DeviceId> target;
  if (dice_.chance(0.8)) target = dice_.pick(members);
  ++world_.coverage()["pins"];
  world_.placed(device, [&] {
    world_.call(device, "pin", [&](sync::Engine& e, sync::Now now) { return e.pin(target, now); });
  });
}

// A new drawer, with something in it already, is shared with some of the others.
void Workload::share(Device& device) {
  if (drawers_ >= 2) return;
  const std::string name = "drawer " + std::to_string(++drawers_);
  auto made = world_.call(device, "make a drawer",
                          [&](sync::Engine& e, sync::Now now) { return e.make_drawer(name, now); });
  if (!made || made->has_error()) return;
  const store::DrawerId drawer = (*made)->id;
  say(device, drawer, true);
  if (!device.up()) return;
  std::vector<store::DeviceId> devices;
  std::set<store::DeviceId> granted;
  const bool all = dice_.chance(0.4);
  for (Device* d : world_.counting())
    if (device.engine->is_member(d->id) && (all || d == &device || dice_.chance(0.6))) {
      devices.push_back(d->id);
      granted.insert(d->id);
    }
  if (devices.size() < 2) return;
  // Whether it was shared must be known: no power cut here.
  device.disk.forget_plan();
  std::optional<Status> shared;
  const Place place = world_.placed(device, [&] {
    shared = world_.call(device, "share", [&](sync::Engine& e, sync::Now now) {
      return e.share_drawer(drawer, true, devices, now);
    });
  });
  if (!shared || shared->has_error()) return;
  ++world_.coverage()["drawers shared"];
  world_.history().ever_shared.insert(drawer);
  world_.history().granted[drawer] = granted;
  // What it held is said to the others now.
  for (SaidTurn& t : world_.history().turns)
    if (t.drawer == drawer) {
      t.local = false;
      t.place = place;
    }
}

void Workload::use(Device& device) {
  auto card = shown_card(device);
  if (!card) return;
  world_.placed(device, [&] {
    world_.call(device, "count usage",
                [&](sync::Engine& e, sync::Now now) { return e.count_usage({card->id}, now); });
  });
}

// Somebody must be left, and of every drawer a holder: else nobody could ever read it.
bool Workload::can_spare(const Device& device) {
  const auto rest = world_.counting();
  if (rest.size() < 2) return false;
  for (const auto& [drawer, devices] : world_.history().granted)
    if (std::none_of(rest.begin(), rest.end(), [&, &holders = devices](const Device* d) {
          return d != &device && !d->restored && holders.contains(d->id);
        }))
      return false;
  return true;
}

void Workload::grant_anew() {
  auto& granted = world_.history().granted;
  const auto rest = world_.counting();
  const auto holds_all = [&](const Device* d) {
    return std::all_of(granted.begin(), granted.end(),
                       [&](const auto& g) { return g.second.contains(d->id); });
  };
  if (std::any_of(rest.begin(), rest.end(), holds_all)) return;
  ++world_.coverage()["grants anew"];
  for (auto& [drawer, devices] : granted) {
    const auto holder = std::find_if(
        rest.begin(), rest.end(),
        [&holders = devices](const Device* d) { return d->up() && holders.contains(d->id); });
    if (holder == rest.end()) continue;
    world_.call(**holder, "share", [&, id = drawer](sync::Engine& e, sync::Now now) {
      return e.share_drawer(id, true, {}, now);
    });
    for (const Device* d : rest) devices.insert(d->id);
  }
}

void Workload::calm() {
  Network& net = world_.network();
  net.heal();
  net.allow_all();
  net.set_weather(Weather::fair());
  world_.set_calm(true);
  for (auto& d : world_.devices()) {
    world_.wake(*d);
    d->disk.forget_plan();
    world_.switch_on(*d);
  }
  if (!climate_.line) return;
  std::vector<std::size_t> line;
  for (Device* d : world_.counting()) line.push_back(d->index);
  for (std::size_t a = 0; a < line.size(); ++a)
    for (std::size_t b = a + 2; b < line.size(); ++b) net.forbid(line[a], line[b]);
}

}  // namespace kartei::sim
