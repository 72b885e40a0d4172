// Secrets at the API: refused on every way in, allowed on purpose, masked on every way out.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <boost/json/serialize.hpp>
#include <fstream>

#include "crypto/hash.h"
#include "daemon/log.h"
#include "daemon/secret_guard.h"
#include "tests/daemon/api_support.h"

namespace kartei::daemon::test {
namespace {

namespace json = boost::json;

// In pieces: no key stands in a file of the project.
const std::string kToken = std::string("gh") + "p_zQ7BuTSOmRi4A9spXcVY5ncnsDkxkJ3nWq81";
const std::string kPassword = "Kaffee-2291";
const std::string kSaid = "The wifi password is " + kPassword + ".";

class SecretsApi : public ::testing::Test {
 protected:
  SecretsApi() : daemon_(folder_.path() / "home"), client_(daemon_.socket()) {}

  JsonAnswer call(const std::string& method, const std::string& target,
                  const std::string& body = {}, const std::string& headers = {}) {
    return ask(client_, method, target, body, headers);
  }
  static std::string turn(const std::string& id, const std::string& text,
                          const std::string& more = {}) {
    return json::serialize(
               json::object{{"id", id}, {"speaker", "Maya"}, {"role", "user"}, {"text", text}})
        .insert(1, more);
  }
  JsonAnswer say(const std::string& turns, const std::string& more = {}) {
    return call("POST", "/v1/turns",
                R"({"conversation":"c",)" + more + R"("turns":[)" + turns + "]}");
  }
  JsonAnswer recall(const std::string& query) {
    return call("POST", "/v1/recall", json::serialize(json::object{{"query", query}}));
  }
  // Past the door, as another device's turn or an older Kartei's comes in.
  void smuggle(const std::string& id, const std::string& text,
               const std::function<void(HearJob::Item&)>& change = {}) {
    call("GET", "/v1/status");
    const auto host = daemon_.hosts().find("default");
    ASSERT_NE(host, nullptr);
    HearJob job;
    job.items.emplace_back();
    store::Turn& said = job.items[0].turn;
    said.external_id = id;
    said.conversation = "c";
    said.speaker = "Maya";
    said.text = text;
    said.said_at = {daemon_.clock.wall(), 0};
    if (change) change(job.items[0]);
    std::promise<bool> done;
    job.answer = [&](auto ids) { done.set_value(ids.has_value()); };
    ASSERT_TRUE(host->hear(std::move(job)));
    ASSERT_TRUE(done.get_future().get());
  }
  bool any_file_has(const std::string& words) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string all((std::istreambuf_iterator<char>(file)), {});
      if (all.find(words) != std::string::npos) return true;
    }
    return false;
  }
  static std::string text_of(const json::value& value) { return json::serialize(value); }
  static bool has(const JsonAnswer& answer, const std::string& words) {
    return text_of(answer.body).find(words) != std::string::npos;
  }
  std::string card(const std::string& text) {
    const auto made = call("POST", "/v1/cards", json::serialize(json::object{{"text", text}}));
    EXPECT_EQ(made.status, 201);
    return std::string(made.body.at("id").as_string());
  }

  TempFolder folder_;
  TestDaemon daemon_;
  RawClient client_;
};

TEST_F(SecretsApi, ATurnIsRefusedItsNeighboursAreKeptAndNothingOfItIsLeft) {
  const auto answer = say(turn("a", "We moved to Utrecht.") + "," + turn("b", "see " + kToken) +
                          "," + turn("c", "Sam likes tea."));
  EXPECT_EQ(answer.status, 202);
  EXPECT_EQ(text_of(answer.body.at("ids")), R"(["a","c"])");
  const json::value& refused = answer.body.at("refused").at(0);
  EXPECT_EQ(refused.at("index"), 1);
  EXPECT_EQ(refused.at("id"), "b");
  EXPECT_EQ(text_of(refused.at("secrets")),
            R"([{"kind":"service_key","what":"GitHub token","field":"text","begin":4,"end":44}])");
  EXPECT_FALSE(has(answer, kToken));
  EXPECT_EQ(call("GET", "/v1/turns/b").status, 404);
  EXPECT_EQ(call("GET", "/v1/status").body.at("counts").at("turns"), 2);
  EXPECT_FALSE(any_file_has(kToken));
  EXPECT_TRUE(any_file_has("We moved to Utrecht."));
}

