#include "daemon/manager/model/model_secretary.h"

#include <sodium.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <thread>

#include "daemon/http_client.h"
#include "daemon/kept_keys.h"
#include "daemon/manager/model/merge.h"
#include "daemon/manager/words.h"
#include "daemon/small_file.h"
#include "store/librarian.h"

namespace kartei::daemon {
namespace {

constexpr CircuitBreaker::Rules kPatience{2, 15'000, 15 * 60'000};
constexpr int kTriesMost = 3;  // of one reading
constexpr std::int64_t kPauseMs = 500, kLookMs = 50;
constexpr std::int64_t kLaterMostS = 3'600;  // that an endpoint may put us off
constexpr std::size_t kModelAnswerBytes = 256 << 10;
constexpr std::size_t kOverheadTokens = 64;  // of roles and templates
constexpr const char* kBudgetFile = "secretary-tokens";
constexpr const char* kEnv = "env:";
constexpr const char* kKeyring = "keyring:";

bool is_json(const std::string& content_type) {
  return lower(content_type).starts_with("application/json");
}

std::string without_slash(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

}  // namespace

// One configured endpoint. Its constants are read by any thread, the rest under the secretary's
// mutex.
struct ModelSecretary::Endpoint {
  ModelConfig config;
  std::string url, host;
  bool local = false;
  std::shared_ptr<const HttpClient> client;
  std::string defect;             // of the configuration: it cannot be asked
  std::atomic<bool> over{false};  // another one has taken its place
  std::shared_ptr<const crypto::Secret> key;
  std::string key_name;  // of the kept key that it needs; empty: none
  std::string key_problem;
  CircuitBreaker breaker{kPatience};
  std::int64_t not_before_ms = 0;  // it asked not to be called earlier
  bool over_budget = false;
  std::string problem;  // the last failure's
  AskForm form = AskForm::kSchema;
  bool form_known = false;  // an answer came to it
};

ModelSecretary::ModelSecretary(std::unique_ptr<Secretary> built_in, Parts parts)
    : built_in_(std::move(built_in)),
      parts_(std::move(parts)),
      queue_("model", kAtOnce, parts_.queued) {
  if (const auto text = read_small_file(parts_.home / kBudgetFile))
    budget_ = TokenBudget::from_text(*text);
}

ModelSecretary::~ModelSecretary() {
  stop();
}

namespace {

// Why such an endpoint is never asked; empty: it may be.
std::string defect_of(const ModelConfig& config, bool local) {
  if (local || config.base_url.starts_with("https://")) return {};
  return "The secretary's endpoint " + config.base_url +
         " is on another machine: only https will do";
}

}  // namespace

void ModelSecretary::reconfigure(const ModelConfig& config) {
  std::lock_guard lock(mutex_);
  if (endpoint_ && endpoint_->config == config && endpoint_->defect.empty()) return;
  if (endpoint_) endpoint_->over = true;
  endpoint_.reset();
  if (config.base_url.empty()) return;
  auto next = std::make_shared<Endpoint>();
  next->config = config;
  next->url = without_slash(config.base_url);
  const auto client = HttpClient::load();
  if (!client) {
    next->defect = client.error().what;
  } else {
    next->client = *client;
    const auto host = next->client->host_of(config.base_url);
    if (!host) {
      next->defect = host.error().what;
    } else {
      next->host = *host;
      next->local = !config.unix_socket.empty() || is_loopback(*host);
      next->defect = defect_of(config, next->local);
    }
  }
  if (config.key.starts_with(kEnv)) {
    const std::string name = config.key.substr(std::string_view(kEnv).size());
    if (const auto value = parts_.environment(name.c_str()))
      next->key = std::make_shared<crypto::Secret>(as_bytes(*value));
    else
      next->key_problem = "The variable " + name +
                          ", which should hold the key of the secretary's endpoint, is not set";
  } else if (config.key.starts_with(kKeyring)) {
    next->key_name = config.key.substr(std::string_view(kKeyring).size());
  }
  if (!next->defect.empty()) spdlog::warn("no model helps the secretary: {}", next->defect);
  endpoint_ = std::move(next);
}

std::shared_ptr<ModelSecretary::Endpoint> ModelSecretary::current() const {
  std::lock_guard lock(mutex_);
  return endpoint_;
}

bool ModelSecretary::is_configured() const {
  return current() != nullptr;
}

bool ModelSecretary::is_local() const {
  const auto endpoint = current();
  return endpoint && endpoint->local;
}

std::string ModelSecretary::endpoint() const {
  const auto endpoint = current();
  return endpoint ? endpoint->url : std::string();
}

void ModelSecretary::fetch_key(const crypto::Secret* data_key) {
  std::lock_guard lock(mutex_);
  if (!endpoint_ || endpoint_->key || endpoint_->key_name.empty()) return;
  auto key = read_kept_key(parts_.home, endpoint_->key_name, data_key);
  endpoint_->key_problem = key ? std::string() : key.error().what;
  if (key) endpoint_->key = std::make_shared<crypto::Secret>(std::move(*key));
}

void ModelSecretary::forget_key() {
  std::lock_guard lock(mutex_);
  if (endpoint_ && !endpoint_->key_name.empty()) endpoint_->key.reset();
}

store::Date ModelSecretary::day_in(const std::string& zone, store::Time now) {
  const auto offset = store::zone_offset_min(zone, now);
  store::Date day = store::Date::day_of(now, offset ? *offset : std::int16_t{0});
  day.zone_min = 0;
  return day;
}

ModelState ModelSecretary::state(const store::Date& today) const {
  const std::int64_t now_ms = parts_.mono_ms();
  std::lock_guard lock(mutex_);
  ModelState out = counts_;
  out.tokens_today = budget_.spent(today);
  if (!endpoint_) return out;
  const Endpoint& endpoint = *endpoint_;
  out.configured = true;
  out.local = endpoint.local;
  out.model = endpoint.config.model;
  out.endpoint = endpoint.url;
  out.tokens_per_day = static_cast<std::uint64_t>(endpoint.config.tokens_per_day);
  if (!endpoint.defect.empty() || !endpoint.key_problem.empty()) {
    out.problem = endpoint.defect.empty() ? endpoint.key_problem : endpoint.defect;
    return out;
  }
  out.problem = endpoint.problem;
  std::int64_t at_ms = endpoint.not_before_ms;
  if (!endpoint.breaker.lets_through()) at_ms = std::max(at_ms, endpoint.breaker.next_try_ms());
  if (at_ms > now_ms && !out.problem.empty()) out.try_again_ms = at_ms - now_ms;
  if (endpoint.over_budget && out.problem.empty())
    out.problem = "Today's " + std::to_string(out.tokens_per_day) +
                  " tokens do not suffice for another reading";
  return out;
}

void ModelSecretary::give_up() {
  stopping_ = true;
}

void ModelSecretary::stop() {
  give_up();
  queue_.stop();
}

bool ModelSecretary::given_up(const Endpoint& endpoint, const SecretaryTask& task) const {
  return stopping_ || endpoint.over || (task.given_up && task.given_up());
}

// False: given up meanwhile.
bool ModelSecretary::wait(const Endpoint& endpoint, const SecretaryTask& task,
                          std::int64_t for_ms) const {
  const std::int64_t until_ms = parts_.mono_ms() + for_ms;
  while (parts_.mono_ms() < until_ms) {
    if (given_up(endpoint, task)) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs));
  }
  return true;
}

