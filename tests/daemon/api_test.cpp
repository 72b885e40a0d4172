// The calls of the API over a real socket, with real boxes.
#include <gtest/gtest.h>

#include <fstream>

#include "daemon/api/openapi.h"
#include "tests/daemon/api_support.h"

namespace kartei::daemon {
namespace {
using namespace test;
namespace json = boost::json;

class ApiTest : public ::testing::Test {
 protected:
  JsonAnswer call(const std::string& method, const std::string& target,
                  const std::string& body = {}, const std::string& headers = {}) {
    return ask(client_, method, target, body, headers);
  }
  void say(const std::string& id, const std::string& text, const std::string& more = {}) {
    const auto answer =
        call("POST", "/v1/turns",
             R"({"conversation":"c","turns":[{"id":")" + id +
                 R"(","speaker":"Maya","role":"user","time":"2026-03-15T08:30:00+01:00","text":")" +
                 text + "\"" + more + "}]}");
    ASSERT_EQ(answer.status, 202) << json::serialize(answer.body);
  }
  void read_all() {
    ASSERT_EQ(call("POST", "/v1/conversations/c/end").status, 202);
    ASSERT_TRUE(eventually([&] {
      return call("GET", "/v1/status").body.at("pending_extraction").to_number<int>() == 0;
    }));
  }
  std::string remember(const std::string& text, const std::string& more = {}) {
    const auto answer = call("POST", "/v1/cards", R"({"text":")" + text + "\"" + more + "}");
    EXPECT_EQ(answer.status, 201) << json::serialize(answer.body);
    return std::string(answer.body.at("id").as_string());
  }
  TempFolder folder_;
  TestDaemon daemon_{folder_.path() / "home"};
  RawClient client_{daemon_.socket()};
};

TEST_F(ApiTest, TurnsAreStoredOnceUnderTheAppsOwnIds) {
  say("t1", "I live in Bremen.");
  say("t1", "I live in Bremen.");
  const auto turn = call("GET", "/v1/turns/t1");
  EXPECT_EQ(turn.status, 200);
  EXPECT_EQ(turn.body.at("text"), "I live in Bremen.");
  EXPECT_EQ(turn.body.at("time"), "2026-03-15T08:30:00+01:00");
  EXPECT_EQ(turn.body.at("drawer"), "general");
  EXPECT_EQ(call("GET", "/v1/status").body.at("counts").at("turns"), 1);
  const auto by_key = call("GET", "/v1/turns/" + std::string(turn.body.at("key").as_string()));
  EXPECT_EQ(by_key.body.at("id"), "t1");
  EXPECT_EQ(call("GET", "/v1/turns/nobody").status, 404);
}

TEST_F(ApiTest, AnIdWithOtherWordsIsNoRepetition) {
  say("a", "One.");
  const auto answer = call("POST", "/v1/turns", R"({"conversation":"c","turns":[
    {"id":"b","speaker":"M","role":"user","text":"Two."},
    {"id":"a","speaker":"M","role":"user","text":"Not one."},
    {"id":"a","speaker":"M","role":"user","text":"One."},
    {"id":"b","speaker":"M","role":"user","text":"Not two."}]})");
  EXPECT_EQ(answer.status, 202);
  EXPECT_EQ(json::serialize(answer.body.at("ids")), R"(["b","a"])");
  ASSERT_EQ(answer.body.at("refused").as_array().size(), 2U);
  EXPECT_EQ(answer.body.at("refused").at(0).at("index"), 1);
  EXPECT_EQ(answer.body.at("refused").at(1).at("index"), 3);
  EXPECT_EQ(answer.body.at("refused").at(1).at("id"), "b");
  EXPECT_EQ(call("GET", "/v1/turns/a").body.at("text"), "One.");
  EXPECT_EQ(call("GET", "/v1/status").body.at("counts").at("turns"), 2);
}

