#include "daemon/manager/sentences.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kartei::daemon {
namespace {

bool is_mark(const Word& word, std::string_view mark) {
  return word.kind == WordKind::kPunct && word.text == mark;
}

bool ends_sentence(const Word& word) {
  if (word.kind == WordKind::kBreak || word.kind == WordKind::kEmoji) return true;
  return is_mark(word, ".") || is_mark(word, "!") || is_mark(word, "?") || is_mark(word, "...") ||
         is_mark(word, ";");
}

bool bullet(const Words& words, std::size_t i) {
  if (i > 0 && words[i - 1].kind != WordKind::kBreak) return false;
  return is_mark(words[i], "-") || is_mark(words[i], "*") || words[i].text == "•";
}

// Adds a sentence without its outer marks.
void add(std::vector<Sentence>& out, const Words& words, Sentence sentence) {
  while (!sentence.empty() && words[sentence.begin].kind == WordKind::kPunct &&
         !is_mark(words[sentence.begin], "\"") && !is_mark(words[sentence.begin], "*")) {
    ++sentence.begin;
  }
  while (!sentence.empty() &&
         (is_mark(words[sentence.end - 1], ",") || is_mark(words[sentence.end - 1], "-") ||
          is_mark(words[sentence.end - 1], ":"))) {
    --sentence.end;
  }
  if (!sentence.empty()) out.push_back(sentence);
}

constexpr std::array<std::string_view, 9> kReasons = {
    "because", "although", "though", "whereas", "unless", "if", "which", "who", "where"};

bool pronoun(std::string_view low) {
  static constexpr std::array<std::string_view, 5> kPronouns = {"he", "i", "she", "they", "we"};
  return std::find(kPronouns.begin(), kPronouns.end(), low) != kPronouns.end();
}

bool weak_pronoun(std::string_view low) {
  static constexpr std::array<std::string_view, 10> kPronouns = {
      "everyone", "everything", "it", "nobody", "someone", "that", "there", "this", "what", "you"};
  return std::find(kPronouns.begin(), kPronouns.end(), low) != kPronouns.end();
}

// Skips words that may stand between a joint and its clause: "and then of course".
std::size_t after_joint(const Words& words, std::size_t i, std::size_t end) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kPairs = {
      {{"of", "course"}, {"in", "fact"}, {"of", "late"}, {"as", "well"}, {"at", "least"}}};
  while (i < end) {
    const bool pair = i + 1 < end && std::any_of(kPairs.begin(), kPairs.end(), [&](const auto& p) {
                        return words[i].low == p.first && words[i + 1].low == p.second;
                      });
    if (pair) {
      i += 2;
    } else if (in(Set::kFiller, words[i].low) || is_mark(words[i], ",")) {
      ++i;
    } else {
      break;
    }
  }
  return i;
}

bool joint(const Words& words, std::size_t i) {
  const std::string& low = words[i].low;
  return is_mark(words[i], ",") || low == "and" || low == "but" || low == "so" || low == "then" ||
         low == "or" || low == "plus";
}

// A verb without its subject: ", bought a tent", "and want more".
bool bare_verb(const Words& words, std::size_t i, std::size_t end, std::size_t clause_begin,
               const Lexicon& lexicon) {
  if (i >= end || words[i].kind != WordKind::kWord || words[i].capital) return false;
  if (in(Set::kAux, words[i].low) && i + 1 < end) {
    // "... and can't drive"
    return words[i].low != "may" && words[i].low != "might" &&
           !(words[i].low == "have" && words[i + 1].low == "to");
  }
  const auto form = lexicon.verb(words[i].low);
  if (!form || form->form == Form::kIng || form->form == Form::kParticiple) return false;
  if (in(Set::kEventNoun, words[i].low) || in(Set::kAttribute, words[i].low)) {
    if (form->form != Form::kPast) return false;
  }
  if (form->form == Form::kBase && !form->past_too) {
    // "I like to run and swim": the second verb hangs on the first's "to".
    for (std::size_t k = clause_begin; k < i; ++k) {
      const std::string& low = words[k].low;
      if (low == "to" || low == "can" || low == "will" || low == "like" || low == "love")
        return false;
    }
    // A base form after a noun's list: "bread, butter and jam".
    if (form->verb == Verb::kPlain) return false;
  }
  // The verb is followed by something of its own.
  return i + 1 < end;
}

}  // namespace

