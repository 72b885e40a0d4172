#include "store/meaning_copy.h"

#include <algorithm>

#include "store/meaning/exact_copy.h"

namespace kartei::store {

namespace {

constexpr std::size_t kScaleBytes = 2;

std::size_t exact_bytes(std::size_t dims) {
  return sizeof(float) + dims;
}

}  // namespace

Bytes row_copy(const Quantiser& quantiser, std::span<const float> vectors) {
  const std::size_t dims = quantiser.dims();
  Bytes copy = to_int8(vectors.first(dims));
  for (auto rest = vectors.subspan(dims); rest.size() >= dims; rest = rest.subspan(dims)) {
    const std::size_t at = copy.size();
    copy.resize(at + kScaleBytes + quantiser.code_bytes());
    const std::span<std::uint8_t> code(copy.data() + at + kScaleBytes, quantiser.code_bytes());
    const std::uint16_t scale = quantiser.encode(rest.first(dims), code);
    copy[at] = static_cast<std::uint8_t>(scale & 0xFF);
    copy[at + 1] = static_cast<std::uint8_t>(scale >> 8);
  }
  return copy;
}

ByteView exact_part(ByteView copy, std::size_t dims) {
  return copy.first(std::min(copy.size(), exact_bytes(dims)));
}

QuestionVector::QuestionVector(std::vector<float> vector)
    : vector_(std::move(vector)), quantiser_(vector_.size()), tables_(quantiser_.tables(vector_)) {}

std::optional<RowCloseness> QuestionVector::closeness(ByteView copy) const {
  const auto whole = int8_dot(exact_part(copy, vector_.size()), vector_);
  const std::size_t one = kScaleBytes + quantiser_.code_bytes();
  if (!whole || (copy.size() - exact_bytes(vector_.size())) % one != 0) return std::nullopt;
  RowCloseness out{*whole, *whole};
  bool first = true;
  for (ByteView rest = copy.subspan(exact_bytes(vector_.size())); !rest.empty();
       rest = rest.subspan(one)) {
    const auto scale = static_cast<std::uint16_t>(rest[0] | rest[1] << 8);
    const double score = score_of(tables_, rest.subspan(kScaleBytes, one - kScaleBytes), scale);
    out.sentence = first ? score : std::max(out.sentence, score);
    first = false;
  }
  return out;
}

}  // namespace kartei::store
