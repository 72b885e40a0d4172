// The tables behind words.h: folding of letters, irregular forms of English. For words.cpp.
#pragma once

#include <string>
#include <string_view>

namespace kartei::store {

bool is_capital(char32_t c);
// Lower case, no diacritics, one form for the variants of a letter; appended as UTF-8.
void append_folded(std::string& out, char32_t c);
// "went" becomes "go"; whatever is not in the table stays.
std::string_view regular_form(std::string_view folded);

}  // namespace kartei::store