TEST_F(ApiTest, AnAnswerListsIdsInOrderAndRefusals) {
  const auto answer = call("POST", "/v1/turns", R"({"conversation":"c","turns":[
    {"id":"a","speaker":"M","role":"user","text":"One."},
    {"speaker":"M","role":"user","text":"Two."}]})");
  ASSERT_EQ(answer.status, 202);
  EXPECT_EQ(answer.body.at("ids").as_array().size(), 2U);
  EXPECT_EQ(answer.body.at("ids").at(0), "a");
  EXPECT_EQ(answer.body.at("ids").at(1).as_string().size(), 32U);
  EXPECT_TRUE(answer.body.at("refused").as_array().empty());
}

TEST_F(ApiTest, NeighboursComeInTheOrderOfTime) {
  for (int i = 0; i < 5; ++i) {
    call("POST", "/v1/turns",
         R"({"conversation":"c","turns":[{"id":"n)" + std::to_string(i) +
             R"(","speaker":"M","role":"user","text":"x","time":"2026-03-15T08:3)" +
             std::to_string(i) + ":00Z\"}]}");
  }
  const auto turn = call("GET", "/v1/turns/n2?around=1");
  ASSERT_EQ(turn.body.at("before").as_array().size(), 1U);
  EXPECT_EQ(turn.body.at("before").at(0).at("id"), "n1");
  EXPECT_EQ(turn.body.at("after").at(0).at("id"), "n3");
  EXPECT_EQ(call("GET", "/v1/turns/n2?around=x").field(), "around");
}

TEST_F(ApiTest, ATurnFromTheFutureIsRefusedUnlessTheClockIsUnset) {
  const std::string body = R"({"conversation":"c","turns":[
    {"speaker":"M","role":"user","text":"x","time":"2031-01-01T00:00:00Z"}]})";
  const auto answer = call("POST", "/v1/turns", body);
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.field(), "turns[0].time");
  EXPECT_NE(answer.body.at("detail").as_string().find("clock"), json::string::npos);
  daemon_.clock.wall_ms = 1'000'000'000'000;  // 2001: it is the clock that is wrong
  EXPECT_EQ(call("POST", "/v1/turns", body).status, 202);
  const auto warnings = call("GET", "/v1/status").body.at("warnings").as_array();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].as_string().find("clock"), json::string::npos);
}

TEST_F(ApiTest, ATurnWithoutATimeIsDatedInTheBoxsZone) {
  ASSERT_EQ(call("PUT", "/v1/box", R"({"zone":"Asia/Tokyo"})").status, 200);
  call("POST", "/v1/turns",
       R"({"conversation":"c","turns":[{"id":"z","speaker":"M","role":"user","text":"x"}]})");
  const auto time = std::string(call("GET", "/v1/turns/z").body.at("time").as_string());
  EXPECT_TRUE(time.ends_with("+09:00")) << time;
}

TEST_F(ApiTest, TheSecretaryReadsAtTheEndAndRecallFindsIt) {
  call("PUT", "/v1/box", R"({"owner":"Maya Lindqvist","zone":"Europe/Berlin"})");
  say("t1", "I live in Bremen and I work as a bookbinder.");
  EXPECT_EQ(call("GET", "/v1/status").body.at("pending_extraction"), 1);
  read_all();
  const auto cards = call("GET", "/v1/cards?q=Bremen");
  ASSERT_EQ(cards.body.at("items").as_array().size(), 1U);
  EXPECT_EQ(cards.body.at("items").at(0).at("sources").at(0), "t1");
  EXPECT_TRUE(cards.body.at("cursor").is_null());
  const auto recall =
      call("POST", "/v1/recall", R"({"query":"Where does Maya live?","explain":true})",
           "X-Kartei-App: tester\r\n");
  ASSERT_EQ(recall.status, 200);
  EXPECT_NE(recall.body.at("text").as_string().find("Bremen"), json::string::npos);
  bool found = false;
  for (const auto& item : recall.body.at("items").as_array()) {
    for (const auto& source : item.at("sources").as_array()) found |= source == "t1";
    for (const char* name : {"kind", "id", "text", "colour", "drawer", "valid_from", "valid_to",
                             "recorded_at", "state", "trust", "score", "legs"})
      EXPECT_TRUE(item.as_object().contains(name)) << name;
  }
  EXPECT_TRUE(found);
  EXPECT_FALSE(recall.body.as_object().contains("guesses"));
  const auto guessed =
      call("POST", "/v1/recall", R"({"query":"Who lives in Bremne?"})", "X-Kartei-App: tester\r\n");
  EXPECT_EQ(guessed.body.at("guesses").at("bremne").at(0), "bremen");
  ASSERT_TRUE(
      eventually([&] { return !call("GET", "/v1/audit").body.at("items").as_array().empty(); }));
  const auto audit = call("GET", "/v1/audit");
  EXPECT_EQ(audit.body.at("items").at(0).at("app"), "tester");
  EXPECT_EQ(audit.body.at("items").at(1).at("query"), "Where does Maya live?");
}

