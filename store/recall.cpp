#include "store/recall.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "store/event_time.h"
#include "store/forgotten.h"
#include "store/indexer.h"
#include "store/outdated.h"
#include "store/pack.h"
#include "store/rows.h"
#include "store/typing.h"

namespace kartei::store {

namespace {

// Items that do not fit are passed over, so that a shorter one behind them may: so many times.
constexpr std::size_t kMissesMax = 8;

std::string name_of(const Turn& turn) {
  return turn.external_id.empty() ? turn.id.text() : turn.external_id;
}

// The words of the question, weighted as the index knows them, for choosing sentences.
std::vector<WeightedToken> asked_tokens(const std::vector<TermStats>& terms) {
  std::vector<WeightedToken> asked;
  for (const TermStats& term : terms)
    for (const std::uint32_t hash : term.term->hashes) asked.push_back({hash, term.idf});
  return asked;
}

// Marked ones first, then those that have words of the question, then the more important.
void sort_rules(std::vector<Card>& rules, const std::vector<WeightedToken>& asked,
                Stemmer& stemmer) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const bool marked = (rules[i].flags & kHighPriority) != 0;
    const double marked_worth = 1e6;  // more than any words
    order.emplace_back(marked ? -marked_worth : -worth_of(rules[i].text, asked, stemmer), i);
  }
  std::sort(order.begin(), order.end());
  std::vector<Card> sorted;
  for (const auto& [worth, i] : order) sorted.push_back(std::move(rules[i]));
  rules = std::move(sorted);
}

// Fills the packer from the ranking: skips what is there already in other words.
class Filler {
 public:
  Filler(const RecallRequest& request, Packer& packer, Stemmer& stemmer,
         std::vector<WeightedToken> asked)
      : request_(request), packer_(packer), stemmer_(stemmer), asked_(std::move(asked)) {}

  void exclude(TurnId turn) { shown_[turn].set(); }

  // A turn whose card stands there adds nothing, unless it has a word that was asked for and the
  // card has not; the same the other way round.
  bool adds_nothing(const std::vector<TurnId>& turns, const Matched& matched) const {
    return std::any_of(turns.begin(), turns.end(), [&](TurnId turn) {
      const auto shown = shown_.find(turn);
      return shown != shown_.end() && (matched & ~shown->second).none();
    });
  }

  // The item is gone where it was added.
  bool add_card(RecallItem& item, const Matched& matched) {
    const std::vector<TurnId> turns = item.card.sources;
    if (!add_card_alone(item)) return false;
    for (const TurnId turn : turns) shown_[turn] |= matched;
    return true;
  }

  // Whatever it came from may follow.
  bool add_card_alone(RecallItem& item) {
    if (request_.mask) request_.mask(item.card.text);
    item.text = card_line(item.card, request_.known_at);
    return packer_.add(item, {item.text, {}});
  }

  bool add_turn(RecallItem& item, const Matched& matched) {
    const Line line = turn_line(item, packer_.left(), {kWholeTokens, kExcerptTokens});
    if (line.text.empty()) return false;
    const TurnId turn = item.turn.id;
    if (!packer_.add(item, line)) return false;
    shown_[turn] |= matched;
    return true;
  }

  // Sets the item's text, too. Empty: nothing sensible fits into `left`.
  Line turn_line(RecallItem& item, std::size_t left, const ExcerptSize& most) const {
    if (request_.mask) request_.mask(item.turn.speaker);
    const TurnOpening opening = turn_opening(item.turn, request_.zone_min);
    const Line around{"- " + opening.who + ": \"", opening.day};
    const std::size_t cost =
        estimate_tokens(around.heading + "\n") + estimate_tokens(around.text + "\"\n") + 1;
    item.text.clear();
    if (request_.budget_tokens != 0 && left < cost + kExcerptLeast) return {};
    const std::string words =
        request_.budget_tokens == 0
            ? with_dates(one_line(said_in(item.turn), true), item.turn.said_at)
            : words_of_turn(item.turn, left - cost, most);
    item.text = "- " + opening.day + ", " + opening.who + ": \"" + words + '"';
    return {around.text + words + '"', around.heading};
  }

 private:
  std::string said_in(const Turn& turn) const {
    std::string said = turn.text;
    if (!turn.caption.empty())
      said += (said.empty() ? "[image: " : "\n[image: ") + turn.caption + "]";
    if (request_.mask) request_.mask(said);
    return said;
  }

