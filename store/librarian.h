// The librarian: finds cards and turns and packs them into a token budget. Reads on a connection of
// its own, beside the writer, and never blocks it. One thread an object; the daemon keeps a few.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "crypto/result.h"
#include "store/box.h"
#include "store/meaning/embedder.h"

namespace kartei::store {

struct RecallRequest {
  std::string query;
  std::size_t budget_tokens = 500;   // 0: no budget, only `limit` bounds
  std::size_t limit = 50;            // items; at most 500
  std::string conversation;          // its buffer is included where asked for
  std::vector<std::string> drawers;  // empty: all
  std::optional<Time> now;           // the asker's; needed for "last summer"
  std::optional<Time> as_of;         // what was true then
  std::optional<Time> known_at;      // what we knew then
  std::int16_t zone_min = 0;         // in which dates are written
  bool cards = true, turns = true, buffer = false;
  bool explain = false;
  // Takes out of the words of a card or a turn what may not be handed out, before they are cut to
  // the budget. None: all may.
  std::function<void(std::string&)> mask;
};

struct Leg {
  std::string name;  // "words", "meaning", "names"; boosts: "rule", "speaker", "time", ...
  double score = 0;
};

struct RecallItem {
  bool is_card = true;
  std::string id;    // a card's id, or a turn's (the app's own where it gave one)
  std::string text;  // by itself, with its date; in `text` turns stand under their day
  Card card;         // is_card
  Turn turn;         // !is_card
  std::vector<std::string> sources;  // turn ids, the app's own where given
  double score = 0;
  std::vector<Leg> legs;
  std::size_t tokens = 0;
  bool cut = false;  // with explain: just missed; not part of `text`
};

// A word that nobody ever said, and those a slip of the finger away that it was taken for.
struct Guess {
  std::string word;
  std::vector<std::string> meant;
};

struct RecallAnswer {
  std::string text;               // ready for a prompt, dates written on, never over the budget
  std::size_t tokens = 0;         // of `text`: its lines' estimates, added up
  std::vector<RecallItem> items;  // best first; with explain, those that just missed follow
  std::vector<Guess> guesses;
};

// Never low by more than a few per cent for any script (store/README.md has the measurements).
std::size_t estimate_tokens(std::string_view text);

using Embedders = std::vector<std::shared_ptr<const Embedder>>;

class Librarian {
 public:
  // From the box's file; an in-memory box lends its own connection (tests).
  static Result<std::unique_ptr<Librarian>> open(Box& box);
  ~Librarian();
  // Make vectors of questions: the first whose model made those in the box. None: words and names
  // alone find things.
  void use_embedders(Embedders embedders);
  Result<RecallAnswer> recall(const RecallRequest& request);
  // Gives back what the disk's pages take of memory; they are read again when they are needed.
  void rest();
  // For API reads that must not wait for the writer.
  Result<std::optional<Card>> card(CardId id);
  Result<CardPage> cards(const CardFilter& filter);

 private:
  struct Impl;
  explicit Librarian(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// ---- the audit of what was handed out
struct AuditLine {
  std::int64_t id = 0;
  Time at{};
  std::string app, query;
  std::size_t tokens = 0;
  std::vector<std::string> items;
};
// For how many days lines are kept; 90 unless set. Within a transaction.
inline constexpr std::int64_t kAuditDaysUnlessSet = 90, kAuditDaysMax = 36'500;
Status set_audit_days(Box& box, std::int64_t days);
Result<std::int64_t> audit_days(Box& box);
// By the writer; bounded by age (the owner's setting, 90 days) and by 100,000 lines.
Status append_audit(Box& box, std::span<const AuditLine> lines);
inline Status append_audit(Box& box, const AuditLine& line) {
  return append_audit(box, std::span(&line, 1));
}
// Takes the questions out of lines that handed out a card which has been erased since: they are
// likely to name what it said. Looks at every line; for after an erasure.
Status blank_audit(Box& box);
Result<std::vector<AuditLine>> read_audit(Box& box, std::int64_t before_id, std::size_t limit);

}  // namespace kartei::store
