#include "store/meaning_text.h"

#include "crypto/utf8.h"

namespace kartei::store {

namespace {

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

std::string meaning_text_of_card(std::string_view text) {
  return std::string(first_words(text));
}

}  // namespace kartei::store
