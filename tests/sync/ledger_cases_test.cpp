// The hand-written schedules of the ledger, on real engines and boxes: each must hold under the
// rules, and fail under the rule that it is there for.
#include <algorithm>

#include "tests/sync/ledger_cases.h"

namespace kartei::sync::testing {
namespace {

using store::EditKind;

// 1 and 2 take over at once with counter 1; each extracts its own turn and a common one.
void equal_counters(World& w, Need need) {
  TurnId a = w.say(3, "common");
  w.x(3, 1), w.x(3, 2);
  TurnId b = w.say(1, "one's"), c = w.say(2, "two's");
  w.take(1), w.take(2);
  w.work(1, 1), w.work(2, 2);
  w.both(1, 2);
  need(w.status(1).primary == w.d(2).id(), "device 2 wins on both");
  need(!w.d(1).engine->acting(), "1 steps down");
  w.work(2, 2);
  w.both(1, 2);
  for (int i : {1, 2}) {
    int of_a = 0;
    for (const store::Card& card : w.cards(i)) {
      if (card.sources == std::vector<TurnId>{a}) {
        ++of_a;
        need(card.text == "This is wording 2.", "the winner keeps its wording of the common turn");
      }
      if (card.sources == std::vector<TurnId>{b})
        need(card.text == "This is wording 1.", "the loser's unit is filed again");
    }
    need(of_a == 1, "the common turn once");
  }
  check_said_once(w, 1, need);
  check_end(w, {a, b, c}, need);
}

// 1 leads, 2 on 1, 3 on 2; 4 holds 3's feed without 2's.
void chain_of_three_takeovers(World& w, Need need) {
  TurnId o = w.say(1, "o");
  w.take(1), w.work(1), w.x(1, 2), w.x(1, 4);
  TurnId p = w.say(2, "p");
  w.take(2), w.work(2), w.x(2, 3);
  TurnId q = w.say(3, "q");
  w.take(3), w.work(3);
  w.x(3, 4, {3});
  need(w.status(4).tip.term.feed.device == w.d(1).id(), "4 stays on the chain that it holds");
  need(w.status(4).seen.feed.device == w.d(3).id(), "but has seen the term");
  w.d(2).alive = w.d(3).alive = false;
  TurnId r = w.say(4, "r");
  check_end(w, {o, q, r}, need, 80);
  need(w.status(4).tip.term.counter >= 4, "a counter above the term that nobody can complete");
  need(!w.filed(4, p), "2's turn reached nobody who is left");
}

void late_loser(World& w, Need need, EditKind kind) {
  TurnId a = w.say(3, "a"), b = w.say(3, "b");
  w.x(3, 1), w.x(3, 2);
  w.take(1), w.work(1, 1), w.x(1, 3);
  store::CardId first;
  for (const store::Card& card : w.cards(3))
    if (card.sources == std::vector<TurnId>{a}) first = card.id;
  w.edit(3, kind, first);
  w.take(2), w.take(2);
  if (kind == EditKind::kFlags) w.work(2, 2);           // nothing that says the same
  if (kind == EditKind::kClose) w.work(2, 1, 2, true);  // the same, from both turns
  w.x(3, 2, {3});
  if (kind == EditKind::kReplace) w.work(2, 1, 2, true);
  w.both(1, 2), w.work(2, 2);
  check_said_once(w, 2, need, kind != EditKind::kFlags);
  check_end(w, {a, b}, need);
  auto cards = w.cards(2);
  auto count = [&](auto matches) { return std::count_if(cards.begin(), cards.end(), matches); };
  auto says_the_same = [&](const store::Card& card) {
    return card.text == "This is wording 1." &&
           std::find(card.sources.begin(), card.sources.end(), a) != card.sources.end();
  };
  if (kind == EditKind::kFlags) {
    need(count([&](const store::Card& card) {
           return says_the_same(card) && (card.flags & store::kPersistent) != 0;
         }) == 1,
         "the flagged card stands");
  } else {
    need(count(says_the_same) == 0, "what the user ended stays ended");
  }
  if (kind == EditKind::kReplace)
    need(count([](const store::Card& card) { return card.text == "In my own words."; }) == 1,
         "the replacement stands");
}
void late_loser_close(World& w, Need need) {
  late_loser(w, need, EditKind::kClose);
}
void late_loser_flag(World& w, Need need) {
  late_loser(w, need, EditKind::kFlags);
}
void late_loser_replace(World& w, Need need) {
  late_loser(w, need, EditKind::kReplace);
}
void late_loser_erase(World& w, Need need) {
  late_loser(w, need, EditKind::kEraseCard);
}

// The loser read three turns as one batch, the winner two of them.
void overlapping_batches(World& w, Need need) {
  std::vector<TurnId> o{w.say(3, "0")};
  w.wait(1), o.push_back(w.say(3, "1")), w.wait(1);
  w.x(3, 2);
  o.push_back(w.say(3, "2"));
  w.x(3, 1);
  w.take(1), w.work(1, 1, 3);
  w.take(2), w.take(2), w.work(2, 2, 2);
  auto kept = w.unit(2, o[0]);
  w.both(1, 2), w.work(2, 2, 2);
  need(w.unit(2, o[0]) == kept && w.unit(2, o[1]) == kept, "the winner's batch stays");
  need(w.unit(2, o[2]) && w.unit(2, o[2]) != kept, "the third is read alone");
  check_said_once(w, 2, need);
  check_end(w, o, need);
}

// Old primary 1 consumed turns of 3, lost since, that nobody else has.
void returns_with_dead_mans_turns(World& w, Need need) {
  TurnId a = w.say(3, "a");
  w.x(3, 1), w.take(1), w.work(1, 1);
  w.d(3).alive = false;
  TurnId b = w.say(2, "b");
  w.take(2), w.take(2), w.work(2, 2);
  w.both(1, 2);
  w.work(2, 2), w.both(1, 2);
  bool kept = false;
  for (const store::Card& card : w.cards(2))
    kept = kept || (card.sources == std::vector<TurnId>{a} && card.text == "This is wording 1.");
  need(kept, "filed again with 1's card");
  check_end(w, {a, b}, need);
}

// As before, but 1 dies too after its own feed reached 2: the turn is gone, its card is not.
void only_the_entry_survives(World& w, Need need) {
  TurnId a = w.say(3, "a");
  w.x(3, 1), w.take(1), w.work(1, 1);
  w.x(1, 2, {1});
  w.d(3).alive = w.d(1).alive = false;
  w.say(2, "b");
  w.quiet(80);
  bool there = false;
  for (const store::Card& card : w.cards(2))
    there = there || card.sources == std::vector<TurnId>{a};
  need(there, "the card stands");
}

// All stand on 1's term. 4 acknowledges F. 3, without F, opens a term that 4 follows. 2 opens above
// it, over F.
void stale_acknowledgement(World& w, Need need) {
  TurnId start = w.say(1, "start");
  w.take(1);
  for (int i : {2, 3, 4}) w.x(1, i);
  TurnId f = w.say(1, "F");
  std::uint64_t height = w.status(1).tip.height;
  w.x(1, 4), w.x(1, 2);
  w.heads(4, 1);
  w.take(3);
  w.x(3, 4);
  w.take(2), w.take(2);
  w.x(2, 3), w.x(2, 1);
  w.heads(3, 1);
  need(w.status(1).final_position.height < height, "F must not be final");
  need(w.status(4).tip.term.feed.device == w.d(3).id(), "4 is on the other branch");
  std::uint64_t final_before = w.status(1).final_position.height;
  w.take(4);
  for (int i : {2, 3}) w.x(4, i);
  w.both(4, 1);
  for (int i : {1, 2, 3}) need(w.status(i).primary == w.d(4).id(), "all follow 4");
  need(w.status(1).final_position.height >= final_before, "a final position is not left");
  check_end(w, {start, f}, need);
}

// 2 admits 3 before it has F, then acknowledges F; 1 knows of no 3.
void join_unknown(World& w, Need need) {
  w.take(1), w.x(1, 2);
  // Sponsor and approver are both needed: 1 approves and forgets it with its disk.
  Bytes disk = w.image(1);
  int fresh = w.join(2, 1);
  w.restart_from(1, disk);
  w.take(1);
  w.x(1, 2);
  TurnId f = w.say(1, "F");
  std::uint64_t height = w.status(1).tip.height;
  w.x(1, 2);
  w.heads(2, 1);
  need(w.status(1).final_position.height < height, "F must not be final");
  w.take(fresh), w.take(fresh);
  w.both(fresh, 2), w.both(2, 1), w.both(fresh, 1);
  check_end(w, {f}, need, 80);
}

// The primary's unsent entry is lost in a crash; later an old backup of it speaks.
void crash_before_sending(World& w, Need need) {
  TurnId a = w.say(1, "a");
  w.take(1), w.work(1, 1);
  Bytes backup = w.image(1);
  w.x(1, 2);
  TurnId b = w.say(1, "b");
  Bytes disk = w.image(1);  // the turn is on it, the cards that follow are not
  w.work(1, 1);
  w.restart_from(1, disk);
  w.take(1), w.work(1, 3), w.x(1, 2);
  w.restart_from(1, backup);
  TurnId c = w.say(1, "c");
  w.take(1), w.work(1, 4);
  w.both(1, 2);
  need(w.status(2).forks.empty(), "no fork");
  check_end(w, {a, b, c}, need);
}

// 2 revokes 3 at the head that it knows, while 1 has long read more of 3.
void consumed_beyond_the_cut(World& w, Need need) {
  TurnId a = w.say(3, "a");
  w.x(3, 2), w.x(3, 1);
  w.take(1), w.work(1);
  TurnId b = w.say(3, "b");
  w.x(3, 1), w.work(1);
  must(w.d(2).engine->revoke(w.d(3).id(), w.now()));
  w.both(1, 2);
  TurnId c = w.say(3, "c");
  w.x(3, 1);
  w.d(3).alive = false;
  check_end(w, {a, b}, need);
  need(!w.filed(1, c), "what came later does not count");
  need(w.filed(1, b) && w.filed(2, b), "what an honest primary had read stays");
}

// 3 leads and is revoked by 2 at a head; its entries beyond are taken back.
void revoked_primary(World& w, Need need) {
  TurnId a = w.say(1, "a");
  w.x(1, 3), w.take(3), w.work(3, 3);
  w.x(3, 2), w.x(3, 1);
  TurnId b = w.say(1, "b");
  w.x(1, 3), w.work(3, 3), w.x(3, 1);
  auto beyond = w.unit(1, b);
  need(beyond.has_value(), "3 has read it, in an entry that 2 does not hold");
  must(w.d(2).engine->revoke(w.d(3).id(), w.now()));
  w.d(3).alive = false;
  w.x(2, 1), w.x(1, 2);
  need(w.status(1).rollbacks == 1 && w.unit(1, b) != beyond, "taken back");
  need(w.status(1).tip == w.status(2).tip, "both stand at the cut");
  check_end(w, {a, b}, need);
  need(w.unit(1, b) != beyond, "1's turn is read anew");
}

// 1 revokes 2. 2 and 3 have not heard of it: 2 proposes a newcomer, 3 approves.
void admitted_by_the_revoked(World& w, Need need) {
  w.say(2, "a"), w.x(2, 1);
  must(w.d(1).engine->revoke(w.d(2).id(), w.now()));
  int fresh = w.join(2, 3);
  need(w.d(3).engine->is_member(w.d(fresh).id()), "3 does not know better");
  w.say(fresh, "from the newcomer"), w.take(fresh);
  w.x(fresh, 3), w.x(3, 1);
  need(!w.d(1).engine->is_member(w.d(fresh).id()), "1 admits nobody beyond the cut");
  w.x(1, 3);
  need(!w.d(3).engine->is_member(w.d(fresh).id()), "nor does 3 any more");
  TurnId b = w.say(1, "b");
  w.x(1, 2);
  need(!w.d(2).engine->is_member(w.d(2).id()), "2 learns it");
  w.d(2).alive = w.d(fresh).alive = false;
  check_end(w, {b}, need, 80);
}

// Two revocations at once, at different heads: the later head counts.
void two_revocations(World& w, Need need) {
  TurnId a = w.say(3, "a");
  w.x(3, 2);
  TurnId b = w.say(3, "b");
  w.x(3, 1);
  must(w.d(1).engine->revoke(w.d(3).id(), w.now()));
  must(w.d(2).engine->revoke(w.d(3).id(), w.now()));
  w.d(3).alive = false;
  check_end(w, {a, b}, need);
}

// The winner reads the erasures first; then the loser's entries with the erased come.
void erase_then_late_branch(World& w, Need need) {
  TurnId a = w.say(3, "a"), b = w.say(3, "b");
  w.x(3, 1), w.x(3, 2);
  w.take(1), w.work(1, 1), w.x(1, 3);
  w.take(2), w.take(2);
  store::CardId of_b;
  for (const store::Card& card : w.cards(3))
    if (card.sources == std::vector<TurnId>{b}) of_b = card.id;
  w.erase_turn(3, a);
  w.edit(3, EditKind::kEraseCard, of_b);
  w.x(3, 2, {3});
  w.both(1, 2), w.work(2, 1);
  need(w.unit(2, b).has_value(), "the loser's unit is filed again");
  w.quiet();
  for (const store::Card& card : w.cards(2))
    for (const TurnId& turn : card.sources)
      need(turn != a && turn != b, "what was erased came back");
}

// A device restored from before a final position leads offline without it.
void restored_leader(World& w, Need need) {
  w.take(1), w.both(1, 2);
  Bytes backup = w.image(2);
  TurnId a = w.say(1, "a");
  w.work(1), w.both(1, 2);
  Position final_position = w.status(1).final_position;
  need(final_position.height > 1, "there is a final position");
  w.restart_from(2, backup);
  TurnId b = w.say(2, "b");
  w.take(2), w.take(2), w.work(2, 2);
  w.x(2, 1);
  need(w.filed(1, a), "1 keeps the final position");
  need(w.status(1).seen.feed.device == w.d(2).id() && !w.d(1).engine->acting(),
       "but has seen the term and stops writing");
  check_end(w, {a, b}, need, 80);
  need(w.status(1).tip.term.counter > 3, "a higher counter");
}

// 1 signs a hand-over; nothing is written after it; a deaf successor is no trap.
void handover(World& w, Need need) {
  w.say(1, "a"), w.take(1), w.work(1);
  w.both(1, 2), w.both(1, 3);
  w.hand_over(1, 3);
  need(!w.d(1).engine->acting(), "the term is closed");
  std::uint64_t height = w.status(1).tip.height;
  w.say(1, "late");
  need(w.status(1).tip.height == height, "no entry after the hand-over");
  w.x(1, 2);
  TurnId b = w.say(2, "b");
  w.d(3).alive = false;
  check_end(w, {b}, need, 120);
}

// 3 terms that nobody can complete, seen by all: one take-over is enough.
void impossible_term(World& w, Need need) {
  for (int k = 0; k < 40; ++k) w.take(3);
  w.take(1), w.work(1), w.x(1, 2);
  w.heads(3, 1), w.heads(3, 2);
  w.d(3).alive = false;
  TurnId a = w.say(2, "a");
  check_end(w, {a}, need, 60);
  need(w.status(1).tip.term.counter > 40, "above all seen");
}

TEST(LedgerCases, EqualCounters) {
  expect_holds(3, equal_counters);
  expect_caught(3, broken([](Rules& r) { r.tie_break = false; }), equal_counters);
  expect_caught(3, broken([](Rules& r) { r.unit_rule = Rules::UnitRule::kNaive; }), equal_counters);
  expect_caught(3, broken([](Rules& r) { r.rollback = false; }), equal_counters);
}
TEST(LedgerCases, ChainOfThreeTakeovers) {
  expect_holds(4, chain_of_three_takeovers);
  expect_caught(4, broken([](Rules& r) { r.no_holes = false; }), chain_of_three_takeovers);
}
TEST(LedgerCases, LateLoserClose) {
  expect_holds(3, late_loser_close);
  expect_caught(3, broken([](Rules& r) { r.edits_by_key = false; }), late_loser_close);
}
TEST(LedgerCases, LateLoserFlag) {
  expect_holds(3, late_loser_flag);
  expect_caught(3, broken([](Rules& r) { r.edits_sticky = false; }), late_loser_flag);
  expect_caught(3, broken([](Rules& r) { r.edit_carries_card = false; }), late_loser_flag);
}
TEST(LedgerCases, LateLoserReplace) {
  expect_holds(3, late_loser_replace);
  expect_caught(3, broken([](Rules& r) { r.edits_sticky = false; }), late_loser_replace);
}
TEST(LedgerCases, LateLoserErase) {
  expect_holds(3, late_loser_erase);
  expect_caught(3, broken([](Rules& r) { r.tombstones = false; }), late_loser_erase);
}
TEST(LedgerCases, OverlappingBatches) {
  expect_holds(3, overlapping_batches);
  expect_caught(3, broken([](Rules& r) { r.unit_rule = Rules::UnitRule::kOverlap; }),
                overlapping_batches);
  expect_caught(3, broken([](Rules& r) { r.unit_rule = Rules::UnitRule::kNaive; }),
                overlapping_batches);
}
TEST(LedgerCases, ReturnsWithDeadMansTurns) {
  expect_holds(3, returns_with_dead_mans_turns);
  expect_caught(3, broken([](Rules& r) { r.refile = false; }), returns_with_dead_mans_turns);
}
TEST(LedgerCases, OnlyTheEntrySurvives) {
  expect_holds(3, only_the_entry_survives);
  expect_caught(3, broken([](Rules& r) { r.refile = false; }), only_the_entry_survives);
}
TEST(LedgerCases, StaleAcknowledgement) {
  expect_holds(4, stale_acknowledgement);
  expect_caught(4, broken([](Rules& r) { r.final_rule = Rules::FinalRule::kPosition; }),
                stale_acknowledgement);
  expect_caught(4, broken([](Rules& r) { r.final_rule = Rules::FinalRule::kHave; }),
                stale_acknowledgement);
  expect_caught(4, broken([](Rules& r) { r.final_rule = Rules::FinalRule::kMost; }),
                stale_acknowledgement);
}
TEST(LedgerCases, JoinUnknown) {
  expect_holds(2, join_unknown);
  expect_caught(2, broken([](Rules& r) { r.final_roll = false; }), join_unknown);
}
TEST(LedgerCases, CrashBeforeSending) {
  expect_holds(2, crash_before_sending);
  expect_caught(2, broken([](Rules& r) { r.incarnations = false; }), crash_before_sending);
}
TEST(LedgerCases, ConsumedBeyondTheCut) {
  expect_holds(3, consumed_beyond_the_cut);
  expect_caught(3, broken([](Rules& r) { r.cut = Rules::Cut::kStrict; }), consumed_beyond_the_cut);
}
TEST(LedgerCases, RevokedPrimary) {
  expect_holds(3, revoked_primary);
}
TEST(LedgerCases, AdmittedByTheRevoked) {
  expect_holds(3, admitted_by_the_revoked);
  expect_caught(3, broken([](Rules& r) { r.join_cut = false; }), admitted_by_the_revoked);
}
TEST(LedgerCases, TwoRevocations) {
  expect_holds(3, two_revocations);
  expect_caught(3, broken([](Rules& r) { r.cut_merge = Rules::CutMerge::kMin; }), two_revocations);
}
TEST(LedgerCases, EraseThenLateBranch) {
  expect_holds(3, erase_then_late_branch);
  expect_caught(3, broken([](Rules& r) { r.tombstones = false; }), erase_then_late_branch);
}
TEST(LedgerCases, RestoredLeader) {
  expect_holds(2, restored_leader);
  expect_caught(2, broken([](Rules& r) { r.guard = false; }), restored_leader);
  expect_caught(2, broken([](Rules& r) { r.step_down = false; }), restored_leader);
}
TEST(LedgerCases, HandoverToTheDeaf) {
  expect_holds(3, handover);
  expect_caught(3, broken([](Rules& r) { r.closed_terms = false; }), handover);
}
TEST(LedgerCases, ImpossibleTerm) {
  expect_holds(3, impossible_term);
  expect_caught(3, broken([](Rules& r) { r.counter_above_seen = false; }), impossible_term);
}

}  // namespace
}  // namespace kartei::sync::testing
