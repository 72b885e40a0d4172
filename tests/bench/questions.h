// What is asked of a box of made-up text (words.h), by what makes a question cheap or dear.
#pragma once

#include <string>

#include "tests/bench/words.h"

namespace kartei::bench {

enum class Asked : std::uint8_t {
  kMixed,
  kCommon,
  kRare,
  kNames,
  kFunctionWords,
  kNoHit,
  kLong,
  // As dear as can be: all of what is read of a question.
  kManyRare,
  kManyCommon,
  kOneLetter,
  kAllScripts,
  kQuotes
};

struct AskedName {
  Asked kind;
  const char* name;
};
inline constexpr AskedName kAsked[] = {{Asked::kMixed, "mixed"},
                                       {Asked::kCommon, "common_words"},
                                       {Asked::kRare, "rare_words"},
                                       {Asked::kNames, "names"},
                                       {Asked::kFunctionWords, "function_words_only"},
                                       {Asked::kNoHit, "no_hit"},
                                       {Asked::kLong, "long"},
                                       {Asked::kManyRare, "many_rare_words"},
                                       {Asked::kManyCommon, "many_common_words"},
                                       {Asked::kOneLetter, "one_letter"},
                                       {Asked::kAllScripts, "all_scripts"},
                                       {Asked::kQuotes, "quotes"}};

inline std::string repeated(const std::string& part) {
  std::string text;
  while (text.size() < 4'096) text.append(part);
  return text;
}

inline std::string question(Words& words, Asked kind) {
  std::string text;
  switch (kind) {
    case Asked::kMixed:  // four words as they come
      return words.sentence(4);
    case Asked::kCommon:
      return "What about the " + words.ranked(1, 30) + " and the " + words.ranked(1, 30) + " " +
             words.ranked(30, 100) + "?";
    case Asked::kRare:
      return "Where is the " + words.ranked(5'000, Words::kVocabulary) + " " +
             words.ranked(5'000, Words::kVocabulary) + " of my " +
             words.ranked(5'000, Words::kVocabulary) + "?";
    case Asked::kNames:
      return "What does " + words.name() + " say to " + words.name() + " about " + words.next() +
             "?";
    case Asked::kFunctionWords:
      return "Where is it that they have been with her, and who was " + words.function_word() + "?";
    case Asked::kNoHit:
      return "Is there any " + words.unheard_of() + " or " + words.unheard_of() + "?";
    case Asked::kLong:
      for (int sentence = 0; sentence < 20; ++sentence) text.append(words.prose(15)).append(" ");
      return text;
    case Asked::kManyRare:
      for (int i = 0; i < 500; ++i)
        text.append(words.ranked(2'000, Words::kVocabulary)).append(" ");
      return text;
    case Asked::kManyCommon:
      for (int i = 0; i < 500; ++i) text.append(words.ranked(1, 400)).append(" ");
      return text;
    case Asked::kOneLetter:
      return repeated("a");
    case Asked::kAllScripts:
      return repeated("Größe где Αθήνα مكتبة पुस्तक ห้องสมุด 图书馆 クルミ 도서관 שלום " +
                      words.next() + " ");
    case Asked::kQuotes:
      return repeated("\"" + words.next() + "\"\"\" ");
  }
  return text;
}

}  // namespace kartei::bench
