// Forgetting through the API and the command line, in a daemon whose clock is the test's.
#include <gtest/gtest.h>

#include <set>

#include "tests/daemon/api_support.h"
#include "tests/daemon/cli_support.h"

namespace kartei::daemon {
namespace {
using namespace test;
namespace json = boost::json;

constexpr std::int64_t kOneDay = 86'400'000;

class ForgettingApiTest : public ::testing::Test {
 protected:
  JsonAnswer call(const std::string& method, const std::string& target,
                  const std::string& body = {}) {
    return ask(client_, method, target, body);
  }
  std::string remember(const std::string& text, const std::string& more = {}) {
    const auto answer =
        call("POST", "/v1/cards", R"({"colour":"event","text":")" + text + "\"" + more + "}");
    EXPECT_EQ(answer.status, 201) << json::serialize(answer.body);
    return std::string(answer.body.at("id").as_string());
  }
  JsonAnswer run(bool dry) {
    return call("POST", "/v1/forgetting/run", dry ? R"({"dry_run":true})" : "{}");
  }
  std::string state(const std::string& card) {
    return std::string(call("GET", "/v1/cards/" + card).body.at("state").as_string());
  }
  void days_pass(std::int64_t days) { daemon_.clock.wall_ms += days * kOneDay; }
  void say(const std::string& id, const std::string& text) {
    const std::string time = store::format_rfc3339(daemon_.clock.wall());
    const auto answer =
        call("POST", "/v1/turns",
             R"({"conversation":"c","turns":[{"speaker":"Maya","role":"user","id":")" + id +
                 R"(","time":")" + time + R"(","text":")" + text + "\"}]}");
    ASSERT_EQ(answer.status, 202) << json::serialize(answer.body);
    ASSERT_EQ(call("POST", "/v1/conversations/c/end").status, 202);
    ASSERT_TRUE(eventually([&] {
      return call("GET", "/v1/status").body.at("pending_extraction").to_number<int>() == 0;
    }));
  }
  Ran kartei(const std::vector<std::string>& arguments) {
    return run_cli(folder_.path() / "home", arguments);
  }

  TempFolder folder_;
  TestDaemon daemon_{folder_.path() / "home"};
  RawClient client_{daemon_.socket()};
};

TEST_F(ForgettingApiTest, ThePolicyIsKeptFieldByField) {
  auto policy = call("GET", "/v1/forgetting");
  EXPECT_EQ(policy.body.at("fade_after_days"), 90);
  EXPECT_EQ(policy.body.at("delete_archived"), false);
  policy = call("PUT", "/v1/forgetting", R"({"fade_after_days":30,"on":false})");
  EXPECT_EQ(policy.body.at("fade_after_days"), 30);
  policy = call("GET", "/v1/forgetting");
  EXPECT_EQ(policy.body.at("on"), false);
  EXPECT_EQ(policy.body.at("trash_days"), 30);
  for (const auto& [body, field] :
       {std::pair(R"({"fade_after_days":0})", "fade_after_days"),
        std::pair(R"({"trash_days":"soon"})", "trash_days"),
        std::pair(R"({"condense_least":2})", "condense_least"), std::pair(R"({"on":1})", "on"),
        std::pair(R"({"forever":true})", "forever")}) {
    const auto refused = call("PUT", "/v1/forgetting", body);
    EXPECT_EQ(refused.status, 400) << body;
    EXPECT_EQ(refused.field(), field);
  }
  EXPECT_EQ(call("GET", "/v1/forgetting").body.at("fade_after_days"), 30);
}

