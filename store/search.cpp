#include "store/search.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "store/forgotten.h"
#include "store/indexer.h"
#include "store/rows.h"
#include "store/vocabulary.h"
#include "store/weights.h"

namespace kartei::store {

namespace {

constexpr std::size_t kCacheLineBytes = 64;
constexpr std::size_t kAliasesMax = 4;  // other names followed, and words of a name

std::string marked(std::string_view mark, std::string_view word) {
  return std::string(mark) + std::string(word);
}

double idf(double docs, double all) {
  return std::log(1.0 + (std::max(0.0, all - docs) + 0.5) / (docs + 0.5));
}

struct Score {
  double bm25 = 0;
  Matched matched;
};

Score score_bag(const ShortBag& bag, const std::vector<TermStats>& terms, double length,
                double mean_length) {
  Score score;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    std::uint32_t times = 0;
    for (const std::uint32_t hash : terms[i].term->hashes) times += bag.times(hash);
    if (times == 0) continue;
    const double norm = 1 - kBm25B + kBm25B * length / std::max(1.0, mean_length);
    score.bm25 += terms[i].idf * times * (kBm25K1 + 1) / (times + kBm25K1 * norm);
    score.matched.set(terms[i].place);
  }
  return score;
}

bool in_scope(const std::vector<DrawerId>* drawers, DrawerId drawer) {
  return drawers == nullptr ||
         std::find(drawers->begin(), drawers->end(), drawer) != drawers->end();
}

bool is_named(const TurnHit&) {
  return false;
}
bool is_named(const CardHit& hit) {
  return hit.named > 0;
}

// `hits`: those of the rows that are there, in their order. The lists may tell of words that a row
// had once: it goes.
template <class Hit>
void take_meaning(const std::vector<Candidate>& rows, std::vector<Hit>& hits) {
  auto row = rows.begin();
  std::erase_if(hits, [&](Hit& hit) {
    while (row->rid != hit.rid) ++row;
    hit.meaning = row->meaning;
    return hit.matched.none() && !is_named(hit) && !row->close;
  });
}

bool is_put_away(std::uint8_t state) {
  return state == static_cast<std::uint8_t>(CardState::kFaded) ||
         state == static_cast<std::uint8_t>(CardState::kArchived);
}

std::vector<std::int64_t> rows_of(const std::vector<Candidate>& candidates) {
  std::vector<std::int64_t> rids;
  rids.reserve(candidates.size());
  for (const Candidate& candidate : candidates) rids.push_back(candidate.rid);
  return rids;
}

}  // namespace

template <class Hit>
Status Search::score_meaning_exactly(RowKind kind, const Scope& scope,
                                     std::span<const std::size_t> which, std::vector<Hit>& hits) {
  if (scope.meaning == nullptr) return {};
  std::vector<std::int64_t> rids;
  rids.reserve(which.size());
  for (const std::size_t place : which) rids.push_back(hits[place].rid);
  KARTEI_ASSIGN(const auto closeness, scope.meaning->closeness(kind, rids));
  for (std::size_t i = 0; i < which.size(); ++i) hits[which[i]].meaning = closeness[i];
  return {};
}
template Status Search::score_meaning_exactly(RowKind, const Scope&, std::span<const std::size_t>,
                                              std::vector<TurnHit>&);
template Status Search::score_meaning_exactly(RowKind, const Scope&, std::span<const std::size_t>,
                                              std::vector<CardHit>&);

Result<Search::Totals> Search::totals(Kind kind) {
  Totals totals;
  Query query =
      db_.query("SELECT docs, length FROM word_totals WHERE kind = ?", static_cast<int>(kind));
  if (query.next()) {
    totals.docs = static_cast<double>(query.integer(0));
    totals.length = static_cast<double>(query.integer(1));
  }
  KARTEI_TRY(query.status());
  return totals;
}

