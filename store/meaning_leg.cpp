#include "store/meaning_leg.h"

#include <algorithm>
#include <cmath>

#include "store/meaning/exact_copy.h"
#include "store/row_list.h"
#include "store/weights.h"

namespace kartei::store {

MeaningLeg::MeaningLeg(Db& db, std::shared_ptr<const VectorSet> set, std::vector<float> question,
                       std::size_t rows)
    : db_(db),
      set_(std::move(set)),
      question_(std::move(question)),
      turns_(set_->turns.scan(question_, rows)),
      cards_(set_->cards.scan(question_, rows)) {
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
  add(set_->turns, turns_);
  add(set_->cards, cards_);
  mean_ = sum / count;
  deviation_ = std::max(std::sqrt(std::max(0.0, squares / count - mean_ * mean_)), 1e-3);
}

std::unique_ptr<MeaningLeg> MeaningLeg::of(Db& db, std::shared_ptr<const VectorSet> set,
                                           const Embedder* embedder, std::string_view question,
                                           std::size_t rows) {
  if (!set || embedder == nullptr || embedder->model() != set->model) return nullptr;
  if (set->turns.size() + set->cards.size() == 0) return nullptr;
  auto vector = embedder->embed({question});
  if (!vector || vector->size() != set->dims) return nullptr;
  const bool says_something =
      std::any_of(vector->begin(), vector->end(), [](float part) { return part != 0; });
  if (!says_something) return nullptr;
  return std::unique_ptr<MeaningLeg>(new MeaningLeg(db, std::move(set), std::move(*vector), rows));
}

std::vector<std::int64_t> MeaningLeg::closest(RowKind kind) const {
  std::vector<std::int64_t> rids;
  for (const Codes::Hit& hit : found(kind).hits) rids.push_back(hit.key);
  return rids;
}

Result<std::vector<double>> MeaningLeg::closeness(RowKind kind,
                                                  const std::vector<std::int64_t>& rids) const {
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
    if (place < out.size() && dot) out[place] = std::max(0.0, (*dot - mean_) / deviation_);
  }
  KARTEI_TRY(query.status());
  return out;
}

}  // namespace kartei::store
