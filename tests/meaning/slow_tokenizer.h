// The tokenizer's rules over again, with maps and strings, to compare the quick one with.
#pragma once

#include <limits>

#include "crypto/utf8.h"
#include "tests/meaning/small_model.h"

namespace kartei::store {

// One string a character; a byte that is not UTF-8 is "\xFF".
inline std::vector<std::string> characters_of(std::string_view text) {
  std::vector<std::string> characters;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    const bool invalid = c == kReplacement && at - begin == 1;
    characters.push_back(invalid ? "\xFF" : std::string(text.substr(begin, at - begin)));
  }
  return characters;
}

inline char32_t code_point_of(const std::string& character) {
  std::size_t at = 0;
  return next_code_point(character, at);
}

// What NFC makes of the two; 0: nothing.
inline char32_t slow_composition(const SmallModel& model, char32_t first, char32_t second) {
  const auto pair = model.compositions.find({first, second});
  if (pair != model.compositions.end()) return pair->second;
  const char32_t vowel = second - 0x1161, last = second - 0x11A7, syllable = first - 0xAC00;
  if (first - 0x1100 < 19 && vowel < 21) return 0xAC00 + (first - 0x1100) * 588 + vowel * 28;
  if (syllable < 11172 && syllable % 28 == 0 && last >= 1 && last < 28) return first + last;
  return 0;
}

inline std::vector<std::string> folded_characters(const SmallModel& model, std::string_view text) {
  std::vector<std::string> composed, mapped, folded;
  for (const std::string& c : characters_of(text)) {
    const char32_t both =
        composed.empty() || composed.back() == "\xFF" || c == "\xFF"
            ? 0
            : slow_composition(model, code_point_of(composed.back()), code_point_of(c));
    if (both == 0) {
      composed.push_back(c);
    } else {
      composed.back().clear();
      append_code_point(composed.back(), both);
    }
  }
  for (const std::string& c : composed) {
    const auto entry = model.map.find(code_point_of(c));
    for (const std::string& part : characters_of(entry == model.map.end() ? c : entry->second)) {
      if (part != " " || mapped.empty() || mapped.back() != " ") mapped.push_back(part);
    }
  }
  const std::string mark = "\u2581";
  for (const std::string& c : mapped) folded.push_back(c == " " ? mark : c);
  if (folded.empty() || folded.front() != mark) folded.insert(folded.begin(), mark);
  return folded;
}

inline std::vector<std::uint32_t> slow_pieces(const SmallModel& model, std::string_view text) {
  const std::vector<std::string> c = folded_characters(model, text);
  if (c.size() == 1) return {};
  std::map<std::string, std::uint32_t> ids;
  for (const auto& piece : model.pieces)
    ids[piece.first] = static_cast<std::uint32_t>(ids.size() + 1);
  struct Best {
    double score = -std::numeric_limits<double>::infinity();
    std::vector<std::uint32_t> pieces;
  };
  std::vector<Best> best(c.size() + 1);
  best[0].score = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    const auto offer = [&](std::size_t end, std::uint32_t piece, double score) {
      if (best[i].score + score <= best[end].score) return;
      best[end] = {best[i].score + score, best[i].pieces};
      best[end].pieces.push_back(piece);
    };
    std::string piece;
    for (std::size_t end = i + 1; end <= c.size(); ++end) {
      piece += c[end - 1];
      const auto id = ids.find(piece);
      if (id != ids.end()) {
        offer(end, id->second, model.pieces[id->second - 1].second);
      } else if (end == i + 1) {
        offer(end, 0, model.unknown);
      }
    }
  }
  return best.back().pieces;
}

}  // namespace kartei::store
