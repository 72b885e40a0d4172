// Made-up words with realistic frequencies (Zipf), so that an index meets common and rare ones.
#pragma once

#include <cstdint>
#include <string>

namespace kartei::bench {

class Words {
 public:
  explicit Words(std::uint64_t seed) : state_(seed * 2 + 1) {}

  // A word of rank r with a probability of about 1/r, among 50,000.
  std::string next() {
    const double u = static_cast<double>(random() >> 11) / 9007199254740992.0;
    return spell(static_cast<std::uint64_t>(__builtin_exp(u * 10.819778)));  // ln(50,000)
  }
  std::string sentence(int words) {
    std::string text;
    for (int i = 0; i < words; ++i) text += (i == 0 ? "" : " ") + next();
    return text;
  }
  std::uint64_t random() {  // xorshift64*
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 2685821657736338717ull;
  }

 private:
  static std::string spell(std::uint64_t rank) {
    static constexpr const char* kSyllables[] = {"ba", "ke", "lo", "mi", "nu", "ra", "se", "to",
                                                 "vi", "wo", "za", "fe", "gu", "hi", "jo", "pa"};
    std::string word;
    for (rank += 16; rank > 0; rank /= 16) word += kSyllables[rank % 16];
    return word;
  }
  std::uint64_t state_;
};

}  // namespace kartei::bench
