// The rules of forgetting, by themselves.
#include "daemon/manager/forgetting.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

namespace kartei::daemon {
namespace {

using store::CardState;
using store::Colour;
using store::Forgettable;
using store::Forgotten;
using store::Time;

constexpr std::int64_t kDay = 86'400'000;
const Time kNow = store::time_from_ms(1'800'000'000'000);  // January 2027

Time days_ago(std::int64_t days) {
  return store::time_from_ms(store::to_ms(kNow) - days * kDay);
}

Forgettable item(std::uint8_t number, Colour colour, std::int64_t age_days) {
  Forgettable one;
  one.rid = number;
  one.card.id.bytes[0] = number;
  one.card.text = "Maya did thing " + std::to_string(number) + ".";
  one.card.colour = colour;
  one.card.recorded_at = days_ago(age_days);
  return one;
}

std::vector<ForgettingStep> look(const std::vector<Forgettable>& cards,
                                 const ForgettingPolicy& policy = {}, Time now = kNow) {
  ForgettingPass pass(policy, now);
  auto steps = pass.look(cards);
  for (auto& step : pass.finish()) steps.push_back(std::move(step));
  return steps;
}

// What becomes of one card: the step's name, or nothing.
std::string fate(const Forgettable& one, const ForgettingPolicy& policy = {}) {
  const auto steps = look({one}, policy);
  return steps.empty() ? "" : to_text(steps.front().what);
}

TEST(Forgetting, AnEventFadesAfterItsTime) {
  EXPECT_EQ(fate(item(1, Colour::kEvent, 89)), "");
  EXPECT_EQ(fate(item(1, Colour::kEvent, 90)), "fade");
  const auto steps = look({item(1, Colour::kEvent, 100)});
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].why,
            "Not used for 100 days; an event of its importance and use fades after 90 days.");
}

TEST(Forgetting, AFactStaysUnlessItsOwnerWantsOtherwise) {
  EXPECT_EQ(fate(item(1, Colour::kFact, 9000)), "");
  ForgettingPolicy policy;
  policy.fade_facts_after_days = 400;
  EXPECT_EQ(fate(item(1, Colour::kFact, 399), policy), "");
  EXPECT_EQ(fate(item(1, Colour::kFact, 400), policy), "fade");
}

TEST(Forgetting, UseImportanceAndPriorityLetItLive) {
  Forgettable one = item(1, Colour::kEvent, 100);
  one.card.times_used = 1;
  EXPECT_EQ(fate(one), "");
  one.card.times_used = 0;
  one.card.last_used = days_ago(10);
  EXPECT_EQ(fate(one), "");
  one.card.last_used = {};
  one.card.importance = 0.9;
  EXPECT_EQ(fate(one), "");
  one.card.importance = 0.5;
  one.card.flags = store::kHighPriority;
  EXPECT_EQ(fate(one), "");
  one.card.recorded_at = days_ago(360);
  EXPECT_EQ(fate(one), "fade");  // four times as late
  one = item(1, Colour::kEvent, 30);
  one.card.importance = 0;
  EXPECT_EQ(fate(one), "fade");
}

TEST(Forgetting, WhatIsStillToComeDoesNotFade) {
  Forgettable one = item(1, Colour::kEvent, 300);
  one.card.valid_from = *store::Date::parse("2026-12-20");
  EXPECT_EQ(fate(one), "");
  one.card.valid_from = *store::Date::parse("2026-03");
  EXPECT_EQ(fate(one), "fade");
  one.card.valid_to = *store::Date::parse("2026-12");
  EXPECT_EQ(fate(one), "");
}

TEST(Forgetting, WhatWasTakenBackCountsAsNew) {
  Forgettable one = item(1, Colour::kEvent, 300);
  one.renewed_at = days_ago(89);
  EXPECT_EQ(fate(one), "");
  one.renewed_at = days_ago(90);
  EXPECT_EQ(fate(one), "fade");
}

Forgettable put_away(CardState state, Forgotten::Step step, std::int64_t days) {
  Forgettable one = item(1, Colour::kEvent, 4000);
  one.card.state = state;
  one.step = step;
  one.step_at = days_ago(days);
  return one;
}

TEST(Forgetting, StepsFollowAtTheirTimes) {
  EXPECT_EQ(fate(put_away(CardState::kFaded, Forgotten::kFaded, 3649)), "");
  EXPECT_EQ(fate(put_away(CardState::kFaded, Forgotten::kFaded, 3650)), "archive");
  Forgettable used = put_away(CardState::kFaded, Forgotten::kFaded, 3900);
  used.card.last_used = days_ago(5);  // a dated question had it
  EXPECT_EQ(fate(used), "");
}

