#include "daemon/cli/checks.h"

#include "daemon/config.h"
#include "daemon/hosts.h"
#include "store/time.h"
#include "sync/pairing.h"

namespace kartei::daemon::cli {

std::string not_empty(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos ? "must not be empty" : "";
}

std::string is_date(const std::string& text) {
  if (store::Date::parse(text)) return {};
  return "\"" + text + "\" is no date: 2026, 2026-03, 2026-03-10, or an RFC 3339 time";
}

std::string is_moment(const std::string& text) {
  if (store::parse_rfc3339(text)) return {};
  return "\"" + text + "\" is no RFC 3339 time with zone, like 2026-05-04T18:20:00+02:00";
}

std::string is_address(const std::string& text) {
  const auto parsed = parse_host_port(text, false);
  return parsed ? "" : "\"" + text + "\": " + parsed.error().what;
}

std::string is_box(const std::string& text) {
  const Status checked = Hosts::check_name(text);
  return checked ? "" : "\"" + text + "\": " + checked.error().what;
}

std::string is_code(const std::string& text) {
  const auto parsed = sync::PairingCode::parse(text);
  return parsed ? "" : "\"" + text + "\": " + parsed.error().what;
}

}  // namespace kartei::daemon::cli
