#include "store/time_words.h"

#include <algorithm>
#include <array>

#include "store/time_word_list.h"

namespace kartei::store::time_words {
namespace {

constexpr auto kWords = [] {
  std::array<Entry, std::size(kWordList)> sorted{};
  std::copy(std::begin(kWordList), std::end(kWordList), sorted.begin());
  std::sort(sorted.begin(), sorted.end(),
            [](const Entry& a, const Entry& b) { return a.text < b.text; });
  return sorted;
}();

constexpr std::size_t kLongestWord = 16;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

// Lower case of ASCII, and of the umlauts in UTF-8 (0xC3 0x84 .. 0x9C).
std::size_t lower_into(std::string_view word, std::array<char, kLongestWord>& out) {
  for (std::size_t i = 0; i < word.size(); ++i) {
    char c = word[i];
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (i > 0 && word[i - 1] == '\xC3' && c <= '\x9E' && c < 0) c = static_cast<char>(c + 0x20);
    out[i] = c;
  }
  return word.size();
}

// Most words of a text are none of these: told by a bit each, of a few of their letters.
constexpr std::size_t kSketchBits = 4096;
constexpr std::size_t sketch_of(std::string_view word) {
  const auto letter = [&](std::size_t i) { return static_cast<unsigned char>(word[i]); };
  return (letter(0) * 31U + letter(word.size() / 2) * 17U + letter(word.size() - 1) * 7U +
          word.size() * 131U) %
         kSketchBits;
}
constexpr std::array<bool, kSketchBits> kSketch = [] {
  std::array<bool, kSketchBits> sketch{};
  for (const Entry& entry : kWordList) sketch[sketch_of(entry.text)] = true;
  return sketch;
}();

void classify(std::string_view word, Token& token) {
  token.capital = word[0] >= 'A' && word[0] <= 'Z';
  if (word.size() > kLongestWord) return;
  std::array<char, kLongestWord> buffer{};
  std::string_view low(buffer.data(), lower_into(word, buffer));
  auto find = [](std::string_view key) -> const Entry* {
    if (!kSketch[sketch_of(key)]) return nullptr;
    const auto at = std::lower_bound(kWords.begin(), kWords.end(), key,
                                     [](const Entry& e, std::string_view k) { return e.text < k; });
    return at != kWords.end() && at->text == key ? &*at : nullptr;
  };
  const Entry* entry = find(low);
  if (!entry && low.size() > 2 && low.ends_with("'s")) entry = find(low.substr(0, low.size() - 2));
  if (entry) {
    token.word = entry->word;
    token.value = entry->value;
    token.shaky = entry->shaky;
    token.spelled = entry->word == Word::kNumber;
    return;
  }
  if (low.size() > 4 && low.ends_with("ed")) token.word = Word::kPast;
}

class Lexer {
 public:
  Lexer(std::string_view text, bool month_first) : text_(text), month_first_(month_first) {}

  std::vector<Token> run() {
    std::vector<Token> out;
    out.reserve(text_.size() / 5 + 4);
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
      } else if (is_digit(c)) {
        out.push_back(number());
      } else if (is_letter(c)) {
        out.push_back(word());
      } else {
        out.push_back({at_, at_ + 1, Word::kPunct, static_cast<unsigned char>(c)});
        ++at_;
      }
    }
    return out;
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  Token word() {
    Token token;
    token.begin = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      // A dash in UTF-8 (U+2013, U+2014) ends a word; a curly apostrophe does not.
      if (c == '\xE2' && peek(1) == '\x80' && (peek(2) == '\x93' || peek(2) == '\x94')) break;
      const bool inner = c == '\'' && at_ > token.begin && is_letter(peek(1));
      if (!is_letter(c) && !inner) break;
      ++at_;
    }
    if (at_ == token.begin) {  // a dash
      token.end = at_ += 3;
      token.word = Word::kPunct;
      token.value = '-';
      return token;
    }
    token.end = at_;
    classify(text_.substr(token.begin, at_ - token.begin), token);
    return token;
  }

  // Up to `max` digits; -1 where there are none or more of them.
  int digits(std::size_t max) {
    constexpr std::size_t kMostDigits = 9;  // what an int holds for sure
    int value = 0;
    std::size_t count = 0;
    while (is_digit(peek()) && count <= max) {
      if (count < kMostDigits) value = value * 10 + (text_[at_] - '0');
      ++at_;
      ++count;
    }
    if (count > max) {
      while (is_digit(peek())) ++at_;
      return -1;
    }
    return count ? value : -1;
  }

  bool ends_here() const { return !is_digit(peek()) && !is_letter(peek()); }

  Token number() {
    Token token;
    token.begin = at_;
    const std::size_t begin = at_;
    if (iso_date(token) || slashed_date(token)) return token;
    at_ = begin;
    const int value = digits(6);
    token.word = value < 0 ? Word::kOther : Word::kNumber;
    token.value = value;
    if (value >= 0 && at_ - begin <= 2 && clock(value, token)) return token;
    if (value >= 0) suffix(token);
    // "2.5", "1,000", "175/70", "3TB": no date part, and not the digits inside it either.
    while ((peek() == '.' || peek() == ',' || peek() == '/' || peek() == ':') &&
           is_digit(peek(1))) {
      token.word = Word::kOther;
      ++at_;
      digits(64);
    }
    if (is_letter(peek()) && token.word == Word::kNumber &&
        !(peek() == '\xE2' && peek(1) == '\x80')) {
      token.word = Word::kOther;
      while (is_letter(peek()) || is_digit(peek())) ++at_;
    }
    token.end = at_;
    return token;
  }

