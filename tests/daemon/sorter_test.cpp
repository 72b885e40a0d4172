// Which turns go where, and what makes a drawer.
#include "daemon/manager/sorter.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/daemon/sorting_corpus.h"

namespace kartei::daemon {
namespace {

store::Drawer drawer_named(const std::string& name, std::uint8_t id, bool shared = false) {
  store::Drawer drawer;
  drawer.id.bytes[0] = id;
  drawer.name = name;
  drawer.shared = shared;
  drawer.held = true;
  return drawer;
}

// A sorter and the drawers beside it, which are made when it asks for one.
struct Cabinet {
  Sorter sorter;
  std::vector<store::Drawer> drawers{drawer_named("general", 1)};
  std::map<store::DrawerId, std::string> kind_of;

  void put(const store::Drawer& drawer) {
    drawers.push_back(drawer);
    sorter.set_drawers(drawers);
  }
  // The drawer's name.
  std::string sort(std::string_view conversation, std::string_view text, std::int64_t day = 1,
                   bool by_user = true) {
    sorter.set_drawers(drawers);
    Sorting out = sorter.sort({conversation, text, by_user, day});
    if (!out.make.empty()) {
      put(drawer_named(out.make, static_cast<std::uint8_t>(drawers.size() + 1)));
      sorter.made(out.kind, drawers.back().id);
      kind_of[drawers.back().id] = out.kind;
      return out.make;
    }
    for (const store::Drawer& drawer : drawers)
      if (drawer.id == out.drawer) return drawer.name;
    return out.drawer.is_zero() ? "general" : "gone";
  }
};

constexpr const char* kClimbs[] = {"I went climbing with Ines.", "I bought a harness for climbing.",
                                   "We climbed in Freyr.", "Climbing was fun today."};

TEST(Sorter, MakesADrawerOfWhatIsSaidAgainAndAgain) {
  Cabinet cabinet;
  EXPECT_EQ(cabinet.sort("a", kClimbs[0]), "general");
  EXPECT_EQ(cabinet.sort("a", kClimbs[1]), "general");
  EXPECT_EQ(cabinet.sort("b", kClimbs[2]), "climbing");
  EXPECT_EQ(cabinet.sort("c", kClimbs[3]), "climbing");
  EXPECT_EQ(cabinet.sort("c", "Well done!", 1, false), "climbing");  // an answer
  EXPECT_EQ(cabinet.sort("c", "It rained all the way."), "climbing");
  EXPECT_EQ(cabinet.sort("d", "It rained all the way."), "general");
}

TEST(Sorter, OneStoryMakesNone) {
  Cabinet cabinet;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(cabinet.sort("a", kClimbs[i % 4]), "general");
  EXPECT_EQ(cabinet.sort("a", kClimbs[0], 2), "climbing");  // another day
}

TEST(Sorter, WhatOthersSayAndQuestionsMakeNone) {
  Cabinet cabinet;
  for (const char* talk : {"a", "b", "c", "d"}) {
    EXPECT_EQ(cabinet.sort(talk, "Is climbing good for my back?"), "general");
    EXPECT_EQ(cabinet.sort(talk, "Climbing is good for you.", 1, false), "general");
  }
}

TEST(Sorter, CallsItAsItsOwnerDoes) {
  Cabinet cabinet;
  cabinet.sort("a", "Wir haben Tomaten im Garten.");
  cabinet.sort("b", "Im Garten ist der Kompost fertig.");
  EXPECT_EQ(cabinet.sort("c", "Heute war ich im Garten."), "Garten");
  EXPECT_EQ(cabinet.sort("d", "The greenhouse is new."), "Garten");
}

TEST(Sorter, AWordOfTwoMeaningsIsNotPlain) {
  EXPECT_EQ(kind_of_text("I have a cold room at the station."), "");
  EXPECT_EQ(kind_of_text("This card is a test of the report."), "");
  EXPECT_EQ(kind_of_text("I went climbing."), "climbing");
}

TEST(Sorter, TheUsersLocalDrawerOfThatNameFits) {
  Cabinet cabinet;
  cabinet.put(drawer_named("Garden", 7));
  EXPECT_EQ(cabinet.sort("a", "Die Tomaten im Garten sind reif."), "Garden");
}

TEST(Sorter, ASharedDrawerNeverFitsByItself) {
  Cabinet cabinet;
  cabinet.put(drawer_named("climbing", 7, true));
  for (const char* talk : {"a", "b", "c", "d", "e"})
    EXPECT_EQ(cabinet.sort(talk, kClimbs[0]), "general");
}

TEST(Sorter, ACardMovedByHandTeaches) {
  Cabinet cabinet;
  for (const char* talk : {"a", "b", "c", "d"}) cabinet.sort(talk, kClimbs[0]);
  cabinet.put(drawer_named("fun", 9, true));
  store::Card card;
  card.text = "Maya goes climbing on Thursdays.";
  EXPECT_EQ(cabinet.sorter.teach(card, cabinet.drawers.back().id), "climbing");
  EXPECT_EQ(cabinet.sort("e", kClimbs[0]), "fun");
  card.text = "Maya meets Dr. Okonkwo.";
  card.object = "Dr. Okonkwo";
  EXPECT_EQ(cabinet.sorter.teach(card, cabinet.drawers.back().id), "about okonkwo");
  EXPECT_EQ(cabinet.sort("f", "Okonkwo called back."), "fun");
  EXPECT_TRUE(cabinet.sorter.forget("about okonkwo"));
  EXPECT_EQ(cabinet.sort("g", "Okonkwo called back."), "general");
  EXPECT_FALSE(cabinet.sorter.forget("about okonkwo"));
}

TEST(Sorter, ADrawerThatIsGoneIsNotUsed) {
  Cabinet cabinet;
  for (const char* talk : {"a", "b", "c"}) cabinet.sort(talk, kClimbs[0]);
  ASSERT_EQ(cabinet.sort("d", kClimbs[0]), "climbing");
  cabinet.drawers.back().held = false;
  EXPECT_NE(cabinet.sort("e", kClimbs[0]), "gone");
}

TEST(Sorter, KeepsWhatItKnows) {
  Cabinet cabinet;
  for (const char* talk : {"a", "b", "c"}) cabinet.sort(talk, kClimbs[0]);
  Sorter again;
  ASSERT_TRUE(again.load(cabinet.sorter.text()).has_value());
  EXPECT_EQ(again.kinds(), cabinet.sorter.kinds());
  EXPECT_EQ(again.text(), cabinet.sorter.text());
  EXPECT_FALSE(again.load("{\"version\":1}").has_value());
  EXPECT_FALSE(again.load("nonsense").has_value());
  EXPECT_EQ(again.kinds(), cabinet.sorter.kinds());  // as it was
}

std::vector<SortingRow> any_rows() {
  return *rc::gen::container<std::vector<SortingRow>>(
      rc::gen::map(rc::gen::inRange<std::size_t>(0, kSortingCorpus.size()),
                   [](std::size_t i) { return kSortingCorpus[i]; }));
}

// A drawer that its owner shared by hand is reached by what its owner taught, and by nothing else.
RC_GTEST_PROP(SorterProperties, NothingGoesToASharedDrawerUntaught, ()) {
  Cabinet cabinet;
  std::uint8_t id = 100;
  for (const char* name : {"garden", "climbing", "work", "food", "travel"})
    cabinet.put(drawer_named(name, ++id, true));
  for (const SortingRow& row : any_rows()) {
    const std::string name = cabinet.sort(std::to_string(row.conversation), row.text);
    for (const store::Drawer& drawer : cabinet.drawers)
      if (drawer.name == name) RC_ASSERT(!drawer.shared);
  }
}

RC_GTEST_PROP(SorterProperties, TheUsersWordAlwaysWins, ()) {
  Cabinet cabinet;
  for (const SortingRow& row : any_rows())
    cabinet.sort(std::to_string(row.conversation), row.text, row.conversation);
  cabinet.put(drawer_named("mine", 200));
  store::Card card;
  card.text = "Maya goes climbing.";
  cabinet.sorter.teach(card, cabinet.drawers.back().id);
  for (const SortingRow& row : any_rows())
    cabinet.sort(std::to_string(row.conversation), row.text, row.conversation);
  RC_ASSERT(cabinet.sort("at last", "I went climbing.") == "mine");
}

// Where a restart comes in between decides nothing.
RC_GTEST_PROP(SorterProperties, ARestartChangesNothing, ()) {
  Cabinet one, other;
  for (const SortingRow& row : any_rows()) {
    const std::string talk = std::to_string(row.conversation);
    RC_ASSERT(one.sort(talk, row.text, row.conversation) ==
              other.sort(talk, row.text, row.conversation));
    const std::string kept = other.sorter.text();
    other.sorter = Sorter();
    RC_ASSERT(other.sorter.load(kept).has_value());
  }
}

TEST(Sorter, WhatItKeepsIsBounded) {
  Sorter sorter;
  for (std::size_t i = 0; i < 1000; ++i) {
    store::Card card;
    card.object = "name" + std::to_string(i);
    store::DrawerId drawer;
    drawer.bytes[0] = 1;
    sorter.teach(card, drawer);
    sorter.sort({card.object, "I went climbing", true, static_cast<std::int64_t>(i)});
  }
  EXPECT_TRUE(sorter.kinds().size() <= 192U);
  EXPECT_TRUE(sorter.text().size() < 64U << 10);
}

// The figures stand in daemon/manager/README.md.
TEST(SorterCorpus, IsSortedRightOrNotAtAll) {
  Cabinet cabinet;
  std::size_t right = 0, general = 0, wrong = 0, none = 0;
  for (const SortingRow& row : kSortingCorpus) {
    const std::string name =
        cabinet.sort(std::to_string(row.conversation), row.text, row.conversation);
    std::string kind;
    for (const store::Drawer& drawer : cabinet.drawers)
      if (drawer.name == name) kind = cabinet.kind_of[drawer.id];
    if (kind.empty()) {
      ++(row.kind.empty() ? none : general);
    } else if (kind == row.kind) {
      ++right;
    } else {
      ++wrong;
      std::printf("wrong: %s <- %.*s\n", name.c_str(), static_cast<int>(row.text.size()),
                  row.text.data());
    }
  }
  std::string names;
  for (const store::Drawer& drawer : cabinet.drawers) names += " " + drawer.name;
  std::printf("%zu turns: right %zu, general %zu (and %zu about nothing), wrong %zu; drawers:%s\n",
              kSortingCorpus.size(), right, general, none, wrong, names.c_str());
  EXPECT_GE(right, 70U);
  EXPECT_LE(wrong, 6U);
}

}  // namespace
}  // namespace kartei::daemon
