// A made-up life, day by day: what Maya tells her assistant, and the questions that it must be able
// to answer then. Seeded; the same seed gives the same life.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace kartei::forgetting {

// What the right answer's text must have; any case.
struct Probe {
  enum Kind { kOldFact, kNow, kDated, kKinds };
  Kind kind = kOldFact;
  std::string question;
  std::vector<std::string> words;
};
const char* to_text(Probe::Kind kind);

class Life {
 public:
  explicit Life(std::uint64_t seed) : random_(seed) {}

  // What is said on that day since 5 January 2026 (day 0); may be nothing.
  std::vector<std::string> say(int day);
  // What somebody asks about on that day; empty: nothing.
  std::string ask(int day);
  // All that is to be known at the end of that day.
  std::vector<Probe> probes(int day);

 private:
  struct Told {
    int day = 0;
    std::string what, where;
  };
  std::size_t pick(std::size_t size) { return random_() % size; }
  std::string outing(int day);

  std::mt19937_64 random_;
  std::string city_, job_;
  std::vector<Told> outings_;
  std::size_t outing_number_ = 0;
};

// "14 March 2027"
std::string day_in_words(int day);
// Unix milliseconds of that day, at eight in the evening, UTC.
std::int64_t evening_ms(int day);

}  // namespace kartei::forgetting
