// The rules of forgetting: the policy, what the box knows of its cards, and the time go in; what
// happens and why comes out. No clock, no I/O, nothing random, so that every device, and a new
// primary, decides the same.
//
// A pass looks at all cards, a few at a time, in any order: look() says what is due by the cards
// themselves, finish() which ones are too many. Condensing looks at the events of half a year
// together. What was protected (flags persistent and never_forget), rules, and whatever waits for
// approval is never touched. One thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/manager/forgetting_policy.h"
#include "store/delta.h"
#include "store/forgotten.h"

namespace kartei::daemon {

// One thing that happens to a card.
struct ForgettingStep {
  enum What { kFade, kArchive, kCondense, kTrash, kErase };
  What what = kFade;
  store::CardId card;
  store::DrawerId drawer;
  std::string text;  // of the card
  std::string why;   // one sentence for its owner
  store::CardId stands_in;
};
const char* to_text(ForgettingStep::What what);

// Several events of one kind, and the card that stands for them.
struct Condensation {
  store::Card card;  // without an id
  std::vector<store::CardId> sources;
  std::string why;
};

// ---- decay. A card's strength halves in its life, which is the policy's number of days (events;
// facts: kFactLives times that where the policy names none) times what importance, use and priority
// make of it; it begins anew when the card is used, and when somebody takes it out again.
// Halving is Ebbinghaus's forgetting curve. That use lengthens the half-life, exponentially in the
// square root of how often, is the half-life regression of Settles and Meeder (2016), fitted on
// what people remember; the rest is chosen.
inline constexpr double kImportanceFactor = 4;  // at 1; a quarter at 0
inline constexpr double kUseFactorMost = 8;     // 36 uses and more
inline constexpr double kPriorityFactor = 4;    // high_priority
inline constexpr double kFactLives = 8;
inline constexpr double kFadedBelow = 0.5;  // of its strength: one life has passed

bool is_protected(const store::Card& card);
double life_days(const store::Card& card, const ForgettingPolicy& policy);
// From when on the card grows weaker: its last use, or when it was written or happened, or taken
// out again, whichever was last.
store::Time decays_from(const store::Forgettable& card);
double strength(const store::Forgettable& card, const ForgettingPolicy& policy, store::Time now);

class ForgettingPass {
 public:
  ForgettingPass(ForgettingPolicy policy, store::Time now) : policy_(policy), now_(now) {}

  // What is due with these cards; each is to be looked at once.
  std::vector<ForgettingStep> look(const std::vector<store::Forgettable>& cards);
  // Where more cards are open than there may be: the weakest of them, weakest first, without their
  // texts.
  std::vector<ForgettingStep> finish();
  // When the first card that was looked at is due, as it stands; empty: none ever.
  std::optional<store::Time> next_due() const { return next_due_; }

 private:
  std::optional<ForgettingStep> step_of(const store::Forgettable& card);
  std::optional<ForgettingStep> due(const store::Forgettable& card, ForgettingStep::What what,
                                    store::Time at, const std::string& why);

  const ForgettingPolicy policy_;
  const store::Time now_;
  std::optional<store::Time> next_due_;
  struct Open {
    double strength = 0;
    store::CardId card;
    store::DrawerId drawer;
  };
  std::vector<Open> open_;
};

// ---- condensing. The half of a year that a moment lies in, by UTC: [first, second).
std::pair<store::Time, store::Time> half_year_of(store::Time at);
// What can be condensed among the put-away events that were recorded in that half, all of one kind
// in one sentence. By rules: what cannot be said for sure stays as it is.
std::vector<Condensation> condense(const std::vector<store::Forgettable>& events,
                                   const ForgettingPolicy& policy, store::Time now);

}  // namespace kartei::daemon
