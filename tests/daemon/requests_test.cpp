#include "daemon/api/requests.h"

#include <gtest/gtest.h>

namespace kartei::daemon::api {
namespace {

std::string field_of(const auto& result) {
  return result.has_error() ? result.error().field : "(no error)";
}

TEST(Requests, TurnsAreReadWhole) {
  const auto input = read_turns(R"({"conversation":"c1","turns":[
    {"id":"t1","speaker":"Maya","role":"user","text":"Hello.","time":"2026-05-04T18:20:00+02:00",
     "drawer":"home","trust":"web_page","caption":"a cat"},
    {"speaker":"bot","role":"assistant","text":"Hi."}]})");
  ASSERT_TRUE(input) << input.error().what;
  ASSERT_EQ(input->turns.size(), 2U);
  EXPECT_EQ(input->conversation, "c1");
  EXPECT_EQ(input->turns[0].id, "t1");
  EXPECT_EQ(input->turns[0].time->zone_min, 120);
  EXPECT_EQ(input->turns[0].trust, store::Trust::kWebPage);
  EXPECT_EQ(input->turns[0].drawer, "home");
  EXPECT_EQ(input->turns[1].role, store::Role::kAssistant);
  EXPECT_FALSE(input->turns[1].time);
}

struct Bad {
  const char* body;
  const char* field;
};

TEST(Requests, EachFaultOfATurnNamesItsField) {
  for (
      const Bad& bad : {
          Bad{R"({"turns":[{"speaker":"M","role":"user","text":"x"}]})", "conversation"},
          Bad{R"({"conversation":"c"})", "turns"},
          Bad{R"({"conversation":"c","turns":[]})", "turns"},
          Bad{R"({"conversation":"c","turns":{}})", "turns"},
          Bad{R"({"conversation":"c","turns":[1]})", "turns[0]"},
          Bad{R"({"conversation":"c","turns":[{"role":"user","text":"x"}]})", "turns[0].speaker"},
          Bad{R"({"conversation":"c","turns":[{"speaker":"M","text":"x"}]})", "turns[0].role"},
          Bad{R"({"conversation":"c","turns":[{"speaker":"M","role":"boss","text":"x"}]})",
              "turns[0].role"},
          Bad{R"({"conversation":"c","turns":[{"speaker":"M","role":"user"}]})", "turns[0].text"},
          Bad{R"({"conversation":"c","turns":[{"speaker":"M","role":"user","text":7}]})",
              "turns[0].text"},
          Bad{R"({"conversation":"c","turns":[{"speaker":"M","role":"user","text":"a\u0000b"}]})",
              "turns[0].text"},
          Bad{R"({"conversation":"c","turns":[{"speaker":"M","role":"user","text":"x","time":"2026-05-04"}]})",
              "turns[0].time"},
          Bad{R"({"conversation":"c","turns":[{"speaker":"M","role":"user","text":"x","trust":"much"}]})",
              "turns[0].trust"},
          Bad{R"({"conversation":"c","turns":[{"speaker":"M","role":"user","text":"x","drawer":" "}]})",
              "turns[0].drawer"},
          Bad{R"({"conversation":"c","turns":[{"speaker":"M","role":"user","text":"x","txet":"y"}]})",
              "turns[0].txet"},
          Bad{R"({"conversation":"c","turns":[{"speaker":"M","role":"user","text":"x"}],"more":1})",
              "more"},
      })
    EXPECT_EQ(field_of(read_turns(bad.body)), bad.field) << bad.body;
}

TEST(Requests, WhatIsNoJsonObjectIsRefused) {
  for (const char* body :
       {"", "[]", "7", "{", "{\"a\":1}}", "\xff", "{\"conversation\":\"\xc3\x28\"}"})
    EXPECT_TRUE(read_turns(body).has_error()) << body;
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "{\"a\":";
  EXPECT_TRUE(read_turns(deep).has_error());
}

TEST(Requests, RecallHasDefaultsAndBounds) {
  const auto plain = read_recall(R"({"query":"where?"})");
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->budget_tokens);
  EXPECT_TRUE(plain->cards && plain->turns);
  EXPECT_FALSE(plain->buffer || plain->explain);
  const auto only =
      read_recall(R"({"query":"q","include":["buffer"],"budget_tokens":0,"limit":500})");
  ASSERT_TRUE(only);
  EXPECT_EQ(only->budget_tokens, 0U);
  EXPECT_TRUE(only->buffer);
  EXPECT_FALSE(only->cards || only->turns);
  for (const Bad& bad :
       {Bad{R"({})", "query"}, Bad{R"({"query":" "})", "query"},
        Bad{R"({"query":"q","limit":0})", "limit"}, Bad{R"({"query":"q","limit":501})", "limit"},
        Bad{R"({"query":"q","budget_tokens":-1})", "budget_tokens"},
        Bad{R"({"query":"q","budget_tokens":1.5})", "budget_tokens"},
        Bad{R"({"query":"q","now":"yesterday"})", "now"},
        Bad{R"({"query":"q","include":["all"]})", "include"},
        Bad{R"({"query":"q","explain":"yes"})", "explain"},
        Bad{R"({"query":"q","drawers":"home"})", "drawers"},
        Bad{R"({"query":"q","budget":5})", "budget"}})
    EXPECT_EQ(field_of(read_recall(bad.body)), bad.field) << bad.body;
}

