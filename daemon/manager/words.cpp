#include "daemon/manager/words.h"

#include <algorithm>
#include <array>

#include "store/secrets/secrets.h"

namespace kartei::daemon {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || is_upper(c) || c < 0;
}

struct Pair {
  std::string_view from, to;
};

// Chat spellings and contractions, by lower case; the right side may be several words.
constexpr Pair kSpellings[] = {
    {"ain't", "am not"},
    {"aint", "am not"},
    {"arent", "are not"},
    {"bc", "because"},
    {"bday", "birthday"},
    {"can't", "can not"},
    {"cannot", "can not"},
    {"cant", "can not"},
    {"cos", "because"},
    {"couldnt", "could not"},
    {"coz", "because"},
    {"cuz", "because"},
    {"didnt", "did not"},
    {"doesnt", "does not"},
    {"dont", "do not"},
    {"fave", "favourite"},
    {"favorite", "favourite"},
    {"gf", "girlfriend"},
    {"bf", "boyfriend"},
    {"gonna", "going to"},
    {"gotta", "have to"},
    {"hadnt", "had not"},
    {"hasnt", "has not"},
    {"havent", "have not"},
    {"hes", "he is"},
    {"hubby", "husband"},
    {"i'd", "I would"},
    {"im", "I am"},
    {"isnt", "is not"},
    {"ive", "I have"},
    {"lets", "let us"},
    {"let's", "let us"},
    {"luv", "love"},
    {"nite", "night"},
    {"ofc", "of course"},
    {"pls", "please"},
    {"plz", "please"},
    {"shan't", "shall not"},
    {"shes", "she is"},
    {"shouldnt", "should not"},
    {"thats", "that is"},
    {"theyre", "they are"},
    {"tho", "though"},
    {"u", "you"},
    {"ur", "your"},
    {"wanna", "want to"},
    {"wasnt", "was not"},
    {"werent", "were not"},
    {"whats", "what is"},
    {"wheres", "where is"},
    {"whos", "who is"},
    {"wifey", "wife"},
    {"won't", "will not"},
    {"wont", "will not"},
    {"wouldnt", "would not"},
    {"yall", "you all"},
    {"youre", "you are"},
    {"zip-code", "zip code"},
};

// Words that keep their full stop.
constexpr std::string_view kAbbreviations[] = {
    "a.m",  "approx", "apt", "ave", "bzw",  "ca", "co",  "dept", "dr",  "e.g", "est", "etc", "fr",
    "frau", "hr",     "i.e", "inc", "jr",   "lt", "ltd", "max",  "min", "mr",  "mrs", "ms",  "mt",
    "no",   "nr",     "p.m", "p.s", "prof", "rd", "sr",  "st",   "str", "tel", "vs",  "z.b"};

bool is_abbreviation(std::string_view low) {
  if (low.size() == 1 && is_letter(low[0]) && low != "i") return true;
  if (low.size() > 4 && low.ends_with("str")) return true;
  return std::binary_search(std::begin(kAbbreviations), std::end(kAbbreviations), low);
}

const Pair* spelling(std::string_view low) {
  const auto* at = std::lower_bound(std::begin(kSpellings), std::end(kSpellings), low,
                                    [](const Pair& p, std::string_view k) { return p.from < k; });
  return at != std::end(kSpellings) && at->from == low ? at : nullptr;
}

// The bytes of a quotation mark at `at`, 0 where there is none.
std::size_t quote_size(std::string_view text, std::size_t at) {
  if (text[at] == '"') return 1;
  for (std::string_view mark : {"\u201c", "\u201d", "\u201e", "\u00ab", "\u00bb"}) {
    if (text.substr(at, mark.size()) == mark) return mark.size();
  }
  return 0;
}

class WordLexer {
 public:
  explicit WordLexer(std::string_view text) : text_(text) { words_.reserve(text.size() / 5 + 8); }

  Words run() {
    while (at_ < text_.size()) step();
    return std::move(words_);
  }

