#include "store/outdated.h"

#include <algorithm>

#include "store/indexer.h"
#include "store/rows.h"

namespace kartei::store {

namespace {

// Of the words of the question that the turn has, what this bag has too.
double weight_of(const BagView& bag, const TurnHit& turn, const std::vector<TermStats>& terms) {
  double weight = 0;
  for (const TermStats& term : terms) {
    if (!turn.matched.test(term.place)) continue;
    const auto& hashes = term.term->hashes;
    const bool has = std::any_of(hashes.begin(), hashes.end(),
                                 [&](std::uint32_t hash) { return bag.times(hash) > 0; });
    if (has) weight += term.idf;
  }
  return weight;
}

double weight_of(const TurnHit& turn, const std::vector<TermStats>& terms) {
  double weight = 0;
  for (const TermStats& term : terms) weight += turn.matched.test(term.place) ? term.idf : 0;
  return weight;
}

}  // namespace

bool asks_for_then(const Question& question, const TimeView& view) {
  // "When did she join the choir?": what happened stays so, whatever else of that sentence does
  // not.
  const auto& words = question.words;
  if (std::find(words.begin(), words.end(), "did") != words.end()) return true;
  if (question.past || !question.months.empty() || !question.years.empty()) return true;
  return std::any_of(
      question.intervals.begin(), question.intervals.end(),
      [&](const Interval& interval) { return !view.now || interval.to_ms <= to_ms(*view.now); });
}

Result<double> outdated_share(Db& db, TurnId id, const TurnHit& turn,
                              const std::vector<TermStats>& terms, const Question& question,
                              const TimeView& view) {
  const double all = weight_of(turn, terms);
  if (all <= 0) return 0.0;
  KARTEI_ASSIGN(const bool may_be, db.exists("SELECT 1 FROM closed_turns WHERE turn = ?", id));
  if (!may_be) return 0.0;
  // No UNION, which would make a table for each turn; a card that comes twice counts once.
  Query query = db.query(
      "SELECT d.state, d.recorded_at, d.closed_at, d.valid_from, d.valid_to, d.bag"
      " FROM card_sources s CROSS JOIN cards c ON c.id = s.card"
      " CROSS JOIN card_docs d ON d.rid = c.rid WHERE s.turn = ?1 UNION ALL"
      " SELECT d.state, d.recorded_at, d.closed_at, d.valid_from, d.valid_to, d.bag"
      " FROM confirmations s CROSS JOIN cards c ON c.id = s.card"
      " CROSS JOIN card_docs d ON d.rid = c.rid WHERE s.turn = ?1 LIMIT ?2",
      id, static_cast<std::int64_t>(kCardsOfTurn));
  double closed = 0, answering = 0;
  while (query.next()) {
    CardHit card;
    card.state = static_cast<CardState>(query.integer(0));
    card.recorded_at_ms = query.integer(1);
    card.closed_at_ms = query.integer(2);
    card.valid_from = unpack_date(query.integer(3));
    card.valid_to = unpack_date(query.integer(4));
    const double weight = weight_of(BagView(query.blob(5)), turn, terms);
    if (card_answers(card, question, view)) {
      answering = std::max(answering, weight);
    } else if (card.state == CardState::kClosed) {
      closed = std::max(closed, weight);
    }
  }
  KARTEI_TRY(query.status());
  return answering >= closed ? 0.0 : closed / all;
}

}  // namespace kartei::store
