#include "store/candidates.h"

#include <algorithm>
#include <bit>

namespace kartei::store {

namespace {

bool newer(const Candidate& a, const Candidate& b) {
  return a.rid > b.rid;
}

// The rows of all lists, each once, in no order; by row number.
class RowTable {
 public:
  explicit RowTable(std::size_t rows_most) : slots_(std::bit_ceil(2 * rows_most + 16), kFree) {
    rows_.reserve(rows_most);
  }
  Candidate* find(std::int64_t rid) {
    const std::uint32_t row = slots_[slot_of(rid)];
    return row == kFree ? nullptr : &rows_[row];
  }
  void add(std::int64_t rid, double words) {
    std::uint32_t& slot = slots_[slot_of(rid)];
    if (slot == kFree) {
      slot = static_cast<std::uint32_t>(rows_.size());
      rows_.push_back({rid, 0, 0, false});
    }
    rows_[slot].words += words;
  }
  const std::vector<Candidate>& rows() const { return rows_; }

 private:
  static constexpr std::uint32_t kFree = UINT32_MAX;
  // Half of the slots are free: the walk is short.
  std::size_t slot_of(std::int64_t rid) const {
    constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio
    std::size_t slot = (static_cast<std::uint64_t>(rid) * kSpread >> 32) & (slots_.size() - 1);
    while (slots_[slot] != kFree && rows_[slots_[slot]].rid != rid)
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }
  std::vector<std::uint32_t> slots_;  // places in rows_
  std::vector<Candidate> rows_;
};

RowTable rows_with_words(const std::vector<WeightedRows>& lists) {
  std::size_t count = 0;
  for (const WeightedRows& list : lists) count += list.rows->size();
  RowTable table(count);
  for (const WeightedRows& list : lists)
    for (const std::int64_t rid : *list.rows) table.add(rid, list.weight);
  return table;
}

template <class Score>
void keep_best(std::vector<Candidate>& rows, std::size_t count, Score score) {
  if (rows.size() <= count) return;
  std::nth_element(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count), rows.end(),
                   [&](const Candidate& a, const Candidate& b) {
                     const double x = score(a), y = score(b);
                     return x != y ? x > y : a.rid > b.rid;
                   });
  rows.resize(count);
}

// The closest rows join the best by words, with what the lists say of them.
void add_close(const std::vector<MeaningLeg::Near>& close, RowTable& listed,
               std::vector<Candidate>& best) {
  std::sort(best.begin(), best.end(), newer);
  const auto known = static_cast<std::ptrdiff_t>(best.size());
  for (const MeaningLeg::Near& near : close) {
    const Candidate wanted{near.rid, 0, near.deviations, true};
    const auto there = std::lower_bound(best.begin(), best.begin() + known, wanted, newer);
    if (there != best.begin() + known && there->rid == near.rid) {
      there->close = true;
      there->meaning = near.deviations;
      continue;
    }
    best.push_back(wanted);
    if (const Candidate* row = listed.find(near.rid)) best.back().words = row->words;
  }
}

// Of those that are not close.
void add_meaning(RowKind kind, MeaningLeg& leg, std::vector<Candidate>& rows) {
  std::vector<std::int64_t> rids;
  for (const Candidate& row : rows)
    if (!row.close) rids.push_back(row.rid);
  const auto meaning = leg.nearly(kind, rids);
  auto next = meaning.begin();
  for (Candidate& row : rows)
    if (!row.close) row.meaning = *next++;
}

double by_words(const Candidate& row) {
  return row.words;
}

}  // namespace

std::vector<Candidate> choose_candidates(RowKind kind, const std::vector<WeightedRows>& lists,
                                         MeaningLeg* leg, const CandidateBounds& bounds,
                                         const Weights& weights, const RowFilter* close) {
  RowTable listed = rows_with_words(lists);
  std::vector<Candidate> best = listed.rows();
  keep_best(best, bounds.by_words, by_words);
  if (leg != nullptr) {
    std::vector<MeaningLeg::Near> nearest = leg->closest(kind);
    if (close != nullptr)
      std::erase_if(nearest, [&](const MeaningLeg::Near& near) { return !(*close)(near.rid); });
    add_close(nearest, listed, best);
    add_meaning(kind, *leg, best);
    double most_words = 0;
    for (const Candidate& row : best) most_words = std::max(most_words, row.words);
    const double words = most_words > 0 ? weights.words / most_words : 0;
    const double meaning = kUnreadMeaning * weights.meaning / kMeaningDeviations;
    keep_best(best, bounds.read,
              [&](const Candidate& row) { return words * row.words + meaning * row.meaning; });
  }
  std::sort(best.begin(), best.end(), newer);
  return best;
}

}  // namespace kartei::store
