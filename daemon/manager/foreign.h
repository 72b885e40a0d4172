// Statements in other languages stay in their language, names untouched: German and Chinese, the
// clear first-person ones. Anything else is left as a turn.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/manager/lexicon.h"
#include "daemon/manager/sentences.h"
#include "daemon/manager/when.h"
#include "daemon/manager/words.h"

namespace kartei::daemon {

enum class Language { kEnglish, kGerman, kChinese, kOther };

Language language_of(const Words& words);

struct ForeignStatement {
  std::string text, subject, relation, object;
  int phrase = -1;
  bool since = false;
  bool single = false;
};

std::vector<ForeignStatement> read_foreign(Language language, std::string_view text,
                                           const Words& words, const When& when,
                                           const std::string& owner);

}  // namespace kartei::daemon