Result<Search::Lists> Search::lists(Kind kind) {
  KARTEI_ASSIGN(PostingReader pieces, PostingReader::open(db_, kind));
  if (hashes_ != nullptr) pieces.look_only_for(hashes_->known(kind, pieces.pieces()));
  Lists lists{std::move(pieces), {}};
  Query query =
      db_.query(kind == Kind::kTurn
                    ? "SELECT rid, bag FROM turn_docs WHERE rid > (SELECT mark FROM word_totals"
                      " WHERE kind = 0) UNION ALL SELECT d.rid, d.bag FROM word_late l CROSS JOIN"
                      " turn_docs d ON d.rid = l.rid WHERE l.kind = 0"
                    : "SELECT rid, bag FROM card_docs WHERE rid > (SELECT mark FROM word_totals"
                      " WHERE kind = 1) UNION ALL SELECT d.rid, d.bag FROM word_late l CROSS JOIN"
                      " card_docs d ON d.rid = l.rid WHERE l.kind = 1");
  while (query.next()) lists.tail.push_back({query.integer(0), to_bytes(query.blob(1))});
  KARTEI_TRY(query.status());
  return lists;
}

// A guess counts less than a word that is there.
double Search::weight_of(const Posting& posting, const Totals& totals) {
  return idf(posting.docs, totals.docs) * (posting.term->guessed ? kGuessedWord : 1);
}

// The newest rows that have one of the tokens, newest first.
Result<Search::Posting> Search::read_rows(const Lists& lists,
                                          const std::vector<std::uint32_t>& hashes,
                                          std::size_t most) {
  Posting posting;
  std::uint64_t docs = 0;
  for (const TailRow& row : lists.tail) {
    const BagView bag(row.bag);
    const bool has = std::any_of(hashes.begin(), hashes.end(),
                                 [&](std::uint32_t hash) { return bag.times(hash) > 0; });
    if (has) posting.rows.push_back(row.rid);
  }
  docs = posting.rows.size();
  for (const std::uint32_t hash : hashes)
    KARTEI_TRY(lists.pieces.find(hash, most, posting.rows, docs));
  auto& rows = posting.rows;
  if (!std::is_sorted(rows.rbegin(), rows.rend())) std::sort(rows.rbegin(), rows.rend());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  // Of a row with two of the tokens, or with other words than before, the lists tell twice.
  posting.docs = docs <= most ? static_cast<double>(rows.size()) : static_cast<double>(docs);
  if (rows.size() > most) rows.resize(most);
  return posting;
}

// Every word's newest rows; of the rarest more, as far as the bound goes.
Result<std::vector<Search::Posting>> Search::postings(Kind kind, const Lists& lists,
                                                      const Question& question) {
  std::vector<Posting> found;
  for (std::size_t i = 0; i < question.terms.size(); ++i) {
    const QuestionTerm& term = question.terms[i];
    KARTEI_ASSIGN(Posting posting, read_rows(lists, term.hashes, kPostingsAll));
    if (posting.rows.empty()) continue;
    if (kind == Kind::kCard) KARTEI_TRY(drop_put_away(posting.rows));
    posting.term = &term;
    posting.place = i;
    found.push_back(std::move(posting));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Posting& a, const Posting& b) { return a.docs < b.docs; });
  if (found.size() > kTermsMax) found.resize(kTermsMax);
  std::size_t read = 0;
  for (const Posting& posting : found) read += std::min(posting.rows.size(), kPostingsFirst);
  for (Posting& posting : found) {
    const std::size_t first = std::min(posting.rows.size(), kPostingsFirst);
    const std::size_t more =
        std::min(posting.rows.size() - first, kPostingsAll - std::min(read, kPostingsAll));
    posting.rows.resize(first + more);
    read += more;
  }
  return found;
}

bool Search::is_left_out(std::uint8_t state, std::int64_t valid_from, std::int64_t valid_to) const {
  if (!is_put_away(state)) return false;
  return !names_its_time(unpack_date(valid_from), unpack_date(valid_to), *put_away_.question,
                         *put_away_.view);
}

Status Search::drop_put_away(std::vector<std::int64_t>& rids) {
  if (put_away_.question == nullptr) return {};
  const RowFacts* facts = put_away_.facts;
  RowList unknown;
  std::erase_if(rids, [&](std::int64_t rid) {
    if (facts == nullptr || rid > facts->cards.highest()) {
      unknown.push_back({rid});
      return false;
    }
    const ByteView row = facts->cards.row(rid);
    if (!is_put_away(card_state(row))) return false;  // most: nothing else is read of them
    const CardFacts card = card_facts(row, *facts->drawers);
    return is_left_out(card.state, card.valid_from, card.valid_to);
  });
  if (unknown.empty()) return {};
  std::unordered_set<std::int64_t> gone;
  Query query = db_.query(
      "SELECT d.rid, d.state, d.valid_from, d.valid_to FROM kartei_rows(?) r CROSS JOIN card_docs "
      "d "
      "ON d.rid = r.a",
      unknown);
  while (query.next()) {
    if (is_left_out(static_cast<std::uint8_t>(query.integer(1)), query.integer(2),
                    query.integer(3)))
      gone.insert(query.integer(0));
  }
  KARTEI_TRY(query.status());
  std::erase_if(rids, [&](std::int64_t rid) { return gone.contains(rid); });
  return {};
}