TEST(Requests, CardsAreReadStrictly) {
  const auto card = read_card(
      R"({"text":"Sam likes tea.","colour":"fact","valid_from":"2026-03","flags":["persistent"],"tags":["sam"]})");
  ASSERT_TRUE(card);
  EXPECT_EQ(card->valid_from.text(), "2026-03");
  EXPECT_EQ(card->flags, store::kPersistent);
  for (const Bad& bad :
       {Bad{R"({})", "text"}, Bad{R"({"text":"x","colour":"red"})", "colour"},
        Bad{R"({"text":"x","flags":["loud"]})", "flags"},
        Bad{R"({"text":"x","valid_from":"2026-13"})", "valid_from"},
        Bad{R"({"text":"x","valid_from":"2026-03","valid_to":"2026-03"})", "valid_to"},
        Bad{R"({"text":"x","why":"because"})", "why"}})
    EXPECT_EQ(field_of(read_card(bad.body)), bad.field) << bad.body;
  EXPECT_EQ(read_replacement(R"({"text":"x","why":"because"})")->why, "because");
}

TEST(Requests, PatchesWantSomethingToDo) {
  EXPECT_TRUE(read_card_patch("{}").has_error());
  EXPECT_TRUE(read_drawer_patch("{}").has_error());
  EXPECT_EQ(field_of(read_card_patch(R"({"importance":2})")), "importance");
  EXPECT_EQ(read_card_patch(R"({"flags":[]})")->flags, 0U);
  EXPECT_EQ(field_of(read_drawer_patch(R"({"shared":1})")), "shared");
  EXPECT_TRUE(*read_drawer_patch(R"({"shared":true})")->shared);
  EXPECT_FALSE(read_drawer_patch(R"({"shared":true})")->create);
  EXPECT_TRUE(read_drawer_patch(R"({"create":true})")->create);
}

TEST(Requests, TheSmallCalls) {
  EXPECT_EQ(*read_pin(R"({"device":"auto"})"), "auto");
  EXPECT_EQ(field_of(read_pin("{}")), "device");
  EXPECT_EQ(*read_sync(R"({"mode":"direct"})"), SyncMode::kDirect);
  EXPECT_EQ(field_of(read_sync(R"({"mode":"cloud"})")), "mode");
  EXPECT_EQ(field_of(read_sync("")), "mode");
  EXPECT_EQ(field_of(read_box(R"({"token_budget":0})")), "token_budget");
  EXPECT_EQ(*read_box(R"({"owner":"Maya"})")->owner, "Maya");
  EXPECT_EQ(*read_confirmation(R"({"name":"default"})"), "default");
  EXPECT_EQ(field_of(read_pairing(R"({"seconds":1})")), "seconds");
  EXPECT_EQ(read_pairing(R"({"code":"a-b","address":"127.0.0.1:1"})")->code, "a-b");
  EXPECT_EQ(field_of(read_approval(R"({})")), "device");
  EXPECT_TRUE(read_nothing(""));
  EXPECT_TRUE(read_nothing("{}"));
  EXPECT_EQ(field_of(read_nothing(R"({"a":1})")), "a");
  EXPECT_EQ(read_card_end(R"({"valid_to":"2026-05-01"})", true)->valid_to.text(), "2026-05-01");
}

// Each tells a person which part is meant, what it was, and what would do.
TEST(Requests, ErrorsNameFieldValueAndWhatIsAllowed) {
  const auto what = [](const auto& result) { return result.error().what; };
  EXPECT_EQ(what(read_turns(R"({"conversation":"c","turns":[7]})")),
            "`turns[0]` must be a JSON object.");
  EXPECT_EQ(what(read_card(R"({"text":"x","colour":"red"})")),
            "`colour` must be fact, event or rule, not \"red\".");
  EXPECT_EQ(what(read_card_patch(R"({"importance":7})")),
            "`importance` must be a number from 0 to 1, not 7.");
  EXPECT_EQ(what(read_recall(R"({"query":"x","limit":"many"})")),
            "`limit` must be a whole number from 1 to 500, not \"many\".");
  EXPECT_EQ(what(read_card_patch(R"({"flags":["shiny"]})")),
            "`flags` knows persistent, high_priority and never_forget only, not \"shiny\".");
  const std::string at = what(read_recall(R"({"query":"x","now":"today"})"));
  EXPECT_TRUE(at.starts_with("`now` must be an RFC 3339 time")) << at;
  EXPECT_NE(at.find("\"today\""), std::string::npos) << at;
  const std::string large(5000, 'y');
  EXPECT_LT(what(read_card(R"({"text":"x","valid_from":")" + large.substr(0, 64) + "\"}")).size(),
            200U);
}

}  // namespace
}  // namespace kartei::daemon::api
