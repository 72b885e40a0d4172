#include "store/meaning_leg.h"

#include <algorithm>
#include <cmath>

#include "store/meaning/exact_copy.h"
#include "store/meaning/shared_scan.h"
#include "store/row_list.h"
#include "store/weights.h"

namespace kartei::store {

namespace {

// Below this many rows a helper would come too late.
constexpr std::size_t kSharedRows = 16'384;

}  // namespace

MeaningLeg::MeaningLeg(Db& db, std::shared_ptr<const VectorSet> set, std::vector<float> question,
                       std::size_t rows, HelperThread* helper)
    : db_(db),
      set_(std::move(set)),
      question_(std::move(question)),
      tables_(set_->turns.tables(question_)),
      helper_(set_->turns.size() + set_->cards.size() < kSharedRows ? nullptr : helper),
      scans_{std::make_unique<Codes::SharedScan>(set_->turns, tables_, rows),
             std::make_unique<Codes::SharedScan>(set_->cards, tables_, rows)} {
  if (helper_ == nullptr) return;
  helper_->begin([this] {
    for (const auto& scan : scans_) scan->work();
  });
}

MeaningLeg::~MeaningLeg() {
  if (helper_ != nullptr) helper_->end();
}

void MeaningLeg::finish() {
  if (!scans_[0]) return;
  // From the other end, so that the two meet.
  scans_[1]->work();
  scans_[0]->work();
  if (helper_ != nullptr) helper_->end();
  for (std::size_t kind = 0; kind < 2; ++kind) {
    found_[kind] = scans_[kind]->finish();
    scans_[kind].reset();
  }
  // Over all rows, and some that are not there: a handful of rows says little of what is usual.
  double count = kMeaningPriorRows, sum = kMeaningPriorRows * kMeaningPriorMean;
  double squares = kMeaningPriorRows * (kMeaningPriorMean * kMeaningPriorMean +
                                        kMeaningPriorDeviation * kMeaningPriorDeviation);
  const auto add = [&](const Codes& codes, const Codes::Scan& scan) {
    const auto size = static_cast<double>(codes.size());
    count += size;
    sum += size * scan.mean;
    squares += size * (scan.mean * scan.mean + scan.deviation * scan.deviation);
  };
  add(set_->turns, found_[0]);
  add(set_->cards, found_[1]);
  mean_ = sum / count;
  deviation_ = std::max(std::sqrt(std::max(0.0, squares / count - mean_ * mean_)), 1e-3);
}

std::unique_ptr<MeaningLeg> MeaningLeg::of(Db& db, std::shared_ptr<const VectorSet> set,
                                           const Embedder* embedder, std::string_view question,
                                           std::size_t rows, HelperThread* helper) {
  if (!set || embedder == nullptr || embedder->model() != set->model) return nullptr;
  if (set->turns.size() + set->cards.size() == 0) return nullptr;
  auto vector = embedder->embed({question});
  if (!vector || vector->size() != set->dims) return nullptr;
  const bool says_something =
      std::any_of(vector->begin(), vector->end(), [](float part) { return part != 0; });
  if (!says_something) return nullptr;
  return std::unique_ptr<MeaningLeg>(
      new MeaningLeg(db, std::move(set), std::move(*vector), rows, helper));
}

std::vector<MeaningLeg::Near> MeaningLeg::closest(RowKind kind) {
  finish();
  const auto& hits = found_[static_cast<std::size_t>(kind)].hits;
  std::vector<Near> rows;
  rows.reserve(hits.size());
  for (const Codes::Hit& hit : hits) rows.push_back({hit.key, deviations(hit.score)});
  return rows;
}

std::vector<double> MeaningLeg::nearly(RowKind kind, const std::vector<std::int64_t>& rids) {
  finish();
  const Codes& codes = kind == RowKind::kTurn ? set_->turns : set_->cards;
  std::vector<double> out;
  out.reserve(rids.size());
  for (const float score : codes.scores(tables_, rids)) out.push_back(deviations(score));
  return out;
}

Result<std::vector<double>> MeaningLeg::closeness(RowKind kind,
                                                  const std::vector<std::int64_t>& rids) {
  finish();
  std::vector<double> out(rids.size(), 0);
  if (rids.empty()) return out;
  RowList list;
  list.reserve(rids.size());
  for (std::size_t i = 0; i < rids.size(); ++i)
    list.push_back({vector_key(set_->id, rids[i]), static_cast<std::int64_t>(i), 0});
  Query query =
      db_.query(kind == RowKind::kTurn ? "SELECT r.b, v.vector FROM kartei_rows(?) r CROSS JOIN"
                                         " turn_vectors v ON v.key = r.a"
                                       : "SELECT r.b, v.vector FROM kartei_rows(?) r CROSS JOIN"
                                         " card_vectors v ON v.key = r.a",
                list);
  while (query.next()) {
    const auto place = static_cast<std::size_t>(query.integer(0));
    const auto dot = int8_dot(query.blob(1), question_);
    if (place < out.size() && dot) out[place] = deviations(*dot);
  }
  KARTEI_TRY(query.status());
  return out;
}

}  // namespace kartei::store
