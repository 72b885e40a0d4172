#include "daemon/manager/kind.h"

#include <algorithm>
#include <array>
#include <span>

#include "daemon/manager/lexicon_rules.h"

namespace kartei::daemon {
namespace {

// True if the words of `phrase` (parted by single spaces) stand one after the other in the range.
bool says(const Words& words, const Range& range, std::string_view phrase) {
  const std::size_t space = phrase.find(' ');
  const std::string_view first = phrase.substr(0, space);
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const std::string& low = words[i].low;
    if (low.size() != first.size() || low[0] != first[0] || low != first) continue;
    if (space == std::string_view::npos) return true;
    std::string_view left = phrase.substr(space + 1);
    for (std::size_t k = i + 1; k < range.end; ++k) {
      const std::size_t next = left.find(' ');
      if (words[k].low != left.substr(0, next)) break;
      if (next == std::string_view::npos) return true;
      left = left.substr(next + 1);
    }
  }
  return false;
}

bool any(const Words& words, const Range& range, std::span<const std::string_view> phrases) {
  return std::any_of(phrases.begin(), phrases.end(),
                     [&](std::string_view phrase) { return says(words, range, phrase); });
}

bool any(const Words& words, const Range& range, std::initializer_list<std::string_view> phrases) {
  return any(words, range, std::span(phrases.begin(), phrases.size()));
}

std::size_t first_word(const Words& words, const Range& range) {
  std::size_t i = range.begin;
  while (i < range.end && (words[i].kind != WordKind::kWord || in(Set::kFiller, words[i].low))) ++i;
  return i;
}

bool asks_by_order(const Words& words, const Range& range) {
  const std::size_t i = first_word(words, range);
  if (i >= range.end) return false;
  const std::string& low = words[i].low;
  if (one_of(low,
             {"what", "why", "where", "who", "whose", "which", "how", "wdyt", "whats", "when"})) {
    // "when I cook, ..." is none; "what a day" neither, and tells nothing either.
    if (low == "when") {
      return i + 1 < range.end && in(Set::kAux, words[i + 1].low);
    }
    return true;
  }
  if (low == "any" && i + 1 < range.end) {
    return one_of(words[i + 1].low, {"idea", "ideas", "tips", "good", "chance", "suggestions",
                                     "recommendations", "thoughts", "advice", "way"});
  }
  if (!in(Set::kAux, low) || i + 1 >= range.end) return false;
  const std::string& next = words[i + 1].low;
  return one_of(next, {"i", "you", "we", "he", "she", "they", "it", "there", "that", "this", "the",
                       "my", "anyone", "someone", "a", "an", "your"}) &&
         !(low == "have" && one_of(next, {"a", "an", "the", "my"}));
}

bool hypothetical(const Words& words, const Range& range) {
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const std::string& low = words[i].low;
    if (one_of(low, {"imagine", "suppose", "hypothetically", "pretend", "wish", "theoretically"})) {
      return true;
    }
    if (low == "if" && i + 1 < range.end) {
      // "if I were", "if I had": what follows is not so.
      for (std::size_t k = i + 1; k < range.end && k < i + 6; ++k) {
        if (one_of(words[k].low,
                   {"were", "won", "had", "could", "was", "ever", "lived", "became"})) {
          return true;
        }
      }
    }
  }
  return any(words, range,
             {"what if", "let us say", "let us pretend", "in theory", "would love to", "would be",
              "would have", "would buy", "would live", "one day i will", "in another life",
              "in my next life", "in my dreams", "would rather", "would move", "would get"});
}

// "so much fun, not", "I just ADORE queueing", "I absolutely love paying ...".
bool sarcastic_at(const Words& words, const Range& range, std::size_t i) {
  const std::string& low = words[i].low;
  if (words[i].kind == WordKind::kEmoji && words[i].text == "\xF0\x9F\x99\x84") return true;
  if (i == range.begin) return false;
  const std::string& before = words[i - 1].low;
  if (i + 1 == range.end) return low == "not" && !in(Set::kAux, before);
  if (!one_of(low, {"love", "adore", "enjoy", "loved"})) return false;
  const std::string& next = words[i + 1].low;
  const bool pushed = one_of(before, {"just", "absolutely", "simply", "totally"});
  const bool doing = next.ends_with("ing") || next == "when" || next == "how";
  if (words[i].shouted && (pushed || doing)) return true;
  return pushed && in(Set::kNuisance, next);
}

bool sarcastic(const Words& words, const Range& range) {
  if (any(words, range, data::kSarcasms)) return true;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (sarcastic_at(words, range, i)) return true;
  }
  return false;
}

bool joking(const Words& words, const Sentence& sentence) {
  if (any(words, sentence,
          {"just kidding", "jk", "joking", "knock knock", "walks into a bar", "kidding",
           "i could eat a horse", "world domination"})) {
    return true;
  }
  if (sentence.end < words.size() && words[sentence.end].kind == WordKind::kEmoji) {
    const std::string& face = words[sentence.end].text;
    if (face == "\xF0\x9F\x98\x82" || face == "\xF0\x9F\xA4\xA3" || face == "\xF0\x9F\x98\x9C" ||
        face == "\xF0\x9F\x99\x84" || face == "\xF0\x9F\x98\x9D" || face == "\xF0\x9F\xA4\xAA") {
      return true;
    }
  }
  return false;
}

