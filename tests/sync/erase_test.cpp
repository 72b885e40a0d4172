// Erasing: new epoch, and the end of the old key once nobody needs it.
#include <algorithm>

#include "tests/sync/engine_testing.h"

namespace kartei::sync::testing {
namespace {

// Parts of roll records in the box that still carry keys of the drawer.
std::size_t keys_kept(World& w, int device) {
  return w.drawer_keys(device);
}

TEST(Erase, OneDeviceDestroysTheOldKeyAtOnce) {
  World w(1);
  TurnId a = w.say(1, "a");
  EXPECT_EQ(keys_kept(w, 1), 1u);
  w.erase_turn(1, a);
  EXPECT_EQ(keys_kept(w, 1), 1u) << "the new one alone";
  TurnId b = w.say(1, "b");
  w.restart(1);
  EXPECT_FALSE(must(w.d(1).box->turn(a)).has_value());
  EXPECT_TRUE(must(w.d(1).box->turn(b)).has_value());
  TurnId c = w.say(1, "c");
  EXPECT_TRUE(w.filed(1, c));
  EXPECT_EQ(must(w.d(1).box->drawer("home"))->id, w.drawer()) << "its name is still known";
}

// All have applied the erase; 3 had said something under the old epoch, its head came, the turn
// not.
void offline_turn(Rules rules, bool* kept, bool* read) {
  World w(3, rules);
  TurnId a = w.say(1, "a");
  w.take(1), w.work(1);
  for (int i : {2, 3}) w.both(1, i);
  w.erase_turn(1, a);
  TurnId late = w.say(3, "said offline, under the old epoch");
  for (int i : {2, 3}) w.x(1, i);
  for (int i : {2, 3}) w.heads(i, 1);
  *kept = keys_kept(w, 1) > 1;
  w.quiet();
  *read = w.filed(1, late) && must(w.d(1).box->turn(late)).has_value();
  if (rules.epoch_rule == Rules::EpochRule::kDrained) {
    for (int i : {1, 2, 3}) {
      EXPECT_EQ(keys_kept(w, i), 1u) << "destroyed in the end, device " << i;
    }
    EXPECT_EQ(w.digest(1), w.digest(3));
  }
}

TEST(Erase, KeyStaysForATurnOnItsWay) {
  bool kept = false, read = false;
  offline_turn({}, &kept, &read);
  EXPECT_TRUE(kept);
  EXPECT_TRUE(read);
  Rules broken;
  broken.epoch_rule = Rules::EpochRule::kConfirmed;
  offline_turn(broken, &kept, &read);
  EXPECT_FALSE(kept && read) << "the broken rule went unnoticed";
}

// The old key is gone everywhere; 1 comes back from a backup that still had it, and speaks.
TEST(Erase, WhoSpeaksUnderADestroyedKeyGivesItOutOnceMore) {
  World w(3);
  TurnId a = w.say(1, "a");
  w.take(1), w.work(1);
  w.quiet();
  Bytes backup = w.image(1);
  w.erase_turn(1, a);
  w.quiet();
  for (int i : {1, 2, 3}) ASSERT_EQ(keys_kept(w, i), 1u) << "device " << i;
  w.restart_from(1, backup);
  TurnId late = w.say(1, "said under the old key");
  w.take(1), w.work(1);
  w.quiet();
  for (int i : {2, 3}) {
    EXPECT_TRUE(w.filed(i, late)) << "device " << i;
    EXPECT_TRUE(must(w.d(i).box->turn(late)).has_value()) << "device " << i;
    EXPECT_FALSE(must(w.d(i).box->turn(a)).has_value()) << "device " << i;
    EXPECT_EQ(w.status(i).withheld, 0u) << "device " << i;
    EXPECT_EQ(w.digest(1), w.digest(i)) << "device " << i;
  }
  w.wait(60'000);
  w.quiet();
  for (int i : {1, 2, 3}) EXPECT_EQ(keys_kept(w, i), 1u) << "destroyed again, device " << i;
}

}  // namespace
}  // namespace kartei::sync::testing
