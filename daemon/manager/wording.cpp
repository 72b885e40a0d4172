#include "daemon/manager/wording.h"

#include <algorithm>
#include <array>

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

}  // namespace

Range trimmed(const Words& words, Range range) {
  auto drop_end = [&] {
    while (!range.empty()) {
      const Word& last = words[range.end - 1];
      const bool filler =
          last.phrase < 0 &&
          (last.kind == WordKind::kEmoji ||
           (last.kind == WordKind::kPunct && last.text != "\"" && last.text != "%") ||
           in(Set::kTrailing, last.low) || last.low == "and" || last.low == "but" ||
           last.low == "so" || last.low == "then" || last.low == "atm");
      if (!filler) break;
      const bool then =
          last.low == "then" && range.end - range.begin > 1 && words[range.end - 2].low == "back";
      range.end -= then ? 2 : 1;
    }
    auto ends_with = [&](std::initializer_list<std::string_view> tail) {
      if (range.end - range.begin < tail.size()) return false;
      std::size_t k = range.end - tail.size();
      for (const std::string_view word : tail) {
        if (words[k++].low != word) return false;
      }
      range.end -= tail.size();
      return true;
    };
    return ends_with({"i", "think"}) || ends_with({"i", "guess"}) || ends_with({"you", "know"}) ||
           ends_with({"at", "the", "moment"}) || ends_with({"right", "now"}) ||
           ends_with({"by", "the", "way"}) || ends_with({"to", "be", "exact"}) ||
           ends_with({"to", "be", "precise"}) || ends_with({"to", "be", "honest"}) ||
           ends_with({"of", "course"}) || ends_with({"these", "days"}) ||
           ends_with({"for", "now"}) || ends_with({"as", "well"}) || ends_with({"i", "admit"}) ||
           ends_with({"i", "suppose"}) || ends_with({"i", "hope"}) || ends_with({"so", "far"}) ||
           ends_with({"you", "see"});
  };
  while (drop_end()) {
  }
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
  while (drop_end()) {
  }
  return range;
}

Turned turned(const Words& words, Range range, std::string_view turn_text, const When& when,
              const People& people, bool about_owner, int without) {
  Turned out;
  int last_phrase = -1;
  bool after_owner_i = false, apart = false;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const Word& word = words[i];
    std::string piece = word.text;
    bool glued = word.glued && !out.text.empty() && word.kind != WordKind::kNumber;
    if (word.phrase >= 0) {
      if (word.phrase == last_phrase) continue;
      last_phrase = word.phrase;
      if (word.phrase == without) continue;
      const auto& phrase = when.phrase(word.phrase);
      piece = when.wording(phrase, turn_text.substr(phrase.begin, phrase.end - phrase.begin));
      if (out.first_phrase < 0) out.first_phrase = word.phrase;
      glued = false;
    } else if (word.kind == WordKind::kWord && !word.quoted) {
      // "already", "now": said once, untrue later.
      const bool fleeting = one_of(word.low, {"now", "currently", "already", "btw", "actually",
                                              "finally", "also", "too", "again", "atm", "just"}) ||
                            (word.low == "here" && i + 1 < range.end && words[i + 1].low == "in");
      const bool comparing = word.low == "too" && i + 1 < range.end &&
                             words[i + 1].kind == WordKind::kWord && words[i + 1].phrase < 0;
      if (fleeting && !comparing &&
          !(word.low == "now" && i > range.begin && words[i - 1].low == "until")) {
        continue;
      }
      const std::string mine = owner_word(word.low, people, about_owner);
      const bool was_after_i = after_owner_i;
      after_owner_i = false;
      if (!mine.empty()) {
        piece = mine;
        after_owner_i = word.low == "i" || word.low == "we";
      } else if (was_after_i && about_owner && word.low == "am") {
        piece = "are";
      } else if (was_after_i && !about_owner) {
        if (one_of(word.low, {"am", "are"})) piece = "is";
        if (word.low == "have") piece = "has";
        if (word.low == "do") piece = "does";
        if (!in(Set::kAux, word.low) && !word.low.ends_with("ed") && word.low.size() > 2 &&
            !in(Set::kAdverb, word.low)) {
          piece = third_person(word.low);
        }
      } else if (one_of(word.low, {"him", "her"})) {
        // "him" and "her" alone are somebody; "her book" stays with whom the sentence is about.
        const bool alone = word.low == "him" || i + 1 >= range.end ||
                           words[i + 1].kind != WordKind::kWord || words[i + 1].phrase >= 0 ||
                           in(Set::kPreposition, words[i + 1].low);
        const auto who = people.by_pronoun(word.low);
        if (who && alone) piece = people.at(*who).display();
        if (who && !alone && about_owner) piece = possessive(people.at(*who).display());
      } else if (word.low == "his" && about_owner) {
        if (const auto who = people.by_pronoun(word.low))
          piece = possessive(people.at(*who).display());
      } else if (one_of(word.low, {"they", "their", "them", "theirs", "it"})) {
        out.unresolved = true;
      } else if (one_of(word.low, {"you", "your", "yours", "yourself"})) {
        out.foreign_you = true;
      } else if (const auto known = people.by_name(word.low); known && !word.capital) {
        piece = people.at(*known).name;
      }
      if (word.possessive) piece = possessive(piece);
    }
    if (word.kind == WordKind::kEmoji || word.kind == WordKind::kBreak) continue;
    if (word.kind == WordKind::kPunct && word.text != "," && word.text != "\"" &&
        word.text != "-" && word.text != "%" && word.text != "/" && word.text != "+" &&
        word.text != "€" && word.text != "$" && word.text != ":" && word.text != "'" &&
        word.text != "&" && word.text != "#") {
      apart = apart || !word.glued;
      continue;
    }
    if (word.text == "," && out.text.ends_with(",")) continue;
    if (apart) glued = false;
    apart = false;
    // "a deadline of 15 April": one preposition is enough.
    const std::size_t space = out.text.rfind(' ');
    const std::string before =
        lower(std::string_view(out.text).substr(space == std::string::npos ? 0 : space + 1));
    if (word.phrase >= 0 &&
        one_of(before, {"of", "by", "to", "than", "for", "before", "after", "around", "from"}) &&
        (piece.starts_with("on ") || piece.starts_with("in "))) {
      piece = piece.substr(3);
    }
    if (!out.text.empty() && !glued && word.text != ",") out.text += ' ';
    out.text += piece;
  }
  while (out.text.ends_with(',') || out.text.ends_with(' ')) out.text.pop_back();
  return out;
}

bool fit_to_write(std::string_view sentence) {
  if (sentence.size() < 8 || sentence.size() > 400) return false;
  const Words words = lex_words(sentence);
  if (words.empty()) return false;
  if (one_of(words[0].low, {"he", "she", "it", "they", "i", "my", "we", "his", "her", "their",
                            "our", "this", "that", "you", "your", "its", "him", "them", "there"})) {
    return false;
  }
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