  std::string words_of_turn(const Turn& turn, std::size_t left, const ExcerptSize& most) const {
    std::string words = excerpt(said_in(turn), asked_,
                                {std::min(most.whole, left), std::min(most.cut, left)}, stemmer_);
    std::string dated = with_dates(words, turn.said_at);
    const bool fits = dated.size() == words.size() || estimate_tokens(dated) <= left;
    return fits ? dated : words;
  }

  const RecallRequest& request_;
  Packer& packer_;
  Stemmer& stemmer_;
  std::vector<WeightedToken> asked_;
  std::map<TurnId, Matched> shown_;
};

}  // namespace

Result<std::vector<DrawerId>> Recall::drawers_named(const std::vector<std::string>& names) {
  std::vector<DrawerId> ids;
  for (const std::string& name : names) {
    Query query = db_.query("SELECT id FROM drawers WHERE name = ?", name);
    if (!query.next()) {
      KARTEI_TRY(query.status());
      return Error{Cause::kNotFound, "There is no drawer called \"" + name + "\"", "drawers"};
    }
    do {
      ids.push_back(query.id<DrawerId>(0));
    } while (query.next());
    KARTEI_TRY(query.status());
  }
  return ids;
}

Result<std::vector<Card>> Recall::rules(const RecallRequest& request,
                                        const std::vector<DrawerId>* drawers) {
  std::vector<Card> rules;
  if (!request.cards) return rules;
  KARTEI_ASSIGN(auto cards,
                read_cards(db_.query(std::string("SELECT ") + kCardColumns +
                                         " FROM cards c WHERE c.colour = 2 AND c.state = ?"
                                         " ORDER BY c.importance DESC, c.rid DESC LIMIT ?",
                                     static_cast<int>(CardState::kOpen),
                                     static_cast<std::int64_t>(kRulesMax))));
  for (Card& card : cards) {
    if (drawers && std::find(drawers->begin(), drawers->end(), card.drawer) == drawers->end())
      continue;
    if (request.known_at && card.recorded_at > *request.known_at) continue;
    if (request.as_of && card.valid_from.known() && card.valid_from.begin() > *request.as_of)
      continue;
    rules.push_back(std::move(card));
  }
  return rules;
}

Result<std::vector<Turn>> Recall::buffer(const RecallRequest& request) {
  if (!request.buffer || request.conversation.empty()) return std::vector<Turn>{};
  return read_turns(db_.query(std::string("SELECT ") + kTurnColumns +
                                  " FROM turns t WHERE t.conversation = ?"
                                  " ORDER BY t.said_at DESC, t.rid DESC LIMIT ?",
                              request.conversation, static_cast<std::int64_t>(kBufferTurns)));
}

Status Recall::look_up(Search& search, const RecallRequest& request, Question& question) {
  const auto look = [&]() -> Status {
    if (request.turns) KARTEI_TRY(search.look_up(RowKind::kTurn, question));
    if (request.cards) KARTEI_TRY(search.look_up(RowKind::kCard, question));
    return {};
  };
  KARTEI_TRY(look());
  KARTEI_ASSIGN(const bool guessed, forgive_typing(search, question));
  return guessed ? look() : Status{};
}

// Words that nobody ever said may be typing errors. True: what was probably meant is asked for.
Result<bool> Recall::forgive_typing(const Search& search, Question& question) {
  std::vector<bool> said(question.terms.size(), false);
  const auto mark = [&](const std::vector<TermStats>& terms) {
    for (const TermStats& term : terms)
      if (term.place < said.size()) said[term.place] = true;
    return terms.size() < kTermsMax;
  };
  // Of a very long question the most common words were not looked at: no errors, perhaps.
  if (!mark(search.terms(RowKind::kTurn)) || !mark(search.terms(RowKind::kCard))) return false;
  if (std::find(said.begin(), said.end(), false) == said.end()) return false;
  KARTEI_TRY(vocabulary_.refresh(db_));
  std::size_t tried = 0;
  bool any = false;
  for (std::size_t i = 0; i < said.size() && tried < kGuessedWords; ++i) {
    QuestionTerm& term = question.terms[i];
    if (said[i] || term.stop) continue;
    ++tried;
    any |= meant(term, question);
  }
  return any;
}

