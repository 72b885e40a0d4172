// What goes over links when some of it is lost, and what a device knows that was just admitted.
#include "tests/sync/engine_testing.h"

namespace kartei::sync::testing {
namespace {

// Both say what they have to say; nothing arrives where `lost`.
void exchange(World& w, bool lost) {
  for (int a : {1, 2}) {
    must(w.d(a).engine->tick(w.now()));
    for (const Send& send : must(w.d(a).engine->flush(w.now())))
      if (!lost) must(w.d(3 - a).engine->receive(w.d(a).id(), send.message, w.now()));
  }
}

TEST(Links, LostRecordsGoOutAgainWhileMoreAreSaid) {
  World w(2);
  w.d(1).engine->peer_up(w.d(2).id(), w.now());
  w.d(2).engine->peer_up(w.d(1).id(), w.now());
  for (int i = 0; i < 4; ++i) w.wait(300), exchange(w, false);
  TurnId first = w.say(1, "lost on its way");
  exchange(w, true);
  for (int i = 0; i < 20 && !must(w.d(2).box->turn(first)); ++i) {
    w.wait(500);
    w.say(1, "more");
    exchange(w, false);
  }
  EXPECT_TRUE(must(w.d(2).box->turn(first)).has_value());
}

// Many changes within a moment are told by one head.
TEST(Links, HeadsAreNotSentForEveryChange) {
  World w(2);
  w.d(1).engine->peer_up(w.d(2).id(), w.now());
  w.d(2).engine->peer_up(w.d(1).id(), w.now());
  for (int i = 0; i < 4; ++i) w.wait(300), exchange(w, false);
  int answers = 0;
  for (int i = 0; i < 30; ++i) {
    w.wait(10);
    w.say(1, "a word");
    for (const Send& send : must(w.d(1).engine->flush(w.now())))
      must(w.d(2).engine->receive(w.d(1).id(), send.message, w.now()));
    answers += static_cast<int>(must(w.d(2).engine->flush(w.now())).size());
  }
  EXPECT_GE(answers, 1);
  EXPECT_LE(answers, 3);
}

// Who told all that there is gets no answer: two members would go on answering each other.
TEST(Links, ARollIsAnsweredOnlyWhereItLacksSomething) {
  World w(2);
  w.d(1).engine->peer_up(w.d(2).id(), w.now());
  w.d(2).engine->peer_up(w.d(1).id(), w.now());
  for (int i = 0; i < 4; ++i) w.wait(300), exchange(w, false);
  const auto welcome = must(decode_welcome(must(w.d(1).engine->welcome(w.d(2).id()))));
  Message told;
  told.box = w.status(1).box;
  const auto answers_with_roll = [&] {
    must(w.d(2).engine->receive(w.d(1).id(), encode(told), w.now()));
    for (const Send& send : must(w.d(2).engine->flush(w.now())))
      if (!must(decode_message(send.message)).roll.empty()) return true;
    return false;
  };
  told.roll = welcome.roll;
  EXPECT_FALSE(answers_with_roll());
  ASSERT_GT(told.roll.size(), 1u);
  told.roll.pop_back();
  EXPECT_TRUE(answers_with_roll());
}

TEST(Newcomer, BringsTheFinalStateFromItsWelcome) {
  World w(2);
  TurnId a = w.say(1, "a");
  w.take(1), w.work(1, 1), w.both(1, 2);
  int third = w.join(1, 2, false);
  EXPECT_GT(w.status(third).final_position.height, 0u);
  EXPECT_EQ(w.status(third).final_position, w.status(1).final_position);
  EXPECT_EQ(w.status(third).seen, w.status(1).seen);
  EXPECT_TRUE(w.filed(third, a));
  EXPECT_EQ(w.cards(third).size(), 1u);
  w.restart(third);
  EXPECT_EQ(w.status(third).final_position, w.status(1).final_position);
}

// Its sponsor stands on entries that are not final: others may have been promised them.
TEST(Newcomer, DoesNotLeadFromBelowItsSponsor) {
  World w(3);
  TurnId a = w.say(1, "a");
  w.take(1), w.x(1, 2);
  ASSERT_EQ(w.status(1).final_position.height, 0u);
  int fresh = w.join(1, 2, false);
  EXPECT_EQ(w.status(fresh).seen, w.status(1).seen);
  TurnId own = w.say(fresh, "said at once");
  auto leads = [&] {
    for (int i = 0; i < 200 && !w.d(fresh).engine->acting(); ++i) {
      w.wait(10'000);
      must(w.d(fresh).engine->tick(w.now()));
    }
    return w.d(fresh).engine->acting();
  };
  EXPECT_FALSE(leads());
  w.restart(fresh);
  EXPECT_FALSE(leads()) << "remembered";
  w.x(1, fresh);
  EXPECT_TRUE(leads()) << "once it holds what its sponsor held";
  EXPECT_TRUE(w.filed(fresh, a) && w.filed(fresh, own));
}

// Nothing that is still held tells it of its later incarnations: their records are dropped.
TEST(Restored, LearnsOfItsLaterIncarnations) {
  World w(2);
  w.take(1), w.say(2, "before"), w.quiet();
  Bytes backup = w.image(2);
  for (const char* text : {"lost with the disk", "this too"}) {
    w.restart(2);
    w.say(2, text);
    w.quiet();
  }
  ASSERT_EQ(w.status(1).final_position, w.status(1).tip);
  w.restart_from(2, backup);
  w.quiet();
  EXPECT_EQ(w.status(2).tip, w.status(1).tip);
  EXPECT_EQ(w.digest(2), w.digest(1));
  TurnId after = w.say(2, "after");
  w.quiet();
  EXPECT_TRUE(w.filed(1, after));
}

// The keys that a revocation brought came in a record that is dropped by now.
TEST(Restored, GetsTheKeysBehindASnapshot) {
  World w(3);
  w.take(1), w.say(2, "before"), w.quiet();
  Bytes backup = w.image(2);
  must(w.d(1).engine->revoke(w.d(3).id(), w.now()));
  w.d(3).alive = false;
  w.say(1, "under the new keys"), w.say(2, "this too"), w.quiet();
  ASSERT_EQ(w.status(1).final_position, w.status(1).tip);
  w.restart_from(2, backup);
  w.quiet();
  EXPECT_EQ(w.status(2).tip, w.status(1).tip);
  EXPECT_EQ(w.digest(2), w.digest(1));
}

// 3 revokes 2, tells nobody but 2, and is lost.
TEST(Members, TheRevokedPassesItOn) {
  World w(3);
  must(w.d(3).engine->revoke(w.d(2).id(), w.now()));
  w.x(3, 2);
  ASSERT_FALSE(w.d(2).engine->is_member(w.d(2).id()));
  w.d(3).alive = false;
  w.quiet();
  EXPECT_FALSE(w.d(1).engine->is_member(w.d(2).id()));
}

// 2 takes itself for revoked by 3; 1 has cut 3 off before that.
TEST(Members, WhoeverTakesItselfForRevokedHearsThatItIsNot) {
  World w(3);
  must(w.d(1).engine->revoke(w.d(3).id(), w.now()));
  must(w.d(3).engine->revoke(w.d(2).id(), w.now()));
  w.x(3, 2);
  ASSERT_FALSE(w.d(2).engine->is_member(w.d(2).id()));
  w.d(3).alive = false;
  w.quiet();
  for (int i : {1, 2}) EXPECT_TRUE(w.d(i).engine->is_member(w.d(2).id())) << i;
  TurnId said = w.say(2, "still here");
  w.quiet();
  EXPECT_TRUE(w.filed(1, said));
}

// 3 has left 2 out of a key under which 4 speaks; then 3's revocation of 2 turns out void. 2 leads.
TEST(Members, WhoWasLeftOutOfAKeyGetsIt) {
  World w(4);
  must(w.d(1).engine->revoke(w.d(3).id(), w.now()));
  must(w.d(3).engine->revoke(w.d(2).id(), w.now()));
  w.x(3, 4);
  TurnId said = w.say(4, "under 3's key");
  w.d(3).alive = false;
  w.take(2), w.take(2);
  w.quiet(80);
  for (int i : {1, 2, 4}) {
    EXPECT_TRUE(w.filed(i, said)) << i;
    EXPECT_TRUE(must(w.d(i).box->turn(said)).has_value()) << i;
    EXPECT_EQ(w.status(i).withheld, 0u) << i;
  }
}

// Each holds a drawer that the other was not given: nobody may lead. Each gives its own away.
TEST(Drawers, ContentComesFromWhoeverHasIt) {
  World w(3);
  w.take(3), w.say(3, "together"), w.quiet();
  store::DrawerId one = w.make_shared(1, "of 1 and 3", {w.d(1).id(), w.d(3).id()});
  w.both(1, 3);
  store::DrawerId two = w.make_shared(2, "of 2 and 3", {w.d(2).id(), w.d(3).id()});
  w.both(2, 3);
  TurnId a = w.say_in(1, "for 1", one), b = w.say_in(2, "for 2", two);
  w.quiet(80);
  ASSERT_TRUE(w.filed(3, a) && w.filed(3, b));
  w.d(3).alive = false;
  must(w.d(1).engine->revoke(w.d(3).id(), w.now()));
  must(w.d(1).engine->share_drawer(one, true, {}, w.now()));
  must(w.d(2).engine->share_drawer(two, true, {}, w.now()));
  w.quiet(120);
  for (int i : {1, 2}) {
    EXPECT_EQ(w.status(i).withheld, 0u) << i;
    EXPECT_TRUE(must(w.d(i).box->turn(a)) && must(w.d(i).box->turn(b))) << i;
  }
  EXPECT_EQ(w.digest(1), w.digest(2));
  EXPECT_EQ(w.cards(1).size(), w.cards(2).size());
}

// 3 leads and gets 2's words before it has heard of the drawer that they are in.
TEST(Drawers, WordsInADrawerNotHeardOfYetAreNotConsumed) {
  World w(3);
  w.take(3), w.x(3, 1), w.x(3, 2);
  store::DrawerId drawer = w.make_shared(1, "of 1 and 2", {w.d(1).id(), w.d(2).id()});
  w.x(1, 2);
  TurnId said = w.say_in(2, "for two", drawer);
  w.x(2, 3, {2});
  ASSERT_TRUE(w.d(3).engine->acting()) << "it does not know better";
  EXPECT_FALSE(w.filed(3, said));
  w.restart(3);
  w.take(3), w.say(3, "more");
  w.quiet(80);
  for (int i : {1, 2}) {
    EXPECT_TRUE(w.filed(i, said)) << i;
    EXPECT_TRUE(w.unit(i, said).has_value()) << i;
    EXPECT_EQ(w.status(i).tip, w.status(3).tip);
  }
  EXPECT_FALSE(must(w.d(3).box->turn(said)).has_value());
}

}  // namespace
}  // namespace kartei::sync::testing
