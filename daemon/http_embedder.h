// An endpoint of the owner's that embeds texts, as OpenAI's /v1/embeddings does it.
//
// Any thread. embed() blocks for at most its timeout, or that of a few calls where the endpoint
// refuses some texts. Vectors are brought to unit length; an answer of another shape than was asked
// for is an error, whatever else it holds.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>

#include "store/meaning/embedder.h"

namespace kartei::daemon {

class HttpClient;

struct EndpointConfig {
  std::string base_url;  // up to and with "/v1"
  std::string model;
  std::string key_env;         // the environment variable with the key; empty: no key
  bool remote = false;         // the owner allows a host that is not this machine
  std::int64_t wait_ms = 150;  // of a question, before it is answered without
  bool operator==(const EndpointConfig&) const = default;
};

class HttpEmbedder final : public store::Embedder {
 public:
  // kForbidden: another machine that was not allowed, or one without https.
  static Status check(const EndpointConfig& config, const HttpClient& client);
  // `patient`: texts that are refused are sent in smaller parts, and one that is refused by itself
  // gets a zero vector if the endpoint takes others: it must not hold up all that follow.
  // `given_up`: once true, calls under way end within a second.
  HttpEmbedder(std::shared_ptr<const HttpClient> client, EndpointConfig config, std::string key,
               std::int64_t timeout_ms, bool patient,
               std::shared_ptr<const std::atomic<bool>> given_up);

  const std::string& model() const override { return config_.model; }
  // As many as the first answer had; 0 before it.
  std::size_t dims() const override { return dims_; }
  Result<std::vector<float>> embed(const std::vector<std::string_view>& texts) const override;

 private:
  using Texts = std::span<const std::string_view>;
  Result<std::vector<float>> ask(Texts texts) const;
  Result<std::vector<float>> ask_in_parts(Texts texts) const;
  Result<std::vector<float>> ask_alone(Texts text) const;

  const std::shared_ptr<const HttpClient> client_;
  const EndpointConfig config_;
  const std::string key_;
  const std::int64_t timeout_ms_;
  const bool patient_;
  const std::shared_ptr<const std::atomic<bool>> given_up_;
  mutable std::atomic<std::size_t> dims_{0};
};

// Exposed for the fuzzer: `count` vectors of one size, in the order of their "index".
Result<std::vector<float>> read_embeddings(std::string_view answer, std::size_t count);

}  // namespace kartei::daemon