TEST_F(SecretsApi, ALongCallIsLookedThroughToo) {
  const std::string chat(100'000, '.');
  const auto answer = say(turn("a", chat) + "," + turn("b", chat + " " + kToken));
  EXPECT_EQ(text_of(answer.body.at("ids")), R"(["a"])");
  EXPECT_EQ(answer.body.at("refused").as_array().size(), 1U);
}

TEST_F(SecretsApi, WhatIsAllowedOnceMayBeSaidAgainAndIsHandedOut) {
  EXPECT_EQ(text_of(say(turn("a", kSaid)).body.at("ids")), "[]");
  EXPECT_EQ(text_of(say(turn("a", kSaid, R"("allow_secrets":true,)")).body.at("ids")), R"(["a"])");
  EXPECT_EQ(text_of(say(turn("b", "Noted: password: " + kPassword)).body.at("ids")), R"(["b"])");
  EXPECT_EQ(text_of(say(turn("x", "password: Teekanne-17")).body.at("ids")), "[]");
  EXPECT_TRUE(has(call("GET", "/v1/turns/a"), kPassword));
  EXPECT_TRUE(has(call("GET", "/v1/conversations/c/window"), kPassword));
  EXPECT_TRUE(has(recall("What is the wifi password?"), kPassword));
  // For the whole call at once.
  EXPECT_EQ(
      say(turn("y", "password: Teekanne-17") + "," + turn("z", kToken), R"("allow_secrets":true,)")
          .body.at("ids")
          .as_array()
          .size(),
      2U);
}

TEST_F(SecretsApi, NamesMayHoldNoneEvenIfAllowed) {
  const std::string allow = R"("allow_secrets":true,)";
  for (const char* field : {"id", "speaker", "drawer"}) {
    json::object said{
        {"speaker", "Maya"}, {"role", "user"}, {"text", "Hello."}, {"allow_secrets", true}};
    said[field] = kToken;
    const auto answer = say(json::serialize(said));
    EXPECT_EQ(answer.body.at("refused").as_array().size(), 1U) << field;
    EXPECT_FALSE(has(answer, kToken)) << field;
  }
  const auto answer =
      call("POST", "/v1/turns",
           R"({"conversation":")" + kToken + R"(","turns":[)" + turn("a", "Hi.") + "]}");
  EXPECT_EQ(answer.status, 403);
  EXPECT_EQ(answer.body.at("type"), "urn:kartei:problem:secret");
  EXPECT_EQ(answer.field(), "conversation");
  EXPECT_EQ(call("POST", "/v1/conversations/" + kToken + "/end").status, 403);
  EXPECT_EQ(call("PATCH", "/v1/drawers/" + kToken, R"({"create":true})").status, 403);
  EXPECT_EQ(call("PATCH", "/v1/drawers/general", R"({"name":")" + kToken + R"("})").status, 403);
  EXPECT_EQ(call("PUT", "/v1/box", R"({"owner":")" + kToken + R"("})").status, 403);
  EXPECT_EQ(call("POST", "/v1/cards",
                 R"({"text":"Hi.","allow_secrets":true,"drawer":")" + kToken + R"("})")
                .status,
            403);
  EXPECT_FALSE(any_file_has(kToken));
}

TEST_F(SecretsApi, CardsAndAllThatIsSaidOfThem) {
  const std::string id = card("Sam lives in Graz.");
  const std::string place = "/v1/cards/" + id;
  const auto refused = [&](const JsonAnswer& answer, const char* field) {
    EXPECT_EQ(answer.status, 403);
    EXPECT_EQ(answer.body.at("type"), "urn:kartei:problem:secret");
    EXPECT_EQ(answer.field(), field);
    EXPECT_FALSE(has(answer, kPassword));
  };
  refused(call("POST", "/v1/cards", R"({"text":")" + kSaid + R"("})"), "text");
  refused(call("POST", "/v1/cards", R"({"text":"Hi.","tags":["tea",")" + kSaid + R"("]})"),
          "tags[1]");
  refused(call("PATCH", place, R"({"annotation":")" + kSaid + R"("})"), "annotation");
  refused(call("POST", place + "/replace", R"({"text":")" + kSaid + R"("})"), "text");
  refused(call("POST", place + "/close", R"({"why":")" + kSaid + R"("})"), "why");
  refused(call("POST", place + "/archive", R"({"why":")" + kSaid + R"("})"), "why");
  EXPECT_FALSE(any_file_has(kPassword));
  EXPECT_EQ(call("POST", "/v1/cards", R"({"allow_secrets":true,"text":")" + kSaid + R"("})").status,
            201);
  EXPECT_TRUE(has(call("GET", "/v1/cards"), kPassword));
}

// Else the secret could be said anywhere from then on, though nothing was stored with it.
TEST_F(SecretsApi, ACallThatFailsAllowsNothing) {
  const std::string id = card("Sam lives in Graz."), place = "/v1/cards/" + id;
  const std::string allow = R"({"allow_secrets":true,)";
  const std::string nowhere = "/v1/cards/" + std::string(32, '7');
  ASSERT_EQ(call("POST", place + "/close").status, 200);
  const auto fails = [&](const std::string& method, const std::string& target,
                         const std::string& body, int status) {
    EXPECT_EQ(call(method, target, allow + body).status, status) << target;
    EXPECT_EQ(call("POST", "/v1/cards", R"({"text":")" + kSaid + R"("})").status, 403) << target;
  };
  const std::string why = R"("why":")" + kSaid + R"("})", text = R"("text":")" + kSaid + R"("})";
  fails("POST", nowhere + "/replace", text, 404);
  fails("POST", place + "/replace", text, 409);
  fails("POST", nowhere + "/close", why, 404);
  fails("POST", place + "/close", why, 409);
  fails("PATCH", nowhere, R"("annotation":")" + kSaid + R"("})", 404);
  fails("PATCH", place, R"("approve":true,"annotation":")" + kSaid + R"("})", 400);
}

TEST_F(SecretsApi, AllowedWithAnAnnotationTheCardsOwnStayMasked) {
  const std::string id(
      call("POST", "/v1/cards", R"({"allow_secrets":true,"text":")" + kSaid + R"("})")
          .body.at("id")
          .as_string());
  const std::string place = "/v1/cards/" + id;
  EXPECT_FALSE(has(call("PATCH", place, R"({"allow_secrets":false})"), kPassword));
  const auto noted =
      call("PATCH", place, R"({"allow_secrets":true,"annotation":"see )" + kToken + R"("})");
  EXPECT_EQ(noted.status, 200);
  EXPECT_TRUE(has(noted, kToken));
  EXPECT_FALSE(has(noted, kPassword));
  EXPECT_TRUE(has(call("PATCH", place, R"({"allow_secrets":true})"), kPassword));
  EXPECT_TRUE(
      has(call("PATCH", place, R"({"allow_secrets":false,"annotation":"Hi."})"), kPassword));
}

TEST_F(SecretsApi, WhatCameInPastTheDoorIsMaskedUntilItIsAllowed) {
  smuggle("a", "Our cat is called Mio. " + kSaid);
  const std::string mask = "[secret removed: password]";
  const auto is_masked = [&](const JsonAnswer& answer) {
    EXPECT_FALSE(has(answer, kPassword)) << text_of(answer.body);
    EXPECT_TRUE(has(answer, mask)) << text_of(answer.body);
  };
  is_masked(call("GET", "/v1/turns/a"));
  is_masked(call("GET", "/v1/conversations/c/window"));
  is_masked(recall("What is the wifi password?"));
  is_masked(
      call("POST", "/v1/recall", R"({"query":"the cat Mio","explain":true,"budget_tokens":1})"));
  is_masked(call("POST", "/v1/recall",
                 R"({"query":"the cat Mio","conversation":"c","include":["buffer"]})"));
  for (int budget = 5; budget < 60; ++budget) {
    const auto answer =
        call("POST", "/v1/recall",
             R"({"query":"the cat Mio","budget_tokens":)" + std::to_string(budget) + "}");
    EXPECT_LE(store::estimate_tokens(std::string(answer.body.at("text").as_string())),
              static_cast<std::size_t>(budget));
  }
  EXPECT_TRUE(has(call("PATCH", "/v1/turns/a", R"({"allow_secrets":true})"), kPassword));
  EXPECT_TRUE(has(call("GET", "/v1/turns/a"), kPassword));
  EXPECT_TRUE(has(recall("What is the wifi password?"), kPassword));
  is_masked(call("PATCH", "/v1/turns/a", R"({"allow_secrets":false})"));
  is_masked(call("GET", "/v1/turns/a"));
}

TEST_F(SecretsApi, NamesFromElsewhereAreMaskedToo) {
  const auto change = [](HearJob::Item& item) {
    item.turn.speaker = "Maya " + kToken;
    item.turn.conversation = "talk " + kToken;
    item.drawer = "home " + kToken;
  };
  smuggle("a", "Our cat is called Mio.", change);
  smuggle("see " + kToken, "Our cat Mio is grey.", change);
  for (
      const auto& answer :
      {call("GET", "/v1/turns/a?around=1"), call("GET", "/v1/drawers"),
       call("GET", "/v1/conversations/talk%20" + kToken + "/window"), recall("the cat Mio"),
       call(
           "POST", "/v1/recall",
           R"({"query":"the cat Mio","explain":true,"include":["turns","buffer"],"conversation":"talk )" +
               kToken + R"("})"),
       call("GET", "/v1/cards?drawer=attic"), call("GET", "/v1/audit")}) {
    EXPECT_FALSE(has(answer, kToken)) << text_of(answer.body);
    EXPECT_TRUE(has(answer, answer.status == 200 ? "[secret removed: GitHub token]" : "home "))
        << text_of(answer.body);
  }
}

