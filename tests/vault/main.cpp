// The proof that a sealed database survives: see README.md. Prints a table; exit 1 on any failure.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "tests/vault/crash_run.h"

namespace {

using namespace kartei::vault_test;

struct Options {
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 1;
  int steps = 60;
  std::uint64_t stride = 1;
  std::uint64_t fault_stride = 1;
  std::vector<std::size_t> page_sizes = {1024, 4096, 16384};
  bool crashes = true;
  bool faults = true;
  bool quick = false;
  bool spills = false;
};

int print(const Tally& tally, std::size_t page_size) {
  std::printf("| %-28s | %9zu | %7llu | %8llu | %7llu | %8llu | %7.1f |\n", tally.what.c_str(),
              page_size, static_cast<unsigned long long>(tally.points),
              static_cast<unsigned long long>(tally.looks),
              static_cast<unsigned long long>(tally.silent),
              static_cast<unsigned long long>(tally.failures), tally.seconds);
  if (tally.renewed > 0)
    std::printf("    %llu needed a new connection for FTS5, %llu its index anew\n",
                static_cast<unsigned long long>(tally.renewed),
                static_cast<unsigned long long>(tally.rebuilt));
  for (const std::string& text : tally.first) std::printf("    %s\n", text.c_str());
  std::fflush(stdout);
  return tally.failures > 0 ? 1 : 0;
}

int run(const Options& options) {
  std::printf("| %-28s | page size | %7s | %8s | %7s | %8s | seconds |\n", "what", "points",
              "looks", "silent", "failures");
  std::printf("|---|---|---|---|---|---|---|\n");
  int bad = 0;
  for (const std::size_t page_size : options.page_sizes) {
    std::vector<Tally> rows(2 + std::size(kFaultKinds));
    for (std::uint64_t i = 0; i < options.seeds; ++i) {
      Plan plan{options.first_seed + i, page_size,     false,
                options.steps,          "Quittenbaum", options.spills};
      Scope scope{options.stride, !options.quick, 0, false};
      for (int lazy = 0; options.crashes && lazy < 2; ++lazy) {
        plan.lazy = lazy == 1;
        rows[static_cast<std::size_t>(lazy)].add(run_crashes(plan, scope));
      }
      plan.lazy = false;
      const Scope faults{options.fault_stride, false, 0, false};
      for (std::size_t kind = 0; options.faults && kind < std::size(kFaultKinds); ++kind)
        rows[2 + kind].add(run_faults(plan, kFaultKinds[kind], faults));
    }
    for (const Tally& row : rows)
      if (row.points > 0) bad |= print(row, page_size);
  }
  return bad;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Crashes and faults at every call of a sealed database's work");
  app.add_option("--seed", options.first_seed, "The first seed");
  app.add_option("--seeds", options.seeds, "How many");
  app.add_option("--steps", options.steps, "Steps of the work");
  app.add_option("--every", options.stride, "A crash every how many calls");
  app.add_option("--fault-every", options.fault_stride, "A fault every how many calls");
  app.add_option("--page-size", options.page_sizes, "Page sizes, in bytes");
  app.add_flag("!--no-crashes", options.crashes, "Faults only");
  app.add_flag("!--no-faults", options.faults, "Crashes only");
  app.add_flag("--spills", options.spills, "Pages go into the log before their commit, too");
  app.add_flag("--quick", options.quick, "No second crash");
  CLI11_PARSE(app, argc, argv);
  if (!kartei::crypto::init()) return 2;
  return run(options);
}
