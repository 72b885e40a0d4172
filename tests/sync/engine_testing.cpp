#include "tests/sync/engine_testing.h"

#include "crypto/hash.h"
#include "sync/engine_write.h"

namespace kartei::sync {

// Reaches into an engine for what only timers and links would bring about.
struct EngineProbe {
  static Status open_term(Engine& engine, Now now) {
    return engine.impl_->write(
        Durability::kSynced, [&] { return engine.impl_->open_term("by hand", now); }, now);
  }
  static Status open_term_at(Engine& engine, std::uint64_t counter, Now now) {
    return engine.impl_->write(
        Durability::kSynced,
        [&]() -> Status {
          KARTEI_TRY(engine.impl_->own_feed());
          EntryDraft draft;
          draft.counter = counter;
          draft.reason = "a lie";
          return engine.impl_->append_entry(std::move(draft), now);
        },
        now);
  }
  static Head head(Engine& engine) { return engine.impl_->heads.at(engine.impl_->self).head; }
  static void lack(Engine& engine, store::DrawerId drawer, bool does) {
    auto& impl = *engine.impl_;
    for (const auto& [name, known] : impl.roll->keys()) {
      if (name.first != drawer) continue;
      if (does) impl.lacking.insert(name);
      if (!does) impl.lacking.erase(name);
    }
  }
  static std::size_t roll_size(Engine& engine) { return engine.impl_->roll->size(); }
  static void see(Engine& engine, std::uint64_t counter) {
    engine.impl_->seen = Term{counter, engine.impl_->seen.feed};
  }
  static Status say(Engine& engine, const RollOperation& operation, Now now) {
    return engine.impl_->write(
        Durability::kSynced, [&] { return engine.impl_->append_roll(operation, {}, now); }, now);
  }
  static Status give_key(Engine& engine, store::DrawerId drawer, Epoch epoch, Now now) {
    return engine.impl_->write(
        Durability::kSynced,
        [&]() -> Status {
          std::vector<KeyPart> parts(1);
          parts[0].drawer = drawer;
          parts[0].epoch = epoch;
          return engine.impl_->append_roll(RollKeys{}, std::move(parts), now);
        },
        now);
  }
  static Status hand_over(Engine& engine, DeviceId to, Now now) {
    return engine.impl_->write(
        Durability::kSynced, [&] { return engine.impl_->hand_over(to, now); }, now);
  }
  static std::size_t keys_of(Engine& engine, store::DrawerId drawer) {
    std::size_t count = 0;
    for (const auto& [name, known] : engine.impl_->roll->keys()) count += name.first == drawer;
    for (const auto& [name, key] : engine.impl_->keys)
      if (name.first == drawer && !engine.impl_->roll->keys().contains(name)) return 1000;
    return count;
  }
  // All that it holds, its head and those it knows.
  static Message everything(Engine& engine, DeviceId to) {
    auto& impl = *engine.impl_;
    testing::must(impl.renew_head());
    if (impl.rules.sync_before_send) testing::must(impl.box.sync());
    Message message;
    message.box = impl.box_id;
    for (const auto& [device, head] : impl.heads) message.heads.push_back(head.sealed);
    if (impl.roll->is_revoked(to)) message.roll = impl.roll->encoded();
    message.head = impl.heads.at(impl.self).sealed;
    for (const auto& [id, feed] : impl.feeds) {
      RecordRange range{id, {}};
      for (auto& stored :
           testing::must(impl.box.records().range(id, feed.start, feed.end, 1 << 30)))
        range.records.push_back(stored.bytes);
      if (!range.records.empty()) message.ranges.push_back(std::move(range));
    }
    if (impl.ledger->base().height > 0 && impl.roll->is_member(impl.self)) {
      SnapshotChunk chunk;
      chunk.data = testing::must(impl.make_snapshot(to));
      chunk.total = chunk.data.size();
      chunk.hash = crypto::hash("kartei snapshot v1", {chunk.data});
      message.snapshot = std::move(chunk);
    }
    return message;
  }
};

}  // namespace kartei::sync

