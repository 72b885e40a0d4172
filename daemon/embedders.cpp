#include "daemon/embedders.h"

#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "daemon/event_loop.h"
#include "daemon/http_client.h"
#include "daemon/http_embedder.h"
#include "store/meaning/static_table.h"

namespace kartei::daemon {

namespace {

constexpr std::int64_t kMakingTimeoutMs = 60'000;
constexpr std::size_t kQueued = 64;  // a box has one piece of work there at a time
constexpr std::size_t kTriesQueued = 4;
// Models that were chosen before and may have made the vectors that still answer.
constexpr std::size_t kAskedMost = 8;

// Which file lies at a path: another one after a rename, or a change in place.
std::string which_file(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return "none";
  std::string out;
  for (const std::int64_t part :
       {static_cast<std::int64_t>(status.st_dev), static_cast<std::int64_t>(status.st_ino),
        static_cast<std::int64_t>(status.st_size), static_cast<std::int64_t>(status.st_mtim.tv_sec),
        static_cast<std::int64_t>(status.st_mtim.tv_nsec)})
    out += std::to_string(part) + " ";
  return out;
}

std::string all_that_counts(const Config& config) {
  const EndpointConfig& endpoint = config.embeddings;
  const auto table = model_file(config);
  return config.meaning + "\n" + table.string() + "\n" + which_file(table) + "\n" +
         endpoint.base_url + "\n" + endpoint.model + "\n" + endpoint.key_env + "\n" +
         (endpoint.remote ? "remote" : "") + "\n" + std::to_string(endpoint.wait_ms);
}

// Damage would only make wrong vectors, which stay: all of it is read once, some 10 ms.
Result<std::unique_ptr<store::StaticTable>> sound_table(const std::filesystem::path& file) {
  KARTEI_ASSIGN(auto table, store::StaticTable::open(file));
  KARTEI_TRY(table->verify());
  table->drop_cache();
  return table;
}

}  // namespace

std::filesystem::path model_file(const Config& config) {
  if (!config.model_file.empty()) return config.model_file;
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return program.parent_path().parent_path() / "share" / "kartei" / "multi256.kmodel";
}

Embedders::Embedders(const Config& config, const Environment& environment)
    : queue_("embedder", 1, kQueued), tries_("endpoint", 1, kTriesQueued) {
  reconfigure(config, environment);
}

Embedders::~Embedders() = default;

void Embedders::choose(const Config& config, const Environment& environment) {
  remember_asked();
  choice_ = {};
  // One that hangs must not hold up the next.
  *making_given_up_ = true;
  making_given_up_ = std::make_shared<std::atomic<bool>>(stopping_->load());
  auto table = sound_table(model_file(config));
  table_.reset();
  if (table) table_ = std::move(*table);
  if (config.meaning == "built-in") {
    choice_.makes = asks_ = table_;
    if (!table) choice_.problem = table.error().what + ".";
  } else if (config.meaning == "endpoint") {
    choose_endpoint(config.embeddings, environment);
  }
  off_ = config.meaning == "off";
  if (off_) return;
  choice_.asks = {asks_, table_};
  choice_.asks.insert(choice_.asks.end(), asked_.begin(), asked_.end());
}

// Several changes may follow each other before the vectors of the first are replaced.
void Embedders::remember_asked() {
  endpoint_.reset();
  const auto last = std::exchange(asks_, nullptr);
  if (!last) return;
  std::erase_if(asked_, [&](const auto& one) { return one->model() == last->model(); });
  asked_.insert(asked_.begin(), last);
  if (asked_.size() > kAskedMost) asked_.pop_back();
}

bool Embedders::in_background(std::function<void()> work) {
  return tries_.post([work = std::move(work)](std::size_t) { work(); });
}

void Embedders::choose_endpoint(const EndpointConfig& endpoint, const Environment& environment) {
  const auto client = HttpClient::load();
  const Status allowed = client ? HttpEmbedder::check(endpoint, **client) : client.error();
  if (!allowed) {
    choice_.problem = allowed.error().what + ".";
    return;
  }
  std::string key;
  if (!endpoint.key_env.empty()) {
    const auto value = environment(endpoint.key_env.c_str());
    if (!value) {
      choice_.problem = "The variable " + endpoint.key_env +
                        ", which should hold the key of the embedding endpoint, is not set.";
      return;
    }
    key = *value;
  }
  choice_.makes = std::make_shared<HttpEmbedder>(*client, endpoint, key, kMakingTimeoutMs, true,
                                                 making_given_up_);
  endpoint_ = std::make_shared<GuardedEmbedder>(
      std::make_shared<HttpEmbedder>(*client, endpoint, key, endpoint.wait_ms, false, stopping_),
      [this](std::function<void()> work) { return in_background(std::move(work)); }, steady_ms);
  asks_ = endpoint_;
}

void Embedders::reconfigure(const Config& config, const Environment& environment) {
  std::string wanted = all_that_counts(config);
  std::lock_guard lock(mutex_);
  // A table that was missing may be there by now.
  if (wanted == chosen_ && choice_.problem.empty()) return;
  choose(config, environment);
  chosen_ = std::move(wanted);
  if (!choice_.problem.empty())
    spdlog::warn("nothing is found by its meaning, words and names go on: {}", choice_.problem);
}

EmbedderChoice Embedders::get() const {
  std::lock_guard lock(mutex_);
  return choice_;
}

bool Embedders::has_model() const {
  std::lock_guard lock(mutex_);
  return choice_.makes != nullptr;
}

bool Embedders::is_off() const {
  std::lock_guard lock(mutex_);
  return off_;
}

std::optional<EmbedderHealth> Embedders::endpoint_health() const {
  std::lock_guard lock(mutex_);
  if (!endpoint_) return std::nullopt;
  return endpoint_->health();
}

void Embedders::give_up() {
  std::lock_guard lock(mutex_);
  *stopping_ = *making_given_up_ = true;
}

void Embedders::stop() {
  give_up();
  queue_.stop();
  tries_.stop();
}

void Embedders::rest() {
  std::shared_ptr<const store::StaticTable> table;
  {
    std::lock_guard lock(mutex_);
    table = table_;
  }
  if (table) table->drop_cache();
}

}  // namespace kartei::daemon
