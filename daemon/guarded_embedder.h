// An embedder of questions that may hang or be gone: after a few failures in a row questions do not
// wait for it any more, until a try in the background succeeds. A question starts that try, so that
// an idle daemon does nothing.
//
// Any thread. The try shares what it needs, and may outlive this.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "daemon/circuit_breaker.h"
#include "store/meaning/embedder.h"

namespace kartei::daemon {

struct EmbedderHealth {
  std::uint32_t failures = 0;  // in a row
  bool paused = false;         // questions do not ask it now
  std::string problem;         // the last failure's; empty: none since it worked
};

class GuardedEmbedder final : public store::Embedder {
 public:
  // Runs something elsewhere, soon; false: not now.
  using Background = std::function<bool(std::function<void()>)>;
  using NowMs = std::function<std::int64_t()>;
  GuardedEmbedder(std::shared_ptr<const store::Embedder> embedder, Background background,
                  NowMs now_ms);

  const std::string& model() const override { return embedder_->model(); }
  std::size_t dims() const override { return embedder_->dims(); }
  Result<std::vector<float>> embed(const std::vector<std::string_view>& texts) const override;
  EmbedderHealth health() const;

 private:
  struct State {
    std::mutex mutex;  // guards what follows
    CircuitBreaker breaker;
    std::string problem;
  };
  void try_in_background() const;

  const std::shared_ptr<const store::Embedder> embedder_;
  const Background background_;
  const NowMs now_ms_;
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace kartei::daemon
