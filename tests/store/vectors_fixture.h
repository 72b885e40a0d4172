// What the tests of the vectors share: a model of a few concepts, and a box whose rows get their
// vectors from it.
#pragma once

#include <cmath>
#include <map>
#include <random>

#include "store/librarian.h"
#include "store/sql.h"
#include "store/vectors.h"
#include "tests/store/fixture.h"

namespace kartei::store {

// A model of a few concepts: words that mean the same point the same way.
class ConceptModel final : public Embedder {
 public:
  explicit ConceptModel(std::string name = "concepts", std::size_t dims = 64)
      : name_(std::move(name)), dims_(dims) {}
  const std::string& model() const override { return name_; }
  std::size_t dims() const override { return dims_; }
  Result<std::vector<float>> embed(const std::vector<std::string_view>& texts) const override {
    std::vector<float> all;
    for (const std::string_view text : texts) {
      const auto vector = of(text);
      all.insert(all.end(), vector.begin(), vector.end());
    }
    return all;
  }

 private:
  std::vector<float> of(std::string_view text) const {
    static const std::map<std::string, std::string, std::less<>> kSame = {
        {"physician", "doctor"},
        {"cardiologist", "doctor"},
        {"automobile", "car"},
        {"wagon", "car"}};
    std::vector<float> sum(dims_, 0);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find_first_of(" .?:", at), text.size());
      const std::string_view word = text.substr(at, end - at);
      at = end + 1;
      if (word.size() < 3) continue;
      const auto same = kSame.find(word);
      std::mt19937 random(static_cast<unsigned>(
          std::hash<std::string_view>{}(same == kSame.end() ? word : same->second)));
      std::normal_distribution<float> part;
      for (float& one : sum) one += part(random);
    }
    float norm = 0;
    for (const float one : sum) norm += one * one;
    if (norm > 0)
      for (float& one : sum) one /= std::sqrt(norm);
    return sum;
  }
  std::string name_;
  std::size_t dims_;
};

class VectorsTest : public ::testing::Test {
 protected:
  void want(TestBox& box, const Embedder& model) {
    box.write([&](Box& it) -> Status {
      KARTEI_TRY(it.vectors().load());
      return it.vectors().want(model.model(), model.dims());
    });
  }
  // Makes the vectors of all rows; how many that were.
  std::size_t embed(TestBox& box, const Embedder& model, std::size_t at_once = 64) {
    std::size_t rows = 0;
    while (box->vectors().behind() && !HasFatalFailure()) {
      const VectorBatch batch = must(box->vectors().next(at_once));
      rows += batch.rows.size();
      if (!batch.rows.empty()) {
        put(box, model, batch);
        continue;
      }
      for (bool more = true; more;)
        box.write([&](Box& it) -> Status {
          more = must(it.vectors().sweep(false));
          return {};
        });
    }
    return rows;
  }
  void put(TestBox& box, const Embedder& model, const VectorBatch& batch) {
    const std::vector<std::string_view> texts(batch.texts.begin(), batch.texts.end());
    const auto vectors = must(model.embed(texts));
    box.write([&](Box& it) { return it.vectors().put(batch, vectors); });
  }
  std::vector<std::string> found(TestBox& box, std::shared_ptr<const Embedder> model,
                                 const std::string& query, std::size_t limit = 3) {
    auto librarian = must(Librarian::open(*box));
    librarian->use_embedders({std::move(model)});
    RecallRequest request;
    request.query = query;
    request.limit = limit;
    std::vector<std::string> texts;
    for (const RecallItem& item : must(librarian->recall(request)).items)
      texts.push_back(item.is_card ? item.card.text : item.turn.text);
    return texts;
  }
  std::int64_t count(TestBox& box, const std::string& table) {
    Db db(box->writer());
    return must(db.integer("SELECT count(*) FROM " + table, 0));
  }

  const std::shared_ptr<const Embedder> model_ = std::make_shared<ConceptModel>();
};

inline void hear_some(TestBox& box, std::uint64_t from = 1) {
  const char* texts[] = {"Saw the cardiologist again.", "Bought bread and butter.",
                         "Painted the kitchen wall.", "The neighbour plays trumpet."};
  for (std::uint64_t n = 0; n < 4; ++n)
    box.local({TurnHeard{make_turn(from + n, texts[n], kLocalDrawer)}});
}

}  // namespace kartei::store
