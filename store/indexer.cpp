#include "store/indexer.h"

#include <algorithm>
#include <vector>

#include "store/names.h"

namespace kartei::store {
namespace {

constexpr std::size_t kWordsMax = 50'000;  // of one text; what is behind them is not found by words
constexpr std::size_t kNamesMax = 200;
constexpr std::size_t kPairBytes = 5;

class Collector {
 public:
  explicit Collector(Stemmer& stemmer) : stemmer_(stemmer) {}

  void words(std::string_view text) {
    const std::vector<Word> words = words_of(text, kWordsMax);
    const Language language = guess_language(words);
    for (const Word& word : words) {
      add({}, word.gram ? word.folded : stemmer_.stem(word.folded, language));
      // A character counts where its pair does not: the length is that of the text.
      length_ += word.pair ? 0 : 1;
    }
  }

  void name(std::string_view mark, std::string_view text) {
    for (const Word& word : words_of(text, kNamesMax))
      if (!word.pair) add(mark, word.folded);
  }

  void mentions(std::string_view text) {
    for (const NamedWord& name : names_in(text, kNamesMax)) add(kMentionMark, name.folded);
  }

  Indexed take() {
    Indexed out;
    std::sort(hashes_.begin(), hashes_.end());
    for (std::size_t i = 0; i < hashes_.size();) {
      std::size_t j = i;
      while (j < hashes_.size() && hashes_[j] == hashes_[i]) ++j;
      for (int shift = 0; shift < 32; shift += 8)
        out.bag.push_back(static_cast<std::uint8_t>(hashes_[i] >> shift));
      out.bag.push_back(static_cast<std::uint8_t>(std::min<std::size_t>(j - i, 255)));
      i = j;
    }
    out.tokens = std::move(tokens_);
    out.length = length_;
    return out;
  }

 private:
  void add(std::string_view mark, std::string_view word) {
    if (!tokens_.empty()) tokens_.push_back(' ');
    const std::size_t begin = tokens_.size();
    tokens_ += mark;
    tokens_ += word;
    hashes_.push_back(token_hash(std::string_view(tokens_).substr(begin)));
  }

  Stemmer& stemmer_;
  std::string tokens_;
  std::vector<std::uint32_t> hashes_;
  std::uint32_t length_ = 0;
};

}  // namespace

std::uint32_t token_hash(std::string_view token) {
  std::uint32_t hash = 2166136261U;  // FNV-1a
  for (const char c : token) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

std::size_t BagView::size() const {
  return bytes_.size() % kPairBytes == 0 ? bytes_.size() / kPairBytes : 0;
}

std::uint32_t BagView::hash(std::size_t place) const {
  const std::uint8_t* p = bytes_.data() + place * kPairBytes;
  return std::uint32_t{p[0]} | std::uint32_t{p[1]} << 8 | std::uint32_t{p[2]} << 16 |
         std::uint32_t{p[3]} << 24;
}

std::uint32_t BagView::times_at(std::size_t place) const {
  return bytes_[place * kPairBytes + 4];
}

std::uint32_t BagView::times(std::uint32_t wanted) const {
  std::size_t low = 0, high = size();
  const std::size_t end = high;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (hash(middle) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < end && hash(low) == wanted ? times_at(low) : 0;
}

void BagView::append_hashes(std::vector<std::uint32_t>& hashes) const {
  for (std::size_t i = 0; i < size(); ++i) hashes.push_back(hash(i));
}

Indexed Indexer::turn(std::string_view speaker, std::string_view text, std::string_view caption) {
  Collector collector(stemmer_);
  collector.words(text);
  collector.words(caption);
  const std::string folded = folded_text(speaker);
  if (!is_role_word(folded)) {
    collector.words(speaker);
    collector.name(kSpeakerMark, speaker);
  }
  return collector.take();
}

Indexed Indexer::card(std::string_view text, std::string_view more, std::string_view subject,
                      std::string_view relation, std::string_view object) {
  Collector collector(stemmer_);
  collector.words(text);
  collector.words(more);
  collector.name(kSubjectMark, subject);
  collector.name(kMentionMark, object);
  // In the user's own words: whoever is named may be what it is about.
  if (subject.empty()) collector.mentions(text);
  if (is_alias_relation(relation)) collector.name(kAliasMark, object);
  return collector.take();
}

bool is_alias_relation(std::string_view relation) {
  const std::string folded = folded_text(relation);
  for (const std::string_view part : {"alias", "nickname", "known as", "called", "short name"})
    if (folded.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace kartei::store
