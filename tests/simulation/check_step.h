// What must hold at every moment, whatever is going on: nobody leaves a final position, all final
// positions lie on one chain, no feed forks, and who holds the same feeds stands on the same tip
// and shows the same.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/simulation/world.h"

namespace kartei::sim {

class StepChecker {
 public:
  explicit StepChecker(World& world) : world_(world) {}
  // After a call to a device's engine. Looks at every fourth.
  void after_call(Device& device);
  void look(Device& device);
  // Devices beside each other.
  void compare();
  // Every record that anybody holds, against every other's.
  void compare_feeds();
  // A final position that only this device knew is forgotten with its disk.
  void forget(const Device& device);

 private:
  struct Seen {
    std::uint64_t boots = 0;
    std::uint64_t calls = 0;
    std::uint64_t rollbacks = 0;
    std::string compared;  // where it stood when what it shows was last compared
    store::Position final_position;
    std::map<std::uint64_t, Hash32> chain;  // of the tips that it stood on, by height
  };
  void note_final(const Device& device, Seen& seen, const store::Position& position);

  World& world_;
  std::map<std::size_t, Seen> seen_;
  std::map<std::uint64_t, Hash32> finals_;
  std::map<std::string, Hash32> shown_at_;  // what is shown at a tip with these drawers
};

}  // namespace kartei::sim
