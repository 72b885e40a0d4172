#include "daemon/http_embedder.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cmath>

#include "daemon/http_client.h"
#include "store/meaning/quantiser.h"
#include "store/secrets/secrets.h"
#include "store/valid_utf8.h"

namespace kartei::daemon {

namespace json = boost::json;

namespace {

constexpr std::size_t kDimsMax = store::Quantiser::kMaxDims;
// Of an answer: a number with its comma and, in a pretty one, its own line.
constexpr std::size_t kAnswerBytesLeast = 64 << 10, kNumberBytesMost = 48;
constexpr int kTriesAlone = 3;  // of a text, before it goes without

Error other_shape(const std::string& what) {
  return bad_input("The embedding endpoint's answer is not what was asked for: " + what + ".");
}

bool refused(const Result<std::vector<float>>& vectors) {
  return vectors.has_error() && vectors.error().cause == Cause::kBadInput;
}

// Finite numbers, to unit length. False: something else.
bool read_vector(const json::value& value, std::size_t dims, float* out) {
  const json::array* numbers = value.if_array();
  if (numbers == nullptr || numbers->size() != dims) return false;
  double sum = 0;
  for (std::size_t i = 0; i < dims; ++i) {
    json::error_code error;
    const double number = (*numbers)[i].to_number<double>(error);
    if (error || !std::isfinite(number) || std::abs(number) > 1e6) return false;
    out[i] = static_cast<float>(number);
    sum += number * number;
  }
  const double norm = std::sqrt(sum);
  // What is about zero means nothing.
  for (std::size_t i = 0; i < dims; ++i)
    out[i] = norm < 1e-9 ? 0.0F : static_cast<float>(out[i] / norm);
  return true;
}

}  // namespace

Status HttpEmbedder::check(const EndpointConfig& config, const HttpClient& client) {
  KARTEI_ASSIGN(const bool local, client.is_local_url(config.base_url));
  if (local) return {};
  if (!config.remote)
    return Error{
        Cause::kForbidden,
        "The endpoint " + config.base_url +
            " is not on this machine: what is said would be sent there. Set `remote = true` "
            "in [embeddings] to allow it",
        {}};
  if (!config.base_url.starts_with("https://"))
    return Error{Cause::kForbidden,
                 "The endpoint " + config.base_url + " is on another machine: only https will do",
                 {}};
  return {};
}

HttpEmbedder::HttpEmbedder(std::shared_ptr<const HttpClient> client, EndpointConfig config,
                           std::string key, std::int64_t timeout_ms, bool patient,
                           std::shared_ptr<const std::atomic<bool>> given_up)
    : client_(std::move(client)),
      config_(std::move(config)),
      key_(std::move(key)),
      timeout_ms_(timeout_ms),
      patient_(patient),
      given_up_(std::move(given_up)) {}

Result<std::vector<float>> read_embeddings(std::string_view answer, std::size_t count) {
  json::error_code error;
  json::parse_options options;
  options.max_depth = 8;
  const json::value root = json::parse({answer.data(), answer.size()}, error, {}, options);
  if (error) return other_shape("no JSON");
  const json::object* object = root.if_object();
  const json::value* data = object == nullptr ? nullptr : object->if_contains("data");
  const json::array* items = data == nullptr ? nullptr : data->if_array();
  if (items == nullptr || items->size() != count)
    return other_shape("it has not as many vectors as there were texts");
  std::vector<float> out;
  std::vector<bool> seen(count, false);
  std::size_t dims = 0;
  for (std::size_t at = 0; at < count; ++at) {
    const json::object* item = (*items)[at].if_object();
    const json::value* vector = item == nullptr ? nullptr : item->if_contains("embedding");
    if (vector == nullptr || !vector->is_array()) return other_shape("a vector is missing");
    if (at == 0) {
      dims = vector->get_array().size();
      if (dims == 0 || dims > kDimsMax) return other_shape("vectors of no use");
      out.resize(count * dims);
    }
    std::size_t index = at;
    if (const json::value* said = item->if_contains("index")) {
      if (!said->is_int64() || said->get_int64() < 0) return other_shape("a wrong index");
      index = static_cast<std::size_t>(said->get_int64());
    }
    if (index >= count || seen[index]) return other_shape("a wrong index");
    seen[index] = true;
    if (!read_vector(*vector, dims, out.data() + index * dims))
      return other_shape("vectors of different sizes, or no numbers");
  }
  return out;
}

Result<std::vector<float>> HttpEmbedder::embed(const std::vector<std::string_view>& texts) const {
  if (texts.empty()) return std::vector<float>{};
  auto vectors = ask(texts);
  if (vectors || !patient_ || !refused(vectors)) return vectors;
  // Is it the texts, or does the endpoint refuse everything?
  const std::string_view harmless = "Kartei";
  if (!ask({&harmless, 1})) return vectors;
  return ask_in_parts(texts);
}

Result<std::vector<float>> HttpEmbedder::ask_in_parts(Texts texts) const {
  if (texts.size() == 1) return ask_alone(texts);
  std::vector<float> all;
  const std::size_t half = texts.size() / 2;
  for (const Texts part : {texts.first(half), texts.subspan(half)}) {
    auto vectors = ask(part);
    if (refused(vectors)) vectors = ask_in_parts(part);
    if (!vectors) return vectors;
    all.insert(all.end(), vectors->begin(), vectors->end());
  }
  return all;
}

Result<std::vector<float>> HttpEmbedder::ask_alone(Texts text) const {
  const std::size_t dims = dims_;
  for (int more = kTriesAlone - 1; more >= 0; --more) {
    auto vector = ask(text);
    if (vector || !refused(vector)) return vector;
    if (more == 0 && dims == 0) return vector;
  }
  return std::vector<float>(dims, 0.0F);
}

Result<std::vector<float>> HttpEmbedder::ask(Texts texts) const {
  json::array input;
  for (const std::string_view text : texts) {
    // Endpoints refuse an empty text. Secrets do not leave this device this way, whoever allowed
    // them to be kept.
    const bool usable = !text.empty() && store::valid_utf8(text);
    input.emplace_back(usable ? secrets::masked(text) : std::string(" "));
  }
  json::object body;
  body["model"] = config_.model;
  body["input"] = std::move(input);
  body["encoding_format"] = "float";
  HttpCall call;
  call.url = config_.base_url + (config_.base_url.ends_with('/') ? "embeddings" : "/embeddings");
  call.bearer = key_;
  call.body = json::serialize(body);
  call.timeout_ms = timeout_ms_;
  call.answer_bytes_max = kAnswerBytesLeast + texts.size() * kDimsMax * kNumberBytesMost;
  if (given_up_) call.given_up = [flag = given_up_] { return flag->load(); };
  KARTEI_ASSIGN(const std::string answer, client_->post_json(call));
  KARTEI_ASSIGN(auto vectors, read_embeddings(answer, texts.size()));
  const std::size_t dims = vectors.size() / texts.size();
  std::size_t known = 0;
  if (dims_.compare_exchange_strong(known, dims) || known == dims) return vectors;
  dims_ = 0;  // as at the beginning: perhaps it is another model by now
  return Error{
      Cause::kUnavailable, "The embedding endpoint's vectors are of another size than before", {}};
}

}  // namespace kartei::daemon
