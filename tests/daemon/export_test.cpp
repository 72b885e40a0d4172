// Exports to clients that do not read: they cost nobody else anything.
#include <gtest/gtest.h>

#include "tests/daemon/api_support.h"

namespace kartei::daemon {
namespace {
using namespace test;

// More than the sockets and the server's streams take without a reader.
void fill(TestDaemon& daemon) {
  RawClient client(daemon.socket());
  const std::string text(900'000, 'x');
  for (int i = 0; i < 6; ++i) {
    const auto answer = ask(
        client, "POST", "/v1/turns",
        R"({"conversation":"c","turns":[{"speaker":"M","role":"user","text":")" + text + "\"}]}");
    ASSERT_EQ(answer.status, 202);
  }
}

struct SlowReaders {
  SlowReaders(TestDaemon& daemon, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      clients.push_back(std::make_unique<RawClient>(daemon.socket()));
      clients.back()->request("GET", "/v1/export");
    }
  }
  void wait() {
    for (const auto& client : clients)
      EXPECT_NE(client->read_until("\r\n").find("200 OK"), std::string::npos);
  }
  std::vector<std::unique_ptr<RawClient>> clients;
};

TEST(Export, ASlowReaderHoldsNobodyUp) {
  TempFolder folder;
  TestDaemon daemon(folder.path() / "home");
  fill(daemon);
  SlowReaders slow(daemon, kExports - 1);
  slow.wait();
  RawClient quick(daemon.socket());
  quick.request("GET", "/v1/export");
  EXPECT_NE(quick.read_until("\r\n0\r\n\r\n").find("\r\n0\r\n\r\n"), std::string::npos);
  // Who goes on reading gets all of it, too.
  const std::string late = slow.clients[3]->read_until("\r\n0\r\n\r\n");
  EXPECT_NE(late.find("\r\n0\r\n\r\n"), std::string::npos);
}

TEST(Export, OnlySoManyRunAtOnce) {
  TempFolder folder;
  TestDaemon daemon(folder.path() / "home");
  fill(daemon);
  SlowReaders slow(daemon, kExports);
  slow.wait();
  RawClient one_more(daemon.socket());
  EXPECT_EQ(one_more.call("GET", "/v1/export").status, 503);
  slow.clients.pop_back();
  EXPECT_TRUE(eventually([&] {
    RawClient again(daemon.socket());
    again.request("GET", "/v1/export");
    return again.read_until("\r\n").starts_with("HTTP/1.1 200");
  }));
}

TEST(Export, TheEndDoesNotWaitForASlowReader) {
  TempFolder folder;
  std::unique_ptr<SlowReaders> slow;
  const std::int64_t begin = [&] {
    TestDaemon daemon(folder.path() / "home");
    fill(daemon);
    slow = std::make_unique<SlowReaders>(daemon, 3);
    slow->wait();
    return steady_ms();
  }();
  EXPECT_LT(steady_ms() - begin, api::HttpLimits{}.write_timeout_ms / 2);
  // Nobody takes what came for the whole.
  for (const auto& client : slow->clients) {
    EXPECT_TRUE(client->hung_up());
    EXPECT_EQ(client->read_until("\r\n0\r\n\r\n").find("\r\n0\r\n\r\n"), std::string::npos);
  }
}

TEST(Export, AHeadReadsNothing) {
  TempFolder folder;
  TestDaemon daemon(folder.path() / "home");
  RawClient client(daemon.socket());
  client.request("HEAD", "/v1/export");
  EXPECT_TRUE(client.take_until("\r\n\r\n").starts_with("HTTP/1.1 200"));
  EXPECT_EQ(ask(client, "GET", "/v1/status").status, 200);
}

}  // namespace
}  // namespace kartei::daemon
