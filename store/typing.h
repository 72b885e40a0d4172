// Typing errors: the words that one mistyped letter away could have been meant. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kartei::store {

// Of a folded word: one letter too many, missing, wrong, or two next to each other exchanged; the
// first letter stays. Only words of 5 to 16 Latin, Cyrillic or Greek letters have any; at most some
// 900.
std::vector<std::string> near_forms(std::string_view folded);

}  // namespace kartei::store
