// Which handler a request goes to. Pure.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "daemon/api/http.h"

namespace kartei::daemon::api {

// A request with its target taken apart: decoded, checked against the route's own parameters.
struct Call {
  HttpRequest request;
  std::map<std::string, std::string, std::less<>> path;   // {name} in the pattern
  std::map<std::string, std::string, std::less<>> query;  // "box" aside
  std::string box;                                        // empty: the default one

  std::optional<std::string> parameter(std::string_view name) const {
    const auto found = query.find(name);
    return found == query.end() ? std::nullopt : std::optional(found->second);
  }
};

using CallHandler = std::function<void(Call, Responder)>;

class Router {
 public:
  // `pattern`: "/v1/cards/{id}/history". `query`: the parameters that it knows beside `box`.
  void add(Method method, std::string_view pattern, std::vector<std::string> query,
           CallHandler handler);
  // The same for a call that is answered while the gate is shut, too.
  void add_ungated(Method method, std::string_view pattern, std::vector<std::string> query,
                   CallHandler handler);
  // Asked before each call; what it gives is the answer.
  void set_gate(std::function<std::optional<HttpResponse>()> gate) { gate_ = std::move(gate); }
  // Answers 404, 405 and unknown parameters by itself.
  void route(HttpRequest request, Responder responder) const;
  std::vector<std::pair<Method, std::string>> routes() const;

 private:
  struct Route {
    Method method;
    std::string pattern;
    std::vector<std::string> segments;
    std::vector<std::string> query;
    CallHandler handler;
    bool gated = true;
  };
  std::vector<Route> routes_;
  std::function<std::optional<HttpResponse>()> gate_;
};

// Empty: a broken %-escape, or a NUL.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space);

}  // namespace kartei::daemon::api
