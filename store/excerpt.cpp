#include "store/excerpt.h"

#include <algorithm>
#include <array>
#include <utility>

#include "crypto/utf8.h"
#include "store/indexer.h"
#include "store/librarian.h"
#include "store/sentences.h"

namespace kartei::store {

namespace {

constexpr std::size_t kTextBytesMax = 64 * 1024;  // of one turn, looked at for its best sentences
constexpr std::size_t kSentencesMax = 600;

bool is_invisible(char32_t c) {
  return (c < 0x20) || (c >= 0x7F && c < 0xA0) || c == 0xAD || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
         (c >= 0xE000 && c <= 0xF8FF) || c >= 0xE0000;
}

bool is_space(char32_t c) {
  return c == ' ' || (c >= 0x09 && c <= 0x0D) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

bool is_double_quote(char32_t c) {
  return c == '"' || (c >= 0x201C && c <= 0x201F) || c == 0xFF02 || c == 0x2033 || c == 0x2036;
}

// Stands as it is in a line, and makes no mark together with what precedes it.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x21; c < 0x7F; ++c)
    plain[c] = c != '"' && c != '|' && c != '/' && c != '>' && c != '`' && c != 'I';
  return plain;
}();

// The longest beginning, of whole words where there are spaces, that the estimate allows.
std::string cut_to(std::string_view text, std::size_t tokens) {
  std::size_t low = 0, high = std::min(text.size(), tokens * 16 + 16);
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    if (estimate_tokens(utf8_prefix(text, middle)) <= tokens) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  std::string_view cut = utf8_prefix(text, low);
  if (cut.size() < text.size()) {
    const std::size_t space = cut.rfind(' ');
    if (space != std::string_view::npos && space > cut.size() / 2) cut = cut.substr(0, space);
  }
  return std::string(cut);
}

}  // namespace

std::string one_line(std::string_view text, bool quoted) {
  std::string out;
  out.reserve(text.size());
  bool space = false;
  char32_t last = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && kPlain[static_cast<unsigned char>(text[end])]) ++end;
    if (end > at) {
      if (std::exchange(space, false)) out.push_back(' ');
      out.append(text, at, end - at);
      last = static_cast<unsigned char>(text[end - 1]);
      at = end;
      continue;
    }
    char32_t c = next_code_point(text, at);
    if (is_space(c)) {
      space = !out.empty();
      continue;
    }
    if (is_invisible(c)) continue;
    if (quoted && is_double_quote(c)) c = '\'';
    // "<|im_start|>", "</s>", "[INST]", "```": broken up.
    const bool mark =
        quoted && ((last == '<' && (c == '|' || c == '/')) || (last == '|' && c == '>') ||
                   (last == '`' && c == '`') || (last == '[' && (c == '/' || c == 'I')));
    if (space || mark) out.push_back(' ');
    space = false;
    append_code_point(out, c);
    last = c;
  }
  return out;
}

double worth_of(std::string_view text, const std::vector<WeightedToken>& asked, Stemmer& stemmer) {
  const std::vector<Word> words = words_of(text, 200);
  const Language language = guess_language(words);
  std::vector<bool> seen(asked.size(), false);
  double sum = 0;
  for (const Word& word : words) {
    const std::uint32_t hash =
        token_hash(word.gram ? word.folded : stemmer.stem(word.folded, language));
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (seen[i] || asked[i].hash != hash) continue;
      seen[i] = true;
      sum += asked[i].weight;
    }
  }
  return sum;
}

std::string excerpt(std::string_view text, const std::vector<WeightedToken>& asked,
                    const ExcerptSize& most, Stemmer& stemmer) {
  if (text.size() <= most.whole * 8) {
    std::string whole = one_line(text, true);
    if (estimate_tokens(whole) <= most.whole) return whole;
  }
  const std::size_t tokens = most.cut;
  text = utf8_prefix(text, kTextBytesMax);
  const std::vector<Sentence> sentences = sentences_of(text, kSentencesMax);
  struct Choice {
    std::size_t place;
    double worth;
  };
  std::vector<Choice> order;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const std::string_view sentence =
        text.substr(sentences[i].begin, sentences[i].end - sentences[i].begin);
    order.push_back({i, worth_of(sentence, asked, stemmer)});
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const Choice& a, const Choice& b) { return a.worth > b.worth; });
  std::vector<std::pair<std::size_t, std::string>> taken;
  std::size_t left = tokens;
  for (const Choice& choice : order) {
    // Worthless sentences only fill up where nothing better was found.
    if (choice.worth == 0 && !taken.empty()) break;
    const Sentence& s = sentences[choice.place];
    std::string line = one_line(text.substr(s.begin, s.end - s.begin), true);
    if (line.empty()) continue;
    const std::size_t cost = estimate_tokens(line) + 1;
    if (cost <= left) {
      left -= cost;
      taken.emplace_back(choice.place, std::move(line));
    } else if (taken.empty() && left > 1) {
      taken.emplace_back(choice.place, cut_to(line, left - 1));
      break;
    }
    if (left < 6) break;
  }
  std::sort(taken.begin(), taken.end());
  std::string out;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (i > 0) out += taken[i].first == taken[i - 1].first + 1 ? " " : " … ";
    out += taken[i].second;
  }
  return out;
}

}  // namespace kartei::store
