// Where sentences begin and end, in any script.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace kartei::store {

struct Sentence {
  std::size_t begin = 0, end = 0;  // bytes
};

// At most `most`. They end with a full stop and a space, a wide full stop, or the line; very long
// ones are cut.
std::vector<Sentence> sentences_of(std::string_view text, std::size_t most);

}  // namespace kartei::store
