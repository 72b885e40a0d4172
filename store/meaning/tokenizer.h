// Text to pieces of a model's vocabulary: characters folded, then the likeliest cut (unigram,
// Viterbi). The rules stand in README.md.
//
// One thread an object. It is 130 KB of working space and nothing else: a local variable of whoever
// embeds. No allocation, time linear in the text, which is bounded; any bytes are a text.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "store/meaning/packed_model.h"

namespace kartei::store {

// Of a longer text only its beginning counts.
struct TextLimits {
  static constexpr std::size_t kMostBytes = 4096;
  std::size_t bytes = kMostBytes;  // at most kMostBytes
  std::size_t words = 80;          // between white space
};

class Tokenizer {
 public:
  explicit Tokenizer(const PackedModel& model, TextLimits limits = {})
      : model_(model), limits_(limits) {}
  // Ids in their order, 0 for each character that is no piece; none for a text without anything but
  // white space. Valid until the next call.
  std::span<const std::uint32_t> pieces(std::string_view text);

 private:
  // Folded, a space is three bytes; where this is full, the rest of the text is left out.
  static constexpr std::size_t kFoldedMost = 6144;
  struct Place {
    std::int64_t best;    // score of the best cut up to here
    std::uint32_t piece;  // the last piece of it
    std::uint32_t begin;  // where that begins
  };

  std::string_view fold(std::string_view text);
  bool put_next(std::string_view text, std::size_t& at);
  bool put_entry(std::string_view bytes);
  bool put(std::string_view bytes);
  bool put_space();
  void offer_pieces(std::string_view folded, std::size_t begin);
  void offer(std::size_t begin, std::size_t end, std::size_t piece, std::int64_t score);
  std::span<const std::uint32_t> walk_back(std::size_t end);

  const PackedModel& model_;
  const TextLimits limits_;
  std::size_t size_ = 0, words_ = 0;  // of folded_
  bool after_space_ = false;          // the last character
  std::array<char, kFoldedMost> folded_;
  std::array<Place, kFoldedMost + 1> places_;
  std::array<std::uint32_t, kFoldedMost> ids_;
};

}  // namespace kartei::store
