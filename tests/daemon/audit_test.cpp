// What was handed out is written down: all of it, after the answer, many lines at once.
#include <gtest/gtest.h>

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
