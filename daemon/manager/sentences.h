// Sentences and clauses of chat text. Ranges of words; nothing is copied.
#pragma once

#include <string>
#include <vector>

#include "daemon/manager/lexicon.h"
#include "daemon/manager/words.h"

namespace kartei::daemon {

struct Range {
  std::size_t begin = 0, end = 0;
  bool empty() const { return begin >= end; }
};

struct Sentence : Range {
  bool asks = false;  // ends with a question mark
  bool item = false;  // a line of a list
};

struct Clause : Range {
  std::string link;          // the word that joins it: "because", "if", "who", ","
  bool conditional = false;  // under an "if"
};

// Puts what stands in parentheses after the sentence, as one of its own; "Lea (my sister)" gets
// commas.
Words lift_asides(Words words);
std::vector<Sentence> split_sentences(const Words& words);
std::vector<Clause> split_clauses(const Words& words, const Sentence& sentence,
                                  const Lexicon& lexicon);

// True where a subject with its verb begins at word i.
bool begins_clause(const Words& words, std::size_t i, std::size_t end, const Lexicon& lexicon);
// True for a finite verb or an auxiliary.
bool finite(const Words& words, std::size_t i, const Lexicon& lexicon);

}  // namespace kartei::daemon
