// Corrections of what was just said, within a turn and by the next one.
#include <algorithm>

#include "daemon/manager/reader.h"

namespace kartei::daemon {
namespace {

using store::Date;

bool is_weekday(std::string_view low) {
  return one_of(low,
                {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"});
}

// One may stand in the other's place: a number for a number, a name for a name.
bool same_sort(const Word& a, const Word& b) {
  if (a.kind == WordKind::kNumber || b.kind == WordKind::kNumber) return a.kind == b.kind;
  if (is_weekday(a.low) || is_weekday(b.low)) return is_weekday(a.low) && is_weekday(b.low);
  return a.capital && b.capital && a.kind == WordKind::kWord;
}

// The word behind an interruption that begins at i: ".. no wait, make it 9"; 0: there is none.
std::size_t after_interruption(const Words& words, std::size_t i) {
  const std::string &low = words[i].low, &next = words[i + 1].low;
  const bool two =
      (low == "no" && one_of(next, {"wait", "sorry"})) || (low == "i" && next == "mean");
  const bool one = (low == "sorry" && (words[i + 1].text == "," || next == "i")) ||
                   (low == "wait" && one_of(next, {"no", ","})) ||
                   one_of(low, {"scratch", "correction"});
  if (!one && !two) return 0;
  constexpr std::size_t kReach = 8;
  std::size_t after = i + (one ? 1 : 2);
  while (after < words.size() &&
         (words[after].kind == WordKind::kPunct ||
          one_of(words[after].low,
                 {"that", "i", "mean", "meant", "no", "wait", "it", "is", "actually", "make"}))) {
    ++after;
  }
  return after < words.size() && after <= i + kReach ? after : 0;
}

// Where a correction's own words begin: behind "I meant", "no wait", "scratch that", "oops".
std::optional<Range> corrected_words(const Words& words, Range range) {
  constexpr std::size_t kReach = 6;
  for (std::size_t i = range.begin; i + 1 < range.end && i < range.begin + kReach; ++i) {
    const std::string &low = words[i].low, &next = words[i + 1].low;
    if (low == "correction") return Range{i + 1, range.end};
    const bool corrects = (low == "i" && one_of(next, {"meant", "mean"})) ||
                          (low == "no" && next == "wait") || (low == "scratch" && next == "that") ||
                          (low == "make" && one_of(next, {"that", "it"}));
    if (corrects) return Range{i + 2, range.end};
  }
  const std::size_t length = range.end - range.begin;
  if (length > 1 && length <= 6 &&
      one_of(words[range.begin].low, {"sorry", "oops", "wait", "typo"})) {
    return Range{range.begin + 1, range.end};
  }
  // "*sunday"
  const bool starred = range.begin > 0 && words[range.begin - 1].text == "*" && length <= 3;
  return starred ? std::optional(range) : std::nullopt;
}

// The card's day becomes another; false where its text does not name it.
bool correct_day(Date to, store::Card& card, std::string& text) {
  if (!to.known()) return false;
  const std::string was = store::spoken(card.valid_from);
  if (to.minute < 0 && to.day) to.minute = card.valid_from.minute;
  if (to.minute >= 0 && card.valid_from.minute >= 0) to.zone_min = card.valid_from.zone_min;
  const std::size_t at = text.find(was);
  if (at == std::string::npos) return false;
  text.replace(at, was.size(), store::spoken(to));
  card.valid_from = to;
  if (card.valid_to.known()) card.valid_to = {};
  return true;
}

bool is_name(const Word& word) {
  return word.capital && word.kind == WordKind::kWord;
}

// The last word of the text that a number or a name can take the place of; its size: none.
std::size_t word_to_correct(const Words& text, bool number, const std::string& owner_low) {
  for (std::size_t k = text.size(); k-- > 1;) {
    const bool fits =
        number ? text[k].kind == WordKind::kNumber : is_name(text[k]) && text[k].low != owner_low;
    if (fits) return k;
  }
  return text.size();
}

// The word of the same sort: a number for a number, a name for a name.
bool correct_word(const Words& words, const Range& range, const std::string& owner_low,
                  store::Card& card, std::string& text) {
  std::size_t put = range.begin;
  while (put < range.end && words[put].kind != WordKind::kNumber &&
         !(words[put].capital && !in(Set::kNotName, words[put].low))) {
    ++put;
  }
  if (put >= range.end) return false;
  const bool number = words[put].kind == WordKind::kNumber;
  std::string what = words[put].text;
  for (std::size_t k = put + 1; k < range.end && words[k].capital && !number; ++k)
    what += " " + words[k].text;
  const Words old = lex_words(text);
  const std::size_t hit = word_to_correct(old, number, owner_low);
  if (hit >= old.size()) return false;
  // A name of several words takes the place of one of several.
  std::size_t from = hit;
  const bool several_words = !number && what.find(' ') != std::string::npos;
  while (several_words && from > 1 && is_name(old[from - 1])) --from;
  text.replace(old[from].begin, old[hit].end - old[from].begin, what);
  card.object = store::normalised_text(what);
  return true;
}

}  // namespace

// Within one turn: "row 8 .. no wait, 9" is "row 9".
void Reader::mend_words(Words& words) const {
  constexpr std::size_t kReach = 6;
  for (std::size_t i = 1; i + 2 < words.size(); ++i) {
    const std::size_t after = after_interruption(words, i);
    if (after == 0) continue;
    // The nearest word of the same sort, before the interruption.
    for (std::size_t k = i; k-- > 0 && k + kReach > i;) {
      if (!same_sort(words[k], words[after])) continue;
      if (words[k].phrase >= 0 && words[after].phrase < 0) break;
      Word better = words[after];
      better.glued = words[k].glued;
      words[k] = better;
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(k + 1),
                  words.begin() + static_cast<std::ptrdiff_t>(after + 1));
      return;
    }
  }
}

// The next turn mends the last: "oops, I meant sunday".
bool Reader::read_correction(const Sentence& sentence) {
  const auto range = corrected_words(page_.words, sentence);
  if (!range) return false;
  if (silent_) return true;
  if (!last_) return false;
  constexpr std::size_t kReachTurns = 4;
  Draft& before = notebook_.draft(*last_);
  if (before.dropped || before.turn + kReachTurns < page_.index) return false;
  store::Card& card = before.card;
  std::string text = card.text;
  const auto time = page_.when->main(page_.when->inside(page_.words, *range));
  const bool corrected = time && card.valid_from.known()
                             ? correct_day(page_.when->phrase(*time).from, card, text)
                             : correct_word(page_.words, *range, lower(owner_name_), card, text);
  if (!corrected) return false;
  card.text = card.micro_context = sentence_of(text);
  const auto& source = page_.turn->id;
  if (std::find(card.sources.begin(), card.sources.end(), source) == card.sources.end() &&
      card.sources.size() < 3) {
    card.sources.push_back(source);
  }
  return true;
}

}  // namespace kartei::daemon
