// From hits to one list, best first: the weighted sum of legs and boosts. Pure. A leg to come
// (meaning) adds its share to `base` of turns and of cards and its name to the legs.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "store/librarian.h"
#include "store/search.h"
#include "store/weights.h"

namespace kartei::store {

struct Ranked {
  struct Part {
    const char* leg = "";
    double score = 0;
  };
  static constexpr std::size_t kPartsMost = 16;  // no kind of item has more legs

  bool is_card = false;
  std::size_t hit = 0;  // place among the hits of its kind
  double score = 0;
  std::array<Part, kPartsMost> parts;  // hundreds are ranked, few are handed out: no allocation
  std::size_t part_count = 0;

  void add(const char* leg, double share);
  std::vector<Leg> legs() const;
};

// What the question asks for in time.
struct TimeView {
  std::optional<Time> now, as_of, known_at;
  std::optional<Interval> event;  // before or after what the question names
};

// Whether this card may be handed out: open ones, closed ones where the question asks for the past,
// as it was true at `as_of` and as it was known at `known_at`.
bool card_answers(const CardHit& card, const Question& question, const TimeView& view);

// `neighbours[i]` belongs to turns.hits[i].
std::vector<Ranked> rank_turns(const Question& question, const Hits<TurnHit>& turns,
                               const std::vector<Search::Neighbours>& neighbours, double best_bm25,
                               const Weights& weights);
std::vector<Ranked> rank_cards(const Question& question, const Hits<CardHit>& cards,
                               const TimeView& view, double best_bm25, const Weights& weights);
// Of words and meaning alone.
double base_of(const TurnHit& hit, double best_bm25, const Weights& weights);
double best_bm25_of(const Hits<TurnHit>& turns, const Hits<CardHit>& cards);
void sort_ranked(std::vector<Ranked>& ranked);

}  // namespace kartei::store
