// What must hold when everybody has met and nothing is under way: nothing acknowledged is lost, all
// hold the same, every acknowledged word stands in an entry exactly once, users' words hold,
// nothing local has left its device, one primary, nothing kept that is not needed.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/simulation/world.h"

namespace kartei::sim {

// Which words are owed, by their place in the history's lists.
struct Owed {
  std::set<std::size_t> turns, edits, units;
};
// Those that stand in a feed which somebody holds whose word counts.
Owed owed_now(World& world);
// Without what lies beyond a revoked device's cut.
void leave_out_cut(World& world, Owed& owed);

class EndChecker {
 public:
  EndChecker(World& world, const Owed& owed);
  void agreement();   // one tip, equal digests, one primary, nothing waiting
  void turns();       // filed, extracted once, word for word everywhere
  void units();       // what was filed once, on any branch, is extracted
  void cards();       // of the accepted units only, none said twice, none missing
  void users_word();  // ends, flags, replacements, tombstones
  void drawers();     // local ones never left, others only to their holders
  void kept();        // after everybody has met: final is the tip, consumed records are gone

 private:
  struct Ends {
    std::vector<const SaidEdit*> list;  // closes, replacements, erased cards
    std::set<store::TurnId> turns_gone;
  };
  bool ended(const store::Card& card) const;
  bool erased(const store::Card& card) const;
  bool shows(const store::Card& card) const;
  static bool says_same(const store::Card& a, const store::Card& b);
  std::vector<store::Card> cards_of(Device& device) const;
  void same_cards(Device& device);
  static bool holds_all(Device& device);
  bool reads(Device& device, const store::DrawerId& drawer) const;

  // What may stay after everybody has met: a few records a feed, since heads are not records.
  static constexpr std::uint64_t kKeptMax = 40;

  World& world_;
  const Owed& owed_;
  std::vector<Device*> live_;
  Device* reader_ = nullptr;        // holds every drawer
  std::vector<store::Card> cards_;  // all but erased, as the reader shows them
  Ends ends_;
  std::set<store::CardId> touched_, users_own_;
};

}  // namespace kartei::sim
