// What kind of utterance a sentence is. Only statements become cards; a question, a hypothetical, a
// quote, a joke or sarcasm does not.
#pragma once

#include <string_view>

#include "daemon/manager/sentences.h"

namespace kartei::daemon {

enum class Kind {
  kStatement,
  kQuestion,
  kHypothetical,
  kQuote,
  kJoke,
  kSarcasm,
  kFiction,
  kSecret,
  kMaterial,  // code
};

// Looks at the words of one sentence and at the mark that ends it.
Kind kind_of(const Words& words, const Sentence& sentence);

// "just kidding", "jk": the speaker takes back what was said before.
bool takes_back(const Words& words, const Range& range);
// The whole turn is text to work on: "translate: ...", "write a story where ...".
bool is_material(const Words& words);
// What looks like a password, a key or a token; no card may hold it.
bool looks_secret(const Words& words, const Range& range);

}  // namespace kartei::daemon
