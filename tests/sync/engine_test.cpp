// One engine and a few: restart, drawers, members, recovery, snapshots, what an enemy sends.
#include <algorithm>

#include "tests/sync/engine_testing.h"

namespace kartei::sync::testing {
namespace {

using store::EditKind;

TEST(Engine, FoundsABoxAndFindsItAgain) {
  World w(1);
  auto before = w.status(1);
  w.restart(1);
  EXPECT_EQ(w.status(1).box, before.box);
  ASSERT_EQ(w.status(1).members.size(), 1u);
  EXPECT_TRUE(w.status(1).members[0].self);
}

// The only device leads as soon as there is work; a repeated id is stored once.
TEST(Engine, OneDeviceAlone) {
  World w(1);
  TurnId a = w.say(1, "a");
  EXPECT_TRUE(w.d(1).engine->acting());
  EXPECT_TRUE(w.filed(1, a));
  EXPECT_EQ(w.say_as(1, "a", a), a);
  EXPECT_TRUE(w.work(1, 1));
  EXPECT_EQ(w.cards(1).size(), 1u);
  EXPECT_EQ(w.status(1).final_position, w.status(1).tip);
  auto feeds = must(w.d(1).box->records().feeds());
  std::uint64_t kept = 0;
  for (const auto& feed : feeds) kept += feed.end - feed.start;
  EXPECT_LE(kept, 4u) << "consumed records are dropped at once";
  Hash32 digest = w.digest(1);
  w.restart(1);
  EXPECT_EQ(w.digest(1), digest);
  TurnId b = w.say(1, "b");
  EXPECT_TRUE(w.filed(1, b)) << "a new term after the restart";
}

TEST(Engine, AppsOwnIdIsTheSameTurn) {
  World w(1);
  store::Turn turn;
  turn.conversation = "c";
  turn.external_id = "message-7";
  turn.text = "a";
  turn.drawer = w.drawer();
  auto first = must(w.d(1).engine->hear({turn, turn}, w.now()));
  auto again = must(w.d(1).engine->hear({turn}, w.now()));
  EXPECT_EQ(first[0], first[1]);
  EXPECT_EQ(first[0], again[0]);
}

TEST(Engine, LocalDrawersSayNothing) {
  World w(2);
  auto drawer = must(w.d(1).engine->make_drawer("private", w.now()));
  auto before = must(w.d(1).box->records().feeds());
  store::Turn turn;
  turn.conversation = "p";
  turn.text = "for me alone";
  turn.drawer = drawer.id;
  TurnId id = must(w.d(1).engine->hear({turn}, w.now())).front();
  store::UnitFiled unit;
  unit.drawer = drawer.id;
  unit.sources = {id};
  unit.cards = {World::card_of({id}, 1, drawer.id)};
  EXPECT_TRUE(must(w.d(1).engine->file_unit(unit, w.now())));
  EXPECT_FALSE(must(w.d(1).engine->file_unit(unit, w.now()))) << "read already";
  auto after = must(w.d(1).box->records().feeds());
  std::uint64_t said_before = 0, said_after = 0;
  for (const auto& feed : before) said_before += feed.end;
  for (const auto& feed : after) said_after += feed.end;
  EXPECT_EQ(said_before, said_after);
  w.both(1, 2);
  EXPECT_FALSE(must(w.d(2).box->turn(id)).has_value());
}

// A secondary shows its own edit at once, before any primary has read it.
TEST(Engine, OverlayShowsAtOnce) {
  World w(2);
  w.say(1, "a"), w.take(1), w.work(1, 1), w.both(1, 2);
  auto card = w.cards(2).at(0);
  w.edit(2, EditKind::kReplace, card.id);
  auto shown = w.cards(2);
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].text, "In my own words.");
  EXPECT_TRUE(shown[0].pending);
  EXPECT_EQ(w.cards(1)[0].text, card.text);
  w.restart(2);
  EXPECT_EQ(w.cards(2).at(0).text, "In my own words.") << "the overlay is made anew";
  w.both(2, 1);
  w.both(1, 2);
  EXPECT_FALSE(w.cards(2).at(0).pending);
  EXPECT_EQ(w.digest(1), w.digest(2));
}

