// Vectors of what is said, made a little at a time on the embedders' thread.
#include <malloc.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>

#include "daemon/box_host.h"
#include "daemon/embedders.h"

namespace kartei::daemon {

namespace {

constexpr std::size_t kEmbeddedAtOnce = 64;
constexpr std::int64_t kRetryFirstMs = 250, kRetryMostMs = 300'000;
constexpr std::int64_t kLogQuietMs = 60'000;
using Durability = store::Box::Transaction::Durability;

// The box waits for an answer: what is thrown is one, too.
Result<std::vector<float>> vectors_of(const store::Embedder& embedder,
                                      const std::vector<std::string_view>& texts) {
  try {
    return embedder.embed(texts);
  } catch (const std::exception& error) {
    return Error{Cause::kInternal, error.what(), {}};
  }
}

}  // namespace

// Loads what is there, and says which model makes the vectors from now on. They can be made again:
// on disk when it suits.
Status BoxHost::choose_model(const store::Embedder& embedder) {
  const std::size_t dims = embedder.dims();
  if (vectors_loaded_ && (dims == 0 || (model_ == embedder.model() && model_dims_ == dims)))
    return {};
  KARTEI_ASSIGN(auto transaction, box_->begin());
  KARTEI_TRY(box_->vectors().load());
  if (dims != 0) KARTEI_TRY(box_->vectors().want(embedder.model(), dims));
  KARTEI_TRY(transaction.commit(Durability::kLazy));
  vectors_loaded_ = true;
  if (dims == 0) return {};
  model_ = embedder.model();
  model_dims_ = dims;
  return {};
}

Status BoxHost::sweep_vectors() {
  KARTEI_ASSIGN(auto transaction, box_->begin());
  KARTEI_ASSIGN(const bool more, box_->vectors().sweep(false));
  KARTEI_TRY(transaction.commit(Durability::kLazy));
  if (more) embed_due_ms_ = now().mono_ms;
  embedding_goes_on();
  if (!more && !box_->vectors().behind()) give_back_due_ms_ = give_back_.due_ms(now().mono_ms);
  return {};
}

void BoxHost::give_back() {
  give_back_due_ms_.reset();
  services_.embedders->rest();
  box_->rest();
  ::malloc_trim(0);
  // Each by itself, since nobody else may touch its librarian; one that is busy keeps what it has.
  for (std::size_t i = 0; i < kReaders; ++i) {
    services_.readers.post([self = shared_from_this()](std::size_t reader) {
      const auto& librarian = self->librarians_.at(reader);
      if (!librarian) return;
      librarian->rest();
      ::malloc_trim(0);
    });
  }
  give_back_.given(now().mono_ms);
}

// Nothing is found by its meaning: the vectors stay on disk, and take no memory. Those that nobody
// wants any more go.
Status BoxHost::rest_vectors() {
  KARTEI_ASSIGN(const bool old, box_->vectors().has_old_sets());
  if (old) {
    KARTEI_ASSIGN(auto transaction, box_->begin());
    KARTEI_TRY(box_->vectors().sweep(false));
    KARTEI_TRY(transaction.commit(Durability::kLazy));
    embed_due_ms_ = now().mono_ms;
  }
  box_->vectors().unload();
  vectors_loaded_ = false;
  embedding_goes_on();
  return {};
}

bool BoxHost::finds_by_meaning() const {
  return services_.embedders == nullptr || !services_.embedders->is_off();
}

Status BoxHost::drop_vectors() {
  if (finds_by_meaning())
    return Error{
        Cause::kConflict,
        "Things are found by their meaning, with these vectors. Set `meaning = \"off\"` in "
        "the configuration first, and have it read (SIGHUP).",
        {}};
  KARTEI_ASSIGN(auto transaction, box_->begin());
  KARTEI_TRY(box_->vectors().want("", 0));
  KARTEI_TRY(transaction.commit(Durability::kSynced));
  embed_due_ms_ = now().mono_ms;
  return {};
}

void BoxHost::embed() {
  embed_due_ms_.reset();
  if (embedding_ || services_.embedders == nullptr) return;
  const auto makes = services_.embedders->get().makes;
  if (!makes) {
    if (finds_by_meaning()) return;
    if (auto rested = rest_vectors(); !rested) embedding_failed(rested.error().what);
    return;
  }
  if (auto chosen = choose_model(*makes); !chosen) return embedding_failed(chosen.error().what);
  // How long an endpoint's vectors are is known from its first answer.
  const bool unknown = makes->dims() == 0;
  auto batch = unknown ? Result<store::VectorBatch>(store::VectorBatch{0, {}, {"Kartei"}})
                       : box_->vectors().next(kEmbeddedAtOnce);
  if (!batch) return embedding_failed(batch.error().what);
  if (batch->texts.empty()) {
    if (auto swept = sweep_vectors(); !swept) embedding_failed(swept.error().what);
    return;
  }
  embedding_ = services_.embedders->queue().post(
      [self = shared_from_this(), makes, batch = std::move(*batch)](std::size_t) mutable {
        const std::vector<std::string_view> texts(batch.texts.begin(), batch.texts.end());
        auto vectors = vectors_of(*makes, texts);
        self->services_.writer.post_follow_up(
            [self, makes, batch = std::move(batch), vectors = std::move(vectors)]() mutable {
              self->take_vectors(*makes, batch, std::move(vectors));
            });
      });
  if (!embedding_) embed_due_ms_ = now().mono_ms + kRetryFirstMs;
}

void BoxHost::take_vectors(const store::Embedder& makes, const store::VectorBatch& batch,
                           Result<std::vector<float>> vectors) {
  embedding_ = false;
  if (closed_) return;
  if (!vectors && services_.embedders->get().makes.get() != &makes) {
    // Another model was chosen meanwhile: what became of this one says nothing.
    embed_due_ms_ = now().mono_ms;
    return settle();
  }
  const auto put = [&]() -> Status {
    if (!vectors) return vectors.error();
    if (batch.set == 0) return {};  // it was asked for its size only
    KARTEI_ASSIGN(auto transaction, box_->begin());
    KARTEI_TRY(box_->vectors().put(batch, *vectors));
    return transaction.commit(Durability::kLazy);
  };
  if (auto done = put(); !done) {
    embedding_failed(done.error().what);
  } else {
    // The size alone says nothing of what comes next.
    if (batch.set != 0) embedding_goes_on();
    embed_due_ms_ = now().mono_ms;
  }
  settle();
}

void BoxHost::embedding_failed(const std::string& why) {
  embed_retry_ms_ = std::clamp(2 * embed_retry_ms_, kRetryFirstMs, kRetryMostMs);
  embed_due_ms_ = now().mono_ms + embed_retry_ms_;
  embed_problem_ = why;
  // What fails and works in turn would fill the log.
  if (why == embed_logged_ || now().mono_ms < embed_log_not_before_ms_) return;
  spdlog::warn("box {}: no vectors can be made now: {}", name_, why);
  embed_logged_ = why;
  embed_log_not_before_ms_ = now().mono_ms + kLogQuietMs;
}

void BoxHost::embedding_goes_on() {
  embed_retry_ms_ = 0;
  embed_problem_.clear();
  if (embed_logged_.empty()) return;
  spdlog::info("box {}: vectors are made again", name_);
  embed_logged_.clear();
}

std::string BoxHost::meaning_problem() const {
  if (services_.embedders == nullptr) return {};
  const std::string problem = services_.embedders->get().problem;
  return problem.empty() ? embed_problem_ : problem;
}

}  // namespace kartei::daemon
