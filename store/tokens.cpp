// estimate_tokens: counts as the byte-pair vocabularies of today do, by rule instead of by table.
// Text is cut into the pieces that they cut it into (words, groups of three digits, runs of signs),
// and each piece costs what pieces of its script and length were measured to cost. All costs are in
// thousandths of a token. store/README.md has the measurements.
#include <algorithm>
#include <array>
#include <string_view>

#include "crypto/utf8.h"
#include "store/librarian.h"
#include "store/words.h"

namespace kartei::store {
namespace {

using Milli = std::size_t;

enum class Class : std::uint8_t {
  kSpace,
  kNewline,
  kDigit,
  kAscii,
  kSign,
  kLatin,
  kCyrillic,
  kGreek,
  kHebrew,
  kArabic,
  kDevanagari,
  kIndic,
  kThai,
  kHangul,
  kKana,
  kHan,
  kEmoji,
  kOther2,
  kOther3,
  kOtherSign
};

struct Range {
  char32_t first, last;
  Class kind;
};
// Sorted. Anything in no range is kOther2 or kOther3 by its length in UTF-8.
constexpr Range kRanges[] = {
    {0x80, 0xBF, Class::kOtherSign},     {0xC0, 0x2AF, Class::kLatin},
    {0x2B0, 0x2FF, Class::kOtherSign},   {0x300, 0x36F, Class::kLatin},
    {0x370, 0x3FF, Class::kGreek},       {0x400, 0x52F, Class::kCyrillic},
    {0x590, 0x5FF, Class::kHebrew},      {0x600, 0x6FF, Class::kArabic},
    {0x900, 0x97F, Class::kDevanagari},  {0x980, 0xD7F, Class::kIndic},
    {0xE00, 0xE7F, Class::kThai},        {0x1100, 0x11FF, Class::kHangul},
    {0x1E00, 0x1EFF, Class::kLatin},     {0x1F00, 0x1FFF, Class::kGreek},
    {0x2000, 0x206F, Class::kOtherSign}, {0x2070, 0x2BFF, Class::kEmoji},
    {0x3000, 0x303F, Class::kOtherSign}, {0x3040, 0x30FF, Class::kKana},
    {0x3400, 0x9FFF, Class::kHan},       {0xAC00, 0xD7AF, Class::kHangul},
    {0xFE00, 0xFE0F, Class::kOtherSign}, {0xFF00, 0xFF5E, Class::kOtherSign},
    {0xFF66, 0xFF9F, Class::kKana},      {0x1F000, 0x1FAFF, Class::kEmoji},
    {0x20000, 0x3FFFF, Class::kOther3},
};

constexpr std::array<Class, 128> kAsciiClasses = [] {
  std::array<Class, 128> classes{};
  for (std::size_t c = 0; c < 128; ++c) {
    const std::size_t low = c | 0x20;
    classes[c] = c == '\n' || c == '\r'     ? Class::kNewline
                 : c == ' ' || c == '\t'    ? Class::kSpace
                 : c >= '0' && c <= '9'     ? Class::kDigit
                 : low >= 'a' && low <= 'z' ? Class::kAscii
                                            : Class::kSign;
  }
  return classes;
}();

Class classify(char32_t c) {
  if (c < 0x80) return kAsciiClasses[c];
  const auto* after = std::upper_bound(std::begin(kRanges), std::end(kRanges), c,
                                       [](char32_t v, const Range& r) { return v < r.first; });
  if (after != std::begin(kRanges) && c <= std::prev(after)->last) return std::prev(after)->kind;
  return c < 0x800 ? Class::kOther2 : Class::kOther3;
}

// Cost of an ASCII word by its length: in English prose, and in any other tongue (names too).
constexpr std::array<Milli, 16> kEnglish = {0,    1000, 1000, 1010, 1030, 1050, 1100, 1150,
                                            1220, 1320, 1400, 1550, 1900, 1900, 2200, 2600};
constexpr std::array<Milli, 16> kForeign = {0,    1000, 1000, 1050, 1300, 1450, 1950, 2000,
                                            2400, 2500, 2900, 3200, 3900, 4200, 4500, 4800};
constexpr Milli kPerLetterBeyond = 420;

Milli by_length(const std::array<Milli, 16>& table, std::size_t length) {
  if (length < table.size()) return table[length];
  return table.back() + (length - table.size() + 1) * kPerLetterBeyond;
}

// Function words: their share tells whether a line is English.
bool is_function_word(std::string_view word) {
  if (word.size() > 10) return false;
  std::array<char, 10> folded{};
  for (std::size_t i = 0; i < word.size(); ++i) folded[i] = static_cast<char>(word[i] | 0x20);
  return is_stop_word(Language::kEnglish, {folded.data(), word.size()});
}

// What a letter of a script costs, and what a word of it costs on top.
struct ScriptCost {
  Milli letter, word;
};
ScriptCost script_cost(Class kind) {
  switch (kind) {
    case Class::kCyrillic:
      return {690, 150};
    case Class::kGreek:
      return {1030, 300};
    case Class::kHebrew:
      return {1100, 600};
    case Class::kArabic:
      return {900, 300};
    case Class::kDevanagari:
      return {1250, 0};
    case Class::kIndic:
      return {2000, 0};
    case Class::kThai:
      return {1000, 0};
    case Class::kHangul:
      return {1500, 150};
    case Class::kKana:
      return {1080, 0};
    case Class::kHan:
      return {1550, 0};
    case Class::kEmoji:
      return {2700, 0};
    case Class::kOther2:
      return {1900, 0};
    case Class::kOther3:
      return {2800, 0};
    default:
      return {1000, 0};
  }
}

// One line at a time, because a text may change its language with the line.
class Line {
 public:
  explicit Line(std::string_view text) : text_(text) {}

