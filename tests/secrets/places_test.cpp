// Properties: a secret is found wherever it stands, whatever stands around it; masking takes it
// away; no bytes do harm.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "store/secrets/checks.h"
#include "tests/secrets/corpus.h"

namespace kartei::secrets {
namespace {

using corpus::Generator;

std::string github_token(Generator& g) {
  const std::string random = g.word(30);
  return "gh" + ("p_" + random + base62_crc32(random));
}

bool covers(std::string_view text, std::string_view secret) {
  const std::size_t at = text.find(secret);
  for (const Finding& one : find(text))
    if (one.begin <= at && one.end >= at + secret.size()) return true;
  return false;
}

// What may stand beside a secret without making it a part of a longer word.
const std::vector<std::string> kAround = {"",
                                          " ",
                                          "\n",
                                          "\r\n",
                                          "\t",
                                          "\"",
                                          "'",
                                          "`",
                                          "(",
                                          ")",
                                          "[",
                                          "]",
                                          "<",
                                          ">",
                                          ",",
                                          ";",
                                          ":",
                                          "=",
                                          "|",
                                          "\xC2\xA0" /* no-break space */,
                                          "\xE3\x80\x80" /* ideographic space */,
                                          "\xE2\x80\x8B" /* zero width space */,
                                          "\xE2\x80\x99",
                                          "\xE2\x80\x9C",
                                          "\xE3\x80\x8C",
                                          "\xEF\xBC\x9A",
                                          "\xEF\xBB\xBF",
                                          "\xE2\x80\xA8",
                                          "\xE5\xAF\x86",
                                          "\xD0\xB6",
                                          "\xF0\x9F\x94\x91"};
const std::vector<std::string> kInvisible = {"\xE2\x80\x8B", "\xE2\x80\x8C", "\xE2\x80\x8D",
                                             "\xC2\xAD",     "\xEF\xBB\xBF", "\xE2\x81\xA0",
                                             "\xE2\x80\x8E"};

RC_GTEST_PROP(SecretPlaces, FoundBetweenAnything,
              (std::uint64_t seed, std::string before, std::string behind)) {
  Generator g(seed);
  const std::string secret =
      g.coin() ? github_token(g) : "AK" + ("IA" + g.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16));
  if (secret.starts_with("AK") && secret.find("EXAMPLE") != std::string::npos) RC_DISCARD("");
  const std::string text =
      before + g.one_of(kAround) + " " + secret + " " + g.one_of(kAround) + behind;
  if (!covers(text, secret)) RC_FAIL(text);
}

RC_GTEST_PROP(SecretPlaces, SignsAroundDoNotHide, (std::uint64_t seed)) {
  Generator g(seed);
  const std::string secret = github_token(g);
  const std::string left = g.one_of(kAround), right = g.one_of(kAround);
  RC_ASSERT(covers("so " + left + secret + right + " it is", secret));
}

RC_GTEST_PROP(SecretPlaces, InvisibleCharactersDoNotHide, (std::uint64_t seed)) {
  Generator g(seed);
  const std::string secret = github_token(g);
  std::string hidden;
  for (const char c : secret) {
    if (!hidden.empty() && g.below(6) == 0) hidden += g.one_of(kInvisible);
    hidden.push_back(c);
  }
  RC_ASSERT(covers("see " + hidden + " there", hidden));
  RC_ASSERT(essence(hidden) == essence(secret));
}

RC_GTEST_PROP(SecretPlaces, ALineBreakInsideDoesNotHide, (std::uint64_t seed)) {
  Generator g(seed);
  std::string secret = github_token(g);
  secret.insert(8 + g.below(20), g.coin() ? "\n" : "\r\n    ");
  RC_ASSERT(covers("the token:\n" + secret + "\n", secret));
}

RC_GTEST_PROP(SecretPlaces, FullWidthLettersDoNotHide, (std::uint64_t seed)) {
  Generator g(seed);
  std::string wide;
  const std::string secret = github_token(g);
  for (const char c : secret) {
    const auto code = static_cast<char32_t>(c) + 0xFEE0;
    wide.push_back(static_cast<char>(0xE0 | code >> 12));
    wide.push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
    wide.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  }
  RC_ASSERT(covers("新的是 " + wide, wide));
  RC_ASSERT(essence(wide) == essence(secret));
}

RC_GTEST_PROP(SecretPlaces, CardsInAnyGrouping, (std::uint64_t seed)) {
  Generator g(seed);
  const std::string digits = g.card(g.coin() ? "4" : "51", 16);
  const std::vector<std::string> separators = {
      "", " ", "-", "\xC2\xA0", "\xE2\x80\x93", "\xE2\x80\xAF", "."};
  const std::string& separator = g.one_of(separators);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && i % 4 == 0) text += separator;
    text.push_back(digits[i]);
  }
  RC_ASSERT(covers("pay with " + text + " please", text));
}

