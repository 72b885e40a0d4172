// A member gone bad names the highest numbers that there are: the others go on.
#include "tests/sync/engine_testing.h"

namespace kartei::sync::testing {
namespace {

constexpr std::uint64_t kHighest[] = {UINT64_MAX, UINT64_MAX - 1, std::uint64_t{1} << 40};

// 3 is bad; 2 leads after it, and files a turn of 1.
void expect_others_go_on(World& w) {
  TurnId turn = w.say(1, "said later");
  w.both(1, 2);
  w.take(2);
  w.both(1, 2);
  EXPECT_TRUE(w.d(2).engine->acting());
  EXPECT_TRUE(w.filed(1, turn));
  EXPECT_EQ(w.digest(1), w.digest(2));
  w.x(3, 1), w.x(3, 2), w.both(1, 2);
  EXPECT_TRUE(w.filed(1, turn)) << "also when it speaks again";
}

TEST(HostileMember, ATermThatUsesUpTheCounters) {
  for (std::uint64_t counter : kHighest) {
    World w(3);
    w.take(1), w.both(1, 2), w.both(1, 3);
    w.take_at(3, counter);
    for (int i : {1, 2}) w.x(3, i);
    EXPECT_LT(w.status(1).seen.counter, 10u) << counter;
    expect_others_go_on(w);
  }
}

TEST(HostileMember, AHeadThatHasSeenTheLastTerm) {
  for (std::uint64_t counter : kHighest) {
    World w(3);
    w.take(1), w.both(1, 2), w.both(1, 3);
    w.see(3, counter);
    for (int i : {1, 2}) w.heads(3, i);
    EXPECT_LT(w.status(1).seen.counter, 10u) << counter;
    expect_others_go_on(w);
  }
}

TEST(HostileMember, TheLastPinOwnerPolicyAndVersion) {
  for (std::uint64_t number : kHighest) {
    World w(3);
    RollDrawer closed;
    closed.id = w.drawer();
    closed.version = number;
    closed.shared = false;
    w.say_roll(3, RollPin{number, w.d(3).id()});
    w.say_roll(3, RollOwner{number, "nobody", "UTC"});
    w.say_roll(3, RollForgetting{number, "on 0\n"});
    w.say_roll(3, closed);
    for (int i : {1, 2}) w.x(3, i);
    must(w.d(1).engine->pin(w.d(2).id(), w.now()));
    must(w.d(1).engine->set_owner({"Maya", "Europe/Berlin"}, w.now()));
    must(w.d(1).engine->set_forgetting_policy("on 1\n", w.now()));
    w.both(1, 2);
    for (int i : {1, 2}) {
      EXPECT_EQ(w.status(i).pin, w.d(2).id()) << number;
      EXPECT_EQ(w.d(i).engine->owner()->name, "Maya") << number;
      EXPECT_EQ(w.d(i).engine->forgetting_policy(), "on 1\n") << number;
      EXPECT_TRUE(must(w.d(i).box->drawer(w.drawer()))->shared) << number;
    }
  }
}

TEST(HostileMember, TheLastEpoch) {
  World w(3);
  w.give_key(3, UINT64_MAX);
  for (int i : {1, 2}) w.x(3, i);
  must(w.d(1).engine->revoke(w.d(3).id(), w.now()));
  w.both(1, 2);
  TurnId turn = w.say(1, "under a key of its own");
  w.both(1, 2);
  EXPECT_TRUE(must(w.d(2).box->turn(turn)).has_value());
}

// Each answer stays in the roll for ever.
TEST(HostileMember, OneThatAsksForKeysOverAndOver) {
  World w(3);
  w.take(1), w.both(1, 2), w.both(1, 3);
  const std::size_t before = w.roll_size(1);
  for (int i = 0; i < 100; ++i) {
    w.lack(3, i % 2 == 0);
    w.heads(3, 1);
    w.wait(6'000);  // ten minutes in all
    must(w.d(1).engine->tick(w.now()));
  }
  EXPECT_GT(w.roll_size(1), before) << "it is answered";
  EXPECT_LE(w.roll_size(1), before + 5);
}

// A roll that fits no message comes in several, and is answered once.
TEST(Links, ALongRollComesInSlices) {
  World w(3, {}, true);
  for (std::uint64_t i = 1; i <= 50; ++i) w.say_roll(1, RollPin{i, w.d(2).id()});
  EngineConfig config;
  config.roll_slice_bytes = 4096;
  w.reopen(1, config);
  w.d(1).engine->peer_up(w.d(2).id(), w.now());
  must(w.d(1).engine->revoke(w.d(2).id(), w.now()));
  std::size_t messages = 0, records = 0;
  for (int i = 0; i < 100; ++i) {
    for (const Send& send : must(w.d(1).engine->flush(w.now()))) {
      const Message message = must(decode_message(send.message));
      EXPECT_LT(send.message.size(), 16'384u);
      messages += !message.roll.empty();
      records += message.roll.size();
      EXPECT_GT(message.roll_size, 50u);
      must(w.d(2).engine->receive(w.d(1).id(), send.message, w.now()));
    }
  }
  EXPECT_GT(messages, 3u);
  EXPECT_FALSE(w.d(2).engine->is_member(w.d(2).id()));
  EXPECT_GT(records, 50u);
}

}  // namespace
}  // namespace kartei::sync::testing