// Cards of a branch that was taken back stay visible, marked, until they are filed again.
TEST(Engine, WaitingCardsDoNotFlicker) {
  World w(2);
  w.say(1, "a"), w.take(1), w.work(1, 1);
  w.say(2, "b"), w.take(2), w.take(2);
  w.x(2, 1);
  ASSERT_EQ(w.status(1).rollbacks, 1u);
  auto shown = w.cards(1);
  auto waiting = std::find_if(shown.begin(), shown.end(),
                              [](const store::Card& card) { return card.waiting; });
  EXPECT_NE(waiting, shown.end());
  w.both(1, 2);
  for (const store::Card& card : w.cards(1)) EXPECT_FALSE(card.waiting);
}

TEST(Engine, RestartFromAnImageKeepsEverything) {
  World w(2);
  w.say(1, "a"), w.take(1), w.work(1, 1), w.both(1, 2);
  w.say(2, "b");
  auto before = w.status(2);
  Hash32 shown = w.digest(2, true);
  w.restart_from(2, w.image(2));
  EXPECT_EQ(w.status(2).tip, before.tip);
  EXPECT_EQ(w.status(2).pending, before.pending);
  EXPECT_EQ(w.status(2).seen, before.seen);
  EXPECT_EQ(w.digest(2, true), shown);
}

// ---- drawers

TEST(Engine, DrawerThatADeviceMayNotHold) {
  World w(3);
  store::DrawerId secret = w.make_shared(1, "secret", {w.d(1).id(), w.d(2).id()});
  w.x(1, 2), w.x(1, 3);
  w.take(1);
  store::Turn turn;
  turn.conversation = "s";
  turn.text = "only for two";
  turn.drawer = secret;
  TurnId id = must(w.d(1).engine->hear({turn}, w.now())).front();
  TurnId open = w.say(1, "for all");
  w.work(1, 1);
  w.both(1, 2), w.both(1, 3);
  EXPECT_TRUE(must(w.d(2).box->turn(id)).has_value());
  EXPECT_FALSE(must(w.d(3).box->turn(id)).has_value()) << "the words do not get there";
  EXPECT_TRUE(w.filed(3, id)) << "the skeleton does";
  EXPECT_TRUE(w.unit(3, id).has_value());
  EXPECT_EQ(w.cards(3).size(), 1u);
  EXPECT_EQ(w.status(3).tip, w.status(1).tip);
  EXPECT_EQ(must(w.d(3).box->drawer(secret))->held, false);
  turn.text = "not from here";
  EXPECT_EQ(w.d(3).engine->hear({turn}, w.now()).error().cause, Cause::kForbidden);
  w.take(3);
  EXPECT_FALSE(w.d(3).engine->acting()) << "it never leads";
  (void)open;
}

TEST(Engine, SharingWhatIsThereAlready) {
  World w(2);
  auto drawer = must(w.d(1).engine->make_drawer("trips", w.now()));
  store::Turn turn;
  turn.conversation = "t";
  turn.text = "We went to Porto.";
  turn.drawer = drawer.id;
  TurnId id = must(w.d(1).engine->hear({turn}, w.now())).front();
  store::UnitFiled unit;
  unit.drawer = drawer.id;
  unit.sources = {id};
  unit.cards = {World::card_of({id}, 3, drawer.id)};
  ASSERT_TRUE(must(w.d(1).engine->file_unit(unit, w.now())));
  store::CardEdited add;
  add.kind = EditKind::kAdd;
  add.drawer = drawer.id;
  add.card.emplace();
  add.card->text = "Porto is on the Douro.";
  auto own = must(w.d(1).engine->edit(add, w.now()));
  must(w.d(1).engine->share_drawer(drawer.id, true, {}, w.now()));
  EXPECT_EQ(w.cards(1).size(), 2u) << "nothing flickers away";
  w.take(1);
  w.both(1, 2);
  EXPECT_EQ(must(w.d(2).box->turn(id))->text, "We went to Porto.");
  EXPECT_TRUE(must(w.d(2).box->card(own)).has_value());
  EXPECT_TRUE(must(w.d(2).box->card(unit.cards[0].id)).has_value());
  EXPECT_TRUE(w.unit(2, id).has_value()) << "not read a second time";
  EXPECT_EQ(must(w.d(2).box->drawer("trips"))->id, drawer.id);
  EXPECT_EQ(w.digest(1), w.digest(2));
  must(w.d(1).engine->rename_drawer(drawer.id, "journeys", w.now()));
  w.both(1, 2);
  EXPECT_TRUE(must(w.d(2).box->drawer("journeys")).has_value());
}

