// What verbs tell: the relation that a card states, whether it holds one value at a time, and how
// the card is filed. A table, looked up by the verb and the preposition after it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kartei::daemon {

struct Frame {
  std::string_view lemma;
  std::string_view preposition;  // the first word of the rest; empty: any
  std::string_view relation;
  bool single = false;
  std::string_view domain;  // sub-domain of the card
  std::string_view tags;    // parted by spaces
  double importance = 0.5;
};

// The most fitting row; of no verb's own one, a row with the relation of the verb itself.
Frame frame_of(std::string_view lemma, std::string_view preposition);

// Three to seven tags: the frame's, then the text's own words.
std::vector<std::string> tags_of(const Frame& frame, std::string_view text);

}  // namespace kartei::daemon