TEST_F(ApiTest, TenTurnsAreReadWithoutBeingAskedFor) {
  for (int i = 0; i < 9; ++i)
    say("t" + std::to_string(i), "I like the number " + std::to_string(i) + ".");
  EXPECT_EQ(call("GET", "/v1/status").body.at("pending_extraction"), 9);
  say("t9", "I live in Bremen.");
  EXPECT_TRUE(eventually([&] {
    return call("GET", "/v1/status").body.at("pending_extraction").to_number<int>() == 0;
  }));
}

TEST_F(ApiTest, CardsGoThroughTheirLife) {
  const std::string id = remember(
      "Sam likes tea.", R"(,"valid_from":"2026-03","tags":["sam"],"flags":["persistent"])");
  auto card = call("GET", "/v1/cards/" + id);
  EXPECT_EQ(card.body.at("valid_from"), "2026-03");
  EXPECT_EQ(card.body.at("state"), "open");
  EXPECT_EQ(card.body.at("flags").at(0), "persistent");
  EXPECT_EQ(card.body.at("tags").at(0), "sam");
  card = call("PATCH", "/v1/cards/" + id,
              R"({"flags":["never_forget"],"importance":0.9,"annotation":"He told me."})");
  ASSERT_EQ(card.status, 200) << json::serialize(card.body);
  EXPECT_EQ(card.body.at("flags").at(0), "never_forget");
  EXPECT_EQ(card.body.at("annotations").at(0), "He told me.");
  EXPECT_DOUBLE_EQ(card.body.at("importance").as_double(), 0.9);
  const auto newer = call("POST", "/v1/cards/" + id + "/replace",
                          R"({"text":"Sam likes coffee.","why":"he said so"})");
  ASSERT_EQ(newer.status, 201) << json::serialize(newer.body);
  const std::string newer_id(newer.body.at("id").as_string());
  EXPECT_EQ(call("GET", "/v1/cards/" + id).body.at("replaced_by"), newer.body.at("id"));
  const auto history = call("GET", "/v1/cards/" + newer_id + "/history");
  ASSERT_EQ(history.body.at("items").as_array().size(), 2U);
  EXPECT_EQ(history.body.at("items").at(0).at("text"), "Sam likes tea.");
  EXPECT_EQ(call("POST", "/v1/cards/" + newer_id + "/archive").body.at("state"), "archived");
  EXPECT_EQ(call("POST", "/v1/cards/" + newer_id + "/reactivate").body.at("state"), "open");
  EXPECT_EQ(call("POST", "/v1/cards/" + newer_id + "/close", "{}").body.at("state"), "closed");
  EXPECT_EQ(call("GET", "/v1/cards").body.at("items").as_array().size(), 0U);
  EXPECT_EQ(call("GET", "/v1/cards?state=all").body.at("items").as_array().size(), 2U);
}

TEST_F(ApiTest, AnErasedCardIsGone) {
  const std::string id = remember("Sam likes tea.");
  const auto erased = call("DELETE", "/v1/cards/" + id);
  EXPECT_EQ(erased.status, 202);
  EXPECT_EQ(erased.body.at("erasure").as_string().size(), 32U);
  EXPECT_EQ(call("GET", "/v1/cards?state=all&q=tea").body.at("items").as_array().size(), 0U);
  const auto recall = call("POST", "/v1/recall", R"({"query":"tea Sam"})");
  EXPECT_EQ(recall.body.at("text").as_string().find("tea"), json::string::npos);
}

