#include "daemon/manager/wording.h"

#include <algorithm>
#include <array>
#include <utility>

#include "daemon/manager/lexicon_rules.h"

namespace kartei::daemon {
namespace {

struct Swap {
  std::string_view from, about_owner;
};
constexpr Swap kOwnerWords[] = {{"i", "they"},
                                {"me", "them"},
                                {"my", "their"},
                                {"mine", "theirs"},
                                {"we", "they"},
                                {"us", "them"},
                                {"our", "their"},
                                {"ours", "theirs"},
                                {"myself", "themselves"},
                                {"ourselves", "themselves"}};

std::string owner_word(std::string_view low, const People& people, bool about_owner) {
  for (const Swap& swap : kOwnerWords) {
    if (swap.from != low) continue;
    if (about_owner) return std::string(swap.about_owner);
    if (one_of(low, {"my", "our", "mine", "ours"})) return possessive(people.owner());
    return people.owner();
  }
  return {};
}

// A tail after a comma that adds to the statement: "with lemon", "living on a boat", "12 kilos".
bool adds(const Words& words, std::size_t i, std::size_t end) {
  if (i >= end) return false;
  const Word& word = words[i];
  if (word.phrase >= 0) return true;
  if (word.kind == WordKind::kNumber) return true;
  if (word.kind != WordKind::kWord) return false;
  if (one_of(word.low,
             {"like",    "so",     "what",   "which", "no",    "yes",    "not",    "but",
              "because", "lol",    "ugh",    "hope",  "thank", "thanks", "please", "can",
              "any",     "is",     "do",     "how",   "why",   "right",  "i",      "you",
              "it",      "anyway", "sadly",  "super", "such",  "best",   "worst",  "still",
              "need",    "sorry",  "always", "as",    "since", "proud"})) {
    return one_of(word.low, {"not"}) && i + 1 < end;
  }
  if (in(Set::kPreposition, word.low) || word.capital || word.low.ends_with("ing")) return true;
  if (one_of(word.low, {"and",     "or",      "mostly",    "mainly",  "especially", "preferably",
                        "usually", "both",    "including", "ideally", "never",      "only",
                        "max",     "maximum", "minimum",   "two",     "three",      "four",
                        "five",    "one",     "whole",     "all"})) {
    return true;
  }
  if (in(Set::kAux, word.low)) return false;
  // "tea, coffee and cake": a list's next member is short.
  std::size_t k = i;
  while (k < end && !comma(words[k])) ++k;
  return k - i <= (in(Set::kDeterminer, word.low) ? 3u : 4u);
}

// Words at the end that say nothing: marks, "lol", "and"; "back then" goes as one.
void drop_fillers(const Words& words, Range& range) {
  while (!range.empty()) {
    const Word& last = words[range.end - 1];
    const bool filler =
        last.phrase < 0 &&
        (last.kind == WordKind::kEmoji ||
         (last.kind == WordKind::kPunct && last.text != "\"" && last.text != "%") ||
         in(Set::kTrailing, last.low) || one_of(last.low, {"and", "but", "so", "then", "atm"}));
    if (!filler) return;
    const bool then =
        last.low == "then" && range.end - range.begin > 1 && words[range.end - 2].low == "back";
    range.end -= then ? 2 : 1;
  }
}

bool drop_tail(const Words& words, Range& range, std::string_view tail) {
  const auto count = static_cast<std::size_t>(std::count(tail.begin(), tail.end(), ' ')) + 1;
  if (range.end - range.begin < count) return false;
  for (std::size_t k = range.end - count; k < range.end; ++k) {
    const std::size_t space = tail.find(' ');
    if (words[k].low != tail.substr(0, space)) return false;
    tail.remove_prefix(space == std::string_view::npos ? tail.size() : space + 1);
  }
  range.end -= count;
  return true;
}

// Fillers and empty phrases at the end, in turn, until neither is left.
void drop_end(const Words& words, Range& range) {
  auto drops = [&](std::string_view tail) { return drop_tail(words, range, tail); };
  const auto drops_any = [&] {
    return std::any_of(std::begin(data::kEmptyTails), std::end(data::kEmptyTails), drops);
  };
  do {
    while (drops_any()) {
    }
    drop_fillers(words, range);
  } while (drops_any());
}

// Behind the owner's name: "I am" is "Nora is", "I like" is "Nora likes".
std::string verb_of_owner(const Word& word) {
  const std::string& low = word.low;
  if (one_of(low, {"am", "are"})) return "is";
  if (low == "have") return "has";
  if (low == "do") return "does";
  const bool verb =
      !in(Set::kAux, low) && !low.ends_with("ed") && low.size() > 2 && !in(Set::kAdverb, low);
  return verb ? third_person(low) : word.text;
}

bool kept_mark(std::string_view mark) {
  return one_of(mark, {",", "\"", "-", "%", "/", "+", "€", "$", ":", "'", "&", "#"});
}

// One run of turned(): what is written, and what the words before ask of the next.
class Rewording {
 public:
  Rewording(const Words& words, Range range, std::string_view turn_text, const When& when,
            const People& people, bool about_owner, int without)
      : words_(words),
        range_(range),
        turn_text_(turn_text),
        when_(when),
        people_(people),
        about_owner_(about_owner),
        without_(without) {}

