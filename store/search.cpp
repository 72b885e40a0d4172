#include "store/search.h"

#include <algorithm>
#include <cmath>

#include "store/indexer.h"
#include "store/rows.h"
#include "store/weights.h"

namespace kartei::store {

namespace {

constexpr std::size_t kAliasesMax = 4;  // other names followed, and words of a name

// FTS5's query: quoted tokens of ours, nothing of the user's. They hold neither quotes nor spaces;
// should one ever, it is left out.
std::string match_of(const std::vector<std::string>& tokens) {
  std::string match;
  for (const std::string& token : tokens) {
    if (token.empty() || token.find_first_of("\" \0", 0, 3) != std::string::npos) continue;
    if (!match.empty()) match += " OR ";
    match += '"';
    match += token;
    match += '"';
  }
  return match;
}

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

Score score_bag(const BagView& bag, const std::vector<TermStats>& terms, double length,
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

}  // namespace

Result<Search::Totals> Search::totals(Kind kind) {
  Totals totals;
  Query query = db_.query("SELECT docs, length FROM word_totals WHERE kind = ?",
                          kind == Kind::kTurns ? 0 : 1);
  if (query.next()) {
    totals.docs = static_cast<double>(query.integer(0));
    totals.length = static_cast<double>(query.integer(1));
  }
  KARTEI_TRY(query.status());
  KARTEI_ASSIGN(totals.newest, db_.integer(kind == Kind::kTurns ? "SELECT max(rid) FROM turn_docs"
                                                                : "SELECT max(rid) FROM card_docs",
                                           0));
  return totals;
}

Result<std::vector<Search::TailRow>> Search::read_tail(Kind kind) {
  std::vector<TailRow> tail;
  Query query =
      db_.query(kind == Kind::kTurns
                    ? "SELECT rid, bag FROM turn_docs WHERE rid > (SELECT mark FROM word_totals"
                      " WHERE kind = 0) ORDER BY rid DESC"
                    : "SELECT rid, bag FROM card_docs WHERE rid > (SELECT mark FROM word_totals"
                      " WHERE kind = 1) ORDER BY rid DESC");
  while (query.next()) tail.push_back({query.integer(0), to_bytes(query.blob(1))});
  KARTEI_TRY(query.status());
  return tail;
}

// Up to `more` rows that have one of the tokens, behind those that are there, newest first.
Status Search::read_rows(Kind kind, Posting& posting, std::size_t more) {
  const std::string match = match_of(posting.tokens);
  if (match.empty()) {
    posting.complete = true;
    return {};
  }
  std::size_t read = 0;
  std::vector<std::uint32_t> hashes;
  for (const std::string& token : posting.tokens) hashes.push_back(token_hash(token));
  for (const TailRow& row : kind == Kind::kTurns ? turn_tail_ : card_tail_) {
    if (read == more) return {};
    if (!posting.rows.empty() && row.rid >= posting.rows.back()) continue;
    const BagView bag(row.bag);
    const bool has = std::any_of(hashes.begin(), hashes.end(),
                                 [&](std::uint32_t hash) { return bag.times(hash) > 0; });
    if (!has) continue;
    posting.rows.push_back(row.rid);
    ++read;
  }
  // FTS5 has the rows by their numbers below zero: ascending is newest first.
  const std::int64_t above = posting.rows.empty() ? INT64_MIN : -posting.rows.back();
  Query query =
      db_.query(kind == Kind::kTurns ? "SELECT rowid FROM turn_words WHERE turn_words MATCH ?"
                                       " AND rowid > ? ORDER BY rowid LIMIT ?"
                                     : "SELECT rowid FROM card_words WHERE card_words MATCH ?"
                                       " AND rowid > ? ORDER BY rowid LIMIT ?",
                match, above, static_cast<std::int64_t>(more - read));
  for (; query.next(); ++read) posting.rows.push_back(-query.integer(0));
  posting.complete = read < more;
  return query.status();
}

// Every word's newest rows first; then the rarest of the longer ones further, as far as the bound
// goes.
Result<std::vector<Search::Posting>> Search::postings(Kind kind, const Question& question,
                                                      const Totals& totals) {
  std::vector<Posting> found;
  for (std::size_t i = 0; i < question.terms.size(); ++i) {
    const QuestionTerm& term = question.terms[i];
    Posting posting;
    posting.term = &term;
    posting.place = i;
    posting.tokens = term.tokens;
    KARTEI_TRY(read_rows(kind, posting, kPostingsFirst));
    if (posting.rows.empty()) continue;
    const auto count = static_cast<double>(posting.rows.size());
    const auto span = static_cast<double>(totals.newest - posting.rows.back() + 1);
    // As dense in the older rows as in the newest.
    posting.docs =
        posting.complete ? count : std::max(count, totals.docs * count / std::max(1.0, span));
    found.push_back(std::move(posting));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Posting& a, const Posting& b) { return a.docs < b.docs; });
  if (found.size() > kTermsMax) found.resize(kTermsMax);
  std::size_t read = 0;
  for (const Posting& posting : found) read += posting.rows.size();
  for (Posting& posting : found) {
    if (posting.complete || read >= kPostingsAll) continue;
    const std::size_t had = posting.rows.size();
    KARTEI_TRY(read_rows(kind, posting, kPostingsAll - read));
    read += posting.rows.size() - had;
    if (posting.complete) posting.docs = static_cast<double>(posting.rows.size());
  }
  return found;
}

// The rows with most of the rare words, newer ones first of equals.
std::vector<std::int64_t> Search::candidates(const std::vector<Posting>& postings,
                                             const std::vector<std::int64_t>& extra,
                                             const Totals& totals, std::size_t rows) {
  struct Candidate {
    std::int64_t rid;
    double score;
  };
  std::vector<Candidate> all;
  for (const Posting& posting : postings) {
    const double weight = idf(posting.docs, totals.docs);
    for (const std::int64_t rid : posting.rows) all.push_back({rid, weight});
  }
  for (const std::int64_t rid : extra) all.push_back({rid, 1.0});
  std::sort(all.begin(), all.end(),
            [](const Candidate& a, const Candidate& b) { return a.rid > b.rid; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (kept > 0 && all[kept - 1].rid == all[i].rid) {
      all[kept - 1].score += all[i].score;
    } else {
      all[kept++] = all[i];
    }
  }
  all.resize(kept);
  const std::size_t take = std::min(rows, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(take), all.end(),
                    [](const Candidate& a, const Candidate& b) {
                      return a.score != b.score ? a.score > b.score : a.rid > b.rid;
                    });
  std::vector<std::int64_t> best;
  for (std::size_t i = 0; i < take; ++i) best.push_back(all[i].rid);
  return best;
}

// Which of the question's words are names of speakers, as hashes of their tokens. A speaker's name
// is among the words of each turn of his.
Result<std::vector<std::uint32_t>> Search::named_speakers(const std::vector<Posting>& postings) {
  std::vector<std::uint32_t> speakers;
  for (const Posting& posting : postings) {
    Posting by;
    by.tokens = {marked(kSpeakerMark, posting.term->word)};
    KARTEI_TRY(read_rows(Kind::kTurns, by, 1));
    if (!by.rows.empty()) speakers.push_back(token_hash(by.tokens.front()));
  }
  return speakers;
}

// Which of the question's words name what cards are about; a card's other name leads to its
// subject.
Result<std::vector<std::string>> Search::named_subjects(const Question& question,
                                                        std::vector<std::int64_t>& rows) {
  // Where the question has capitals, they show its names.
  std::vector<std::string> words = question.names;
  if (words.empty()) {
    for (const QuestionTerm& term : question.terms)
      if (words.size() < kTermsMax && !term.stop) words.push_back(term.word);
  }
  // Most words of a question without capitals name nobody: asked of all of them at once.
  if (words.size() > 1) {
    Posting any;
    for (const std::string& word : words) {
      for (const auto mark : {kAliasMark, kSubjectMark, kMentionMark})
        any.tokens.push_back(marked(mark, word));
    }
    KARTEI_TRY(read_rows(Kind::kCards, any, 1));
    if (any.rows.empty()) return std::vector<std::string>();
  }
  Posting aliases;
  for (const std::string& word : words) aliases.tokens.push_back(marked(kAliasMark, word));
  KARTEI_TRY(read_rows(Kind::kCards, aliases, kAliasesMax));
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
    Posting posting;
    posting.tokens = {marked(kSubjectMark, word), marked(kMentionMark, word)};
    KARTEI_TRY(read_rows(Kind::kCards, posting, kPostingsFirst / 4));
    if (posting.rows.empty()) continue;
    names.push_back(word);
    rows.insert(rows.end(), posting.rows.begin(), posting.rows.end());
  }
  return names;
}

Result<std::optional<TurnHit>> Search::score_turn(std::int64_t rid,
                                                  const std::vector<TermStats>& terms,
                                                  const Scope& scope) {
  Query query = db_.query(
      "SELECT conversation, said_at, role, length, bag FROM turn_docs WHERE rid = ?", rid);
  if (!query.next()) {
    KARTEI_TRY(query.status());
    return std::optional<TurnHit>();
  }
  TurnHit hit;
  hit.rid = rid;
  hit.conversation = query.integer(0);
  hit.said_at_ms = query.integer(1);
  hit.role = static_cast<Role>(query.integer(2));
  hit.length = static_cast<std::uint32_t>(query.integer(3));
  if (scope.said_until_ms && hit.said_at_ms > *scope.said_until_ms) return std::optional<TurnHit>();
  const BagView bag(query.blob(4));
  const double mean = turn_totals_.length / std::max(1.0, turn_totals_.docs);
  const Score score = score_bag(bag, terms, hit.length, mean);
  hit.bm25 = score.bm25;
  hit.matched = score.matched;
  // Two speakers named: a turn is by one of them, and neither is meant more than the other.
  hit.speaker_named =
      !speakers_.empty() && std::all_of(speakers_.begin(), speakers_.end(),
                                        [&](std::uint32_t hash) { return bag.times(hash) > 0; });
  if (scope.drawers != nullptr) {
    Query drawer = db_.query("SELECT drawer FROM turns WHERE rid = ?", rid);
    if (!drawer.next() || !in_scope(scope.drawers, drawer.id<DrawerId>(0)))
      return std::optional<TurnHit>();
  }
  return std::optional<TurnHit>(hit);
}

Result<Hits<TurnHit>> Search::turns(const Question& question, const Scope& scope) {
  Hits<TurnHit> found;
  KARTEI_ASSIGN(turn_totals_, totals(Kind::kTurns));
  if (turn_totals_.docs < 1) return found;
  KARTEI_ASSIGN(turn_tail_, read_tail(Kind::kTurns));
  KARTEI_ASSIGN(const auto postings, this->postings(Kind::kTurns, question, turn_totals_));
  KARTEI_ASSIGN(speakers_, named_speakers(postings));
  for (const Posting& posting : postings)
    found.terms.push_back({posting.term, posting.place, idf(posting.docs, turn_totals_.docs)});
  // Of a few drawers only: more rows, since most may fall away.
  const std::size_t rows = scope.drawers == nullptr ? scope.rows : scope.rows * 8;
  const auto best = candidates(postings, {}, turn_totals_, rows);
  for (const std::int64_t rid : best) {
    KARTEI_ASSIGN(const auto hit, score_turn(rid, found.terms, scope));
    if (hit) found.hits.push_back(*hit);
  }
  return found;
}

Result<std::vector<Search::Neighbours>> Search::add_neighbours(Hits<TurnHit>& found,
                                                               std::size_t of_first,
                                                               const Scope& scope) {
  std::unordered_map<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i < found.hits.size(); ++i) places[found.hits[i].rid] = i;
  const auto place_of = [&](std::int64_t rid) -> Result<std::size_t> {
    if (rid == 0) return std::size_t{SIZE_MAX};
    if (const auto known = places.find(rid); known != places.end()) return known->second;
    KARTEI_ASSIGN(const auto hit, score_turn(rid, found.terms, scope));
    if (!hit) return std::size_t{SIZE_MAX};
    found.hits.push_back(*hit);
    places[rid] = found.hits.size() - 1;
    return found.hits.size() - 1;
  };
  // Of the same moment first, by row: turns of one call may carry one time.
  constexpr std::string_view kSql[2][2] = {
      {"SELECT rid FROM turn_docs WHERE conversation = ? AND said_at = ? AND rid < ?"
       " ORDER BY rid DESC LIMIT 1",
       "SELECT rid FROM turn_docs WHERE conversation = ? AND said_at < ?"
       " ORDER BY said_at DESC, rid DESC LIMIT 1"},
      {"SELECT rid FROM turn_docs WHERE conversation = ? AND said_at = ? AND rid > ?"
       " ORDER BY rid LIMIT 1",
       "SELECT rid FROM turn_docs WHERE conversation = ? AND said_at > ?"
       " ORDER BY said_at, rid LIMIT 1"}};
  std::vector<Neighbours> all;
  const std::size_t count = std::min(of_first, found.hits.size());
  for (std::size_t i = 0; i < count; ++i) {
    const TurnHit hit = found.hits[i];
    std::int64_t rids[2] = {0, 0};
    for (int side = 0; side < 2; ++side) {
      KARTEI_ASSIGN(rids[side],
                    db_.integer(kSql[side][0], 0, hit.conversation, hit.said_at_ms, hit.rid));
      if (rids[side] != 0) continue;
      KARTEI_ASSIGN(rids[side], db_.integer(kSql[side][1], 0, hit.conversation, hit.said_at_ms));
    }
    Neighbours neighbours;
    KARTEI_ASSIGN(neighbours.before, place_of(rids[0]));
    KARTEI_ASSIGN(neighbours.after, place_of(rids[1]));
    all.push_back(neighbours);
  }
  return all;
}

