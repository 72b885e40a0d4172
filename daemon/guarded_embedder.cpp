#include "daemon/guarded_embedder.h"

#include <exception>
#include <utility>

namespace kartei::daemon {

namespace {

// The tried one is told of, whatever it throws.
Result<std::vector<float>> one_vector(const store::Embedder& embedder) {
  try {
    return embedder.embed({"Kartei"});
  } catch (const std::exception& error) {
    return Error{Cause::kInternal, error.what(), {}};
  }
}

}  // namespace

GuardedEmbedder::GuardedEmbedder(std::shared_ptr<const store::Embedder> embedder,
                                 Background background, NowMs now_ms)
    : embedder_(std::move(embedder)),
      background_(std::move(background)),
      now_ms_(std::move(now_ms)) {}

Result<std::vector<float>> GuardedEmbedder::embed(
    const std::vector<std::string_view>& texts) const {
  bool due = false;
  {
    std::lock_guard lock(state_->mutex);
    if (!state_->breaker.lets_through()) {
      due = state_->breaker.take_try(now_ms_());
      if (!due) return Error{Cause::kUnavailable, state_->problem, {}};
    }
  }
  if (due) {
    try_in_background();
    return Error{Cause::kUnavailable, "It is tried again in the background", {}};
  }
  auto vectors = embedder_->embed(texts);
  std::lock_guard lock(state_->mutex);
  if (vectors) {
    state_->breaker.succeeded();
    state_->problem.clear();
  } else {
    state_->breaker.failed(now_ms_());
    state_->problem = vectors.error().what;
  }
  return vectors;
}

void GuardedEmbedder::try_in_background() const {
  const bool posted = background_([embedder = embedder_, state = state_, now_ms = now_ms_] {
    const auto vectors = one_vector(*embedder);
    std::lock_guard lock(state->mutex);
    state->breaker.tried(vectors.has_value(), now_ms());
    state->problem = vectors ? std::string() : vectors.error().what;
  });
  if (posted) return;
  std::lock_guard lock(state_->mutex);
  state_->breaker.tried(false, now_ms_());
}

EmbedderHealth GuardedEmbedder::health() const {
  std::lock_guard lock(state_->mutex);
  return {state_->breaker.failures(), !state_->breaker.lets_through(), state_->problem};
}

}  // namespace kartei::daemon
