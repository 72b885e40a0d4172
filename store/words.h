// Words of any script, as the index and the question see them: folded (lower case, no diacritics),
// stemmed, and for scripts without spaces the characters and their pairs.
//
// Threads: split_words and the rest are pure; a Stemmer serves one thread. Any bytes are accepted,
// the work is linear in the text.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

struct sb_stemmer;

namespace kartei::store {

// Tongues whose stop words and endings are known. The script tells those behind kRussian, stop
// words tell the others; English where nothing tells.
enum class Language : std::uint8_t {
  kEnglish,
  kGerman,
  kFrench,
  kSpanish,
  kItalian,
  kPortuguese,
  kDutch,
  kSwedish,
  kPolish,
  kRussian,
  kGreek,
  kArabic,
  kHindi
};
inline constexpr std::size_t kLanguages = 13;

struct Word {
  std::string folded;              // at most kWordBytesMax
  std::size_t begin = 0, end = 0;  // its bytes in the text
  bool capital = false;            // begins with a capital letter
  bool gram = false;  // a character, or a pair, of a script without spaces: not stemmed
  bool pair = false;  // of grams, the pairs
};
inline constexpr std::size_t kWordBytesMax = 60;

// In the text's order; a pair follows its first character. `take` returns false to stop.
void split_words(std::string_view text, const std::function<bool(const Word&)>& take);
std::vector<Word> words_of(std::string_view text, std::size_t limit);
// Lower case without diacritics, words joined by one space. For comparing names.
std::string folded_text(std::string_view text);

// The tongue in which most of these are function words.
Language guess_language(const std::vector<Word>& words);
// The tongues that have it as a function word: bit i for Language i.
std::uint16_t stop_word_mask(std::string_view folded);
bool is_stop_word(Language language, std::string_view folded);
// Of scripts without spaces: pairs of characters that are function words, or part of one.
bool is_function_pair(std::string_view pair);

class Stemmer {
 public:
  Stemmer();
  ~Stemmer();
  Stemmer(const Stemmer&) = delete;
  Stemmer& operator=(const Stemmer&) = delete;
  // The tongue of a word: by its script, else `latin`.
  static Language language_of(std::string_view folded, Language latin);
  std::string stem(std::string_view folded, Language latin);
  // The same for words that will not come again: those that do stay remembered.
  std::string stem_once(std::string_view folded, Language latin);

 private:
  // Words come again: the last ones that fell on each place.
  struct Known {
    Language language = Language::kEnglish;
    std::string word, stem;  // empty: none yet
  };
  static constexpr std::size_t kKnown = 1024;
  std::string snowball(std::string_view folded, Language language);

  std::array<sb_stemmer*, kLanguages> stemmers_{};  // made when first used
  std::vector<Known> known_;
};

}  // namespace kartei::store
