// Which rows are worth reading.
#include "store/candidates.h"

#include <rapidcheck.h>

#include <map>

#include "tests/store/vectors_fixture.h"

namespace kartei::store {
namespace {

using Rows = std::vector<std::int64_t>;

std::vector<std::int64_t> rows_of(const std::vector<Candidate>& candidates) {
  Rows rows;
  for (const Candidate& candidate : candidates) rows.push_back(candidate.rid);
  return rows;
}

TEST(Candidates, ThoseWithTheMostWeightNewestFirst) {
  const Rows common = {9, 8, 7, 6, 5, 4}, rare = {8, 2}, name = {4};
  const std::vector<WeightedRows> lists = {{&common, 1}, {&rare, 3}, {&name, 1}};
  const auto best = choose_candidates(RowKind::kTurn, lists, nullptr, {3, 3}, {});
  EXPECT_EQ(rows_of(best), (Rows{8, 4, 2}));
  EXPECT_EQ(best[0].words, 4);
  // Of equals the newer ones.
  const auto more = choose_candidates(RowKind::kTurn, lists, nullptr, {4, 4}, {});
  EXPECT_EQ(rows_of(more), (Rows{9, 8, 4, 2}));
}

TEST(Candidates, AreWhatAMapOfAllRowsSays) {
  EXPECT_TRUE(rc::check([] {
    const auto count = *rc::gen::inRange<std::size_t>(0, 30);
    std::vector<Rows> rows(*rc::gen::inRange<std::size_t>(0, 5));
    std::map<std::int64_t, double> sums;
    std::vector<WeightedRows> lists;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      // Far apart as well as side by side: they share slots of the table.
      const auto spread = *rc::gen::element<std::int64_t>(1, 1'024, std::int64_t{1} << 40);
      const auto numbers = *rc::gen::unique<Rows>(rc::gen::inRange<std::int64_t>(1, 60));
      for (const std::int64_t number : numbers) rows[i].push_back(number * spread);
      const double weight = static_cast<double>(std::size_t{1} << i);
      for (const std::int64_t rid : rows[i]) sums[rid] += weight;
      lists.push_back({&rows[i], weight});
    }
    std::vector<std::pair<double, std::int64_t>> order;
    for (const auto& [rid, sum] : sums) order.emplace_back(sum, rid);
    std::sort(order.rbegin(), order.rend());
    if (order.size() > count) order.resize(count);
    Rows expected;
    for (const auto& [sum, rid] : order) expected.push_back(rid);
    std::sort(expected.rbegin(), expected.rend());
    const auto best = choose_candidates(RowKind::kCard, lists, nullptr, {count, count}, {});
    RC_ASSERT(rows_of(best) == expected);
    for (const Candidate& row : best) RC_ASSERT(row.words == sums[row.rid]);
  }));
}

class CandidatesTest : public VectorsTest {
 protected:
  void SetUp() override {
    hear(1, "Saw the cardiologist.");
    hear(2, "The wagon is red.");
    for (std::uint64_t n = 3; n < 30; ++n) hear(n, "Number " + std::to_string(n) + " of many.");
    want(box_, *model_);
    embed(box_, *model_);
  }
  void hear(std::uint64_t n, const std::string& text) {
    box_.local({TurnHeard{make_turn(n, text, kLocalDrawer)}});
  }
  TestBox box_;
};

TEST_F(CandidatesTest, WhatIsCloseInMeaningComesWithoutAWord) {
  Db db(box_->writer());
  const auto leg =
      MeaningLeg::of(db, box_->vectors().index()->current(), model_.get(), "physician", 1, nullptr);
  ASSERT_TRUE(leg);
  const Rows listed = {29, 28, 27};
  const std::vector<WeightedRows> lists = {{&listed, 1}};
  const auto all = choose_candidates(RowKind::kTurn, lists, leg.get(), {2, 3}, {});
  EXPECT_EQ(rows_of(all), (Rows{29, 28, 1}));
  EXPECT_TRUE(all.back().close);
  EXPECT_GT(all.back().meaning, 2);
  EXPECT_EQ(all.back().words, 0);
  // Only one may be read: what is far closer goes before a common word.
  EXPECT_EQ(rows_of(choose_candidates(RowKind::kTurn, lists, leg.get(), {2, 1}, {})), Rows{1});
}

}  // namespace
}  // namespace kartei::store