Status Search::drop_put_away_by_user(std::vector<CardHit>& hits) {
  if (put_away_.question == nullptr) return {};
  RowList archived;
  for (const CardHit& hit : hits)
    if (hit.state == CardState::kArchived) archived.push_back({hit.rid});
  if (archived.empty()) return {};
  // By its newest step that holds.
  Query query = db_.query(
      "SELECT c.rid FROM kartei_rows(?) r CROSS JOIN cards c ON c.rid = r.a WHERE (SELECT f.step "
      "FROM forgotten f WHERE f.card = c.id AND f.step NOT IN (?, ?) ORDER BY f.n DESC LIMIT 1) IN "
      "(?, ?)",
      archived, static_cast<int>(Forgotten::kTakenBack), static_cast<int>(Forgotten::kMade),
      static_cast<int>(Forgotten::kArchived), static_cast<int>(Forgotten::kCondensed));
  std::unordered_set<std::int64_t> by_forgetting;
  while (query.next()) by_forgetting.insert(query.integer(0));
  KARTEI_TRY(query.status());
  std::erase_if(hits, [&](const CardHit& hit) {
    return hit.state == CardState::kArchived && !by_forgetting.contains(hit.rid);
  });
  return {};
}

Result<std::vector<Candidate>> Search::candidates(Kind kind, const std::vector<Posting>& postings,
                                                  const std::vector<std::int64_t>& extra,
                                                  const Totals& totals, const Scope& scope) {
  std::vector<WeightedRows> lists;
  for (const Posting& posting : postings)
    lists.push_back({&posting.rows, idf(posting.docs, totals.docs)});
  lists.push_back({&extra, 1.0});
  // Of a few drawers or an earlier time: more rows, since most may fall away.
  const bool all = scope.drawers == nullptr && !scope.said_until_ms;
  const CandidateBounds bounds = {scope.drawers == nullptr ? scope.rows : scope.rows * 8,
                                  all ? scope.rows : SIZE_MAX};
  if (kind != Kind::kCard || put_away_.question == nullptr || scope.meaning == nullptr)
    return choose_candidates(kind, lists, scope.meaning, bounds, weights_);
  std::vector<std::int64_t> close;
  for (const MeaningLeg::Near& near : scope.meaning->closest(kind)) close.push_back(near.rid);
  KARTEI_TRY(drop_put_away(close));
  std::sort(close.begin(), close.end());
  const RowFilter wanted = [&](std::int64_t rid) {
    return std::binary_search(close.begin(), close.end(), rid);
  };
  return choose_candidates(kind, lists, scope.meaning, bounds, weights_, &wanted);
}

// Which of the question's words are names of speakers, as hashes of their tokens. A speaker's name
// is among the words of each turn of his.
Result<std::vector<std::uint32_t>> Search::named_speakers(const Lists& lists,
                                                          const std::vector<Posting>& postings) {
  std::vector<std::uint32_t> speakers;
  for (const Posting& posting : postings) {
    const std::uint32_t hash = token_hash(marked(kSpeakerMark, posting.term->word));
    KARTEI_ASSIGN(const Posting by, read_rows(lists, {hash}, 1));
    if (!by.rows.empty()) speakers.push_back(hash);
  }
  return speakers;
}