namespace kartei::sync::testing {

EngineConfig World::config(int number) const {
  EngineConfig config;
  config.device_name = "device " + std::to_string(number);
  config.rules = rules_;
  config.state_max = state_max_;
  return config;
}

void World::open(Device& device) {
  device.engine.reset();
  device.engine = must(
      Engine::open(*device.box, *device.identity, random_, config(device.number), now()), "open");
}

World::World(int devices, Rules rules, bool lead_by_hand)
    : rules_(rules), lead_by_hand_(lead_by_hand) {
  crypto::init();
  devices_.reserve(16);
  std::vector<crypto::Identity> identities;
  // Terms tie by device id: numbered in its order, as in the model.
  for (int i = 0; i < devices; ++i) identities.push_back(crypto::Identity::generate(random_));
  std::sort(identities.begin(), identities.end(),
            [](const auto& a, const auto& b) { return a.pub().id() < b.pub().id(); });
  for (int i = 0; i < devices; ++i) {
    Device device;
    device.number = i + 1;
    device.identity =
        std::make_unique<crypto::Identity>(std::move(identities[static_cast<std::size_t>(i)]));
    device.box = must(store::Box::open({}));
    devices_.push_back(std::move(device));
  }
  open(devices_[0]);
  auto drawer = must(d(1).engine->make_drawer("home", now()));
  drawer_ = drawer.id;
  must(d(1).engine->share_drawer(drawer_, true, {}, now()), "share");
  for (int i = 2; i <= devices; ++i) {
    Device& device = d(i);
    Newcomer newcomer{device.identity->pub(), "device " + std::to_string(i), {}};
    newcomer.acceptance = device.identity->sign(acceptance_message(status(1).box, newcomer.keys));
    must(d(1).engine->propose_member(newcomer, now()), "propose");
    if (i > 2) {
      x(1, 2);
      must(d(2).engine->approve(device.id(), now()), "approve");
      x(2, 1);
    }
    Bytes welcome = must(d(1).engine->welcome(device.id()), "welcome");
    must(Engine::accept_welcome(*device.box, *device.identity, welcome, random_), "accept");
    open(device);
  }
  for (int round = 0; round < 2; ++round)
    for (int a = 1; a <= devices; ++a)
      for (int b = 1; b <= devices; ++b)
        if (a != b) x(a, b);
  for (int i = 1; i <= devices; ++i) restart(i);
}

void World::watch_disk(int device) {
  Device* one = &d(device);
  must(one->box->sync());
  one->synced = must(one->box->image());
  one->box->observe_commits([one](bool synced) {
    if (synced) one->synced = must(one->box->image());
  });
}

std::uint64_t World::count(int device, const FeedId& feed) {
  for (const store::FeedRange& range : must(d(device).box->records().feeds()))
    if (range.feed == feed) return range.end;
  return 0;
}

Head World::last_head(int device) {
  return EngineProbe::head(*d(device).engine);
}

void World::reopen(int device, EngineConfig config) {
  Device& one = d(device);
  one.engine.reset();
  one.engine = must(Engine::open(*one.box, *one.identity, random_, std::move(config), now()));
}

store::DrawerId World::make_shared(int device, const std::string& name,
                                   std::vector<DeviceId> devices) {
  auto drawer = must(d(device).engine->make_drawer(name, now()));
  must(d(device).engine->share_drawer(drawer.id, true, std::move(devices), now()));
  return drawer.id;
}

TurnId World::say(int device, const std::string& text) {
  return say_as(device, text, {});
}

TurnId World::say_as(int device, const std::string& text, TurnId id) {
  store::Turn turn;
  turn.id = id;
  turn.conversation = "c";
  turn.speaker = "Maya";
  turn.text = text;
  turn.said_at.at = now().wall;
  turn.drawer = drawer_;
  return must(d(device).engine->hear({turn}, now()), "hear").front();
}

TurnId World::say_in(int device, const std::string& text, store::DrawerId drawer) {
  store::Turn turn;
  turn.conversation = "c";
  turn.text = text;
  turn.drawer = drawer;
  return must(d(device).engine->hear({turn}, now()), "hear").front();
}

store::CardId World::edit(int device, store::EditKind kind, store::CardId target) {
  store::CardEdited edit;
  edit.kind = kind;
  edit.target = target;
  edit.flags = store::kPersistent;
  edit.note = "by hand";
  if (kind == store::EditKind::kReplace) {
    edit.card.emplace();
    edit.card->text = "In my own words.";
  }
  return must(d(device).engine->edit(edit, now()), "edit");
}

store::CardId World::erase_turn(int device, TurnId turn) {
  store::CardEdited edit;
  edit.kind = store::EditKind::kEraseTurn;
  edit.turn = turn;
  return must(d(device).engine->edit(edit, now()), "erase turn");
}

void World::take(int device) {
  must(EngineProbe::open_term(*d(device).engine, now()), "take");
}

void World::hand_over(int device, int to) {
  must(EngineProbe::hand_over(*d(device).engine, d(to).id(), now()), "hand over");
}

void World::take_at(int device, std::uint64_t counter) {
  must(EngineProbe::open_term_at(*d(device).engine, counter, now()), "take at");
}

void World::lack(int device, bool does) {
  EngineProbe::lack(*d(device).engine, drawer_, does);
}

std::size_t World::roll_size(int device) {
  return EngineProbe::roll_size(*d(device).engine);
}

void World::see(int device, std::uint64_t counter) {
  EngineProbe::see(*d(device).engine, counter);
}

void World::say_roll(int device, const RollOperation& operation) {
  must(EngineProbe::say(*d(device).engine, operation, now()), "say");
}

void World::give_key(int device, Epoch epoch) {
  must(EngineProbe::give_key(*d(device).engine, drawer_, epoch, now()), "give key");
}

store::Card World::card_of(std::vector<TurnId> sources, int variant, store::DrawerId drawer) {
  store::Card card;
  card.text = "This is wording " + std::to_string(variant) + ".";
  card.drawer = drawer;
  card.sources = std::move(sources);
  card.recorded_at = store::time_from_ms(1'700'000'000'000);
  const Bytes secret(32, 7);
  card.id = store::derive_card_id(secret, card);
  return card;
}

bool World::work(int device, int variant, std::size_t batch, bool joint) {
  bool any = false;
  auto turns = must(d(device).box->unextracted(false, 1000));
  for (std::size_t i = 0; i < turns.size(); i += batch) {
    store::UnitFiled unit;
    unit.drawer = turns[i].drawer;
    for (std::size_t k = i; k < std::min(i + batch, turns.size()); ++k)
      unit.sources.push_back(turns[k].id);
    if (joint) {
      unit.cards.push_back(card_of(unit.sources, variant, unit.drawer));
    } else {
      for (const TurnId& turn : unit.sources)
        unit.cards.push_back(card_of({turn}, variant, unit.drawer));
    }
    unit.unit = store::derive_unit_id(unit);
    any = must(d(device).engine->file_unit(unit, now()), "unit") || any;
  }
  return any;
}

void World::x(int a, int b, std::vector<int> only) {
  if (!d(a).alive || !d(b).alive) return;
  Message message = EngineProbe::everything(*d(a).engine, d(b).id());
  if (!only.empty())
    std::erase_if(message.ranges, [&](const RecordRange& range) {
      return std::none_of(only.begin(), only.end(),
                          [&](int number) { return d(number).id() == range.feed.device; });
    });
  must(d(b).engine->receive(d(a).id(), encode(message), now()), "receive");
}

std::size_t World::drawer_keys(int device) {
  return EngineProbe::keys_of(*d(device).engine, drawer_);
}

std::vector<Bytes> World::outbox(int a, int b) {
  return {encode(EngineProbe::everything(*d(a).engine, d(b).id()))};
}

void World::heads(int a, int b) {
  Message message = EngineProbe::everything(*d(a).engine, d(b).id());
  message.ranges.clear();
  message.snapshot.reset();
  must(d(b).engine->receive(d(a).id(), encode(message), now()), "receive");
}

void World::records(int a, int b) {
  Message message = EngineProbe::everything(*d(a).engine, d(b).id());
  message.head.clear();
  message.heads.clear();
  message.snapshot.reset();
  must(d(b).engine->receive(d(a).id(), encode(message), now()), "receive");
}

void World::quiet(int rounds) {
  for (Device& a : devices_)
    for (Device& b : devices_)
      if (a.alive && b.alive && a.number != b.number) a.engine->peer_up(b.id(), now());
  for (int round = 0; round < rounds; ++round) {
    wait(1000);
    for (Device& a : devices_) {
      if (!a.alive) continue;
      must(a.engine->tick(now()), "tick");
      if (a.engine->acting()) work(a.number);
    }
    for (int hop = 0; hop < 8; ++hop) {
      bool any = false;
      for (Device& a : devices_) {
        if (!a.alive) continue;
        for (Send& send : must(a.engine->flush(now()), "flush"))
          for (Device& b : devices_)
            if (b.alive && b.id() == send.to) {
              any = true;
              must(b.engine->receive(a.id(), send.message, now()), "receive");
            }
      }
      if (!any) break;
    }
  }
  for (Device& a : devices_)
    for (Device& b : devices_)
      if (a.alive && b.alive && a.number != b.number) a.engine->peer_down(b.id(), now());
}

void World::restart(int device) {
  d(device).engine.reset();
  open(d(device));
}

void World::limit_state(std::size_t bytes) {
  state_max_ = bytes;
  for (int device = 1; device <= size(); ++device) restart(device);
}

void World::restart_from(int device, ByteView image) {
  Device& it = d(device);
  it.engine.reset();
  it.box = must(store::Box::from_image(image));
  open(it);
}

int World::join(int sponsor, int approver, bool told) {
  Device device;
  device.number = size() + 1;
  device.identity = std::make_unique<crypto::Identity>(crypto::Identity::generate(random_));
  device.box = must(store::Box::open({}));
  devices_.push_back(std::move(device));
  Device& fresh = devices_.back();
  Newcomer newcomer{fresh.identity->pub(), "device " + std::to_string(fresh.number), {}};
  newcomer.acceptance =
      fresh.identity->sign(acceptance_message(status(sponsor).box, newcomer.keys));
  must(d(sponsor).engine->propose_member(newcomer, now()), "propose");
  if (approver != 0) {
    x(sponsor, approver);
    must(d(approver).engine->approve(fresh.id(), now()), "approve");
    x(approver, sponsor);
  }
  Bytes welcome = must(d(sponsor).engine->welcome(fresh.id()), "welcome");
  must(Engine::accept_welcome(*fresh.box, *fresh.identity, welcome, random_), "accept");
  open(fresh);
  if (told) x(sponsor, fresh.number);
  return fresh.number;
}

std::vector<store::Card> World::cards(int device) {
  store::CardFilter filter;
  filter.limit = 500;
  return must(d(device).box->cards(filter)).cards;
}

std::vector<std::string> World::texts(int device) {
  std::vector<std::string> out;
  for (const store::Card& card : cards(device)) out.push_back(card.text);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace kartei::sync::testing
