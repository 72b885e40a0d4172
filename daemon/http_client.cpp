#include "daemon/http_client.h"

#include <curl/curl.h>
#include <dlfcn.h>

#include <array>
#include <memory>
#include <new>

#include "daemon/config.h"

namespace kartei::daemon {

// What is used of the library.
struct HttpClient::Curl {
  explicit Curl(void* the_library) : library(the_library) {}
  ~Curl() { ::dlclose(library); }
  Curl(const Curl&) = delete;
  Curl& operator=(const Curl&) = delete;

  template <class Function>
  bool find(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    return function != nullptr;
  }
  bool find_all() {
    return find("curl_global_init", global_init) && find("curl_easy_init", easy_init) &&
           find("curl_easy_cleanup", easy_cleanup) && find("curl_easy_reset", easy_reset) &&
           find("curl_easy_setopt", easy_setopt) && find("curl_easy_perform", easy_perform) &&
           find("curl_easy_getinfo", easy_getinfo) && find("curl_easy_strerror", easy_strerror) &&
           find("curl_slist_append", slist_append) && find("curl_slist_free_all", slist_free_all) &&
           find("curl_url", url) && find("curl_url_cleanup", url_cleanup) &&
           find("curl_url_set", url_set) && find("curl_url_get", url_get) &&
           find("curl_free", free);
  }

  void* const library;
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_easy_reset) easy_reset = nullptr;
  decltype(&curl_easy_setopt) easy_setopt = nullptr;
  decltype(&curl_easy_perform) easy_perform = nullptr;
  decltype(&curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&curl_easy_strerror) easy_strerror = nullptr;
  decltype(&curl_slist_append) slist_append = nullptr;
  decltype(&curl_slist_free_all) slist_free_all = nullptr;
  decltype(&curl_url) url = nullptr;
  decltype(&curl_url_cleanup) url_cleanup = nullptr;
  decltype(&curl_url_set) url_set = nullptr;
  decltype(&curl_url_get) url_get = nullptr;
  decltype(&curl_free) free = nullptr;
};

namespace {

constexpr std::size_t kHeaderBytesMost = 256 << 10;
constexpr std::size_t kHandlesKept = 4;  // the readers', and one that makes vectors

struct Taken {
  std::string bytes;
  std::size_t most = 0;
};

// No exception may pass through libcurl; another count than was given ends the transfer.
std::size_t take(char* data, std::size_t size, std::size_t count, void* into) {
  auto& taken = *static_cast<Taken*>(into);
  const std::size_t bytes = size * count;
  if (taken.bytes.size() + bytes > taken.most) return 0;
  try {
    taken.bytes.append(data, bytes);
  } catch (const std::bad_alloc&) {
    return 0;
  }
  return bytes;
}

// Headers are not kept, but nobody sends them for ever.
std::size_t take_header(char*, std::size_t size, std::size_t count, void* left) {
  auto& bytes_left = *static_cast<std::size_t*>(left);
  const std::size_t bytes = size * count;
  if (bytes > bytes_left) return 0;
  bytes_left -= bytes;
  return bytes;
}

int go_on(void* call, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<const HttpCall*>(call)->given_up() ? 1 : 0;
}

Error failure_of(const std::string& host, CURLcode code, const char* what, const char* detail) {
  if (code == CURLE_WRITE_ERROR) return bad_input(host + " answers with more than is expected");
  const std::string why = *detail != '\0' ? detail : what;
  if (code == CURLE_PEER_FAILED_VERIFICATION)
    return Error{Cause::kUnavailable,
                 host + " does not prove that it is the one: " + why + ". Nothing was sent to it",
                 {}};
  return Error{Cause::kUnavailable, host + " cannot be reached: " + why, {}};
}

Error refusal_of(const std::string& host, long status) {
  const std::string what = host + " answers " + std::to_string(status);
  if (status / 100 == 3)
    return bad_input(what +
                     ", that is, at another address: nothing was sent there. Set base_url to it");
  if (status == 401 || status == 403) return Error{Cause::kForbidden, what + ": check the key", {}};
  if (status == 429 || status > 500) return Error{Cause::kUnavailable, what, {}};
  return bad_input(what + ": check base_url and model");
}

}  // namespace

HttpClient::HttpClient(std::unique_ptr<const Curl> curl) : curl_(std::move(curl)) {}
HttpClient::~HttpClient() {
  for (void* handle : handles_) curl_->easy_cleanup(handle);
}