// ---- members

TEST(Members, ASecondDeviceMustApprove) {
  World w(2);
  crypto::SeededRandom random(99);
  auto fresh = crypto::Identity::generate(random);
  Newcomer newcomer{fresh.pub(), "tablet", {}};
  DeviceId id{fresh.pub().id()};
  EXPECT_TRUE(w.d(1).engine->propose_member(newcomer, w.now()).has_error()) << "no acceptance";
  newcomer.acceptance = fresh.sign(acceptance_message(w.status(1).box, newcomer.keys));
  must(w.d(1).engine->propose_member(newcomer, w.now()));
  EXPECT_FALSE(w.d(1).engine->is_member(id));
  EXPECT_TRUE(w.d(1).engine->approve(id, w.now()).has_error()) << "not by the sponsor";
  EXPECT_TRUE(w.d(1).engine->welcome(id).has_error());
  w.x(1, 2);
  EXPECT_FALSE(w.d(2).engine->is_member(id));
  must(w.d(2).engine->approve(id, w.now()));
  w.x(2, 1);
  EXPECT_TRUE(w.d(1).engine->is_member(id));
  EXPECT_TRUE(w.d(1).engine->member_by_box_key(fresh.pub().box_key) == id);
}

TEST(Members, RecoveryKeyApproves) {
  World w(1);
  auto text = must(w.d(1).engine->make_recovery(w.now()));
  ASSERT_TRUE(text.has_value());
  EXPECT_FALSE(must(w.d(1).engine->make_recovery(w.now())).has_value()) << "once";
  int second = w.join(1);
  crypto::SeededRandom random(98);
  auto fresh = crypto::Identity::generate(random);
  Newcomer newcomer{fresh.pub(), "tablet", {}};
  newcomer.acceptance = fresh.sign(acceptance_message(w.status(1).box, newcomer.keys));
  DeviceId id{fresh.pub().id()};
  must(w.d(1).engine->propose_member(newcomer, w.now()));
  EXPECT_FALSE(w.d(1).engine->is_member(id));
  auto wrong = crypto::Secret::random(32, random);
  EXPECT_TRUE(w.d(1).engine->approve_with_recovery(id, wrong, w.now()).has_error());
  auto seed = must(crypto::recovery_seed_from_text(*text));
  must(w.d(1).engine->approve_with_recovery(id, seed, w.now()));
  EXPECT_TRUE(w.d(1).engine->is_member(id));
  w.x(1, second);
  EXPECT_TRUE(w.d(second).engine->is_member(id));
}

TEST(Members, NoRecoveryKeyOnceThereAreTwo) {
  World w(2);
  EXPECT_EQ(w.d(1).engine->make_recovery(w.now()).error().cause, Cause::kForbidden);
}

// What was said after a revocation is sealed under keys that the revoked one was not given.
TEST(Members, RevokedDeviceReadsNothingNew) {
  World w(3);
  w.say(1, "before"), w.take(1), w.work(1), w.both(1, 2), w.both(1, 3);
  must(w.d(1).engine->revoke(w.d(3).id(), w.now()));
  TurnId after = w.say(1, "after");
  w.both(1, 2);
  w.x(1, 3);
  EXPECT_TRUE(must(w.d(2).box->turn(after)).has_value());
  EXPECT_FALSE(must(w.d(3).box->turn(after)).has_value());
  EXPECT_FALSE(w.d(3).engine->is_member(w.d(3).id())) << "it learns of it";
  auto dropped = w.status(1).dropped_messages;
  w.x(3, 1);
  EXPECT_EQ(w.status(1).dropped_messages, dropped + 1) << "its link is not listened to";
}

// ---- newcomers and finality

TEST(Engine, NewcomerAfterTheRecordsAreGone) {
  World w(2);
  std::vector<TurnId> turns;
  w.take(1);
  for (int i = 0; i < 5; ++i) {
    turns.push_back(w.say(1, "turn " + std::to_string(i)));
    w.work(1, i);
    w.both(1, 2);
  }
  EXPECT_GT(w.status(1).final_position.height, 0u);
  int third = w.join(1, 2);
  for (const TurnId& turn : turns) {
    EXPECT_TRUE(w.filed(third, turn));
    EXPECT_TRUE(must(w.d(third).box->turn(turn)).has_value());
  }
  EXPECT_EQ(w.digest(third), w.digest(1));
  EXPECT_EQ(w.status(third).tip, w.status(1).tip);
  TurnId more = w.say(third, "from the third");
  w.x(third, 1);
  EXPECT_TRUE(w.filed(1, more));
}

