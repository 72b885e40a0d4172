// kartei_sim: the simulator's program.
//   kartei_sim --seeds A:B [--jobs N] [--break RULE=VALUE]   all seeds; failing ones print
//   themselves kartei_sim --seed N [--trace] [--break RULE=VALUE]       one seed, event by event
//   kartei_sim --mutants --seeds A:B [--jobs N] [--all]      broken rules must be noticed; --all:
//   try those too that random runs meet rarely kartei_sim --twice --seeds A:B same seed, same run,
//   to the byte
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>

#include "crypto/random.h"
#include "tests/simulation/mutants.h"
#include "tests/simulation/run.h"

namespace kartei::sim {
namespace {

struct Options {
  Seeds seeds{0, 200};
  std::optional<std::uint64_t> seed;
  std::size_t jobs = 1;
  const Mutant* broken = nullptr;
  bool trace = false, mutants = false, all = false, twice = false;
};

// One thread, no statistics, room for small pieces: half the cost of small transactions. Before the
// first box.
void light_sqlite() {
  sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 256, 500);
}

// Steady time for the closing line only; no run sees it.
double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string replay_command(std::uint64_t seed, const Mutant* broken) {
  std::string command = "kartei_sim --seed " + std::to_string(seed) + " --trace";
  if (broken != nullptr) command += std::string(" --break ") + broken->name;
  return command;
}

int run_one(const Options& options, const sync::Rules& rules) {
  Templates templates;
  const Outcome outcome = run_seed(*options.seed, rules, templates, options.trace);
  for (const auto& [name, count] : outcome.coverage)
    std::printf("  %-32s %llu\n", name.c_str(), static_cast<unsigned long long>(count));
  std::printf("seed %llu: %s, trace %016llx\n", static_cast<unsigned long long>(*options.seed),
              outcome.violation.empty() ? "holds" : outcome.violation.c_str(),
              static_cast<unsigned long long>(outcome.trace_hash));
  return outcome.violation.empty() ? 0 : 1;
}

// What a thousand seeds cannot miss unless the simulation is idle.
constexpr const char* kMustHappen[] = {"turns",
                                       "edits",
                                       "units filed",
                                       "rollbacks",
                                       "power cuts",
                                       "power cuts that lost writes",
                                       "partitions",
                                       "one-way partitions",
                                       "joins",
                                       "revocations",
                                       "devices lost",
                                       "final positions",
                                       "messages lost",
                                       "kills",
                                       "pauses",
                                       "clock jumps",
                                       "pins",
                                       "drawers shared",
                                       "restores from backup",
                                       "equal feeds compared",
                                       "local turns"};

int run_many(const Options& options, const sync::Rules& rules) {
  const auto start = std::chrono::steady_clock::now();
  Coverage sum, runs_with;
  std::uint64_t done = 0, failed = 0;
  run_seeds(options.seeds, rules, options.jobs, [&](const Outcome& outcome) {
    ++done;
    for (const auto& [name, count] : outcome.coverage) {
      sum[name] += count;
      ++runs_with[name];
    }
    if (!outcome.violation.empty()) {
      ++failed;
      std::printf("seed %llu: %s\n  replay: %s\n", static_cast<unsigned long long>(outcome.seed),
                  outcome.violation.c_str(), replay_command(outcome.seed, options.broken).c_str());
      std::fflush(stdout);
    }
    if (done % 500 == 0) {
      std::printf("%llu seeds, %.0f s, %llu failed\n", static_cast<unsigned long long>(done),
                  seconds_since(start), static_cast<unsigned long long>(failed));
      std::fflush(stdout);
    }
    return true;
  });
  std::printf("%-34s %10s %12s\n", "what happened", "in seeds", "in all");
  for (const auto& [name, count] : sum)
    std::printf("%-34s %10llu %12llu\n", name.c_str(),
                static_cast<unsigned long long>(runs_with[name]),
                static_cast<unsigned long long>(count));
  std::printf("%llu seeds, %llu failed, %.1f s\n", static_cast<unsigned long long>(done),
              static_cast<unsigned long long>(failed), seconds_since(start));
  if (options.broken == nullptr && done >= 1'000)
    for (const char* name : kMustHappen)
      if (sum[name] == 0) {
        std::printf("never happened: %s\n", name);
        ++failed;
      }
  return failed == 0 ? 0 : 1;
}

int run_mutants(const Options& options) {
  int missed = 0;
  for (const Mutant& mutant : mutants()) {
    if (mutant.rare != nullptr && !options.all) {
      std::printf("%-28s left to %s: %s\n", mutant.name, mutant.by_hand, mutant.rare);
      continue;
    }
    const auto start = std::chrono::steady_clock::now();
    sync::Rules rules;
    mutant.apply(rules);
    std::uint64_t done = 0;
    std::optional<Outcome> caught;
    run_seeds(options.seeds, rules, options.jobs, [&](const Outcome& outcome) {
      ++done;
      if (!outcome.violation.empty()) caught = outcome;
      return !caught;
    });
    if (caught)
      std::printf("%-28s noticed after %llu seeds (%.1f s), seed %llu: %s\n", mutant.name,
                  static_cast<unsigned long long>(done), seconds_since(start),
                  static_cast<unsigned long long>(caught->seed), caught->violation.c_str());
    else
      std::printf("%-28s NOT NOTICED in %llu seeds (%.1f s)\n", mutant.name,
                  static_cast<unsigned long long>(done), seconds_since(start));
    std::fflush(stdout);
    missed += !caught && mutant.rare == nullptr;
  }
  std::printf("%d not noticed\n", missed);
  return missed == 0 ? 0 : 1;
}

int run_twice(const Options& options, const sync::Rules& rules) {
  int differ = 0;
  Templates one, other;
  for (std::uint64_t seed = options.seeds.from; seed < options.seeds.to; ++seed) {
    const Outcome a = run_seed(seed, rules, one, false);
    const Outcome b = run_seed(seed, rules, other, false);
    if (a.trace_hash == b.trace_hash && a.violation == b.violation && a.coverage == b.coverage)
      continue;
    ++differ;
    std::printf("seed %llu runs differently the second time\n",
                static_cast<unsigned long long>(seed));
  }
  std::printf("%llu seeds run twice, %d differ\n",
              static_cast<unsigned long long>(options.seeds.to - options.seeds.from), differ);
  return differ == 0 ? 0 : 1;
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (word == "--trace") {
      options.trace = true;
    } else if (word == "--mutants") {
      options.mutants = true;
    } else if (word == "--all") {
      options.all = true;
    } else if (word == "--twice") {
      options.twice = true;
    } else if (value == nullptr) {
      return false;
    } else if (word == "--seed") {
      options.seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--jobs") {
      options.jobs = std::clamp<std::size_t>(std::strtoull(argv[++i], nullptr, 10), 1, 64);
    } else if (word == "--seeds") {
      const char* colon = std::strchr(argv[++i], ':');
      if (colon == nullptr) return false;
      options.seeds = {std::strtoull(argv[i], nullptr, 10), std::strtoull(colon + 1, nullptr, 10)};
    } else if (word == "--break") {
      options.broken = find_mutant(argv[++i]);
      if (options.broken == nullptr) return false;
    } else {
      return false;
    }
  }
  return true;
}

int run(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(
        stderr,
        "usage: kartei_sim [--seeds A:B] [--jobs N] [--break RULE=VALUE] [--mutants [--all]] "
        "[--twice]\n       kartei_sim --seed N [--trace] [--break RULE=VALUE]\nrules:\n");
    for (const Mutant& m : mutants()) std::fprintf(stderr, "  %s\n", m.name);
    return 2;
  }
  if (!crypto::init()) {
    std::fprintf(stderr, "libsodium cannot be used\n");
    return 2;
  }
  light_sqlite();
  sync::Rules rules;
  if (options.broken != nullptr) options.broken->apply(rules);
  if (options.seed) return run_one(options, rules);
  if (options.mutants) return run_mutants(options);
  if (options.twice) return run_twice(options, rules);
  return run_many(options, rules);
}

}  // namespace
}  // namespace kartei::sim

int main(int argc, char** argv) {
  return kartei::sim::run(argc, argv);
}
