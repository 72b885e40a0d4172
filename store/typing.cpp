#include "store/typing.h"

#include <algorithm>

#include "crypto/utf8.h"

namespace kartei::store {

namespace {

constexpr std::size_t kLettersLeast = 5, kLettersMost = 16;

struct Alphabet {
  char32_t first, last;
};
// As folded texts have them.
constexpr Alphabet kAlphabets[] = {{'a', 'z'}, {0x3B1, 0x3C9}, {0x430, 0x44F}};

std::string text_of(const std::vector<char32_t>& letters) {
  std::string text;
  for (const char32_t letter : letters) append_code_point(text, letter);
  return text;
}

}  // namespace

std::vector<std::string> near_forms(std::string_view folded) {
  std::vector<char32_t> letters;
  for (std::size_t at = 0; at < folded.size();) letters.push_back(next_code_point(folded, at));
  if (letters.size() < kLettersLeast || letters.size() > kLettersMost) return {};
  const auto* alphabet =
      std::find_if(std::begin(kAlphabets), std::end(kAlphabets), [&](const Alphabet& one) {
        return std::all_of(letters.begin(), letters.end(),
                           [&](char32_t c) { return c >= one.first && c <= one.last; });
      });
  if (alphabet == std::end(kAlphabets)) return {};
  std::vector<std::string> forms;
  const auto with = [&](auto change) {
    std::vector<char32_t> form = letters;
    change(form);
    if (form != letters) forms.push_back(text_of(form));
  };
  for (std::size_t i = 1; i <= letters.size(); ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    for (char32_t c = alphabet->first; c <= alphabet->last; ++c)
      with([&](auto& form) { form.insert(form.begin() + at, c); });
    if (i == letters.size()) break;
    for (char32_t c = alphabet->first; c <= alphabet->last; ++c)
      with([&](auto& form) { form[i] = c; });
    with([&](auto& form) { form.erase(form.begin() + at); });
    with([&](auto& form) { std::swap(form[i - 1], form[i]); });
  }
  std::sort(forms.begin(), forms.end());
  forms.erase(std::unique(forms.begin(), forms.end()), forms.end());
  return forms;
}

}  // namespace kartei::store
