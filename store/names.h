// Names of people, places and things, as far as capital letters show them. Pure; any bytes
// accepted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/words.h"

namespace kartei::store {

struct NamedWord {
  std::string folded;           // one word of a name: "maya" and "berg" of "Maya Berg"
  bool opens_sentence = false;  // capital for that reason alone, perhaps
};

// Capitalised words that are no function words, in order, each once; at most `limit`. Scripts
// without capitals show none: there the words themselves must do.
std::vector<NamedWord> names_in(std::string_view text, std::size_t limit);

// "user", "assistant" and the like: a role, not a name.
bool is_role_word(std::string_view folded);

}  // namespace kartei::store
