// A secretary for simulations: it words the same turn differently on different devices, reads turns
// singly or in batches, and sometimes puts things off. That is what refiling has to stand.
#pragma once

#include <cstdint>
#include <vector>

#include "store/delta.h"
#include "tests/simulation/dice.h"

namespace kartei::sim {

struct SecretaryHabits {
  bool same_words = false;    // every device words a turn alike
  std::size_t batch_max = 1;  // turns read in one run
  double idle = 0.2;          // chance to put a run off
  double skip = 0.15;         // chance to leave a batch for later
  double closes = 0.1;        // chance to close an older card
  static SecretaryHabits drawn(Dice& dice);
};

class Secretary {
 public:
  Secretary(std::uint64_t seed, const SecretaryHabits& habits)
      : dice_(seed, "secretary"), habits_(habits) {}

  // Units over turns of one drawer each. `eager`: nothing is put off. `older`: open cards, one of
  // which may be closed.
  std::vector<store::UnitFiled> extract(const std::vector<store::Turn>& turns,
                                        const std::vector<store::Card>& older,
                                        const Hash32& card_secret, store::DeviceId device,
                                        bool eager);

 private:
  store::UnitFiled unit_of(const std::vector<store::Turn>& turns, const Hash32& card_secret,
                           store::DeviceId device);
  store::Card card(const std::vector<store::Turn>& sources, const std::string& relation,
                   const Hash32& card_secret, store::DeviceId device);

  Dice dice_;
  SecretaryHabits habits_;
};

}  // namespace kartei::sim
