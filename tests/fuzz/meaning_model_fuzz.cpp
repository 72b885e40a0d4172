// A model file with altered bytes: opened or refused, and no text makes it read out of bounds.
//
// Input: a byte of choices (1: the hashes are made to fit; 2: cut), the size where it is cut, a
// text, then alterations: a place and the byte that stands there.
#include <cmath>

#include "store/meaning/row_sum.h"
#include "store/meaning/tokenizer.h"
#include "tests/fuzz/input.h"
#include "tests/meaning/small_model.h"

namespace {

using namespace kartei;
using namespace kartei::store;

Bytes good_model() {
  SmallModel small;
  small.pieces = {{"▁", -3}, {"a", -4}, {"▁ab", -5}, {"abc", -6}, {"é", -7}};
  small.map = {{U'A', "a"}, {U'\t', " "}};
  small.compositions = {{{U'e', U'\u0301'}, U'é'}};
  return small.file();
}

std::size_t place(fuzz::Input& input) {
  const std::size_t low = input.byte();
  return low | static_cast<std::size_t>(input.byte()) << 8;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Bytes good = good_model();
  fuzz::Input input({data, size});
  const std::uint8_t choice = input.byte();
  const std::size_t cut = place(input);
  const ByteView text = input.chunk();
  Bytes file = good;
  while (!input.empty()) {
    const std::size_t at = place(input) % file.size();
    file[at] = input.byte();
  }
  if ((choice & 2) != 0) file.resize(cut % (file.size() + 1));
  const Bytes exact = (choice & 1) != 0 ? resealed(file) : Bytes(file);
  const auto model = PackedModel::parse(exact);
  fuzz::require(model.has_error() || (choice & 1) != 0 ||
                std::equal(exact.begin(), exact.begin() + 256, good.begin()));
  if (model.has_error()) return 0;
  Tokenizer tokenizer(*model);
  std::vector<float> vector(model->dims);
  sum_rows(*model, tokenizer.pieces(as_text(text)), vector.data());
  float squares = 0;
  for (float value : vector) squares += value * value;
  fuzz::require(squares == 0 || std::abs(squares - 1) < 1e-3F);
  return 0;
}
