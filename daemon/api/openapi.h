// The API's own description, served at GET /v1/openapi.json.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "daemon/api/http.h"

namespace kartei::daemon::api {

const std::string& openapi_json();
// Every call that it describes; a test holds it against the router.
std::vector<std::pair<Method, std::string>> described_calls();

}  // namespace kartei::daemon::api
