// The weights of the librarian's ranking, in one place. An item's score is the weighted sum of its
// legs (each 0 to 1, the best of a question 1) and of its boosts. Chosen on development
// conversations; store/README.md has what they gave.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kartei::store {

struct Weights {
  // ---- legs
  double words = 1.0;    // BM25 over the best BM25 of the question
  double meaning = 0.8;  // four deviations closer to the question than the mean of all rows
  double names = 0.25;   // cards about a person or thing that the question names
  // ---- boosts of turns
  double speaker = 0.5;          // the one speaker named in the question wrote it
  double time = 1.2;             // share of the question's months and years that its date meets
  double user_spoke = 0.4;       // the user's own words, not the assistant's
  double neighbour = 0.3;        // of the score of the turn before and after, in one conversation
  double neighbour_tokens = 80;  // longer turns get proportionally less from their neighbours
  double session = 0.6;          // of the best score in the same sitting
  // Where several things are asked for, they may lie far apart: instead of the two above.
  double neighbour_of_many = 0.1;
  double session_of_many = 0;
  // ---- boosts of cards
  double card = 0.4;           // a card is checked, short and dated: worth more than a turn
  double source = 0.3;         // of the score of the best turn that it came from
  double importance = 0.1;     // times (importance - 0.5) * 2
  double used = 0.05;          // handed out before, and lately
  double high_priority = 0.2;  // so flagged by the owner
  double fact = 0.05;          // a standing fact answers more than an event
  double event = 0.5;          // true when the event was that the question names its time by
  double closed = 0.1;         // closed cards, when the question asks for the past
  double archived = 0.3;       // taken off: an open card that fits as well comes first
  // ---- both
  double phrase = 1.0;    // has a phrase that the question quotes, word for word
  double distrust = 0.1;  // taken off for each step down from the user's own word
};

// BM25.
inline constexpr double kBm25K1 = 1.2;
inline constexpr double kBm25B = 0.75;

// A sitting: turns of one conversation with no longer pause than this between them.
inline constexpr std::int64_t kSittingPauseMs = 3 * 3600 * 1000;

// ---- bounds of the work, whatever the question and the size of the box
inline constexpr std::size_t kQueryBytes = 4096;    // read of a question; the rest is not looked at
inline constexpr std::size_t kTermsMax = 24;        // words of a question, rarest first
inline constexpr std::size_t kPostingsFirst = 128;  // rows looked up of each word at first
inline constexpr std::size_t kPostingsAll = 700;    // rows looked up of all words together
inline constexpr std::size_t kItemsMax = 500;       // handed out at once
inline constexpr std::size_t kItemTokensLeast = 20;  // about what a short item costs
inline constexpr std::size_t kScoredLeast = 36;      // rows read and scored, of turns and of cards
inline constexpr std::size_t kScoredPerItem = 1;     // each; or so many for each item asked for
inline constexpr std::size_t kMeaningRowsOfFew =
    400;                                          // closest rows, where most may be out of scope
inline constexpr std::size_t kNeighboursOf = 30;  // best turns whose neighbours are looked at
inline constexpr std::size_t kRulesMax = 64;      // rules read
inline constexpr std::size_t kCardsOfTurn = 16;   // cards looked at to tell whether a turn is old

// ---- meaning
// Which rows are read: the lists alone tell neither how often a word comes nor how long a row is,
// so that meaning counts more than in the score.
inline constexpr double kUnreadMeaning = 2;
// The best rows are scored from their copies, each a page of the disk: so many, or this part of the
// items asked for.
inline constexpr std::size_t kExactMeaningLeast = 10;
inline constexpr double kExactMeaningShare = 0.4;
inline constexpr double kMeaningDeviations = 4;  // this close counts one
// What a box with few rows is taken to have besides.
inline constexpr double kMeaningPriorRows = 10, kMeaningPriorMean = 0.1,
                        kMeaningPriorDeviation = 0.1;

// ---- what is no longer so
// A turn is withheld if so much of what it has of the question, by weight, stands in a closed card
// of it. Half: then the closed card is what the question met in it.
inline constexpr double kOutdatedShare = 0.5;

// ---- quoted phrases
inline constexpr std::size_t kPhrasesMax = 4;   // of a question
inline constexpr std::size_t kPhraseRows = 80;  // best rows whose text is read for them

// ---- typing errors
inline constexpr double kGuessedWord = 0.7;       // of its weight, if one letter makes it a word
inline constexpr std::size_t kGuessedWords = 3;   // tried of a question, at most
inline constexpr std::size_t kGuessesOfWord = 4;  // followed of each

// ---- "before I moved"
inline constexpr double kEventTold = 0.5;  // of the clause's words by weight, that a card must tell
inline constexpr double kEventColour = 0.05;  // between two that tell as much, an event's card

// ---- the ready-made text
inline constexpr std::size_t kWholeTokens = 70;    // a turn is left whole up to so many
inline constexpr std::size_t kExcerptTokens = 60;  // of one turn, where it is longer
inline constexpr double kRulesShare = 0.25;        // of the budget, but for rules that are marked
inline constexpr std::size_t kExcerptLeast = 12;   // a shorter rest of the budget stays unused
inline constexpr std::size_t kBufferTurns = 8;     // the active window: four exchanges
inline constexpr std::size_t kBufferTurnTokens = 60;  // of each of them
inline constexpr double kBufferShare = 0.4;           // of the budget, at most
inline constexpr std::size_t kCutShown = 10;          // items that just missed, with explain

}  // namespace kartei::store
