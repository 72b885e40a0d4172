// Devices with real boxes in memory, driven by hand: who hears what, when, and in which order.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "store/box.h"
#include "store/records.h"
#include "sync/engine.h"
#include "sync/wire.h"

namespace kartei::sync::testing {

template <class T>
T must(Result<T> result, const char* what = "") {
  if (result.has_error()) throw std::runtime_error(std::string(what) + ": " + result.error().what);
  return std::move(*result);
}
inline void must(Status status, const char* what = "") {
  if (status.has_error()) throw std::runtime_error(std::string(what) + ": " + status.error().what);
}

class World;

struct Device {
  int number = 0;
  std::unique_ptr<crypto::Identity> identity;
  std::unique_ptr<store::Box> box;
  std::unique_ptr<Engine> engine;
  bool alive = true;
  Bytes synced;  // watch_disk()

  DeviceId id() const { return DeviceId{identity->pub().id()}; }
};

// All devices share one drawer. Time moves only by wait().
class World {
 public:
  explicit World(int devices, Rules rules = {}, bool lead_by_hand = true);

  Device& d(int number) { return devices_.at(static_cast<std::size_t>(number - 1)); }
  int size() const { return static_cast<int>(devices_.size()); }
  Now now() const { return {store::time_from_ms(1'700'000'000'000 + ms_), ms_}; }
  void wait(std::int64_t ms) { ms_ += ms; }
  store::DrawerId drawer() const { return drawer_; }
  store::DrawerId make_shared(int device, const std::string& name, std::vector<DeviceId> devices);

  // ---- users
  TurnId say(int device, const std::string& text);
  TurnId say_as(int device, const std::string& text, TurnId id);
  TurnId say_in(int device, const std::string& text, store::DrawerId drawer);
  store::CardId edit(int device, store::EditKind kind, store::CardId target);
  store::CardId erase_turn(int device, TurnId turn);

  // ---- the primary. `take` opens a term whatever the timers say. `work` files units: one for each
  // batch of turns, a card a turn (or one for the batch), worded by `variant`.
  void take(int device);
  void hand_over(int device, int to);
  // What only a device gone bad does.
  void take_at(int device, std::uint64_t counter);
  void see(int device, std::uint64_t counter);
  void lack(int device, bool does);  // of the shared drawer's key, by what its head says
  std::size_t roll_size(int device);
  void say_roll(int device, const RollOperation& operation);
  void give_key(int device, Epoch epoch);
  bool work(int device, int variant = 0, std::size_t batch = 1, bool joint = false);
  static store::Card card_of(std::vector<TurnId> sources, int variant, store::DrawerId drawer);

  // ---- the net. `x`: all that a holds reaches b; `only`: records of these authors.
  void x(int a, int b, std::vector<int> only = {});
  void heads(int a, int b);
  void records(int a, int b);
  void both(int a, int b) {
    x(a, b);
    x(b, a);
    x(a, b);
  }
  // Everybody to everybody until nothing moves; with timers, so that somebody leads.
  void quiet(int rounds = 40);
  void limit_state(std::size_t bytes);  // of snapshots; opens all devices anew
  void pause_leading(bool by_hand) { lead_by_hand_ = by_hand; }

  // ---- disks
  Bytes image(int device) { return must(d(device).box->image()); }
  void restart(int device);  // from what is in its box
  void reopen(int device, EngineConfig config);
  // From now on the power may go: what is left is what was synced last.
  void watch_disk(int device);
  void power_cut(int device) { restart_from(device, Bytes(d(device).synced)); }
  Head last_head(int device);  // as it was said last
  std::uint64_t count(int device, const FeedId& feed);
  void restart_from(int device, ByteView image);
  // A new device; its number. It has its welcome, and if `told` all that the sponsor holds.
  int join(int sponsor, int approver = 0, bool told = true);

  // ---- looking
  std::vector<store::Card> cards(int device);
  std::vector<std::string> texts(int device);
  bool filed(int device, TurnId turn) { return must(d(device).box->turn_filed(turn)); }
  std::optional<store::UnitId> unit(int device, TurnId turn) {
    return must(d(device).box->extracted_by(turn));
  }
  EngineStatus status(int device) { return d(device).engine->status(now()); }
  Hash32 digest(int device, bool overlay = false) { return must(d(device).box->digest(overlay)); }
  std::size_t drawer_keys(int device);      // keys of the shared drawer that can still be opened
  std::vector<Bytes> outbox(int a, int b);  // what a would send to b now, from nothing

 private:
  void open(Device& device);
  EngineConfig config(int number) const;
  Message full_message(Device& from);

  Rules rules_;
  std::size_t state_max_ = EngineConfig{}.state_max;
  bool lead_by_hand_;
  std::int64_t ms_ = 1000;
  crypto::SeededRandom random_{7};
  std::vector<Device> devices_;
  store::DrawerId drawer_;
};

}  // namespace kartei::sync::testing