TEST_F(ApiTest, ACardMovesToAnotherDrawer) {
  const std::string id = remember("Sam likes tea.", R"(,"drawer":"home")");
  const auto moved = call("PATCH", "/v1/cards/" + id, R"({"drawer":"kitchen"})");
  ASSERT_EQ(moved.status, 200) << json::serialize(moved.body);
  EXPECT_EQ(moved.body.at("drawer"), "kitchen");
  EXPECT_EQ(call("GET", "/v1/cards?drawer=home").body.at("items").as_array().size(), 0U);
  EXPECT_EQ(call("GET", "/v1/cards?drawer=kitchen").body.at("items").as_array().size(), 1U);
  EXPECT_EQ(call("GET", "/v1/cards?drawer=attic").status, 404);
}

TEST_F(ApiTest, AClosedCardStaysClosedWhereItIsMoved) {
  const std::string id = remember("Sam lives in Lund.", R"(,"drawer":"home","valid_from":"2020")");
  ASSERT_EQ(call("POST", "/v1/cards/" + id + "/close", R"({"valid_to":"2024"})").status, 200);
  const auto moved = call("PATCH", "/v1/cards/" + id, R"({"drawer":"kitchen"})");
  ASSERT_EQ(moved.status, 200) << json::serialize(moved.body);
  EXPECT_EQ(moved.body.at("state"), "closed");
  EXPECT_EQ(moved.body.at("valid_to"), "2024");
  EXPECT_FALSE(moved.body.at("closed_at").is_null());
  EXPECT_EQ(call("GET", "/v1/cards?state=open").body.at("items").as_array().size(), 0U);
}

TEST_F(ApiTest, AnArchivedCardStaysArchivedWhereItIsMoved) {
  const std::string id = remember("Sam likes tea.", R"(,"drawer":"home")");
  ASSERT_EQ(call("POST", "/v1/cards/" + id + "/archive").status, 200);
  const auto moved = call("PATCH", "/v1/cards/" + id, R"({"drawer":"kitchen"})");
  EXPECT_EQ(moved.body.at("state"), "archived");
}

TEST_F(ApiTest, ListsPage) {
  for (int i = 0; i < 7; ++i) remember("Card number " + std::to_string(i) + ".");
  std::set<std::string> seen;
  std::string cursor;
  int pages = 0;
  do {
    const auto page =
        call("GET", "/v1/cards?limit=3" + (cursor.empty() ? "" : "&cursor=" + cursor));
    ASSERT_EQ(page.status, 200);
    for (const auto& item : page.body.at("items").as_array())
      seen.insert(std::string(item.at("id").as_string()));
    cursor =
        page.body.at("cursor").is_null() ? "" : std::string(page.body.at("cursor").as_string());
    ++pages;
  } while (!cursor.empty() && pages < 10);
  EXPECT_EQ(seen.size(), 7U);
  EXPECT_EQ(call("GET", "/v1/cards?limit=0").field(), "limit");
  EXPECT_EQ(call("GET", "/v1/cards?state=lost").field(), "state");
  EXPECT_EQ(call("GET", "/v1/cards?colour=red").field(), "colour");
  EXPECT_EQ(call("GET", "/v1/cards?since=monday").field(), "since");
}

TEST_F(ApiTest, TheWindowKeepsTheLastExchanges) {
  for (int i = 0; i < 12; ++i) {
    const std::string n = std::to_string(i), minute = (i < 10 ? "0" : "") + n;
    call("POST", "/v1/turns",
         R"({"conversation":"w","turns":[
           {"id":"q)" +
             n + R"(","speaker":"M","role":"user","text":"Question )" + n +
             R"(.","time":"2026-03-15T08:)" + minute + R"(:00Z"},
           {"id":"a)" +
             n + R"(","speaker":"bot","role":"assistant","text":"Answer.","time":"2026-03-15T08:)" +
             minute + R"(:30Z"}]})");
  }
  const auto window = call("GET", "/v1/conversations/w/window");
  ASSERT_EQ(window.status, 200);
  ASSERT_EQ(window.body.at("turns").as_array().size(), 8U);
  EXPECT_EQ(window.body.at("turns").at(0).at("id"), "q8");
  ASSERT_EQ(window.body.at("summaries").as_array().size(), 10U);
  const auto& line = window.body.at("summaries").at(0);
  EXPECT_EQ(line.at("line"), "M: Question 2. / bot: Answer.");
  EXPECT_EQ(line.at("id"), "q2");
  EXPECT_EQ(line.at("turns"), (json::array{"q2", "a2"}));
}

