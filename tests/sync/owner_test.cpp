// Whose box it is: a word of the roll's, the same on every member in the end.
#include "tests/sync/engine_testing.h"

namespace kartei::sync {
namespace {
using namespace testing;

TEST(Owner, TheNewestWordHoldsEverywhere) {
  World w(3);
  EXPECT_FALSE(w.d(1).engine->owner().has_value());
  const Engine::Owner first{"Maya Lindqvist", "Europe/Amsterdam"}, second{"Maya Berg", ""};
  must(w.d(1).engine->set_owner(first, w.now()));
  w.both(1, 2);
  EXPECT_EQ(w.d(2).engine->owner(), first);
  must(w.d(2).engine->set_owner(second, w.now()));
  w.both(2, 3), w.both(2, 1);
  for (int device : {1, 2, 3}) EXPECT_EQ(w.d(device).engine->owner(), second) << device;
  w.restart(3);
  EXPECT_EQ(w.d(3).engine->owner(), second);
}

TEST(Owner, OfTwoWordsAtOnceOneIsChosenTheSameWay) {
  World w(3);
  must(w.d(1).engine->set_owner({"Maya", "Europe/Berlin"}, w.now()));
  must(w.d(2).engine->set_owner({"Nora", "Asia/Tokyo"}, w.now()));
  w.both(1, 3), w.both(2, 3), w.both(1, 3), w.both(2, 3);
  const auto chosen = w.d(3).engine->owner();
  ASSERT_TRUE(chosen.has_value());
  EXPECT_EQ(w.d(1).engine->owner(), chosen);
  EXPECT_EQ(w.d(2).engine->owner(), chosen);
  const Engine::Owner last{"Maya", ""};
  must(w.d(1).engine->set_owner(last, w.now()));
  w.both(1, 3);
  EXPECT_EQ(w.d(3).engine->owner(), last) << "a word after both goes before both";
}

TEST(Owner, ItIsSaidOnceAndTravelsWithAWelcome) {
  World w(1);
  const Engine::Owner owner{"Maya", "Europe/Berlin"};
  must(w.d(1).engine->set_owner(owner, w.now()));
  const Hash32 before = w.digest(1);
  std::size_t commits = 0;
  w.d(1).box->observe_commits([&](bool) { ++commits; });
  must(w.d(1).engine->set_owner(owner, w.now()));
  EXPECT_EQ(commits, 0u);
  w.d(1).box->observe_commits({});
  EXPECT_EQ(w.digest(1), before);
  const int newcomer = w.join(1);
  EXPECT_EQ(w.d(newcomer).engine->owner(), owner);
}

}  // namespace
}  // namespace kartei::sync
