#include "daemon/manager/short_term.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "crypto/utf8.h"
#include "daemon/manager/topic_words.h"

namespace kartei::daemon {
namespace {

using store::Role;
using store::Turn;

Turn said(std::string speaker, Role role, std::string text) {
  Turn turn;
  turn.speaker = std::move(speaker);
  turn.role = role;
  turn.text = std::move(text);
  turn.said_at = {
      store::Time(std::chrono::sys_days(std::chrono::year(2026) / 5 / 8) + std::chrono::hours(10)),
      0};
  return turn;
}
std::vector<std::size_t> sizes(const std::vector<Turn>& turns) {
  std::vector<std::size_t> out;
  for (const Exchange& exchange : exchanges_of(turns)) out.push_back(exchange.end - exchange.begin);
  return out;
}

TEST(ShortTerm, AnExchangeBeginsWhereAUserSpeaksAfterSomebodyElse) {
  const Turn maya = said("Maya", Role::kUser, "a"), bot = said("bot", Role::kAssistant, "b"),
             tool = said("search", Role::kTool, "c");
  EXPECT_EQ(sizes({maya, bot, maya, bot}), (std::vector<std::size_t>{2, 2}));
  EXPECT_EQ(sizes({maya, maya, bot, tool, bot, maya}), (std::vector<std::size_t>{5, 1}));
  EXPECT_EQ(sizes({bot, maya}), (std::vector<std::size_t>{1, 1}));
  EXPECT_EQ(sizes({}), std::vector<std::size_t>());
}

TEST(ShortTerm, WherePeopleTalkWithEachOtherItIsEachOnesTurn) {
  const Turn ida = said("Ida", Role::kUser, "a"), nils = said("Nils", Role::kUser, "b"),
             bot = said("bot", Role::kAssistant, "c");
  EXPECT_EQ(sizes({ida, nils, ida, nils, nils}), (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(sizes({ida, ida, nils, ida}), (std::vector<std::size_t>{3, 1}));
  EXPECT_EQ(sizes({ida, nils, bot, nils, ida}), (std::vector<std::size_t>{3, 2}));
}

TEST(ShortTerm, TheMostTellingSentencesMakeTheLine) {
  const std::vector<Turn> exchange = {
      said("Maya", Role::kUser, "Hi there! We moved to Utrecht yesterday. How are you?"),
      said("search", Role::kTool, "Utrecht has 361,924 inhabitants."),
      said("bot", Role::kAssistant, "Great! The Dom tower is 112 metres high."),
      said("bot", Role::kAssistant, "Anything else?")};
  EXPECT_EQ(
      summary_line(exchange),
      "Maya: We moved to Utrecht yesterday [7 May]. / bot: The Dom tower is 112 metres high.");
  EXPECT_EQ(summary_line(std::span(exchange).first(1)),
            "Maya: We moved to Utrecht yesterday [7 May].");
  EXPECT_EQ(summary_line({}), "");
}

TEST(ShortTerm, ALineIsOneLineOfWholeWordsWithinItsBytes) {
  std::string words;
  for (int n = 0; n < 80; ++n) words += "Geländer\tbrücke ";
  const std::vector<Turn> exchange = {said("Maya", Role::kUser, words),
                                      said("bot", Role::kAssistant, words)};
  const std::string line = summary_line(exchange);
  EXPECT_LE(line.size(), kLineBytes);
  EXPECT_GT(line.size(), kLineBytes / 2);
  EXPECT_EQ(line.find('\t'), std::string::npos);
  EXPECT_NE(line.find(" … / bot: "), std::string::npos) << line;
  EXPECT_TRUE(line.ends_with(" …")) << line;
}

TEST(ShortTerm, TagsAreTopicsThenNamesThenWords) {
  const TurnNotes notes =
      notes_of(said("Maya", Role::kUser, "Yesterday the vet in Lund looked at our dog Otto."));
  EXPECT_EQ(notes.sub_domain, "pets");
  EXPECT_EQ(notes.tags, (std::vector<std::string>{"pets", "lund", "otto", "yesterday", "looked"}));
  EXPECT_EQ(notes.micro_context,
            "Maya, 8 May 2026: Yesterday [7 May] the vet in Lund looked at our dog Otto.");
}

TEST(ShortTerm, ATurnWithoutWordsHasThreeTagsAndNoTopic) {
  for (const char* text : {"", "ok", "?!", "and the of it"}) {
    const TurnNotes notes = notes_of(said("Maya", Role::kUser, text));
    EXPECT_EQ(notes.tags.size(), 3U) << text;
    EXPECT_EQ(notes.sub_domain, "") << text;
  }
}

TEST(ShortTerm, AnyBytesHaveNotesWithinTheirBounds) {
  std::mt19937 random(4711);
  for (int round = 0; round < 300; ++round) {
    std::string text(random() % 600, ' ');
    for (char& c : text) c = static_cast<char>(random() % 3 == 0 ? random() : ' ' + random() % 95);
    Turn turn = said(text.substr(0, round % 40), Role::kUser, text);
    const TurnNotes notes = notes_of(turn);
    EXPECT_GE(notes.tags.size(), 3U) << "seed 4711, round " << round;
    EXPECT_LE(notes.tags.size(), 7U) << "seed 4711, round " << round;
    EXPECT_LE(notes.micro_context.size(), kLineBytes) << "seed 4711, round " << round;
    EXPECT_LE(summary_line({&turn, 1}).size(), kLineBytes) << "seed 4711, round " << round;
  }
}

TEST(ShortTerm, TopicWordsAreSorted) {
  EXPECT_TRUE(std::is_sorted(data::kTopicWords.begin(), data::kTopicWords.end()));
}

}  // namespace
}  // namespace kartei::daemon
