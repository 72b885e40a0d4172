#include "tests/simulation/templates.h"

#include <memory>

#include "store/box.h"
#include "sync/engine.h"
#include "tests/simulation/trace.h"

namespace kartei::sim {

namespace {

constexpr std::int64_t kFoundedAtMs = 1'750'000'000'000;  // wall clock of the founding

struct Founding {
  struct Member {
    crypto::Identity identity;
    std::unique_ptr<store::Box> box;
    std::unique_ptr<crypto::SeededRandom> random;
    std::unique_ptr<sync::Engine> engine;
    store::DeviceId id;
  };
  std::vector<std::unique_ptr<Member>> members;  // engines borrow them: they stay where they are
  std::int64_t mono_ms = 0;

  sync::Now now() const { return {store::time_from_ms(kFoundedAtMs + mono_ms), mono_ms}; }

  Member& add(std::uint64_t number) {
    crypto::SeededRandom keys(9'000 + number);
    Member m{crypto::Identity::generate(keys),
             must(store::Box::open({}), "box"),
             std::make_unique<crypto::SeededRandom>(9'100 + number),
             nullptr,
             {}};
    m.id = *store::DeviceId::from_bytes(m.identity.pub().id());
    members.push_back(std::make_unique<Member>(std::move(m)));
    return *members.back();
  }
  void open(Member& m, std::size_t number) {
    sync::EngineConfig config;
    config.device_name = "device " + std::to_string(number + 1);
    m.engine =
        must(sync::Engine::open(*m.box, m.identity, *m.random, config, now()), "open an engine");
  }
  Member* find(const store::DeviceId& id) {
    for (auto& m : members)
      if (m->id == id) return m.get();
    return nullptr;
  }
  // Carries messages until nobody has anything to say for a while.
  void settle() {
    for (auto& a : members)
      for (auto& b : members)
        if (a != b) a->engine->peer_up(b->id, now());
    for (int round = 0; round < 40; ++round) {
      mono_ms += 100;
      for (auto& m : members) {
        must(m->engine->tick(now()), "tick");
        for (const sync::Send& send : must(m->engine->flush(now()), "flush"))
          if (Member* to = find(send.to))
            must(to->engine->receive(m->id, send.message, now()), "receive");
      }
    }
  }
};

}  // namespace

const Template& Templates::of(std::size_t devices) {
  const auto found = made_.find(devices);
  if (found != made_.end()) return found->second;
  Founding f;
  f.open(f.add(0), 0);
  Template made;
  made.home = must(f.members[0]->engine->make_drawer("home", f.now()), "make a drawer").id;
  must(f.members[0]->engine->share_drawer(made.home, true, {}, f.now()), "share a drawer");
  f.settle();
  for (std::size_t i = 1; i < devices; ++i) {
    Founding::Member& fresh = f.add(i);
    sync::Engine& first = *f.members[0]->engine;
    // One's keys are bound to this box by the newcomer's own signature.
    const Bytes accepts = sync::acceptance_message(first.status(f.now()).box, fresh.identity.pub());
    must(first.propose_member({fresh.identity.pub(), "device " + std::to_string(i + 1),
                               fresh.identity.sign(accepts)},
                              f.now()),
         "propose");
    if (i > 1) {
      auto waiting = std::move(f.members.back());
      f.members.pop_back();
      f.settle();
      must(f.members[1]->engine->approve(waiting->id, f.now()), "approve");
      f.settle();
      f.members.push_back(std::move(waiting));
    }
    Founding::Member& newcomer = *f.members.back();
    const Bytes welcome = must(f.members[0]->engine->welcome(newcomer.id), "welcome");
    must(sync::Engine::accept_welcome(*newcomer.box, newcomer.identity, welcome, *newcomer.random),
         "accept a welcome");
    f.open(newcomer, i);
    f.settle();
  }
  for (auto& one : f.members) {
    Founding::Member& m = *one;
    const store::Drawer own = must(m.engine->make_drawer("own", f.now()), "make a drawer");
    must(m.engine->flush(f.now()), "flush");
    must(m.box->sync(), "sync");
    m.engine.reset();
    made.members.push_back({std::move(m.identity), must(m.box->image(), "image"), own.id});
  }
  return made_.emplace(devices, std::move(made)).first->second;
}

const Bytes& Templates::empty_box() {
  if (empty_.empty()) {
    auto box = must(store::Box::open({}), "box");
    empty_ = must(box->image(), "image");
  }
  return empty_;
}

}  // namespace kartei::sim
