// What was typed wrongly is exit status 2 and a message, what failed is 1, and nothing is passed
// over in silence.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/daemon/api_support.h"
#include "tests/daemon/cli_support.h"

namespace kartei::daemon {
namespace {
using namespace test;

// A join that ends as it is told to, after it has been asked about a few times.
class ScriptedDesk final : public PairingDesk {
 public:
  Result<std::string> offer(std::shared_ptr<BoxHost>, std::int64_t) override { return code; }
  Status join(std::shared_ptr<BoxHost>, const std::string&, const std::string&) override {
    asked = 0;
    return {};
  }
  void cancel() override {}
  State state() const override {
    State state;
    state.name = ++asked < 3 ? "joining" : end;
    state.detail = detail;
    return state;
  }
  std::uint16_t port() const override { return reachable; }
  void when_reachable(std::function<void(Result<std::uint16_t>)> then) override {
    if (reachable != 0) return then(reachable);
    then(Error{Cause::kUnavailable, "No port is free.", {}});
  }
  void admitted(BoxHost&, store::DeviceId) override {}

  std::string code = "00000-00000", end = "failed", detail = "nobody waits";
  std::uint16_t reachable = 7001;
  mutable int asked = 0;
};

class UsageTest : public ::testing::Test {
 protected:
  Ran kartei(const std::vector<std::string>& arguments, const std::string& input = {}) {
    return run_cli(home_, arguments, input);
  }
  void usage(const std::vector<std::string>& arguments) {
    const auto ran = kartei(arguments);
    std::string all;
    for (const auto& one : arguments) all += one + "|";
    EXPECT_EQ(ran.status, 2) << all << ran.out << ran.err;
    EXPECT_FALSE(ran.err.empty()) << all;
  }
  void fails(const std::vector<std::string>& arguments, const std::string& word,
             const std::string& input = {}) {
    const auto ran = kartei(arguments, input);
    EXPECT_EQ(ran.status, 1) << ran.out << ran.err;
    EXPECT_NE(ran.err.find(word), std::string::npos) << ran.err;
  }
  std::string remember() {
    std::string id = kartei({"remember", "Sam likes tea."}).out;
    id.pop_back();
    return id;
  }
  TempFolder folder_;
  std::filesystem::path home_ = folder_.path() / "home";
  ScriptedDesk desk_;
  TestDaemon daemon_{home_, {}, &desk_};
};

TEST_F(UsageTest, ValuesThatCannotBeAreWrongUsage) {
  const std::string id = remember();
  for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{
           {"cards", "--limit", "0"},
           {"cards", "--limit", "501"},
           {"cards", "--limit", "-1"},
           {"cards", "--state", "lost"},
           {"cards", "--colour", "red"},
           {"cards", "--since", "monday"},
           {"cards", ""},
           {"recall", "tea", "--limit", "0"},
           {"recall", "tea", "--budget", "-1"},
           {"recall", "tea", "--as-of", "2026"},
           {"recall", ""},
           {"remember", ""},
           {"remember", "Sam likes tea.", "--colour", "red"},
           {"remember", "Sam likes tea.", "--flag", "shiny"},
           {"remember", "Sam likes tea.", "--from", "monday"},
           {"show", ""},
           {"edit", id},
           {"edit", id, "--text", ""},
           {"edit", id, "--text", "Sam likes coffee.", "--note", "x"},
           {"edit", id, "--why", "x"},
           {"edit", id, "--importance", "-1"},
           {"edit", id, "--importance", "2"},
           {"edit", id, "--flag", "persistent", "--no-flags"},
           {"share", ""},
           {"share", "plans", "--off", "--device", "phone"},
           {"pair", "--seconds", "0"},
           {"join", "12"},
           {"join", "00000-00000", "--address", "laptop"},
           {"primary", "bogus"},
           {"primary", "pin"},
           {"primary", "auto", "x"},
           {"box", "--budget", "0"},
           {"box", "--zone", ""},
           {"status", "--box", "NOT A NAME"},
           {"status", "more"},
           {"observe", ""},
           {"import", ""},
           {"completions", "powershell"}})
    usage(wrong);
  EXPECT_EQ(kartei({"cards", "--state", "all"}).out.find("coffee"), std::string::npos);
}

TEST_F(UsageTest, WhatWasSaidIsSent) {
  for (int i = 0; i < 3; ++i) remember();
  const auto tight = boost::json::parse(kartei({"recall", "tea", "--budget", "1", "--json"}).out);
  EXPECT_TRUE(tight.at("items").as_array().empty());
  const auto wide = boost::json::parse(kartei({"recall", "tea", "--budget", "0", "--json"}).out);
  EXPECT_EQ(wide.at("items").as_array().size(), 3U);
  ASSERT_EQ(kartei({"box", "--budget", "1"}).status, 0);
  const auto all = boost::json::parse(kartei({"recall", "tea", "--budget", "0", "--json"}).out);
  EXPECT_EQ(all.at("items").as_array().size(), 3U) << "0 is not the box's own budget";
  ASSERT_EQ(kartei({"box", "--owner", "Maya"}).status, 0);
  ASSERT_EQ(kartei({"box", "--owner", ""}).status, 0);
  EXPECT_EQ(kartei({"box"}).out.find("Maya"), std::string::npos);
}

TEST_F(UsageTest, AFileThatCannotBeReadIsAFailure) {
  fails({"import", folder_.path().string()}, "folder");
  fails({"observe", folder_.path().string()}, "folder");
  fails({"import", (folder_.path() / "none").string()}, "No such file");
  fails({"import", "-"}, "nothing to import", " \n");
  fails({"import", "-"}, "Line 1", "not an export\n");
  std::ofstream(folder_.path() / "empty").close();
  fails({"import", (folder_.path() / "empty").string()}, "nothing to import");
}

TEST_F(UsageTest, RefusedTurnsAreAFailure) {
  fails({"observe", "-", "--conversation", "c"}, "1 of 2 turns were refused",
        "Maya: my PIN is 4821\nMaya: good\n");
  EXPECT_EQ(kartei({"status"}).out.find("0 turns"), std::string::npos) << "the other one is kept";
}

TEST_F(UsageTest, JoiningTellsHowItEnded) {
  fails({"join", "0000000000"}, "nobody waits");
  EXPECT_GE(desk_.asked, 3);
  desk_.end = "done";
  const auto joined = kartei({"join", "00000-00000"});
  EXPECT_EQ(joined.status, 0) << joined.err;
  EXPECT_TRUE(joined.out.starts_with("This device belongs to the box.")) << joined.out;
  desk_.end = "waiting";
  EXPECT_NE(kartei({"join", "00000-00000"}).out.find("approve"), std::string::npos);
}

TEST_F(UsageTest, PairingNamesThePortOrFails) {
  const auto offered = boost::json::parse(kartei({"pair", "--json"}).out);
  EXPECT_EQ(offered.at("port"), 7001);
  EXPECT_EQ(offered.at("code"), "00000-00000");
  desk_.reachable = 0;
  fails({"pair"}, "No port is free");
  desk_.reachable = 7001;
  EXPECT_TRUE(boost::json::parse(kartei({"pair", "--box", "other", "--json"}).out)
                  .as_object()
                  .contains("recovery_key"));
}

}  // namespace
}  // namespace kartei::daemon
