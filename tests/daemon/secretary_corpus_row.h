// A talk and the cards that it makes; see secretary_corpus_test.cpp for how they are written.
#pragma once

#include <string>
#include <vector>

namespace kartei::daemon::corpus {

struct Row {
  const char* talk;  // turns parted by " || "
  std::vector<std::string> cards;
};

}  // namespace kartei::daemon::corpus