  Milli cost() {
    while (at_ < text_.size()) take_piece();
    // A quarter of function words is plain English; none is another tongue, or a list of names.
    // Letters that English has not speak against it: other tongues have "a", "do" and "on" too.
    const std::size_t known = function_words_ - std::min(function_words_, 2 * accented_words_);
    const Milli english = words_ == 0 ? 0 : std::min<Milli>(1000, known * 4000 / words_);
    return fixed_ + (english_ * english + foreign_ * (1000 - english)) / 1000;
  }

 private:
  void take_piece() {
    if (take_plain_word() || take_identifier()) return;
    std::size_t next = at_;
    const Class kind = classify(next_code_point(text_, next));
    switch (kind) {
      case Class::kSpace:
        return take_spaces();
      case Class::kDigit:
        return take_digits();
      case Class::kAscii:
      case Class::kLatin:
        return take_latin_word();
      case Class::kSign:
      case Class::kNewline:
        return take_signs();
      default:
        return take_script(kind);
    }
  }

  // Most of what people write: ASCII letters, with neither a digit nor another letter behind them.
  bool take_plain_word() {
    std::size_t end = at_, word_end = 0, capitals = 0;
    bool last_lower = false;
    for (; end < text_.size(); ++end) {
      const auto c = static_cast<unsigned char>(text_[end]);
      if (c >= 0x80 || kAsciiClasses[c] == Class::kDigit) return false;
      if (kAsciiClasses[c] != Class::kAscii) break;
      const bool upper = c <= 'Z';
      if (upper && last_lower && word_end == 0) word_end = end;  // camelCase
      if (word_end == 0) capitals += upper ? 1 : 0;
      last_lower = !upper;
    }
    if (end == at_) return false;
    if (word_end == 0) word_end = end;
    count_word(text_.substr(at_, word_end - at_), word_end - at_, capitals, 0);
    at_ = word_end;
    return true;
  }

  // Letters and digits in one run: hexadecimal, base64, part numbers. Nothing merges well.
  bool take_identifier() {
    std::size_t end = at_, digits = 0;
    for (; end < text_.size(); ++end) {
      const Class kind = classify(static_cast<unsigned char>(text_[end]));
      if (kind != Class::kAscii && kind != Class::kDigit) break;
      digits += kind == Class::kDigit ? 1 : 0;
    }
    const std::size_t length = end - at_;
    if (length < 6 || digits == 0 || digits == length) return false;
    fixed_ += 680 * length;
    at_ = end;
    return true;
  }

