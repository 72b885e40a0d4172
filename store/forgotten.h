// What forgetting has to know of the box's cards, and what it did: the steps of its runs, which
// stand in the fold, so that every device knows them and any can take them back.
//
// Read through the box, on its thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "crypto/result.h"
#include "store/ids.h"
#include "store/time.h"
#include "store/values.h"

namespace kartei::store {

class Box;

// A step that a run took with a card.
struct Forgotten {
  enum Step : std::uint8_t {
    kTakenBack,  // or reactivated by its user: from then on the card counts as new
    kFaded,
    kArchived,
    kCondensed,  // archived; another card stands for it
    kTrashed,
    kMade,    // the card that stands for others
    kByUser,  // put away by its user
  };
  CardId card;
  RunId run;
  DrawerId drawer;
  Step step = kTakenBack;
  CardState before = CardState::kOpen;
  Time at{};
  CardId stands_in;
  std::string why;
  std::string text;  // of the card; empty where it is gone
};

// A card as forgetting looks at it: open, faded or archived, and no rule.
struct Forgettable {
  std::int64_t rid = 0;
  Card card;
  // Its newest step that holds, and when; kTakenBack and zero: none.
  Forgotten::Step step = Forgotten::kTakenBack;
  Time step_at{};
  Time renewed_at{};  // when a step was last taken back; zero: never
  bool made = false;  // it stands for others
};

// One run of forgetting.
struct RunSums {
  RunId run;
  Time at{};
  std::uint64_t faded = 0, archived = 0, condensed = 0, trashed = 0, made = 0, taken_back = 0;
};

// In the order of their rows, those after `rid`; what only the overlay holds is left out.
Result<std::vector<Forgettable>> read_forgettable(Box& box, std::int64_t rid, std::size_t limit);
// Events that faded or were archived, recorded from `from` on and before `to`, oldest first.
Result<std::vector<Forgettable>> read_put_away_events(Box& box, Time from, Time to,
                                                      std::size_t limit);
// When the first of them from `from` on was recorded; empty: there are none.
Result<std::optional<Time>> first_put_away_event(Box& box, Time from);

// Newest first, those before the one that began at `before` (zero: all).
Result<std::vector<RunSums>> read_forgetting_runs(Box& box, Time before, std::size_t limit);
// What a run did, in the order of the cards' ids, after that one.
Result<std::vector<Forgotten>> read_forgotten(Box& box, RunId run, CardId after, std::size_t limit);
// What was done to a card, newest first; what was taken back left out.
Result<std::vector<Forgotten>> read_steps_of(Box& box, CardId card);
// The archived cards that this one stands for, by their dates.
Result<std::vector<CardId>> read_stood_for(Box& box, CardId card, std::size_t limit);
// What lies in the trash, the longest there first.
Result<std::vector<Forgotten>> read_trash(Box& box, std::size_t limit);
// Cards in each state; what lies in the trash counts as archived, too.
struct StateCounts {
  std::uint64_t open = 0, closed = 0, faded = 0, archived = 0, trashed = 0;
};
Result<StateCounts> count_states(Box& box);

}  // namespace kartei::store
