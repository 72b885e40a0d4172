// kartei-bench: measures real daemons, each figure beside its floor from the same run. See
// README.md.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <thread>

#include "tests/bench/floors.h"
#include "tests/bench/scenarios.h"

namespace kartei::bench {
namespace {

namespace json = boost::json;

struct Named {
  const char* name;
  Result<json::object> (*run)(const Setting&);
};
constexpr Named kScenarios[] = {
    {"turn_to_202", turn_to_202},       {"phone_to_laptop", phone_to_laptop},
    {"recall_at_size", recall_at_size}, {"catch_up", catch_up},
    {"closed_box", closed_box},         {"idle", idle}};

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

Status measure_floors(Setting& setting) {
  char folder[] = "/tmp/kartei-floor-XXXXXX";
  if (::mkdtemp(folder) == nullptr)
    return Error{Cause::kIo, "no temporary folder can be made in /tmp", {}};
  const int rounds = setting.quick ? 300 : 2'000;
  KARTEI_ASSIGN(setting.ping_pong, ping_pong(rounds));
  KARTEI_ASSIGN(setting.append, append_synced(folder, rounds));
  KARTEI_ASSIGN(setting.sqlite, sqlite_insert(folder, rounds));
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return {};
}

int run(Setting setting, const std::vector<std::string>& only) {
  const auto fail = [](const char* what, const Error& error) {
    std::fprintf(stderr, "kartei-bench: %s: %s\n", what, error.what.c_str());
    return 1;
  };
  if (auto status = measure_floors(setting); status.has_error())
    return fail("floors", status.error());
  json::object out;
  out["machine"] =
      json::object{{"processor", processor()}, {"cores", std::thread::hardware_concurrency()}};
  out["floors"] = json::object{{"loopback_ping_pong_300_bytes", setting.ping_pong.report()},
                               {"fdatasync_append_300_bytes", setting.append.report()},
                               {"sqlite_insert_full", setting.sqlite.report()}};
  for (const Named& scenario : kScenarios) {
    if (!only.empty() && std::find(only.begin(), only.end(), scenario.name) == only.end()) continue;
    std::fprintf(stderr, "measuring %s ...\n", scenario.name);
    auto result = scenario.run(setting);
    if (result.has_error()) return fail(scenario.name, result.error());
    out[scenario.name] = std::move(*result);
  }
  std::printf("%s\n", json::serialize(out).c_str());
  return 0;
}

}  // namespace
}  // namespace kartei::bench

int main(int argc, char** argv) {
  kartei::bench::Setting setting;
  std::vector<std::string> only;
  std::error_code ignored;
  setting.karteid =
      std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / "karteid";
  CLI::App app{
      "Measures real daemons on this machine and prints JSON, each figure beside its floor."};
  app.add_option("--karteid", setting.karteid,
                 "the daemon to start (default: beside this program)");
  app.add_flag("--quick", setting.quick, "fewer rounds, smaller boxes, ten seconds of idleness");
  app.add_flag("--large", setting.large, "recall_at_size goes on to a million rows");
  app.add_option("--only", only,
                 "scenarios by name: turn_to_202, phone_to_laptop, recall_at_size, catch_up, "
                 "closed_box, idle");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return kartei::bench::run(setting, only);
}