RC_GTEST_PROP(SecretPlaces, OneWrongDigitIsNoCard, (std::uint64_t seed)) {
  Generator g(seed);
  std::string digits = g.card("4", 16);
  char& wrong = digits[6 + g.below(10)];
  wrong = static_cast<char>('0' + (wrong - '0' + 1 + static_cast<int>(g.below(9))) % 10);
  RC_ASSERT(find("pay with " + digits).empty());
}

// Findings are in order, apart, inside; masking comes to an end.
void check_anything(std::string_view text) {
  std::size_t end = 0;
  for (const Finding& one : find(text)) {
    RC_ASSERT(one.begin >= end);
    RC_ASSERT(one.end > one.begin);
    RC_ASSERT(one.end <= text.size());
    RC_ASSERT(!essence(text.substr(one.begin, one.end - one.begin)).empty());
    end = one.end;
  }
  std::string out(text);
  const bool any = mask(out);
  RC_ASSERT(any == (end > 0));
  // A mask may be what a label or a boundary was missing; masks themselves hold nothing.
  int rounds = 0;
  while (mask(out)) RC_ASSERT(++rounds < 16);
}

RC_GTEST_PROP(SecretPlaces, AnyBytes, (std::string text)) {
  check_anything(text);
}

RC_GTEST_PROP(SecretPlaces, PiecesOfSecretsInAnyOrder, (std::uint64_t seed)) {
  const auto all = corpus::secrets();
  Generator g(seed);
  std::string text;
  for (std::size_t i = 0; i < 6; ++i) {
    const corpus::Secret& one = g.one_of(all);
    const std::size_t from = g.below(one.text.size());
    text += one.text.substr(from, g.below(one.text.size() - from + 1)) + g.one_of(kAround);
  }
  check_anything(text);
}

// Whoever looked at each place within a long run would read the run from each of them.
TEST(SecretPlaces, ASignedTokenIsLookedForWhereItsRunBegins) {
  Generator g(11);
  const std::string token =
      "ey" + ("JhbGciOiJIUzI1NiJ9." + ("ey" + g.url64(40)) + "." + g.url64(43));
  EXPECT_TRUE(covers("it is " + token, token));
  EXPECT_TRUE(covers("it is\\n" + token, token));
  for (const char* before : {"_", "-", ".", "a", "eyJ_"})
    EXPECT_TRUE(find("it is x" + (before + token)).empty()) << before;
}

TEST(SecretPlaces, AllowedOnesStay) {
  Generator g(7);
  const std::string one = github_token(g), other = github_token(g);
  const std::string text = "a " + one + " b " + other;
  const auto is_one = [&](std::string_view found) { return found == essence(one); };
  EXPECT_EQ(masked(text, is_one), "a " + one + " b [secret removed: GitHub token]");
  EXPECT_EQ(masked(text), "a [secret removed: GitHub token] b [secret removed: GitHub token]");
}

TEST(SecretPlaces, TheMaskSaysNothing) {
  for (const corpus::Secret& secret : corpus::secrets()) {
    const std::string words = secret.text.substr(secret.begin, secret.end - secret.begin);
    EXPECT_EQ(masked(secret.text).find(words), std::string::npos) << secret.text;
  }
}

}  // namespace
}  // namespace kartei::secrets
