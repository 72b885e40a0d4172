#include "store/event_time.h"

#include "store/weights.h"

namespace kartei::store {

namespace {

// How much of what the clause names a card tells of, by weight.
double told_share(const CardHit& card, const std::vector<TermStats>& terms) {
  double told = 0, all = 0;
  for (const TermStats& term : terms) {
    all += term.idf;
    told += card.matched.test(term.place) ? term.idf : 0;
  }
  return all > 0 ? told / all : 0;
}

}  // namespace

Result<std::optional<Interval>> event_interval(const EventClause& clause, Search& search,
                                               const Search::Scope& scope, Stemmer& stemmer) {
  const Question question = read_question(clause.text, nullptr, stemmer);
  Search::Scope words_alone = scope;
  words_alone.meaning = nullptr;
  KARTEI_TRY(search.look_up(RowKind::kCard, question));
  KARTEI_ASSIGN(const auto cards, search.cards(words_alone));
  const CardHit* best = nullptr;
  double most = kEventTold;
  for (const CardHit& card : cards.hits) {
    if (!card.valid_from.known() || card.state == CardState::kErased) continue;
    // What happened tells the day; a state that began then only nearly.
    const double share =
        told_share(card, cards.terms) + (card.colour == Colour::kEvent ? kEventColour : 0);
    if (share <= most) continue;
    most = share;
    best = &card;
  }
  if (best == nullptr) return std::optional<Interval>();
  if (clause.before) return std::optional(Interval{INT64_MIN, to_ms(best->valid_from.begin())});
  return std::optional(Interval{to_ms(best->valid_from.begin()), INT64_MAX});
}

}  // namespace kartei::store
