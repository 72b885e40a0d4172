#include "election/election.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

namespace kartei::election {
namespace {

DeviceKey key(std::uint8_t n) {
  DeviceKey k{};
  k[0] = n;
  return k;
}

Vitals good_desktop() {
  Vitals v;
  v.kind = Kind::kDesktop;
  v.use = 60;
  v.cores = 8;
  v.memory_free_mb = 8192;
  v.storage_free_mb = 65536;
  v.reachable = 1;
  return v;
}

Vitals phone(double battery) {
  Vitals v = good_desktop();
  v.kind = Kind::kPhone;
  v.power = Power::kBattery;
  v.battery = battery;
  return v;
}

Candidate candidate(std::uint8_t n, const Vitals& v) {
  return {key(n), v, true, true};
}

TEST(Use, HalvesInADay) {
  EXPECT_DOUBLE_EQ(decayed_use(8, 24 * 3600 * 1000), 4);
  EXPECT_DOUBLE_EQ(decayed_use(8, 0), 8);
  EXPECT_DOUBLE_EQ(decayed_use(8, -5), 8) << "a clock that goes back adds no use";
}

TEST(Score, PartsSumToTotalAndReachOneHundred) {
  const Score s = score(good_desktop());
  double sum = 0;
  for (const ScorePart& part : s.parts) sum += part.value;
  EXPECT_DOUBLE_EQ(sum, s.total);
  EXPECT_NEAR(s.total, 100, 1e-9);
}

TEST(Score, PhonesOnBatteryAreLow) {
  Vitals laptop = good_desktop();
  laptop.kind = Kind::kLaptop;
  laptop.power = Power::kBattery;
  EXPECT_LT(score(phone(1)).total, score(laptop).total);
  EXPECT_LT(score(phone(0.1)).total, score(phone(1)).total);
  EXPECT_LT(score(laptop).total, score(good_desktop()).total);
}

TEST(Score, StaysInRangeWhateverAHeadClaims) {
  rc::check("0 <= score <= 100", [] {
    const auto number = [] {
      return *rc::gen::element(0.0, -1.0, 0.5, 1.0, 1e300, -1e300,
                               std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity());
    };
    Vitals v;
    v.kind = *rc::gen::element(Kind::kDesktop, Kind::kLaptop, Kind::kPhone);
    v.power = *rc::gen::element(Power::kMains, Power::kBattery);
    v.battery = number();
    v.use = number();
    v.load = number();
    v.reachable = number();
    v.cores = *rc::gen::arbitrary<std::uint32_t>();
    v.memory_free_mb = *rc::gen::arbitrary<std::uint32_t>();
    v.storage_free_mb = *rc::gen::arbitrary<std::uint32_t>();
    const double total = score(v).total;
    RC_ASSERT(total >= 0 && total <= 100.0 + 1e-9);
  });
}

TEST(Score, MoreOfAGoodThingIsNeverWorse) {
  rc::check("monotone", [] {
    Vitals a;
    a.cores = *rc::gen::inRange(1u, 64u);
    a.memory_free_mb = *rc::gen::inRange(0u, 100000u);
    a.storage_free_mb = *rc::gen::inRange(0u, 1000000u);
    a.use = *rc::gen::inRange(0, 200);
    Vitals b = a;
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        b.cores += *rc::gen::inRange(0u, 64u);
        break;
      case 1:
        b.memory_free_mb += *rc::gen::inRange(0u, 100000u);
        break;
      case 2:
        b.storage_free_mb += *rc::gen::inRange(0u, 100000u);
        break;
      default:
        b.use += *rc::gen::inRange(0, 100);
    }
    RC_ASSERT(score(b).total >= score(a).total);
  });
}

TEST(Rank, EligibleFirstThenPinThenScoreThenId) {
  const Rules rules;
  std::vector<Candidate> all = {candidate(1, good_desktop()), candidate(2, phone(0.5)),
                                candidate(3, good_desktop()), candidate(4, good_desktop()),
                                candidate(5, good_desktop())};
  all[3].may_lead = false;
  all[4].heard = false;
  const DeviceKey pin = key(2);
  const auto ranking = rank(all, nullptr, &pin, rules);
  ASSERT_EQ(ranking.size(), 5u);
  EXPECT_EQ(ranking[0].device, key(2)) << "pinned";
  EXPECT_EQ(ranking[1].device, key(3)) << "equal scores: higher id";
  EXPECT_EQ(ranking[2].device, key(1));
  EXPECT_FALSE(ranking[3].eligible);
  EXPECT_FALSE(ranking[4].eligible);
  EXPECT_NE(ranking[3].why_not, "");
  EXPECT_EQ(ranking[0].why_not, "");
}

TEST(Rank, AnIneligiblePinDoesNotLead) {
  std::vector<Candidate> all = {candidate(1, good_desktop()), candidate(2, phone(0.5))};
  all[1].heard = false;
  const DeviceKey pin = key(2);
  EXPECT_EQ(rank(all, nullptr, &pin, Rules{})[0].device, key(1));
}

TEST(Rank, IncumbentIsLiftedByTheHysteresis) {
  Vitals slightly_worse = good_desktop();
  slightly_worse.use = 20;
  const std::vector<Candidate> all = {candidate(1, slightly_worse), candidate(2, good_desktop())};
  const DeviceKey incumbent = key(1);
  EXPECT_EQ(rank(all, nullptr, nullptr, Rules{})[0].device, key(2));
  EXPECT_EQ(rank(all, &incumbent, nullptr, Rules{})[0].device, key(1));
}

TEST(Rank, OrderOfInputDoesNotMatter) {
  rc::check("a permutation gives the same ranking", [] {
    std::vector<Candidate> all;
    const auto count = *rc::gen::inRange<std::uint8_t>(1, 7);
    for (std::uint8_t i = 0; i < count; ++i) {
      Candidate c = candidate(i, *rc::gen::element(0, 1) == 0 ? phone(0.5) : good_desktop());
      c.may_lead = *rc::gen::arbitrary<bool>();
      c.heard = *rc::gen::arbitrary<bool>();
      all.push_back(c);
    }
    std::vector<Candidate> turned(all.rbegin(), all.rend());
    const DeviceKey incumbent = key(*rc::gen::inRange<std::uint8_t>(0, count));
    const auto a = rank(all, &incumbent, nullptr, Rules{});
    const auto b = rank(turned, &incumbent, nullptr, Rules{});
    for (std::size_t i = 0; i < a.size(); ++i) RC_ASSERT(a[i].device == b[i].device);
  });
}

TEST(HandOver, ToAPinnedDeviceAtOnceIfHeard) {
  const Rules rules;
  std::vector<Candidate> all = {candidate(1, good_desktop()), candidate(2, phone(0.5))};
  const DeviceKey self = key(1), pin = key(2);
  const auto move = hand_over(rank(all, &self, &pin, rules), self, &pin, 0, rules);
  EXPECT_TRUE(move.wanted);
  EXPECT_EQ(move.to, pin);
  all[1].heard = false;
  EXPECT_FALSE(hand_over(rank(all, &self, &pin, rules), self, &pin, 0, rules).wanted)
      << "a pinned device that is silent is not waited for";
}

TEST(HandOver, APinOnSelfKeepsTheRole) {
  const Rules rules;
  const std::vector<Candidate> all = {candidate(1, phone(0.1)), candidate(2, good_desktop())};
  const DeviceKey self = key(1);
  EXPECT_FALSE(
      hand_over(rank(all, &self, &self, rules), self, &self, rules.minimum_tenure_ms, rules)
          .wanted);
}

TEST(HandOver, OnlyClearlyBetterAndAfterTheTenure) {
  const Rules rules;
  const DeviceKey self = key(1);
  const std::vector<Candidate> all = {candidate(1, phone(0.1)), candidate(2, good_desktop())};
  const auto ranking = rank(all, &self, nullptr, rules);
  EXPECT_FALSE(hand_over(ranking, self, nullptr, rules.minimum_tenure_ms - 1, rules).wanted);
  EXPECT_TRUE(hand_over(ranking, self, nullptr, rules.minimum_tenure_ms, rules).wanted);

  Vitals slightly_worse = good_desktop();
  slightly_worse.use = 20;
  const std::vector<Candidate> close = {candidate(1, slightly_worse), candidate(2, good_desktop())};
  EXPECT_FALSE(
      hand_over(rank(close, nullptr, nullptr, rules), self, nullptr, rules.minimum_tenure_ms, rules)
          .wanted);
}

TEST(HandOver, AHolderThatMayNoLongerLeadGivesTheRoleAway) {
  const Rules rules;
  const DeviceKey self = key(1);
  std::vector<Candidate> all = {candidate(1, good_desktop()), candidate(2, phone(0.1))};
  all[0].may_lead = false;
  const auto move =
      hand_over(rank(all, &self, nullptr, rules), self, nullptr, rules.minimum_tenure_ms, rules);
  EXPECT_TRUE(move.wanted);
  EXPECT_EQ(move.to, key(2));
}

TakeOverInput waiting() {
  TakeOverInput in;
  in.may_lead = true;
  in.work_waits = true;
  return in;
}

TEST(TakeOver, IdleBoxStaysWithoutAPrimary) {
  TakeOverInput in = waiting();
  in.work_waits = false;
  in.holder_is_me = true;
  in.holder_is_member = false;
  in.holder_silent_ms = in.tip_still_ms = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(take_over(in, Rules{}));
}

TEST(TakeOver, NeverByADeviceThatMayNotLead) {
  TakeOverInput in = waiting();
  in.may_lead = false;
  in.holder_is_me = in.successor_is_me = true;
  EXPECT_FALSE(take_over(in, Rules{}));
}

TEST(TakeOver, AtOnceAfterARestartOrForANonMemberOrAsSuccessor) {
  TakeOverInput in = waiting();
  EXPECT_FALSE(take_over(in, Rules{}));
  in.holder_is_me = true;
  EXPECT_TRUE(take_over(in, Rules{}));
  in = waiting();
  in.holder_is_member = false;
  EXPECT_TRUE(take_over(in, Rules{}));
  in = waiting();
  in.work_waits = false;
  in.successor_is_me = true;
  EXPECT_TRUE(take_over(in, Rules{}));
}

TEST(TakeOver, SilenceAndStandstillByRank) {
  const Rules rules;
  for (std::size_t place = 0; place < 5; ++place) {
    const auto r = static_cast<std::int64_t>(place);
    TakeOverInput in = waiting();
    in.rank = place;
    in.holder_silent_ms = rules.patience_ms * (1 + 2 * r) - 1;
    EXPECT_FALSE(take_over(in, rules));
    ++in.holder_silent_ms;
    EXPECT_TRUE(take_over(in, rules));
    in.holder_silent_ms = 0;
    in.tip_still_ms = 5 * rules.patience_ms * (1 + r) - 1;
    EXPECT_FALSE(take_over(in, rules));
    ++in.tip_still_ms;
    EXPECT_TRUE(take_over(in, rules));
  }
}

}  // namespace
}  // namespace kartei::election
