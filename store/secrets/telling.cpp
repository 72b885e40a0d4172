#include "store/secrets/telling.h"

#include <algorithm>
#include <array>
#include <optional>

#include "store/secrets/anchors.h"
#include "store/secrets/shape.h"
#include "store/secrets/told_value.h"
#include "store/secrets/words_around.h"

namespace kartei::secrets {
namespace {

constexpr std::size_t kAheadMax = 160;  // looked at behind the word, and
constexpr std::size_t kBehindMax = 96;  // before it
constexpr std::size_t kGapWords = 6;    // "the password [for the guest wifi] is"
constexpr std::size_t kValueMax = 1024;
constexpr std::size_t kScriptGap = 10;  // characters of a script without spaces

using namespace around;
using Words = std::span<const std::string_view>;

bool is_one_of(std::string_view word, Words words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view one) {
    return one.size() == word.size() && std::equal(one.begin(), one.end(), word.begin(),
                                                   [](char a, char b) { return a == lower(b); });
  });
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool is_foreign(char c) {
  return static_cast<signed char>(c) < 0;
}
// The first byte of a character of Chinese, Japanese or Korean.
bool is_script_without_spaces(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0xE3 && byte <= 0xED;
}
bool is_quote(char c) {
  return c == '"' || c == '\'' || c == '`';
}

// Walks over what follows a telling word.
class Ahead {
 public:
  Ahead(std::string_view plain, std::size_t at, Tells tells)
      : plain_(plain),
        at_(at),
        stop_(std::min(plain.size(), at + kAheadMax)),
        key_(tells == Tells::kKey || tells == Tells::kWeakKey),
        tells_(tells) {}

  Told told;  // what is known before: owned, shouted

