// POSTs of JSON to an endpoint of the owner's, through libcurl: loaded by the first owner of a
// client, since it brings a dozen libraries along that nobody else needs (5 MB in memory).
//
// Any thread; a call blocks for at most its timeout. Connections are kept for the next call: a
// question has no time for the greetings of TLS. Follows no redirects; speaks http and https
// only; for this machine no proxy is used, whatever the environment says. Errors name the host and
// the status, never the key nor what was sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "crypto/result.h"

namespace kartei::daemon {

struct HttpCall {
  std::string url;
  std::string bearer;  // empty: none
  std::string body;
  std::int64_t timeout_ms = 30'000;
  std::size_t answer_bytes_max = 64 << 20;
  std::function<bool()> given_up;  // true: ends within a second; empty: never
  std::string ca_file;             // who vouches for the host; empty: the system's list
  std::string unix_socket;         // where to connect, whatever the URL's host is; empty: there
};

struct HttpAnswer {
  long status = 0;
  std::string body, content_type;
  std::optional<std::int64_t> retry_after_s;
};

class HttpClient {
 public:
  // kUnavailable: libcurl is not installed.
  static Result<std::shared_ptr<const HttpClient>> load();
  ~HttpClient();

  // Whatever was answered. kUnavailable: not reached, too slow, cut off. kBadInput: longer than was
  // expected. `sent`: whether anything of the call has left.
  Result<HttpAnswer> post(const HttpCall& call, bool* sent = nullptr) const;
  // The body of a 200. kUnavailable: not reached, too slow, or busy (429, 501 to 599): worth
  // another try. kForbidden: 401 or 403. kBadInput: anything else that is not what was asked for;
  // also 500, which some servers say to a text that they cannot take.
  Result<std::string> post_json(const HttpCall& call) const;
  // Its host. kBadInput: neither http nor https, or with a name, a password or a query in it.
  Result<std::string> host_of(const std::string& url) const;
  // Whether a URL is http or https, and its host is this machine.
  Result<bool> is_local_url(const std::string& url) const;

 private:
  struct Curl;
  struct Address {
    std::string scheme, host;
  };
  class Lent;  // a handle with its connections, for one call
  explicit HttpClient(std::unique_ptr<const Curl> curl);
  Result<Address> address_of(const std::string& text) const;

  const std::unique_ptr<const Curl> curl_;
  mutable std::mutex mutex_;            // guards what follows
  mutable std::vector<void*> handles_;  // that no call uses now
};

}  // namespace kartei::daemon
