#include "daemon/config.h"

#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>

#include "store/time.h"
#include "store/valid_utf8.h"

namespace kartei::daemon {
namespace {

constexpr std::size_t kNameBytes = 128;

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

Status read_name(const toml::node& node, std::string& out, std::string& what) {
  KARTEI_TRY(read_text(node, out, what));
  const bool one_line = std::none_of(out.begin(), out.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (one_line && out.size() <= kNameBytes && store::valid_utf8(out)) return {};
  what = "must be one line of at most " + std::to_string(kNameBytes) + " bytes, in UTF-8.";
  return bad_input(what);
}

Status read_zone(const toml::node& node, std::string& out, std::string& what) {
  KARTEI_TRY(read_text(node, out, what));
  if (out.empty() || store::zone_offset_min(out, store::Time{})) return {};
  what = "must be an IANA zone that this system knows, like \"Europe/Berlin\".";
  return bad_input(what);
}

Status read_listen(const toml::node& node, std::string& out, std::string& what) {
  KARTEI_TRY(read_text(node, out, what));
  if (out.empty()) return {};
  const auto named = parse_host_port(out, true);
  if (named && (is_loopback(named->host) || named->host == "0.0.0.0" || named->host == "::"))
    return {};
  what =
      "must be \"127.0.0.1:PORT\" (this machine only) or \"0.0.0.0:PORT\", the port from 1 to "
      "65535, or 0 for any.";
  return bad_input(what);
}

Status read_peers(const toml::node& node, std::vector<std::string>& out, std::string& what) {
  what = "must be a list of at most 32 addresses, like [\"192.168.1.5:7001\", \"[fe80::1]:7001\"].";
  const toml::array* array = node.as_array();
  if (array == nullptr || array->size() > 32) return bad_input(what);
  for (const toml::node& item : *array) {
    const auto value = item.value_exact<std::string>();
    if (!value) return bad_input(what);
    if (const auto parsed = parse_host_port(*value, false); !parsed) {
      what = "holds \"" + *value + "\": " + parsed.error().what;
      return parsed.error();
    }
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

Status read_meaning(const toml::node& node, std::string& out, std::string& what) {
  const auto value = node.value_exact<std::string>();
  what = "must be \"built-in\", \"endpoint\" (see [embeddings]) or \"off\".";
  if (value != "built-in" && value != "endpoint" && value != "off") return bad_input(what);
  out = *value;
  return {};
}

Status read_embeddings_key(std::string_view key, const toml::node& node, EndpointConfig& out,
                           std::string& what) {
  if (key == "base_url") return read_name(node, out.base_url, what);
  if (key == "model") return read_name(node, out.model, what);
  if (key == "key_env") return read_name(node, out.key_env, what);
  if (key == "remote") return read_bool(node, out.remote, what);
  if (key == "wait_ms") return read_number(node, 1, 10'000, out.wait_ms, what);
  what =
      "is not known. The known keys of [embeddings] are base_url, model, key_env, remote, wait_ms.";
  return bad_input(what);
}

Status read_embeddings(const toml::node& node, EndpointConfig& out, std::string& what) {
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    what = "must be a table: [embeddings].";
    return bad_input(what);
  }
  for (const auto& [key, value] : *table) {
    if (auto read = read_embeddings_key(key.str(), value, out, what); !read) {
      what = "holds `" + std::string(key.str()) + "`, which " + what;
      return read;
    }
  }
  return {};
}

Status read_names(const toml::node& node, std::vector<std::string>& out, std::string& what) {
  what = "must be a list of at most 64 names, like [\"general\"].";
  const toml::array* array = node.as_array();
  if (array == nullptr || array->size() > 64) return bad_input(what);
  for (const toml::node& item : *array) {
    std::string name, ignored;
    if (!read_name(item, name, ignored) || name.empty()) return bad_input(what);
    out.push_back(std::move(name));
  }
  return {};
}

// Only where the key is kept, never the key.
Status read_key_reference(const toml::node& node, std::string& out, std::string& what) {
  std::string ignored;
  const Status read = read_name(node, out, ignored);
  const std::size_t colon = out.find(':');
  const std::string kind = out.substr(0, colon);
  if (read && colon != std::string::npos && colon + 1 < out.size() &&
      (kind == "env" || kind == "keyring"))
    return {};
  what =
      "must be \"env:NAME\" (an environment variable) or \"keyring:NAME\" (see `kartei secretary "
      "key`), not the key itself.";
  return bad_input(what);
}

Status read_secretary_key(std::string_view key, const toml::node& node, ModelConfig& out,
                          std::string& what) {
  if (key == "base_url") return read_name(node, out.base_url, what);
  if (key == "model") return read_name(node, out.model, what);
  if (key == "key") return read_key_reference(node, out.key, what);
  if (key == "unix_socket") return read_name(node, out.unix_socket, what);
  if (key == "ca_file") return read_name(node, out.ca_file, what);
  if (key == "tokens_per_day") return read_number(node, 0, 1'000'000'000, out.tokens_per_day, what);
  if (key == "timeout_s") return read_number(node, 1, 600, out.timeout_s, what);
  if (key == "drawers") return read_names(node, out.drawers, what);
  what =
      "is not known. The known keys of [secretary] are base_url, model, key, unix_socket, ca_file, "
      "tokens_per_day, timeout_s, drawers.";
  return bad_input(what);
}

Status read_secretary(const toml::node& node, ModelConfig& out, std::string& what) {
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    what = "must be a table: [secretary].";
    return bad_input(what);
  }
  for (const auto& [key, value] : *table) {
    if (auto read = read_secretary_key(key.str(), value, out, what); !read) {
      what = "holds `" + std::string(key.str()) + "`, which " + what;
      return read;
    }
  }
  return {};
}

Status read_sorting(const toml::node& node, bool& out, std::string& what) {
  const toml::table* table = node.as_table();
  const auto mode = table != nullptr && table->size() == 1
                        ? (*table)["mode"].value_exact<std::string>()
                        : std::optional<std::string>();
  if (mode != "on" && mode != "off") {
    what = "must be a table with nothing but `mode`, \"on\" or \"off\".";
    return bad_input(what);
  }
  out = mode == "on";
  return {};
}

Status read_key(std::string_view key, const toml::node& node, Config& config, std::string& what) {
  if (key == "name") return read_name(node, config.name, what);
  if (key == "kind") return read_kind(node, config.kind, what);
  if (key == "log") return read_log(node, config.log, what);
  if (key == "listen") return read_listen(node, config.listen, what);
  if (key == "peers") return read_peers(node, config.peers, what);
  if (key == "discovery") return read_bool(node, config.discovery, what);
  if (key == "zone") return read_zone(node, config.zone, what);
  if (key == "silence_s") return read_number(node, 1, 86'400, config.silence_s, what);
  if (key == "boxes") return read_size(node, 1, 256, config.boxes, what);
  if (key == "connections") return read_size(node, 1, 1024, config.connections, what);
  if (key == "waiting") return read_size(node, 1, 65'536, config.waiting, what);
  if (key == "meaning") return read_meaning(node, config.meaning, what);
  if (key == "model_file") return read_text(node, config.model_file, what);
  if (key == "embeddings") return read_embeddings(node, config.embeddings, what);
  if (key == "secretary") return read_secretary(node, config.secretary, what);
  if (key == "sorting") return read_sorting(node, config.sorting, what);
  what = "is not known. The known keys are in daemon/README.md.";
  return bad_input(what);
}

// A value as it stands in the file, not too much of it.
std::string shown(const toml::node& node) {
  std::ostringstream text;
  text << toml::toml_formatter{node};
  std::string out = text.str();
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  if (out.size() > 80) out = out.substr(0, 80) + "...";
  return out;
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
    if (read_key(key.str(), node, config, what).has_error()) {
      // Somebody may have written a key there.
      const bool shy = key.str() == "secretary";
      const std::string value = shy ? std::string(" ") : " (here " + shown(node) + ") ";
      return at_line(name_for_errors, key.source(),
                     "`" + std::string(key.str()) + "`" + value + what);
    }
  }
  if (config.meaning == "endpoint" &&
      (config.embeddings.base_url.empty() || config.embeddings.model.empty()))
    return bad_input(name_for_errors +
                     ": `meaning = \"endpoint\"` needs base_url and model in [embeddings].");
  if (config.secretary.base_url.empty() != config.secretary.model.empty())
    return bad_input(name_for_errors + ": [secretary] needs base_url and model, or neither.");
  return config;
}

Result<HostPort> parse_host_port(std::string_view text, bool any_port) {
  const Error wrong = bad_input(std::string("an address is HOST:PORT, the port from ") +
                                (any_port ? "0" : "1") + " to 65535, an IPv6 host in brackets.");
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return wrong;
  HostPort out;
  std::string_view host = text.substr(0, colon);
  const bool brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (brackets) host = host.substr(1, host.size() - 2);
  const bool plain = std::none_of(host.begin(), host.end(), [&](char c) {
    return static_cast<unsigned char>(c) <= 0x20 || c == '/' || (c == ':' && !brackets);
  });
  if (host.empty() || host.size() > 253 || !plain) return wrong;
  const std::string_view digits = text.substr(colon + 1);
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, out.port);
  if (digits.empty() || read.ec != std::errc{} || read.ptr != end || (out.port == 0 && !any_port))
    return wrong;
  out.host = host;
  return out;
}

bool is_loopback(std::string_view host) {
  return host == "127.0.0.1" || host == "localhost" || host == "::1";
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
