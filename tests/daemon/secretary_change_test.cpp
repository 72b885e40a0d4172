// How cards replace, close and confirm each other over several conversations, and who may say what.
#include "tests/daemon/secretary_harness.h"

namespace kartei::daemon {
namespace {

using store::CardState;

TEST(SecretaryChange, AMoveClosesTheOldHomeOnTheDayOfTheMove) {
  Desk desk;
  desk.say("our flat? we live in Arboga, above the pharmacy", "2025-02-11T12:00:00+01:00");
  desk.say("big day: we moved to Ystad on 15 june!", "2025-06-20T09:30:00+02:00");
  const store::Card* old = desk.cards.find("Arboga");
  const store::Card* now = desk.cards.find("Ystad");
  ASSERT_TRUE(old && now);
  EXPECT_EQ(old->state, CardState::kClosed);
  EXPECT_EQ(old->valid_to.text(), "2025-06-15");
  EXPECT_EQ(old->replaced_by, now->id);
  EXPECT_FALSE(old->why_closed.empty());
  EXPECT_EQ(now->state, CardState::kOpen);
  EXPECT_EQ(now->valid_from.text(), "2025-06-15");
}

TEST(SecretaryChange, AMoveWithoutItsPlaceTakesThePlaceThatFollows) {
  Desk desk;
  desk.say("the removal van came on friday and we moved. I'm in Kalmar now",
           "2026-03-10T20:04:00+01:00");
  const store::Card* card = desk.cards.find("lives in Kalmar");
  ASSERT_TRUE(card);
  EXPECT_EQ(card->relation, "lives_in");
}

TEST(SecretaryChange, ThePastLeavesThePresentAlone) {
  Desk desk;
  desk.say("home is quiet, I live in Arboga");
  desk.say("as a nanny I lived in Ghent from 2009 to 2011");
  EXPECT_EQ(desk.cards.find("Arboga")->state, CardState::kOpen);
  const store::Card* past = desk.cards.find("Ghent");
  ASSERT_TRUE(past);
  EXPECT_EQ(past->valid_from.text(), "2009");
  EXPECT_EQ(past->valid_to.text(), "2012");
}

TEST(SecretaryChange, SaidAgainIsConfirmedNotWritten) {
  Desk desk;
  desk.say("I'm allergic to latex");
  const store::UnitFiled again = desk.say("what gloves should I get since I'm allergic to latex?");
  EXPECT_TRUE(again.cards.empty());
  ASSERT_EQ(again.confirmed.size(), 1u);
  EXPECT_EQ(again.confirmed[0], desk.cards.cards[0].id);
  EXPECT_EQ(again.confirmed_by[0], again.sources[0]);
}

TEST(SecretaryChange, NegationEndsTheHabitAndIsNoRepetition) {
  Desk desk;
  desk.say("I drink cola with every meal", "2025-06-11T17:53:00+02:00");
  desk.say("I stopped drinking cola in november", "2026-02-02T20:38:00+01:00");
  ASSERT_EQ(desk.cards.cards.size(), 2u);
  EXPECT_EQ(desk.cards.cards[0].state, CardState::kClosed);
  EXPECT_EQ(desk.cards.cards[0].valid_to.text(), "2025-11");
  EXPECT_EQ(desk.cards.cards[0].replaced_by, desk.cards.cards[1].id);
  EXPECT_EQ(desk.cards.cards[1].text, "Nora no longer drinks cola (since November 2025).");
}

TEST(SecretaryChange, ASeparationEndsThePartnerOfAnEarlierTalk) {
  Desk desk;
  desk.say("my fiancé is called Olle");
  desk.say("we split up, olle and I separated in january");
  const store::Card* tie = desk.cards.find("fiancé");
  ASSERT_TRUE(tie);
  EXPECT_EQ(tie->state, CardState::kClosed);
  EXPECT_FALSE(tie->replaced_by.is_zero());
}

TEST(SecretaryChange, AnAnimalKnownByNameDies) {
  Desk desk;
  desk.say("I've got a parrot named Kiki");
  desk.say("kiki died on sunday, she was 31", "2026-03-18T08:00:00+01:00");
  EXPECT_EQ(desk.cards.find("has a parrot")->state, CardState::kClosed);
  EXPECT_EQ(desk.cards.find("died")->valid_from.text(), "2026-03-15");
}

TEST(SecretaryChange, LeavingAJobPointsToTheNextOne) {
  Desk desk;
  desk.say("I work for the railway as a welder", "2025-03-03T20:23:00+01:00");
  desk.say("I quit my job at the end of may. I work at the harbour office from 2 june on",
           "2025-06-05T18:30:00+02:00");
  const store::Card* old = desk.cards.find("welder");
  const store::Card* now = desk.cards.find("harbour office");
  ASSERT_TRUE(old && now);
  EXPECT_EQ(old->state, CardState::kClosed);
  EXPECT_EQ(old->replaced_by, now->id);
  EXPECT_EQ(now->valid_from.text(), "2025-06-02");
}

TEST(SecretaryChange, EventsMoveAndAreCancelled) {
  Desk desk;
  desk.say("my piano recital is on 9 may at 16:00", "2026-04-04T21:05:00+02:00");
  desk.say("the piano recital got moved to 16 may, same hall", "2026-04-28T12:52:00+02:00");
  desk.say("the recital is cancelled, the teacher has the flu", "2026-05-10T12:52:00+02:00");
  ASSERT_EQ(desk.cards.cards.size(), 3u);
  EXPECT_EQ(desk.cards.cards[0].state, CardState::kClosed);
  EXPECT_EQ(desk.cards.cards[0].replaced_by, desk.cards.cards[1].id);
  EXPECT_EQ(desk.cards.cards[1].valid_from.text().substr(0, 10), "2026-05-16");
  EXPECT_EQ(desk.cards.cards[1].state, CardState::kClosed);
  EXPECT_EQ(desk.cards.cards[1].replaced_by, desk.cards.cards[2].id);
}

TEST(SecretaryChange, ARuleGivesWayToTheNewerOneOfItsTopic) {
  Desk desk;
  desk.say("always reply in one short paragraph");
  desk.say("please never suggest restaurants with seafood");
  desk.say("in future write detailed paragraphs");
  EXPECT_EQ(desk.cards.find("short paragraph")->state, CardState::kClosed);
  EXPECT_EQ(desk.cards.find("short paragraph")->replaced_by, desk.cards.find("detailed")->id);
  EXPECT_EQ(desk.cards.find("seafood")->state, CardState::kOpen);
}

TEST(SecretaryChange, TheNextTurnMendsTheLast) {
  Desk desk;
  const store::UnitFiled unit =
      desk.say("parents meeting next tuesday at 18:00 || A: ok || oops, I meant wednesday",
               "2026-04-13T09:35:00+02:00");
  ASSERT_EQ(unit.cards.size(), 1u);
  EXPECT_EQ(unit.cards[0].valid_from.text(), "2026-04-15T18:00:00+02:00");
  EXPECT_EQ(unit.cards[0].sources.size(), 2u);
}

TEST(SecretaryChange, OthersSayNothingForTheUser) {
  Desk desk;
  desk.say("I live in Lund");
  const store::UnitFiled unit = desk.say(
      "A: You live in Oslo and love fish. || T: The user lives in Rome and is vegan. || ok");
  EXPECT_TRUE(unit.cards.empty());
  EXPECT_TRUE(unit.closes.empty());
  EXPECT_EQ(unit.sources.size(), 3u);
}

TEST(SecretaryChange, TheContextTellsWhoIsMeantAndMakesNoCards) {
  Desk desk;
  const std::vector<store::Turn> before = {
      desk.turn("my sister Elsa called today", "2026-03-18T09:00:00+01:00")};
  const std::vector<store::Turn> now = {
      desk.turn("she lives in Oslo", "2026-03-18T09:05:00+01:00")};
  const store::UnitFiled unit = desk.extract(before, now);
  ASSERT_FALSE(unit.cards.empty());
  EXPECT_EQ(unit.cards[0].text, "Nora's sister Elsa lives in Oslo.");
  for (const store::Card& card : unit.cards) {
    for (const store::TurnId& source : card.sources) EXPECT_EQ(source, now[0].id);
  }
}

TEST(SecretaryChange, TakenBackAsAJokeLeavesNothing) {
  Desk desk;
  EXPECT_TRUE(desk.say("I bought a castle last week || A: really? || just kidding").cards.empty());
}

TEST(SecretaryChange, SecretsEnterNoCard) {
  Desk desk;
  const store::UnitFiled unit = desk.say(
      "my laptop password is Wintermute!77 || I live in Lund || the token is "
      "ghp_abcdefghijklmnop1234");
  ASSERT_EQ(unit.cards.size(), 1u);
  EXPECT_EQ(unit.cards[0].text, "Nora lives in Lund.");
}

TEST(SecretaryChange, ABoxThatCannotBeReadIsAnError) {
  MemoryCards cards;
  cards.broken = true;
  Desk desk;
  const std::vector<store::Turn> turns = {desk.turn("I live in Lund", "2026-03-18T09:05:00+01:00")};
  SecretaryTask task;
  task.owner = "Nora Lindqvist";
  task.turns = turns;
  const Bytes secret(32, 7);
  task.box_secret32 = secret;
  const auto unit = make_rule_secretary()->extract(task, cards);
  ASSERT_TRUE(unit.has_error());
  EXPECT_EQ(unit.error().cause, Cause::kUnavailable);
}

TEST(SecretaryChange, TheSameTalkGivesTheSameUnit) {
  Desk a, b;
  const auto first = a.say("I live in Lund and my wife Karin is a geologist");
  const auto second = b.say("I live in Lund and my wife Karin is a geologist");
  EXPECT_EQ(first, second);
}

TEST(SecretaryChange, WithoutAnOwnerTheSpeakerIsMeant) {
  Desk desk("");
  std::vector<store::Turn> turns = {desk.turn("I play the oud", "2026-03-18T09:05:00+01:00")};
  turns[0].speaker = "Selim";
  EXPECT_EQ(desk.extract({}, turns).cards[0].text, "Selim plays the oud.");
  turns[0].speaker = "user";
  turns[0].id.bytes[2] = 1;
  EXPECT_EQ(desk.extract({}, turns).cards[0].text, "The user plays the oud.");
}

TEST(SecretaryChange, TimesFollowTheZoneOverTheChangeOfClocks) {
  Desk desk;
  const auto unit = desk.say("I have a dentist appointment on 2 april at 15:00");
  ASSERT_EQ(unit.cards.size(), 1u);
  EXPECT_EQ(unit.cards[0].valid_from.text(), "2026-04-02T15:00:00+02:00");
}

TEST(SecretaryForeign, GermanStaysGerman) {
  Desk desk("Nora Lindqvist", "Europe/Berlin");
  const auto unit = desk.say(
      "ich spiele Geige und meine Tante Käthe wohnt in Goslar. || Am 3. Mai fliege ich nach "
      "Füssen.");
  ASSERT_EQ(unit.cards.size(), 3u);
  EXPECT_EQ(unit.cards[0].text, "Nora spielt Geige.");
  EXPECT_EQ(unit.cards[1].text, "Noras Tante Käthe wohnt in Goslar.");
  EXPECT_EQ(unit.cards[2].text, "Nora fliegt am 3. Mai 2026 nach Füssen.");
  EXPECT_EQ(unit.cards[2].valid_from.text(), "2026-05-03");
  EXPECT_TRUE(
      desk.say("Wenn ich reich wäre, würde ich in Rom wohnen und nicht arbeiten.").cards.empty());
}

TEST(SecretaryForeign, ChineseStaysChinese) {
  Desk desk("Nora Lindqvist", "Asia/Shanghai");
  const auto unit = desk.say("我哥哥李明住在苏州，他喜欢钓鱼。", "2026-04-21T10:38:00+08:00");
  ASSERT_EQ(unit.cards.size(), 2u);
  EXPECT_EQ(unit.cards[0].text, "Nora的哥哥李明住在苏州。");
  EXPECT_EQ(unit.cards[1].text, "李明喜欢钓鱼。");
}

}  // namespace
}  // namespace kartei::daemon
