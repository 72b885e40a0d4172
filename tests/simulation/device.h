// One simulated device: an engine over an in-memory box on a forgetful disk, and its own clocks.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "crypto/identity.h"
#include "store/box.h"
#include "store/records.h"
#include "sync/engine.h"
#include "tests/simulation/disk.h"

namespace kartei::sim {

struct Device {
  std::size_t index = 0;
  store::DeviceId id;
  crypto::Identity identity;
  // In the order of what borrows what: the engine goes first.
  std::unique_ptr<store::Box> box;
  std::unique_ptr<crypto::SeededRandom> random;
  Disk disk;
  std::unique_ptr<sync::Engine> engine;  // none: switched off

  bool admitted = true;   // has a copy of the box
  bool lost = false;      // never comes back
  bool revoked = false;   // by anybody
  bool sponsor = false;   // has proposed or approved a newcomer
  bool restored = false;  // from a backup: what it alone had heard since is gone
  std::uint64_t boots = 0;
  std::int64_t mono_zero_ms = 0;  // the monotonic clock starts anew with each boot
  std::int64_t wall_shift_ms = 0;
  std::int64_t paused_until_ms = 0;
  std::vector<std::function<void()>> held;  // what waits for the end of the pause
  std::optional<Bytes> backup;
  store::DrawerId local_drawer;

  // Said while a power cut was planned: what a head promises, the disk has.
  std::map<store::FeedId, std::uint64_t> promised;

  bool flush_planned = false, secretary_planned = false;
  std::optional<std::int64_t> tick_at_ms;
  std::uint64_t rollbacks_seen = 0;

  explicit Device(crypto::Identity keys) : identity(std::move(keys)) {
    id = *store::DeviceId::from_bytes(identity.pub().id());
  }
  bool up() const { return engine != nullptr; }
  // One whose word still counts and who can be asked.
  bool counts() const { return admitted && !lost && !revoked; }
};

// As checkers speak of it.
inline std::string name(const Device& d) {
  return "device " + std::to_string(d.index + 1);
}

}  // namespace kartei::sim
