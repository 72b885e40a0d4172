// The words of an item as they go into a prompt: on one line, harmless, and of long turns the best
// sentences. Pure; any bytes accepted, the result is valid UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/words.h"

namespace kartei::store {

// One line without control, direction and invisible characters; white space folded. In quoted data
// double quotes become single ones, and what chat templates use as marks is broken up, so that a
// text cannot end its quotation or pose as another part of the prompt.
std::string one_line(std::string_view text, bool quoted);

struct WeightedToken {
  std::uint32_t hash = 0;
  double weight = 0;
};

// What of the question a text has: the weights of its words, each once.
double worth_of(std::string_view text, const std::vector<WeightedToken>& asked, Stemmer& stemmer);

struct ExcerptSize {
  std::size_t whole = 0, cut = 0;  // tokens by estimate: of a text left whole, and of an excerpt
};
// The whole text where it fits, else its best sentences in their order, gaps shown by "…". A
// sentence counts by the weights of the words of the question that it holds.
std::string excerpt(std::string_view text, const std::vector<WeightedToken>& asked,
                    const ExcerptSize& most, Stemmer& stemmer);

}  // namespace kartei::store