// Which of the question's words name what cards are about; a card's other name leads to its
// subject.
Result<std::vector<std::string>> Search::named_subjects(const Lists& lists,
                                                        const Question& question,
                                                        std::vector<std::int64_t>& rows) {
  // Where the question has capitals, they show its names.
  std::vector<std::string> words = question.names;
  if (words.empty()) {
    for (const QuestionTerm& term : question.terms)
      if (words.size() < kTermsMax && !term.stop) words.push_back(term.word);
  }
  std::vector<std::uint32_t> hashes;
  for (const std::string& word : words) hashes.push_back(token_hash(marked(kAliasMark, word)));
  KARTEI_ASSIGN(const Posting aliases, read_rows(lists, hashes, kAliasesMax));
  for (const std::int64_t rid : aliases.rows) {
    Query query = db_.query("SELECT subject FROM cards WHERE rid = ?", rid);
    const std::string subject = query.next() ? std::string(query.text(0)) : std::string();
    KARTEI_TRY(query.status());
    for (const Word& word : words_of(subject, kAliasesMax)) {
      if (std::find(words.begin(), words.end(), word.folded) == words.end())
        words.push_back(word.folded);
    }
  }
  std::vector<std::string> names;
  for (const std::string& word : words) {
    constexpr std::size_t kRows = kPostingsFirst / 4;
    KARTEI_ASSIGN(Posting posting, read_rows(lists,
                                             {token_hash(marked(kSubjectMark, word)),
                                              token_hash(marked(kMentionMark, word))},
                                             put_away_.question != nullptr ? kPostingsAll : kRows));
    KARTEI_TRY(drop_put_away(posting.rows));
    if (posting.rows.size() > kRows) posting.rows.resize(kRows);
    if (posting.rows.empty()) continue;
    names.push_back(word);
    rows.insert(rows.end(), posting.rows.begin(), posting.rows.end());
  }
  return names;
}

// From memory, where they are there.
template <class Take>
Status Search::each_row(RowKind kind, const std::vector<std::int64_t>& rids, const Scope& scope,
                        Take take) {
  const FactRows* known = scope.facts != nullptr ? &scope.facts->rows(kind) : nullptr;
  std::vector<std::int64_t> unknown;
  std::vector<ByteView> rows(rids.size());
  for (std::size_t i = 0; i < rids.size(); ++i) {
    if (known == nullptr || rids[i] > known->highest()) {
      unknown.push_back(rids[i]);
      continue;
    }
    rows[i] = known->row(rids[i]);
    if (rows[i].empty()) continue;
    // Each lies elsewhere: the next ones are fetched while the first are scored.
    __builtin_prefetch(rows[i].data());
    __builtin_prefetch(rows[i].data() + kCacheLineBytes);
  }
  std::vector<FactRows::Change> read;
  if (!unknown.empty()) {
    KARTEI_ASSIGN(read, reading_.rows(db_, kind, unknown));
  }
  auto next = read.begin();
  for (std::size_t i = 0; i < rids.size(); ++i) {
    if (next != read.end() && next->rid == rids[i]) {
      take(rids[i], ByteView(next->bytes), *reading_.drawers());
      ++next;
    } else if (!rows[i].empty()) {
      take(rids[i], rows[i], *scope.facts->drawers);
    }
  }
  return {};
}

Result<bool> Search::turn_in_scope(std::int64_t rid, const Scope& scope) {
  if (scope.drawers == nullptr) return true;
  Query query = db_.query("SELECT drawer FROM turns WHERE rid = ?", rid);
  const bool there = query.next();
  KARTEI_TRY(query.status());
  return there && in_scope(scope.drawers, query.id<DrawerId>(0));
}

Result<std::vector<TurnHit>> Search::score_turns(const std::vector<std::int64_t>& rids,
                                                 const Scope& scope) {
  std::vector<TurnHit> hits;
  hits.reserve(rids.size());
  const LookedUp& asked = looked_up(RowKind::kTurn);
  const double mean = asked.totals.length / std::max(1.0, asked.totals.docs);
  KARTEI_TRY(each_row(
      RowKind::kTurn, rids, scope, [&](std::int64_t rid, ByteView row, const FactDrawers&) {
        const TurnFacts facts = turn_facts(row);
        if (scope.said_until_ms && facts.said_at_ms > *scope.said_until_ms) return;
        const Score score = score_bag(facts.bag, asked.terms, facts.length, mean);
        TurnHit hit;
        hit.rid = rid;
        hit.conversation = facts.conversation;
        hit.said_at_ms = facts.said_at_ms;
        hit.role = facts.role;
        hit.length = facts.length;
        hit.bm25 = score.bm25;
        hit.matched = score.matched;
        // Two speakers named: a turn is by one of them, and neither is meant more than the other.
        hit.speaker_named =
            !asked.speakers.empty() &&
            std::all_of(asked.speakers.begin(), asked.speakers.end(),
                        [&](std::uint32_t hash) { return facts.bag.times(hash) > 0; });
        hits.push_back(hit);
      }));
  if (scope.drawers == nullptr) return hits;
  std::vector<TurnHit> held;
  for (const TurnHit& hit : hits) {
    KARTEI_ASSIGN(const bool in, turn_in_scope(hit.rid, scope));
    if (in) held.push_back(hit);
  }
  return held;
}

