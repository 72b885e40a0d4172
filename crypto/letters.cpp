#include "crypto/letters.h"

#include <string_view>

namespace kartei {
namespace {

// U+00C0..U+024F and U+1E00..U+1EFF by their ground letters; '.' stays as it is.
constexpr std::string_view kLatin =
    "aaaaaaaceeeeiiiidnooooo.ouuuuytsaaaaaaaceeeeiiiidnooooo.ouuuuyty"
    "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllllll"
    "lllnnnnnn.nnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs"
    "...............e.ff.............oo.............uu..............."
    "....dddlllnnnaaiioouuuuuuuuuu.aaaaaa..ggkkoooo..jdddgg..nnaaaaoo"
    "aaaaeeeeiiiioooorrrruuuusstt..hh......aaeeooooooooyy............"
    "................";
constexpr std::string_view kLatinAdditional =
    "aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmm"
    "mmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvv"
    "wwwwwwwwwwxxxxyyzzzzzzhtwyas..s.aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeee"
    "eeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy......";

char32_t fold_greek(char32_t c) {
  if (c >= 0x391 && c <= 0x3A9) c += 0x20;
  switch (c) {
    case 0x386:
    case 0x3AC:
      return 0x3B1;
    case 0x388:
    case 0x3AD:
      return 0x3B5;
    case 0x389:
    case 0x3AE:
      return 0x3B7;
    case 0x38A:
    case 0x3AF:
    case 0x3CA:
    case 0x390:
    case 0x3AA:
      return 0x3B9;
    case 0x38C:
    case 0x3CC:
      return 0x3BF;
    case 0x38E:
    case 0x3CD:
    case 0x3CB:
    case 0x3B0:
    case 0x3AB:
      return 0x3C5;
    case 0x38F:
    case 0x3CE:
      return 0x3C9;
    case 0x3C2:
      return 0x3C3;
    default:
      return c;
  }
}

char32_t fold_cyrillic(char32_t c) {
  if (c >= 0x410 && c <= 0x42F) c += 0x20;
  if (c >= 0x400 && c <= 0x40F) c += 0x50;
  if (c == 0x451) return 0x435;                              // yo as ye
  if (c >= 0x460 && c <= 0x4BF && c != 0x482) return c | 1;  // pairs: capital is even
  if (c >= 0x4D0 && c <= 0x52F) return c | 1;
  return c;
}

}  // namespace

char32_t ground_letter(char32_t c) {
  char latin = '.';
  if (c >= 0xC0 && c <= 0x24F) latin = kLatin[c - 0xC0];
  if (c >= 0x1E00 && c <= 0x1EFF) latin = kLatinAdditional[c - 0x1E00];
  if (latin != '.') return static_cast<char32_t>(latin);
  if (c >= 0x370 && c <= 0x3FF) return fold_greek(c);
  if (c >= 0x400 && c <= 0x52F) return fold_cyrillic(c);
  return c;
}

}  // namespace kartei