  // The last space joins what follows, unless that is a digit.
  void take_spaces() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && classify(static_cast<unsigned char>(text_[at_])) == Class::kSpace)
      ++at_;
    const std::size_t count = at_ - begin;
    const bool before_digit = at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9';
    if (count > 1 || before_digit || at_ == text_.size()) fixed_ += 1000 * (1 + count / 80);
  }

  void take_digits() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    fixed_ += 1000 * ((at_ - begin + 2) / 3);
  }

  // Signs pair up, with each other or with the letter behind them; a run of one sign is few tokens.
  void take_signs() {
    const std::size_t begin = at_;
    Milli cost = 950;
    while (++at_ < text_.size()) {
      const Class kind = classify(static_cast<unsigned char>(text_[at_]));
      if (kind == Class::kAscii && at_ == begin + 1) cost = 650;
      if (kind != Class::kSign && kind != Class::kNewline) break;
      cost += text_[at_] == text_[at_ - 1] ? 150 : 600;
    }
    fixed_ += cost;
  }

  void take_latin_word() {
    const std::size_t begin = at_;
    std::size_t length = 0, foreign_letters = 0, capitals = 0;
    bool last_lower = false;
    while (at_ < text_.size()) {
      std::size_t next = at_;
      const char32_t c = next_code_point(text_, next);
      const Class kind = classify(c);
      if (kind != Class::kAscii && kind != Class::kLatin) break;
      const bool upper = c >= 'A' && c <= 'Z';
      if (upper && last_lower) break;  // camelCase
      last_lower = !upper;
      capitals += upper ? 1 : 0;
      foreign_letters += c < 0x80 ? 0 : c < 0x1E00 ? 2 : 3;
      ++length;
      at_ = next;
    }
    count_word(text_.substr(begin, at_ - begin), length, capitals, foreign_letters);
  }

  void count_word(std::string_view word, std::size_t length, std::size_t capitals,
                  std::size_t foreign_letters) {
    const bool known = foreign_letters == 0 && is_function_word(word);
    const Milli foreign = by_length(kForeign, length) + 400 * foreign_letters;
    ++words_;
    function_words_ += known ? 1 : 0;
    accented_words_ += foreign_letters > 0 ? 1 : 0;
    foreign_ += known ? by_length(kEnglish, length) : foreign;
    if (foreign_letters > 0) {
      english_ += foreign;
    } else if (capitals > 1) {
      english_ += std::max<Milli>(1000, 420 * length);
    } else if (capitals == 1 && !known) {  // often a name
      english_ += (by_length(kEnglish, length) + foreign) / 2;
    } else {
      english_ += by_length(kEnglish, length);
    }
  }

  void take_script(Class kind) {
    const ScriptCost cost = script_cost(kind);
    std::size_t letters = 0;
    while (at_ < text_.size()) {
      std::size_t next = at_;
      if (classify(next_code_point(text_, next)) != kind) break;
      at_ = next;
      ++letters;
    }
    // One letter alone, and short words of few letters, are in every vocabulary.
    const bool joins = kind == Class::kCyrillic || kind == Class::kGreek || kind == Class::kArabic;
    fixed_ += joins && letters < 3 ? 1000 + 300 * (letters - 1) : letters * cost.letter + cost.word;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t words_ = 0, function_words_ = 0, accented_words_ = 0;
  Milli fixed_ = 0, english_ = 0, foreign_ = 0;
};

}  // namespace

std::size_t estimate_tokens(std::string_view text) {
  Milli sum = 0;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t newline = text.find('\n', begin);
    const std::size_t end = newline == std::string_view::npos ? text.size() : newline + 1;
    sum += Line(text.substr(begin, end - begin)).cost();
    begin = end;
  }
  return (sum + 999) / 1000;
}

}  // namespace kartei::store
