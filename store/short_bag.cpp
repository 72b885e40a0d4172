#include "store/short_bag.h"

#include <algorithm>

#include "store/row_bytes.h"

namespace kartei::store {

namespace {

constexpr std::size_t kCountBytes = 2;
constexpr std::size_t kTokensMax = 0xFFFF;  // of a row; what is behind them is left out

std::size_t number_at(ByteView bytes, std::size_t at) {
  return std::size_t{bytes[at]} | std::size_t{bytes[at + 1]} << 8;
}

}  // namespace

// tokens(2) repeats(2) | tokens x 3 | repeats x 3
ShortBag::ShortBag(ByteView bytes) {
  if (bytes.size() < 2 * kCountBytes) return;
  const std::size_t tokens = number_at(bytes, 0), repeats = number_at(bytes, kCountBytes);
  const ByteView rest = bytes.subspan(2 * kCountBytes);
  if (rest.size() < tokens * kTokenBytes + repeats * kRepeatBytes) return;
  tokens_ = tokens;
  bytes_ = rest.first(tokens * kTokenBytes);
  repeats_ = rest.subspan(bytes_.size(), repeats * kRepeatBytes);
}

std::uint32_t ShortBag::token(std::size_t place) const {
  const std::uint8_t* p = bytes_.data() + place * kTokenBytes;
  return std::uint32_t{p[0]} | std::uint32_t{p[1]} << 8 | std::uint32_t{p[2]} << 16;
}

std::uint32_t ShortBag::times(std::uint32_t hash) const {
  const std::uint32_t wanted = hash >> 8;
  std::size_t low = 0, high = tokens_;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (token(middle) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low >= tokens_ || token(low) != wanted) return 0;
  for (std::size_t at = 0; at < repeats_.size(); at += kRepeatBytes)
    if (number_at(repeats_, at) == low) return repeats_[at + kCountBytes];
  return 1;
}

void ShortBag::append(const BagView& bag, Bytes& out) {
  const std::size_t tokens = std::min(bag.size(), kTokensMax);
  Bytes repeats;
  std::size_t count = 0;
  const std::size_t begin = out.size();
  put_number(out, 0, 2 * kCountBytes);
  std::uint32_t last = UINT32_MAX;
  for (std::size_t i = 0; i < tokens; ++i) {
    const std::uint32_t token = bag.hash(i) >> 8;
    if (token == last) continue;
    last = token;
    put_number(out, token, kTokenBytes);
    if (const std::uint32_t times = bag.times_at(i); times > 1) {
      put_number(repeats, count, kCountBytes);
      repeats.push_back(static_cast<std::uint8_t>(times));
    }
    ++count;
  }
  out.insert(out.end(), repeats.begin(), repeats.end());
  const std::size_t counts[] = {count, repeats.size() / kRepeatBytes};
  for (std::size_t i = 0; i < 2; ++i) {
    out[begin + kCountBytes * i] = static_cast<std::uint8_t>(counts[i]);
    out[begin + kCountBytes * i + 1] = static_cast<std::uint8_t>(counts[i] >> 8);
  }
}

}  // namespace kartei::store
