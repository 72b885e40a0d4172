// A call of the API with JSON both ways. One thread, the client's.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "tests/harness/unix_client.h"

namespace kartei::harness {

// `body` null: none. The answer's object, empty where there is no body; one that refuses, or is no
// object, is an error with what it said.
Result<boost::json::object> json_call(UnixClient& client, std::string_view method,
                                      const std::string& target, const boost::json::value& body);

}  // namespace kartei::harness