TEST(SecretGuard, ACardsNamesAreLookedThroughAll) {
  store::Card card;
  for (std::string* name :
       {&card.subject, &card.relation, &card.sub_domain, &card.said_by, &card.conversation}) {
    *name = kToken;
    EXPECT_EQ(look_for_secrets(card).in_names().size(), 1U);
    SecretsAllowed(crypto::Secret(32), {}).mask(card);
    EXPECT_EQ(name->find(kToken), std::string::npos);
    name->clear();
  }
}

TEST_F(SecretsApi, AllowancesOutliveARestart) {
  TempFolder folder;
  for (const bool first : {true, false}) {
    TestDaemon daemon(folder.path() / "home");
    RawClient client(daemon.socket());
    if (first)
      ask(client, "POST", "/v1/cards", R"({"allow_secrets":true,"text":")" + kSaid + R"("})");
    EXPECT_NE(json::serialize(ask(client, "GET", "/v1/cards").body).find(kPassword),
              std::string::npos);
  }
}

TEST_F(SecretsApi, ErasingACardTakesBackWhatWasAllowedWithIt) {
  const std::string body = R"({"allow_secrets":true,"text":")" + kSaid + R"("})";
  const std::string id(call("POST", "/v1/cards", body).body.at("id").as_string());
  EXPECT_EQ(call("DELETE", "/v1/cards/" + id).status, 202);
  EXPECT_EQ(call("POST", "/v1/cards", R"({"text":")" + kSaid + R"("})").status, 403);
}