  Turned run();

 private:
  void read(std::size_t i);
  bool fleeting(std::size_t i) const;
  std::string piece_of(std::size_t i);
  std::string object_pronoun(std::size_t i) const;
  void put(const Word& word, std::string piece, bool glued);

  const Words& words_;
  const Range range_;
  const std::string_view turn_text_;
  const When& when_;
  const People& people_;
  const bool about_owner_;
  const int without_;
  Turned out_;
  int last_phrase_ = -1;
  bool after_i_ = false;  // the owner's name was just put for "I"
  bool apart_ = false;    // a mark with space before it was left out
};

Turned Rewording::run() {
  for (std::size_t i = range_.begin; i < range_.end; ++i) read(i);
  while (out_.text.ends_with(',') || out_.text.ends_with(' ')) out_.text.pop_back();
  return std::move(out_);
}

void Rewording::read(std::size_t i) {
  const Word& word = words_[i];
  std::string piece = word.text;
  bool glued = word.glued && !out_.text.empty() && word.kind != WordKind::kNumber;
  if (word.phrase >= 0) {
    if (word.phrase == last_phrase_) return;
    last_phrase_ = word.phrase;
    if (word.phrase == without_) return;
    const auto& phrase = when_.phrase(word.phrase);
    piece = when_.wording(phrase, turn_text_.substr(phrase.begin, phrase.end - phrase.begin));
    if (out_.first_phrase < 0) out_.first_phrase = word.phrase;
    glued = false;
  } else if (word.kind == WordKind::kWord && !word.quoted) {
    if (fleeting(i)) return;
    piece = piece_of(i);
    if (word.possessive) piece = possessive(piece);
  }
  if (word.kind == WordKind::kEmoji || word.kind == WordKind::kBreak) return;
  if (word.kind == WordKind::kPunct && !kept_mark(word.text)) {
    apart_ = apart_ || !word.glued;
    return;
  }
  put(word, std::move(piece), glued);
}

// "already", "now": said once, untrue later; not "too sweet" and "until now".
bool Rewording::fleeting(std::size_t i) const {
  const std::string& low = words_[i].low;
  const bool last = i + 1 >= range_.end;
  if (low == "here") return !last && words_[i + 1].low == "in";
  if (low == "now") return i == range_.begin || words_[i - 1].low != "until";
  if (low == "too") {
    return last || words_[i + 1].kind != WordKind::kWord || words_[i + 1].phrase >= 0;
  }
  return one_of(
      low, {"currently", "already", "btw", "actually", "finally", "also", "again", "atm", "just"});
}

// The word in the third person; marks what must not or cannot be said.
std::string Rewording::piece_of(std::size_t i) {
  const Word& word = words_[i];
  const std::string& low = word.low;
  const std::string mine = owner_word(low, people_, about_owner_);
  const bool after_i = std::exchange(after_i_, false);
  if (!mine.empty()) {
    after_i_ = low == "i" || low == "we";
    return mine;
  }
  if (after_i && about_owner_ && low == "am") return "are";
  if (after_i && about_owner_ && low == "was") return "were";
  if (after_i && !about_owner_) return verb_of_owner(word);
  if (one_of(low, {"him", "her"}) || (low == "his" && about_owner_)) return object_pronoun(i);
  if (one_of(low, {"they", "their", "them", "theirs", "it"})) {
    out_.unresolved = true;
  } else if (one_of(low, {"you", "your", "yours", "yourself"})) {
    out_.foreign_you = true;
  } else if (const auto known = people_.by_name(low); known && !word.capital) {
    return people_.at(*known).name;
  }
  return word.text;
}

// "him" and "her" alone are somebody; "her book" stays with whom the sentence is about.
std::string Rewording::object_pronoun(std::size_t i) const {
  const Word& word = words_[i];
  const auto who = people_.by_pronoun(word.low);
  if (!who) return word.text;
  const std::string name = people_.at(*who).display();
  if (word.low == "his") return possessive(name);
  const bool alone = word.low == "him" || i + 1 >= range_.end ||
                     words_[i + 1].kind != WordKind::kWord || words_[i + 1].phrase >= 0 ||
                     in(Set::kPreposition, words_[i + 1].low);
  if (alone) return name;
  return about_owner_ ? possessive(name) : word.text;
}

void Rewording::put(const Word& word, std::string piece, bool glued) {
  std::string& text = out_.text;
  if (word.text == "," && text.ends_with(",")) return;
  if (std::exchange(apart_, false)) glued = false;
  // "a deadline of 15 April": one preposition is enough.
  const std::size_t space = text.rfind(' ');
  const std::string before =
      lower(std::string_view(text).substr(space == std::string::npos ? 0 : space + 1));
  const bool doubled =
      word.phrase >= 0 && (piece.starts_with("on ") || piece.starts_with("in ")) &&
      one_of(before, {"of", "by", "to", "than", "for", "before", "after", "around", "from"});
  if (doubled) piece = piece.substr(3);
  if (!text.empty() && !glued && word.text != ",") text += ' ';
  text += piece;
}

}  // namespace

Range trimmed(const Words& words, Range range) {
  drop_end(words, range);
  // Loose tails after a comma go; the first one that says nothing ends the statement.
  for (std::size_t i = range.begin; i + 1 < range.end; ++i) {
    if (!comma(words[i]) || words[i].phrase >= 0) continue;
    if (!adds(words, i + 1, range.end)) {
      range.end = i;
      break;
    }
  }
  constexpr std::size_t kLongest = 34;
  if (range.end - range.begin > kLongest) {
    std::size_t cut = range.begin + kLongest;
    while (cut > range.begin && !comma(words[cut])) --cut;
    range.end = cut > range.begin ? cut : range.begin + kLongest;
  }
  drop_end(words, range);
  return range;
}

Turned turned(const Words& words, Range range, std::string_view turn_text, const When& when,
              const People& people, bool about_owner, int without) {
  return Rewording(words, range, turn_text, when, people, about_owner, without).run();
}

namespace {
// "Maya loves to.", "Maya loves them.": whatever it was, it has not been understood to its end.
bool breaks_off(const Words& words) {
  std::size_t end = words.size();
  while (end > 0 && words[end - 1].kind == WordKind::kPunct) --end;
  return end > 0 && words[end - 1].kind == WordKind::kWord && !words[end - 1].quoted &&
         one_of(words[end - 1].low,
                {"a",     "an", "and",  "because", "but",   "for",  "her",  "his",
                 "is",    "my", "of",   "or",      "our",   "than", "that", "the",
                 "their", "to", "when", "which",   "while", "who",  "with"});
}
}  // namespace

bool fit_to_write(std::string_view sentence) {
  if (sentence.size() < 8 || sentence.size() > 400) return false;
  const Words words = lex_words(sentence);
  if (words.empty()) return false;
  if (one_of(words[0].low, {"he", "she", "it", "they", "i", "my", "we", "his", "her", "their",
                            "our", "this", "that", "you", "your", "its", "him", "them", "there"})) {
    return false;
  }
  if (breaks_off(words)) return false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    if (word.quoted || word.kind != WordKind::kWord) continue;
    if (one_of(word.low, {"i", "my", "we", "our", "me", "us", "mine", "ours", "myself", "you",
                          "your", "yesterday", "tomorrow", "tonight", "ago", "today"})) {
      return false;
    }
    const bool relative_word = one_of(word.low, {"last", "next", "this"});
    if (relative_word && i + 1 < words.size() &&
        one_of(words[i + 1].low,
               {"week",     "month",    "year",    "weekend", "night",   "summer",    "winter",
                "spring",   "autumn",   "fall",    "monday",  "tuesday", "wednesday", "thursday",
                "friday",   "saturday", "sunday",  "morning", "evening", "afternoon", "january",
                "february", "march",    "april",   "june",    "july",    "august",    "september",
                "october",  "november", "december"})) {
      return false;
    }
  }
  return true;
}

