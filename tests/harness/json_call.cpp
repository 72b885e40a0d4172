#include "tests/harness/json_call.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace kartei::harness {

namespace json = boost::json;

Result<json::object> json_call(UnixClient& client, std::string_view method,
                               const std::string& target, const json::value& body) {
  KARTEI_ASSIGN(const auto answer,
                client.call(method, target, body.is_null() ? "" : json::serialize(body)));
  boost::system::error_code failed;
  const json::value value = answer.body.empty() ? json::object{} : json::parse(answer.body, failed);
  if (answer.status >= 400 || failed || !value.is_object())
    return Error{
        Cause::kBadInput, target + ": " + std::to_string(answer.status) + " " + answer.body, {}};
  return value.get_object();
}

}  // namespace kartei::harness
