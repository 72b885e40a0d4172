// A text as the rules see it: invisible characters dropped, spaces, quotes, dashes and full-width
// characters as their ASCII, letters of Latin, Greek and Cyrillic script in lower case and without
// diacritics where they are not ASCII. Most texts are ASCII already and are not copied.
//
// Borrows the text. Failure: none; bytes that are no UTF-8 stay as they are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kartei::secrets {

class PlainText {
 public:
  explicit PlainText(std::string_view text);
  PlainText(const PlainText&) = delete;
  PlainText& operator=(const PlainText&) = delete;

  std::string_view view() const { return view_; }
  // Where a byte of view() stands in the text that was given.
  std::size_t begin_of(std::size_t at) const;
  // Behind the character before `at`.
  std::size_t end_of(std::size_t at) const;

 private:
  void fold(std::string_view text);

  std::string_view given_, view_;
  std::string copy_;
  struct Step {  // from `plain` on, a byte at `plain` + i stands at `given` + i
    std::size_t plain = 0, given = 0;
  };
  std::vector<Step> steps_;
};

}  // namespace kartei::secrets
