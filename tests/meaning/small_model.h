// A model file of a handful of pieces, written after store/meaning/README.md: for tests of the
// rules, and for fuzzers.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "crypto/bytes.h"
#include "crypto/hash.h"

namespace kartei::store {

inline void put_number(Bytes& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

// A copy of the file with fitting hashes: whoever alters a file may know how to hash. Memory and
// bytes end together, so that a read behind them is noticed.
inline Bytes resealed(const Bytes& altered) {
  Bytes file(altered);
  if (file.size() < 256) return file;
  const ByteView all(file);
  const Hash32 payload = crypto::hash("kartei model", {all.subspan(256)});
  std::copy(payload.begin(), payload.end(), file.begin() + 208);
  const Hash32 header = crypto::hash("kartei model header", {all.first(240)});
  std::copy_n(header.begin(), 16, file.begin() + 240);
  return file;
}

struct SmallModel {
  static constexpr std::size_t kDims = 32;

  std::vector<std::pair<std::string, double>> pieces;  // with scores; ids from 1
  double unknown = -20;
  std::map<char32_t, std::string> map;
  std::map<std::pair<char32_t, char32_t>, char32_t> compositions;

  Bytes file() const {
    const std::vector<Bytes> sections = all_sections();
    Bytes payload, places;
    for (const Bytes& section : sections) {
      payload.resize((payload.size() + 63) / 64 * 64);
      put_number(places, 256 + payload.size(), 8);
      put_number(places, section.size(), 8);
      payload.insert(payload.end(), section.begin(), section.end());
    }
    Bytes out = header(256 + payload.size());
    out.insert(out.end(), places.begin(), places.end());
    out.resize(256);
    out.insert(out.end(), payload.begin(), payload.end());
    return resealed(out);
  }

  // Rows are such numbers, at a scale of 1/4.
  static int number(std::size_t piece, std::size_t dim) {
    return piece == 0 ? 0 : static_cast<int>((piece * 5 + dim * piece) % 16) - 8;
  }

 private:
  static std::int64_t whole(double score) { return static_cast<std::int64_t>(score * (1 << 22)); }

  Bytes header(std::size_t file_size) const {
    std::size_t longest = 1;
    for (const auto& [piece, score] : pieces) longest = std::max(longest, piece.size());
    Bytes out = to_bytes(as_bytes(std::string_view("KTMODEL\0", 8)));
    put_number(out, 1, 4);
    put_number(out, kDims, 4);
    put_number(out, pieces.size() + 1, 4);
    put_number(out, longest, 4);
    put_number(out, static_cast<std::uint64_t>(whole(unknown)), 4);
    put_number(out, 0, 4);
    put_number(out, file_size, 8);
    const std::string name = "small";
    out.insert(out.end(), name.begin(), name.end());
    out.resize(80);
    return out;
  }

  std::vector<Bytes> all_sections() const {
    std::vector<Bytes> sections(8);
    put_map(sections);
    for (const auto& [pair, composed] : compositions) {
      for (char32_t c : {pair.first, pair.second, composed}) put_number(sections[4], c, 4);
    }
    for (std::uint32_t unit : trie()) put_number(sections[5], unit, 4);
    put_number(sections[6], 0, 4);
    for (const auto& piece : pieces) {
      put_number(sections[6], static_cast<std::uint64_t>(whole(piece.second)), 4);
    }
    for (std::size_t i = 0; i <= pieces.size(); ++i) put_row(sections[7], i);
    return sections;
  }

  void put_map(std::vector<Bytes>& sections) const {
    std::map<char32_t, std::uint16_t> values;
    std::uint16_t entries = 0;
    for (const auto& [c, text] : map) {
      put_number(sections[2], sections[3].size() << 8 | text.size(), 4);
      sections[3].insert(sections[3].end(), text.begin(), text.end());
      values[c] = ++entries;
    }
    for (const auto& pair : compositions) values[pair.first.second] |= 0x8000;
    for (char32_t c = 0x1161; c < 0x11C3; ++c) values[c] |= 0x8000;
    const char32_t last = values.rbegin()->first / 128;
    std::uint16_t blocks = 0;
    for (char32_t block = 0; block <= last; ++block) {
      put_number(sections[0], blocks++, 2);
      for (char32_t c = block * 128; c < (block + 1) * 128; ++c) {
        put_number(sections[1], values.contains(c) ? values[c] : 0, 2);
      }
    }
  }

  static void put_row(Bytes& out, std::size_t piece) {
    for (std::size_t word = 0; word < 4; ++word) {
      std::uint32_t bits = 0;
      for (std::size_t k = 0; k < 8; ++k) {
        bits |= static_cast<std::uint32_t>(number(piece, 4 * k + word) + 8) << (4 * k);
      }
      put_number(out, bits, 4);
    }
    put_number(out, 0x3400, 2);  // 1/4
  }

  // First fit; a node's children are the prefixes longer by a byte.
  std::vector<std::uint32_t> trie() const {
    std::map<std::string, std::set<std::uint8_t>> children;
    std::map<std::string, std::uint32_t> ids, slots{{"", 0}};
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const std::string& piece = pieces[i].first;
      ids[piece] = static_cast<std::uint32_t>(i + 1);
      for (std::size_t end = 0; end < piece.size(); ++end) {
        children[piece.substr(0, end)].insert(static_cast<std::uint8_t>(piece[end]));
      }
    }
    std::vector<std::uint32_t> units{0xFE};
    std::set<std::size_t> taken{0}, bases;
    for (const auto& node : children) {  // sorted: a node comes before its children
      const std::string& prefix = node.first;
      const std::set<std::uint8_t>& bytes = node.second;
      std::size_t base = 1;
      const auto fits = [&] {
        for (std::uint8_t b : bytes) {
          if (taken.contains(base + b)) return false;
        }
        return !bases.contains(base) && !taken.contains(base);
      };
      while (!fits()) ++base;
      bases.insert(base);
      units.resize(std::max(units.size(), base + 256), 0xFE);
      std::uint32_t& own = units[slots[prefix]];
      own |= static_cast<std::uint32_t>(base) << 10;
      if (ids.contains(prefix)) {
        own |= 1 << 9;
        units[base] = 0xFE | ids[prefix] << 10;
        taken.insert(base);
      }
      for (std::uint8_t b : bytes) {
        const std::string child = prefix + static_cast<char>(b);
        units[base + b] = b;
        if (!children.contains(child)) units[base + b] |= 1 << 8 | ids[child] << 10;
        slots[child] = static_cast<std::uint32_t>(base + b);
        taken.insert(base + b);
      }
    }
    while (units.size() > 1 && units.back() == 0xFE) units.pop_back();
    return units;
  }
};

}  // namespace kartei::store