TEST_F(ApiTest, ATurnSaysWhatItIsAbout) {
  say("t1", "My sister Ida bakes rye bread. Hm.", R"(,"drawer":"home")");
  const auto turn = call("GET", "/v1/turns/t1").body;
  EXPECT_EQ(turn.at("domain"), "home");
  EXPECT_EQ(turn.at("sub_domain"), "food");
  EXPECT_EQ(turn.at("tags"), (json::array{"food", "family", "ida", "sister", "bakes", "bread"}));
  const std::string context(turn.at("micro_context").as_string());
  EXPECT_NE(context.find(": My sister Ida bakes rye bread."), std::string::npos) << context;
  say("t2", "Ok.");
  const auto small = call("GET", "/v1/turns/t2").body;
  EXPECT_TRUE(small.at("sub_domain").is_null());
  EXPECT_EQ(small.at("tags").as_array().size(), 3U);
}

TEST_F(ApiTest, DrawersAreListedAndRenamed) {
  say("t1", "Hello.", R"(,"drawer":"home")");
  EXPECT_EQ(call("PATCH", "/v1/drawers/home", R"({"name":"flat"})").body.at("name"), "flat");
  const auto drawers = call("GET", "/v1/drawers").body.at("items").as_array();
  ASSERT_EQ(drawers.size(), 1U);
  EXPECT_EQ(drawers[0].at("name"), "flat");
  EXPECT_EQ(drawers[0].at("shared"), false);
  EXPECT_EQ(call("GET", "/v1/turns/t1").body.at("drawer"), "flat");
  EXPECT_EQ(call("PATCH", "/v1/drawers/attic", R"({"name":"x"})").status, 404);
  const auto shared = call("PATCH", "/v1/drawers/plans", R"({"shared":true,"create":true})");
  EXPECT_EQ(shared.body.at("shared"), true) << json::serialize(shared.body);
}

TEST_F(ApiTest, SharedDrawersOfALoneDeviceAreReadToo) {
  ASSERT_EQ(call("PATCH", "/v1/drawers/home", R"({"shared":true,"create":true})").status, 200);
  say("t1", "I live in Bremen.", R"(,"drawer":"home")");
  read_all();
  EXPECT_EQ(call("GET", "/v1/cards?q=Bremen").body.at("items").as_array().size(), 1U);
}

TEST_F(ApiTest, BoxesAreApartAndMadeAtFirstUse) {
  say("t1", "I live in Bremen.");
  EXPECT_EQ(call("GET", "/v1/turns/t1?box=work").status, 404);
  EXPECT_EQ(call("GET", "/v1/box?box=work").body.at("name"), "work");
  EXPECT_EQ(call("GET", "/v1/box?box=WORK").field(), "box");
  EXPECT_EQ(call("GET", "/v1/box?box=..").field(), "box");
  // So lies a box that is being emptied.
  EXPECT_EQ(call("GET", "/v1/box?box=.work.emptied").field(), "box");
  EXPECT_EQ(call("GET", "/v1/box?box=a%2Fb").field(), "box");
}

TEST_F(ApiTest, TheBoxKnowsItsOwner) {
  EXPECT_TRUE(call("GET", "/v1/box").body.at("owner").is_null());
  ASSERT_EQ(call("PUT", "/v1/box", R"({"owner":"Maya","zone":"Europe/Berlin","token_budget":300})")
                .status,
            200);
  const auto box = call("GET", "/v1/box");
  EXPECT_EQ(box.body.at("owner"), "Maya");
  EXPECT_EQ(box.body.at("zone"), "Europe/Berlin");
  EXPECT_EQ(box.body.at("token_budget"), 300);
  EXPECT_EQ(box.body.at("audit_days"), 90);
  EXPECT_EQ(call("PUT", "/v1/box", R"({"zone":"Europe/Atlantis"})").field(), "zone");
  EXPECT_EQ(call("PUT", "/v1/box", R"({"audit_days":-1})").field(), "audit_days");
}

