// What questions are ranked by comes into memory with the first one, and follows what is said.
#include <gtest/gtest.h>

#include "tests/daemon/api_support.h"

namespace kartei::daemon {
namespace {
using namespace test;

std::int64_t facts_bytes(RawClient& client) {
  return ask(client, "GET", "/v1/status").body.at("facts_bytes").to_number<std::int64_t>();
}

std::string found(RawClient& client, const std::string& query) {
  const auto answer = ask(client, "POST", "/v1/recall", R"({"query":")" + query + "\"}");
  return std::string(answer.body.at("text").as_string());
}

TEST(RankingMemory, ComesWithTheFirstQuestion) {
  TempFolder folder;
  TestDaemon daemon(folder.path() / "home");
  RawClient client(daemon.socket());
  ask(client, "POST", "/v1/cards", R"({"text":"Sam likes tea."})");
  EXPECT_EQ(facts_bytes(client), 0) << "nobody has asked anything";
  EXPECT_NE(found(client, "Who likes tea?").find("Sam"), std::string::npos);
  EXPECT_TRUE(eventually([&] { return facts_bytes(client) > 0; }));
  EXPECT_NE(found(client, "Who likes tea?").find("Sam"), std::string::npos);

  const auto card = ask(client, "POST", "/v1/cards", R"({"text":"Jonas likes coffee."})");
  EXPECT_NE(found(client, "Who likes coffee?").find("Jonas"), std::string::npos) << "at once";
  const std::string id(card.body.at("id").as_string());
  ask(client, "DELETE", "/v1/cards/" + id);
  EXPECT_EQ(found(client, "Who likes coffee?").find("Jonas"), std::string::npos) << "at once";
}

}  // namespace
}  // namespace kartei::daemon
