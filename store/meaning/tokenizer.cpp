#include "store/meaning/tokenizer.h"

#include <algorithm>
#include <limits>

#include "crypto/utf8.h"

namespace kartei::store {
namespace {

constexpr std::string_view kSpace = "\xE2\x96\x81";  // U+2581: how a space is written in pieces
constexpr std::string_view kInvalid = "\xFF";        // in no piece
constexpr std::int64_t kUnreached = std::numeric_limits<std::int64_t>::min();

// A unit of the trie: its label, what it is, and a number: the base of its children or, of a leaf,
// the piece.
constexpr std::uint32_t kLabel = 0xFF, kLeaf = 1 << 8, kEnds = 1 << 9;
constexpr int kNumberShift = 10;

std::size_t character_size(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const std::size_t size = first < 0xC2 || first > 0xF4 ? 1
                           : first < 0xE0               ? 2
                           : first < 0xF0               ? 3
                                                        : 4;
  return std::min(size, text.size() - at);
}

// What one reads of a text at once: a code point, with the combining marks that make one of it.
struct Character {
  char32_t code_point;
  bool valid, composed;
};

Character next_character(const PackedModel& model, std::string_view text, std::size_t& at) {
  const std::size_t begin = at;
  Character result{next_code_point(text, at), true, false};
  if (result.code_point == kReplacement && at - begin == 1) result.valid = false;
  while (result.valid && at < text.size() && static_cast<unsigned char>(text[at]) >= 0xCC) {
    std::size_t behind = at;
    const char32_t second = next_code_point(text, behind);
    if ((model.mapped(second) & PackedModel::kCombines) == 0) break;
    const char32_t both = model.compose(result.code_point, second);
    if (both == 0) break;
    result.code_point = both;
    result.composed = true;
    at = behind;
  }
  return result;
}

std::string encoded(char32_t c) {  // at most 4 bytes: no allocation
  std::string text;
  append_code_point(text, c);
  return text;
}

}  // namespace

std::span<const std::uint32_t> Tokenizer::pieces(std::string_view text) {
  const std::string_view folded = fold(text);
  if (folded.size() <= kSpace.size()) return {};
  std::fill_n(places_.begin(), folded.size() + 1, Place{kUnreached, 0, 0});
  places_[0].best = 0;
  for (std::size_t at = 0; at < folded.size(); at += character_size(folded, at)) {
    offer_pieces(folded, at);
  }
  return walk_back(folded.size());
}

// The text as pieces are cut from it, in folded_.
std::string_view Tokenizer::fold(std::string_view text) {
  text = utf8_prefix(text, std::min(limits_.bytes, TextLimits::kMostBytes));
  std::ranges::copy(kSpace, folded_.begin());
  size_ = kSpace.size();
  words_ = 0;
  after_space_ = false;
  bool room = true;
  for (std::size_t at = 0; room && at < text.size();) room = put_next(text, at);
  if (after_space_ && words_ == limits_.words && !room) size_ -= kSpace.size();
  const std::string_view all(folded_.data(), size_), given = all.substr(kSpace.size());
  return given.starts_with(kSpace) ? given : all;
}

// These put a piece of text behind what is folded; false: the limit is reached, it is left out.
bool Tokenizer::put_next(std::string_view text, std::size_t& at) {
  const std::size_t begin = at;
  const Character c = next_character(model_, text, at);
  if (!c.valid) return put(kInvalid);
  const std::size_t entry = model_.mapped(c.code_point) & ~PackedModel::kCombines;
  if (entry != 0) return put_entry(model_.entry(entry - 1));
  if (c.code_point == ' ') return put_space();
  return c.composed ? put(encoded(c.code_point)) : put(text.substr(begin, at - begin));
}

bool Tokenizer::put_entry(std::string_view bytes) {
  if (bytes.size() * kSpace.size() > kFoldedMost - size_) return false;
  return std::ranges::all_of(
      bytes, [&](const char& c) { return c == ' ' ? put_space() : put(std::string_view(&c, 1)); });
}

bool Tokenizer::put(std::string_view bytes) {
  if (bytes.size() > kFoldedMost - size_) return false;
  if (after_space_ || size_ == kSpace.size()) {
    if (words_ == limits_.words) return false;
    ++words_;
  }
  std::ranges::copy(bytes, folded_.data() + size_);
  size_ += bytes.size();
  after_space_ = false;
  return true;
}

bool Tokenizer::put_space() {
  if (after_space_) return true;
  if (kSpace.size() > kFoldedMost - size_) return false;
  std::ranges::copy(kSpace, folded_.data() + size_);
  size_ += kSpace.size();
  after_space_ = true;
  return true;
}

// All pieces that begin there, each offered as the last one of the cut up to its end.
void Tokenizer::offer_pieces(std::string_view folded, std::size_t begin) {
  const std::span<const std::uint32_t> trie = model_.trie;
  const std::size_t end = std::min(folded.size(), begin + model_.longest);
  const std::size_t first_end = begin + character_size(folded, begin);
  bool is_piece = false;  // the one character
  std::uint32_t unit = trie[0];
  for (std::size_t at = begin; at < end && (unit & kLeaf) == 0;) {
    const auto byte = static_cast<unsigned char>(folded[at++]);
    const std::size_t slot = (unit >> kNumberShift) + byte;
    if (slot >= trie.size() || (trie[slot] & kLabel) != byte) break;
    unit = trie[slot];
    if ((unit & (kLeaf | kEnds)) == 0) continue;
    std::size_t piece = unit >> kNumberShift;
    if ((unit & kLeaf) == 0) piece = piece < trie.size() ? trie[piece] >> kNumberShift : 0;
    if (piece == 0 || piece >= model_.scores.size()) continue;
    is_piece = is_piece || at == first_end;
    offer(begin, at, piece, model_.scores[piece]);
  }
  if (!is_piece) offer(begin, first_end, 0, model_.unknown);
}

void Tokenizer::offer(std::size_t begin, std::size_t end, std::size_t piece, std::int64_t score) {
  const std::int64_t with = places_[begin].best + score;
  if (with <= places_[end].best) return;
  places_[end] = {with, static_cast<std::uint32_t>(piece), static_cast<std::uint32_t>(begin)};
}

std::span<const std::uint32_t> Tokenizer::walk_back(std::size_t end) {
  std::size_t free = ids_.size();
  while (end > 0) {
    ids_[--free] = places_[end].piece;
    end = places_[end].begin;
  }
  return std::span(ids_).subspan(free);
}

}  // namespace kartei::store
