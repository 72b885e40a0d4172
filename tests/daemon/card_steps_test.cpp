// What may follow from which state of a card, and what is said where it may not.
#include <gtest/gtest.h>

#include <future>

#include "tests/daemon/api_support.h"

namespace kartei::daemon {
namespace {
using namespace test;
namespace json = boost::json;

class CardStepsTest : public ::testing::Test {
 protected:
  JsonAnswer call(const std::string& method, const std::string& target,
                  const std::string& body = {}) {
    return ask(client_, method, target, body);
  }
  std::string remember(const std::string& more = {}) {
    const auto answer = call("POST", "/v1/cards", R"({"text":"Sam likes tea.")" + more + "}");
    EXPECT_EQ(answer.status, 201) << json::serialize(answer.body);
    return "/v1/cards/" + std::string(answer.body.at("id").as_string());
  }
  void refused(const std::string& target, const std::string& body, int status,
               const std::string& word) {
    const auto answer = call("POST", target, body);
    EXPECT_EQ(answer.status, status) << target << json::serialize(answer.body);
    EXPECT_NE(detail(answer).find(word), std::string::npos) << target << detail(answer);
  }
  static std::string detail(const JsonAnswer& answer) {
    return std::string(answer.body.at("detail").as_string());
  }
  // How many commits a call makes.
  int commits_of(const std::function<void()>& work) {
    std::atomic<int> commits{0};
    observe([&](bool) { ++commits; });
    work();
    observe({});
    return commits;
  }
  void observe(std::function<void(bool)> observer) {
    std::promise<void> done;
    daemon_.hosts().with("default", [&](Result<std::shared_ptr<BoxHost>> host) {
      (*host)->box().observe_commits(std::move(observer));
      done.set_value();
    });
    done.get_future().wait();
  }
  TempFolder folder_;
  TestDaemon daemon_{folder_.path() / "home"};
  RawClient client_{daemon_.socket()};
};

constexpr const char* kNew = R"({"text":"Sam likes coffee."})";

TEST_F(CardStepsTest, AClosedCardIsNotClosedAgain) {
  const std::string card = remember();
  ASSERT_EQ(call("POST", card + "/close").status, 200);
  refused(card + "/close", "{}", 409, "closed already");
  refused(card + "/archive", "{}", 409, "Reactivate it first");
  refused(card + "/replace", kNew, 409, "Reactivate it first");
  EXPECT_EQ(call("GET", "/v1/cards?state=all").body.at("items").as_array().size(), 1U);
  EXPECT_EQ(call("POST", card + "/reactivate").status, 200);
  refused(card + "/reactivate", "{}", 409, "open already");
  EXPECT_EQ(call("POST", card + "/close").status, 200);
}

TEST_F(CardStepsTest, AReplacedCardNamesItsSuccessor) {
  const std::string card = remember();
  const auto newer = call("POST", card + "/replace", kNew);
  ASSERT_EQ(newer.status, 201);
  const std::string id(newer.body.at("id").as_string());
  for (const char* step : {"/close", "/archive"}) refused(card + step, "{}", 409, id);
  refused(card + "/replace", kNew, 409, id);
}

TEST_F(CardStepsTest, AnArchivedCardIsTakenOutFirst) {
  const std::string card = remember();
  ASSERT_EQ(call("POST", card + "/archive").status, 200);
  for (const char* step : {"/close", "/archive"}) refused(card + step, "{}", 409, "archived");
  refused(card + "/replace", kNew, 409, "archived");
}

TEST_F(CardStepsTest, AnErasedCardSaysSo) {
  const std::string card = remember();
  ASSERT_EQ(call("DELETE", card).status, 202);
  for (const char* step : {"/close", "/archive", "/reactivate"})
    refused(card + step, "{}", 409, "erased");
  refused(card + "/replace", kNew, 409, "erased");
  EXPECT_EQ(call("DELETE", card).status, 409);
  EXPECT_EQ(call("PATCH", card, R"({"importance":1})").status, 409);
  const auto shown = call("GET", card);
  EXPECT_EQ(shown.status, 404);
  EXPECT_NE(detail(shown).find("erased"), std::string::npos);
  EXPECT_EQ(call("POST", "/v1/cards/00000000000000000000000000000001/close").status, 404);
}

TEST_F(CardStepsTest, ACardThatWaitsForNothingIsNotApproved) {
  const std::string card = remember();
  const auto answer = call("PATCH", card, R"({"approve":true,"importance":1})");
  EXPECT_EQ(answer.field(), "approve");
  EXPECT_NE(call("GET", card).body.at("importance"), 1.0) << "nothing of the call is done";
}

TEST_F(CardStepsTest, NoCardEndsBeforeItBegins) {
  const std::string card = remember(R"(,"valid_from":"2026-03-10")");
  for (const char* end : {"2025", "2026-03-09", "2026-03-10"}) {
    const auto answer =
        call("POST", card + "/close", R"({"valid_to":")" + std::string(end) + "\"}");
    EXPECT_EQ(answer.status, 400) << end;
    EXPECT_EQ(answer.field(), "valid_to");
    EXPECT_NE(detail(answer).find("2026-03-10"), std::string::npos) << detail(answer);
  }
  const auto early =
      call("POST", card + "/replace", R"({"text":"Sam likes coffee.","valid_from":"2026-03-09"})");
  EXPECT_EQ(early.status, 400);
  EXPECT_EQ(early.field(), "valid_from");
  EXPECT_EQ(call("GET", card).body.at("state"), "open");
  // Of the same day: the old one was never true.
  const auto corrected =
      call("POST", card + "/replace", R"({"text":"Sam likes coffee.","valid_from":"2026-03-10"})");
  EXPECT_EQ(corrected.status, 201) << json::serialize(corrected.body);
  EXPECT_EQ(call("POST", "/v1/cards/" + std::string(corrected.body.at("id").as_string()) + "/close",
                 R"({"valid_to":"2026-03-11"})")
                .status,
            200);
}

TEST_F(CardStepsTest, OnlyAClosedCardEndsAtADate) {
  const std::string card = remember();
  for (const char* step : {"/archive", "/reactivate"})
    EXPECT_EQ(call("POST", card + step, R"({"valid_to":"2026"})").field(), "valid_to") << step;
}

TEST_F(CardStepsTest, APatchOfSeveralFieldsIsOneCommit) {
  const std::string card = remember();
  const int one = commits_of([&] { call("PATCH", card, R"({"importance":0.9})"); });
  const int all = commits_of([&] {
    EXPECT_EQ(
        call("PATCH", card, R"({"importance":0.8,"flags":["persistent"],"annotation":"x"})").status,
        200);
  });
  EXPECT_EQ(all, one);
  EXPECT_GT(one, 0);
}

TEST_F(CardStepsTest, APatchThatAlsoMovesTakesTheChangesAlong) {
  const std::string card = remember();
  const auto moved =
      call("PATCH", card,
           R"({"importance":0.9,"flags":["persistent"],"annotation":"x","drawer":"kitchen"})");
  ASSERT_EQ(moved.status, 200) << json::serialize(moved.body);
  EXPECT_EQ(moved.body.at("drawer"), "kitchen");
  EXPECT_EQ(moved.body.at("flags").at(0), "persistent");
  EXPECT_EQ(moved.body.at("annotations").at(0), "x");
  EXPECT_DOUBLE_EQ(moved.body.at("importance").as_double(), 0.9);
  EXPECT_EQ(call("GET", "/v1/cards").body.at("items").as_array().size(), 1U);
}

TEST_F(CardStepsTest, AnErasureTellsHowFarItHasCome) {
  for (const char* drawer : {"general", "home"}) {
    if (drawer == std::string("home")) {
      ASSERT_EQ(call("PATCH", "/v1/drawers/home", R"({"shared":true,"create":true})").status, 200);
    }
    const std::string card = remember(R"(,"drawer":")" + std::string(drawer) + "\"");
    const auto erased = call("DELETE", card);
    ASSERT_EQ(erased.status, 202);
    const std::string id(erased.body.at("erasure").as_string());
    EXPECT_TRUE(eventually([&] {
      return call("GET", "/v1/erasures/" + id).body.at("state") == "done";
    })) << drawer;
    const auto progress = call("GET", "/v1/erasures/" + id);
    EXPECT_EQ(progress.body.at("erasure"), erased.body.at("erasure"));
    EXPECT_EQ(progress.body.at("drawer"), drawer);
    ASSERT_EQ(progress.body.at("devices").as_array().size(), 1U);
    EXPECT_EQ(progress.body.at("devices").at(0).at("done"), true);
  }
  EXPECT_EQ(call("GET", "/v1/erasures/00000000000000000000000000000001").status, 404);
  EXPECT_EQ(call("GET", "/v1/erasures/x").status, 404);
}

