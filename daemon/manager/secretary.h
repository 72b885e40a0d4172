// The secretary: turns in, a unit of cards out. This is the interface and its built-in form: rules,
// no model, no network, pure (no clock, no I/O of its own). What it does not understand it leaves
// as a turn: no card is better than a wrong card.
//
// Threads: extract() may run on several at once. Ownership: borrows what it is given.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/result.h"
#include "store/delta.h"
#include "store/values.h"

namespace kartei::daemon {

// The cards that are there already, as the secretary needs them: to replace, to confirm, to leave.
class CardLookup {
 public:
  virtual ~CardLookup() = default;
  // Open cards with this subject (normalised): of the task's drawer, of those that it sees, and of
  // others whose cards this device may close. The oldest first.
  virtual Result<std::vector<store::Card>> open_cards(std::string_view subject) = 0;
};

struct SecretaryTask {
  store::DrawerId drawer;
  // Other drawers whose cards may be read and said in other words. What lies elsewhere may only
  // end, where a relation holds one value at a time.
  std::vector<store::DrawerId> seen;
  std::string owner;  // who "I" is: "Maya Berg"
  std::string zone;   // IANA; used where a turn carries no offset of its own
  std::span<const store::Turn>
      context;  // earlier turns of the conversation, oldest first, read already
  std::span<const store::Turn> turns;  // to be read: one conversation, one drawer, oldest first
  store::Time now{};                   // becomes recorded_at
  ByteView box_secret32;               // for card ids
  bool may_ask_model = false;          // its owner lets the model's endpoint read this drawer
  std::function<bool()> given_up;      // true: nobody waits for the unit any more; empty: never

  bool sees(store::DrawerId other) const {
    return other == drawer || std::find(seen.begin(), seen.end(), other) != seen.end();
  }
};

class Secretary {
 public:
  virtual ~Secretary() = default;
  // One unit over exactly task.turns; no cards is a fine answer. Never fails on content.
  virtual Result<store::UnitFiled> extract(const SecretaryTask& task, CardLookup& cards) = 0;
};

std::unique_ptr<Secretary> make_rule_secretary();

}  // namespace kartei::daemon