// Puts the words that are one letter away in its place, those that somebody said.
bool Recall::meant(QuestionTerm& term, Question& question) {
  std::vector<std::uint32_t> hashes;
  std::vector<std::string> forms;
  for (const std::string& form : near_forms(term.word)) {
    const Language tongue = Stemmer::language_of(form, question.tongue);
    const std::array<Language, 2> languages = {tongue, Language::kEnglish};
    const std::size_t different = tongue == Language::kEnglish ? 1 : 2;
    for (const Language language : std::span(languages).first(different)) {
      const std::uint32_t hash = token_hash(stemmer_.stem_once(form, language));
      if (!vocabulary_.has(hash) || std::find(hashes.begin(), hashes.end(), hash) != hashes.end())
        continue;
      if (hashes.size() == kGuessesOfWord) break;
      hashes.push_back(hash);
      forms.push_back(form);
    }
  }
  if (hashes.empty()) return false;
  for (std::string& name : question.names)
    if (name == term.word) name = forms.front();
  term.hashes = std::move(hashes);
  term.meant = std::move(forms);
  term.guessed = true;
  return true;
}

Result<std::string> Recall::words_of_row(const Found& found, const Ranked& ranked) {
  if (ranked.is_card) {
    KARTEI_ASSIGN(const auto card, this->card(found.cards.hits[ranked.hit].rid));
    return card ? folded_text(card->text) : std::string();
  }
  KARTEI_ASSIGN(const auto turn, this->turn(found.turns.hits[ranked.hit].rid));
  return turn ? folded_text(turn->text + "\n" + turn->caption) : std::string();
}

// The index knows no order of words: of the best rows the text is read.
Status Recall::prefer_phrases(Found& found) {
  if (found.question.phrases.empty()) return {};
  const std::size_t rows = std::min(found.ranked.size(), kPhraseRows);
  for (std::size_t i = 0; i < rows; ++i) {
    Ranked& ranked = found.ranked[i];
    KARTEI_ASSIGN(const std::string words, words_of_row(found, ranked));
    const std::string all = " " + words + " ";
    const auto has = [&](const std::string& phrase) {
      return all.find(" " + phrase + " ") != std::string::npos;
    };
    const auto& phrases = found.question.phrases;
    const auto count = std::count_if(phrases.begin(), phrases.end(), has);
    ranked.phrases = weights_.phrase * static_cast<double>(count);
    ranked.score += ranked.phrases;
  }
  sort_ranked(found.ranked);
  return {};
}

Ranking Recall::ranking_of(const Found& found) const {
  return {found.question,   found.view,  found.turns,
          found.neighbours, found.cards, best_bm25_of(found.turns, found.cards),
          weights_};
}

// Each copy that is read is a page of the disk: only of those that are likely to be handed out.
Status Recall::score_best_exactly(const Search::Scope& scope, std::size_t rows, Found& found) {
  std::vector<std::size_t> turns, cards;
  for (std::size_t i = 0; i < std::min(found.ranked.size(), rows); ++i)
    (found.ranked[i].is_card ? cards : turns).push_back(found.ranked[i].hit);
  KARTEI_TRY(Search::score_meaning_exactly(RowKind::kTurn, scope, turns, found.turns.hits));
  return Search::score_meaning_exactly(RowKind::kCard, scope, cards, found.cards.hits);
}

