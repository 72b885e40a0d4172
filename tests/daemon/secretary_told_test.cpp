// What people tell each other: what makes a card among people, what looks like it and makes none,
// and that neither the size of the batches nor a second reading changes what is known.
#include <random>
#include <set>

#include "tests/daemon/secretary_harness.h"

namespace kartei::daemon {
namespace {

constexpr std::string_view kNow = "2026-03-18T10:00:00+01:00";

std::vector<store::Turn> talk_of(const std::vector<std::pair<std::string, std::string>>& said) {
  Desk maker;
  std::vector<store::Turn> turns;
  for (const auto& [speaker, text] : said) {
    turns.push_back(maker.turn(text, kNow));
    turns.back().speaker = speaker;
  }
  return turns;
}

// What Nora tells Emil.
std::vector<std::string> told(const std::string& text) {
  Desk desk;
  std::vector<std::string> out;
  for (const store::Card& card : desk.extract({}, talk_of({{"Emil", "Hi!"}, {"Nora", text}})).cards)
    out.push_back(std::string(1, store::to_text(card.colour)[0]) + " " + card.text);
  return out;
}

using Cards = std::vector<std::string>;

TEST(SecretaryTold, WhatWasDoneWithoutADate) {
  for (const auto& [text, card] : std::vector<std::pair<std::string, std::string>>{
           {"We visited the old water mill with Bo.", "e Nora visited the old water mill with Bo."},
           {"I went to a glass workshop.", "e Nora went to a glass workshop."},
           {"I got accepted for a course in Lund!", "e Nora got accepted for a course in Lund."},
           {"I met this amazing baker.", "e Nora met an amazing baker."},
           {"We found these old maps in the attic.", "e Nora found old maps in the attic."},
           {"Been tinkering with a radio kit.", "f Nora has been tinkering with a radio kit."},
           {"I've developed a recipe for rye bread.",
            "f Nora has developed a recipe for rye bread."},
           {"I had a mentor when I was learning to sail.",
            "e Nora had a mentor when they were learning to sail."},
           {"I loved sledding as a kid.", "f Nora loved sledding as a kid."},
           {"I decided to apply for the harbour job.",
            "e Nora decided to apply for the harbour job."}}) {
    EXPECT_EQ(told(text), Cards{card}) << text;
  }
}

TEST(SecretaryTold, WhatIsHopedForAndUnderWay) {
  for (const auto& [text, card] : std::vector<std::pair<std::string, std::string>>{
           {"I want to open a bakery by the sea.", "f Nora wants to open a bakery by the sea."},
           {"We're thinking of going sailing next month.",
            "e Nora is thinking of going sailing in April 2026."},
           {"I'm considering adopting a goat.", "f Nora is considering adopting a goat."},
           {"I've been looking into beekeeping courses.",
            "f Nora has been looking into beekeeping courses."},
           {"I believe in second chances.", "f Nora believes in second chances."},
           {"I'm trying out a new loom.", "f Nora is trying out a new loom."},
           {"I'm passionate about old bridges.", "f Nora is passionate about old bridges."},
           {"I'm determined to keep the shop open.", "f Nora is determined to keep the shop open."},
           {"I'm excited about the regatta.", "e Nora is excited about the regatta."},
           {"I'm going to paint the boat shed.", "e Nora is going to paint the boat shed."}}) {
    EXPECT_EQ(told(text), Cards{card}) << text;
  }
}

TEST(SecretaryTold, WhatAThingDoesToSomebody) {
  for (const auto& [text, card] : std::vector<std::pair<std::string, std::string>>{
           {"Rowing helps me sleep better.", "f Rowing helps Nora sleep better."},
           {"Seeing my tomatoes grow makes me happy.",
            "f Seeing Nora's tomatoes grow makes Nora happy."},
           {"The choir has given me courage to try myself out.",
            "f The choir has given Nora courage to try themselves out."},
           {"Weaving is my way to calm down.", "f Weaving is Nora's way to calm down."},
           {"The old lighthouse is important to me.",
            "f The old lighthouse is important to Nora."}}) {
    EXPECT_EQ(told(text), Cards{card}) << text;
  }
}

// The same words as above, and yet nothing that lasts, nothing of the speaker, or not said in
// earnest.
TEST(SecretaryTold, LookAlikesMakeNoCard) {
  for (const char* text : {"Did we visit the old water mill?",
                           "If I visited the mill, I'd be scared.",
                           "I visited it.",
                           "We had a blast!",
                           "I made it!",
                           "I took a break.",
                           "I got your back.",
                           "I went home.",
                           "I tried to stay calm.",
                           "We last talked in passing.",
                           "I worked hard.",
                           "Bo said I visited a castle.",
                           "I met the queen of Saturn 😂",
                           "I didn't visit the mill.",
                           "I want to say thanks.",
                           "I want you to win.",
                           "I wish I could open a bakery.",
                           "I'm looking forward to hearing from you.",
                           "I'm proud of you!",
                           "I'm grateful for your advice.",
                           "I'm thankful for the tips.",
                           "I'm excited to see you!",
                           "You are passionate about bridges.",
                           "Your courage inspires me.",
                           "It helps me sleep.",
                           "That makes me happy.",
                           "Much fun and reminded me of home.",
                           "It's my turn.",
                           "Those words mean a lot to me.",
                           "Rowing doesn't help me sleep.",
                           "Would rowing help me sleep?",
                           "I'm trying to stay awake.",
                           "I'm getting there.",
                           "I'm doing my best.",
                           "Music brings us together.",
                           "I will keep you posted."}) {
    EXPECT_EQ(told(text), Cards{}) << text;
  }
}

// Nouns that look like verbs, and verbs whose subject is somewhere else.
TEST(SecretaryTold, WhatIsNotTheSpeakersOwnMakesNoCard) {
  for (const char* text :
       {"Hope and love exist.", "It cheered me up and gave me a lot of hope.",
        "My own road and the support I got was long.", "My goal is a lot to take in.",
        "I do - my rabbit.", "I had to get rid of him.", "We enjoy each other's company.",
        "I love the thought.", "I can write better.", "He is a nurse."}) {
    EXPECT_EQ(told(text), Cards{}) << text;
  }
}

// An assistant is told the matter in hand.
TEST(SecretaryTold, ToAnAssistantTheSameWordsAreTheMatterInHand) {
  for (const char* text : {"I want to open the settings page.", "I made a new branch.",
                           "I'm trying out a new editor."}) {
    Desk desk;
    EXPECT_TRUE(desk.say(text).cards.empty()) << text;
  }
}

// Facts, one replaced, one corrected, one that ended, people told of before, deeds, hopes, effects.
std::vector<store::Turn> long_talk() {
  return talk_of({{"Nora", "Hi Emil!"},
                  {"Emil", "Hello, Nora, how are you?"},
                  {"Nora", "Fine. My sister Elsa called, she lives in Oslo."},
                  {"Emil", "I live in Kiel. Rowing helps me sleep better."},
                  {"Nora", "She is a nurse and she loves sailing."},
                  {"Nora", "We visited the old water mill with Bo."},
                  {"Emil", "I'm allergic to walnuts. I met this amazing baker."},
                  {"Nora", "I live in Lund, and I want to open a bakery by the sea."},
                  {"Emil", "I moved to Ghent last week."},
                  {"Nora", "I drink cola with every meal."},
                  {"Emil", "My dog Rufus died on sunday."},
                  {"Nora", "I stopped drinking cola in january."},
                  {"Emil", "I'm passionate about old bridges."},
                  {"Nora", "I have a dentist appointment next friday at 9."},
                  {"Emil", "ok"},
                  {"Nora", "I have choir every tuesday. I'm vegan."},
                  {"Emil", "We're thinking of going sailing next month."},
                  {"Nora", "I moved to Ystad on 2 march. Weaving is my way to calm down."}});
}

// Text, colour, relation, dates and sources of the cards that are open.
std::vector<std::string> open_cards(const MemoryCards& box) {
  std::vector<std::string> out;
  for (const store::Card& card : box.cards) {
    if (card.state != store::CardState::kOpen) continue;
    std::string line = card.text + " " + card.relation + " " + card.valid_from.text() + ".." +
                       card.valid_to.text();
    for (const store::TurnId& source : card.sources) line += " " + source.text();
    out.push_back(std::move(line));
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Reads the talk in parts that end before each of `cuts`; a part gets the turns before it, as many
// as the daemon gives.
std::vector<std::string> read_in_parts(const std::vector<store::Turn>& talk,
                                       const std::vector<std::size_t>& cuts) {
  constexpr std::size_t kContext = 10;
  Desk desk;
  std::size_t begin = 0;
  for (const std::size_t end : cuts) {
    const std::size_t from = begin > kContext ? begin - kContext : 0;
    const auto at = [&](std::size_t i) { return talk.begin() + static_cast<std::ptrdiff_t>(i); };
    desk.extract({at(from), at(begin)}, {at(begin), at(end)});
    begin = end;
  }
  return open_cards(desk.cards);
}

TEST(SecretaryBatches, AnyPartsGiveTheSameOpenCards) {
  const auto talk = long_talk();
  const auto whole = read_in_parts(talk, {talk.size()});
  ASSERT_GE(whole.size(), 12U);
  std::vector<std::size_t> each;
  for (std::size_t cut = 1; cut <= talk.size(); ++cut) {
    each.push_back(cut);
    EXPECT_EQ(read_in_parts(talk, {cut, talk.size()}), whole) << "cut before turn " << cut;
  }
  EXPECT_EQ(read_in_parts(talk, each), whole) << "one at a time";
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::size_t> cuts;
    for (std::size_t cut = 1; cut < talk.size(); ++cut)
      if (random() % 3 == 0) cuts.push_back(cut);
    cuts.push_back(talk.size());
    EXPECT_EQ(read_in_parts(talk, cuts), whole) << "round " << round;
  }
}

TEST(SecretaryBatches, ReadAgainNothingIsDoubled) {
  const auto talk = long_talk();
  Desk desk;
  desk.extract({}, talk);
  const auto once = open_cards(desk.cards);
  std::set<std::string> ids;
  for (const store::Card& card : desk.cards.cards) ids.insert(card.id.text());
  const store::UnitFiled again = desk.extract({}, talk);
  for (const store::Card& card : again.cards)
    EXPECT_TRUE(ids.contains(card.id.text())) << card.text << " is told twice";
}

}  // namespace
}  // namespace kartei::daemon
