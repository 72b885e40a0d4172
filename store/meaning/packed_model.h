// A packed model file as it lies in memory (layout: README.md). A view: the bytes belong to
// another, outlive it and begin at a multiple of 64.
//
// parse() looks at the header alone, so that opening costs one page. Whatever the rest holds,
// nothing that reads through these members leaves the bytes: each index is checked where it is
// used.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "crypto/bytes.h"
#include "crypto/result.h"

namespace kartei::store {

struct PackedModel {
  static constexpr std::size_t kGroup = 32;  // dims that share a scale
  struct Composition {
    std::uint32_t first, second, composed;
  };

  // Error: not a model file (kCorrupt), another version's (kVersion), short or damaged (kCorrupt).
  static Result<PackedModel> parse(ByteView bytes);
  // Reads all of it: error (kCorrupt) when it is not what was packed.
  Status verify() const;

  std::size_t row_size() const { return dims / 2 + dims / kGroup * 2; }  // bytes
  // What stands for a code point in the character map: 0, or the number of an entry + 1, and
  // kCombines where the code point may compose with the one before it.
  static constexpr std::uint16_t kCombines = 0x8000;
  std::uint16_t mapped(char32_t c) const {
    const std::size_t block = c / 128;
    if (block >= map_index.size()) return 0;
    const std::size_t at = std::size_t{map_index[block]} * 128 + c % 128;
    return at < map_blocks.size() ? map_blocks[at] : 0;
  }
  std::string_view entry(std::size_t number) const;         // empty where there is none
  char32_t compose(char32_t first, char32_t second) const;  // 0: they do not

  ByteView bytes;
  std::string name;
  std::size_t dims = 0, pieces = 0;
  std::size_t longest = 0;   // bytes of a piece
  std::int32_t unknown = 0;  // score of a character that is no piece
  Hash32 payload_hash{};
  std::span<const std::uint16_t> map_index, map_blocks;
  std::span<const std::uint32_t> map_entries;
  std::string_view map_texts;
  std::span<const Composition> compositions;
  std::span<const std::uint32_t> trie;
  std::span<const std::int32_t> scores;
  ByteView rows;
};

}  // namespace kartei::store
