// Rules that no random run is sure to meet, one schedule each. The ten of the ledger's own text,
// and others like them, are in ledger_cases_test.cpp.
#include "tests/sync/ledger_cases.h"

namespace kartei::sync::testing {
namespace {

// 1's chain is long, 2's term is higher.
void higher_term_shorter_chain(World& w, Need need) {
  w.take(1), w.x(1, 2);
  std::vector<TurnId> said;
  for (const char* text : {"a", "b", "c"}) said.push_back(w.say(1, text));
  w.take(2), w.x(2, 1);
  for (int i : {1, 2}) need(w.status(i).primary == w.d(2).id(), "the higher term");
  need(w.digest(1) == w.digest(2), "one state");
  check_end(w, said, need);
}

// 1 has read 3's turn on a branch that is taken back, and leads again.
void consumed_on_a_lost_branch(World& w, Need need) {
  TurnId a = w.say(3, "a");
  w.x(3, 1), w.take(1);
  need(w.filed(1, a), "filed");
  w.take(2), w.take(2), w.x(2, 1);
  need(!w.filed(1, a), "taken back");
  w.d(2).alive = w.d(3).alive = false;
  w.take(1);
  need(w.filed(1, a), "read once more");
  check_end(w, {a}, need);
}

// Everybody has 3's turn; 2 has not got the entry that reads it, and 1 is lost with it.
void received_is_not_consumed(World& w, Need need) {
  w.take(1), w.x(1, 2), w.x(1, 3);
  TurnId a = w.say(3, "a");
  w.x(3, 2), w.x(3, 1);
  w.heads(1, 2), w.heads(3, 2);
  TurnId b = w.say(2, "b");
  w.restart(2);  // cleans up
  w.d(1).alive = false;
  check_end(w, {a, b}, need, 80);
}

void revoked_does_not_hold_up(World& w, Need need) {
  w.say(1, "a"), w.take(1), w.x(1, 2), w.x(1, 3);
  w.d(3).alive = false;
  w.quiet();
  need(w.status(1).final_position.height < w.status(1).tip.height, "a silent member holds it up");
  must(w.d(1).engine->revoke(w.d(3).id(), w.now()));
  w.quiet();
  for (int i : {1, 2})
    need(w.status(i).final_position == w.status(i).tip, "nothing waits for the revoked");
}

// A head promises what a power cut must not take back.
void fsync_then_speak(World& w, Need need) {
  w.watch_disk(2);
  w.say(1, "a"), w.take(1), w.x(1, 2), w.x(2, 1);
  Head said = w.last_head(2);
  need(said.tip == w.status(1).tip, "2 stands on it");
  w.power_cut(2);
  need(w.status(2).tip == said.tip, "and still does");
  need(w.status(2).seen == said.seen, "knows the term");
  for (const auto& [feed, count] : said.have)
    need(w.count(2, feed) >= count, "has what it said that it has");
}

void answered_is_on_disk(World& w, Need need) {
  w.watch_disk(1);
  TurnId a = w.say(1, "a");
  w.power_cut(1);
  need(must(w.d(1).box->turn(a)).has_value(), "the turn was answered");
}

// 3's term is known by its head alone.
void term_known_by_a_head(World& w, Need need) {
  TurnId a = w.say(1, "a");
  w.take(1), w.x(1, 2), w.x(1, 3);
  w.take(3), w.heads(3, 1);
  need(w.status(1).seen.feed.device == w.d(3).id(), "1 has seen it");
  need(!w.d(1).engine->acting(), "and writes no more, though it cannot follow");
  std::uint64_t height = w.status(1).tip.height;
  TurnId b = w.say(1, "b");
  need(w.status(1).tip.height == height, "no entry");
  check_end(w, {a, b}, need);
}

// A term that no chain holds is known by its records alone, without a head.
void void_term(World& w, Need need) {
  w.take(1), w.both(1, 2);
  Bytes backup = w.image(2);
  TurnId a = w.say(1, "a");
  w.both(1, 2);
  w.restart_from(2, backup);
  w.take(2), w.take(2);
  w.records(2, 1);
  need(w.filed(1, a), "1 keeps the final position");
  need(w.status(1).seen.feed.device == w.d(2).id(), "but has seen the term");
  check_end(w, {a}, need, 80);
}

// 3 has opened (3,3) on 4's branch. 2 holds 3's feed without 4's, revokes both and acknowledges F
// under 1's term: 4's feed may still turn up and take 2 away from it.
void seen_but_not_adopted(World& w, Need need) {
  w.take(1);
  for (int i : {2, 3, 4}) w.x(1, i);
  w.take(4), w.x(4, 3), w.take(3);
  w.x(3, 2, {3});
  need(w.status(2).seen.feed.device == w.d(3).id(), "2 has seen it");
  must(w.d(2).engine->revoke(w.d(3).id(), w.now()));
  must(w.d(2).engine->revoke(w.d(4).id(), w.now()));
  TurnId f = w.say(1, "F");
  w.work(1);  // nothing waits, so nobody opens a term above it
  std::uint64_t height = w.status(1).tip.height;
  w.x(1, 2), w.x(2, 1, {2}), w.x(1, 2), w.heads(2, 1);
  need(w.status(2).tip == w.status(1).tip, "2 stands on F");
  need(w.status(1).final_position.height < height, "F must not be final");
  w.d(3).alive = w.d(4).alive = false;
  check_end(w, {f}, need, 80);
}

// The only device with every drawer is away.
void nobody_may_lead(World& w, Need need) {
  w.make_shared(3, "of 3", {w.d(3).id()});
  w.x(3, 1), w.x(3, 2);
  TurnId a = w.say(1, "a");
  w.d(3).alive = false;
  w.quiet();
  need(!w.filed(1, a) && !w.d(1).engine->acting() && !w.d(2).engine->acting(), "it waits");
  w.d(3).alive = true;
  check_end(w, {a}, need, 80);
}

TEST(LedgerRules, FsyncThenSpeak) {
  expect_holds(2, fsync_then_speak);
  expect_caught(2, broken([](Rules& r) { r.sync_before_send = false; }), fsync_then_speak);
}
TEST(LedgerRules, AnsweredIsOnDisk) {
  expect_holds(2, answered_is_on_disk);
  expect_caught(2, broken([](Rules& r) { r.sync_before_ack = false; }), answered_is_on_disk);
}
TEST(LedgerRules, HigherTermShorterChain) {
  expect_holds(3, higher_term_shorter_chain);
  expect_caught(3, broken([](Rules& r) { r.by_term = false; }), higher_term_shorter_chain);
}
TEST(LedgerRules, ConsumedOnALostBranch) {
  expect_holds(3, consumed_on_a_lost_branch);
  expect_caught(3, broken([](Rules& r) { r.consumed_by_chain = false; }),
                consumed_on_a_lost_branch);
}
TEST(LedgerRules, TermKnownByAHead) {
  expect_holds(3, term_known_by_a_head);
  expect_caught(3, broken([](Rules& r) { r.seen_spreads = false; }), term_known_by_a_head);
  expect_caught(3, broken([](Rules& r) { r.step_down = false; }), term_known_by_a_head);
}
TEST(LedgerRules, VoidTerm) {
  expect_holds(2, void_term);
  expect_caught(2, broken([](Rules& r) { r.void_free = false; }), void_term);
}
TEST(LedgerRules, SeenButNotAdopted) {
  expect_holds(4, seen_but_not_adopted);
  expect_caught(4, broken([](Rules& r) { r.final_seen = false; }), seen_but_not_adopted);
}
TEST(LedgerRules, NobodyMayLead) {
  expect_holds(3, nobody_may_lead);
  expect_caught(3, broken([](Rules& r) { r.eligible_only = false; }), nobody_may_lead);
}
TEST(LedgerRules, ReceivedIsNotConsumed) {
  expect_holds(3, received_is_not_consumed);
  expect_caught(3, broken([](Rules& r) { r.gc_rule = Rules::GcRule::kHave; }),
                received_is_not_consumed);
}
TEST(LedgerRules, RevokedDoesNotHoldUp) {
  expect_holds(3, revoked_does_not_hold_up);
  expect_caught(3, broken([](Rules& r) { r.revoked_blocks = true; }), revoked_does_not_hold_up);
}

}  // namespace
}  // namespace kartei::sync::testing