TEST(Forgetting, NothingIsDeletedUnlessItsOwnerWantsIt) {
  const auto archived = put_away(CardState::kArchived, Forgotten::kArchived, 9000);
  const auto trashed = put_away(CardState::kArchived, Forgotten::kTrashed, 9000);
  EXPECT_EQ(fate(archived), "");
  EXPECT_EQ(fate(trashed), "");
  ForgettingPolicy policy;
  policy.delete_archived = true;
  EXPECT_EQ(fate(archived, policy), "trash");
  EXPECT_EQ(fate(put_away(CardState::kArchived, Forgotten::kArchived, 1094), policy), "");
  EXPECT_EQ(fate(trashed, policy), "erase");
  EXPECT_EQ(fate(put_away(CardState::kArchived, Forgotten::kTrashed, 29), policy), "");
  policy.on = false;
  EXPECT_EQ(fate(archived, policy), "");
  EXPECT_EQ(fate(item(1, Colour::kEvent, 4000), policy), "");
}

TEST(Forgetting, TheWeakestGoWhereThereAreTooMany) {
  ForgettingPolicy policy;
  policy.open_cards_max = 3;
  std::vector<Forgettable> cards;
  for (std::uint8_t n = 1; n <= 6; ++n) cards.push_back(item(n, Colour::kEvent, 10 * n));
  cards.push_back(item(7, Colour::kFact, 60));
  cards.push_back(item(8, Colour::kEvent, 80));
  cards.back().card.flags = store::kPersistent;  // and is not counted
  std::set<int> gone;
  for (const ForgettingStep& step : look(cards, policy)) gone.insert(step.card.bytes[0]);
  EXPECT_EQ(gone, (std::set<int>{3, 4, 5, 6}));
}

TEST(Forgetting, SaysWhenTheNextIsDue) {
  ForgettingPass pass({}, kNow);
  pass.look({item(1, Colour::kFact, 10)});
  EXPECT_FALSE(pass.next_due());
  pass.look({item(2, Colour::kEvent, 60), item(3, Colour::kEvent, 70)});
  EXPECT_EQ(pass.next_due(), days_ago(-20));
}

TEST(ForgettingPolicyText, SaysAllAndPassesOverTheRest) {
  ForgettingPolicy policy;
  policy.on = false;
  policy.trash_days = 7;
  EXPECT_EQ(policy_from_text(policy_text(policy)), policy);
  EXPECT_EQ(policy_from_text(""), ForgettingPolicy{});
  EXPECT_EQ(policy_from_text("colour blue\ntrash_days 0\nfade_after_days 9x\n\n on 1\nx"),
            ForgettingPolicy{});
  policy = {};
  policy.fade_after_days = 7;
  EXPECT_EQ(policy_from_text("nonsense\nfade_after_days 7"), policy);
}

// ---- condensing

Forgettable event(std::uint8_t number, const std::string& said, const std::string& day) {
  Forgettable one = item(number, Colour::kEvent, 0);
  one.card.valid_from = *store::Date::parse(day);
  one.card.recorded_at = one.card.valid_from.begin();
  const auto spoken = one.card.valid_from;
  static constexpr const char* kMonths[] = {"January",   "February", "March",    "April",
                                            "May",       "June",     "July",     "August",
                                            "September", "October",  "November", "December"};
  one.card.text = said + " on " + std::to_string(spoken.day) + " " + kMonths[spoken.month - 1] +
                  " " + std::to_string(spoken.year) + ".";
  one.card.subject = "maya";
  one.card.relation = "go";
  one.card.object = "climbing";
  store::TurnId turn;
  turn.bytes[0] = number;
  one.card.sources = {turn};
  one.card.state = CardState::kFaded;
  one.step = Forgotten::kFaded;
  one.step_at = one.card.recorded_at + std::chrono::hours(24 * 90);
  return one;
}

std::vector<Forgettable> climbing() {
  return {
      event(1, "Maya went climbing", "2025-01-14"), event(2, "Maya went climbing", "2025-02-02"),
      event(3, "Maya went climbing", "2025-03-08"), event(4, "Maya went climbing", "2025-06-21")};
}

TEST(Condensing, SeveralEventsBecomeOneSentence) {
  const auto made = condense(climbing(), {}, kNow);
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].card.text, "Maya went climbing 4 times between January and June 2025.");
  EXPECT_EQ(made[0].card.valid_from.text(), "2025-01");
  EXPECT_EQ(made[0].card.valid_to.text(), "2025-07");
  EXPECT_EQ(made[0].sources.size(), 4u);
  EXPECT_EQ(made[0].card.sources.size(), 3u);
  EXPECT_NE(store::card_key(made[0].card), store::card_key(climbing()[0].card));
}