 private:
  bool starts(std::string_view what) const { return text_.substr(at_, what.size()) == what; }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void step() {
    const char c = text_[at_];
    if (c == '\n') return line_break();
    if (c == ' ' || c == '\t' || c == '\r') return ++at_, void(space_ = true);
    if (starts("\u00a0")) return at_ += 2, void(space_ = true);
    if (const std::size_t mark = quote_size(text_, at_)) return quote(mark);
    if (starts("\u2013") || starts("\u2014")) return punct("-", 3);
    if (starts("\u2026")) return punct("...", 3);
    if (c == '\xF0' || starts("\u2764") || starts("\u263a")) return emoji();
    if (is_digit(c) || ((c == '+' || c == '#') && is_digit(peek(1)))) return number();
    if (is_letter(c)) return word();
    if (c == '.' && peek(1) == '.') {
      std::size_t size = 2;
      while (peek(size) == '.') ++size;
      return punct("...", size);
    }
    if (c == '!' || c == '?') {
      // "!!", "??", "?!": one mark; a question wins.
      std::size_t size = 0;
      bool asks = false;
      for (; peek(size) == '!' || peek(size) == '?'; ++size) asks = asks || peek(size) == '?';
      return punct(asks ? "?" : "!", size);
    }
    punct(std::string_view(&text_[at_], 1), 1);
  }

  Word& add(std::string_view text, std::size_t begin, std::size_t end, WordKind kind) {
    Word& word = words_.emplace_back();
    word.text = text;
    word.low = lower(text);
    word.begin = begin;
    word.end = end;
    word.kind = kind;
    word.glued = !space_ && begin > 0;
    word.quoted = quoted_;
    space_ = false;
    return word;
  }

  void line_break() {
    if (words_.empty() || words_.back().kind != WordKind::kBreak) {
      add("\n", at_, at_ + 1, WordKind::kBreak);
    }
    quoted_ = false;  // a quotation left open ends with its line
    space_ = true;
    ++at_;
  }

  void punct(std::string_view mark, std::size_t size) {
    add(mark, at_, at_ + size, WordKind::kPunct);
    at_ += size;
  }

  void quote(std::size_t size) {
    const bool opens = !quoted_;
    if (!opens) quoted_ = false;
    add("\"", at_, at_ + size, WordKind::kPunct);
    at_ += size;
    quoted_ = opens;
  }

  void emoji() {
    std::size_t size = 1;
    while ((peek(size) & '\xC0') == '\x80') ++size;
    add(text_.substr(at_, size), at_, at_ + size, WordKind::kEmoji);
    at_ += size;
  }