TEST_F(SecretsApi, TheAuditAndErrorsSayNothingOfIt) {
  recall("is my password still " + kPassword + "?");
  recall("who owns " + kToken);
  call("GET", "/v1/cards?q=my+password+is+" + kPassword, {}, "X-Kartei-App: " + kToken + "\r\n");
  const auto audit = call("GET", "/v1/audit");
  EXPECT_EQ(audit.body.at("items").as_array().size(), 3U);
  EXPECT_FALSE(has(audit, kToken));
  EXPECT_FALSE(has(audit, kPassword));
  EXPECT_TRUE(has(audit, "who owns [secret removed: GitHub token]"));
  for (const std::string& target : std::vector<std::string>{
           "/v1/turns/" + kToken, "/v1/cards/" + kToken, "/v1/cards?limit=" + kToken,
           "/v1/cards?drawer=" + kToken, "/v1/cards?" + kToken + "=1"}) {
    const auto answer = call("GET", target);
    EXPECT_GE(answer.status, 400) << target;
    EXPECT_FALSE(has(answer, kToken)) << text_of(answer.body);
  }
  EXPECT_FALSE(
      has(call("POST", "/v1/cards", R"({"text":"x","colour":")" + kToken + R"("})"), kToken));
  EXPECT_FALSE(any_file_has(kToken));
  EXPECT_FALSE(any_file_has(kPassword));
}

