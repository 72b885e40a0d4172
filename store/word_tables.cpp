#include "store/word_tables.h"

#include <algorithm>
#include <utility>

#include "crypto/letters.h"
#include "crypto/utf8.h"

namespace kartei::store {
namespace {

char32_t fold_arabic(char32_t c) {
  if (c == 0x622 || c == 0x623 || c == 0x625 || c == 0x671) return 0x627;
  if (c == 0x649 || c == 0x6CC) return 0x64A;
  if (c == 0x6A9) return 0x643;
  if (c == 0x629) return 0x647;
  if (c >= 0x660 && c <= 0x669) return c - 0x660 + '0';
  if (c >= 0x6F0 && c <= 0x6F9) return c - 0x6F0 + '0';
  return c;
}

// English forms that no ending tells, sorted.
constexpr std::pair<std::string_view, std::string_view> kIrregular[] = {
    {"ate", "eat"},
    {"became", "become"},
    {"began", "begin"},
    {"begun", "begin"},
    {"bought", "buy"},
    {"broke", "break"},
    {"broken", "break"},
    {"brought", "bring"},
    {"built", "build"},
    {"came", "come"},
    {"caught", "catch"},
    {"children", "child"},
    {"chose", "choose"},
    {"chosen", "choose"},
    {"drank", "drink"},
    {"drawn", "draw"},
    {"drew", "draw"},
    {"driven", "drive"},
    {"drove", "drive"},
    {"eaten", "eat"},
    {"fallen", "fall"},
    {"fell", "fall"},
    {"felt", "feel"},
    {"fought", "fight"},
    {"found", "find"},
    {"gave", "give"},
    {"given", "give"},
    {"gone", "go"},
    {"got", "get"},
    {"gotten", "get"},
    {"grew", "grow"},
    {"grown", "grow"},
    {"heard", "hear"},
    {"held", "hold"},
    {"kept", "keep"},
    {"knew", "know"},
    {"known", "know"},
    {"learnt", "learn"},
    {"led", "lead"},
    {"left", "leave"},
    {"lost", "lose"},
    {"made", "make"},
    {"meant", "mean"},
    {"men", "man"},
    {"met", "meet"},
    {"paid", "pay"},
    {"ran", "run"},
    {"ridden", "ride"},
    {"rode", "ride"},
    {"said", "say"},
    {"sang", "sing"},
    {"saw", "see"},
    {"seen", "see"},
    {"sent", "send"},
    {"shown", "show"},
    {"slept", "sleep"},
    {"sold", "sell"},
    {"spent", "spend"},
    {"spoke", "speak"},
    {"spoken", "speak"},
    {"stood", "stand"},
    {"sung", "sing"},
    {"swam", "swim"},
    {"taken", "take"},
    {"taught", "teach"},
    {"thought", "think"},
    {"threw", "throw"},
    {"thrown", "throw"},
    {"told", "tell"},
    {"took", "take"},
    {"understood", "understand"},
    {"went", "go"},
    {"women", "woman"},
    {"won", "win"},
    {"wore", "wear"},
    {"worn", "wear"},
    {"written", "write"},
    {"wrote", "write"},
};
static_assert(std::is_sorted(std::begin(kIrregular), std::end(kIrregular)));

}  // namespace

bool is_capital(char32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z';
  if (c >= 0xC0 && c <= 0xDE) return c != 0xD7;
  if (c >= 0x100 && c <= 0x17F)  // pairs; the capital's place changes in two stretches
    return (c >= 0x139 && c <= 0x148) || c >= 0x179 ? (c & 1) == 1 : (c & 1) == 0;
  if (c >= 0x1E00 && c <= 0x1EFF) return (c & 1) == 0;
  if (c >= 0x386 && c <= 0x3AB) return c != 0x390;
  if (c >= 0x400 && c <= 0x42F) return true;
  if (c >= 0x460 && c <= 0x52F) return (c & 1) == 0;
  return (c >= 0x531 && c <= 0x556) || (c >= 0xFF21 && c <= 0xFF3A);
}

void append_folded(std::string& out, char32_t c) {
  if (c < 0x80) {
    out.push_back(static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c));
    return;
  }
  if (c == 0xDF || c == 0x1E9E) {
    out += "ss";
    return;
  }
  if (c == 0xC6 || c == 0xE6 || c == 0x152 || c == 0x153) {
    out += c < 0x100 ? "ae" : "oe";
    return;
  }
  c = ground_letter(c);
  if (c >= 0x531 && c <= 0x556) c += 0x30;  // Armenian
  if (c >= 0x600 && c <= 0x6FF) c = fold_arabic(c);
  if (c >= 0x966 && c <= 0x96F) c = c - 0x966 + '0';  // Devanagari digits
  if (c >= 0x30A1 && c <= 0x30F6) c -= 0x60;          // katakana as hiragana
  if (c >= 0xFF10 && c <= 0xFF5A) {                   // full-width forms
    append_folded(out, c - 0xFEE0);
    return;
  }
  append_code_point(out, c);
}

std::string_view regular_form(std::string_view folded) {
  const auto* found =
      std::lower_bound(std::begin(kIrregular), std::end(kIrregular), folded,
                       [](const auto& entry, std::string_view word) { return entry.first < word; });
  return found != std::end(kIrregular) && found->first == folded ? found->second : folded;
}

}  // namespace kartei::store