  std::optional<Finding> find(bool tied) {
    if (tied) tie(Tie::kMark);
    for (std::size_t steps = 0; steps < 16 && at_ < stop_; ++steps) {
      if (!skip_marks()) return std::nullopt;
      if (at_ >= stop_) break;
      if (is_script_without_spaces(plain_[at_])) {
        if (!script_run()) return std::nullopt;
        continue;
      }
      const Value value = read_value();
      if (value.text.empty()) return std::nullopt;
      if (!value.quoted && !tied_ && gap_ == 0 && is_one_of(value.text, kOtherwise))
        return std::nullopt;
      if (!value.quoted && is_one_of(value.text, kCopulas)) {
        tie(Tie::kWord);
        told.loose = is_one_of(value.text, kLoose);
        at_ = value.end;
        weak_tie_ = true;
        continue;
      }
      if ((tied_ || gap_ == 0) && is_one_of(value.text, kFillers)) {
        at_ = value.end;
        continue;
      }
      if (tied_ || gap_ == 0 || value.quoted) {
        if (const auto found = judge(value)) return found;
        if (tied_ && !weak_tie_) return std::nullopt;
      }
      if (!goes_on(value)) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  struct Value {
    std::string_view text;
    std::size_t begin = 0, end = 0;  // end: behind a closing quote
    bool quoted = false;
  };

  void tie(Tie tie) {
    tied_ = true;
    told.tie = tie;
  }

  // Spaces, and signs of emphasis and tying. False: the sentence ends.
  bool skip_marks() {
    for (; at_ < stop_; ++at_) {
      const char c = plain_[at_];
      if (plain_.substr(at_, kMaskBegin.size()) == kMaskBegin) return false;
      const bool alone = (at_ + 1 >= plain_.size() || is_blank(plain_[at_ + 1])) && at_ > 0 &&
                         is_blank(plain_[at_ - 1]);
      if (c == ':' || c == '=') {
        tie(Tie::kMark);
        weak_tie_ = false;
      } else if ((c == '-' || c == '>' || c == '|') && (alone || c == '>')) {
        tie(Tie::kMark);
        weak_tie_ = true;
      } else if (c == '\n' || c == '\r') {
        if (!tied_ || lines_++ > 1) return false;
        told.next_line = true;
      } else if (c == '\\' && at_ + 1 < stop_ && plain_[at_ + 1] == 'n') {
        if (!tied_) return false;
        ++at_;
      } else if (c == '.' || c == ';' || c == '?' || c == '!') {
        const bool value = tied_ && at_ + 1 < plain_.size() && !is_blank(plain_[at_ + 1]);
        return value;
      } else if (c == ',' && told.owned && gap_ == 0 && !tied_) {
        // "my old password, Winter2022, ..."
      } else if (c == ',') {
        if (!key_ || at_ + 1 >= plain_.size() || is_blank(plain_[at_ + 1])) return false;
      } else if (!is_blank(c) && c != '*' && c != '_' && c != ')' && c != ']' && c != '(' &&
                 c != '\\' && c != '[' && !(is_quote(c) && closes_quote())) {
        return true;
      }
    }
    return true;
  }

  // A quotation mark that belongs to the telling word, as in "password": not one that opens.
  bool closes_quote() const {
    return !tied_ ||
           (at_ + 1 < plain_.size() &&
            (is_blank(plain_[at_ + 1]) || plain_[at_ + 1] == ':' || plain_[at_ + 1] == '='));
  }

  Value read_value() const {
    Value value;
    value.begin = at_;
    const std::size_t most = std::min(plain_.size(), at_ + kValueMax);
    if (is_quote(plain_[at_])) {
      const std::size_t line = std::min(plain_.substr(at_ + 1, 128).find('\n'), std::size_t{128});
      const std::size_t close = plain_.substr(at_ + 1, line).find(plain_[at_]);
      if (close != std::string_view::npos && close > 0) {
        value.begin = at_ + 1;
        value.text = plain_.substr(at_ + 1, close);
        while (value.text.ends_with('\\')) value.text.remove_suffix(1);
        value.end = at_ + 1 + close + 1;
        value.quoted = true;
        return value;
      }
      ++value.begin;
    }
    std::size_t end = value.begin;
    while (end < most && !is_blank(plain_[end]) && plain_[end] != '"' && plain_[end] != '`' &&
           plain_[end] != '<' && !is_script_without_spaces(plain_[end]) &&
           !(plain_[end] == '\\' && end + 1 < most &&
             (plain_[end + 1] == 'n' || plain_[end + 1] == '"')))
      ++end;
    // "password=...&user=...": the next parameter begins.
    for (std::size_t next = value.begin; next < end; ++next) {
      if (plain_[next] != '&') continue;
      std::size_t name = next + 1;
      while (name < end && (is_word(plain_[name]) || plain_[name] == '_')) ++name;
      if (name < end && name > next + 1 && plain_[name] == '=') end = next;
    }
    value.end = end;
    while (end > value.begin &&
           std::string_view(".,;:)]}>'|*_").find(plain_[end - 1]) != std::string_view::npos)
      --end;
    value.text = plain_.substr(value.begin, end - value.begin);
    return value;
  }

  // Chinese, Japanese or Korean between the word and the secret. False: it speaks of another thing.
  bool script_run() {
    constexpr std::size_t kMost = kScriptGap * 3;
    std::size_t end = at_;
    while (end < plain_.size() && end - at_ <= kMost &&
           (is_script_without_spaces(plain_[end]) ||
            (end > at_ && (static_cast<unsigned char>(plain_[end]) & 0xC0U) == 0x80U)))
      ++end;
    const std::string_view run = plain_.substr(at_, end - at_);
    if (run.size() > kMost) return false;
    for (const std::string_view other : kScriptOtherwise)
      if (run.find(other) != std::string_view::npos) return false;
    for (const std::string_view one : kScriptTies)
      if (run.find(one) != std::string_view::npos) tie(Tie::kWord);
    at_ = end;
    return true;
  }

  std::optional<Finding> judge(const Value& value) const {
    Told one = told;
    one.value = value.text;
    one.quoted = value.quoted;
    one.ends = value.quoted || ends_behind(value.begin + value.text.size());
    if (!is_told_secret(one, tells_)) return std::nullopt;
    const std::size_t end = value.begin + value.text.size();
    switch (tells_) {
      case Tells::kPassword:
      case Tells::kLabel:
        return Finding{value.begin, end, Kind::kPassword, "password"};
      case Tells::kPin:
        return Finding{value.begin, end, Kind::kPin, "PIN"};
      case Tells::kCardCode:
        return Finding{value.begin, end, Kind::kPin, "card security code"};
      default:
        return Finding{value.begin, end, Kind::kKey, "key or token"};
    }
  }

  // The statement ends here, or goes on with another.
  bool ends_behind(std::size_t at) const {
    while (at < plain_.size() && (plain_[at] == ' ' || plain_[at] == '\t')) ++at;
    if (at >= plain_.size()) return true;
    const char c = plain_[at];
    if (c == '.' || c == ',' || c == ':')
      return at + 1 >= plain_.size() || !is_word(plain_[at + 1]);
    if (is_script_without_spaces(c)) return true;
    if (!is_word(c) && !is_foreign(c)) return true;
    std::size_t end = at;
    while (end < plain_.size() && (is_letter(plain_[end]) || is_foreign(plain_[end]))) ++end;
    return is_one_of(plain_.substr(at, end - at), kGoesOn);
  }

  // Over a word between; false: it cannot be one.
  bool goes_on(const Value& value) {
    if (++gap_ > kGapWords) return false;
    const std::string_view text = value.text;
    if (text.size() > 24) return false;
    told.postal = told.postal || (tells_ == Tells::kPin && is_one_of(text, kCode));
    if (weak_tie_) tied_ = weak_tie_ = false;
    told.tie = tied_ ? told.tie : Tie::kBeside;
    // What was trimmed off may end the sentence, or tie.
    at_ = value.quoted ? value.end : value.begin + text.size();
    return true;
  }

  std::string_view plain_;
  std::size_t at_, stop_;
  std::size_t gap_ = 0, lines_ = 0;
  bool tied_ = false;
  bool weak_tie_ = false;  // by a word that can mean other things, too
  const bool key_;
  const Tells tells_;
};

// The words that end at `at`, the nearest first.
std::vector<std::string_view> words_before(std::string_view plain, std::size_t at,
                                           std::size_t count) {
  std::vector<std::string_view> words;
  const std::size_t from = at - std::min(at, kBehindMax);
  while (words.size() < count) {
    while (at > from && (plain[at - 1] == ' ' || plain[at - 1] == '\t')) --at;
    std::size_t begin = at;
    while (begin > from && !is_blank(plain[begin - 1])) --begin;
    if (begin == at) break;
    words.push_back(plain.substr(begin, at - begin));
    at = begin;
    if (at > 0 && plain[at - 1] == '\n') break;
  }
  return words;
}

std::string_view trimmed(std::string_view word) {
  constexpr std::string_view kSigns = "\"'`*_(),.;:[]<>";
  while (!word.empty() && kSigns.find(word.front()) != std::string_view::npos)
    word.remove_prefix(1);
  while (!word.empty() && kSigns.find(word.back()) != std::string_view::npos) word.remove_suffix(1);
  return word;
}

// "Kaffee-2291 is my password".
std::optional<Finding> told_before(std::string_view plain, std::size_t begin, std::size_t end,
                                   Tells tells) {
  const auto words = words_before(plain, begin, 6);
  std::size_t i = 0;
  while (i < words.size() && i < 3 && is_one_of(trimmed(words[i]), kBackOwners)) ++i;
  if (i >= words.size() || !is_one_of(trimmed(words[i]), kBackCopulas)) return std::nullopt;
  // What follows must not make the word speak of another thing.
  std::size_t next = end;
  while (next < plain.size() && plain[next] == ' ') ++next;
  std::size_t next_end = next;
  while (next_end < plain.size() && is_letter(plain[next_end])) ++next_end;
  if (is_one_of(plain.substr(next, next_end - next), kOtherwise)) return std::nullopt;
  if (++i >= words.size()) return std::nullopt;
  Told told;
  told.value = trimmed(words[i]);
  if (told.value.empty()) return std::nullopt;
  told.quoted = words[i].size() > told.value.size() && is_quote(words[i].front());
  told.tie = Tie::kWord;
  told.ends = true;
  const bool letters = shape_of(told.value).only_letters();
  if ((letters && !told.quoted) || !is_told_secret(told, tells)) return std::nullopt;
  const auto at = static_cast<std::size_t>(told.value.data() - plain.data());
  const bool pin = tells == Tells::kPin || tells == Tells::kCardCode;
  const bool key = tells == Tells::kKey || tells == Tells::kWeakKey;
  return Finding{at, at + told.value.size(),
                 pin   ? Kind::kPin
                 : key ? Kind::kKey
                       : Kind::kPassword,
                 pin   ? "PIN"
                 : key ? "key or token"
                       : "password"};
}

bool stands_before(std::string_view plain, std::size_t begin, Words wanted) {
  for (const std::string_view word : words_before(plain, begin, 4))
    if (is_one_of(trimmed(word), wanted)) return true;
  return false;
}

// A label stands at the beginning of a line, or behind a sign or another label.
bool stands_as_label(std::string_view plain, std::size_t begin) {
  std::size_t at = begin;
  while (at > 0 && (plain[at - 1] == ' ' || plain[at - 1] == '*')) --at;
  if (at == 0) return true;
  const char before = plain[at - 1];
  if (!is_word(before) && !is_foreign(before)) return true;
  for (const std::string_view word : words_before(plain, begin, 4))
    for (const std::string_view login : kLogins)
      if (contains_word(word, login)) return true;
  return false;
}

bool plural_or_longer(std::string_view plain, std::size_t end, const TellingWord& word) {
  if (end >= plain.size()) return false;
  const bool foreign = is_foreign(word.text[0]);
  const char next = plain[end];
  if (foreign && !is_script_without_spaces(word.text[0])) return is_foreign(next);
  if (foreign) return false;
  return is_letter(next) || (is_foreign(next) && !is_script_without_spaces(next) &&
                             static_cast<unsigned char>(next) < 0xE0);
}

}  // namespace

void find_told(std::string_view plain, std::size_t begin, std::size_t end, const TellingWord& word,
               std::vector<Finding>& out) {
  const char last = plain[end - 1];
  const bool word_ends = is_word(last) || is_foreign(last);
  if (word_ends && plural_or_longer(plain, end, word)) return;
  const bool part = begin > 0 && (is_word(plain[begin - 1]) ||
                                  (is_foreign(plain[begin - 1]) && is_foreign(word.text[0])));
  const bool escaped = begin > 1 && plain[begin - 2] == '\\';
  if (part && !word.joined && !escaped && !is_script_without_spaces(word.text[0])) return;
  const bool always_label = word.text[0] == 'p' && word.text[1] == 'w' && last != ' ';
  if (word.tells == Tells::kLabel && !always_label && !stands_as_label(plain, begin)) return;
  if (end < plain.size() && plain[end] == '@') return;  // user:password@host
  // "password2"
  std::size_t from = end;
  while (word_ends && from < plain.size() && from < end + 2 && is_digit(plain[from])) ++from;
  if (word_ends && from < plain.size() && is_word(plain[from])) return;

  Ahead ahead(plain, from, word.tells);
  const bool pin = word.tells == Tells::kPin;
  ahead.told.owned =
      stands_before(plain, begin, kOwners) || (pin && stands_before(plain, begin, kThingsWithPins));
  ahead.told.postal = word.tells == Tells::kPin && std::string_view(word.text).ends_with("code");
  ahead.told.shouted = plain[begin] >= 'A' && plain[begin] <= 'Z' && plain[begin + 1] >= 'A' &&
                       plain[begin + 1] <= 'Z';
  const bool option = begin > 1 && plain[begin - 1] == '-' && plain[begin - 2] == '-';
  const bool label = last == ':' || last == '=';
  if (const auto found = told_before(plain, begin, end, word.tells)) out.push_back(*found);
  if (const auto found = ahead.find(label || option)) out.push_back(*found);
}

}  // namespace kartei::secrets