Result<Recall::Found> Recall::find(const RecallRequest& request,
                                   const std::vector<DrawerId>* drawers) {
  Found found;
  ZonedTime said_at;
  if (request.now) said_at = {*request.now, request.zone_min};
  found.question = read_question(request.query, request.now ? &said_at : nullptr, stemmer_);
  if (found.question.small_talk) return found;
  found.view = {request.now, request.as_of, request.known_at, std::nullopt};
  Search search(db_, weights_, &vocabulary_.pieces());
  Search::Scope scope;
  std::size_t items = std::min<std::size_t>(request.limit, kItemsMax);
  if (request.budget_tokens != 0)
    items = std::min(items, request.budget_tokens / kItemTokensLeast + 1);
  scope.rows = std::max(kScoredLeast, kScoredPerItem * items);
  scope.drawers = drawers;
  if (request.as_of) scope.said_until_ms = to_ms(*request.as_of);
  if (request.known_at) {
    scope.said_until_ms =
        std::min(scope.said_until_ms.value_or(INT64_MAX), to_ms(*request.known_at));
  }
  // Of a few drawers or an earlier time: more rows, since most may fall away.
  const bool all = scope.drawers == nullptr && !scope.said_until_ms;
  // So are those that were put away, which no ordinary question is answered by.
  KARTEI_ASSIGN(found.put_away, db_.exists("SELECT 1 FROM cards WHERE state IN (?, ?)",
                                           static_cast<int>(CardState::kFaded),
                                           static_cast<int>(CardState::kArchived)));
  const auto meaning =
      MeaningLeg::of(db_, meaning_.set, meaning_.embedder, request.query,
                     all && !found.put_away ? scope.rows : kMeaningRowsOfFew, meaning_.helper);
  scope.meaning = meaning.get();
  scope.facts = facts_.get();
  if (found.put_away) search.leave_out_put_away(scope.facts, found.question, found.view);
  KARTEI_TRY(look_up(search, request, found.question));
  if (request.turns) {
    KARTEI_ASSIGN(found.turns, search.turns(scope));
  }
  if (request.cards) {
    KARTEI_ASSIGN(found.cards, search.cards(scope));
  }
  if (request.cards && found.question.event) {
    Search events(db_, weights_, &vocabulary_.pieces());
    KARTEI_ASSIGN(found.view.event, event_interval(*found.question.event, events, scope, stemmer_));
  }
  const double best = best_bm25_of(found.turns, found.cards);
  std::stable_sort(found.turns.hits.begin(), found.turns.hits.end(),
                   [&](const TurnHit& a, const TurnHit& b) {
                     return base_of(a, best, weights_) > base_of(b, best, weights_);
                   });
  KARTEI_ASSIGN(found.neighbours, search.add_neighbours(found.turns, kNeighboursOf, scope));
  found.ranked = ranking_of(found).ranked();
  if (scope.meaning != nullptr) {
    const auto part = static_cast<std::size_t>(kExactMeaningShare * static_cast<double>(items));
    KARTEI_TRY(score_best_exactly(scope, std::max(kExactMeaningLeast, part), found));
    found.ranked = ranking_of(found).ranked();
  }
  KARTEI_TRY(prefer_phrases(found));
  found.asks_for_then = asks_for_then(found.question, found.view);
  return found;
}

// None: gone since its facts were read.
Result<std::optional<Card>> Recall::card(std::int64_t rid) {
  static const std::string kSql =
      std::string("SELECT ") + kCardColumns + " FROM cards c WHERE c.rid = ?";
  KARTEI_ASSIGN(auto cards, read_cards(db_.query(kSql, rid)));
  if (cards.empty()) return std::optional<Card>();
  return std::optional(std::move(cards.front()));
}

Result<std::optional<Turn>> Recall::turn(std::int64_t rid) {
  static const std::string kSql =
      std::string("SELECT ") + kTurnColumns + " FROM turns t WHERE t.rid = ?";
  KARTEI_ASSIGN(auto turns, read_turns(db_.query(kSql, rid)));
  if (turns.empty()) return std::optional<Turn>();
  return std::optional(std::move(turns.front()));
}

// A condensed card names a few turns of those that it tells of: it takes no place of theirs, and
// none takes its.
Result<bool> Recall::tells_of_many(const Found& found, const CardHit& hit) {
  if (!found.put_away || hit.colour != Colour::kEvent || !hit.valid_to.known()) return false;
  return db_.exists(
      "SELECT 1 FROM cards c JOIN forgotten f ON f.card = c.id WHERE c.rid = ? AND f.step = ?",
      hit.rid, static_cast<int>(Forgotten::kMade));
}

// What is left out because of it says so, with explain.
Result<bool> Recall::is_outdated(const Found& found, const TurnHit& hit, RecallItem& item) {
  if (found.asks_for_then) return false;
  KARTEI_ASSIGN(const double share, outdated_share(db_, item.turn.id, hit, found.turns.terms,
                                                   found.question, found.view));
  if (share < kOutdatedShare) return false;
  item.legs.push_back({"outdated", -share});
  return true;
}

Result<std::vector<std::string>> Recall::source_names(const Card& card) {
  std::vector<std::string> names;
  for (const TurnId turn : card.sources) {
    Query query = db_.query("SELECT external_id FROM turns WHERE id = ?", turn);
    const bool known = query.next() && !query.text(0).empty();
    names.push_back(known ? std::string(query.text(0)) : turn.text());
    KARTEI_TRY(query.status());
  }
  return names;
}

