#include "store/rank.h"

#include <algorithm>
#include <cmath>

namespace kartei::store {

namespace {

// Share of the months, years and periods of the question that a moment or period meets.
double time_share(const Question& question, std::int64_t from_ms, std::int64_t to_ms) {
  const std::size_t asked =
      question.months.size() + question.years.size() + question.intervals.size();
  if (asked == 0) return 0;
  const Date first = Date::day_of(time_from_ms(from_ms), 0);
  std::size_t met = 0;
  for (const int month : question.months) met += first.month == month ? 1 : 0;
  for (const int year : question.years) met += first.year == year ? 1 : 0;
  for (const Interval& interval : question.intervals)
    met += from_ms < interval.to_ms && to_ms > interval.from_ms ? 1 : 0;
  return static_cast<double>(met) / static_cast<double>(asked);
}

// Marks of the sitting that each turn belongs to, by pauses within its conversation.
std::vector<std::size_t> sittings(const std::vector<TurnHit>& hits) {
  std::vector<std::size_t> order(hits.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const TurnHit &x = hits[a], &y = hits[b];
    return std::tie(x.conversation, x.said_at_ms, x.rid) <
           std::tie(y.conversation, y.said_at_ms, y.rid);
  });
  std::vector<std::size_t> sitting(hits.size());
  std::size_t current = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0) {
      const TurnHit &last = hits[order[i - 1]], &here = hits[order[i]];
      if (last.conversation != here.conversation ||
          here.said_at_ms - last.said_at_ms > kSittingPauseMs)
        ++current;
    }
    sitting[order[i]] = current;
  }
  return sitting;
}

template <class Hit>
double words_share(const Hit& hit, double best_bm25, const Weights& weights) {
  return best_bm25 > 0 ? weights.words * hit.bm25 / best_bm25 : 0;
}
template <class Hit>
double meaning_share(const Hit& hit, const Weights& weights) {
  return weights.meaning * hit.meaning / kMeaningDeviations;
}

double trust_step(Trust trust) {
  return static_cast<double>(trust);
}

}  // namespace

double base_of(const TurnHit& hit, double best_bm25, const Weights& weights) {
  return words_share(hit, best_bm25, weights) + meaning_share(hit, weights);
}

bool card_answers(const CardHit& card, const Question& question, const TimeView& view) {
  const bool put_away = card.state == CardState::kFaded || card.state == CardState::kArchived;
  if (card.state != CardState::kOpen && card.state != CardState::kClosed && !put_away) return false;
  if (put_away && !names_its_time(card.valid_from, card.valid_to, question, view)) return false;
  const bool has_closed = card.closed_at_ms != 0;
  bool open = card.state == CardState::kOpen || put_away;
  if (view.known_at) {
    const std::int64_t at = to_ms(*view.known_at);
    if (card.recorded_at_ms > at) return false;
    open = open || (has_closed && card.closed_at_ms > at);
  }
  if (view.as_of) {
    if (card.valid_from.known() && card.valid_from.begin() > *view.as_of) return false;
    if (card.valid_to.known()) return *view.as_of < card.valid_to.begin();
    // Ended without saying when: true until it was closed, as far as anybody knew.
    return open || (has_closed && to_ms(*view.as_of) < card.closed_at_ms);
  }
  return open || question.past;
}

double best_bm25_of(const Hits<TurnHit>& turns, const Hits<CardHit>& cards) {
  double best = 0;
  for (const TurnHit& hit : turns.hits) best = std::max(best, hit.bm25);
  for (const CardHit& hit : cards.hits) best = std::max(best, hit.bm25);
  return best;
}

Ranking::Ranking(const Question& question, const TimeView& view, const Hits<TurnHit>& turns,
                 const std::vector<Search::Neighbours>& neighbours, const Hits<CardHit>& cards,
                 double best_bm25, const Weights& weights)
    : question_(question),
      view_(view),
      turns_(turns.hits),
      neighbours_(neighbours),
      cards_(cards.hits),
      best_bm25_(best_bm25),
      weights_(weights),
      base_(turns_.size(), 0),
      sitting_(sittings(turns_)),
      best_of_sitting_(turns_.size() + 1, 0) {
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    base_[i] = base_of(turns_[i], best_bm25, weights);
    double& best = best_of_sitting_[sitting_[i]];
    best = std::max(best, base_[i]);
  }
}

