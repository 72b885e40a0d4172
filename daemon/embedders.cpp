#include "daemon/embedders.h"

#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <string>
#include <system_error>

#include "daemon/http_client.h"
#include "daemon/http_embedder.h"
#include "store/meaning/static_table.h"

namespace kartei::daemon {

namespace {

constexpr std::int64_t kMakingTimeoutMs = 60'000;
constexpr std::size_t kQueued = 64;  // a box has one piece of work there at a time

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
    : queue_("embedder", 1, kQueued) {
  reconfigure(config, environment);
}

Embedders::~Embedders() = default;

void Embedders::choose(const Config& config, const Environment& environment) {
  const auto asked_before = std::exchange(asks_, nullptr);
  choice_ = {};
  auto table = sound_table(model_file(config));
  table_.reset();
  if (table) table_ = std::move(*table);
  if (config.meaning == "built-in") {
    choice_.makes = asks_ = table_;
    if (!table) choice_.problem = table.error().what + ".";
  } else if (config.meaning == "endpoint") {
    choose_endpoint(config.embeddings, environment);
  }
  if (config.meaning == "off") return;
  choice_.asks = {asks_, asked_before, table_};
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
  choice_.makes =
      std::make_shared<HttpEmbedder>(*client, endpoint, key, kMakingTimeoutMs, true, stopping_);
  asks_ =
      std::make_shared<HttpEmbedder>(*client, endpoint, key, endpoint.wait_ms, false, stopping_);
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

void Embedders::stop() {
  *stopping_ = true;
  queue_.stop();
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