  void set_date(Token& token, int year, int month, int day) {
    token.end = at_;
    token.word = month >= 1 && month <= 12 && day <= 31 && year >= 1 ? Word::kIso : Word::kOther;
    token.value = year * 10000 + month * 100 + day;
  }

  bool iso_date(Token& token) {
    const std::size_t begin = at_;
    const int year = digits(4);
    if (at_ - begin != 4 || peek() != '-' || !is_digit(peek(1)) || !is_digit(peek(2)) ||
        is_digit(peek(3)) || year < 1000) {
      at_ = begin;
      return false;
    }
    ++at_;
    const int month = digits(2);
    int day = 0;
    if (peek() == '-' && is_digit(peek(1)) && is_digit(peek(2)) && !is_digit(peek(3))) {
      ++at_;
      day = digits(2);
    }
    // "2014-16": the second number is a year.
    if (day == 0 && (month > 12 || month == 0)) {
      at_ = begin;
      return false;
    }
    set_date(token, year, month, day);
    return true;
  }

  bool slashed_date(Token& token) {
    const std::size_t begin = at_;
    int first = digits(2);
    const char mark = peek();
    if (first < 0 || (mark != '/' && mark != '.') || !is_digit(peek(1))) return at_ = begin, false;
    ++at_;
    int second = digits(2);
    if (second < 0 || peek() != mark) return at_ = begin, false;
    if (mark == '.' && !is_digit(peek(1)) && second >= 1 && second <= 12 && first <= 31) {
      ++at_;  // "14.8.": a day without its year
      set_date(token, 1, second, first);
      token.value = second * 100 + first;
      return true;
    }
    ++at_;
    const std::size_t year_at = at_;
    int year = digits(4);
    if (year < 0 || (at_ - year_at != 4 && at_ - year_at != 2) || !ends_here()) {
      return at_ = begin, false;
    }
    if (at_ - year_at == 2) year += 2000;
    if (mark == '/' && (second > 12 || (month_first_ && first <= 12))) std::swap(first, second);
    set_date(token, year, second, first);
    return true;
  }

  // am, pm, a.m., p.m. after a clock: 0 none, 1 am, 2 pm.
  int half_day() {
    std::size_t ahead = peek() == ' ' ? 1 : 0;
    const char c = static_cast<char>(peek(ahead) | 0x20);
    if (c != 'a' && c != 'p') return 0;
    ++ahead;
    const bool dotted = peek(ahead) == '.';
    if (dotted) ++ahead;
    if (static_cast<char>(peek(ahead) | 0x20) != 'm') return 0;
    ++ahead;
    if (dotted && peek(ahead) == '.') ++ahead;
    if (is_letter(peek(ahead)) || is_digit(peek(ahead))) return 0;
    at_ += ahead;
    return c == 'a' ? 1 : 2;
  }

  bool clock(int hour, Token& token) {
    const std::size_t after_hour = at_;
    int minute = 0;
    bool colon = false;
    if ((peek() == ':' || peek() == '.') && is_digit(peek(1)) && is_digit(peek(2)) &&
        !is_digit(peek(3))) {
      colon = peek() == ':';
      ++at_;
      minute = digits(2);
      if (peek() == ':' && is_digit(peek(1))) return at_ = after_hour, false;  // a running time
    } else if (peek() == 'h' && !is_letter(peek(1)) && !is_digit(peek(1))) {
      return at_ = after_hour, false;  // "16h" may be a length
    }
    const int half = half_day();
    if (half == 0 && !colon) return at_ = after_hour, false;
    if (minute > 59 || hour > 24 || (half && (hour > 12 || hour == 0))) {
      return at_ = after_hour, false;
    }
    if (half == 1 && hour == 12) hour = 0;
    if (half == 2 && hour < 12) hour += 12;
    if (hour == 24) hour = 0;
    token.word = Word::kClock;
    token.value = hour * 60 + minute;
    token.half_day = half != 0 || hour > 12 || text_[token.begin] == '0';
    token.end = at_;
    return true;
  }

  void suffix(Token& token) {
    const char a = static_cast<char>(peek() | 0x20), b = static_cast<char>(peek(1) | 0x20);
    const bool ordinal = (a == 's' && b == 't') || (a == 'n' && b == 'd') ||
                         (a == 'r' && b == 'd') || (a == 't' && b == 'h');
    if (!ordinal || is_letter(peek(2)) || is_digit(peek(2))) return;
    at_ += 2;
    token.word = Word::kOrdinal;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool month_first_;
};

}  // namespace

std::vector<Token> lex(std::string_view text, std::int16_t zone_min) {
  constexpr std::int16_t kMostEasternAmerican = -210;
  return Lexer(text, zone_min <= kMostEasternAmerican).run();
}

}  // namespace kartei::store::time_words
