// Made-up text with realistic frequencies: the words of contents by Zipf's law among 50,000,
// function words of English between them, the names of some 200 people. Values; seeded.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace kartei::bench {

class Words {
 public:
  static constexpr std::uint64_t kVocabulary = 50'000;
  static constexpr std::uint64_t kPeople = 200;

  explicit Words(std::uint64_t seed) : state_(seed * 2 + 1) {}

  // A word of rank r with a probability of about 1/r.
  std::string next() { return spell(zipf(kVocabulary)); }
  std::string sentence(int words) {
    std::string text;
    for (int i = 0; i < words; ++i) text += (i == 0 ? "" : " ") + next();
    return text;
  }

  // As people write: nearly every second word is one that means nothing by itself, now and then a
  // name; about `words` of them, most texts shorter, a few much longer.
  std::string prose(int words) {
    const double u = unit();
    const int count = std::max(3, static_cast<int>(words * (0.3 + 0.7 * u / (1.15 - u))));
    std::string text;
    for (int i = 0; i < count; ++i) {
      if (i > 0) text += i % 12 == 0 ? ". " : " ";
      const std::uint64_t dice = random() % 100;
      text += dice < 45 ? function_word() : dice < 49 ? name() : next();
    }
    return text + ".";
  }
  std::string name() { return named(zipf(kPeople)); }
  std::string function_word() {
    static constexpr std::array<const char*, 32> kWords = {
        "the",  "I",    "to",  "a",   "and", "is",    "of",   "it",  "in",   "that", "my",
        "for",  "was",  "you", "on",  "she", "with",  "he",   "at",  "have", "we",   "but",
        "they", "this", "be",  "her", "so",  "about", "what", "are", "from", "when"};
    return kWords[zipf(kWords.size()) - 1];
  }
  // Of ranks from..to, all alike.
  std::string ranked(std::uint64_t from, std::uint64_t to) {
    return spell(from + random() % (to - from + 1));
  }
  // In no text.
  std::string unheard_of() {
    std::string word = "qu";
    for (std::uint64_t bits = random() % 100'000 + 100'000; bits > 0; bits /= 10)
      word += static_cast<char>('b' + bits % 10 * 2);
    return word;
  }
  std::uint64_t random() {  // xorshift64*
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 2685821657736338717ull;
  }

 private:
  double unit() { return static_cast<double>(random() >> 11) / 9007199254740992.0; }
  std::uint64_t zipf(std::uint64_t most) {
    const double rank = __builtin_exp(unit() * __builtin_log(static_cast<double>(most)));
    return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(rank), 1, most);
  }
  static std::string spell(std::uint64_t rank) {
    static constexpr const char* kSyllables[] = {"ba", "ke", "lo", "mi", "nu", "ra", "se", "to",
                                                 "vi", "wo", "za", "fe", "gu", "hi", "jo", "pa"};
    std::string word;
    for (rank += 16; rank > 0; rank /= 16) word += kSyllables[rank % 16];
    return word;
  }
  static std::string named(std::uint64_t person) {
    std::string name = spell(person * 37 + 60'000);
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    return name;
  }
  std::uint64_t state_;
};

}  // namespace kartei::bench
