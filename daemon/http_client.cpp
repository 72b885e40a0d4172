#include "daemon/http_client.h"

#include <curl/curl.h>

#include <memory>
#include <new>

#include "daemon/config.h"

namespace kartei::daemon {

namespace {

struct CurlFree {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

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

int go_on(void* given_up, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<const std::atomic<bool>*>(given_up)->load() ? 1 : 0;
}

std::string part_of(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, 0) != CURLUE_OK) return {};
  std::string out(text);
  curl_free(text);
  return out;
}

struct Address {
  std::string scheme, host;
};
Result<Address> address_of(const std::string& text) {
  const std::unique_ptr<CURLU, CurlFree> url(curl_url());
  if (!url || curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK)
    return bad_input("\"" + text + "\" is no URL.");
  Address address{part_of(url.get(), CURLUPART_SCHEME), part_of(url.get(), CURLUPART_HOST)};
  if (address.scheme != "http" && address.scheme != "https")
    return bad_input("\"" + text + "\" is neither http nor https.");
  if (!part_of(url.get(), CURLUPART_USER).empty())
    return bad_input("A URL must not carry a name or a password; name the key's variable instead.");
  return address;
}

Error failure_of(const std::string& host, CURLcode code) {
  if (code == CURLE_WRITE_ERROR) return bad_input(host + " answers with more than is expected.");
  return Error{
      Cause::kUnavailable, host + " cannot be reached: " + curl_easy_strerror(code) + ".", {}};
}

Error refusal_of(const std::string& host, long status) {
  const std::string what = host + " answers " + std::to_string(status);
  if (status == 401 || status == 403)
    return Error{Cause::kForbidden, what + ": check the key.", {}};
  if (status == 429 || status >= 500) return Error{Cause::kUnavailable, what + ".", {}};
  return bad_input(what + ": check base_url and model.");
}

}  // namespace

Result<bool> is_local_url(const std::string& url) {
  KARTEI_ASSIGN(const Address address, address_of(url));
  std::string host = address.host;
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  return is_loopback(host);
}

Result<std::string> post_json(const HttpCall& call) {
  KARTEI_ASSIGN(const Address address, address_of(call.url));
  const std::unique_ptr<CURL, CurlFree> handle(curl_easy_init());
  if (!handle) return Error{Cause::kInternal, "libcurl does not work here.", {}};
  CURL* curl = handle.get();
  Taken taken{{}, call.answer_bytes_max};
  std::unique_ptr<curl_slist, CurlFree> headers(
      curl_slist_append(nullptr, "Content-Type: application/json"));
  const auto add_header = [&](const std::string& line) {
    headers.reset(curl_slist_append(headers.release(), line.c_str()));
  };
  add_header("Expect:");  // no waiting for "100 Continue"
  if (!call.bearer.empty()) add_header("Authorization: Bearer " + call.bearer);
  curl_easy_setopt(curl, CURLOPT_URL, call.url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(call.body.size()));
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, call.body.data());
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(call.timeout_ms));
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(call.timeout_ms));
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &taken);
  if (call.given_up != nullptr) {
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, go_on);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, const_cast<std::atomic<bool>*>(call.given_up));
  }
  const CURLcode code = curl_easy_perform(curl);
  if (code != CURLE_OK) return failure_of(address.host, code);
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  if (status != 200) return refusal_of(address.host, status);
  return std::move(taken.bytes);
}

}  // namespace kartei::daemon
