#include "daemon/config.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "tests/daemon/support.h"

namespace kartei::daemon {
namespace {

Environment environment(std::map<std::string, std::string> values) {
  return [values](const char* name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(Paths, HomeHoldsEverything) {
  const auto paths =
      find_paths(environment({{"KARTEI_HOME", "/a/b"}, {"XDG_RUNTIME_DIR", "/run/u"}}));
  ASSERT_TRUE(paths);
  EXPECT_EQ(paths->home, "/a/b");
  EXPECT_EQ(paths->socket, "/a/b/kartei.sock");
  EXPECT_EQ(paths->config, "/a/b/config.toml");
}

TEST(Paths, WithoutItXdgDecides) {
  const auto paths = find_paths(environment({{"HOME", "/home/m"}, {"XDG_RUNTIME_DIR", "/run/u"}}));
  ASSERT_TRUE(paths);
  EXPECT_EQ(paths->home, "/home/m/.local/share/kartei");
  EXPECT_EQ(paths->socket, "/run/u/kartei/kartei.sock");
  EXPECT_EQ(paths->config, "/home/m/.config/kartei/config.toml");
  const auto data = find_paths(environment({{"HOME", "/home/m"}, {"XDG_DATA_HOME", "/data"}}));
  EXPECT_EQ(data->home, "/data/kartei");
  EXPECT_EQ(data->socket, "/data/kartei/kartei.sock");
  const auto relative = find_paths(environment({{"HOME", "/home/m"}, {"XDG_DATA_HOME", "data"}}));
  EXPECT_EQ(relative->home, "/home/m/.local/share/kartei");
  EXPECT_TRUE(find_paths(environment({})).has_error());
}

TEST(Config, AllKeysAreRead) {
  const auto config = parse_config(R"(
name = "kitchen"
kind = "phone"
log = "debug"
listen = "127.0.0.1:0"
peers = ["127.0.0.1:7001", "[::1]:7002"]
discovery = false
zone = "Europe/Berlin"
silence_s = 30
boxes = 4
connections = 8
waiting = 16
meaning = "endpoint"
model_file = "/models/table.kmodel"
[embeddings]
base_url = "http://127.0.0.1:8080/v1"
model = "small"
key_env = "KEY"
remote = true
wait_ms = 40
[sorting]
mode = "on"
)",
                                   "test");
  ASSERT_TRUE(config) << config.error().what;
  EXPECT_EQ(config->name, "kitchen");
  EXPECT_EQ(config->kind, election::Kind::kPhone);
  EXPECT_EQ(config->log, "debug");
  EXPECT_EQ(config->listen, "127.0.0.1:0");
  EXPECT_EQ(config->peers.size(), 2U);
  EXPECT_FALSE(config->discovery);
  EXPECT_EQ(config->zone, "Europe/Berlin");
  EXPECT_EQ(config->silence_s, 30);
  EXPECT_EQ(config->boxes, 4U);
  EXPECT_EQ(config->connections, 8U);
  EXPECT_EQ(config->waiting, 16U);
  EXPECT_TRUE(config->sorting);
  EXPECT_EQ(config->meaning, "endpoint");
  EXPECT_EQ(config->model_file, "/models/table.kmodel");
  EXPECT_EQ(config->embeddings,
            (EndpointConfig{"http://127.0.0.1:8080/v1", "small", "KEY", true, 40}));
}

TEST(Config, AnEndpointNeedsItsAddressAndModel) {
  for (const char* text :
       {"meaning = \"endpoint\"", "meaning = \"endpoint\"\n[embeddings]\nmodel = \"m\"",
        "meaning = \"endpoint\"\n[embeddings]\nbase_url = \"http://[::1]/v1\""}) {
    const auto config = parse_config(text, "karteid.toml");
    ASSERT_TRUE(config.has_error()) << text;
    EXPECT_NE(config.error().what.find("base_url"), std::string::npos) << config.error().what;
  }
}

TEST(Config, FaultsNameKeyAndLine) {
  for (const char* text :
       {"\nsilense_s = 3", "\nkind = \"fridge\"", "\nlog = 3", "\nsilence_s = 0", "\npeers = \"x\"",
        "\npeers = [1]", "\ndiscovery = \"no\"", "\nname = 7", "\nmeaning = \"magic\"",
        "\nembeddings = 3", "\n[embeddings]\nbase_url = 3", "\n[embeddings]\nbase = \"x\"",
        "\n[sorting]\nmode = \"sometimes\"", "\nsorting = true", "\n= broken"}) {
    const auto config = parse_config(text, "karteid.toml");
    ASSERT_TRUE(config.has_error()) << text;
    EXPECT_NE(config.error().what.find("karteid.toml, line 2"), std::string::npos)
        << config.error().what;
  }
}

TEST(Config, ValuesThatCannotBeAreRefused) {
  const std::pair<const char*, const char*> faults[] = {
      {"listen = \"0.0.0.0:99999\"", "99999"},
      {"listen = \"127.0.0.1\"", "127.0.0.1:PORT"},
      {"listen = \"127.0.0.1:\"", "from 1 to 65535"},
      {"listen = \"127.0.0.1:-1\"", "65535"},
      {"listen = \"192.168.1.5:7001\"", "0.0.0.0:PORT"},
      {"peers = [\"192.168.1.5\"]", "HOST:PORT"},
      {"peers = [\"192.168.1.5:70000\"]", "192.168.1.5:70000"},
      {"peers = [\"192.168.1.5:0\"]", "from 1 to 65535"},
      {"peers = [\":7001\"]", "HOST:PORT"},
      {"peers = [\"fe80::1:7001\"]", "brackets"},
      {"peers = [\"a b:7001\"]", "HOST:PORT"},
      {"zone = \"Europe/Atlantis\"", "Europe/Atlantis"},
      {"zone = \"../../etc/passwd\"", "IANA"},
      {"name = \"two\\nlines\"", "one line"},
      {"silence_s = 100000", "100000"},
      {"connections = 0", "from 1 to 1024"},
      {"kind = \"fridge\"", "fridge"}};
  for (const auto& [text, word] : faults) {
    const auto config = parse_config(text, "karteid.toml");
    ASSERT_TRUE(config.has_error()) << text;
    const std::string what = config.error().what;
    EXPECT_NE(what.find("karteid.toml, line 1: `"), std::string::npos) << what;
    EXPECT_NE(what.find(word), std::string::npos) << what;
    EXPECT_NE(what.find("(here "), std::string::npos) << what;
  }
  const std::string longest(128, 'x');
  EXPECT_TRUE(parse_config("name = \"" + longest + "\"", "c"));
  EXPECT_TRUE(parse_config("name = \"" + longest + "x\"", "c").has_error());
  for (const char* fine : {"listen = \"[::]:7001\"", "listen = \"localhost:0\"", "listen = \"\"",
                           "peers = [\"laptop.local:7001\", \"[fe80::1%eth0]:1\"]", "zone = \"\""})
    EXPECT_TRUE(parse_config(fine, "c")) << fine;
}

TEST(Config, AMissingFileIsFineOnlyWhereNobodyAskedForIt) {
  EXPECT_TRUE(load_config("/nonexistent/karteid.toml", false));
  EXPECT_TRUE(load_config("/nonexistent/karteid.toml", true).has_error());
  test::TempFolder folder;
  std::ofstream(folder.path() / "c.toml") << "silence_s = 7\n";
  EXPECT_EQ(load_config(folder.path() / "c.toml", true)->silence_s, 7);
}

TEST(Config, TheZoneComesFromTheEnvironmentFirst) {
  EXPECT_EQ(system_zone(environment({{"TZ", ":Europe/Paris"}})), "Europe/Paris");
  EXPECT_FALSE(system_zone(environment({})).empty());
}

}  // namespace
}  // namespace kartei::daemon
