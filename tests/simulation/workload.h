// What owners and fate do to the devices of one run: a list of seeded events with weights drawn per
// seed, so that some runs are storms of branches, others of crashes, others nearly quiet.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/simulation/world.h"

namespace kartei::sim {

// What a seed is like. Drawn once, before the world is made.
struct Climate {
  WorldConfig world;
  Weather weather;
  int steps = 0;
  double gap_mean_ms = 0;
  std::size_t lost_max = 0;
  bool line = false;            // the quiet phase has links in a line only
  std::vector<double> weights;  // by Event
  static Climate drawn(std::uint64_t seed, const sync::Rules& rules, bool print);
};

class Workload {
 public:
  Workload(World& world, const Climate& climate);
  // The whole wild phase.
  void run();
  // A turn into the shared drawer that all hold.
  void say(Device& device, store::DrawerId drawer, bool local);
  // So that the quiet phase can end: somebody must be able to lead.
  void grant_anew();
  store::DrawerId home() const { return home_; }
  // Everybody back, the network fair.
  void calm();

 private:
  enum Event {
    kSay,
    kSayLocal,
    kSayAgain,
    kEdit,
    kEraseTurn,
    kPartition,
    kPower,
    kKill,
    kPause,
    kClock,
    kBackup,
    kRestore,
    kJoin,
    kLose,
    kRevoke,
    kPin,
    kShare,
    kUsage,
    kEnd,
    kEvents
  };
  friend struct Climate;

  void step(Event event);
  void edit(Device& device);
  void erase_turn(Device& device);
  void say_again(Device& device);
  void partition();
  void power(Device& device);
  void lose(Device& device);
  bool can_spare(const Device& device);
  void revoke(Device& device);
  void pin(Device& device);
  void share(Device& device);
  void use(Device& device);
  void record_edit(Device& device, store::CardEdited edit, std::optional<store::Card> target,
                   bool local);
  std::optional<store::Card> shown_card(Device& device);
  std::vector<Device*> members_up();

  World& world_;
  const Climate& climate_;
  Dice dice_;
  store::DrawerId home_;
  std::uint64_t markers_ = 0;
  std::uint64_t drawers_ = 0;
  std::size_t lost_ = 0, joins_ = 0, restores_ = 0, revoked_ = 0;
  std::set<std::size_t> revokers_;
};

}  // namespace kartei::sim