TEST(Condensing, OfOneMonth) {
  std::vector<Forgettable> events;
  for (std::uint8_t n = 1; n <= 5; ++n)
    events.push_back(event(n, "Maya went climbing", "2025-12-0" + std::to_string(n)));
  const auto made = condense(events, {}, kNow);
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].card.text, "Maya went climbing 5 times in December 2025.");
  EXPECT_EQ(made[0].card.valid_to.text(), "2026-01");
}

TEST(Condensing, NoCardIsBetterThanAWrongOne) {
  const auto but = [](const std::function<void(Forgettable&)>& change) {
    auto events = climbing();
    change(events[1]);
    return condense(events, {}, kNow).size();
  };
  EXPECT_EQ(but([](Forgettable&) {}), 1u);
  EXPECT_EQ(but([](Forgettable& e) { e = event(2, "Maya went climbing with Bo", "2025-02-02"); }),
            0u);
  EXPECT_EQ(but([](Forgettable& e) { e.card.object = "running"; }), 0u);
  EXPECT_EQ(but([](Forgettable& e) { e.card.relation = "event"; }), 0u);  // a plan
  EXPECT_EQ(but([](Forgettable& e) { e.card.subject = "bo"; }), 0u);
  EXPECT_EQ(but([](Forgettable& e) { e.card.text = "Maya went climbing in February."; }), 0u);
  EXPECT_EQ(but([](Forgettable& e) { e.card.state = CardState::kOpen; }), 0u);
  EXPECT_EQ(but([](Forgettable& e) { e.card.flags = store::kNeverForget; }), 0u);
  EXPECT_EQ(but([](Forgettable& e) { e.card.user_made = true; }), 0u);
  EXPECT_EQ(but([](Forgettable& e) { e.card.trust = store::Trust::kAssistant; }), 0u);
  EXPECT_EQ(but([](Forgettable& e) { e.step = Forgotten::kByUser; }), 0u);
  EXPECT_EQ(but([](Forgettable& e) { e.made = true; }), 0u);
  EXPECT_EQ(but([](Forgettable& e) { e.card.drawer.bytes[0] = 9; }), 0u);
  EXPECT_EQ(but([](Forgettable& e) { e.card.last_used = kNow; }), 0u);
  EXPECT_EQ(but([](Forgettable& e) { e = event(2, "Maya went climbing", "2025-07-02"); }), 0u);
  // Told twice, it happened once.
  EXPECT_EQ(but([](Forgettable& e) { e = event(2, "Maya went climbing", "2025-01-14"); }), 0u);
}

TEST(Condensing, WhatHasANumberOfItsOwnStays) {
  std::vector<Forgettable> events;
  for (std::uint8_t n = 1; n <= 5; ++n)
    events.push_back(event(n, "Maya ran 10 km", "2025-12-0" + std::to_string(n)));
  EXPECT_TRUE(condense(events, {}, kNow).empty());
}

TEST(Condensing, OnlyWhenLongUnusedAndWanted) {
  ForgettingPolicy policy;
  policy.condense = false;
  EXPECT_TRUE(condense(climbing(), policy, kNow).empty());
  policy = {};
  policy.condense_least = 5;
  EXPECT_TRUE(condense(climbing(), policy, kNow).empty());
  // The last of them faded on 19 September 2025.
  const Time half_a_year_later = climbing()[3].step_at + std::chrono::hours(24 * 180);
  EXPECT_TRUE(condense(climbing(), {}, half_a_year_later - std::chrono::hours(1)).empty());
  EXPECT_EQ(condense(climbing(), {}, half_a_year_later).size(), 1u);
}

// ---- properties

Forgettable some_card(std::uint8_t number) {
  Forgettable one = item(number, *rc::gen::element(Colour::kFact, Colour::kEvent, Colour::kRule),
                         *rc::gen::inRange<std::int64_t>(0, 3000));
  one.card.importance = *rc::gen::inRange(0, 11) / 10.0;
  one.card.times_used = *rc::gen::inRange<std::uint32_t>(0, 50);
  if (one.card.times_used > 0) one.card.last_used = days_ago(*rc::gen::inRange(0, 2000));
  one.card.flags = *rc::gen::inRange<std::uint32_t>(0, 8) * *rc::gen::inRange<std::uint32_t>(0, 2);
  one.card.state = *rc::gen::element(CardState::kOpen, CardState::kFaded, CardState::kArchived);
  if (one.card.state == CardState::kFaded) one.step = Forgotten::kFaded;
  if (one.card.state == CardState::kArchived)
    one.step = *rc::gen::element(Forgotten::kArchived, Forgotten::kTrashed, Forgotten::kByUser);
  if (one.card.state != CardState::kOpen) one.step_at = days_ago(*rc::gen::inRange(0, 2000));
  return one;
}

