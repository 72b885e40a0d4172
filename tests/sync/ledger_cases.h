// Hand-written schedules on real engines and boxes: each must hold under the rules, and fail under
// the broken rule that it is there for.
#pragma once

#include <algorithm>

#include "tests/sync/engine_testing.h"

namespace kartei::sync::testing {

// A schedule reports what does not hold; empty: all does.
using Faults = std::vector<std::string>;
struct Need {
  Faults& faults;
  void operator()(bool ok, const char* what) const {
    if (!ok) faults.push_back(what);
  }
};

// What holds at the end of every schedule: one tip, one state, all turns in once and read.
inline void check_end(World& w, const std::vector<TurnId>& owed, Need need, int rounds = 40) {
  w.quiet(rounds);
  int first = 0;
  for (int i = 1; i <= w.size(); ++i) {
    if (!w.d(i).alive || !w.status(i).members.size()) continue;
    if (!w.d(i).engine->is_member(w.d(i).id())) continue;
    if (first == 0) first = i;
    need(w.status(i).tip == w.status(first).tip, "one tip");
    need(w.digest(i) == w.digest(first), "one state");
    need(w.status(i).unread == 0, "nothing waits");
    for (const TurnId& turn : owed) {
      need(w.filed(i, turn), "a turn is lost");
      need(w.unit(i, turn).has_value(), "a turn was never read");
    }
  }
}

// No two open cards say the same from one turn; `at_all`: no two are from one turn.
inline void check_said_once(World& w, int device, Need need, bool at_all = true) {
  auto cards = w.cards(device);
  for (std::size_t i = 0; i < cards.size(); ++i)
    for (std::size_t k = i + 1; k < cards.size(); ++k)
      for (const TurnId& turn : cards[i].sources) {
        bool shared = std::find(cards[k].sources.begin(), cards[k].sources.end(), turn) !=
                      cards[k].sources.end();
        need(!shared || (!at_all && cards[i].text != cards[k].text), "two cards from one turn");
      }
}

inline Faults run(int devices, Rules rules, void (*schedule)(World&, Need)) {
  Faults faults;
  try {
    World w(devices, rules);
    schedule(w, Need{faults});
  } catch (const std::exception& broken) {
    faults.push_back(std::string("breaks down: ") + broken.what());
  }
  return faults;
}

inline void expect_holds(int devices, void (*schedule)(World&, Need)) {
  Faults faults = run(devices, {}, schedule);
  EXPECT_TRUE(faults.empty()) << faults.front();
}
inline void expect_caught(int devices, Rules rules, void (*schedule)(World&, Need)) {
  EXPECT_FALSE(run(devices, rules, schedule).empty()) << "the broken rule went unnoticed";
}

inline Rules broken(void (*change)(Rules&)) {
  Rules rules;
  change(rules);
  return rules;
}

}  // namespace kartei::sync::testing
