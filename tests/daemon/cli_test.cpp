// The command line, in process, against a daemon in process.
#include "daemon/cli/cli.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "daemon/cli/conversation_file.h"
#include "tests/daemon/api_support.h"
#include "tests/daemon/cli_support.h"

namespace kartei::daemon {
namespace {
using namespace test;

class CliTest : public ::testing::Test {
 protected:
  Ran kartei(const std::vector<std::string>& arguments, const std::string& input = {}) {
    return run_cli(home_, arguments, input);
  }
  TempFolder folder_;
  std::filesystem::path home_ = folder_.path() / "home";
  TestDaemon daemon_{home_};
};

TEST_F(CliTest, ObserveThenRecall) {
  const auto stored = kartei({"observe", "-", "--conversation", "c"},
                             "Maya: I live in Bremen,\nright by the river.\nassistant: Noted.\n");
  EXPECT_EQ(stored.status, 0) << stored.err;
  EXPECT_EQ(stored.out, "2 turns stored.\n");
  EXPECT_TRUE(eventually(
      [&] { return kartei({"status"}).out.find("Left to read: 0") != std::string::npos; }));
  EXPECT_NE(kartei({"recall", "where", "does", "Maya", "live"}).out.find("Bremen"),
            std::string::npos);
  const auto why = kartei({"why", "Bremen"});
  EXPECT_NE(why.out.find("found by"), std::string::npos);
  EXPECT_EQ(why.out.find("Nobody"), std::string::npos);
  EXPECT_NE(kartei({"why", "Bremne"}).out.find("Nobody ever said \"bremne\"; taken for bremen."),
            std::string::npos);
  EXPECT_EQ(kartei({"--json", "recall", "Bremen"}).out[0], '{');
  const auto audit = kartei({"audit", "--limit", "2"});
  EXPECT_EQ(audit.status, 0) << audit.err;
  EXPECT_NE(audit.out.find("Bremen"), std::string::npos) << audit.out;
  EXPECT_EQ(kartei({"recall", "Bremen", "--json"}).out[0], '{');
}

TEST_F(CliTest, OutputThatCannotBeWrittenIsAFailure) {
  std::istringstream in;
  std::ostream out(nullptr);  // takes nothing
  std::ostringstream err;
  const Environment environment = [home = home_](const char* name) -> std::optional<std::string> {
    if (std::string(name) == "KARTEI_HOME") return home.string();
    return std::nullopt;
  };
  EXPECT_EQ(cli::run({"status"}, {in, out, err, environment, {}}), 1);
  EXPECT_EQ(err.str(), "kartei: The output cannot be written.\n");
}

TEST_F(CliTest, CardsThroughTheirLife) {
  std::string id = kartei({"remember", "Sam", "likes", "tea.", "--from", "2026-03"}).out;
  ASSERT_EQ(id.size(), 33U);
  id.pop_back();
  EXPECT_NE(kartei({"cards"}).out.find("Sam likes tea."), std::string::npos);
  EXPECT_NE(kartei({"show", id}).out.find("valid_from      2026-03"), std::string::npos);
  EXPECT_EQ(kartei({"edit", id, "--flag", "persistent"}).status, 0);
  EXPECT_EQ(kartei({"edit", id, "--text", "Sam likes coffee."}).status, 0);
  EXPECT_NE(kartei({"history", id}).out.find("coffee"), std::string::npos);
  const auto erased = kartei({"forget", id, "--json"});
  ASSERT_EQ(erased.status, 0);
  const std::string erasure(boost::json::parse(erased.out).at("erasure").as_string());
  EXPECT_NE(kartei({"erasure", erasure}).out.find("The erasure is done."), std::string::npos);
  const auto gone = kartei({"close", "00"});
  EXPECT_EQ(gone.status, 1);
  EXPECT_TRUE(gone.err.starts_with("kartei: There is no card with the id \"00\".")) << gone.err;
}

TEST_F(CliTest, SharingMakesADrawerButNotByATypingError) {
  EXPECT_EQ(kartei({"share", "plans"}).status, 0);
  const auto mistyped = kartei({"share", "plnas"});
  EXPECT_EQ(mistyped.status, 1);
  EXPECT_NE(mistyped.err.find("There are: plans."), std::string::npos) << mistyped.err;
  EXPECT_NE(mistyped.err.find("--create"), std::string::npos) << mistyped.err;
  EXPECT_EQ(kartei({"drawers"}).out.find("plnas"), std::string::npos);
  EXPECT_EQ(kartei({"share", "plans", "--off", "--create"}).status, 2);
}

TEST_F(CliTest, EveryListingVerbWorks) {
  for (const char* verb : {"drawers", "devices", "primary", "sync", "box", "status", "cards"}) {
    const auto ran = kartei({verb});
    EXPECT_EQ(ran.status, 0) << verb << ran.err;
    EXPECT_FALSE(ran.out.empty()) << verb;
    EXPECT_EQ(ran.out.find('\033'), std::string::npos) << verb;
    EXPECT_EQ(kartei({verb, "--json"}).out[0], '{') << verb;
  }
}

TEST_F(CliTest, DoctorFindsNothingWrongHere) {
  const auto ran = kartei({"doctor"});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find(") is sound"), std::string::npos);
}

TEST_F(CliTest, ExportAndImport) {
  kartei({"remember", "Sam likes tea."});
  const auto file = (folder_.path() / "out.jsonl").string();
  EXPECT_EQ(kartei({"export", file}).status, 0);
  const auto taken = kartei({"--box", "copy", "import", file});
  EXPECT_EQ(taken.status, 0) << taken.err;
  EXPECT_NE(taken.out.find("1 cards"), std::string::npos) << taken.out;
  EXPECT_NE(kartei({"cards", "--box", "copy"}).out.find("Sam"), std::string::npos);
  EXPECT_EQ(kartei({"empty", "--box", "copy", "--confirm", "default"}).status, 1);
  EXPECT_EQ(kartei({"empty", "--box", "copy", "--confirm", "copy"}).status, 0);
}

TEST_F(CliTest, AnExportThatFailsLeavesTheFileAsItWas) {
  const auto file = folder_.path() / "out.jsonl";
  std::ofstream(file) << "kept";
  const auto none = run_cli(folder_.path() / "nowhere", {"export", file.string()});
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(kartei({"--box", "Not A Box", "export", file.string()}).status, 2);
  std::stringstream kept;
  kept << std::ifstream(file).rdbuf();
  EXPECT_EQ(kept.str(), "kept");
  const auto beside = [&] {
    return std::distance(std::filesystem::directory_iterator(folder_.path()), {});
  };
  EXPECT_EQ(beside(), 2);  // the home and the file
  EXPECT_EQ(kartei({"export", file.string()}).status, 0);
  EXPECT_EQ(beside(), 2);
  EXPECT_EQ(kartei({"export", "/dev/null"}).status, 0);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

// What lies beside the file, put there by whoever can write in its folder, gets nothing of it.
TEST_F(CliTest, AnExportGoesNowhereElse) {
  namespace fs = std::filesystem;
  const auto file = folder_.path() / "out.jsonl", victim = folder_.path() / "victim";
  std::ofstream(victim) << "kept";
  fs::create_symlink(victim, file.string() + ".part");
  EXPECT_EQ(kartei({"export", file.string()}).status, 0);
  EXPECT_EQ(fs::file_size(victim), 4U);
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  const auto link = folder_.path() / "link.jsonl";
  fs::create_symlink(file, link);
  std::ofstream(file) << "older";
  EXPECT_EQ(kartei({"export", link.string()}).status, 0);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_GT(fs::file_size(file), 5U);
}

TEST_F(CliTest, WhatIsNoFileOfWordsIsRefused) {
  for (const char* verb : {"import", "observe"}) {
    const auto folder = kartei({verb, folder_.path().string()});
    EXPECT_EQ(folder.status, 1) << verb;
    EXPECT_NE(folder.err.find("is a folder"), std::string::npos) << folder.err;
    EXPECT_EQ(kartei({verb, "-"}).status, 1) << verb;
  }
}

TEST_F(CliTest, WhatIsGivenIsNeverPassedOver) {
  std::string id = kartei({"remember", "Sam likes tea."}).out;
  id.pop_back();
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"box", "--budget", "0"},
                                             {"cards", "--limit", "0"},
                                             {"recall", "tea", "--limit", "0"},
                                             {"edit", id, "--text", ""},
                                             {"edit", id}})
    EXPECT_EQ(kartei(wrong).status, 2) << wrong[0] << " " << wrong.back();
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"edit", id, "--text", "x", "--note", "y"},
                                             {"edit", id, "--text", "x", "--importance", "1"},
                                             {"edit", id, "--text", "x", "--approve"},
                                             {"edit", id, "--text", "x", "--drawer", "y"},
                                             {"edit", id, "--note", "x", "--why", "y"},
                                             {"edit", id, "--flag", "persistent", "--no-flags"}})
    EXPECT_EQ(kartei(wrong).status, 2) << wrong[4];
  EXPECT_EQ(kartei({"box", "--owner", "Sam Berg"}).status, 0);
  EXPECT_NE(kartei({"box", "--owner", ""}).out.find("owner not set"), std::string::npos);
  EXPECT_NE(kartei({"cards", "Sam", "tea"}).out.find(id), std::string::npos);
  EXPECT_EQ(kartei({"cards", "Sam", "coffee"}).out.find(id), std::string::npos);
}

