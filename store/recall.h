// One recall, on a given connection: question, search, rank, pack. What Librarian does behind its
// connection; tests and tools may use it on any.
#pragma once

#include <map>

#include "store/librarian.h"
#include "store/rank.h"
#include "store/search.h"
#include "store/sql.h"
#include "store/vocabulary.h"

namespace kartei::store {

class Recall {
 public:
  // Where a question is compared by its meaning; each may be null.
  struct Meaning {
    std::shared_ptr<const VectorSet> set;
    const Embedder* embedder = nullptr;
    HelperThread* helper = nullptr;  // takes part in the scan
  };
  // Borrows all but the facts; one thread.
  Recall(Db& db, Stemmer& stemmer, Vocabulary& vocabulary, const Weights& weights, Meaning meaning,
         std::shared_ptr<const RowFacts> facts = nullptr)
      : db_(db),
        stemmer_(stemmer),
        vocabulary_(vocabulary),
        weights_(weights),
        meaning_(std::move(meaning)),
        facts_(std::move(facts)) {}
  Result<RecallAnswer> run(const RecallRequest& request);

 private:
  struct Found {
    Question question;
    Hits<TurnHit> turns;
    Hits<CardHit> cards;
    std::vector<Search::Neighbours> neighbours;
    std::vector<Ranked> ranked;
    TimeView view;
    bool asks_for_then = false;
    bool put_away = false;  // some cards are
  };
  Result<Found> find(const RecallRequest& request, const std::vector<DrawerId>* drawers);
  Status look_up(Search& search, const RecallRequest& request, Question& question);
  Ranking ranking_of(const Found& found) const;
  static Status score_best_exactly(const Search::Scope& scope, std::size_t rows, Found& found);
  Status prefer_phrases(Found& found);
  Result<std::string> words_of_row(const Found& found, const Ranked& ranked);
  Result<bool> forgive_typing(const Search& search, Question& question);
  bool meant(QuestionTerm& term, Question& question);
  Result<std::vector<DrawerId>> drawers_named(const std::vector<std::string>& names);
  Result<std::vector<Card>> rules(const RecallRequest& request,
                                  const std::vector<DrawerId>* drawers);
  Result<std::vector<Turn>> buffer(const RecallRequest& request);
  Result<std::optional<Card>> card(std::int64_t rid);
  Result<std::optional<Turn>> turn(std::int64_t rid);
  Result<bool> tells_of_many(const Found& found, const CardHit& hit);
  Result<bool> is_outdated(const Found& found, const TurnHit& hit, RecallItem& item);
  Result<std::vector<std::string>> source_names(const Card& card);

  Db& db_;
  Stemmer& stemmer_;
  Vocabulary& vocabulary_;
  const Weights& weights_;
  const Meaning meaning_;
  const std::shared_ptr<const RowFacts> facts_;  // null: rows are read from the disk
};

}  // namespace kartei::store
