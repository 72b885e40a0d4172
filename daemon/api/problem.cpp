#include "daemon/api/problem.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "store/secrets/secrets.h"

namespace kartei::daemon::api {
namespace {

struct Kind {
  int status;
  const char* name;
};
Kind kind_of(Cause cause) {
  switch (cause) {
    case Cause::kBadInput:
      return {400, "bad-input"};
    case Cause::kNotFound:
      return {404, "not-found"};
    case Cause::kConflict:
      return {409, "conflict"};
    case Cause::kForbidden:
      return {403, "forbidden"};
    case Cause::kCorrupt:
      return {500, "corrupt"};
    case Cause::kVersion:
      return {503, "newer-version"};
    case Cause::kFull:
      return {507, "full"};
    case Cause::kReadOnly:
      return {503, "read-only"};
    case Cause::kUnavailable:
      return {503, "unavailable"};
    case Cause::kLocked:
      return {423, "locked"};
    case Cause::kIo:
      return {500, "io"};
    case Cause::kInternal:
      break;
  }
  return {500, "internal"};
}

std::string title_of(std::string_view kind) {
  std::string title(kind);
  for (char& c : title)
    if (c == '-') c = ' ';
  if (!title.empty() && title[0] >= 'a' && title[0] <= 'z')
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
  return title;
}

}  // namespace

int status_of(Cause cause) {
  return kind_of(cause).status;
}

HttpResponse problem(int status, std::string_view kind, std::string_view detail,
                     std::string_view field) {
  boost::json::object document;
  document["type"] = "urn:kartei:problem:" + std::string(kind);
  document["title"] = title_of(kind);
  document["status"] = status;
  // It may quote what it was given.
  document["detail"] = secrets::masked(detail);
  if (!field.empty()) document["field"] = secrets::masked(field);
  return {status, "application/problem+json", boost::json::serialize(document), {}};
}

// Errors of other folders go on from what their caller says; here they stand alone.
static std::string sentence(std::string what) {
  if (!what.empty() && what[0] >= 'a' && what[0] <= 'z')
    what[0] = static_cast<char>(what[0] - 'a' + 'A');
  if (!what.empty() && what.back() != '.' && what.back() != '!' && what.back() != '?') what += '.';
  return what;
}

HttpResponse problem(const Error& error) {
  const Kind kind = kind_of(error.cause);
  HttpResponse response = problem(kind.status, kind.name, sentence(error.what), error.field);
  if (error.cause == Cause::kUnavailable) response.headers.emplace_back("Retry-After", "1");
  return response;
}

HttpResponse busy() {
  HttpResponse response = problem(
      503, "busy", "More is waiting than this device takes at once. Try again in a second.");
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

}  // namespace kartei::daemon::api