Result<Hits<CardHit>> Search::cards(const Question& question, const Scope& scope) {
  Hits<CardHit> found;
  KARTEI_ASSIGN(const Totals totals, this->totals(Kind::kCards));
  if (totals.docs < 1) return found;
  KARTEI_ASSIGN(card_tail_, read_tail(Kind::kCards));
  KARTEI_ASSIGN(const auto postings, this->postings(Kind::kCards, question, totals));
  for (const Posting& posting : postings)
    found.terms.push_back({posting.term, posting.place, idf(posting.docs, totals.docs)});
  std::vector<std::int64_t> named_rows;
  KARTEI_ASSIGN(const auto names, named_subjects(question, named_rows));
  std::vector<std::pair<std::uint32_t, std::uint32_t>> name_hashes;  // as subject, as mention
  for (const std::string& name : names) {
    name_hashes.emplace_back(token_hash(std::string(kSubjectMark) + name),
                             token_hash(std::string(kMentionMark) + name));
  }
  const std::size_t rows = scope.drawers == nullptr ? scope.rows : scope.rows * 8;
  const auto best = candidates(postings, named_rows, totals, rows);
  const double mean = totals.length / totals.docs;
  for (const std::int64_t rid : best) {
    Query query = db_.query(
        "SELECT length, bag, drawer, colour, state, trust, importance, flags, times_used,"
        " valid_from, valid_to, recorded_at, closed_at, last_used, sources"
        " FROM card_docs WHERE rid = ?",
        rid);
    if (!query.next()) {
      KARTEI_TRY(query.status());
      continue;
    }
    const std::int64_t state = query.integer(4);
    if (state == kStateGaveWay || !in_scope(scope.drawers, query.id<DrawerId>(2))) continue;
    CardHit hit;
    hit.rid = rid;
    const BagView bag(query.blob(1));
    const Score score = score_bag(bag, found.terms, static_cast<double>(query.integer(0)), mean);
    hit.bm25 = score.bm25;
    hit.matched = score.matched;
    for (const auto& [subject, mention] : name_hashes)
      hit.named += bag.times(subject) > 0 ? 1.0 : bag.times(mention) > 0 ? 0.5 : 0.0;
    if (!names.empty()) hit.named /= static_cast<double>(names.size());
    hit.colour = static_cast<Colour>(query.integer(3));
    hit.state = static_cast<CardState>(state);
    hit.trust = static_cast<Trust>(query.integer(5));
    hit.importance = query.real(6);
    hit.flags = static_cast<std::uint32_t>(query.integer(7));
    hit.times_used = static_cast<std::uint32_t>(query.integer(8));
    hit.valid_from = unpack_date(query.integer(9));
    hit.valid_to = unpack_date(query.integer(10));
    hit.recorded_at_ms = query.integer(11);
    hit.closed_at_ms = query.integer(12);
    hit.last_used_ms = query.integer(13);
    hit.sources = split_ids<TurnId>(query.blob(14));
    found.hits.push_back(std::move(hit));
  }
  return found;
}

}  // namespace kartei::store
