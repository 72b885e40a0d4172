// A question as the librarian understands it: words to look for, names, times, and whether it asks
// for the past or for nothing at all. Pure but for the stemmer; the work is bounded by kQueryBytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/time.h"
#include "store/words.h"

namespace kartei::store {

// One word of the question: the tokens under which the index may have it.
struct QuestionTerm {
  std::string word;                   // folded, as asked
  std::vector<std::string> tokens;    // stems of the tongues in play
  std::vector<std::uint32_t> hashes;  // of the tokens
  bool stop = false;
  bool guessed = false;            // nobody said it: what was probably meant
  std::vector<std::string> meant;  // guessed: what it was taken for
};

inline constexpr std::size_t kQuestionTermsMax = 96;  // different words read of a question

struct Interval {
  std::int64_t from_ms = 0, to_ms = 0;
};

// "before I moved": a time that is named by what happened then.
struct EventClause {
  bool before = false;  // else after it
  std::string text;     // what happened
};

struct Question {
  Language tongue = Language::kEnglish;  // of its words in Latin letters
  std::vector<QuestionTerm> terms;       // without stop words, unless there are only those
  std::vector<std::string> names;        // capitalised words, folded
  std::vector<std::string> words;        // all words, folded: any may turn out to be a name
  std::vector<int> months, years;        // named in the question
  std::vector<Interval> intervals;       // of its time phrases
  std::vector<std::string> phrases;      // quoted: words that stand so, folded
  std::optional<EventClause> event;
  bool many = false;        // asks for several things, which may lie far apart
  bool past = false;        // asks how things used to be
  bool small_talk = false;  // asks for nothing
};

// `said_at`: when, and in which zone, "last summer" is said; without it such phrases count nothing.
Question read_question(std::string_view query, const ZonedTime* said_at, Stemmer& stemmer);

}  // namespace kartei::store
