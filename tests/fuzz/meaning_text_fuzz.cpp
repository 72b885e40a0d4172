// Any bytes as a text: the pieces are those of a slow tokenizer, and a vector comes of them.
#include <cmath>

#include "store/meaning/row_sum.h"
#include "store/meaning/tokenizer.h"
#include "tests/fuzz/input.h"
#include "tests/meaning/slow_tokenizer.h"

namespace {

using namespace kartei;
using namespace kartei::store;

struct Example {
  SmallModel small = [] {
    SmallModel made;
    made.pieces = {{"▁", -3},    {"a", -4}, {"b", -5},  {"▁a", -6}, {"ab", -9},  {"ba", -9},
                   {"aba", -11}, {"é", -4}, {"éa", -8}, {"中", -5}, {"中a", -9}, {"한", -6}};
    made.map = {{U'A', "a"}, {U'\t', " "}, {U'\u0001', ""}, {U'ﬁ', "ab"}, {U'\u00A8', " b"}};
    made.compositions = {
        {{U'e', U'\u0301'}, U'é'}, {{U'a', U'\u0323'}, U'ạ'}, {{U'ạ', U'\u0302'}, U'ậ'}};
    return made;
  }();
  Bytes file = small.file();
  PackedModel model = PackedModel::parse(file).value();
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Example example;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Tokenizer tokenizer(example.model, {4096, 4096});
  const auto pieces = tokenizer.pieces(text);
  float vector[SmallModel::kDims];
  sum_rows(example.model, pieces, vector);
  float squares = 0;
  for (float value : vector) squares += value * value;
  fuzz::require(squares == 0 || std::abs(squares - 1) < 1e-4F);
  if (size <= 512) {
    const auto slow = slow_pieces(example.small, text);
    fuzz::require(std::equal(pieces.begin(), pieces.end(), slow.begin(), slow.end()));
  }
  return 0;
}