Result<RecallAnswer> Recall::run(const RecallRequest& request) {
  KARTEI_ASSIGN(const auto named, drawers_named(request.drawers));
  const std::vector<DrawerId>* drawers = request.drawers.empty() ? nullptr : &named;
  KARTEI_ASSIGN(auto rules, this->rules(request, drawers));
  KARTEI_ASSIGN(const auto buffer, this->buffer(request));
  KARTEI_ASSIGN(const Found found, find(request, drawers));

  Packer packer(request.budget_tokens, std::min<std::size_t>(request.limit, kItemsMax));
  const bool more_turns = found.turns.terms.size() >= found.cards.terms.size();
  const auto asked = asked_tokens(more_turns ? found.turns.terms : found.cards.terms);
  Filler filler(request, packer, stemmer_, asked);
  const auto for_answers =
      static_cast<std::size_t>((1 - kRulesShare) * static_cast<double>(request.budget_tokens));

  sort_rules(rules, asked, stemmer_);
  for (const Card& rule : rules) {
    // Of those that nobody marked no more than a part: the rest is for what was asked.
    if (packer.left() <= for_answers && (rule.flags & kHighPriority) == 0) break;
    RecallItem item;
    item.id = rule.id.text();
    item.card = rule;
    item.score = 1;
    item.legs = {{"rule", 1}};
    KARTEI_ASSIGN(item.sources, source_names(rule));
    filler.add_card(item, {});
  }

  // The newest exchanges come last, but their room is kept.
  std::vector<std::pair<RecallItem, Line>> last;
  std::size_t reserved = 0;
  const auto most = static_cast<std::size_t>(kBufferShare * static_cast<double>(packer.left()));
  for (const Turn& turn : buffer) {
    RecallItem item;
    item.is_card = false;
    item.id = name_of(turn);
    item.sources = {item.id};
    item.legs = {{"buffer", 1}};
    item.turn = turn;
    Line line = filler.turn_line(item, most - std::min(most, reserved),
                                 {kBufferTurnTokens, kBufferTurnTokens});
    if (line.text.empty()) break;
    filler.exclude(turn.id);
    reserved += estimate_tokens(line.heading + "\n") + estimate_tokens(line.text + "\n");
    last.emplace_back(std::move(item), std::move(line));
  }
  packer.reserve(reserved);

  const Ranking ranking = ranking_of(found);
  std::vector<RecallItem> missed;
  std::size_t misses = 0;
  for (const Ranked& ranked : found.ranked) {
    const bool done = packer.full() || misses >= kMissesMax || packer.left() < kExcerptLeast;
    if (done && (!request.explain || missed.size() >= kCutShown)) break;
    RecallItem item;
    item.is_card = ranked.is_card;
    item.score = ranked.score;
    item.legs = ranking.legs(ranked);
    bool added = false, outdated = false;
    if (ranked.is_card) {
      const CardHit& hit = found.cards.hits[ranked.hit];
      KARTEI_ASSIGN(const bool many, tells_of_many(found, hit));
      if (!many && filler.adds_nothing(hit.sources, hit.matched)) continue;
      KARTEI_ASSIGN(auto card, this->card(hit.rid));
      if (!card) continue;
      item.card = std::move(*card);
      item.id = item.card.id.text();
      KARTEI_ASSIGN(item.sources, source_names(item.card));
      added = !done && (many ? filler.add_card_alone(item) : filler.add_card(item, hit.matched));
    } else {
      const TurnHit& hit = found.turns.hits[ranked.hit];
      KARTEI_ASSIGN(auto turn, this->turn(hit.rid));
      if (!turn) continue;
      item.turn = std::move(*turn);
      if (filler.adds_nothing({item.turn.id}, hit.matched)) continue;
      item.id = name_of(item.turn);
      item.sources = {item.id};
      KARTEI_ASSIGN(outdated, is_outdated(found, hit, item));
      added = !done && !outdated && filler.add_turn(item, hit.matched);
    }
    if (added) {
      misses = 0;
      continue;
    }
    if (!outdated) ++misses;
    if (!request.explain || missed.size() >= kCutShown) continue;
    item.cut = true;
    if (item.is_card) {
      if (request.mask) request.mask(item.card.text);
      item.text = card_line(item.card, request.known_at);
    } else {
      filler.turn_line(item, SIZE_MAX / 2, {kWholeTokens, kExcerptTokens});
    }
    item.tokens = estimate_tokens(item.text + "\n");
    missed.push_back(std::move(item));
  }

  packer.reserve(0);
  packer.begin_part();
  for (auto entry = last.rbegin(); entry != last.rend(); ++entry)
    packer.add(entry->first, entry->second);
  RecallAnswer answer = packer.take();
  for (const QuestionTerm& term : found.question.terms)
    if (term.guessed) answer.guesses.push_back({term.word, term.meant});
  for (RecallItem& item : missed) answer.items.push_back(std::move(item));
  return answer;
}

}  // namespace kartei::store
