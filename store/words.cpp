#include "store/words.h"

#include <libstemmer.h>

#include <algorithm>

#include "crypto/utf8.h"
#include "store/word_tables.h"

namespace kartei::store {
namespace {

enum class Kind : std::uint8_t { kOther, kLetter, kGram, kMark };

struct Span {
  char32_t first, last;
};
template <std::size_t n>
bool in_any(const Span (&spans)[n], char32_t c) {
  const Span* after = std::upper_bound(std::begin(spans), std::end(spans), c,
                                       [](char32_t v, const Span& s) { return v < s.first; });
  return after != std::begin(spans) && c <= std::prev(after)->last;
}

// Scripts written without spaces, and those of syllables: found by characters and pairs.
constexpr Span kGrams[] = {{0xE01, 0xE3A},   {0xE40, 0xE4E},   {0xE81, 0xEDF},    {0x1000, 0x109F},
                           {0x1780, 0x17D3}, {0x3005, 0x3007}, {0x3041, 0x3096},  {0x30A1, 0x30FE},
                           {0x3105, 0x312F}, {0x3400, 0x4DBF}, {0x4E00, 0x9FFF},  {0xAC00, 0xD7A3},
                           {0xF900, 0xFAFF}, {0xFF66, 0xFF9D}, {0x20000, 0x3FFFF}};
// Signs, punctuation, spaces and private characters above ASCII; all else there is a letter.
constexpr Span kOthers[] = {
    {0x80, 0xA9},     {0xAB, 0xB1},       {0xB4, 0xB4},     {0xB6, 0xB8},     {0xBB, 0xBF},
    {0xD7, 0xD7},     {0xF7, 0xF7},       {0x2C2, 0x2FF},   {0x37E, 0x37E},   {0x387, 0x387},
    {0x55A, 0x55F},   {0x589, 0x58F},     {0x5BE, 0x5BE},   {0x5F3, 0x5F4},   {0x600, 0x60F},
    {0x61B, 0x61F},   {0x66A, 0x66D},     {0x6D4, 0x6D4},   {0x964, 0x965},   {0x970, 0x970},
    {0xE3F, 0xE3F},   {0xE4F, 0xE5B},     {0x1360, 0x1368}, {0x17D4, 0x17DA}, {0x1680, 0x1680},
    {0x2000, 0x206F}, {0x20A0, 0x20CF},   {0x2190, 0x245F}, {0x2500, 0x2BFF}, {0x2E00, 0x2E7F},
    {0x3000, 0x3004}, {0x3008, 0x3030},   {0x303D, 0x303F}, {0x30FB, 0x30FB}, {0xD800, 0xF8FF},
    {0xFE10, 0xFE6F}, {0xFF01, 0xFF0F},   {0xFF1A, 0xFF20}, {0xFF3B, 0xFF40}, {0xFF5B, 0xFF65},
    {0xFFE0, 0xFFFF}, {0xE0000, 0x10FFFF}};
// Dropped inside a word: combining accents, Hebrew points, Arabic vowels and tatweel, joiners.
constexpr Span kMarks[] = {{0xAD, 0xAD},     {0x300, 0x36F},   {0x591, 0x5BD},   {0x5BF, 0x5C7},
                           {0x610, 0x61A},   {0x640, 0x640},   {0x64B, 0x65F},   {0x670, 0x670},
                           {0x6D6, 0x6DC},   {0x200B, 0x200D}, {0x2060, 0x2060}, {0x3099, 0x309A},
                           {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}};

Kind kind_of(char32_t c) {
  if (c < 0x80) {
    const bool letter = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
    return letter ? Kind::kLetter : Kind::kOther;
  }
  if (in_any(kMarks, c)) return Kind::kMark;
  if (in_any(kGrams, c)) return Kind::kGram;
  return in_any(kOthers, c) ? Kind::kOther : Kind::kLetter;
}

// An apostrophe as people type it.
bool is_apostrophe(char32_t c) {
  return c == '\'' || c == 0x2019 || c == 0x2BC;
}

class Splitter {
 public:
  Splitter(std::string_view text, const std::function<bool(const Word&)>& take)
      : text_(text), take_(take) {}

  void run() {
    std::size_t at = 0;
    while (at < text_.size() && going_) {
      const std::size_t begin = at;
      if (is_ascii_letter(text_[at])) {
        ascii_letters(at);
        continue;
      }
      const char32_t c = next_code_point(text_, at);
      switch (kind_of(c)) {
        case Kind::kLetter:
          letter(c, begin, at);
          break;
        case Kind::kGram:
          gram(c, begin, at);
          break;
        case Kind::kMark:
          break;
        case Kind::kOther:
          flush();
          last_gram_.folded.clear();
          after_apostrophe_ = is_apostrophe(c) && begin > 0 && word_ended_at_ == begin;
          break;
      }
    }
    flush();
  }

 private:
  static bool is_ascii_letter(char c) {
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
  }
  // letter() for the most usual ones, quicker.
  void ascii_letters(std::size_t& at) {
    last_gram_.folded.clear();
    if (word_.folded.empty()) {
      word_.begin = at;
      word_.capital = text_[at] >= 'A' && text_[at] <= 'Z';
    }
    for (; at < text_.size() && is_ascii_letter(text_[at]); ++at) {
      if (word_.folded.size() >= kWordBytesMax - 4) continue;
      const char c = text_[at];
      word_.folded.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c);
    }
    word_.end = at;
  }

  void letter(char32_t c, std::size_t begin, std::size_t end) {
    last_gram_.folded.clear();
    if (word_.folded.empty()) {
      word_.begin = begin;
      word_.capital = is_capital(c);
    }
    if (word_.folded.size() < kWordBytesMax - 4) append_folded(word_.folded, c);
    word_.end = end;
  }