class HttpClient::Lent {
 public:
  explicit Lent(const HttpClient& client) : client_(client) {
    std::lock_guard lock(client_.mutex_);
    if (client_.handles_.empty()) {
      handle_ = client_.curl_->easy_init();
    } else {
      handle_ = client_.handles_.back();
      client_.handles_.pop_back();
    }
  }
  ~Lent() {
    if (handle_ == nullptr) return;
    client_.curl_->easy_reset(handle_);  // its connections stay
    std::lock_guard lock(client_.mutex_);
    if (client_.handles_.size() < kHandlesKept)
      client_.handles_.push_back(handle_);
    else
      client_.curl_->easy_cleanup(handle_);
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  CURL* get() const { return handle_; }

 private:
  const HttpClient& client_;
  CURL* handle_ = nullptr;
};

Result<std::shared_ptr<const HttpClient>> HttpClient::load() {
  const Error missing{Cause::kUnavailable, "libcurl is not here: install libcurl4", {}};
  // Never unloaded: what it loads leaves work for the program's end.
  void* library = ::dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) return missing;
  auto curl = std::make_unique<Curl>(library);
  if (!curl->find_all() || curl->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return missing;
  return std::shared_ptr<const HttpClient>(new HttpClient(std::move(curl)));
}

Result<HttpClient::Address> HttpClient::address_of(const std::string& text) const {
  const auto free = [this](CURLU* url) { curl_->url_cleanup(url); };
  const std::unique_ptr<CURLU, decltype(free)> url(curl_->url(), free);
  if (!url || curl_->url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK)
    return bad_input("\"" + text + "\" is no URL");
  const auto part = [&](CURLUPart which) {
    char* value = nullptr;
    if (curl_->url_get(url.get(), which, &value, 0) != CURLUE_OK) return std::string();
    std::string out(value);
    curl_->free(value);
    return out;
  };
  Address address{part(CURLUPART_SCHEME), part(CURLUPART_HOST)};
  if (address.host.size() > 2 && address.host.front() == '[')
    address.host = address.host.substr(1, address.host.size() - 2);
  if (address.scheme != "http" && address.scheme != "https")
    return bad_input("\"" + text + "\" is neither http nor https");
  if (!part(CURLUPART_USER).empty())
    return bad_input("A URL must not carry a name or a password; name the key's variable instead");
  if (text.find_first_of("?#") != std::string::npos)
    return bad_input("\"" + text + "\" must end with its path, without ? and #");
  return address;
}

Result<bool> HttpClient::is_local_url(const std::string& url) const {
  KARTEI_ASSIGN(const Address address, address_of(url));
  return is_loopback(address.host);
}

Result<std::string> HttpClient::host_of(const std::string& url) const {
  KARTEI_ASSIGN(const Address address, address_of(url));
  return address.host;
}

Result<std::string> HttpClient::post_json(const HttpCall& call) const {
  KARTEI_ASSIGN(HttpAnswer answer, post(call));
  if (answer.status == 200) return std::move(answer.body);
  KARTEI_ASSIGN(const Address address, address_of(call.url));
  return refusal_of(address.host, answer.status);
}

Result<HttpAnswer> HttpClient::post(const HttpCall& call, bool* sent) const {
  KARTEI_ASSIGN(const Address address, address_of(call.url));
  const Lent handle(*this);
  const auto free_list = [this](curl_slist* list) { curl_->slist_free_all(list); };
  std::unique_ptr<curl_slist, decltype(free_list)> headers(nullptr, free_list);
  const auto add_header = [&](const std::string& line) {
    headers.reset(curl_->slist_append(headers.release(), line.c_str()));
  };
  if (handle.get() == nullptr) return Error{Cause::kInternal, "libcurl does not work here", {}};
  add_header("Content-Type: application/json");
  add_header("Expect:");  // no waiting for "100 Continue"
  if (!call.bearer.empty()) add_header("Authorization: Bearer " + call.bearer);
  Taken taken{{}, call.answer_bytes_max};
  const auto set = [&](CURLoption option, auto value) {
    curl_->easy_setopt(handle.get(), option, value);
  };
  set(CURLOPT_URL, call.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  // What is for this machine must not go to a proxy that the environment names.
  if (is_loopback(address.host) || !call.unix_socket.empty()) set(CURLOPT_PROXY, "");
  if (!call.unix_socket.empty()) set(CURLOPT_UNIX_SOCKET_PATH, call.unix_socket.c_str());
  if (!call.ca_file.empty()) set(CURLOPT_CAINFO, call.ca_file.c_str());
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_HTTPHEADER, headers.get());
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(call.body.size()));
  set(CURLOPT_POSTFIELDS, call.body.data());
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(call.timeout_ms));
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(call.timeout_ms));
  set(CURLOPT_WRITEFUNCTION, take);
  set(CURLOPT_WRITEDATA, &taken);
  std::size_t header_bytes_left = kHeaderBytesMost;
  set(CURLOPT_HEADERFUNCTION, take_header);
  set(CURLOPT_HEADERDATA, &header_bytes_left);
  std::array<char, CURL_ERROR_SIZE> detail{};
  set(CURLOPT_ERRORBUFFER, detail.data());
  if (call.given_up) {
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, go_on);
    set(CURLOPT_XFERINFODATA, const_cast<HttpCall*>(&call));
  }
  const CURLcode code = curl_->easy_perform(handle.get());
  long sent_bytes = 0;
  curl_->easy_getinfo(handle.get(), CURLINFO_REQUEST_SIZE, &sent_bytes);
  if (sent != nullptr) *sent = sent_bytes > 0;
  if (code != CURLE_OK)
    return failure_of(address.host, code, curl_->easy_strerror(code), detail.data());
  HttpAnswer answer;
  answer.body = std::move(taken.bytes);
  curl_->easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &answer.status);
  const char* type = nullptr;
  curl_->easy_getinfo(handle.get(), CURLINFO_CONTENT_TYPE, &type);
  if (type != nullptr) answer.content_type = type;
  curl_off_t later_s = 0;
  curl_->easy_getinfo(handle.get(), CURLINFO_RETRY_AFTER, &later_s);
  if (later_s > 0) answer.retry_after_s = later_s;
  return answer;
}

}  // namespace kartei::daemon
