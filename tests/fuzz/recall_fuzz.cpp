// The way of a question: tokenizer, estimate, search, ranking and packing, over a box whose texts
// come from the same bytes; of every other one by meaning, too. The first two bytes choose the
// budget and what is asked for.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "store/box.h"
#include "store/librarian.h"
#include "store/vectors.h"

using namespace kartei;
using namespace kartei::store;

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

Turn turn_of(std::string_view text, std::uint8_t n) {
  Turn turn;
  turn.id.bytes[0] = n;
  turn.conversation = "c";
  turn.speaker = text.substr(0, text.size() % 9);
  turn.text = text;
  turn.caption = text.substr(text.size() / 2);
  turn.role = static_cast<Role>(n % 3);
  turn.trust = static_cast<Trust>(n % 4);
  turn.said_at.at = time_from_ms(1'700'000'000'000 + n);
  return turn;
}

Status keep(Box& box, std::string_view text) {
  KARTEI_ASSIGN(auto transaction, box.begin());
  // Halves and thirds, so that words are shared.
  std::uint8_t n = 0;
  for (const std::size_t parts : {1U, 2U, 3U}) {
    for (std::size_t i = 0; i < parts; ++i) {
      const auto part = text.substr(text.size() * i / parts, text.size() / parts);
      KARTEI_TRY(box.store_turn(turn_of(part, ++n), {}));
    }
  }
  return transaction.commit(Box::Transaction::Durability::kLazy);
}

// Of the bytes alone; some texts have no vector, and some questions one of another size.
class ByteModel final : public Embedder {
 public:
  const std::string& model() const override { return name_; }
  std::size_t dims() const override { return kDims; }
  Result<std::vector<float>> embed(const std::vector<std::string_view>& texts) const override {
    std::vector<float> all;
    for (const std::string_view text : texts) {
      if (text.size() % 13 == 12) return bad_input("not this one");
      std::vector<float> vector(text.size() % 11 == 10 ? kDims - 1 : kDims, 0);
      for (const char c : text) vector[static_cast<unsigned char>(c) % vector.size()] += 1;
      all.insert(all.end(), vector.begin(), vector.end());
    }
    return all;
  }

 private:
  static constexpr std::size_t kDims = 32;
  const std::string name_ = "bytes";
};

Status embed_all(Box& box, const Embedder& model) {
  {
    KARTEI_ASSIGN(auto transaction, box.begin());
    KARTEI_TRY(box.vectors().load());
    KARTEI_TRY(box.vectors().want(model.model(), model.dims()));
    KARTEI_TRY(transaction.commit(Box::Transaction::Durability::kLazy));
  }
  KARTEI_ASSIGN(const VectorBatch batch, box.vectors().next(64));
  const std::vector<std::string_view> texts(batch.texts.begin(), batch.texts.end());
  const auto vectors = model.embed(texts);
  if (!vectors) return {};
  KARTEI_ASSIGN(auto transaction, box.begin());
  // Refused where a vector is too short; then words go on alone.
  if (!box.vectors().put(batch, *vectors)) return {};
  return transaction.commit(Box::Transaction::Durability::kLazy);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2 || size > 8192) return 0;
  const std::string_view bytes = as_text({data + 2, size - 2});
  const std::size_t zero = bytes.find('\0');
  const std::string_view query = bytes.substr(0, zero);
  const std::string_view text = zero == std::string_view::npos ? bytes : bytes.substr(zero + 1);

  auto box = Box::open({});
  check(box.has_value());
  check(keep(**box, text).has_value());
  auto librarian = Librarian::open(**box);
  check(librarian.has_value());
  if (data[1] >= 128) {
    const auto model = std::make_shared<ByteModel>();
    check(embed_all(**box, *model).has_value());
    (*librarian)->use_embedders({model});
  }
  RecallRequest request;
  request.query = query;
  request.budget_tokens = data[0] * 2U;
  request.limit = data[1] % 16;
  request.explain = (data[1] & 16) != 0;
  request.buffer = (data[1] & 32) != 0;
  if ((data[1] & 64) != 0) request.now = time_from_ms(1'700'000'000'000);
  request.conversation = "c";
  const auto answer = (*librarian)->recall(request);
  check(answer.has_value());
  if (request.budget_tokens != 0) check(estimate_tokens(answer->text) <= request.budget_tokens);
  for (const RecallItem& item : answer->items) check(item.text.find('\n') == std::string::npos);
  return 0;
}