Words lift_asides(Words words) {
  if (std::none_of(words.begin(), words.end(), [](const Word& w) { return is_mark(w, "("); })) {
    return words;
  }
  Words out, asides;
  out.reserve(words.size() + 4);
  auto mark = [](const Word& like, const char* text) {
    Word word = like;
    word.text = word.low = text;
    word.kind = WordKind::kPunct;
    word.glued = true;
    return word;
  };
  auto settle = [&] {
    if (asides.empty()) return;
    out.push_back(mark(asides.front(), "."));
    out.insert(out.end(), asides.begin(), asides.end());
    out.push_back(mark(asides.back(), "."));
    asides.clear();
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_mark(words[i], "(")) {
      std::size_t close = i + 1;
      while (close < words.size() && !is_mark(words[close], ")") &&
             words[close].kind != WordKind::kBreak) {
        ++close;
      }
      const bool apposition = close > i + 1 && close < i + 5 &&
                              (words[i + 1].low == "my" || words[i + 1].low == "our" ||
                               (close == i + 2 && words[i + 1].capital));
      if (apposition) {
        out.push_back(mark(words[i], ","));
        out.insert(out.end(), words.begin() + static_cast<std::ptrdiff_t>(i + 1),
                   words.begin() + static_cast<std::ptrdiff_t>(close));
        if (close + 1 < words.size() && words[close + 1].kind == WordKind::kWord) {
          out.push_back(mark(words[i], ","));
        }
      } else {
        if (!asides.empty()) asides.push_back(mark(words[i], "."));
        asides.insert(asides.end(), words.begin() + static_cast<std::ptrdiff_t>(i + 1),
                      words.begin() + static_cast<std::ptrdiff_t>(close));
      }
      i = close;
      if (close < words.size() && words[close].kind == WordKind::kBreak) --i;
      continue;
    }
    if (ends_sentence(words[i])) settle();
    out.push_back(std::move(words[i]));
  }
  settle();
  return out;
}

// Openers that say nothing by themselves: "heads up:", "life update,".
constexpr std::string_view kOpeners[] = {
    "heads up",
    "quick intro",
    "for the record",
    "just so you know",
    "for your information",
    "note to self",
    "by the way",
    "fun fact",
    "guess what",
    "small update",
    "quick update",
    "big update",
    "sad news",
    "bad news",
    "good news",
    "great news",
    "big news",
    "happy news",
    "exciting news",
    "huge news",
    "in case it helps",
    "for context",
    "for reference",
    "long story short",
    "quick question",
    "one more thing",
    "one thing",
    "another thing",
    "funny thing",
    "long story",
    "as you know",
    "you know",
    "in the end",
    "of course",
    "to be honest",
    "to be fair",
    "as i said",
    "like i said",
    "turns out",
    "it turns out",
    "so yeah",
    "quick note",
    "just a heads up",
    "for what it is worth",
    "keep in mind",
    "please note",
    "please remember",
    "remember that",
    "note that",
    "do not forget",
    "small note",
    "quick heads up",
    "life update",
    "job update",
    "i think i told you",
    "did i mention",
    "did i tell you",
    "i forgot to mention",
    "i should mention",
    "i should say",
    "i must admit",
    "i have to admit",
    "i admit",
    "you should know",
    "for the future",
    "to be clear",
    "to be precise",
    "the thing is",
    "good to know",
    "i guess",
    "i think",
    "i mean",
    "i suppose",
    "these days",
    "at the moment",
    "right now",
    "just to let you know",
    "also note",
    "the truth is",
    "as of now",
    "let me tell you",
    "can you believe it",
    "no joke",
    "not gonna lie",
    "what else",
};

// The words after an opener that begins at i; i where there is none.
std::size_t after_opener(const Words& words, std::size_t i, std::size_t end) {
  for (const std::string_view opener : kOpeners) {
    if (i >= end || words[i].low[0] != opener[0]) continue;
    std::string_view left = opener;
    std::size_t at = i;
    while (at < end && !left.empty()) {
      const std::size_t space = left.find(' ');
      if (words[at].low != left.substr(0, space)) break;
      left = space == std::string_view::npos ? std::string_view{} : left.substr(space + 1);
      ++at;
    }
    if (!left.empty() || at >= end) continue;
    if (words[at].low == "that" && at + 1 < end && words[at + 1].kind == WordKind::kWord) ++at;
    // Not "I think of moving" and not "you know him": a statement follows.
    if (words[at].low == "of" || words[at].low == "about") continue;
    return at;
  }
  return i;
}

std::vector<Sentence> split_sentences(const Words& words) {
  std::vector<Sentence> out;
  Sentence now;
  auto flush = [&](std::size_t end, bool asks) {
    now.end = end;
    now.asks = asks;
    add(out, words, now);
    now = {};
    now.begin = end;
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (bullet(words, i)) {
      flush(i, false);
      now.begin = i + 1;
      now.item = true;
      continue;
    }
    if (words[i].quoted && words[i].kind != WordKind::kBreak) continue;
    if (!ends_sentence(words[i])) continue;
    flush(i, is_mark(words[i], "?"));
    now.begin = i + 1;
  }
  flush(words.size(), false);
  return out;
}

bool finite(const Words& words, std::size_t i, const Lexicon& lexicon) {
  if (words[i].kind != WordKind::kWord) return false;
  if (in(Set::kAux, words[i].low)) return true;
  const auto form = lexicon.verb(words[i].low);
  return form && (form->form == Form::kThird || form->form == Form::kPast);
}