// Terms of two devices can have one counter: a height noted under the one says nothing of the
// other.
TEST_F(CardStepsTest, AnErasuresHeightIsOfOneTerm) {
  ASSERT_EQ(call("PATCH", "/v1/drawers/home", R"({"shared":true,"create":true})").status, 200);
  const auto erased = call("DELETE", remember(R"(,"drawer":"home")"));
  const std::string id(erased.body.at("erasure").as_string());
  ASSERT_TRUE(
      eventually([&] { return call("GET", "/v1/erasures/" + id).body.at("state") != "waiting"; }));
  std::promise<std::string> kept;
  std::string device;
  daemon_.hosts().with("default", [&](Result<std::shared_ptr<BoxHost>> host) {
    device = (*host)->engine().status((*host)->now()).tip.term.feed.device.text();
    const auto text = (*host)->box().meta("daemon.erasure." + id);
    kept.set_value(std::string(as_text(**text)));
  });
  EXPECT_NE(kept.get_future().get().find(device), std::string::npos);
}

TEST_F(CardStepsTest, SharingAMistypedDrawerMakesNone) {
  for (const char* name : {"general", "plans", "health"})
    ASSERT_EQ(call("PATCH", std::string("/v1/drawers/") + name, R"({"create":true})").status, 200);
  const auto answer = call("PATCH", "/v1/drawers/plnas", R"({"shared":true})");
  EXPECT_EQ(answer.status, 404);
  EXPECT_NE(detail(answer).find("There are: plans, "), std::string::npos) << detail(answer);
  EXPECT_NE(detail(answer).find("\"create\": true"), std::string::npos) << detail(answer);
  EXPECT_EQ(call("GET", "/v1/drawers").body.at("items").as_array().size(), 3U);
  EXPECT_EQ(call("GET", "/v1/cards?drawer=helth").status, 404);
  EXPECT_EQ(call("PATCH", "/v1/drawers/garden", R"({"name":"yard"})").status, 404)
      << "not to rename";
  EXPECT_EQ(call("PATCH", "/v1/drawers/garden", R"({"shared":true})").status, 200) << "like none";
}

