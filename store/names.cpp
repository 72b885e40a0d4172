#include "store/names.h"

#include <algorithm>
#include <array>

namespace kartei::store {
namespace {

// True where nothing but space, quotes and brackets stand between here and a sentence's end.
bool opens_sentence(std::string_view text, std::size_t begin) {
  constexpr std::string_view kSkipped = " \t\"'([*_#>-";
  while (begin > 0) {
    const char c = text[begin - 1];
    if (kSkipped.find(c) == std::string_view::npos) {
      constexpr std::string_view kEnds = ".!?:\n\r";
      return kEnds.find(c) != std::string_view::npos;
    }
    --begin;
  }
  return true;
}

}  // namespace

std::vector<NamedWord> names_in(std::string_view text, std::size_t limit) {
  std::vector<NamedWord> names;
  if (limit == 0) return names;
  split_words(text, [&](const Word& word) {
    if (!word.capital || word.folded.size() < 2 || stop_word_mask(word.folded) != 0) return true;
    const bool opens = opens_sentence(text, word.begin);
    const auto known = std::find_if(names.begin(), names.end(), [&](const NamedWord& name) {
      return name.folded == word.folded;
    });
    if (known != names.end()) {
      known->opens_sentence = known->opens_sentence && opens;
      return true;
    }
    names.push_back({word.folded, opens});
    return names.size() < limit;
  });
  return names;
}

bool is_role_word(std::string_view folded) {
  constexpr std::array<std::string_view, 8> kRoles = {"ai", "assistant", "bot",  "human",
                                                      "me", "system",    "tool", "user"};
  return std::find(kRoles.begin(), kRoles.end(), folded) != kRoles.end();
}

}  // namespace kartei::store
