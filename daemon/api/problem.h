// Errors on the wire: RFC 9457 problem documents.
#pragma once

#include <string>
#include <string_view>

#include "crypto/result.h"
#include "daemon/api/http.h"

namespace kartei::daemon::api {

// `kind` becomes the type "urn:kartei:problem:<kind>" and, in words, the title.
HttpResponse problem(int status, std::string_view kind, std::string_view detail,
                     std::string_view field = {});
HttpResponse problem(const Error& error);
// A bounded queue is full: 503 with Retry-After.
HttpResponse busy();
int status_of(Cause cause);

}  // namespace kartei::daemon::api
