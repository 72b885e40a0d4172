// What was handed out is written down: all of it, after the answer, many lines at once.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "tests/daemon/api_support.h"

namespace kartei::daemon {
namespace {
using namespace test;

std::size_t audit_lines(RawClient& client) {
  return ask(client, "GET", "/v1/audit?limit=500").body.at("items").as_array().size();
}

TEST(Audit, ManyLinesShareACommitAndNoneIsMissing) {
  TempFolder folder;
  constexpr std::size_t kRecalls = 200;
  {
    TestDaemon daemon(folder.path() / "home");
    RawClient client(daemon.socket());
    ask(client, "POST", "/v1/cards", R"({"text":"Sam likes tea."})");
    std::atomic<std::size_t> commits{0};
    const auto observe = [&](std::function<void(bool)> observer) {
      std::promise<void> done;
      daemon.hosts().with("default", [&](Result<std::shared_ptr<BoxHost>> host) {
        (*host)->box().observe_commits(std::move(observer));
        done.set_value();
      });
      done.get_future().wait();
    };
    observe([&](bool) { ++commits; });
    for (std::size_t i = 0; i < kRecalls; ++i)
      ASSERT_EQ(ask(client, "POST", "/v1/recall", R"({"query":"Who likes tea?"})").status, 200);
    EXPECT_EQ(audit_lines(client), kRecalls) << "shown at once, though not yet due";
    EXPECT_LT(commits, kRecalls / 2);
    observe({});
    ask(client, "POST", "/v1/recall", R"({"query":"tea"})");
  }
  TestDaemon again(folder.path() / "home");
  RawClient client(again.socket());
  EXPECT_EQ(audit_lines(client), kRecalls + 1) << "an orderly end writes the last one";
}

class AuditOf : public ::testing::Test {
 protected:
  boost::json::array lines() {
    return ask(client_, "GET", "/v1/audit?limit=500").body.at("items").as_array();
  }
  // The newest line.
  std::string newest(const char* field) {
    const auto all = lines();
    return all.empty() ? "" : boost::json::serialize(all[0].at(field));
  }
  std::string remember(const std::string& text) {
    const auto card = ask(client_, "POST", "/v1/cards", R"({"text":")" + text + "\"}");
    return std::string(card.body.at("id").as_string());
  }
  void on_writer(const std::function<void(BoxHost&)>& use) {
    std::promise<void> done;
    daemon_.hosts().with("default", [&](Result<std::shared_ptr<BoxHost>> host) {
      use(**host);
      done.set_value();
    });
    done.get_future().wait();
  }
  TempFolder folder_;
  TestDaemon daemon_{folder_.path() / "home"};
  RawClient client_{daemon_.socket()};
};

TEST_F(AuditOf, EveryReadIsWrittenDown) {
  const std::string id = remember("Sam likes tea.");
  ask(client_, "POST", "/v1/turns",
      R"({"conversation":"c","turns":[{"id":"t1","speaker":"M","role":"user","text":"Hello."}]})");
  const std::pair<std::string, std::string> reads[] = {{"/v1/cards?q=tea", id},
                                                       {"/v1/cards/" + id, id},
                                                       {"/v1/cards/" + id + "/history", id},
                                                       {"/v1/turns/t1", "t1"},
                                                       {"/v1/conversations/c/window", "t1"}};
  for (const auto& [target, item] : reads) {
    ASSERT_EQ(ask(client_, "GET", target, "", "X-Kartei-App: tester\r\n").status, 200) << target;
    EXPECT_EQ(newest("query"), "\"GET " + target + "\"");
    EXPECT_EQ(newest("app"), "\"tester\"");
    EXPECT_EQ(newest("items"), "[\"" + item + "\"]") << target;
  }
  client_.request("GET", "/v1/export");
  client_.take_until("\r\n0\r\n\r\n");
  EXPECT_EQ(newest("query"), "\"GET /v1/export\"");
  // What hands out nothing is no line, nor is the same read again at once.
  const std::size_t before = lines().size();
  ask(client_, "GET", "/v1/status");
  ask(client_, "GET", "/v1/cards/00000000000000000000000000000001");
  ask(client_, "GET", "/v1/turns/t1", "", "X-Kartei-App: tester\r\n");
  EXPECT_EQ(lines().size(), before);
  ask(client_, "GET", "/v1/turns/t1", "", "X-Kartei-App: other\r\n");
  EXPECT_EQ(lines().size(), before + 1);
}

TEST_F(AuditOf, AnErasureTakesTheQuestionsAlong) {
  const std::string secret = remember("Sam meets Zanzibar."), other = remember("Ida likes tea.");
  ask(client_, "POST", "/v1/recall", R"({"query":"Who meets Zanzibar?"})");
  ask(client_, "GET", "/v1/cards?q=Zanzibar");
  ask(client_, "POST", "/v1/recall", R"({"query":"Ida tea"})");
  ASSERT_EQ(lines().size(), 3U);
  ASSERT_EQ(ask(client_, "DELETE", "/v1/cards/" + secret).status, 202);
  EXPECT_TRUE(eventually([&] {
    return boost::json::serialize(lines()).find("Zanzibar") == std::string::npos;
  })) << boost::json::serialize(lines());
  EXPECT_EQ(lines().size(), 3U) << "that something was asked stays";
  EXPECT_NE(boost::json::serialize(lines()).find("Ida tea"), std::string::npos);
}

TEST_F(AuditOf, ItsOwnerSaysForHowLongItIsKept) {
  constexpr std::int64_t kDay = 86'400'000;
  remember("Ida likes tea.");
  ask(client_, "POST", "/v1/recall", R"({"query":"tea, long ago"})");
  ASSERT_EQ(lines().size(), 1U);
  daemon_.clock.wall_ms += 8 * kDay;
  ask(client_, "POST", "/v1/recall", R"({"query":"tea, lately"})");
  ASSERT_EQ(lines().size(), 2U);
  EXPECT_EQ(ask(client_, "PUT", "/v1/box", R"({"audit_days":7})").body.at("audit_days"), 7);
  EXPECT_EQ(lines().size(), 1U) << "at once";
  daemon_.clock.wall_ms += 8 * kDay;
  ask(client_, "POST", "/v1/recall", R"({"query":"tea, now"})");
  EXPECT_EQ(newest("query"), "\"tea, now\"");
  EXPECT_EQ(lines().size(), 1U) << "and from then on";
  EXPECT_EQ(ask(client_, "GET", "/v1/box").body.at("audit_days"), 7);
}

TEST_F(AuditOf, LinesThatAreLostAreCounted) {
  remember("Sam likes tea.");
  const auto metrics = [&] { return client_.call("GET", "/v1/metrics").body; };
  EXPECT_NE(metrics().find("\nkartei_audit_lost_total 0\n"), std::string::npos);
  on_writer([](BoxHost& host) {
    ASSERT_EQ(::sqlite3_exec(host.box().writer(), "ALTER TABLE audit RENAME TO away", nullptr,
                             nullptr, nullptr),
              SQLITE_OK);
  });
  ask(client_, "POST", "/v1/recall", R"({"query":"tea"})");
  EXPECT_TRUE(eventually(
      [&] { return metrics().find("\nkartei_audit_lost_total 1\n") != std::string::npos; }));
}

TEST(Index, IsTidiedAMomentAfterItHasGrown) {
  TempFolder folder;
  TestDaemon daemon(folder.path() / "home");
  RawClient client(daemon.socket());
  for (int i = 0; i < 100; ++i)
    ask(client, "POST", "/v1/cards", R"({"text":"Sam likes tea )" + std::to_string(i) + R"(."})");
  const auto untidy = [&] {
    std::promise<bool> answer;
    daemon.hosts().with("default", [&](Result<std::shared_ptr<BoxHost>> host) {
      answer.set_value((*host)->box().untidy());
    });
    return answer.get_future().get();
  };
  EXPECT_TRUE(untidy());
  EXPECT_TRUE(eventually([&] { return !untidy(); }));
}

}  // namespace
}  // namespace kartei::daemon