template <class AddLeg>
void Ranking::turn_legs(std::size_t place, AddLeg leg) const {
  const TurnHit& hit = turns_[place];
  const bool many = question_.many;
  leg("words", words_share(hit, best_bm25_, weights_));
  leg("meaning", meaning_share(hit, weights_));
  if (hit.speaker_named) leg("speaker", weights_.speaker);
  leg("time", weights_.time * time_share(question_, hit.said_at_ms, hit.said_at_ms + kDayMs));
  if (hit.role == Role::kUser) leg("user", weights_.user_spoke);
  if (hit.role == Role::kTool) leg("trust", -2 * weights_.distrust);
  leg("session",
      (many ? weights_.session_of_many : weights_.session) * best_of_sitting_[sitting_[place]]);
  const double gate = std::min(1.0, weights_.neighbour_tokens / std::max(1.0, 1.3 * hit.length));
  const auto [before, after] = neighbours_[place];
  leg("neighbours", (many ? weights_.neighbour_of_many : weights_.neighbour) * gate *
                        (base_at(before) + base_at(after)));
}

template <class AddLeg>
void Ranking::card_legs(const CardHit& hit, AddLeg leg) const {
  leg("words", words_share(hit, best_bm25_, weights_));
  leg("meaning", meaning_share(hit, weights_));
  leg("names", weights_.names * hit.named);
  leg("card", weights_.card);
  if (hit.colour == Colour::kFact) leg("colour", weights_.fact);
  leg("importance", weights_.importance * (hit.importance - 0.5) * 2);
  if ((hit.flags & kHighPriority) != 0) leg("high_priority", weights_.high_priority);
  if (hit.times_used > 0) {
    // Halves with each month since it was last used.
    const double months =
        view_.now && hit.last_used_ms > 0
            ? static_cast<double>(std::max<std::int64_t>(0, to_ms(*view_.now) - hit.last_used_ms)) /
                  (30.0 * static_cast<double>(kDayMs))
            : 0;
    leg("used", weights_.used * std::min(1.0, 0.25 * hit.times_used) * std::exp2(-months));
  }
  if (hit.valid_from.known()) {
    const std::int64_t from = to_ms(hit.valid_from.begin());
    const std::int64_t to = hit.valid_to.known()           ? to_ms(hit.valid_to.begin())
                            : hit.colour == Colour::kEvent ? to_ms(hit.valid_from.end())
                                                           : INT64_MAX;
    leg("time", weights_.time * time_share(question_, from, to));
    if (view_.event && from < view_.event->to_ms && to > view_.event->from_ms)
      leg("event", weights_.event);
  }
  if (question_.past && hit.state == CardState::kClosed) leg("past", weights_.closed);
  if (hit.state == CardState::kArchived) leg("archived", -weights_.archived);
  leg("trust", -weights_.distrust * trust_step(hit.trust));
}

std::vector<Ranked> Ranking::ranked() const {
  std::vector<Ranked> all;
  all.reserve(turns_.size() + cards_.size());
  double score = 0;
  const auto add = [&](const char*, double share) { score += share; };
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    score = 0;
    turn_legs(i, add);
    all.push_back({false, i, score, 0});
  }
  for (std::size_t i = 0; i < cards_.size(); ++i) {
    if (!card_answers(cards_[i], question_, view_)) continue;
    if (cards_[i].colour == Colour::kRule && cards_[i].state == CardState::kOpen)
      continue;  // handed over anyway
    score = 0;
    card_legs(cards_[i], add);
    all.push_back({true, i, score, 0});
  }
  sort_ranked(all);
  return all;
}

std::vector<Leg> Ranking::legs(const Ranked& item) const {
  std::vector<Leg> legs;
  const auto add = [&](const char* name, double share) {
    if (share != 0) legs.push_back({name, share});
  };
  if (item.is_card) {
    card_legs(cards_[item.hit], add);
  } else {
    turn_legs(item.hit, add);
  }
  add("phrase", item.phrases);
  return legs;
}

void sort_ranked(std::vector<Ranked>& ranked) {
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Ranked& a, const Ranked& b) { return a.score > b.score; });
}

}  // namespace kartei::store
