#include "store/meaning_text.h"

#include "store/sentences.h"
#include "store/utf8.h"

namespace kartei::store {

namespace {

constexpr std::size_t kSentenceBytesLeast = 6;  // "Thanks!" says nothing

std::string_view first_words(std::string_view text) {
  text = utf8_prefix(text, kMeaningBytes);
  std::size_t words = 0;
  bool in_word = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool space = static_cast<unsigned char>(text[at]) <= ' ';
    if (space && in_word && ++words == kMeaningWords) return text.substr(0, at);
    in_word = !space;
  }
  return text;
}

}  // namespace

std::string meaning_text_of_turn(std::string_view speaker, std::string_view text,
                                 std::string_view caption) {
  std::string all(utf8_prefix(speaker, 60));
  if (!all.empty()) all += ": ";
  all += first_words(text);
  if (!caption.empty()) all.append(" [").append(first_words(caption)).append("]");
  return all;
}

std::vector<std::string> meaning_sentences(std::string_view text) {
  std::vector<std::string> out;
  for (const Sentence& sentence : sentences_of(text, 2 * kMeaningSentences)) {
    std::string_view words = text.substr(sentence.begin, sentence.end - sentence.begin);
    while (!words.empty() && static_cast<unsigned char>(words.front()) <= ' ')
      words.remove_prefix(1);
    while (!words.empty() && static_cast<unsigned char>(words.back()) <= ' ')
      words.remove_suffix(1);
    if (words.size() < kSentenceBytesLeast || out.size() == kMeaningSentences) continue;
    out.emplace_back(utf8_prefix(words, kMeaningBytes));
  }
  if (out.size() == 1) out.clear();
  return out;
}

std::string meaning_text_of_card(std::string_view text) {
  return std::string(first_words(text));
}

}  // namespace kartei::store
