// What a reading of one drawer has to do with the others. A card may have to end because of what
// was said elsewhere: "I live in Lisbon" in one drawer, "we moved to Porto" in another. Words never
// go across: not from a local drawer into a shared one, and not from one shared drawer into
// another, which other devices may hold. What goes across is that a card ended.
//
// Functions over a box: the writer thread. Failure: errors of the disk.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "crypto/result.h"
#include "store/box.h"
#include "store/delta.h"
#include "store/values.h"

namespace kartei::daemon {

struct Reach {
  store::DrawerId drawer;                // that is read
  std::vector<store::DrawerId> seen;     // whose turns and cards may be said in other words in it
  std::vector<store::DrawerId> written;  // whose cards this device may close
  store::Time first_said{};              // what was said later is no older statement

  bool sees(store::DrawerId other) const;
  bool shows(store::DrawerId other) const;  // sees it, or may close what is in it
};
// `acting`: this device writes shared drawers, too. `parted`: whether turns that named no drawer
// were sorted into it; local drawers of that kind see each other, as if nothing had been sorted.
Result<Reach> reach_of(store::Box& box, const store::Turn& first, bool acting,
                       const std::function<bool(store::DrawerId)>& parted);

// Of these open cards those that the secretary may know of.
Result<std::vector<store::Card>> cards_within(store::Box& box, const Reach& reach,
                                              std::vector<store::Card> cards);

// Unread turns of one conversation, some local and some shared, each side in order: those of the
// side that began, up to where the other side begins.
std::vector<store::Turn> said_first(std::vector<store::Turn> local,
                                    std::vector<store::Turn> shared);

// Takes out of a unit what is about cards of other drawers, and gives it as edits in those: in the
// words of nobody, and for a shared drawer with the day on which it was said, at most.
Result<std::vector<store::CardEdited>> take_ends_elsewhere(store::Box& box, store::UnitFiled& unit,
                                                           const store::Turn& last, bool acting);

}  // namespace kartei::daemon
