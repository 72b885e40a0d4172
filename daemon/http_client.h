// One POST of JSON to an endpoint of the owner's, through libcurl. Any thread; blocks for at most
// its timeout. Follows no redirects; speaks http and https only. Errors name the host and the
// status, never the key nor what was sent.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "crypto/result.h"

namespace kartei::daemon {

struct HttpCall {
  std::string url;
  std::string bearer;  // empty: none
  std::string body;
  std::int64_t timeout_ms = 30'000;
  std::size_t answer_bytes_max = 64 << 20;
  const std::atomic<bool>* given_up = nullptr;  // true: ends within a second
};

// The body of a 200. kUnavailable: not reached, too slow, or busy (429, 5xx): worth another try.
// kForbidden: 401 or 403. kBadInput: anything else that is not what was asked for.
Result<std::string> post_json(const HttpCall& call);

// Whether a URL is http or https, and its host is this machine.
Result<bool> is_local_url(const std::string& url);

}  // namespace kartei::daemon