TEST_F(ApiTest, EmptyingWantsTheName) {
  say("t1", "I live in Bremen.");
  EXPECT_EQ(call("DELETE", "/v1/box", R"({"name":"work"})").field(), "name");
  EXPECT_EQ(call("DELETE", "/v1/box").field(), "name");
  EXPECT_EQ(call("GET", "/v1/turns/t1").status, 200);
  EXPECT_EQ(call("DELETE", "/v1/box", R"({"name":"default"})").status, 200);
  EXPECT_EQ(call("GET", "/v1/turns/t1").status, 404);
}

TEST_F(ApiTest, ExportComesBackThroughImport) {
  say("t1", "I live in Bremen.");
  read_all();
  const std::string old = remember("Sam likes tea.", R"(,"drawer":"people")");
  call("POST", "/v1/cards/" + old + "/replace", R"({"text":"Sam likes coffee."})");
  client_.request("GET", "/v1/export");
  std::string raw = client_.read_until("\r\n0\r\n\r\n");
  std::string lines;
  raw = raw.substr(raw.find("\r\n\r\n") + 4);
  while (true) {  // take the chunks apart
    const std::size_t end = raw.find("\r\n");
    const std::size_t size = std::stoul(raw.substr(0, end), nullptr, 16);
    if (size == 0) break;
    lines += raw.substr(end + 2, size);
    raw = raw.substr(end + 2 + size + 2);
  }
  RawClient other(daemon_.socket());
  const auto taken = ask(other, "POST", "/v1/import?box=copy", lines);
  ASSERT_EQ(taken.status, 200) << json::serialize(taken.body);
  EXPECT_EQ(taken.body.at("turns"), 1);
  EXPECT_EQ(taken.body.at("cards"), 3);
  const auto again = ask(other, "POST", "/v1/import?box=copy", lines);
  EXPECT_EQ(again.body.at("turns"), 0);
  EXPECT_EQ(ask(other, "GET", "/v1/turns/t1?box=copy").status, 200);
  const auto open = ask(other, "GET", "/v1/cards?box=copy");
  EXPECT_EQ(open.body.at("items").as_array().size(), 2U);
  const auto tea = ask(other, "GET", "/v1/cards?box=copy&state=closed&q=tea");
  ASSERT_EQ(tea.body.at("items").as_array().size(), 1U);
  EXPECT_FALSE(tea.body.at("items").at(0).at("replaced_by").is_null());
  EXPECT_EQ(ask(other, "GET", "/v1/status?box=copy").body.at("pending_extraction"), 0);
  EXPECT_EQ(ask(other, "POST", "/v1/import", "{\"kind\":\"song\"}").field(), "kind");
}

TEST_F(ApiTest, EventsTellWhatChanged) {
  RawClient listener(daemon_.socket());
  listener.request("GET", "/v1/events");
  EXPECT_NE(listener.read_until(": kartei").find("text/event-stream"), std::string::npos);
  remember("Sam likes tea.");
  EXPECT_NE(listener.read_until("event: card").find("\ndata: {"), std::string::npos);
}

TEST_F(ApiTest, StatusMetricsCheckAndDescription) {
  const auto status = call("GET", "/v1/status");
  for (const char* name : {"version", "role", "counts", "pending_extraction", "pending", "tip",
                           "final", "sync", "device"})
    EXPECT_TRUE(status.body.as_object().contains(name)) << name;
  EXPECT_EQ(status.body.at("role"), "alone");
  const RawAnswer metrics = client_.call("GET", "/v1/metrics");
  EXPECT_NE(metrics.body.find("# TYPE kartei_turns gauge\nkartei_turns 0\n"), std::string::npos);
  EXPECT_EQ(call("POST", "/v1/check").body.at("sound"), true);
  const auto document = call("GET", "/v1/openapi.json");
  EXPECT_EQ(document.body.at("openapi"), "3.1.0");
}

TEST_F(ApiTest, EveryCallIsDescribedAndEveryDescriptionIsACall) {
  auto routes = daemon_.api().router().routes();
  auto described = api::described_calls();
  std::sort(routes.begin(), routes.end());
  std::sort(described.begin(), described.end());
  EXPECT_EQ(routes, described);
}

