// The legs of words and names: from a question to scored rows. Bounded by weights.h whatever the
// question, however large the box: rare words are followed to their end, of common words the newest
// rows are looked up.
//
// Uses one connection; one thread. What it returns is not yet ranked: rank.h does that.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "crypto/result.h"
#include "store/candidates.h"
#include "store/fact_reading.h"
#include "store/meaning_leg.h"
#include "store/postings.h"
#include "store/question.h"
#include "store/sql.h"
#include "store/time_view.h"
#include "store/values.h"

namespace kartei::store {

class PieceHashes;

// Terms of a question as the index of one kind (turns or cards) knows them.
struct TermStats {
  const QuestionTerm* term = nullptr;
  std::size_t place = 0;  // among the question's terms
  double idf = 0;
};
using Matched = std::bitset<kQuestionTermsMax>;  // by place

struct TurnHit {
  std::int64_t rid = 0, conversation = 0, said_at_ms = 0;
  Role role = Role::kUser;
  std::uint32_t length = 0;  // words
  double bm25 = 0;
  Matched matched;
  bool speaker_named = false;  // the one speaker whom the question names
  double meaning = 0;          // deviations above the mean of all turns
};

struct CardHit {
  std::int64_t rid = 0;
  double bm25 = 0;
  Matched matched;
  double named = 0;  // share of the question's names that it is about
  double meaning = 0;
  Colour colour = Colour::kFact;
  CardState state = CardState::kOpen;
  Trust trust = Trust::kUser;
  double importance = 0.5;
  std::uint32_t flags = 0, times_used = 0;
  Date valid_from, valid_to;
  std::int64_t recorded_at_ms = 0, closed_at_ms = 0, last_used_ms = 0;
  std::vector<TurnId> sources;
};

template <class Hit>
struct Hits {
  std::vector<TermStats> terms;  // rarest first, at most kTermsMax
  std::vector<Hit> hits;
};

class Search {
 public:
  // `hashes`: what is known of the lists' pieces; may be null.
  Search(Db& db, const Weights& weights, const PieceHashes* hashes = nullptr)
      : db_(db), weights_(weights), hashes_(hashes) {}

  struct Scope {
    std::size_t rows = 100;                          // by words, and as many close in meaning
    const std::vector<DrawerId>* drawers = nullptr;  // null: all
    std::optional<std::int64_t> said_until_ms;       // turns
    MeaningLeg* meaning = nullptr;                   // null: words and names alone
    const RowFacts* facts = nullptr;                 // null: all is read from the disk
  };
  // Which rows have the question's words. Before all else, and again after the question's words
  // have changed; reads lists alone.
  Status look_up(RowKind kind, const Question& question);
  // Before that: cards that were put away are not looked at, so that they crowd nothing out, but
  // for those whose time the question names. Archived ones are found only if forgetting archived
  // them. `facts` may be null; all is borrowed.
  void leave_out_put_away(const RowFacts* facts, const Question& question, const TimeView& view) {
    put_away_ = {facts, &question, &view};
  }
  // Those of its words that some row has, rarest first, as far as look_up() got.
  const std::vector<TermStats>& terms(RowKind kind) const { return looked_up(kind).terms; }
  Result<Hits<TurnHit>> turns(const Scope& scope);
  Result<Hits<CardHit>> cards(const Scope& scope);
  // Of `hits`' turns, those before and after in their conversation, scored like them. Appended.
  struct Neighbours {
    std::size_t before = SIZE_MAX, after = SIZE_MAX;  // places in `hits`
  };
  Result<std::vector<Neighbours>> add_neighbours(Hits<TurnHit>& found, std::size_t of_first,
                                                 const Scope& scope);
  // Until then a hit's meaning is as near as the codes tell it. `which`: places in `hits`.
  template <class Hit>
  static Status score_meaning_exactly(RowKind kind, const Scope& scope,
                                      std::span<const std::size_t> which, std::vector<Hit>& hits);

 private:
  using Kind = RowKind;
  struct Posting {
    const QuestionTerm* term = nullptr;
    std::size_t place = 0;
    std::vector<std::int64_t> rows;  // newest first
    double docs = 0;                 // how many rows have it
  };
  struct Totals {
    double docs = 0, length = 0;
  };

  // A row that is in no list yet: see IndexTail.
  struct TailRow {
    std::int64_t rid = 0;
    Bytes bag;
  };
  // One kind's lists, as this recall sees them.
  struct Lists {
    PostingReader pieces;
    std::vector<TailRow> tail;
  };

  struct LookedUp {
    Totals totals;
    std::optional<Lists> lists;  // none: there is no row
    std::vector<Posting> postings;
    std::vector<TermStats> terms;
    std::vector<std::uint32_t> speakers;   // of turns: those whom the question names
    std::vector<std::string> names;        // of cards: what the question names
    std::vector<std::int64_t> named_rows;  // and which cards are about it
  };
  const LookedUp& looked_up(RowKind kind) const { return kinds_[static_cast<std::size_t>(kind)]; }

  Result<Totals> totals(Kind kind);
  Result<Lists> lists(Kind kind);
  static double weight_of(const Posting& posting, const Totals& totals);
  static Result<Posting> read_rows(const Lists& lists, const std::vector<std::uint32_t>& hashes,
                                   std::size_t most);
  Result<std::vector<Posting>> postings(Kind kind, const Lists& lists, const Question& question);
  Result<std::vector<Candidate>> candidates(Kind kind, const std::vector<Posting>& postings,
                                            const std::vector<std::int64_t>& extra,
                                            const Totals& totals, const Scope& scope);
  // Takes those out that leave_out_put_away() means; the order stays.
  Status drop_put_away(std::vector<std::int64_t>& rids);
  bool is_left_out(std::uint8_t state, std::int64_t valid_from, std::int64_t valid_to) const;
  // What its owner put away, or lies in the trash.
  Status drop_put_away_by_user(std::vector<CardHit>& hits);
  static Result<std::vector<std::uint32_t>> named_speakers(const Lists& lists,
                                                           const std::vector<Posting>& postings);
  Result<std::vector<std::string>> named_subjects(const Lists& lists, const Question& question,
                                                  std::vector<std::int64_t>& rows);
  // Those of the rows that are there and in scope, in their order.
  Result<std::vector<TurnHit>> score_turns(const std::vector<std::int64_t>& rids,
                                           const Scope& scope);
  Result<std::vector<CardHit>> score_cards(const std::vector<std::int64_t>& rids,
                                           const Scope& scope);
  // Calls take(rid, bytes) for each of the rows that is there, in their order.
  template <class Take>
  Status each_row(RowKind kind, const std::vector<std::int64_t>& rids, const Scope& scope,
                  Take take);
  Result<bool> turn_in_scope(std::int64_t rid, const Scope& scope);
  using Beside = RowFacts::Beside;
  Result<std::vector<Beside>> rows_beside(const std::vector<TurnHit>& hits, std::size_t count,
                                          const Scope& scope);
  Result<std::vector<Beside>> beside_on_disk(const RowList& list);

  Db& db_;
  const Weights& weights_;
  const PieceHashes* hashes_;
  std::array<LookedUp, 2> kinds_;
  FactReading reading_;  // of rows that are not in memory
  struct PutAway {
    const RowFacts* facts = nullptr;
    const Question* question = nullptr;  // null: none is left out
    const TimeView* view = nullptr;
  };
  PutAway put_away_;
};

}  // namespace kartei::store
