// The owner looks through what the secretary wrote.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/daemon/api_support.h"

namespace kartei::daemon {
namespace {

using namespace test;
namespace json = boost::json;

class Review : public ::testing::Test {
 protected:
  JsonAnswer call(const std::string& method, const std::string& target,
                  const std::string& body = {}) {
    return ask(client_, method, target, body);
  }
  void say(const std::string& id, const std::string& text, const std::string& conversation = "c") {
    const json::object turn{{"id", id},
                            {"speaker", "Maya"},
                            {"role", "user"},
                            {"time", "2026-03-15T08:30:00+01:00"},
                            {"text", text}};
    const json::object body{{"conversation", conversation}, {"turns", json::array{turn}}};
    ASSERT_EQ(call("POST", "/v1/turns", json::serialize(body)).status, 202);
    ASSERT_EQ(call("POST", "/v1/conversations/" + conversation + "/end").status, 202);
    ASSERT_TRUE(eventually([&] {
      return call("GET", "/v1/status").body.at("pending_extraction").to_number<int>() == 0;
    }));
  }
  // Ids of the cards of a list, the newest first.
  std::vector<std::string> listed(const std::string& query) {
    std::vector<std::string> ids;
    const auto answer = call("GET", "/v1/cards?" + query);
    for (const auto& card : answer.body.at("items").as_array())
      ids.emplace_back(card.at("id").as_string());
    return ids;
  }
  json::object card(const std::string& id) {
    return call("GET", "/v1/cards/" + id).body.as_object();
  }
  TempFolder folder_;
  TestDaemon daemon_{folder_.path() / "home"};
  RawClient client_{daemon_.socket()};
};

using Ids = std::vector<std::string>;

Ids ids_of(const JsonAnswer& answer, const char* name) {
  Ids ids;
  for (const auto& id : answer.body.at(name).as_array()) ids.emplace_back(id.as_string());
  std::sort(ids.begin(), ids.end());
  return ids;
}

TEST_F(Review, NewIsWhatNobodyHasLookedAt) {
  say("t1", "I live in Bremen.");
  const std::string own(
      call("POST", "/v1/cards", R"({"text":"Maya owns a kiln."})").body.at("id").as_string());
  const Ids fresh = listed("new=true");
  ASSERT_EQ(fresh.size(), 1U);
  EXPECT_EQ(card(fresh[0]).at("reviewed"), false);
  EXPECT_EQ(card(own).at("reviewed"), true);
  EXPECT_EQ(call("POST", "/v1/cards/" + fresh[0] + "/accept").body.at("reviewed"), true);
  EXPECT_EQ(listed("new=true"), Ids());
  EXPECT_EQ(listed("").size(), 2U);
  // Twice is no fault, and other flags leave it as it is.
  EXPECT_EQ(call("POST", "/v1/cards/" + fresh[0] + "/accept").status, 200);
  const auto flagged = call("PATCH", "/v1/cards/" + fresh[0], R"({"flags":["persistent"]})");
  EXPECT_EQ(flagged.body.at("flags"), json::array{"persistent"});
  EXPECT_EQ(flagged.body.at("reviewed"), true);
  EXPECT_EQ(call("GET", "/v1/cards?new=perhaps").field(), "new");
}

TEST_F(Review, WhatWasClosedIsNewToo) {
  say("t1", "I live in Bremen.");
  say("t2", "I moved to Utrecht.");
  EXPECT_EQ(listed("").size(), 1U);
  EXPECT_EQ(listed("new=true").size(), 2U);
  EXPECT_EQ(listed("new=true&state=open").size(), 1U);
}

TEST_F(Review, RejectedIsAsIfItHadNotBeenWritten) {
  say("t1", "I live in Bremen.");
  const std::string old = listed("").at(0);
  say("t2", "I moved to Utrecht.");
  const std::string wrong = listed("").at(0);
  ASSERT_EQ(card(old).at("state"), "closed");
  const auto answer = call("POST", "/v1/cards/" + wrong + "/reject", R"({"why":"a joke"})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(ids_of(answer, "rejected"), Ids{wrong});
  EXPECT_EQ(ids_of(answer, "reopened"), Ids{old});
  EXPECT_EQ(card(wrong).at("state"), "archived");
  EXPECT_EQ(card(wrong).at("annotations"), json::array{"rejected: a joke"});
  EXPECT_EQ(card(old).at("state"), "open");
  EXPECT_TRUE(card(old).at("valid_to").is_null());
  EXPECT_EQ(listed("new=true"), Ids{old});
  const auto recalled = call("POST", "/v1/recall", R"({"query":"Where does Maya live?"})");
  const std::string text(recalled.body.at("text").as_string());
  EXPECT_NE(text.find("Bremen"), std::string::npos) << text;
  EXPECT_EQ(text.find("lives in Utrecht"), std::string::npos) << text;
  EXPECT_EQ(call("POST", "/v1/cards/" + wrong + "/reject").status, 409);
  EXPECT_EQ(call("POST", "/v1/cards/" + wrong + "/reactivate", "{}").status, 200);
}

TEST_F(Review, AnotherCardThatStandsMeanwhileStaysTheOne) {
  say("t1", "I live in Bremen.");
  say("t2", "I moved to Utrecht.");
  const std::string between = listed("").at(0);
  say("t3", "I moved to Lund.");
  const std::string now = listed("").at(0);
  const auto answer = call("POST", "/v1/cards/" + between + "/reject");
  EXPECT_EQ(ids_of(answer, "reopened"), Ids());
  EXPECT_EQ(listed(""), Ids{now});
}

TEST_F(Review, ATurnIsUndoneButNotWhatItOnlySaidAgain) {
  say("t1", "I am allergic to peanuts.");
  const std::string allergy = listed("").at(0);
  say("t2", "I am allergic to peanuts. I live in Bremen.");
  const std::string home = listed("").at(0);
  ASSERT_EQ(listed("").size(), 2U);
  const auto dry = call("POST", "/v1/turns/t2/undo", R"({"dry_run":true})");
  EXPECT_EQ(ids_of(dry, "rejected"), Ids{home});
  EXPECT_EQ(listed("").size(), 2U) << "it was only asked";
  const auto answer = call("POST", "/v1/turns/t2/undo");
  EXPECT_EQ(ids_of(answer, "rejected"), Ids{home});
  EXPECT_EQ(listed(""), Ids{allergy});
  EXPECT_EQ(ids_of(call("POST", "/v1/turns/t2/undo"), "rejected"), Ids());
  EXPECT_EQ(call("POST", "/v1/turns/t9/undo").status, 404);
}

TEST_F(Review, AConversationIsUndoneButNotWhatWasAccepted) {
  say("a1", "I live in Bremen.", "a");
  const std::string kept = listed("").at(0);
  call("POST", "/v1/cards/" + kept + "/accept");
  say("a2", "My brother Sam loves astronomy. I own a kiln.", "a");
  say("b1", "I am allergic to peanuts.", "b");
  const std::string other = listed("").at(0);
  const auto answer = call("POST", "/v1/conversations/a/undo", R"({"why":"not me"})");
  EXPECT_GE(ids_of(answer, "rejected").size(), 2U);
  EXPECT_EQ(ids_of(answer, "kept"), Ids{kept});
  Ids left = listed("");
  std::sort(left.begin(), left.end());
  Ids expected{kept, other};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(left, expected);
  EXPECT_EQ(call("POST", "/v1/conversations/a/undo", R"({"whence":"?"})").field(), "whence");
}

// Of two cards of one conversation, one of which closed the other, none comes back.
TEST_F(Review, WhatIsUndoneTogetherIsNotOpenedAgain) {
  say("a1", "I live in Bremen.", "a");
  say("a2", "I moved to Utrecht.", "a");
  const auto answer = call("POST", "/v1/conversations/a/undo");
  EXPECT_EQ(ids_of(answer, "rejected").size(), 2U);
  EXPECT_EQ(ids_of(answer, "reopened"), Ids());
  EXPECT_EQ(listed(""), Ids());
}

// What stood before them does: nobody else has closed it.
TEST_F(Review, WhatTheFirstOfThoseThatAreUndoneHadClosedIsOpenAgain) {
  say("b1", "I live in Bremen.", "b");
  const std::string first = listed("").at(0);
  say("a1", "I moved to Utrecht.", "a");
  say("a2", "I moved to Lund.", "a");
  const auto answer = call("POST", "/v1/conversations/a/undo");
  EXPECT_EQ(ids_of(answer, "rejected").size(), 2U);
  EXPECT_EQ(ids_of(answer, "reopened"), Ids{first});
  EXPECT_EQ(listed(""), Ids{first});
}

// One that has been replaced since is away for good, also for questions about its time.
TEST_F(Review, WhatWasReplacedSinceDoesNotComeBack) {
  say("t1", "I live in Bremen.");
  say("t2", "I moved to Utrecht.");
  const std::string second = listed("").at(0);
  say("t3", "I moved to Lund.");
  const std::string third = listed("").at(0);
  EXPECT_EQ(ids_of(call("POST", "/v1/cards/" + second + "/reject"), "reopened"), Ids());
  EXPECT_EQ(card(second).at("state"), "archived");
  const auto before = call("POST", "/v1/recall", R"({"query":"Where did Maya live before?"})");
  const std::string text(before.body.at("text").as_string());
  EXPECT_EQ(text.find("Maya lives in Utrecht"), std::string::npos) << text;
  EXPECT_EQ(ids_of(call("POST", "/v1/cards/" + third + "/reject"), "reopened"), Ids());
  EXPECT_EQ(card(second).at("state"), "archived");
  EXPECT_EQ(card(third).at("state"), "archived");
}

}  // namespace
}  // namespace kartei::daemon