TEST_F(ForgettingApiTest, ThePolicySaysWhatItBounds) {
  const auto bound = [&](const std::string& body) {
    return std::string(call("PUT", "/v1/forgetting", body).body.at("bound").as_string());
  };
  EXPECT_EQ(bound(R"({"open_cards_max":5000})"),
            "At most 5000 cards are open after each look; rules and protected cards come on top. "
            "The file is not bounded: nothing is deleted, and turns stay.");
  EXPECT_NE(kartei({"forgetting"}).out.find("At most 5000 cards are open"), std::string::npos);
  EXPECT_NE(bound(R"({"delete_archived":true,"archive_after_days":730})")
                .find("erased after 1945 days. The file is not bounded: turns stay."),
            std::string::npos);
  EXPECT_EQ(bound(R"({"on":false})"),
            "Nothing is forgotten, so neither cards nor the file are bounded.");
}

// What its owner does to single cards is no run of forgetting.
TEST_F(ForgettingApiTest, RunsAreThoseOfForgettingAlone) {
  const std::string rowing = remember("Maya went rowing."),
                    skating = remember("Maya went skating.");
  const std::string sailing = remember("Maya went sailing.");
  call("POST", "/v1/cards/" + sailing + "/archive");
  call("POST", "/v1/cards/" + skating + "/archive");
  call("POST", "/v1/cards/" + skating + "/reactivate");
  days_pass(91);
  const std::string id(run(false).body.at("run").as_string());
  call("POST", "/v1/cards/" + rowing + "/reactivate");
  const auto runs = call("GET", "/v1/forgetting/runs").body.at("items").as_array();
  ASSERT_EQ(runs.size(), 1u) << json::serialize(runs);
  EXPECT_EQ(std::string(runs[0].at("run").as_string()), id);
  EXPECT_EQ(runs[0].at("taken_back"), 1);
}

TEST_F(ForgettingApiTest, ADryRunTellsAndChangesNothing) {
  const std::string rowing = remember("Maya went rowing.");
  const std::string kept = remember("Maya went sailing.", R"(,"flags":["never_forget"])");
  EXPECT_EQ(run(true).body.at("counts").at("fade"), 0);
  days_pass(91);
  const auto dry = run(true);
  EXPECT_EQ(dry.status, 200);
  ASSERT_EQ(dry.body.at("items").as_array().size(), 1u);
  const json::object& item = dry.body.at("items").as_array()[0].as_object();
  EXPECT_EQ(std::string(item.at("card").as_string()), rowing);
  EXPECT_EQ(item.at("what"), "fade");
  EXPECT_EQ(item.at("why"),
            "Not used for 91 days; an event of its importance and use fades after 90 days.");
  EXPECT_EQ(item.at("text"), "Maya went rowing.");
  EXPECT_TRUE(dry.body.at("run").is_null());
  EXPECT_EQ(state(rowing), "open");
  EXPECT_TRUE(call("GET", "/v1/forgetting/runs").body.at("items").as_array().empty());

  const auto done = run(false);
  EXPECT_EQ(done.body.at("items"), dry.body.at("items"));
  EXPECT_EQ(state(rowing), "faded");
  EXPECT_EQ(state(kept), "open");
  EXPECT_EQ(run(false).body.at("counts").at("fade"), 0);
  EXPECT_EQ(call("GET", "/v1/forgetting").body.at("cards").at("faded"), 1);
}

TEST_F(ForgettingApiTest, ADryRunIsShownPageByPage) {
  std::set<std::string> cards, seen;
  for (int i = 0; i < 7; ++i) cards.insert(remember("Maya did thing " + std::to_string(i) + "."));
  days_pass(100);
  std::string target = "/v1/forgetting/run?limit=3";
  for (int page = 0; page < 3; ++page) {
    const auto answer = call("POST", target, R"({"dry_run":true})");
    ASSERT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body.at("counts").at("fade"), 7);
    for (const json::value& item : answer.body.at("items").as_array())
      EXPECT_TRUE(seen.insert(std::string(item.at("card").as_string())).second);
    if (page == 2) {
      EXPECT_TRUE(answer.body.at("cursor").is_null());
      break;
    }
    target =
        "/v1/forgetting/run?limit=3&cursor=" + std::string(answer.body.at("cursor").as_string());
  }
  EXPECT_EQ(seen, cards);
  EXPECT_EQ(call("POST", "/v1/forgetting/run?cursor=1.1", "{}").field(), "cursor");
  EXPECT_EQ(call("POST", "/v1/forgetting/run?cursor=x", R"({"dry_run":true})").field(), "cursor");
}