std::string sentence_of(std::string text) {
  std::string out;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t';
    if (space && (out.empty() || out.back() == ' ')) continue;
    out += space ? ' ' : c;
  }
  while (!out.empty() && (out.back() == ' ' || out.back() == ',' || out.back() == ';'))
    out.pop_back();
  out = capitalised(out);
  if (!out.empty() && out.back() != '.' && out.back() != '!' && out.back() != '?' &&
      !out.ends_with("。")) {
    out += '.';
  }
  return out;
}

std::string place_name(std::string_view text) {
  std::string out;
  bool naming = true, begun = false;
  for (const Word& word : lex_words(text)) {
    const bool small = word.kind != WordKind::kWord || in(Set::kPreposition, word.low) ||
                       in(Set::kDeterminer, word.low) || in(Set::kAdverb, word.low) ||
                       word.low == "and";
    // The name is the first run of words; what follows it is as it was said. "the coast" is no
    // name.
    if ((small && begun) || in(Set::kDeterminer, word.low)) naming = false;
    begun = begun || !small;
    if (!out.empty() && !word.glued && word.text != ",") out += ' ';
    out += small || !naming || word.capital ? word.text : capitalised(word.text);
    if (word.possessive) out += "'s";
  }
  return out;
}

}  // namespace kartei::daemon