TEST_F(CardStepsTest, ErrorsAreWholeSentences) {
  const std::string card = remember();
  for (const auto& answer :
       {call("DELETE", "/v1/devices/toaster"), call("GET", "/v1/turns/nobody"),
        call("PATCH", "/v1/drawers/general", R"({"shared":true,"devices":[]})"),
        call("POST", "/v1/pairing/approve", R"({"device":"toaster"})"),
        call("POST", "/v1/recall", R"({"query":"tea","drawers":["attic"]})"),
        call("GET", "/v1/cards?limti=5"), call("PUT", "/v1/cards", "{}")}) {
    if (answer.status < 400) continue;
    const std::string what = detail(answer);
    EXPECT_TRUE(what.ends_with('.')) << what;
    EXPECT_FALSE(what[0] >= 'a' && what[0] <= 'z') << what;
  }
  EXPECT_NE(detail(call("DELETE", "/v1/devices/toaster")).find("\"toaster\". There are: "),
            std::string::npos);
  EXPECT_NE(detail(call("GET", "/v1/cards?limti=5")).find("`limit`"), std::string::npos);
  ASSERT_EQ(call("PATCH", "/v1/drawers/plans", R"({"create":true})").status, 200);
  const auto taken = call("PATCH", "/v1/drawers/plans", R"({"name":"general"})");
  EXPECT_EQ(taken.status, 409);
  EXPECT_NE(detail(taken).find("called general"), std::string::npos);
}

TEST_F(CardStepsTest, MergingDrawersIsNotBuilt) {
  remember();
  const auto answer = call("PATCH", "/v1/drawers/general", R"({"merge_into":"home"})");
  EXPECT_EQ(answer.status, 501);
  EXPECT_EQ(answer.field(), "merge_into");
}

}  // namespace
}  // namespace kartei::daemon