bool begins_clause(const Words& words, std::size_t i, std::size_t end, const Lexicon& lexicon) {
  if (i >= end || words[i].kind != WordKind::kWord) return false;
  const std::string& low = words[i].low;
  auto verb_at = [&](std::size_t k) {
    while (k < end && in(Set::kAdverb, words[k].low)) ++k;
    return k < end && (finite(words, k, lexicon) || lexicon.verb(words[k].low).has_value());
  };
  if (low == "i" && i + 1 < end) return true;
  if (pronoun(low)) return verb_at(i + 1);
  if (weak_pronoun(low)) return i + 1 < end && finite(words, i + 1, lexicon);
  const bool noun = in(Set::kDeterminer, low) || (words[i].capital && !in(Set::kNotName, low)) ||
                    words[i].possessive;
  if (!noun && relative(low) == nullptr) return false;
  constexpr std::size_t kReach = 7;
  for (std::size_t k = i + 1; k < end && k < i + kReach; ++k) {
    if (is_mark(words[k], ",") || words[k].kind != WordKind::kWord) return false;
    if (in(Set::kPreposition, words[k].low) && words[k].low != "from") return false;
    if (!finite(words, k, lexicon)) continue;
    // "the planned trip": a past form before a noun is none.
    return !in(Set::kDeterminer, words[k - 1].low) || in(Set::kAux, words[k].low);
  }
  return words[i].possessive && i + 1 < end &&
         (in(Set::kState, words[i + 1].low) || words[i + 1].low == "not");
}

namespace {

// Where the first clause begins: behind "and by the way," and their like, however many.
std::size_t after_openers(const Words& words, const Range& sentence) {
  std::size_t begin = sentence.begin;
  while (begin < sentence.end) {
    std::size_t at = begin;
    while (at < sentence.end && (in(Set::kFiller, words[at].low) || is_mark(words[at], ",") ||
                                 one_of(words[at].low, {"and", "but"}))) {
      ++at;
    }
    const std::size_t next = after_opener(words, at, sentence.end);
    if (next == at) break;
    begin = next;
    while (begin < sentence.end && words[begin].kind == WordKind::kPunct) ++begin;
  }
  return begin;
}

bool is_reason(const Word& word) {
  return word.kind == WordKind::kWord &&
         std::find(kReasons.begin(), kReasons.end(), word.low) != kReasons.end();
}

// A word or mark behind which another clause begins, whatever follows: ":", "because", "since I".
bool parts_clauses(const Words& words, std::size_t i, std::size_t end) {
  const Word& word = words[i];
  if (is_mark(word, ":") || (is_mark(word, "-") && !word.glued)) return true;
  if (i + 1 >= end) return false;
  return is_reason(word) || (word.low == "since" && pronoun(words[i + 1].low));
}

// "Bo and I", "my aunt and her dog": still the subject, there has been no verb.
bool joins_subjects(const Words& words, const Range& before, const Lexicon& lexicon) {
  for (std::size_t k = before.begin; k < before.end; ++k) {
    const bool verb =
        finite(words, k, lexicon) || words[k].low == "i" || lexicon.verb(words[k].low).has_value();
    if (verb) return false;
  }
  return !before.empty();
}

// "and", "but" or a comma at i, behind which a statement of its own follows.
bool joins_statement(const Words& words, std::size_t begin, std::size_t i, std::size_t end,
                     const Lexicon& lexicon) {
  const Word& word = words[i];
  if (!joint(words, i)) return false;
  if (!is_mark(word, ",") && joins_subjects(words, {begin, i}, lexicon)) return false;
  if (word.phrase >= 0 && i + 1 < end && words[i + 1].phrase == word.phrase) return false;
  const std::size_t next = after_joint(words, i + 1, end);
  const bool and_word = next > i + 1 && low_at(words, next, end) == "and";
  const std::size_t start = and_word ? next + 1 : next;
  return begins_clause(words, start, end, lexicon) || bare_verb(words, start, end, begin, lexicon);
}

}  // namespace

std::vector<Clause> split_clauses(const Words& words, const Sentence& sentence,
                                  const Lexicon& lexicon) {
  std::vector<Clause> out;
  Clause now;
  now.begin = after_openers(words, sentence);
  auto cut = [&](std::size_t end, std::size_t next, const std::string& link) {
    now.end = end;
    if (!now.empty()) out.push_back(now);
    now = {};
    now.begin = next;
    now.link = link;
    now.conditional = link == "if" || link == "unless";
  };
  for (std::size_t i = now.begin; i < sentence.end; ++i) {
    const Word& word = words[i];
    if (word.quoted) continue;
    if (parts_clauses(words, i, sentence.end)) {
      cut(i, i + 1, word.low);
      continue;
    }
    if (is_reason(word)) continue;
    if (word.low == "when" && i == now.begin) {
      now.link = "when";
      continue;
    }
    if (!joins_statement(words, now.begin, i, sentence.end, lexicon)) continue;
    // "if it rains and I am ill": under the same "if".
    const bool kept = now.conditional && !is_mark(word, ",");
    cut(i, i + 1, word.low);
    if (kept) now.conditional = true;
  }
  cut(sentence.end, sentence.end, "");
  return out;
}

}  // namespace kartei::daemon