TEST_F(ForgettingApiTest, EveryStepIsTakenBack) {
  const std::string rowing = remember("Maya went rowing."), other = remember("Maya went skating.");
  days_pass(91);
  const std::string first(run(false).body.at("run").as_string());
  days_pass(3651);
  const std::string second(run(false).body.at("run").as_string());
  EXPECT_EQ(state(rowing), "archived");
  const auto steps = call("GET", "/v1/forgetting/runs/" + second);
  ASSERT_EQ(steps.body.at("items").as_array().size(), 2u);
  EXPECT_EQ(steps.body.at("items").as_array()[0].at("what"), "archived");
  EXPECT_EQ(call("GET", "/v1/forgetting/runs").body.at("items").as_array().size(), 2u);

  // One card alone: its newest step.
  EXPECT_EQ(call("POST", "/v1/forgetting/undo", R"({"card":")" + other + "\"}").status, 200);
  EXPECT_EQ(state(other), "faded");
  EXPECT_EQ(state(rowing), "archived");
  EXPECT_EQ(
      call("POST", "/v1/forgetting/undo", R"({"run":")" + second + "\"}").body.at("taken_back"), 1);
  EXPECT_EQ(state(rowing), "faded");
  call("POST", "/v1/forgetting/undo", R"({"run":")" + first + "\"}");
  EXPECT_EQ(state(rowing), "open");
  EXPECT_EQ(state(other), "open");
  EXPECT_EQ(run(false).body.at("counts").at("fade"), 0);  // they count as new

  EXPECT_EQ(call("POST", "/v1/forgetting/undo", R"({"card":")" + rowing + "\"}").status, 409);
  EXPECT_EQ(
      call("POST", "/v1/forgetting/undo", R"({"run":"00112233445566778899aabbccddeeff"})").status,
      404);
  EXPECT_EQ(call("POST", "/v1/forgetting/undo", "{}").field(), "run");
}

TEST_F(ForgettingApiTest, TheTrashIsEmptiedAfterItsDays) {
  call("PUT", "/v1/forgetting",
       R"({"delete_archived":true,"archive_after_days":10,"delete_after_days":20})");
  const std::string rowing = remember("Maya went rowing."), saved = remember("Maya went skating.");
  for (const std::int64_t days : {91, 11, 21}) {
    days_pass(days);
    run(false);
  }
  EXPECT_EQ(state(rowing), "archived");
  const auto trash = call("GET", "/v1/forgetting/trash");
  ASSERT_EQ(trash.body.at("items").as_array().size(), 2u);
  EXPECT_FALSE(trash.body.at("items").as_array()[0].at("erased_from").is_null());
  days_pass(29);
  EXPECT_EQ(run(false).body.at("counts").at("erase"), 0);
  call("POST", "/v1/cards/" + saved + "/reactivate");
  days_pass(2);
  EXPECT_EQ(run(false).body.at("counts").at("erase"), 1);
  EXPECT_EQ(call("GET", "/v1/cards/" + rowing).status, 404);
  EXPECT_EQ(state(saved), "open");
}