Status Search::look_up(RowKind kind, const Question& question) {
  LookedUp& found = kinds_[static_cast<std::size_t>(kind)];
  found = {};
  KARTEI_ASSIGN(found.totals, totals(kind));
  if (found.totals.docs < 1) return {};
  KARTEI_ASSIGN(found.lists, lists(kind));
  KARTEI_ASSIGN(found.postings, postings(kind, *found.lists, question));
  for (const Posting& posting : found.postings)
    found.terms.push_back({posting.term, posting.place, weight_of(posting, found.totals)});
  if (kind == RowKind::kTurn) {
    KARTEI_ASSIGN(found.speakers, named_speakers(*found.lists, found.postings));
  } else {
    KARTEI_ASSIGN(found.names, named_subjects(*found.lists, question, found.named_rows));
  }
  return {};
}

Result<Hits<TurnHit>> Search::turns(const Scope& scope) {
  Hits<TurnHit> found;
  const LookedUp& known = looked_up(RowKind::kTurn);
  if (!known.lists) return found;
  found.terms = known.terms;
  KARTEI_ASSIGN(const auto rows, candidates(Kind::kTurn, known.postings, {}, known.totals, scope));
  KARTEI_ASSIGN(found.hits, score_turns(rows_of(rows), scope));
  take_meaning(rows, found.hits);
  return found;
}

Result<std::vector<Search::Beside>> Search::rows_beside(const std::vector<TurnHit>& hits,
                                                        std::size_t count, const Scope& scope) {
  std::vector<Beside> all(count);
  std::vector<std::size_t> unknown;
  RowList list;
  for (std::size_t i = 0; i < count; ++i) {
    const auto known = scope.facts != nullptr ? scope.facts->beside(hits[i].rid) : std::nullopt;
    if (known) {
      all[i] = *known;
      continue;
    }
    unknown.push_back(i);
    list.push_back({hits[i].rid, hits[i].conversation, hits[i].said_at_ms});
  }
  if (list.empty()) return all;
  KARTEI_ASSIGN(const auto read, beside_on_disk(list));
  for (std::size_t i = 0; i < std::min(read.size(), unknown.size()); ++i) all[unknown[i]] = read[i];
  return all;
}

// Of the same moment first, by row: turns of one call may carry one time.
Result<std::vector<Search::Beside>> Search::beside_on_disk(const RowList& list) {
  // A step in the index each way, or two: SQLite would not use its last column, the row's number,
  // for `(said_at, rid) < (?, ?)`, and turns of one call may be hundreds of one time.
  Query query = db_.query(
      "SELECT ifnull((SELECT n.rid FROM turn_docs n WHERE n.conversation = r.b"
      " AND n.said_at = r.c AND n.rid < r.a ORDER BY n.rid DESC LIMIT 1),"
      " (SELECT n.rid FROM turn_docs n WHERE n.conversation = r.b"
      " AND n.said_at < r.c ORDER BY n.said_at DESC, n.rid DESC LIMIT 1)),"
      " ifnull((SELECT n.rid FROM turn_docs n WHERE n.conversation = r.b"
      " AND n.said_at = r.c AND n.rid > r.a ORDER BY n.rid LIMIT 1),"
      " (SELECT n.rid FROM turn_docs n WHERE n.conversation = r.b"
      " AND n.said_at > r.c ORDER BY n.said_at, n.rid LIMIT 1))"
      " FROM kartei_rows(?) r",
      list);
  std::vector<Beside> beside;
  while (query.next()) beside.push_back({query.integer(0), query.integer(1)});
  KARTEI_TRY(query.status());
  return beside;
}

