#include "daemon/api/router.h"

#include <algorithm>

#include "daemon/api/problem.h"
#include "daemon/api/requests.h"
#include "store/secrets/secrets.h"
#include "store/valid_utf8.h"

namespace kartei::daemon::api {
namespace {

constexpr std::size_t kSegmentsMax = 8;
constexpr std::size_t kParametersMax = 16;

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> segments;
  std::size_t at = 0;
  while (at < path.size() && segments.size() <= kSegmentsMax) {
    const std::size_t begin = at + 1;  // after the slash
    at = std::min(path.find('/', begin), path.size());
    segments.emplace_back(path.substr(begin, at - begin));
  }
  return segments;
}

bool is_parameter(std::string_view segment) {
  return segment.starts_with('{');
}

bool is_plain_text(std::string_view text) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  return std::none_of(text.begin(), text.end(), control) && store::valid_utf8(text);
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool matches(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
  if (pattern.size() != path.size()) return false;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (is_parameter(pattern[i]) ? path[i].empty() : pattern[i] != path[i]) return false;
  }
  return true;
}

Error bad_target() {
  return bad_input(
      "The call's address is not well formed: % must be followed by two hex digits, and what they "
      "stand for must be UTF-8 without control characters.");
}

std::string not_a_parameter(const std::string& name, const std::vector<std::string>& known) {
  std::string what = "`" + name + "` is not a parameter of this call. It knows ";
  for (const std::string& one : known) what += "`" + one + "`, ";
  return what + "`box`.";
}

Status read_query(std::string_view text, const std::vector<std::string>& known, Call& call) {
  std::size_t count = 0;
  while (!text.empty()) {
    if (++count > kParametersMax)
      return bad_input("The call has more than " + std::to_string(kParametersMax) + " parameters.");
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    auto name = percent_decode(pair.substr(0, equals), true);
    auto value = percent_decode(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value) return bad_target();
    if (*name == "box") {
      call.box = std::move(*value);
      continue;
    }
    if (std::find(known.begin(), known.end(), *name) == known.end())
      return bad_input(not_a_parameter(*name, known), *name);
    call.query[std::move(*name)] = std::move(*value);
  }
  return {};
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '+' && plus_is_space) c = ' ';
    if (c == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = hex_value(text[i + 1]), low = hex_value(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    out.push_back(c);
  }
  // What comes in here is kept, and handed out as JSON.
  if (!is_plain_text(out)) return std::nullopt;
  return out;
}

void Router::add(Method method, std::string_view pattern, std::vector<std::string> query,
                 CallHandler handler) {
  routes_.push_back(
      {method, std::string(pattern), split_path(pattern), std::move(query), std::move(handler)});
}

void Router::add_ungated(Method method, std::string_view pattern, std::vector<std::string> query,
                         CallHandler handler) {
  add(method, pattern, std::move(query), std::move(handler));
  routes_.back().gated = false;
}

void Router::route(HttpRequest request, Responder responder) const {
  const std::string target = request.target;
  const std::size_t mark = std::min(target.find('?'), target.size());
  const auto segments = split_path(std::string_view(target).substr(0, mark));
  std::string allowed;
  for (const Route& route : routes_) {
    if (!matches(route.segments, segments)) continue;
    if (route.method != request.method) {
      const std::string name(to_text(route.method));
      if (allowed.find(name) != std::string::npos) continue;
      allowed += (allowed.empty() ? "" : ", ") + name;
      if (route.method == Method::kGet) allowed += ", HEAD";
      continue;
    }
    if (route.gated && gate_) {
      if (auto answer = gate_()) return responder.send(std::move(*answer));
    }
    Call call;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      if (!is_parameter(route.segments[i])) continue;
      auto value = percent_decode(segments[i], false);
      if (!value) return responder.send(problem(bad_target()));
      const std::string& name = route.segments[i];
      call.path[name.substr(1, name.size() - 2)] = std::move(*value);
    }
    const std::string_view query =
        std::string_view(target).substr(std::min(mark + 1, target.size()));
    if (auto read = read_query(query, route.query, call); !read)
      return responder.send(problem(read.error()));
    if (request.app.size() > kNameMax || !is_plain_text(request.app))
      return responder.send(problem(bad_input(
          "X-Kartei-App must be UTF-8 of at most 256 bytes, without control characters.")));
    secrets::mask(request.app);  // it is kept with all that the app says
    call.request = std::move(request);
    return route.handler(std::move(call), std::move(responder));
  }
  if (allowed.empty())
    return responder.send(problem(
        404, "not-found", "There is no such call. GET /v1/openapi.json lists all of them."));
  HttpResponse answer =
      problem(405, "method-not-allowed",
              "This call does not exist with that method. It knows " + allowed + ".");
  answer.headers.emplace_back("Allow", allowed);
  responder.send(std::move(answer));
}

std::vector<std::pair<Method, std::string>> Router::routes() const {
  std::vector<std::pair<Method, std::string>> out;
  for (const Route& route : routes_) out.emplace_back(route.method, route.pattern);
  return out;
}

}  // namespace kartei::daemon::api