TEST_F(SecretsApi, AnImportLeavesThemOutAndSaysSo) {
  const std::string drawer(32, '1'), secret(32, '2'), plain(32, '3'), noted(32, '4'),
      turn_id(32, '5');
  const std::string lines = R"({"kind":"box","format":2})"
                            "\n"
                            R"({"kind":"drawer","id":")" +
                            drawer +
                            R"(","name":"general"})"
                            "\n"
                            R"({"kind":"turn","id":")" +
                            turn_id + R"(","conversation":"c","speaker":"M","text":")" + kSaid +
                            R"(","time":"2026-05-04T18:20:00Z","drawer":")" + drawer +
                            "\"}\n"
                            R"({"kind":"card","id":")" +
                            secret + R"(","drawer":")" + drawer + R"(","text":")" + kSaid +
                            "\"}\n"
                            R"({"kind":"card","id":")" +
                            noted + R"(","drawer":")" + drawer +
                            R"(","text":"Noted."})"
                            "\n"
                            R"({"kind":"annotations","card":")" +
                            noted + R"(","from":0,"annotations":["see )" + kToken +
                            "\"]}\n"
                            R"({"kind":"card","id":")" +
                            plain + R"(","drawer":")" + drawer +
                            R"(","text":"Sam likes tea."})"
                            "\n";
  const auto answer = call("POST", "/v1/import", lines);
  EXPECT_EQ(answer.status, 200) << text_of(answer.body);
  EXPECT_EQ(answer.body.at("cards"), 1);
  EXPECT_EQ(answer.body.at("turns"), 0);
  EXPECT_EQ(answer.body.at("refused").as_array().size(), 3U);
  EXPECT_FALSE(has(answer, kPassword));
  EXPECT_FALSE(any_file_has(kPassword));
  EXPECT_FALSE(any_file_has(kToken));
  const auto again = call("POST", "/v1/import?allow_secrets=true", lines);
  EXPECT_EQ(again.body.at("refused").as_array().size(), 0U);
  EXPECT_EQ(again.body.at("cards"), 2);
  EXPECT_TRUE(has(call("GET", "/v1/cards/" + secret), kPassword));
  EXPECT_EQ(call("POST", "/v1/import?allow_secrets=perhaps", lines).status, 400);
}

TEST(SecretGuard, TheSecretarysCardsStayOutWithWhatTheyWouldClose) {
  const SecretsAllowed none(crypto::Secret(32), {});
  store::UnitFiled unit;
  unit.cards.resize(2);
  unit.cards[0].id.bytes[0] = 1;
  unit.cards[0].text = "Maya lives in Utrecht.";
  unit.cards[1].id.bytes[0] = 2;
  unit.cards[1].text = kSaid;
  unit.closes.resize(2);
  unit.closes[0].replaced_by = unit.cards[0].id;
  unit.closes[1].replaced_by = unit.cards[1].id;
  unit.unit = store::derive_unit_id(unit);
  const store::UnitId before = unit.unit;
  drop_secret_cards(unit, none);
  ASSERT_EQ(unit.cards.size(), 1U);
  EXPECT_EQ(unit.cards[0].text, "Maya lives in Utrecht.");
  ASSERT_EQ(unit.closes.size(), 1U);
  EXPECT_EQ(unit.closes[0].replaced_by, unit.cards[0].id);
  EXPECT_NE(unit.unit, before);
  const std::string essence = secrets::essence(kPassword);
  unit.cards[0].text = kSaid;
  drop_secret_cards(unit, none.with({&essence, 1}));
  EXPECT_EQ(unit.cards.size(), 1U);
}

TEST(SecretGuard, TheLogMasksThem) {
  const auto before = spdlog::default_logger();
  testing::internal::CaptureStderr();
  start_log("info");
  spdlog::error("cannot take {}", kToken);
  spdlog::default_logger()->flush();
  const std::string log = testing::internal::GetCapturedStderr();
  spdlog::set_default_logger(before);
  EXPECT_NE(log.find("cannot take [secret removed: GitHub token]"), std::string::npos) << log;
  EXPECT_EQ(log.find(kToken), std::string::npos);
}

}  // namespace
}  // namespace kartei::daemon::test