Result<std::vector<Search::Neighbours>> Search::add_neighbours(Hits<TurnHit>& found,
                                                               std::size_t of_first,
                                                               const Scope& scope) {
  KARTEI_ASSIGN(const auto beside,
                rows_beside(found.hits, std::min(of_first, found.hits.size()), scope));
  std::unordered_map<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i < found.hits.size(); ++i) places[found.hits[i].rid] = i;
  std::vector<std::int64_t> others;
  for (const Beside& one : beside) {
    for (const std::int64_t rid : {one.before, one.after})
      if (rid != 0 && places.emplace(rid, SIZE_MAX).second) others.push_back(rid);
  }
  KARTEI_ASSIGN(auto scored, score_turns(others, scope));
  if (scope.meaning != nullptr) {
    std::vector<std::int64_t> rids;
    for (const TurnHit& hit : scored) rids.push_back(hit.rid);
    const auto closeness = scope.meaning->nearly(RowKind::kTurn, rids);
    for (std::size_t i = 0; i < scored.size(); ++i) scored[i].meaning = closeness[i];
  }
  for (const TurnHit& hit : scored) {
    places[hit.rid] = found.hits.size();
    found.hits.push_back(hit);
  }
  const auto place_of = [&](std::int64_t rid) { return rid == 0 ? SIZE_MAX : places.at(rid); };
  std::vector<Neighbours> all;
  for (const Beside& one : beside) all.push_back({place_of(one.before), place_of(one.after)});
  // Whoever was brought along stands beside whoever brought him: an answer that has none of the
  // words lives by its question.
  all.resize(found.hits.size());
  for (std::size_t i = 0; i < beside.size(); ++i) {
    const auto [before, after] = all[i];
    if (before != SIZE_MAX) all[before].after = i;
    if (after != SIZE_MAX) all[after].before = i;
  }
  return all;
}

Result<std::vector<CardHit>> Search::score_cards(const std::vector<std::int64_t>& rids,
                                                 const Scope& scope) {
  std::vector<CardHit> hits;
  hits.reserve(rids.size());
  const LookedUp& asked = looked_up(RowKind::kCard);
  const double mean = asked.totals.length / std::max(1.0, asked.totals.docs);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> names;  // as subject, as mention
  for (const std::string& name : asked.names) {
    names.emplace_back(token_hash(marked(kSubjectMark, name)),
                       token_hash(marked(kMentionMark, name)));
  }
  KARTEI_TRY(each_row(RowKind::kCard, rids, scope,
                      [&](std::int64_t rid, ByteView row, const FactDrawers& drawers) {
                        const CardFacts facts = card_facts(row, drawers);
                        if (facts.state == kStateGaveWay || !in_scope(scope.drawers, facts.drawer))
                          return;
                        const Score score = score_bag(facts.bag, asked.terms, facts.length, mean);
                        CardHit hit;
                        hit.rid = rid;
                        hit.bm25 = score.bm25;
                        hit.matched = score.matched;
                        for (const auto& [subject, mention] : names)
                          hit.named += facts.bag.times(subject) > 0   ? 1.0
                                       : facts.bag.times(mention) > 0 ? 0.5
                                                                      : 0.0;
                        if (!names.empty()) hit.named /= static_cast<double>(names.size());
                        hit.colour = facts.colour;
                        hit.state = static_cast<CardState>(facts.state);
                        hit.trust = facts.trust;
                        hit.importance = facts.importance;
                        hit.flags = facts.flags;
                        hit.times_used = facts.times_used;
                        hit.valid_from = unpack_date(facts.valid_from);
                        hit.valid_to = unpack_date(facts.valid_to);
                        hit.recorded_at_ms = facts.recorded_at_ms;
                        hit.closed_at_ms = facts.closed_at_ms;
                        hit.last_used_ms = facts.last_used_ms;
                        hit.sources = split_ids<TurnId>(facts.sources);
                        hits.push_back(std::move(hit));
                      }));
  return hits;
}

Result<Hits<CardHit>> Search::cards(const Scope& scope) {
  Hits<CardHit> found;
  const LookedUp& known = looked_up(RowKind::kCard);
  if (!known.lists) return found;
  found.terms = known.terms;
  KARTEI_ASSIGN(const auto rows,
                candidates(Kind::kCard, known.postings, known.named_rows, known.totals, scope));
  KARTEI_ASSIGN(found.hits, score_cards(rows_of(rows), scope));
  take_meaning(rows, found.hits);
  KARTEI_TRY(drop_put_away_by_user(found.hits));
  return found;
}

}  // namespace kartei::store
