// Nothing that somebody does to the files is read as data, and the checks themselves are checked:
// a format with a defect must not pass them.
#include "tests/vault/thief.h"

#include <gtest/gtest.h>

#include "tests/vault/broken_format.h"
#include "tests/vault/crash_run.h"

namespace kartei::vault_test {
namespace {

TEST(Thief, GetsNothingPastTheVault) {
  for (const Check& check : thief_checks()) {
    const auto wrong = check.run(vault::make_format);
    EXPECT_FALSE(wrong) << check.name << ": " << *wrong;
  }
}

// All that notices the defect.
std::vector<std::string> noticed_by(Defect defect) {
  std::vector<std::string> names;
  const auto maker = broken_format(defect);
  for (const Check& check : thief_checks())
    if (check.run(maker)) names.push_back(check.name);
  const Plan plan{4, 1024, false, 8, "Quittenbaum"};
  if (run_crashes(plan, {7, false, 0, true}, maker).failures > 0) names.push_back("crash run");
  return names;
}

TEST(Checks, PassASecondFormatWithoutDefect) {
  const auto names = noticed_by(Defect::kNone);
  EXPECT_TRUE(names.empty()) << names.front();
}

TEST(Checks, NoticeEveryDefect) {
  for (const Defect defect : kDefects) {
    const auto names = noticed_by(defect);
    EXPECT_FALSE(names.empty()) << name_of(defect) << " goes unnoticed";
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    std::printf("    %s: noticed by %s\n", name_of(defect), all.c_str());
  }
}

// What a tag for each page cannot tell: that a page, or everything, is of an earlier time.
TEST(Thief, CanPutAnOlderFileBack) {
  const auto scene = make_scene(vault::make_format, false);
  ASSERT_TRUE(scene);
  DiskImage image = scene->image;
  const FaultDisk disk(image);
  {
    auto vault = open_vault(disk);
    ASSERT_TRUE(vault.has_value());
    auto db = connect(**vault);
    ASSERT_TRUE(db.has_value());
    ASSERT_TRUE(execute(db->get(), "DELETE FROM turns").has_value());
  }
  ASSERT_NE(disk.live().at(kFile), image.at(kFile));
  const Found found = read_all(image, *scene, vault::make_format);
  EXPECT_TRUE(found.right);
  EXPECT_TRUE(found.failures.empty());
}

}  // namespace
}  // namespace kartei::vault_test
