#include "store/rank.h"

#include <algorithm>
#include <cmath>

namespace kartei::store {

namespace {

void add_leg(Ranked& item, const char* name, double score) {
  item.add(name, score);
}

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

void Ranked::add(const char* leg, double share) {
  if (share == 0) return;
  score += share;
  parts.at(part_count++) = {leg, share};
}

std::vector<Leg> Ranked::legs() const {
  std::vector<Leg> legs;
  for (std::size_t i = 0; i < part_count; ++i) legs.push_back({parts[i].leg, parts[i].score});
  return legs;
}

bool card_answers(const CardHit& card, const Question& question, const TimeView& view) {
  if (card.state != CardState::kOpen && card.state != CardState::kClosed) return false;
  const bool has_closed = card.closed_at_ms != 0;
  bool open = card.state == CardState::kOpen;
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

std::vector<Ranked> rank_turns(const Question& question, const Hits<TurnHit>& turns,
                               const std::vector<Search::Neighbours>& neighbours, double best_bm25,
                               const Weights& weights) {
  const std::vector<TurnHit>& hits = turns.hits;
  std::vector<Ranked> ranked(hits.size());
  std::vector<double> base(hits.size(), 0);
  const std::vector<std::size_t> sitting = sittings(hits);
  std::vector<double> best_of_sitting(hits.size() + 1, 0);
  for (std::size_t i = 0; i < hits.size(); ++i) {
    base[i] = base_of(hits[i], best_bm25, weights);
    best_of_sitting[sitting[i]] = std::max(best_of_sitting[sitting[i]], base[i]);
  }
  const double session = question.many ? weights.session_of_many : weights.session;
  const double neighbour = question.many ? weights.neighbour_of_many : weights.neighbour;
  const auto base_at = [&](std::size_t place) { return place < base.size() ? base[place] : 0.0; };
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const TurnHit& hit = hits[i];
    Ranked& item = ranked[i];
    item.hit = i;
    add_leg(item, "words", words_share(hit, best_bm25, weights));
    add_leg(item, "meaning", meaning_share(hit, weights));
    if (hit.speaker_named) add_leg(item, "speaker", weights.speaker);
    add_leg(item, "time",
            weights.time * time_share(question, hit.said_at_ms, hit.said_at_ms + kDayMs));
    if (hit.role == Role::kUser) add_leg(item, "user", weights.user_spoke);
    if (hit.role == Role::kTool) add_leg(item, "trust", -2 * weights.distrust);
    add_leg(item, "session", session * best_of_sitting[sitting[i]]);
    const double gate = std::min(1.0, weights.neighbour_tokens / std::max(1.0, 1.3 * hit.length));
    add_leg(item, "neighbours",
            neighbour * gate * (base_at(neighbours[i].before) + base_at(neighbours[i].after)));
  }
  return ranked;
}

std::vector<Ranked> rank_cards(const Question& question, const Hits<CardHit>& cards,
                               const TimeView& view, double best_bm25, const Weights& weights) {
  std::vector<Ranked> ranked;
  ranked.reserve(cards.hits.size());
  for (std::size_t i = 0; i < cards.hits.size(); ++i) {
    const CardHit& hit = cards.hits[i];
    if (!card_answers(hit, question, view)) continue;
    if (hit.colour == Colour::kRule && hit.state == CardState::kOpen)
      continue;  // handed over anyway
    Ranked item;
    item.is_card = true;
    item.hit = i;
    add_leg(item, "words", words_share(hit, best_bm25, weights));
    add_leg(item, "meaning", meaning_share(hit, weights));
    add_leg(item, "names", weights.names * hit.named);
    add_leg(item, "card", weights.card);
    if (hit.colour == Colour::kFact) add_leg(item, "colour", weights.fact);
    add_leg(item, "importance", weights.importance * (hit.importance - 0.5) * 2);
    if ((hit.flags & kHighPriority) != 0) add_leg(item, "high_priority", weights.high_priority);
    if (hit.times_used > 0) {
      // Halves with each month since it was last used.
      const double months = view.now && hit.last_used_ms > 0
                                ? static_cast<double>(std::max<std::int64_t>(
                                      0, to_ms(*view.now) - hit.last_used_ms)) /
                                      (30.0 * static_cast<double>(kDayMs))
                                : 0;
      add_leg(item, "used",
              weights.used * std::min(1.0, 0.25 * hit.times_used) * std::exp2(-months));
    }
    if (hit.valid_from.known()) {
      const std::int64_t from = to_ms(hit.valid_from.begin());
      const std::int64_t to = hit.valid_to.known()           ? to_ms(hit.valid_to.begin())
                              : hit.colour == Colour::kEvent ? to_ms(hit.valid_from.end())
                                                             : INT64_MAX;
      add_leg(item, "time", weights.time * time_share(question, from, to));
      if (view.event && from < view.event->to_ms && to > view.event->from_ms)
        add_leg(item, "event", weights.event);
    }
    if (question.past && hit.state == CardState::kClosed) add_leg(item, "past", weights.closed);
    add_leg(item, "trust", -weights.distrust * trust_step(hit.trust));
    ranked.push_back(item);
  }
  return ranked;
}

void sort_ranked(std::vector<Ranked>& ranked) {
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Ranked& a, const Ranked& b) { return a.score > b.score; });
}

}  // namespace kartei::store