bool fiction(const Words& words, const Range& range) {
  return any(words, range,
             {"in my dream",     "i dreamed",    "i dreamt",    "had a dream",   "in the story",
              "in my story",     "in my novel",  "in my book",  "my character",  "in the movie",
              "in the film",     "in the book",  "in the game", "in my game",    "main character",
              "the lyrics",      "song goes",    "poem goes",   "the line goes", "as the saying",
              "like the saying", "the narrator", "in the play", "for my novel",  "for my story",
              "in the show",     "quote of",     "a horoscope", "my horoscope",  "as they say"});
}

// Somebody else's words: "my boss says I should ...", "the judge says: ...".
bool reported(const Words& words, const Range& range) {
  for (std::size_t i = range.begin; i + 1 < range.end; ++i) {
    const std::string& low = words[i].low;
    if (one_of(low, {"says", "said", "sings", "sang", "goes", "told", "wrote", "claims", "thinks",
                     "reckons", "quotes", "shouted", "yelled"}) &&
        i > range.begin && words[i - 1].low != "i" && !words[i].quoted) {
      if (low == "told" || low == "wrote" || low == "said" || low == "says" || low == "claims" ||
          low == "thinks" || low == "reckons") {
        return true;
      }
      if (words[i + 1].text == ":" || words[i + 1].text == "\"") return true;
    }
  }
  return false;
}

// A line of a program or of its output.
bool code(const Words& words, const Range& range) {
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const std::string& text = words[i].text;
    if (words[i].kind == WordKind::kPunct &&
        one_of(text, {"{", "}", "=", "<", ">", "|", "`", "[", "]", "\\"})) {
      return true;
    }
    if (words[i].kind == WordKind::kWord && text.find('_') != std::string::npos) return true;
  }
  return false;
}

}  // namespace

Kind kind_of(const Words& words, const Sentence& sentence) {
  if (looks_secret(words, sentence)) return Kind::kSecret;
  if (code(words, sentence)) return Kind::kMaterial;
  if (joking(words, sentence)) return Kind::kJoke;
  if (any(words, sentence, data::kSayings)) return Kind::kQuote;
  if (sarcastic(words, sentence)) return Kind::kSarcasm;
  if (fiction(words, sentence)) return Kind::kFiction;
  if (hypothetical(words, sentence)) return Kind::kHypothetical;
  if (sentence.asks || asks_by_order(words, sentence)) return Kind::kQuestion;
  if (reported(words, sentence)) return Kind::kQuote;
  return Kind::kStatement;
}

bool takes_back(const Words& words, const Range& range) {
  if (range.end - range.begin > 8) return false;
  return any(words, range,
             {"jk", "just kidding", "kidding", "only joking", "just joking", "was joking",
              "am joking", "not really", "just a joke", "was a joke", "messing with you"});
}

bool is_material(const Words& words) {
  return any(words, {0, std::min<std::size_t>(words.size(), 16)}, data::kMaterials);
}

bool looks_secret(const Words& words, const Range& range) {
  auto dense = [](std::string_view text) {
    bool digit = false, letter = false;
    for (const char c : text) {
      digit = digit || (c >= '0' && c <= '9');
      letter = letter || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }
    return text.size() >= 20 && digit && letter;
  };
  bool names_secret = false;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (words[i].secret) return true;
    const std::string& low = words[i].low;
    if (one_of(low,
               {"password", "passwords", "passwd", "passphrase", "pwd", "pw", "passcode", "token",
                "secret", "api-key", "apikey", "credentials", "pincode", "cvv", "cvc"})) {
      names_secret = true;
    }
    if ((low == "key" || low == "pin" || low == "code") && i > range.begin &&
        one_of(words[i - 1].low, {"api", "access", "storage", "private", "secret", "ssh",
                                  "encryption", "recovery", "card", "door", "alarm", "locker",
                                  "gate", "safe", "entry", "lock", "house", "my", "the"})) {
      const bool weak =
          words[i - 1].low == "my" || words[i - 1].low == "the" || words[i - 1].low == "house";
      names_secret = names_secret || low == "pin" || !weak;
    }
    const std::string& text = words[i].text;
    if (text.starts_with("sk-") || text.starts_with("ghp_") || text.starts_with("gho_") ||
        text.starts_with("github_pat_") || text.starts_with("AKIA") || text.starts_with("eyJ") ||
        text.starts_with("xoxb-") || text.starts_with("xoxp-") || text.starts_with("AIza") ||
        text.starts_with("glpat-") || text.starts_with("hf_") || text.starts_with("PRIVATE")) {
      return true;
    }
    if (dense(text) && low.find('@') == std::string::npos) return true;
  }
  return names_secret;
}

}  // namespace kartei::daemon
