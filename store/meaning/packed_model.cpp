#include "store/meaning/packed_model.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "crypto/hash.h"

namespace kartei::store {
namespace {

static_assert(std::endian::native == std::endian::little, "model files are read as they lie");

constexpr std::string_view kMagic{"KTMODEL\0", 8};
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kSections = 8, kSectionAlignment = 64;

struct Section {
  std::uint64_t offset, size;
};

struct Header {
  char magic[8];
  std::uint32_t version, dims, pieces, longest;
  std::int32_t unknown;
  std::uint32_t reserved;
  std::uint64_t file_size;
  char name[40];
  Section sections[kSections];
  std::uint8_t payload_hash[32];
  std::uint8_t header_hash[16];
};
static_assert(sizeof(Header) == 256);

Error damaged(const char* what) {
  return corrupt(std::string("it is damaged (") + what + ")");
}

Status check_header(const Header& header, ByteView bytes) {
  if (std::string_view(header.magic, sizeof header.magic) != kMagic) {
    return corrupt("it is not a model file");
  }
  if (header.version != kVersion) {
    return Error{Cause::kVersion,
                 "it is of format " + std::to_string(header.version) + ", and this Kartei reads " +
                     std::to_string(kVersion),
                 {}};
  }
  const Hash32 hash =
      crypto::hash("kartei model header", {bytes.first(offsetof(Header, header_hash))});
  if (!std::equal(std::begin(header.header_hash), std::end(header.header_hash), hash.begin())) {
    return damaged("its header");
  }
  if (header.file_size != bytes.size()) {
    return corrupt("it has " + std::to_string(bytes.size()) + " bytes instead of " +
                   std::to_string(header.file_size));
  }
  if (header.dims == 0 || header.dims > 1024 || header.dims % PackedModel::kGroup != 0) {
    return damaged("dims");
  }
  if (header.pieces == 0 || header.pieces >= 1u << 22) return damaged("pieces");
  if (header.longest == 0 || header.longest > 255) return damaged("longest piece");
  if (header.name[0] == 0 || header.name[sizeof header.name - 1] != 0) return damaged("name");
  return {};
}

// The sections in their order; `valid` is false once one is not inside the bytes or no whole number
// of elements.
class Sections {
 public:
  Sections(const Header& header, ByteView bytes) : next_(header.sections), bytes_(bytes) {}
  template <class T>
  std::span<const T> take() {
    const Section section = *next_++;
    if (section.offset < sizeof(Header) || section.offset > bytes_.size() ||
        section.size > bytes_.size() - section.offset || section.offset % kSectionAlignment != 0 ||
        section.size % sizeof(T) != 0) {
      valid_ = false;
      return {};
    }
    return {reinterpret_cast<const T*>(bytes_.data() + section.offset), section.size / sizeof(T)};
  }
  bool valid() const { return valid_; }

 private:
  const Section* next_;
  ByteView bytes_;
  bool valid_ = true;
};

// Hangul is composed by arithmetic (Unicode, 3.12): first consonant and vowel, then the last one.
char32_t compose_hangul(char32_t first, char32_t second) {
  if (first >= 0x1100 && first < 0x1113 && second >= 0x1161 && second < 0x1176) {
    return 0xAC00 + ((first - 0x1100) * 21 + (second - 0x1161)) * 28;
  }
  const bool open_syllable = first >= 0xAC00 && first < 0xD7A4 && (first - 0xAC00) % 28 == 0;
  if (open_syllable && second >= 0x11A8 && second < 0x11C3) return first + (second - 0x11A7);
  return 0;
}

}  // namespace

Result<PackedModel> PackedModel::parse(ByteView bytes) {
  Header header;
  if (bytes.size() < sizeof header) return corrupt("it is too short for a model file");
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(Composition) != 0) {
    return bad_input("a model's bytes begin at an odd place in memory");
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  KARTEI_TRY(check_header(header, bytes));
  PackedModel model;
  model.bytes = bytes;
  model.name = header.name;
  model.dims = header.dims;
  model.pieces = header.pieces;
  model.longest = header.longest;
  model.unknown = header.unknown;
  std::copy(std::begin(header.payload_hash), std::end(header.payload_hash),
            model.payload_hash.begin());
  Sections sections(header, bytes);
  model.map_index = sections.take<std::uint16_t>();
  model.map_blocks = sections.take<std::uint16_t>();
  model.map_entries = sections.take<std::uint32_t>();
  const auto texts = sections.take<char>();
  model.map_texts = {texts.data(), texts.size()};
  model.compositions = sections.take<Composition>();
  model.trie = sections.take<std::uint32_t>();
  model.scores = sections.take<std::int32_t>();
  model.rows = sections.take<std::uint8_t>();
  if (!sections.valid()) return damaged("sections");
  if (model.trie.empty() || model.scores.size() != model.pieces ||
      model.rows.size() != model.pieces * model.row_size()) {
    return damaged("counts");
  }
  return model;
}

Status PackedModel::verify() const {
  if (crypto::hash("kartei model", {bytes.subspan(sizeof(Header))}) != payload_hash) {
    return damaged("its checksum");
  }
  return {};
}

std::string_view PackedModel::entry(std::size_t number) const {
  if (number >= map_entries.size()) return {};
  const std::size_t offset = map_entries[number] >> 8, size = map_entries[number] & 0xFF;
  return offset > map_texts.size() ? std::string_view() : map_texts.substr(offset, size);
}

char32_t PackedModel::compose(char32_t first, char32_t second) const {
  if (const char32_t syllable = compose_hangul(first, second)) return syllable;
  const auto key = [](const Composition& c) { return std::uint64_t{c.first} << 32 | c.second; };
  const std::uint64_t wanted = std::uint64_t{first} << 32 | second;
  const auto found = std::ranges::lower_bound(compositions, wanted, {}, key);
  return found == compositions.end() || key(*found) != wanted ? 0 : found->composed;
}

}  // namespace kartei::store
