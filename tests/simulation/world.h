// The world of one run: virtual time, devices, the network between them, and what was said. It only
// carries things out; what happens is the workload's choice, whether it is right the checkers'.
//
// All order comes from (time, number of the event), all chance from the seed: the same seed is the
// same run to the byte.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/simulation/device.h"
#include "tests/simulation/dice.h"
#include "tests/simulation/history.h"
#include "tests/simulation/network.h"
#include "tests/simulation/secretary.h"
#include "tests/simulation/templates.h"
#include "tests/simulation/trace.h"

namespace kartei::sim {

struct WorldConfig {
  std::uint64_t seed = 0;
  std::size_t devices = 3;
  sync::EngineConfig engine;
  SecretaryHabits secretary;
  bool print = false;
};

class World {
 public:
  World(const WorldConfig& config, Templates& templates);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // ---- time
  std::int64_t now_ms() const { return now_ms_; }
  void run_until(std::int64_t at_ms);
  using Action = std::function<void()>;
  void at(std::int64_t at_ms, Action action);
  void after(std::int64_t delay_ms, Action action) { at(now_ms_ + delay_ms, std::move(action)); }
  // For one device: waits while it is paused, is dropped if it restarts before.
  void after_on(Device& device, std::int64_t delay_ms, Action action);

  // ---- devices
  std::vector<std::unique_ptr<Device>>& devices() { return devices_; }
  Device& device(std::size_t index) { return *devices_[index]; }
  Device* find(const store::DeviceId& id);
  std::vector<Device*> up();        // switched on, also revoked ones that do not know it
  std::vector<Device*> counting();  // whose word counts at the end, up or not
  sync::Now now_of(const Device& device) const;

  // Calls the engine as the daemon would. Empty: the power went in the middle of it, nobody got an
  // answer, the device is off now. An error that no honest device may see is a violation.
  template <class F>
  auto call(Device& device, std::string_view what, F f)
      -> std::optional<decltype(f(*device.engine, sync::Now{}))> {
    auto result = f(*device.engine, now_of(device));
    if (result.has_error()) judge_error(device, what, result.error());
    if (!settle(device)) return std::nullopt;
    return result;
  }

  void switch_on(Device& device);
  void kill(Device& device);       // kill -9: what was committed is there
  bool cut_power(Device& device);  // false: put off
  void restart_later(Device& device, std::int64_t delay_ms);
  void lose(Device& device);
  void back_up(Device& device);
  void restore(Device& device);
  void pause(Device& device, std::int64_t duration_ms);
  void wake(Device& device);
  // A newcomer asks `sponsor`; some member approves when it has heard of it.
  void join(Device& sponsor);
  void revoke(Device& by, Device& target);
  void plan_secretary(Device& device, std::int64_t delay_ms);

  // ---- what was said
  // Runs `f` (one call to the engine) and finds where in the device's feed its words landed.
  template <class F>
  Place placed(Device& device, F f) {
    const Place before = own_end(device);
    f();
    if (!device.up()) return {};
    return placed_since(device, before);
  }

  Network& network() { return network_; }
  History& history() { return history_; }
  Trace& trace() { return trace_; }
  Coverage& coverage() { return coverage_; }
  const WorldConfig& config() const { return config_; }
  void set_calm(bool calm) { calm_ = calm; }
  bool calm() const { return calm_; }
  // Called after every call to an engine.
  void set_step_check(std::function<void(Device&)> check) { step_check_ = std::move(check); }
  // Called when a device's disk is gone: lost, or set back to a backup.
  void set_forget(std::function<void(const Device&)> forget) { forget_ = std::move(forget); }
  FeedEnds feed_ends(Device& device);

 private:
  bool settle(Device& device);  // false: it died
  void judge_error(Device& device, std::string_view what, const Error& error);
  void plan_flush(Device& device);
  void plan_tick(Device& device);
  void flush(Device& device);
  void tick(Device& device);
  void send(Device& from, sync::Send send);
  void deliver(std::size_t from, std::size_t to, std::uint64_t session,
               const std::shared_ptr<const Bytes>& message);
  void tend_links_of(std::size_t index);
  void tend_link(std::size_t a, std::size_t b);
  void connect(Device& a, Device& b);
  void disconnect(std::size_t a, std::size_t b);
  void switch_off(Device& device);
  void try_admit(std::size_t newcomer, int tries);
  void admit(Device& newcomer, Device& member);
  void run_secretary(Device& device);
  Place own_end(Device& device);
  Place placed_since(Device& device, const Place& before);
  void note_own_records(Device& device, const Place& place);

  WorldConfig config_;
  Templates& templates_;
  Trace trace_;
  Coverage coverage_;
  Dice dice_;
  std::int64_t now_ms_ = 0;
  std::uint64_t events_made_ = 0;
  std::map<std::pair<std::int64_t, std::uint64_t>, Action> events_;
  std::vector<std::unique_ptr<Device>> devices_;
  Network network_;
  Secretary secretary_;
  History history_;
  std::map<std::pair<store::FeedId, std::uint64_t>, Hash32> written_;
  std::function<void(Device&)> step_check_;
  std::function<void(const Device&)> forget_;
  bool calm_ = false;
};

}  // namespace kartei::sim