Result<store::UnitFiled> ModelSecretary::extract(const SecretaryTask& task, CardLookup& cards) {
  const auto asked = ask(task, cards);
  if (stopping_ || (task.given_up && task.given_up()))
    return Error{Cause::kUnavailable, "The turns are read another time", {}};
  KARTEI_ASSIGN(store::UnitFiled unit, built_in_->extract(task, cards));
  if (!asked) return unit;
  // As they are now: an endpoint takes its time.
  KARTEI_ASSIGN(const auto known, related_cards(task, cards));
  const auto endpoint = current();
  if (!endpoint) return unit;
  const Merged merged =
      add_proposals(unit, asked->proposals, task, asked->sheet, known, endpoint->config.model);
  std::lock_guard lock(mutex_);
  counts_.cards += merged.added;
  counts_.replaced += merged.replaced;
  counts_.left_out += asked->proposals.size() - merged.added - merged.known;
  for (const auto& [why, count] : merged.unfit)
    counts_.left_out_because[std::string(name_of(why))] += count;
  if (merged.too_many > 0) counts_.left_out_because["too many"] += merged.too_many;
  return unit;
}

// Whether the endpoint is worth a call now. `is_try`: the one after a pause.
bool ModelSecretary::may_try(const std::shared_ptr<Endpoint>& endpoint, bool& is_try) {
  const std::int64_t now_ms = parts_.mono_ms();
  std::lock_guard lock(mutex_);
  ++counts_.readings;
  if (!endpoint->defect.empty() || !endpoint->key_problem.empty()) return false;
  if (!endpoint->config.key.empty() && !endpoint->key) return false;
  if (now_ms < endpoint->not_before_ms) return false;
  if (endpoint->breaker.lets_through()) return true;
  is_try = endpoint->breaker.take_try(now_ms);
  return is_try;
}

