// The secretary with a model's help: the built-in one reads as always, and what a chat endpoint
// (OpenAI's /v1/chat/completions, of any maker) proposes besides is added where it holds. Whenever
// the endpoint is absent, not allowed, slow, wrong or over the day's tokens, the built-in
// secretary's unit is the whole.
//
// Threads: any; extract() may run on several at once, calls of the endpoint belong on queue().
// Ownership: its queue's threads are its own; borrows nothing after construction but the clock.
// Failure: only what the built-in one fails on; and kUnavailable where the task was given up while
// the endpoint was asked, so that the turns are read another time.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "crypto/secret.h"
#include "daemon/circuit_breaker.h"
#include "daemon/config.h"
#include "daemon/manager/model/answer.h"
#include "daemon/manager/model/budget.h"
#include "daemon/manager/model/request.h"
#include "daemon/manager/secretary.h"
#include "daemon/work_queue.h"

namespace kartei::daemon {

class HttpClient;
struct HttpAnswer;

struct ModelState {
  bool configured = false;
  bool local = false;  // on this machine: no drawer needs a permission
  std::string model, endpoint;
  std::string problem;                       // why it does not work now; empty: it does
  std::optional<std::int64_t> try_again_ms;  // from now
  std::uint64_t tokens_today = 0, tokens_per_day = 0;
  // Since the start.
  std::uint64_t readings = 0;          // for which it was, or would have been, asked
  std::uint64_t helped = 0;            // of these, with an answer that was one
  std::uint64_t calls = 0, wrong = 0;  // requests sent; answers that were not what was asked for
  std::uint64_t cards = 0, replaced = 0, left_out = 0;
  std::map<std::string, std::uint64_t> left_out_because;  // name_of(Unfit), "too many"
};

class ModelSecretary final : public Secretary {
 public:
  // Readings that may wait for the endpoint at once: a box whose reading hangs there holds up no
  // other one's, and a server with little room is not asked by all boxes together.
  static constexpr std::size_t kAtOnce = 4;

  struct Parts {
    std::filesystem::path home;  // of the day's tokens and the kept keys
    Environment environment;
    std::function<std::int64_t()> mono_ms;
    std::size_t queued = 17;
  };
  ModelSecretary(std::unique_ptr<Secretary> built_in, Parts parts);
  ~ModelSecretary() override;

  Result<store::UnitFiled> extract(const SecretaryTask& task, CardLookup& cards) override;

  // Calls to an endpoint that is not configured any more end within a second.
  void reconfigure(const ModelConfig& config);
  // Whether a reading may take long: it belongs on queue() then.
  bool is_configured() const;
  bool is_local() const;
  std::string endpoint() const;  // as an owner allows it; empty: none
  // Reads the kept key that it needs, while the boxes are unlocked.
  void fetch_key(const crypto::Secret* data_key);
  void forget_key();  // the boxes are locked, or the key was changed
  ModelState state(const store::Date& today) const;
  // The day's tokens are counted in the owner's zone.
  static store::Date day_in(const std::string& zone, store::Time now);

  WorkQueue& queue() { return queue_; }
  void give_up();  // calls under way end within a second, later ones at once
  void stop();

 private:
  struct Endpoint;
  struct Asked {
    Sheet sheet;
    std::vector<Proposal> proposals;
  };
  enum class Outcome { kGood, kAgain, kWrong, kOverBudget, kGivenUp };
  std::optional<Asked> ask(const SecretaryTask& task, CardLookup& cards);
  bool may_try(const std::shared_ptr<Endpoint>& endpoint, bool& is_try);
  bool may_ask_otherwise(Endpoint& endpoint, AskForm refused);
  Outcome ask_until(Endpoint& endpoint, const SecretaryTask& task, Asked& asked, Error& why);
  Outcome ask_once(Endpoint& endpoint, const SecretaryTask& task, Asked& asked,
                   std::int64_t until_ms, Error& why);
  Result<HttpAnswer> send(Endpoint& endpoint, const SecretaryTask& task, const Sheet& sheet,
                          AskForm form, std::int64_t until_ms, std::uint64_t& taken);
  bool given_up(const Endpoint& endpoint, const SecretaryTask& task) const;
  bool wait(const Endpoint& endpoint, const SecretaryTask& task, std::int64_t for_ms) const;
  void note(const std::shared_ptr<Endpoint>& endpoint, Outcome outcome, bool is_try,
            const Error& why);
  void spend(std::uint64_t taken, std::uint64_t used);
  std::shared_ptr<Endpoint> current() const;

  const std::unique_ptr<Secretary> built_in_;
  const Parts parts_;
  std::atomic<bool> stopping_{false};
  mutable std::mutex mutex_;  // guards what follows, and what an endpoint says is guarded
  std::shared_ptr<Endpoint> endpoint_;
  TokenBudget budget_;
  ModelState counts_;
  std::string logged_;
  WorkQueue queue_;
};

}  // namespace kartei::daemon
