// Where one request's answer goes: whole, or as a stream. Threads: any may answer; what they say is
// handed to the server's.
#pragma once

#include <memory>

#include "daemon/api/http_connection.h"

namespace kartei::daemon::api {

std::shared_ptr<ResponseSink> make_sink(std::shared_ptr<HttpConnection> connection);

}  // namespace kartei::daemon::api