// Said to the secretary, faded, and told by one card.
TEST_F(ForgettingApiTest, EventsAreCondensedAndTakenBack) {
  call("PUT", "/v1/box", R"({"owner":"Maya Lindqvist","zone":"Europe/Amsterdam"})");
  call("PUT", "/v1/forgetting", R"({"condense_least":3})");
  daemon_.clock.wall_ms = 1'768'000'000'000;  // 9 January 2026
  for (int week = 0; week < 5; ++week) {
    say("t" + std::to_string(week), "I went climbing with Bo today.");
    days_pass(20);
  }
  ASSERT_EQ(call("GET", "/v1/cards").body.at("items").as_array().size(), 5u)
      << json::serialize(call("GET", "/v1/cards").body);
  days_pass(120);
  EXPECT_EQ(run(false).body.at("counts").at("fade"), 5);
  days_pass(200);
  const auto dry = run(true);
  EXPECT_EQ(dry.body.at("counts").at("condense"), 5) << json::serialize(dry.body);
  const auto done = run(false);
  EXPECT_EQ(done.body.at("counts").at("made"), 1);
  const json::value made = call("GET", "/v1/cards").body.at("items").as_array().at(0);
  EXPECT_EQ(made.at("text"), "Maya went climbing with Bo 5 times between January and March 2026.");
  EXPECT_EQ(call("GET", "/v1/cards?state=archived").body.at("items").as_array().size(), 5u);
  const std::string id(made.at("id").as_string());
  EXPECT_EQ(call("GET", "/v1/cards/" + id + "/history").body.at("items").as_array().size(), 6u);
  EXPECT_EQ(run(false).body.at("counts").at("condense"), 0);
  // Its sources are found through it, and by their day.
  const auto stood_for = call("GET", "/v1/cards/" + id).body.at("stands_for").as_array();
  ASSERT_EQ(stood_for.size(), 5u);
  const auto first = call("GET", "/v1/cards/" + std::string(stood_for[0].as_string())).body;
  EXPECT_EQ(first.at("text"), "Maya went climbing with Bo on 9 January 2026.");
  EXPECT_TRUE(first.at("stands_for").as_array().empty());
  const auto told = call("POST", "/v1/recall",
                         R"({"query":"What did Maya do on 9 January 2026?","include":["cards"]})");
  EXPECT_NE(std::string(told.body.at("text").as_string()).find("on 9 January 2026"),
            std::string::npos)
      << json::serialize(told.body);

  EXPECT_EQ(call("POST", "/v1/forgetting/undo", R"({"card":")" + id + "\"}").body.at("taken_back"),
            6);
  EXPECT_EQ(call("GET", "/v1/cards/" + id).status, 404);
  EXPECT_EQ(call("GET", "/v1/cards?state=faded").body.at("items").as_array().size(), 5u);
}

TEST_F(ForgettingApiTest, TheCommandLineShowsRunsAndTakesBack) {
  EXPECT_NE(kartei({"forgetting"}).out.find("fade_after_days"), std::string::npos);
  EXPECT_NE(kartei({"forgetting", "set", "fade_after_days", "60"}).out.find("60"),
            std::string::npos);
  EXPECT_EQ(kartei({"forgetting", "set", "fade_after_days", "soon"}).status, 2);
  EXPECT_EQ(kartei({"forgetting", "set", "nonsense", "1"}).status, 1);
  const std::string rowing = remember("Maya went rowing.");
  days_pass(61);
  const auto dry = kartei({"forgetting", "run", "--dry-run"});
  EXPECT_NE(dry.out.find("Maya went rowing."), std::string::npos) << dry.err;
  EXPECT_NE(dry.out.find("Would be: 1 faded"), std::string::npos) << dry.out;
  const auto done = kartei({"forgetting", "run"});
  EXPECT_NE(done.out.find("Done: 1 faded"), std::string::npos) << done.out;
  const std::string word = "forgetting undo ";
  const std::string run_id = done.out.substr(done.out.find(word) + word.size(), 32);
  EXPECT_NE(kartei({"forgetting", "runs"}).out.find(run_id), std::string::npos);
  EXPECT_NE(kartei({"forgetting", "runs", run_id}).out.find(rowing), std::string::npos);
  EXPECT_EQ(kartei({"forgetting", "trash"}).status, 0);
  EXPECT_EQ(kartei({"forgetting", "undo"}).status, 2);
  EXPECT_EQ(kartei({"forgetting", "undo", run_id}).out, "Taken back: 1\n");
  EXPECT_EQ(state(rowing), "open");
}

}  // namespace
}  // namespace kartei::daemon
