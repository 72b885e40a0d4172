// The rules of store/meaning/README.md, one by one, on models of a few pieces.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/meaning/slow_tokenizer.h"
#include "tests/meaning/support.h"

namespace kartei::store {
namespace {

using Ids = std::vector<std::uint32_t>;

class TokenizerTest : public ::testing::Test {
 protected:
  // Pieces 1 to 4 are there in each test.
  void SetUp() override {
    small_.pieces = {{"▁", -3}, {"a", -4}, {"b", -5}, {"▁a", -6}};
    small_.map = {{U'A', "a"}, {U'\t', " "}, {U'\u0001', ""}, {U'\u3000', " "}};
  }
  Ids pieces(std::string_view text, TextLimits limits = {}) const {
    const Bytes file = small_.file();
    const PackedModel model = PackedModel::parse(file).value();
    Tokenizer tokenizer(model, limits);
    const auto found = tokenizer.pieces(text);
    return {found.begin(), found.end()};
  }
  SmallModel small_;
};

TEST_F(TokenizerTest, charactersAreMapped) {
  EXPECT_EQ(pieces("AbA"), (Ids{4, 3, 2}));
}

TEST_F(TokenizerTest, aReplacementIsNotMappedAgain) {
  small_.map[U'B'] = "A";
  small_.pieces.push_back({"A", -4});
  EXPECT_EQ(pieces("bB"), (Ids{1, 3, 5}));
}

TEST_F(TokenizerTest, aReplacementMayBeLong) {
  small_.map[U'\uFDFA'] = "ab a";
  EXPECT_EQ(pieces("\uFDFA"), (Ids{4, 3, 4}));
}

TEST_F(TokenizerTest, whatIsMappedToNothingIsNotThere) {
  EXPECT_EQ(pieces("a\1b"), pieces("ab"));
  EXPECT_EQ(pieces("a \1 b"), pieces("a b"));
}

TEST_F(TokenizerTest, runsOfSpacesAreOne) {
  EXPECT_EQ(pieces("b b"), (Ids{1, 3, 1, 3}));
  EXPECT_EQ(pieces("b \t \u3000b"), pieces("b b"));
  EXPECT_EQ(pieces("   a"), pieces("a"));
}

TEST_F(TokenizerTest, aSpaceAtTheEndStays) {
  EXPECT_EQ(pieces("b  "), (Ids{1, 3, 1}));
}

TEST_F(TokenizerTest, aTextBeginsWithTheMarkOnce) {
  EXPECT_EQ(pieces("▁a"), (Ids{4}));
  EXPECT_EQ(pieces(" ▁b"), (Ids{1, 1, 3}));
  EXPECT_EQ(pieces("b▁▁b"), (Ids{1, 3, 1, 1, 3}));  // as it was said: no space, no run
}

TEST_F(TokenizerTest, whiteSpaceAloneHasNoPieces) {
  for (const char* text : {"", " ", " \t ", "\1", "\1 \1", "▁"}) EXPECT_EQ(pieces(text), Ids{});
}

TEST_F(TokenizerTest, aByteThatIsNotUtf8IsUnknown) {
  EXPECT_EQ(pieces("a\xFF\xE2\x96z"), (Ids{4, 0, 0, 0, 0}));
  EXPECT_EQ(pieces("a\xED\xA0\x80"), (Ids{4, 0, 0, 0}));  // half of a pair
  EXPECT_EQ(pieces("a\xC1\xA1"), (Ids{4, 0, 0}));         // 'a', written too long
}

TEST_F(TokenizerTest, suchBytesNeverJoin) {
  EXPECT_EQ(pieces("b\xE2\1\x96\x81"), (Ids{1, 3, 0, 0, 0}));
}

TEST_F(TokenizerTest, aZeroByteIsACharacter) {
  EXPECT_EQ(pieces(std::string_view("a\0b", 3)), (Ids{4, 0, 3}));
}

TEST_F(TokenizerTest, unknownCharactersCountOneByOne) {
  EXPECT_EQ(pieces("aцжa"), (Ids{4, 0, 0, 2}));
}

TEST_F(TokenizerTest, aPieceOfOneCharacterIsNeverUnknown) {
  small_.pieces.push_back({"ц", -100});
  EXPECT_EQ(pieces("aц"), (Ids{4, 5}));
}

TEST_F(TokenizerTest, aPieceMayBeginWithWhatIsNone) {
  small_.pieces.push_back({"цa", -23});
  EXPECT_EQ(pieces("цa"), (Ids{1, 5}));
  small_.pieces.back().second = -25;  // the unknown score and that of a are -24
  EXPECT_EQ(pieces("цa"), (Ids{1, 0, 2}));
}

TEST_F(TokenizerTest, theHighestSumWins) {
  small_.pieces.push_back({"ab", -8.5});
  EXPECT_EQ(pieces("bab"), (Ids{1, 3, 5}));
  small_.pieces.back().second = -9.5;
  EXPECT_EQ(pieces("bab"), (Ids{1, 3, 2, 3}));
}

TEST_F(TokenizerTest, ofEqualsTheLongestLastPiece) {
  small_.pieces.push_back({"ab", -9});
  EXPECT_EQ(pieces("bab"), (Ids{1, 3, 5}));
  small_.pieces.push_back({"ba", -9});
  EXPECT_EQ(pieces("baba"), (Ids{1, 6, 6}));
}

TEST_F(TokenizerTest, piecesAreLookedUpToTheLongest) {
  const std::string longest(255, 'b');
  small_.pieces.push_back({longest, -1});
  EXPECT_EQ(pieces(longest), (Ids{1, 5}));
}

TEST_F(TokenizerTest, decomposedTextIsComposed) {
  small_.compositions = {{{U'a', U'\u0323'}, U'ạ'}, {{U'ạ', U'\u0302'}, U'ậ'}};
  small_.pieces.push_back({"ậ", -4});
  small_.pieces.push_back({"\u0302", -4});
  EXPECT_EQ(pieces("ba\u0323\u0302"), (Ids{1, 3, 5}));
  EXPECT_EQ(pieces("b\u0302"), (Ids{1, 3, 6}));
  EXPECT_EQ(pieces("\u0302"), (Ids{1, 6}));
}

TEST_F(TokenizerTest, whatIsComposedIsMapped) {
  small_.compositions = {{{U'A', U'\u0301'}, U'Á'}};
  small_.map[U'Á'] = "b";
  EXPECT_EQ(pieces("A\u0301"), (Ids{1, 3}));
}

TEST_F(TokenizerTest, hangulIsComposed) {
  small_.pieces.push_back({"한", -4});
  small_.pieces.push_back({"하", -4});
  EXPECT_EQ(pieces("\u1112\u1161\u11AB"), (Ids{1, 5}));
  EXPECT_EQ(pieces("\u1112\u1161"), (Ids{1, 6}));
  EXPECT_EQ(pieces("\u1112\u1161\u11AB\u11AB"), (Ids{1, 5, 0}));
}

TEST_F(TokenizerTest, onlySoManyWordsCount) {
  EXPECT_EQ(pieces("b  b\tb b", {4096, 2}), pieces("b b"));
  EXPECT_EQ(pieces("  b b b", {4096, 2}), pieces("b b"));
  EXPECT_EQ(pieces("b b ", {4096, 2}), pieces("b b "));
  EXPECT_EQ(pieces("b \1 b", {4096, 2}), pieces("b b"));
  EXPECT_EQ(pieces("b", {4096, 0}), Ids{});
}

TEST_F(TokenizerTest, onlySoManyBytesCount) {
  EXPECT_EQ(pieces("bbbb", {2, 80}), pieces("bb"));
  EXPECT_EQ(pieces("bö", {2, 80}), pieces("b"));  // no half character
  EXPECT_EQ(pieces(std::string(1'000'000, 'b'), {1'000'000, 80}).size(), 1u + 4096);
}

TEST_F(TokenizerTest, aTextThatGrowsIsCut) {
  std::string spaced, grown;
  for (int i = 0; i < 2048; ++i) spaced += "b ";
  EXPECT_EQ(pieces(spaced, {4096, 4096}).size(), 2u * 6144 / 4);
  small_.map[U'\uFDFA'] = std::string(200, 'b') + " ";
  for (int i = 0; i < 1000; ++i) grown += "\uFDFA";
  const Ids found = pieces(grown, {4096, 4096});
  EXPECT_GT(found.size(), 5000u);
  EXPECT_EQ(std::ranges::count(found, 0u), 0);
}

RC_GTEST_PROP(TokenizerProperty, agreesWithTheSlowOne, ()) {
  const auto character = rc::gen::element<std::string>("a", "b", "c", "é", "▁", " ", "A", "\1",
                                                       "\xFF", "中", "e", "\u0301");
  const auto text = [&](int most) {
    return rc::gen::map(
        rc::gen::resize(most, rc::gen::container<std::vector<std::string>>(character)),
        [](const std::vector<std::string>& parts) {
          std::string all;
          for (const auto& part : parts) all += part;
          return all;
        });
  };
  SmallModel small;
  small.map = {{U'A', "a"}, {U'\u0001', ""}, {U'中', "b c"}};
  small.compositions = {{{U'e', U'\u0301'}, U'é'}};
  std::set<std::string> known;
  for (const auto& parts : *rc::gen::container<std::vector<std::vector<std::string>>>(
           rc::gen::resize(4, rc::gen::container<std::vector<std::string>>(
                                  rc::gen::element<std::string>("a", "b", "c", "é", "中"))))) {
    std::string piece = *rc::gen::element<std::string>("", "▁");
    for (const auto& part : parts) piece += part;
    if (piece.empty() || !known.insert(piece).second) continue;
    small.pieces.push_back({piece, -*rc::gen::inRange(1, 30)});  // few scores: many ties
  }
  const std::string given = *text(40);
  const Bytes file = small.file();
  const PackedModel model = PackedModel::parse(file).value();
  Tokenizer tokenizer(model, {4096, 4096});
  const auto found = tokenizer.pieces(given);
  RC_ASSERT(Ids(found.begin(), found.end()) == slow_pieces(small, given));
}

}  // namespace
}  // namespace kartei::store