std::optional<ModelSecretary::Asked> ModelSecretary::ask(const SecretaryTask& task,
                                                         CardLookup& cards) {
  const auto endpoint = current();
  if (!endpoint || !task.may_ask_model || given_up(*endpoint, task)) return std::nullopt;
  const auto related = related_cards(task, cards);
  if (!related) return std::nullopt;  // the built-in secretary's look-up fails, too, and says so
  Asked asked;
  asked.sheet = make_sheet(task, *related);
  if (asked.sheet.sources.empty()) return std::nullopt;
  bool is_try = false;
  if (!may_try(endpoint, is_try)) return std::nullopt;
  Error why;
  const Outcome outcome = ask_until(*endpoint, task, asked, why);
  note(endpoint, outcome, is_try, why);
  if (outcome != Outcome::kGood) return std::nullopt;
  return asked;
}

void ModelSecretary::note(const std::shared_ptr<Endpoint>& endpoint, Outcome outcome, bool is_try,
                          const Error& why) {
  const std::int64_t now_ms = parts_.mono_ms();
  std::lock_guard lock(mutex_);
  const bool good = outcome == Outcome::kGood;
  // Neither says anything about the endpoint.
  if (outcome == Outcome::kGivenUp || outcome == Outcome::kOverBudget) {
    if (is_try) endpoint->breaker.tried(false, now_ms);
    return;
  }
  if (is_try)
    endpoint->breaker.tried(good, now_ms);
  else if (good)
    endpoint->breaker.succeeded();
  else
    endpoint->breaker.failed(now_ms);
  endpoint->problem = good ? std::string() : why.what;
  if (good) ++counts_.helped;
  if (outcome == Outcome::kWrong) ++counts_.wrong;
  if (endpoint->problem == logged_) return;
  logged_ = endpoint->problem;
  if (good)
    spdlog::info("the model helps the secretary again");
  else
    spdlog::warn("the built-in secretary reads alone: {}", logged_);
}

// Tries until it answers, its time is over, or there is no sense in it.
ModelSecretary::Outcome ModelSecretary::ask_until(Endpoint& endpoint, const SecretaryTask& task,
                                                  Asked& asked, Error& why) {
  const std::int64_t until_ms = parts_.mono_ms() + endpoint.config.timeout_s * 1000;
  for (int tries = 1;; ++tries) {
    const Outcome outcome = ask_once(endpoint, task, asked, until_ms, why);
    if (given_up(endpoint, task)) return Outcome::kGivenUp;
    if (outcome != Outcome::kAgain || tries == kTriesMost) return outcome;
    std::int64_t pause_ms = kPauseMs << (tries - 1);
    {
      std::lock_guard lock(mutex_);
      pause_ms = std::max(pause_ms, endpoint.not_before_ms - parts_.mono_ms());
    }
    if (parts_.mono_ms() + pause_ms >= until_ms) return outcome;
    if (!wait(endpoint, task, pause_ms)) return Outcome::kGivenUp;
  }
}

void ModelSecretary::spend(std::uint64_t taken, std::uint64_t used) {
  std::lock_guard lock(mutex_);
  budget_.used(taken, used);
  (void)write_small_file(parts_.home / kBudgetFile, budget_.text());
}