TEST(Cli, TurnsThatAreRefusedAreAFailure) {
  TempFolder folder;
  TestDaemon daemon(folder.path() / "home");
  const auto ran = run_cli(folder.path() / "home", {"observe", "-"},
                           "Sam: Hello.\nSam: My password is hunter2.\n");
  EXPECT_EQ(ran.out, "1 turns stored.\n");
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.err.find("1 of 2 turns were refused."), std::string::npos) << ran.err;
}

TEST_F(CliTest, NothingKnownIsSaidBesideTheOutput) {
  const auto ran = kartei({"recall", "zeppelins"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "kartei: Nothing is known of that.\n");
  EXPECT_EQ(kartei({"--json", "recall", "zeppelins"}).err, "");
}

TEST_F(CliTest, ACardIsClosedPutAwayAndTakenOutAgain) {
  std::string id = kartei({"remember", "Sam lives in Graz.", "--from", "2024"}).out;
  id.pop_back();
  EXPECT_EQ(kartei({"close", id, "--to", "2026-03", "--why", "moved"}).out,
            "Closed: Sam lives in Graz.\n");
  const std::string shown = kartei({"show", id}).out;
  EXPECT_NE(shown.find("valid_to        2026-03"), std::string::npos) << shown;
  EXPECT_NE(shown.find("why_closed      moved"), std::string::npos) << shown;
  EXPECT_NE(shown.find("importance      0.5\n"), std::string::npos) << shown;
  EXPECT_EQ(kartei({"reactivate", id}).out, "Open again: Sam lives in Graz.\n");
  EXPECT_EQ(kartei({"archive", id}).out, "Archived: Sam lives in Graz.\n");
  EXPECT_EQ(kartei({"reactivate", id}).status, 0);
  EXPECT_EQ(kartei({"edit", id, "--text", "Sam lives in Linz.", "--from", "2026-03", "--flag",
                    "persistent"})
                .status,
            0);
  EXPECT_NE(kartei({"show", id}).out.find("valid_to        2026-03"), std::string::npos);
  const std::string anew = kartei({"--json", "cards", "Linz"}).out;
  for (const char* part : {R"("valid_from":"2026-03")", "persistent"})
    EXPECT_NE(anew.find(part), std::string::npos) << part << anew;
}

TEST_F(CliTest, WrongUsageIsTwo) {
  EXPECT_EQ(kartei({}).status, 2);
  EXPECT_EQ(kartei({"dance"}).status, 2);
  EXPECT_NE(kartei({"dance"}).err.find("There is no command called dance."), std::string::npos);
  EXPECT_EQ(kartei({"recall"}).status, 2);
  EXPECT_EQ(kartei({"sync", "cloud"}).status, 2);
  EXPECT_EQ(kartei({"--help"}).status, 0);
  EXPECT_EQ(kartei({"--version"}).status, 0);
}

TEST_F(CliTest, CompletionsNameTheVerbs) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const auto ran = kartei({"completions", shell});
    EXPECT_EQ(ran.status, 0);
    for (const char* verb : {"recall", "doctor", "pair"})
      EXPECT_NE(ran.out.find(verb), std::string::npos) << shell;
  }
}

