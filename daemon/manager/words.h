// Chat text as words: contractions undone ("I'm" is "I" + "am"), chat spellings mended ("dont",
// "u", "pls"), punctuation apart, abbreviations and numbers whole. Values; any bytes are accepted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace kartei::daemon {

enum class WordKind : std::uint8_t { kWord, kNumber, kPunct, kBreak, kEmoji };

struct Word {
  std::string text;                // as it is to be written
  std::string low;                 // lower case, the key of every table
  std::size_t begin = 0, end = 0;  // bytes of the turn
  WordKind kind = WordKind::kWord;
  bool capital = false;     // begins with an upper-case letter
  bool shouted = false;     // three or more letters, all upper-case
  bool glued = false;       // no space before it
  bool quoted = false;      // inside quotation marks
  bool secret = false;      // of a secret, as the guard at the door finds them
  bool possessive = false;  // "Bo's": text and low hold the name alone
  int phrase = -1;          // index of the time phrase that it belongs to
};

using Words = std::vector<Word>;

inline bool comma(const Word& word) {
  return word.kind == WordKind::kPunct && word.text == ",";
}
inline bool one_of(std::string_view low, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), low) != list.end();
}
// Lower case of word i; empty where the range has ended.
inline std::string_view low_at(const Words& words, std::size_t i, std::size_t end) {
  return i < end ? std::string_view(words[i].low) : std::string_view{};
}

Words lex_words(std::string_view text);

// Lower case of ASCII and Latin-1 letters in UTF-8.
std::string lower(std::string_view text);
// Upper case of the first letter, where it is ASCII or Latin-1.
std::string capitalised(std::string_view text);

}  // namespace kartei::daemon
