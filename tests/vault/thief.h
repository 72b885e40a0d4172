// Checks that play the thief: each takes a sealed database, alters its files, and tells what the
// vault made of it. They take the format, so that a broken one can be put beneath them. For tests.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/vault/workload.h"

namespace kartei::vault_test {

struct Check {
  const char* name;
  // Empty: as it should be.
  std::function<std::optional<std::string>(const vault::FormatMaker&)> run;
};
std::vector<Check> thief_checks();

// A sealed database with some work in it.
struct Scene {
  Plan plan;
  std::vector<Hash32> digests;  // after n transactions
  int transactions = 0;
  DiskImage image;
};
// Closed in order: no log. With a log: killed, with transactions in it that are nowhere else.
std::optional<Scene> make_scene(const vault::FormatMaker& maker, bool with_log,
                                std::uint64_t seed = 3);

// What somebody finds who opens it.
struct Found {
  bool opened = false;  // the vault
  std::string error;    // of the vault or a statement
  Cause cause = Cause::kInternal;
  int transactions = -1;  // where everything could be read
  bool right = false;     // and was as it had been after that many
  std::vector<vault::VaultFailure> failures;

  bool reports(vault::VaultFailure::Kind kind) const;
  bool reports(vault::VaultFailure::Kind kind, std::uint64_t number) const;
};
Found read_all(const DiskImage& image, const Scene& scene, const vault::FormatMaker& maker,
               const crypto::Secret& key = test_key(), bool accept_damaged_log = false);

}  // namespace kartei::vault_test
