// Where a database's pages and a log's slots lie on disk. Pure arithmetic, 64 bits throughout.
//
// The main file has SQLite's own shape: page n lies where SQLite puts it, and its last 40 bytes,
// which SQLite leaves alone, hold nonce and tag. The log (the WAL) has no such room: each of
// SQLite's slots there (one header of 32 bytes; frames of a header of 24 bytes and a page) has a
// longer one on disk. README.md has the bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace kartei::vault {

inline constexpr std::size_t kNonceSize = 24;
inline constexpr std::size_t kTagSize = 16;
inline constexpr std::size_t kReserved = kNonceSize + kTagSize;

inline constexpr std::size_t kIdSize = 16;  // page 1: the database's id, where SQLite's magic was
inline constexpr std::size_t kClearSize = 24;  // page 1: the id and 8 bytes of SQLite's header

// What SQLite writes into the log, and what is sealed with it.
inline constexpr std::size_t kLogHeaderSize = 32;
inline constexpr std::size_t kFrameHeaderSize = 24;
inline constexpr std::size_t kLogHeaderExtra = 8;     // generation
inline constexpr std::size_t kFrameHeaderExtra = 16;  // generation, mark
inline constexpr std::size_t kLogPageExtra = 8;       // generation
inline constexpr std::size_t kLogHeaderSlot = kReserved + kLogHeaderExtra + kLogHeaderSize;
inline constexpr std::size_t kFrameHeaderSlot = kReserved + kFrameHeaderExtra + kFrameHeaderSize;

// The two copies of the log's header lie in blocks of their own: a torn write harms one only.
inline constexpr std::int64_t kHeaderCopyStride = 4096;
inline constexpr std::int64_t kFramesAt = 2 * kHeaderCopyStride;

inline constexpr bool valid_page_size(std::int64_t size) {
  return size >= 512 && size <= 65536 && (size & (size - 1)) == 0;
}

struct MainLayout {
  std::size_t page_size;

  bool whole_page(std::int64_t offset, std::size_t size) const {
    return size == page_size && offset >= 0 && offset % static_cast<std::int64_t>(page_size) == 0;
  }
  std::uint64_t page_at(std::int64_t offset) const {
    return static_cast<std::uint64_t>(offset) / page_size + 1;
  }
  // SQLite locks bytes of this page and never reads or writes it.
  std::uint64_t lock_page() const { return 0x40000000u / page_size + 1; }
};

// A part of one slot of the log.
struct LogPiece {
  enum class Kind { kHeader, kFrameHeader, kPage };
  Kind kind;
  std::uint64_t frame;  // from 0; 0 for the header
  std::size_t skip;     // bytes of the slot before the part
  std::size_t size;     // bytes of the part
  std::size_t whole;    // bytes of the slot, as SQLite sees it
};

struct LogLayout {
  std::size_t page_size;

  std::int64_t logical_frame() const {
    return static_cast<std::int64_t>(kFrameHeaderSize + page_size);
  }
  std::size_t page_slot() const { return kReserved + kLogPageExtra + page_size; }
  std::int64_t physical_frame() const {
    return static_cast<std::int64_t>(kFrameHeaderSlot + page_slot());
  }
  std::int64_t frame_at(std::uint64_t frame) const {
    return kFramesAt + static_cast<std::int64_t>(frame) * physical_frame();
  }
  static std::int64_t header_at(int copy) { return copy * kHeaderCopyStride; }

  // How many whole frames a file of that size holds.
  std::uint64_t frames_in(std::int64_t physical_size) const {
    if (physical_size <= kFramesAt) return 0;
    return static_cast<std::uint64_t>((physical_size - kFramesAt) / physical_frame());
  }
  // What SQLite is told. Half a frame is none: it was never acknowledged.
  std::int64_t logical_size(std::int64_t physical_size) const {
    if (physical_size < static_cast<std::int64_t>(kLogHeaderSlot)) return 0;
    return static_cast<std::int64_t>(kLogHeaderSize) +
           static_cast<std::int64_t>(frames_in(physical_size)) * logical_frame();
  }
  // Where a file is cut so that SQLite sees no more than that; whole frames only.
  std::int64_t physical_size(std::int64_t logical_size) const {
    if (logical_size < static_cast<std::int64_t>(kLogHeaderSize)) return 0;
    return frame_at(static_cast<std::uint64_t>(
        (logical_size - static_cast<std::int64_t>(kLogHeaderSize)) / logical_frame()));
  }
  // The slot at an offset of SQLite's, and how much of `size` bytes lies in it.
  LogPiece piece_at(std::int64_t offset, std::size_t size) const {
    if (offset < static_cast<std::int64_t>(kLogHeaderSize))
      return cut({LogPiece::Kind::kHeader, 0, static_cast<std::size_t>(offset), 0, kLogHeaderSize},
                 size);
    const std::int64_t beyond = offset - static_cast<std::int64_t>(kLogHeaderSize);
    const auto frame = static_cast<std::uint64_t>(beyond / logical_frame());
    const auto within = static_cast<std::size_t>(beyond % logical_frame());
    if (within < kFrameHeaderSize)
      return cut({LogPiece::Kind::kFrameHeader, frame, within, 0, kFrameHeaderSize}, size);
    return cut({LogPiece::Kind::kPage, frame, within - kFrameHeaderSize, 0, page_size}, size);
  }

 private:
  static LogPiece cut(LogPiece piece, std::size_t size) {
    piece.size = std::min(size, piece.whole - piece.skip);
    return piece;
  }
};

}  // namespace kartei::vault
