// The way to the Secret Service, with programs in its helper's place that do what a helper must
// not.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>

#include "crypto/keyring/helper_protocol.h"
#include "tests/keyring/support.h"

namespace kartei::keyring {
namespace {

using crypto::Secret;

class Helper : public testing::Test {
 protected:
  // A shell script as the helper.
  HelperSecretService with(const std::string& script, std::int64_t timeout_ms = 20'000) {
    const auto file = directory_.path() / "helper";
    std::filesystem::remove(file);
    std::ofstream(file) << "#!/bin/sh\n" << script << '\n';
    ::chmod(file.c_str(), 0700);
    HelperOptions options;
    options.program = file;
    options.timeout_ms = timeout_ms;
    return HelperSecretService(options);
  }
  std::string noted() const {
    std::ifstream in(directory_.path() / "noted");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string note() const { return (directory_.path() / "noted").string(); }

  const WrapId id_{0xab, 0xcd};
  crypto::TemporaryDirectory directory_;
};

TEST_F(Helper, its_value_comes_back) {
  auto service = with("printf some-value");
  const auto value = service.look_up(id_);
  ASSERT_TRUE(value) << value.error().what;
  EXPECT_EQ(as_text(value->view()), "some-value");
}

TEST_F(Helper, a_value_goes_by_its_standard_input_and_never_as_an_argument) {
  auto service = with("echo \"$@\" >" + note() + "; cat >>" + note());
  ASSERT_TRUE(service.store(id_, Secret(as_bytes("the-value"))));
  EXPECT_EQ(noted(), "store abcd0000000000000000000000000000\nthe-value");
}

TEST_F(Helper, every_outcome_has_words_of_its_own) {
  std::set<std::string> seen;
  for (const int status :
       std::initializer_list<int>{kHelperNoLibrary, kHelperNoBus, kHelperNoService, kHelperLocked,
                                  kHelperFailed, 127, 1}) {
    auto service = with("echo some words >&2; exit " + std::to_string(status));
    const auto value = service.look_up(id_);
    ASSERT_TRUE(value.has_error()) << status;
    EXPECT_EQ(value.error().cause, Cause::kUnavailable) << status;
    EXPECT_NE(value.error().what.find("some words"), std::string::npos) << value.error().what;
    seen.insert(value.error().what);
  }
  EXPECT_EQ(seen.size(), 5u);
  auto service = with("exit " + std::to_string(kHelperNotFound));
  EXPECT_EQ(service.look_up(id_).error().cause, Cause::kNotFound);
}

TEST_F(Helper, one_that_hangs_is_killed_in_time_with_what_it_has_open) {
  for (const char* script : {"sleep 600", "exec sleep 600 >/dev/null 2>&1", "printf x; sleep 600",
                             "trap '' TERM INT HUP; while :; do sleep 600; done"}) {
    const auto begin = std::chrono::steady_clock::now();
    auto service = with(script, 300);
    const auto value = service.look_up(id_);
    const auto took = std::chrono::steady_clock::now() - begin;
    ASSERT_TRUE(value.has_error()) << script;
    EXPECT_EQ(value.error().cause, Cause::kUnavailable);
    EXPECT_NE(value.error().what.find("did not answer"), std::string::npos) << value.error().what;
    EXPECT_LT(took, std::chrono::seconds(20)) << script;
  }
}

TEST_F(Helper, one_that_dies_or_says_too_much_or_does_not_listen_is_an_error) {
  EXPECT_FALSE(with("kill -9 $$").look_up(id_));
  EXPECT_FALSE(with("head -c 100000 /dev/zero; exit 15").look_up(id_));
  EXPECT_FALSE(with("head -c 100000 /dev/zero").look_up(id_));
  EXPECT_FALSE(with("exec 0<&-; exit 15").store(id_, Secret(as_bytes("the-value"))));
  const auto words = with("head -c 100000 /dev/zero | tr '\\0' 'a' >&2; exit 15").look_up(id_);
  ASSERT_TRUE(words.has_error());
  EXPECT_LT(words.error().what.size(), 2048u);
}

TEST_F(Helper, one_that_is_not_there_says_so) {
  HelperSecretService nowhere({});
  EXPECT_EQ(nowhere.look_up(id_).error().cause, Cause::kUnavailable);
  HelperSecretService gone({directory_.path() / "nothing"});
  EXPECT_EQ(gone.look_up(id_).error().cause, Cause::kUnavailable);
}

// The real one, where there is no bus: it must not start one.
TEST_F(Helper, without_a_bus_there_is_no_service) {
  const auto program = find_secret_service_helper();
  ASSERT_FALSE(program.empty());
  const auto launcher = directory_.path() / "dbus-launch";
  std::ofstream(launcher) << "#!/bin/sh\necho started >" << note() << '\n';
  ::chmod(launcher.c_str(), 0700);
  const std::string around =
      "unset XDG_RUNTIME_DIR; export DISPLAY=:77 PATH=" + directory_.path().string() + ":$PATH; ";
  for (const std::string address :
       {"unset DBUS_SESSION_BUS_ADDRESS",
        "export DBUS_SESSION_BUS_ADDRESS=", "export DBUS_SESSION_BUS_ADDRESS=autolaunch:",
        "export DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent/bus"}) {
    auto service = with(around + address + "; exec " + program.string() + " \"$@\"");
    const auto value = service.look_up(id_);
    ASSERT_TRUE(value.has_error()) << address;
    EXPECT_NE(value.error().what.find("no D-Bus session"), std::string::npos) << value.error().what;
    EXPECT_EQ(noted(), "") << address;
  }
}

}  // namespace
}  // namespace kartei::keyring
