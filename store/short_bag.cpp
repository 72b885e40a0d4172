#include "store/short_bag.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "store/row_bytes.h"

namespace kartei::store {

namespace {

constexpr int kDroppedBits = 10;  // of a hash
constexpr int kLowBits = 16;
constexpr std::size_t kLowBytes = 2;
constexpr std::size_t kBuckets = std::size_t{1} << (32 - kDroppedBits - kLowBits);
constexpr std::size_t kTokensMax = 0xFFFF;  // of a row; what is behind them is left out
constexpr std::size_t kNarrow = 256;        // so many places fit into a byte

std::size_t low_at(ByteView bytes, std::size_t place) {
  const std::size_t at = place * kLowBytes;
  return std::size_t{bytes[at]} | std::size_t{bytes[at + 1]} << 8;
}

std::size_t fence_bytes(std::size_t tokens) {
  return (tokens + kBuckets + 7) / 8;
}

std::size_t place_bytes(std::size_t tokens) {
  return tokens <= kNarrow ? 1 : 2;
}

// Up to 64 bits from a byte on; what lies behind the end reads as ones.
std::uint64_t bits_at(ByteView bytes, std::size_t byte) {
  std::uint64_t bits = ~std::uint64_t{0};
  std::memcpy(&bits, bytes.data() + byte, std::min<std::size_t>(8, bytes.size() - byte));
  if constexpr (std::endian::native == std::endian::big) bits = __builtin_bswap64(bits);
  return bits;
}

// The place of the zero that has `before` zeros before it, in bits.
std::size_t zero_behind(ByteView bytes, std::size_t before) {
  for (std::size_t byte = 0; byte < bytes.size(); byte += 8) {
    std::uint64_t zeros = ~bits_at(bytes, byte);
    const auto count = static_cast<std::size_t>(std::popcount(zeros));
    if (before >= count) {
      before -= count;
      continue;
    }
    for (; before > 0; --before) zeros &= zeros - 1;
    return byte * 8 + static_cast<std::size_t>(std::countr_zero(zeros));
  }
  return bytes.size() * 8;
}

bool bit_at(ByteView bytes, std::size_t bit) {
  return bit / 8 < bytes.size() && (bytes[bit / 8] >> bit % 8 & 1) != 0;
}

}  // namespace

// tokens(2) repeats(2) | fence | lower 16 bits of each token | repeats: place(1 or 2), times(1).
// The fence has a one for each token and a zero behind each bucket of those that share their upper
// 6 bits (Elias and Fano's code).
ShortBag::ShortBag(ByteView bytes) {
  constexpr std::size_t kHead = 4;
  if (bytes.size() < kHead) return;
  const std::size_t tokens = low_at(bytes, 0), repeats = low_at(bytes, 1);
  const std::size_t fence = fence_bytes(tokens), low = tokens * kLowBytes;
  const std::size_t all = repeats * (place_bytes(tokens) + 1);
  const ByteView rest = bytes.subspan(kHead);
  if (tokens == 0 || rest.size() < fence + low + all) return;
  fence_ = rest.first(fence);
  low_ = rest.subspan(fence, low);
  repeats_ = rest.subspan(fence + low, all);
}

std::uint32_t ShortBag::times(std::uint32_t hash) const {
  if (low_.empty()) return 0;
  const std::size_t tokens = low_.size() / kLowBytes;
  const std::uint32_t token = hash >> kDroppedBits;
  const std::size_t bucket = token >> kLowBits, low = token & 0xFFFF;
  std::size_t bit = bucket == 0 ? 0 : zero_behind(fence_, bucket - 1) + 1;
  for (; bit - bucket < tokens && bit_at(fence_, bit); ++bit) {
    const std::size_t there = low_at(low_, bit - bucket);
    if (there > low) return 0;
    if (there == low) return times_of(bit - bucket);
  }
  return 0;
}

std::uint32_t ShortBag::times_of(std::size_t place) const {
  const std::size_t wide = place_bytes(low_.size() / kLowBytes);
  for (std::size_t at = 0; at < repeats_.size(); at += wide + 1) {
    const std::size_t there =
        std::size_t{repeats_[at]} | (wide == 1 ? 0 : std::size_t{repeats_[at + 1]} << 8);
    if (there == place) return repeats_[at + wide];
  }
  return 1;
}

void ShortBag::append(const BagView& bag, Bytes& out) {
  std::vector<std::uint32_t> tokens;
  std::vector<std::pair<std::size_t, std::uint8_t>> repeats;
  for (std::size_t i = 0; i < bag.size() && tokens.size() < kTokensMax; ++i) {
    const std::uint32_t token = bag.hash(i) >> kDroppedBits;
    if (!tokens.empty() && token == tokens.back()) continue;
    if (const std::uint32_t times = bag.times_at(i); times > 1)
      repeats.emplace_back(tokens.size(), static_cast<std::uint8_t>(times));
    tokens.push_back(token);
  }
  put_number(out, tokens.size(), 2);
  put_number(out, repeats.size(), 2);
  const std::size_t fence = out.size();
  out.resize(fence + fence_bytes(tokens.size()));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::size_t bit = i + (tokens[i] >> kLowBits);
    out[fence + bit / 8] = static_cast<std::uint8_t>(out[fence + bit / 8] | 1U << bit % 8);
  }
  for (const std::uint32_t token : tokens) put_number(out, token & 0xFFFF, kLowBytes);
  for (const auto& [place, times] : repeats) {
    put_number(out, place, place_bytes(tokens.size()));
    out.push_back(times);
  }
}

}  // namespace kartei::store
