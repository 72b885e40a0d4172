// What was said in one drawer ends cards of another, and takes no words along.
#include <gtest/gtest.h>

#include "tests/daemon/api_support.h"

namespace kartei::daemon {
namespace {

namespace json = boost::json;
using test::ask;

class Across : public ::testing::Test {
 protected:
  test::TempFolder folder_;
  test::TestDaemon daemon_{folder_.path() / "home"};
  test::RawClient client_{daemon_.socket()};

  void SetUp() override {
    ask(client_, "PUT", "/v1/box", R"({"owner":"Maya Lindqvist","zone":"Europe/Lisbon"})");
  }
  void say(const std::string& conversation, const std::string& drawer, const std::string& text,
           const std::string& day) {
    json::object turn{{"speaker", "Maya"}, {"role", "user"}, {"text", text}};
    turn["time"] = day + "T10:00:00Z";
    if (!drawer.empty()) turn["drawer"] = drawer;
    json::object body{{"conversation", conversation}, {"turns", json::array{turn}}};
    ASSERT_EQ(ask(client_, "POST", "/v1/turns", json::serialize(body)).status, 202);
  }
  void read(const std::string& conversation) {
    ask(client_, "POST", "/v1/conversations/" + conversation + "/end");
    EXPECT_TRUE(test::eventually([&] {
      const auto status = ask(client_, "GET", "/v1/status");
      return status.body.at("pending_extraction").as_int64() == 0;
    }));
  }
  json::array cards(const std::string& state) {
    return ask(client_, "GET", "/v1/cards?state=" + state + "&limit=100")
        .body.at("items")
        .as_array();
  }
  std::string texts(const std::string& state) {
    std::string out;
    for (const json::value& card : cards(state))
      out += std::string(card.at("drawer").as_string()) + ": " +
             std::string(card.at("text").as_string()) + "\n";
    return out;
  }
};

TEST_F(Across, ANewerStatementElsewhereEndsTheOldOne) {
  say("a", "diary", "I live in Lisbon.", "2026-03-01");
  read("a");
  say("b", "letters", "We moved to Porto.", "2026-05-02");
  read("b");
  const std::string open = texts("open"), closed = texts("closed");
  EXPECT_NE(open.find("letters: "), std::string::npos) << open;
  EXPECT_NE(open.find("Porto"), std::string::npos) << open;
  EXPECT_EQ(open.find("Lisbon"), std::string::npos) << open;
  EXPECT_NE(closed.find("diary: "), std::string::npos) << closed;
  for (const json::value& card : cards("closed"))
    EXPECT_EQ(json::serialize(card).find("Porto"), std::string::npos) << card;
}

TEST_F(Across, AnOlderStatementEndsNothing) {
  say("a", "diary", "We moved to Porto.", "2026-05-02");
  read("a");
  say("b", "letters", "I live in Lisbon.", "2026-03-01");
  read("b");
  EXPECT_NE(texts("open").find("Porto"), std::string::npos);
}

// One conversation, two drawers, read at once: in the order in which it was said.
TEST_F(Across, IsReadInTheOrderInWhichItWasSaid) {
  say("a", "diary", "I live in Lisbon.", "2026-03-01");
  say("a", "letters", "We moved to Porto.", "2026-04-01");
  say("a", "diary", "We moved to Braga.", "2026-05-01");
  read("a");
  const std::string open = texts("open");
  EXPECT_NE(open.find("Braga"), std::string::npos) << open;
  EXPECT_EQ(open.find("Lisbon"), std::string::npos) << open;
  EXPECT_EQ(open.find("Porto"), std::string::npos) << open;
}

TEST_F(Across, ALocalDrawersWordsStayOutOfASharedOne) {
  ask(client_, "PATCH", "/v1/drawers/home", R"({"shared":true,"create":true})");
  say("a", "home", "I live in Lisbon.", "2026-03-01");
  read("a");
  say("b", "diary", "We moved to Porto on 12 April 2026.", "2026-05-02");
  read("b");
  const std::string closed = texts("closed");
  for (const json::value& card : cards("closed")) {
    EXPECT_EQ(json::serialize(card).find("Porto"), std::string::npos) << card;
    EXPECT_EQ(json::serialize(card).find("2026-04"), std::string::npos) << card;
  }
  EXPECT_NE(closed.find("home: "), std::string::npos) << closed << texts("open");
}

}  // namespace
}  // namespace kartei::daemon
