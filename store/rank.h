// From hits to one list, best first: the weighted sum of legs and boosts. Pure.
#pragma once

#include <vector>

#include "store/librarian.h"
#include "store/search.h"
#include "store/time_view.h"
#include "store/weights.h"

namespace kartei::store {

struct Ranked {
  bool is_card = false;
  std::size_t hit = 0;  // place among the hits of its kind
  double score = 0;
  double phrases = 0;  // part of it that was added later
};

// Whether this card may be handed out: open ones, closed ones where the question asks for the past,
// as it was true at `as_of` and as it was known at `known_at`; what
// forgetting put away where the question names a time that is theirs.
bool card_answers(const CardHit& card, const Question& question, const TimeView& view);

// Scores what was found. Borrows all of it; what changes in it calls for a new one. Hundreds are
// ranked and few handed out, so only the sums are kept; legs() gives what they consist of.
class Ranking {
 public:
  // `neighbours[i]` belongs to turns.hits[i].
  Ranking(const Question& question, const TimeView& view, const Hits<TurnHit>& turns,
          const std::vector<Search::Neighbours>& neighbours, const Hits<CardHit>& cards,
          double best_bm25, const Weights& weights);

  std::vector<Ranked> ranked() const;  // best first
  std::vector<Leg> legs(const Ranked& item) const;

 private:
  // Calls leg(name, share) for each leg and boost.
  template <class AddLeg>
  void turn_legs(std::size_t place, AddLeg leg) const;
  template <class AddLeg>
  void card_legs(const CardHit& hit, AddLeg leg) const;
  double base_at(std::size_t place) const { return place < base_.size() ? base_[place] : 0; }

  const Question& question_;
  const TimeView& view_;
  const std::vector<TurnHit>& turns_;
  const std::vector<Search::Neighbours>& neighbours_;
  const std::vector<CardHit>& cards_;
  const double best_bm25_;
  const Weights& weights_;
  std::vector<double> base_;          // of each turn
  std::vector<std::size_t> sitting_;  // of each turn
  std::vector<double> best_of_sitting_;
};

// Of words and meaning alone.
double base_of(const TurnHit& hit, double best_bm25, const Weights& weights);
double best_bm25_of(const Hits<TurnHit>& turns, const Hits<CardHit>& cards);
void sort_ranked(std::vector<Ranked>& ranked);

}  // namespace kartei::store