TEST(Cli, WithoutADaemonOneClearLine) {
  TempFolder folder;
  const auto ran = run_cli(folder.path(), {"status"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(ran.err.starts_with("kartei: karteid does not run")) << ran.err;
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1);
  const auto doctor = run_cli(folder.path(), {"doctor"});
  EXPECT_EQ(doctor.status, 1);
  EXPECT_NE(doctor.out.find("NOT"), std::string::npos);
}

TEST(CliOutput, TablesAlignInAnyScript) {
  EXPECT_EQ(cli::width_of("abc"), 3U);
  EXPECT_EQ(cli::width_of("äöü"), 3U);
  EXPECT_EQ(cli::width_of("東京"), 4U);
  EXPECT_EQ(cli::width_of("e\xcc\x81"), 1U);
  EXPECT_EQ(cli::fit("東京タワー", 5), "東京…");
  EXPECT_EQ(cli::table({{"a", "b"}, {"東京", "x"}}, {}), "a     b\n東京  x\n");
  EXPECT_EQ(cli::printable("a\x1b[31mb\nc"), "a [31mb c");
  EXPECT_NO_FATAL_FAILURE(cli::width_of("\xf0\x9f"));
}

TEST(CliOutput, AConversationFileInEachForm) {
  const cli::ConversationOptions given{"name", ""};
  const auto plain = cli::read_conversation("Maya: Hi.\nand more\nAI: Hello.\n", given);
  ASSERT_TRUE(plain);
  ASSERT_EQ(plain->size(), 1U);
  const auto& turns = (*plain)[0].at("turns").as_array();
  ASSERT_EQ(turns.size(), 2U);
  EXPECT_EQ(turns[0].at("text"), "Hi.\nand more");
  EXPECT_EQ(turns[1].at("role"), "assistant");
  for (const char* text : {R"({"conversation":"x","turns":[{"text":"a"}]})", R"([{"text":"a"}])",
                           "{\"text\":\"a\"}\n{\"text\":\"b\"}\n", R"({"text":"a"})"})
    EXPECT_TRUE(cli::read_conversation(text, given)) << text;
  EXPECT_EQ((*cli::read_conversation(R"({"conversation":"x","turns":[{}]})", given))[0].at(
                "conversation"),
            "x");
  for (const char* text : {"", " \n", "[1]", "{\"turns\":1}", "{broken"})
    EXPECT_TRUE(cli::read_conversation(text, given).has_error()) << text;
  std::string many;
  for (int i = 0; i < 1200; ++i) many += "M: x\n";
  EXPECT_EQ(cli::read_conversation(many, given)->size(), 3U);
}

}  // namespace
}  // namespace kartei::daemon
