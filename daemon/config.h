// What the owner may set for one device, and where things lie. Values; read once, and again on
// SIGHUP.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "crypto/result.h"
#include "daemon/http_embedder.h"
#include "election/election.h"

namespace kartei::daemon {

// Environment variables by name; empty: not set. Passed in, for tests.
using Environment = std::function<std::optional<std::string>(const char* name)>;
Environment process_environment();

struct Paths {
  std::filesystem::path home;  // everything of this device
  std::filesystem::path socket;
  std::filesystem::path config;  // the file read where --config names none
};
// KARTEI_HOME holds everything, the socket too. Without it: $XDG_DATA_HOME/kartei, and the socket
// in $XDG_RUNTIME_DIR/kartei (or in the home, where the session has no runtime folder).
Result<Paths> find_paths(const Environment& environment);

// A chat endpoint that helps the secretary; no base_url: none.
struct ModelConfig {
  std::string base_url;  // up to and with "/v1"
  std::string model;
  std::string key;  // "env:NAME" or "keyring:NAME"; empty: none is sent
  std::string unix_socket, ca_file;
  std::int64_t tokens_per_day = 200'000;
  std::int64_t timeout_s = 60;       // for one reading, tries included
  std::vector<std::string> drawers;  // that may be sent to another machine; "BOX/NAME" in others
  bool operator==(const ModelConfig&) const = default;
};

struct Config {
  std::string name;  // of this device; empty: the host's
  election::Kind kind = election::Kind::kLaptop;
  std::string log = "info";  // trace, debug, info, warn, error, off
  // Where other devices connect, once sync is on; empty: the default port, or another where it is
  // taken.
  std::string listen;
  std::vector<std::string> peers;  // fixed addresses of other devices
  bool discovery = true;           // look for devices on the local network
  std::string zone;                // IANA; empty: the system's
  std::int64_t silence_s = 120;    // after which the secretary reads
  std::size_t boxes = 16;          // open at once
  std::size_t connections = 64;    // of apps, at once
  std::size_t waiting = 256;       // requests that may wait for the writer
  // What finds things by their meaning: "built-in", "endpoint" or "off".
  std::string meaning = "built-in";
  std::string model_file;  // of the built-in table; empty: where it was installed
  EndpointConfig embeddings;
  ModelConfig secretary;
  bool sorting = false;  // turns that name no drawer, by what they are about
};

// A missing file gives the defaults unless `must_exist`. Unknown keys and wrong kinds are errors
// that name key and line.
Result<Config> load_config(const std::filesystem::path& file, bool must_exist);
Result<Config> parse_config(std::string_view text, const std::string& name_for_errors);

// "host:port", the host a name, an IPv4 address, or an IPv6 address in brackets; ports from 1, or
// from 0 where any will do. The error says what is allowed.
struct HostPort {
  std::string host;
  std::uint16_t port = 0;
};
Result<HostPort> parse_host_port(std::string_view text, bool any_port);
bool is_loopback(std::string_view host);

// The IANA name of the system's zone; "UTC" where it cannot be told.
std::string system_zone(const Environment& environment);

}  // namespace kartei::daemon