TEST_F(ApiTest, WhatIsNotBuiltSaysSo) {
  EXPECT_EQ(call("PUT", "/v1/sync", R"({"mode":"relay"})").status, 501);
  EXPECT_EQ(call("POST", "/v1/pairing").status, 503);  // no network in this test
}

TEST_F(ApiTest, SyncModeIsKept) {
  EXPECT_EQ(call("GET", "/v1/sync").body.at("mode"), "off");
  EXPECT_EQ(call("PUT", "/v1/sync", R"({"mode":"direct"})").body.at("mode"), "direct");
  EXPECT_EQ(call("GET", "/v1/status").body.at("sync"), "direct");
}

TEST_F(ApiTest, PinsAndDevices) {
  const auto devices = call("GET", "/v1/devices").body.at("items").as_array();
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].at("self"), true);
  const std::string id(devices[0].at("id").as_string());
  EXPECT_EQ(call("PUT", "/v1/primary", R"({"device":")" + id + "\"}").status, 200);
  EXPECT_EQ(call("GET", "/v1/primary").body.at("pin").at("id"), devices[0].at("id"));
  EXPECT_EQ(call("PUT", "/v1/primary", R"({"device":"auto"})").status, 200);
  EXPECT_TRUE(call("GET", "/v1/primary").body.at("pin").is_null());
  EXPECT_EQ(call("PUT", "/v1/primary", R"({"device":"toaster"})").status, 404);
  EXPECT_EQ(call("DELETE", "/v1/devices/toaster").status, 404);
}

// ---- what goes wrong

TEST(ApiTrouble, AFullQueueSaysBusy) {
  TempFolder folder;
  Config config;
  config.waiting = 1;
  TestDaemon daemon(folder.path() / "home", config);
  RawClient first(daemon.socket()), second(daemon.socket());
  ASSERT_EQ(ask(first, "GET", "/v1/status").status, 200);
  std::atomic<bool> go{false}, busy{false};
  daemon.writer().post_follow_up([&] {
    busy = true;
    while (!go) ::poll(nullptr, 0, 1);
  });
  ASSERT_TRUE(eventually([&] { return busy.load(); }));
  first.request("GET", "/v1/status");
  ASSERT_TRUE(eventually([&] { return daemon.writer().waiting() == 1; }));
  const RawAnswer answer = second.call("GET", "/v1/status");
  go = true;
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.header("Retry-After"), "1");
  EXPECT_EQ(first.answer().status, 200);
}

TEST(ApiTrouble, CallsThatWaitShareOneCommit) {
  TempFolder folder;
  TestDaemon daemon(folder.path() / "home");
  RawClient opener(daemon.socket());
  ASSERT_EQ(ask(opener, "GET", "/v1/status").status, 200);
  std::atomic<bool> go{false}, busy{false};
  daemon.writer().post_follow_up([&] {
    busy = true;
    while (!go) ::poll(nullptr, 0, 1);
  });
  ASSERT_TRUE(eventually([&] { return busy.load(); }));
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<RawClient>(daemon.socket()));
    clients.back()->request("POST", "/v1/turns",
                            R"({"conversation":"c","turns":[{"id":"s)" + std::to_string(i) +
                                R"(","speaker":"M","role":"user","text":"x"}]})");
  }
  go = true;
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(clients[static_cast<std::size_t>(i)]->answer().status, 202);
  EXPECT_EQ(ask(opener, "GET", "/v1/status").body.at("counts").at("turns"), 20);
}

