#include "store/secrets/plain_text.h"

#include <algorithm>

#include "crypto/letters.h"
#include "crypto/utf8.h"

namespace kartei::secrets {
namespace {

constexpr char32_t kDropped = 0xFFFFFFFF;

bool is_invisible(char32_t c) {
  return c == 0xAD || c == 0x34F || c == 0x61C || c == 0x180E || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
         (c >= 0x300 && c <= 0x36F) || (c >= 0xFE00 && c <= 0xFE0F) ||
         (c >= 0xE0000 && c <= 0xE007F);
}

bool is_space(char32_t c) {
  return c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

char32_t plain_sign(char32_t c) {
  switch (c) {
    case 0x2018:
    case 0x2019:
    case 0x201A:
    case 0x201B:
    case 0x2032:
    case 0x2039:
    case 0x203A:
    case 0xB4:
      return '\'';
    case 0x201C:
    case 0x201D:
    case 0x201E:
    case 0x201F:
    case 0x2033:
    case 0xAB:
    case 0xBB:
    case 0x300C:
    case 0x300D:
    case 0x300E:
    case 0x300F:
      return '"';
    case 0x2010:
    case 0x2011:
    case 0x2012:
    case 0x2013:
    case 0x2014:
    case 0x2015:
    case 0x2212:
      return '-';
    case 0x2028:
    case 0x2029:
    case 0x85:
      return '\n';
    case 0x3002:
      return '.';
    case 0x3001:
      return ',';
    case 0x3010:
      return '[';
    case 0x3011:
      return ']';
    default:
      return c;
  }
}

char32_t plain_of(char32_t c) {
  if (c < 0x80) return c;
  if (is_invisible(c)) return kDropped;
  if (is_space(c)) return ' ';
  if (c >= 0xFF01 && c <= 0xFF5E) return c - 0xFEE0;
  const char32_t letter = ground_letter(c);
  return letter != c ? letter : plain_sign(c);
}

}  // namespace

PlainText::PlainText(std::string_view text) : given_(text), view_(text) {
  const auto foreign = [](char c) { return static_cast<signed char>(c) < 0; };
  if (std::none_of(text.begin(), text.end(), foreign)) return;
  fold(text);
  view_ = copy_;
}

void PlainText::fold(std::string_view text) {
  copy_.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && static_cast<signed char>(text[at]) >= 0) ++at;
    if (at > begin) {
      copy_.append(text, begin, at - begin);
      continue;
    }
    const char32_t given = next_code_point(text, at);
    const char32_t plain = given == kReplacement ? given : plain_of(given);
    if (plain == given) {
      copy_.append(text.substr(begin, at - begin));
      continue;
    }
    if (plain != kDropped) append_code_point(copy_, plain);
    // What follows stands elsewhere now, if the lengths differ.
    const std::size_t offset = steps_.empty() ? 0 : steps_.back().given - steps_.back().plain;
    if (at - copy_.size() != offset) steps_.push_back({copy_.size(), at});
  }
}

std::size_t PlainText::begin_of(std::size_t at) const {
  auto step = std::upper_bound(steps_.begin(), steps_.end(), at,
                               [](std::size_t a, const Step& one) { return a < one.plain; });
  if (step == steps_.begin()) return at;
  --step;
  return step->given + (at - step->plain);
}

std::size_t PlainText::end_of(std::size_t at) const {
  if (at == 0) return 0;
  std::size_t end = begin_of(at - 1) + 1;
  while (end < given_.size() && (static_cast<unsigned char>(given_[end]) & 0xC0U) == 0x80U) ++end;
  return end;
}

}  // namespace kartei::secrets
