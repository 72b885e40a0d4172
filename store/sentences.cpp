#include "store/sentences.h"

#include "crypto/utf8.h"

namespace kartei::store {

namespace {
constexpr std::size_t kSentenceWordsMax = 40;
}

std::vector<Sentence> sentences_of(std::string_view text, std::size_t most) {
  std::vector<Sentence> found;
  std::size_t begin = 0, at = 0, words = 0;
  const auto close = [&](std::size_t end) {
    if (end > begin && found.size() < most) found.push_back({begin, end});
    begin = end;
    words = 0;
  };
  while (at < text.size() && found.size() < most) {
    const char32_t c = next_code_point(text, at);
    const bool space_next = at >= text.size() || text[at] == ' ' || text[at] == '\n';
    const bool ends = (c == '.' || c == '!' || c == '?' || c == ';') && space_next;
    const bool wide = c == 0x3002 || c == 0xFF01 || c == 0xFF1F || c == 0x0964;
    if (c == ' ') ++words;
    if (c >= 0x2E80 && at % 3 == 0) ++words;  // about one word for three ideographs
    if (c == '\n' || ends || wide || (c == ' ' && words >= kSentenceWordsMax) ||
        words >= 2 * kSentenceWordsMax)
      close(at);
  }
  close(text.size());
  return found;
}

}  // namespace kartei::store