TEST(ApiTrouble, ARefusedTurnIsReportedAndItsNeighboursAreKept) {
  TempFolder folder;
  TestDaemon daemon(folder.path() / "home");
  RawClient client(daemon.socket());
  const auto answer = ask(client, "POST", "/v1/turns", R"({"conversation":"c","turns":[
    {"id":"a","speaker":"M","role":"user","text":"my PIN is 4821"},
    {"id":"b","speaker":"M","role":"user","text":"good"},
    {"id":"b","speaker":"M","role":"user","text":"other words"}]})");
  EXPECT_EQ(answer.status, 202);
  EXPECT_EQ(answer.body.at("ids").as_array().size(), 1U);
  EXPECT_EQ(answer.body.at("refused").at(1).at("index"), 2);
  EXPECT_EQ(answer.body.at("refused").at(0).at("id"), "a");
  EXPECT_EQ(
      answer.body.at("refused").at(0).at("reason"),
      "It holds a secret: PIN (`text`, bytes 10 to 14). It was not stored. Say it without, or "
      "allow it: \"allow_secrets\": true (kartei: --allow-secrets).");
  EXPECT_EQ(ask(client, "GET", "/v1/turns/a").status, 404);
  EXPECT_EQ(ask(client, "GET", "/v1/turns/b").status, 200);
}

TEST(ApiTrouble, OnlySoManyBoxesAreOpenAtOnce) {
  TempFolder folder;
  Config config;
  config.boxes = 2;
  TestDaemon daemon(folder.path() / "home", config);
  RawClient client(daemon.socket());
  for (int round = 0; round < 2; ++round)
    for (const char* box : {"a", "b", "c", "d"})
      EXPECT_EQ(ask(client, "GET", std::string("/v1/box?box=") + box).status, 200);
  int open = 0;
  daemon.hosts().for_each([&](BoxHost&) { ++open; });
  EXPECT_LE(open, 2);
}

TEST(ApiTrouble, ADamagedBoxSaysWhatToDo) {
  TempFolder folder;
  const auto file = folder.path() / "home/boxes/default/box.kartei";
  {
    TestDaemon daemon(folder.path() / "home");
    RawClient client(daemon.socket());
    ASSERT_EQ(ask(client, "GET", "/v1/status").status, 200);
  }
  std::filesystem::resize_file(file, 100);
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary) << std::string(100, 'x');
  TestDaemon daemon(folder.path() / "home");
  RawClient client(daemon.socket());
  const auto answer = ask(client, "GET", "/v1/cards");
  EXPECT_EQ(answer.status, 500);
  EXPECT_NE(answer.body.at("detail").as_string().find("kartei doctor"), json::string::npos)
      << json::serialize(answer.body);
}

TEST(ApiTrouble, DamageInTheMiddleIsNoticedAtTheStart) {
  TempFolder folder;
  const auto file = folder.path() / "home/boxes/default/box.kartei";
  {
    TestDaemon daemon(folder.path() / "home");
    RawClient client(daemon.socket());
    ASSERT_EQ(ask(client, "GET", "/v1/status").status, 200);
  }
  std::fstream damaged(file, std::ios::in | std::ios::out | std::ios::binary);
  damaged.seekp(4096) << std::string(20'000, '\x5a');
  damaged.close();
  TestDaemon daemon(folder.path() / "home");
  RawClient client(daemon.socket());
  const auto answer = ask(client, "GET", "/v1/cards");
  EXPECT_EQ(answer.status, 500);
  EXPECT_NE(answer.body.at("detail").as_string().find("damaged"), json::string::npos)
      << json::serialize(answer.body);
}

TEST(ApiTrouble, EverythingIsThereAfterARestart) {
  TempFolder folder;
  for (int round = 0; round < 2; ++round) {
    TestDaemon daemon(folder.path() / "home");
    RawClient client(daemon.socket());
    if (round == 0) {
      ask(client, "PUT", "/v1/box", R"({"owner":"Maya"})");
      ask(client, "PUT", "/v1/sync", R"({"mode":"direct"})");
      ask(client, "POST", "/v1/turns",
          R"({"conversation":"c","turns":[{"id":"t","speaker":"M","role":"user","text":"x"}]})");
      continue;
    }
    EXPECT_EQ(ask(client, "GET", "/v1/box").body.at("owner"), "Maya");
    EXPECT_EQ(ask(client, "GET", "/v1/sync").body.at("mode"), "direct");
    EXPECT_EQ(ask(client, "GET", "/v1/turns/t").status, 200);
    EXPECT_EQ(ask(client, "GET", "/v1/status").body.at("pending_extraction"), 1);
  }
}

}  // namespace
}  // namespace kartei::daemon