TEST(Engine, QuietBoxKeepsLittle) {
  World w(3);
  for (int i = 0; i < 20; ++i) w.say(1 + i % 3, "turn " + std::to_string(i));
  w.quiet();
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(w.status(i).final_position, w.status(i).tip) << i;
    EXPECT_EQ(w.digest(i), w.digest(1));
    std::uint64_t kept = 0;
    for (const auto& feed : must(w.d(i).box->records().feeds())) kept += feed.end - feed.start;
    EXPECT_LE(kept, 12u) << "device " << i << " keeps consumed records";
  }
}

// ---- what an enemy sends

TEST(Engine, ForkFreezesTheFeed) {
  World w(2);
  w.say(1, "a");
  w.x(1, 2);
  // The same identity and feed on two machines: a live machine was copied.
  Bytes copy = w.image(1);
  auto twin = must(store::Box::from_image(copy));
  crypto::SeededRandom random(5);
  EngineConfig config;
  config.rules.incarnations = false;
  auto engine = must(Engine::open(*twin, *w.d(1).identity, random, config, w.now()));
  store::Turn turn;
  turn.conversation = "c";
  turn.text = "said by the twin";
  turn.drawer = w.drawer();
  must(engine->hear({turn}, w.now()));
  w.say(1, "said by the first");
  w.x(1, 2);
  EXPECT_TRUE(w.status(2).forks.empty());
  auto feeds = must(twin->records().feeds());
  Message message;
  message.box = w.status(2).box;
  for (const auto& feed : feeds) {
    RecordRange range{feed.feed, {}};
    for (auto& record : must(twin->records().range(feed.feed, feed.start, feed.end, 1 << 20)))
      range.records.push_back(record.bytes);
    if (!range.records.empty()) message.ranges.push_back(range);
  }
  must(w.d(2).engine->receive(w.d(1).id(), encode(message), w.now()));
  ASSERT_EQ(w.status(2).forks.size(), 1u);
  const std::vector<std::string> told = w.status(2).forks;
  w.restart(2);
  EXPECT_EQ(w.status(2).forks, told) << "also after a restart";
  std::uint64_t pending = w.status(2).unread;
  w.say(1, "more");
  w.x(1, 2);
  EXPECT_EQ(w.status(2).unread, pending) << "a frozen feed takes nothing more";
  must(w.d(2).engine->revoke(w.d(1).id(), w.now()));
  EXPECT_TRUE(w.status(2).forks.empty()) << "nothing is left to be done about it";
}

TEST(Engine, RubbishIsCountedAndDropped) {
  World w(2);
  w.say(1, "a");
  Bytes good = w.outbox(1, 2).at(0);
  std::uint64_t dropped = w.status(2).dropped_messages;
  Hash32 digest = w.digest(2, true);
  crypto::SeededRandom random(11);
  for (int i = 0; i < 300; ++i) {
    Bytes bad = good;
    for (int flips = 0; flips < 3; ++flips)
      bad[random.next_u64() % bad.size()] ^= static_cast<std::uint8_t>(1 + random.next_u64() % 255);
    must(w.d(2).engine->receive(w.d(1).id(), bad, w.now()));
  }
  must(w.d(2).engine->receive(w.d(1).id(), Bytes(100, 1), w.now()));
  must(w.d(2).engine->receive(w.d(1).id(), {}, w.now()));
  EXPECT_GT(w.status(2).dropped_messages, dropped);
  EXPECT_TRUE(w.status(2).forks.empty());
  must(w.d(2).engine->receive(w.d(1).id(), good, w.now()));
  w.quiet();
  EXPECT_EQ(w.digest(2), w.digest(1));
  (void)digest;
}

TEST(Engine, StrangersAreNotHeard) {
  World w(2), other(1);
  other.say(1, "from another box");
  std::uint64_t dropped = w.status(2).dropped_messages;
  for (const Bytes& message : other.outbox(1, 1))
    must(w.d(2).engine->receive(other.d(1).id(), message, w.now()));
  EXPECT_GT(w.status(2).dropped_messages, dropped);
}

}  // namespace
}  // namespace kartei::sync::testing