  // Digits with what stands inside numbers: "1.5", "80/20", "9:30", "1:05:00", "7pm", "1st".
  void number() {
    const std::size_t begin = at_++;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool inner = (c == '.' || c == ',' || c == '/' || c == ':' || c == '-') &&
                         is_digit(peek(1)) && is_digit(text_[at_ - 1]);
      if (!is_digit(c) && !inner && !(is_letter(c) && c > 0)) break;
      ++at_;
    }
    add(text_.substr(begin, at_ - begin), begin, at_, WordKind::kNumber);
  }

  bool word_goes_on() const {
    const char c = text_[at_];
    if (c == '\xF0' || quote_size(text_, at_) || starts("\u2013") || starts("\u2014") ||
        starts("\u2026") || starts("\u00a0")) {
      return false;
    }
    if (is_letter(c) || is_digit(c)) return true;
    const bool joins = c == '\'' || c == '-' || c == '_' || c == '@' || c == '&';
    if (joins) return is_letter(peek(1)) || is_digit(peek(1));
    // "e.g.", "shed.lan", "a@b.example"
    return c == '.' && (is_letter(peek(1)) || is_digit(peek(1))) && peek(1) != '\xF0';
  }

  void word() {
    const std::size_t begin = at_;
    std::string text;
    while (at_ < text_.size() && word_goes_on()) {
      // A curly apostrophe is a plain one.
      if (starts("\u2019")) {
        text += '\'';
        at_ += 3;
      } else {
        text += text_[at_++];
      }
    }
    if (at_ == begin) return ++at_, void();
    while (text.ends_with('\'')) text.pop_back();
    if (text.empty()) return;
    emit(text, begin);
  }

  void emit(std::string text, std::size_t begin) {
    std::string low = lower(text);
    if (peek() == '.' && is_abbreviation(low) && !(peek(1) == '.' || at_ + 1 >= text_.size())) {
      text += '.';
      ++at_;
      low += '.';
    }
    if (const Pair* pair = spelling(low)) return several(pair->to, begin, is_upper(text[0]));
    if (const std::size_t mark = low.rfind('\''); mark != std::string::npos && mark > 0) {
      if (contraction(text, low, mark, begin)) return;
    }
    if (low == "i") text = "I";
    finish(text, begin);
  }

  void several(std::string_view words, std::size_t begin, bool capital) {
    bool first = true;
    while (!words.empty()) {
      const std::size_t space = words.find(' ');
      std::string part(words.substr(0, space));
      if (first && capital) part = capitalised(part);
      finish(part, begin);
      if (!first) words_.back().glued = false;
      first = false;
      words = space == std::string_view::npos ? std::string_view{} : words.substr(space + 1);
    }
  }

  bool contraction(const std::string& text, const std::string& low, std::size_t mark,
                   std::size_t begin) {
    const std::string_view tail = std::string_view(low).substr(mark + 1);
    const std::string head = text.substr(0, mark);
    auto both = [&](const std::string& first, std::string_view second) {
      finish(first == "i" ? "I" : first, begin);
      finish(std::string(second), begin);
      words_.back().glued = false;
      return true;
    };
    if (tail == "t" && low.size() > 3 && low[mark - 1] == 'n')
      return both(text.substr(0, mark - 1), "not");
    if (tail == "m") return both(head, "am");
    if (tail == "re") return both(head, "are");
    if (tail == "ve") return both(head, "have");
    if (tail == "ll") return both(head, "will");
    if (tail == "d") return both(head, "would");
    if (tail != "s") return false;
    static constexpr std::array<std::string_view, 14> kVerbal = {
        "he",   "here", "how",   "it",  "she", "that",       "there",
        "what", "when", "where", "who", "why", "everything", "everyone"};
    const std::string head_low = lower(head);
    if (std::find(kVerbal.begin(), kVerbal.end(), head_low) != kVerbal.end())
      return both(head, "is");
    finish(head, begin);
    words_.back().possessive = true;
    return true;
  }

  void finish(const std::string& text, std::size_t begin) {
    const bool glued = !space_ && begin > 0;
    Word& word = add(text, begin, at_, WordKind::kWord);
    word.glued = glued;
    const char c = text[0];
    word.capital = is_upper(c) || (c == '\xC3' && text.size() > 1 && text[1] <= '\x9E');
    const auto capitals = std::count_if(text.begin(), text.end(), is_upper);
    word.shouted = capitals >= 3 && static_cast<std::size_t>(capitals) == text.size();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Words words_;
  bool space_ = true;
  bool quoted_ = false;
};

}  // namespace

Words lex_words(std::string_view text) {
  Words words = WordLexer(text).run();
  // Both stand in the order of the text, and secrets do not overlap.
  const auto found = secrets::find(text);
  auto next = found.begin();
  for (Word& word : words) {
    while (next != found.end() && next->end <= word.begin) ++next;
    word.secret = next != found.end() && next->begin < word.end;
  }
  return words;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (is_upper(out[i])) out[i] = static_cast<char>(out[i] + 32);
    if (i > 0 && out[i - 1] == '\xC3' && out[i] < 0 && out[i] <= '\x9E' && out[i] != '\x97') {
      out[i] = static_cast<char>(out[i] + 32);
    }
  }
  return out;
}

std::string capitalised(std::string_view text) {
  std::string out(text);
  if (out.empty()) return out;
  if (out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 32);
  if (out.size() > 1 && out[0] == '\xC3' && out[1] >= '\xA0' && out[1] != '\xB7') {
    out[1] = static_cast<char>(out[1] - 32);
  }
  return out;
}

}  // namespace kartei::daemon
