#include "daemon/config.h"

#include <toml++/toml.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>

namespace kartei::daemon {
namespace {

Error at_line(const std::string& file, const toml::source_region& where, const std::string& what) {
  return bad_input(file + ", line " + std::to_string(where.begin.line) + ": " + what);
}

Status read_text(const toml::node& node, std::string& out, std::string& what) {
  if (const auto value = node.value_exact<std::string>()) {
    out = *value;
    return {};
  }
  what = "must be text.";
  return bad_input(what);
}

Status read_number(const toml::node& node, std::int64_t min, std::int64_t max, std::int64_t& out,
                   std::string& what) {
  const auto value = node.value_exact<std::int64_t>();
  if (value && *value >= min && *value <= max) {
    out = *value;
    return {};
  }
  what = "must be a whole number from " + std::to_string(min) + " to " + std::to_string(max) + ".";
  return bad_input(what);
}

Status read_kind(const toml::node& node, election::Kind& out, std::string& what) {
  const auto value = node.value_exact<std::string>();
  if (value == "desktop")
    out = election::Kind::kDesktop;
  else if (value == "laptop")
    out = election::Kind::kLaptop;
  else if (value == "phone")
    out = election::Kind::kPhone;
  else {
    what = "must be \"desktop\", \"laptop\" or \"phone\".";
    return bad_input(what);
  }
  return {};
}

Status read_log(const toml::node& node, std::string& out, std::string& what) {
  const auto value = node.value_exact<std::string>();
  for (const char* level : {"trace", "debug", "info", "warn", "error", "off"}) {
    if (value == level) {
      out = level;
      return {};
    }
  }
  what = "must be \"trace\", \"debug\", \"info\", \"warn\", \"error\" or \"off\".";
  return bad_input(what);
}

Status read_texts(const toml::node& node, std::vector<std::string>& out, std::string& what) {
  what = "must be a list of at most 32 texts.";
  const toml::array* array = node.as_array();
  if (array == nullptr || array->size() > 32) return bad_input(what);
  for (const toml::node& item : *array) {
    const auto value = item.value_exact<std::string>();
    if (!value) return bad_input(what);
    out.push_back(*value);
  }
  return {};
}

Status read_bool(const toml::node& node, bool& out, std::string& what) {
  const auto value = node.value_exact<bool>();
  what = "must be true or false.";
  if (!value) return bad_input(what);
  out = *value;
  return {};
}

Status read_size(const toml::node& node, std::int64_t min, std::int64_t max, std::size_t& out,
                 std::string& what) {
  std::int64_t number = 0;
  KARTEI_TRY(read_number(node, min, max, number, what));
  out = static_cast<std::size_t>(number);
  return {};
}

Status read_key(std::string_view key, const toml::node& node, Config& config, std::string& what) {
  if (key == "name") return read_text(node, config.name, what);
  if (key == "kind") return read_kind(node, config.kind, what);
  if (key == "log") return read_log(node, config.log, what);
  if (key == "listen") return read_text(node, config.listen, what);
  if (key == "peers") return read_texts(node, config.peers, what);
  if (key == "discovery") return read_bool(node, config.discovery, what);
  if (key == "zone") return read_text(node, config.zone, what);
  if (key == "silence_s") return read_number(node, 1, 86'400, config.silence_s, what);
  if (key == "boxes") return read_size(node, 1, 256, config.boxes, what);
  if (key == "connections") return read_size(node, 1, 1024, config.connections, what);
  if (key == "waiting") return read_size(node, 1, 65'536, config.waiting, what);
  what = "is not known. The known keys are in daemon/README.md.";
  return bad_input(what);
}

std::filesystem::path or_default(const std::optional<std::string>& value,
                                 const std::filesystem::path& otherwise) {
  // The XDG specification: a relative path is to be ignored.
  return value && value->starts_with('/') ? std::filesystem::path(*value) : otherwise;
}

}  // namespace

Environment process_environment() {
  return [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
  };
}

Result<Paths> find_paths(const Environment& environment) {
  Paths paths;
  if (const auto home = environment("KARTEI_HOME")) {
    std::error_code error;
    paths.home = std::filesystem::absolute(*home, error);
    if (error) return bad_input("KARTEI_HOME is no usable path: " + *home);
    paths.socket = paths.home / "kartei.sock";
    paths.config = paths.home / "config.toml";
    return paths;
  }
  const auto user = environment("HOME");
  if (!user && !environment("XDG_DATA_HOME"))
    return bad_input("Neither KARTEI_HOME nor HOME is set: there is no place for the box.");
  const std::filesystem::path base = user.value_or("/");
  paths.home = or_default(environment("XDG_DATA_HOME"), base / ".local/share") / "kartei";
  paths.config =
      or_default(environment("XDG_CONFIG_HOME"), base / ".config") / "kartei/config.toml";
  const auto runtime = environment("XDG_RUNTIME_DIR");
  paths.socket = runtime && runtime->starts_with('/')
                     ? std::filesystem::path(*runtime) / "kartei/kartei.sock"
                     : paths.home / "kartei.sock";
  return paths;
}

Result<Config> parse_config(std::string_view text, const std::string& name_for_errors) {
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& error) {
    return at_line(name_for_errors, error.source(), std::string(error.description()));
  }
  Config config;
  for (const auto& [key, node] : table) {
    std::string what;
    if (read_key(key.str(), node, config, what).has_error())
      return at_line(name_for_errors, key.source(), "`" + std::string(key.str()) + "` " + what);
  }
  return config;
}

Result<Config> load_config(const std::filesystem::path& file, bool must_exist) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    std::error_code error;
    if (!must_exist && !std::filesystem::exists(file, error)) return Config{};
    return not_found("Cannot read the configuration " + file.string() + ".");
  }
  std::ostringstream text;
  text << in.rdbuf();
  return parse_config(text.str(), file.string());
}

std::string system_zone(const Environment& environment) {
  if (auto zone = environment("TZ")) {
    if (zone->starts_with(':')) zone->erase(0, 1);
    if (zone->find('/') != std::string::npos || *zone == "UTC") return *zone;
  }
  std::error_code error;
  const auto target = std::filesystem::read_symlink("/etc/localtime", error).string();
  const std::string marker = "zoneinfo/";
  const std::size_t at = target.find(marker);
  if (!error && at != std::string::npos) return target.substr(at + marker.size());
  std::ifstream in("/etc/timezone");
  std::string zone;
  if (in && std::getline(in, zone) && zone.find('/') != std::string::npos) return zone;
  return "UTC";
}

}  // namespace kartei::daemon