ForgettingPolicy some_policy() {
  ForgettingPolicy policy;
  policy.fade_after_days = *rc::gen::inRange(1, 400);
  policy.fade_facts_after_days = *rc::gen::inRange(0, 900);
  policy.archive_after_days = *rc::gen::inRange(1, 900);
  policy.delete_archived = *rc::gen::arbitrary<bool>();
  policy.delete_after_days = *rc::gen::inRange(1, 900);
  policy.open_cards_max = *rc::gen::inRange(0, 30);
  return policy;
}

std::vector<Forgettable> some_cards() {
  std::vector<Forgettable> cards;
  const int count = *rc::gen::inRange(0, 40);
  for (int n = 0; n < count; ++n) cards.push_back(some_card(static_cast<std::uint8_t>(n + 1)));
  return cards;
}

using Told = std::set<std::pair<store::CardId, int>>;
Told told(const std::vector<ForgettingStep>& steps) {
  Told out;
  for (const ForgettingStep& step : steps) out.emplace(step.card, step.what);
  return out;
}

TEST(ForgettingProperties, ProtectedCardsAreNeverTouched) {
  rc::check([] {
    const auto cards = some_cards();
    for (const ForgettingStep& step : look(cards, some_policy())) {
      const auto card = std::find_if(cards.begin(), cards.end(), [&](const Forgettable& one) {
        return one.card.id == step.card;
      });
      RC_ASSERT((card->card.flags & (store::kPersistent | store::kNeverForget)) == 0u);
      RC_ASSERT(card->card.colour != Colour::kRule);
    }
  });
}

TEST(ForgettingProperties, TheBatchesDecideNothing) {
  rc::check([] {
    auto cards = some_cards();
    const ForgettingPolicy policy = some_policy();
    const Told whole = told(look(cards, policy));
    std::reverse(cards.begin(), cards.end());
    ForgettingPass pass(policy, kNow);
    std::vector<ForgettingStep> steps;
    const auto take = [&](std::vector<ForgettingStep> more) {
      steps.insert(steps.end(), more.begin(), more.end());
    };
    for (std::size_t at = 0; at < cards.size();) {
      const auto size = std::min(cards.size() - at, *rc::gen::inRange<std::size_t>(1, 9));
      const auto begin = cards.begin() + static_cast<std::ptrdiff_t>(at);
      take(pass.look({begin, begin + static_cast<std::ptrdiff_t>(size)}));
      at += size;
    }
    take(pass.finish());
    RC_ASSERT(told(steps) == whole);
  });
}

// As the fold does it.
void carry_out(std::vector<Forgettable>& cards, const std::vector<ForgettingStep>& steps) {
  for (const ForgettingStep& step : steps) {
    const auto card = std::find_if(cards.begin(), cards.end(), [&](const Forgettable& one) {
      return one.card.id == step.card;
    });
    card->step_at = kNow;
    if (step.what == ForgettingStep::kFade) card->card.state = CardState::kFaded;
    if (step.what == ForgettingStep::kFade) card->step = Forgotten::kFaded;
    if (step.what == ForgettingStep::kArchive) card->card.state = CardState::kArchived;
    if (step.what == ForgettingStep::kArchive) card->step = Forgotten::kArchived;
    if (step.what == ForgettingStep::kTrash) card->step = Forgotten::kTrashed;
    if (step.what == ForgettingStep::kErase) cards.erase(card);
  }
}

TEST(ForgettingProperties, ASecondRunChangesNothing) {
  rc::check([] {
    auto cards = some_cards();
    const ForgettingPolicy policy = some_policy();
    carry_out(cards, look(cards, policy));
    RC_ASSERT(look(cards, policy).empty());
  });
}

TEST(ForgettingProperties, OpenCardsStayWithinTheirNumber) {
  rc::check([] {
    auto cards = some_cards();
    const ForgettingPolicy policy = some_policy();
    carry_out(cards, look(cards, policy));
    const auto open = std::count_if(cards.begin(), cards.end(), [](const Forgettable& one) {
      return one.card.state == CardState::kOpen && !is_protected(one.card);
    });
    RC_ASSERT(open <= policy.open_cards_max);
  });
}

// Whoever was used more often, or later, does not go before it would have gone otherwise.
TEST(ForgettingProperties, UseNeverHurts) {
  rc::check([] {
    Forgettable one = some_card(1);
    ForgettingPolicy policy = some_policy();
    policy.open_cards_max = 100;
    Forgettable used = one;
    used.card.times_used += *rc::gen::inRange<std::uint32_t>(0, 20);
    used.card.last_used = std::max(one.card.last_used, days_ago(*rc::gen::inRange(0, 2000)));
    if (look({one}, policy).empty()) RC_ASSERT(look({used}, policy).empty());
    RC_ASSERT(strength(used, policy, kNow) >= strength(one, policy, kNow));
  });
}

}  // namespace
}  // namespace kartei::daemon