// kFull: over the day's tokens; nothing was sent.
Result<HttpAnswer> ModelSecretary::send(Endpoint& endpoint, const SecretaryTask& task,
                                        const Sheet& sheet, AskForm form, std::int64_t until_ms,
                                        std::uint64_t& taken) {
  HttpCall call;
  call.url = endpoint.url + "/chat/completions";
  call.body = chat_request(endpoint.config.model, sheet, form);
  call.timeout_ms = std::max<std::int64_t>(1, until_ms - parts_.mono_ms());
  call.answer_bytes_max = kModelAnswerBytes;
  call.unix_socket = endpoint.config.unix_socket;
  call.ca_file = endpoint.config.ca_file;
  call.given_up = [&] { return given_up(endpoint, task); };
  taken = store::estimate_tokens(call.body) + kAnswerTokensMost + kOverheadTokens;
  {
    std::lock_guard lock(mutex_);
    const auto most = static_cast<std::uint64_t>(endpoint.config.tokens_per_day);
    endpoint.over_budget = !budget_.take(day_in(task.zone, task.now), taken, most);
    if (endpoint.over_budget) return Error{Cause::kFull, "Today's tokens are used up", {}};
    // Before it is sent: a restart must not give the day's tokens twice.
    KARTEI_TRY(write_small_file(parts_.home / kBudgetFile, budget_.text()));
    if (endpoint.key) call.bearer = as_text(endpoint.key->view());
    ++counts_.calls;
  }
  bool sent = true;
  auto answer = endpoint.client->post(call, &sent);
  if (!sent) spend(taken, 0);
  sodium_memzero(call.bearer.data(), call.bearer.size());
  return answer;
}

// Not all take a schema, or the same words for limits; what one took is remembered. Another reading
// may have found it meanwhile.
bool ModelSecretary::may_ask_otherwise(Endpoint& endpoint, AskForm refused) {
  std::lock_guard lock(mutex_);
  if (endpoint.form != refused) return true;
  const auto next = static_cast<AskForm>(static_cast<int>(refused) + 1);
  if (endpoint.form_known || next == AskForm::kEnd) return false;
  endpoint.form = next;
  return true;
}

ModelSecretary::Outcome ModelSecretary::ask_once(Endpoint& endpoint, const SecretaryTask& task,
                                                 Asked& asked, std::int64_t until_ms, Error& why) {
  for (;;) {
    AskForm form = AskForm::kSchema;
    {
      std::lock_guard lock(mutex_);
      form = endpoint.form;
    }
    std::uint64_t taken = 0;
    auto answer = send(endpoint, task, asked.sheet, form, until_ms, taken);
    if (!answer) {
      why = answer.error();
      if (why.cause == Cause::kFull) return Outcome::kOverBudget;
      return why.cause == Cause::kUnavailable ? Outcome::kAgain : Outcome::kWrong;
    }
    const std::string said = endpoint.host + " answers " + std::to_string(answer->status);
    if (answer->status != 200) {
      spend(taken, 0);  // nobody is charged for a refusal
      const bool form_refused = answer->status == 400 || answer->status == 422;
      if (form_refused && may_ask_otherwise(endpoint, form)) continue;
      why = Error{Cause::kUnavailable, said, {}};
      std::lock_guard lock(mutex_);
      if (!endpoint.form_known) endpoint.form = AskForm::kSchema;
      if (answer->retry_after_s)
        endpoint.not_before_ms =
            parts_.mono_ms() + std::min(*answer->retry_after_s, kLaterMostS) * 1000;
      if (answer->status / 100 == 3)
        why.what += ", that is, at another address: nothing was sent there";
      if (answer->status == 401 || answer->status == 403) why.what += ": check the key";
      const bool passes = answer->status == 429 || answer->status >= 500;
      return passes ? Outcome::kAgain : Outcome::kWrong;
    }
    if (!is_json(answer->content_type)) {
      why = bad_input(said + " with something that is no JSON");
      return Outcome::kWrong;
    }
    const auto chat = read_chat_answer(answer->body);
    if (chat && chat->tokens > 0) spend(taken, chat->tokens);
    auto proposals = chat ? read_proposals(chat->content, asked.sheet)
                          : Result<std::vector<Proposal>>(chat.error());
    if (!proposals) {
      why = proposals.error();
      return Outcome::kWrong;
    }
    asked.proposals = std::move(*proposals);
    std::lock_guard lock(mutex_);
    endpoint.form = form;
    endpoint.form_known = true;
    return Outcome::kGood;
  }
}

}  // namespace kartei::daemon