  void flush() {
    if (word_.folded.empty()) return;
    // What stands behind an apostrophe alone ("Maya's", "don't") says nothing.
    const bool tail = after_apostrophe_ && word_.folded.size() == 1;
    word_ended_at_ = word_.end;
    after_apostrophe_ = false;
    if (!tail) going_ = take_(word_);
    word_ = Word{};
  }

  void gram(char32_t c, std::size_t begin, std::size_t end) {
    flush();
    Word word;
    append_folded(word.folded, c);
    word.begin = begin;
    word.end = end;
    word.gram = true;
    if (!last_gram_.folded.empty() && going_) {
      Word pair = last_gram_;
      pair.folded += word.folded;
      pair.end = end;
      pair.pair = true;
      going_ = take_(pair);
    }
    if (going_) going_ = take_(word);
    last_gram_ = std::move(word);
  }

  std::string_view text_;
  const std::function<bool(const Word&)>& take_;
  Word word_, last_gram_;
  std::size_t word_ended_at_ = 0;
  bool after_apostrophe_ = false, going_ = true;
};

const char* snowball_name(Language language) {
  switch (language) {
    case Language::kEnglish:
      return "english";
    case Language::kGerman:
      return "german";
    case Language::kFrench:
      return "french";
    case Language::kSpanish:
      return "spanish";
    case Language::kItalian:
      return "italian";
    case Language::kPortuguese:
      return "portuguese";
    case Language::kDutch:
      return "dutch";
    case Language::kSwedish:
      return "swedish";
    case Language::kPolish:
      return nullptr;  // Snowball has none
    case Language::kRussian:
      return "russian";
    case Language::kGreek:
      return "greek";
    case Language::kArabic:
      return "arabic";
    case Language::kHindi:
      return "hindi";
  }
  return nullptr;
}

}  // namespace

void split_words(std::string_view text, const std::function<bool(const Word&)>& take) {
  Splitter(text, take).run();
}

namespace {
constexpr std::size_t kBytesAWord = 6;
}
std::vector<Word> words_of(std::string_view text, std::size_t limit) {
  std::vector<Word> words;
  if (limit == 0) return words;
  words.reserve(std::min(limit, text.size() / kBytesAWord + 1));
  split_words(text, [&](const Word& word) {
    words.push_back(word);
    return words.size() < limit;
  });
  return words;
}

std::string folded_text(std::string_view text) {
  std::string out;
  std::size_t end = 0;
  split_words(text, [&](const Word& word) {
    if (word.pair) return true;
    if (!out.empty() && !(word.gram && word.begin == end)) out.push_back(' ');
    out += word.folded;
    end = word.end;
    return true;
  });
  return out;
}

Language guess_language(const std::vector<Word>& words) {
  constexpr std::size_t kEnough = 200;
  std::array<std::size_t, kLanguages> hits{};
  std::size_t seen = 0;
  for (const Word& word : words) {
    if (word.gram) continue;
    if (++seen > kEnough) break;
    const std::uint16_t mask = stop_word_mask(word.folded);
    for (std::size_t i = 0; mask != 0 && i < kLanguages; ++i) hits[i] += mask >> i & 1U;
  }
  // The first of equals: English.
  return static_cast<Language>(std::max_element(hits.begin(), hits.end()) - hits.begin());
}

Stemmer::Stemmer() = default;
Stemmer::~Stemmer() {
  for (sb_stemmer* stemmer : stemmers_)
    if (stemmer) sb_stemmer_delete(stemmer);
}

Language Stemmer::language_of(std::string_view folded, Language latin) {
  std::size_t at = 0;
  const char32_t c = folded.empty() ? U'a' : next_code_point(folded, at);
  if (c >= 0x400 && c < 0x530) return Language::kRussian;
  if (c >= 0x370 && c < 0x400) return Language::kGreek;
  if (c >= 0x600 && c < 0x700) return Language::kArabic;
  if (c >= 0x900 && c < 0x980) return Language::kHindi;
  return latin;
}

namespace {
// Digits and very short words have no endings.
bool has_no_ending(std::string_view folded) {
  return folded.size() < 3 || (folded[0] >= '0' && folded[0] <= '9');
}
}  // namespace

std::string Stemmer::stem_once(std::string_view folded, Language latin) {
  if (has_no_ending(folded)) return std::string(folded);
  return snowball(folded, language_of(folded, latin));
}

std::string Stemmer::stem(std::string_view folded, Language latin) {
  if (has_no_ending(folded)) return std::string(folded);
  const Language language = language_of(folded, latin);
  if (known_.empty()) known_.resize(kKnown);
  Known& known = known_[std::hash<std::string_view>{}(folded) % kKnown];
  if (known.language != language || known.word != folded)
    known = {language, std::string(folded), snowball(folded, language)};
  return known.stem;
}

std::string Stemmer::snowball(std::string_view folded, Language language) {
  if (language == Language::kEnglish) folded = regular_form(folded);
  const char* name = snowball_name(language);
  if (!name) return std::string(folded);
  sb_stemmer*& stemmer = stemmers_[static_cast<std::size_t>(language)];
  if (!stemmer) stemmer = sb_stemmer_new(name, "UTF_8");
  if (!stemmer) return std::string(folded);  // no memory, or a Snowball without this tongue
  const auto* symbols = reinterpret_cast<const sb_symbol*>(folded.data());
  const sb_symbol* stem = sb_stemmer_stem(stemmer, symbols, static_cast<int>(folded.size()));
  if (!stem) return std::string(folded);
  return {reinterpret_cast<const char*>(stem),
          static_cast<std::size_t>(sb_stemmer_length(stemmer))};
}

}  // namespace kartei::store
