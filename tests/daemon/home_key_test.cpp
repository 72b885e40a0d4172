// A home's keyring: made once, and never in the place of one that is needed.
#include "daemon/home_key.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/daemon/support.h"

namespace kartei::daemon {
namespace {
using namespace test;
namespace fs = std::filesystem;

class HomeKey : public ::testing::Test {
 protected:
  fs::path home() const { return folder_.path(); }
  void put(const std::string& name, const std::string& bytes) const {
    fs::create_directories((home() / name).parent_path());
    std::ofstream(home() / name, std::ios::binary) << bytes;
    ::chmod((home() / name).c_str(), 0600);
  }
  std::string refusal() {
    const auto key = open_data_key(home(), random_);
    return key ? "" : key.error().what;
  }

  crypto::SystemRandom random_;
  TempFolder folder_;
};

TEST_F(HomeKey, TheSameKeyEachTime) {
  const auto first = open_data_key(home(), random_), again = open_data_key(home(), random_);
  ASSERT_TRUE(first && again);
  EXPECT_EQ(first->size(), 32u);
  EXPECT_TRUE(equal_in_constant_time(first->view(), again->view()));
}

// A stop in the first seconds must not choose a key file for good.
TEST_F(HomeKey, NoKeyFileIsMadeBecauseTheServiceWasNotWaitedFor) {
  class Stopping final : public keyring::SecretService {
   public:
    Result<crypto::Secret> look_up(const keyring::WrapId&) override { return stop(); }
    Status store(const keyring::WrapId&, const crypto::Secret&) override { return stop(); }
    Status forget(const keyring::WrapId&) override { return stop(); }
    bool given_up() const override { return true; }

   private:
    static Error stop() { return {Cause::kUnavailable, "Stopping.", {}}; }
  } service;
  keyring::DiskKeyFiles files(home());
  std::string why;
  EXPECT_TRUE(open_or_make_keyring(home(), files, random_, service, why).has_error());
  EXPECT_FALSE(fs::exists(home() / "keyring"));
  EXPECT_FALSE(fs::exists(home() / "keyring.key"));
}

TEST_F(HomeKey, PlainBoxesDoNotNeedOne) {
  put("boxes/default/box.kartei", "SQLite format 3 and so on");
  put("boxes/default/identity", "KARTEIID and so on");
  put("boxes/other/box.kartei", "SQLite");
  put("boxes/empty/box.kartei", "");
  EXPECT_TRUE(sealed_boxes(home()).empty());
  EXPECT_EQ(refusal(), "");
}

TEST_F(HomeKey, ALostKeyringIsNotReplacedWhileABoxNeedsIt) {
  ASSERT_EQ(refusal(), "");
  put("boxes/default/box.kartei", "SQLite format 3 and so on");
  for (const char* name : {"boxes/work/box.kartei", "boxes/work/identity"}) {
    put(name, "sealed bytes of some kind");
    ASSERT_EQ(sealed_boxes(home()), std::vector<std::string>{"work"});
    fs::rename(home() / "keyring", home() / "elsewhere");
    const std::string said = refusal();
    EXPECT_NE(said.find("is missing"), std::string::npos) << said;
    EXPECT_NE(said.find("boxes: work"), std::string::npos) << said;
    EXPECT_FALSE(fs::exists(home() / "keyring"));
    fs::rename(home() / "elsewhere", home() / "keyring");
    EXPECT_EQ(refusal(), "");
    fs::remove(home() / name);
  }
}

TEST_F(HomeKey, ABoxThatCannotBeReadNowMayNeedIt) {
  fs::create_directories(home() / "boxes/link");
  fs::create_symlink(home() / "not there", home() / "boxes/link/box.kartei");
  fs::create_directories(home() / "boxes/odd/box.kartei");
  EXPECT_EQ(sealed_boxes(home()), (std::vector<std::string>{"link", "odd"}));
  EXPECT_NE(refusal(), "");
  EXPECT_FALSE(fs::exists(home() / "keyring"));
}

TEST_F(HomeKey, AnEmptyOrDamagedKeyringIsNotReplacedEither) {
  for (const char* bytes : {"", "KARTEIKR", "something"}) {
    put("keyring", bytes);
    EXPECT_NE(refusal(), "");
    std::ifstream in(home() / "keyring");
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), bytes);
  }
}

}  // namespace
}  // namespace kartei::daemon
