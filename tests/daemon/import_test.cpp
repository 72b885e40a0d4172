// Taking in large exports: in batches, in any order, once.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "daemon/cli/cli.h"
#include "daemon/cli/import_calls.h"
#include "tests/daemon/api_support.h"

namespace kartei::daemon {
namespace {
using namespace test;
namespace json = boost::json;

const std::string kDrawer(32, 'd');
const std::string kHead = "{\"kind\":\"box\",\"format\":1}\n{\"kind\":\"drawer\",\"id\":\"" +
                          kDrawer + "\",\"name\":\"home\"}\n";

std::string id_of(std::size_t n) {
  char id[33];
  std::snprintf(id, sizeof id, "%032zx", n + 1);
  return id;
}
std::string card_line(std::size_t n, const std::string& more = {}) {
  return R"({"kind":"card","id":")" + id_of(n) + R"(","text":"Card number )" + std::to_string(n) +
         R"(.","drawer":")" + kDrawer + '"' + more + "}\n";
}
std::string replaced_by(std::size_t n) {
  return R"(,"state":"closed","replaced_by":")" + id_of(n) + '"';
}
std::string cards(std::size_t from, std::size_t to) {
  std::string lines;
  for (std::size_t n = from; n < to; ++n) lines += card_line(n);
  return lines;
}

class ImportTest : public ::testing::Test {
 protected:
  json::value take_in(const std::string& lines) {
    const auto answer = ask(client_, "POST", "/v1/import", lines);
    EXPECT_EQ(answer.status, 200) << json::serialize(answer.body);
    return answer.body;
  }
  std::size_t open_cards() {
    RawClient client(daemon_.socket());
    const auto status = ask(client, "GET", "/v1/status");
    return status.body.at("counts").at("cards_open").to_number<std::size_t>();
  }
  json::value card(std::size_t n) { return ask(client_, "GET", "/v1/cards/" + id_of(n)).body; }
  std::string successor(std::size_t n) {
    return std::string(card(n).at("replaced_by").as_string());
  }
  void observe_commits(std::function<void(bool)> observer) {
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

TEST_F(ImportTest, ManyCardsTakeFewCommits) {
  take_in(kHead);
  std::atomic<int> synced{0};
  observe_commits([&](bool is_synced) { synced += is_synced ? 1 : 0; });
  EXPECT_EQ(take_in(kHead + cards(0, 1'000)).at("cards"), 1'000);
  EXPECT_LE(synced, 6);
  observe_commits({});
  EXPECT_EQ(open_cards(), 1'000U);
}

TEST_F(ImportTest, OtherCallsAreAnsweredInBetween) {
  std::thread importing([&] { take_in(kHead + cards(0, 4'000)); });
  EXPECT_TRUE(eventually([&] {
    const std::size_t open = open_cards();
    return open > 0 && open < 4'000;
  }));
  importing.join();
  EXPECT_EQ(open_cards(), 4'000U);
}

TEST_F(ImportTest, TakenInOnceHoweverOftenItIsSent) {
  take_in(kHead + cards(0, 300));
  const auto again = take_in(kHead + cards(100, 400) + card_line(399));
  EXPECT_EQ(again.at("cards"), 100);
  EXPECT_EQ(again.at("known"), 200);
  EXPECT_EQ(open_cards(), 400U);
}

TEST_F(ImportTest, ALongChainOfReplacementsComesInAnyOrder) {
  constexpr std::size_t kLength = 3'000;
  std::string lines = kHead;
  for (std::size_t n = kLength; n-- > 0;)
    lines += card_line(n, n + 1 < kLength ? replaced_by(n + 1) : "");
  EXPECT_EQ(take_in(lines).at("cards"), kLength);
  EXPECT_EQ(open_cards(), 1U);
  EXPECT_EQ(successor(kLength - 2), id_of(kLength - 1));
}

TEST_F(ImportTest, TwoCardsMayBeReplacedByOne) {
  take_in(kHead + card_line(0, replaced_by(2)) + card_line(1, replaced_by(2)) + card_line(2));
  EXPECT_EQ(open_cards(), 1U);
  for (const std::size_t n : {0, 1}) EXPECT_EQ(successor(n), id_of(2)) << n;
}

TEST_F(ImportTest, ARingOfReplacementsIsTakenInToo) {
  EXPECT_EQ(
      take_in(kHead + card_line(0, replaced_by(1)) + card_line(1, replaced_by(0))).at("cards"), 2);
}

TEST_F(ImportTest, CardsFindEachOtherAcrossCalls) {
  take_in(kHead + card_line(0, replaced_by(1)));
  EXPECT_EQ(card(0).at("state"), "closed");
  take_in(kHead + card_line(0, replaced_by(1)) + card_line(1));  // taken up again
  EXPECT_EQ(successor(0), id_of(1));
  take_in(kHead + card_line(2, replaced_by(1)));  // its successor came before it
  EXPECT_EQ(successor(2), id_of(1));
  EXPECT_EQ(open_cards(), 1U);
}

// The turns of an import that broke off before their cards came are not read by the secretary.
TEST_F(ImportTest, TurnsThatAreThereUnreadAreMarkedRead) {
  const std::string turn =
      R"({"kind":"turn","id":")" + id_of(7) +
      R"(","conversation":"c","speaker":"Maya","role":"user","text":"I live in Bremen.",)"
      R"("time":"2026-03-15T08:30:00+01:00","drawer":")" +
      kDrawer + "\"}\n";
  take_in(kHead.substr(kHead.find('\n') + 1) + turn);  // not as an export: to be read
  EXPECT_EQ(ask(client_, "GET", "/v1/status").body.at("pending_extraction"), 1);
  EXPECT_EQ(take_in(kHead + turn).at("known"), 1);
  EXPECT_EQ(ask(client_, "GET", "/v1/status").body.at("pending_extraction"), 0);
}

TEST(ImportCalls, EachCanBeReadByItself) {
  const std::string text = kHead + card_line(0, replaced_by(50)) + cards(1, 100);
  cli::ImportCalls calls(text, 2'000);
  std::size_t lines = 0, repeated = 0, count = 0;
  bool found = false;
  while (const auto call = calls.next()) {
    ++count;
    EXPECT_EQ(call->body.substr(0, kHead.size()), kHead);
    EXPECT_LE(call->body.size(), 2'000U + 200U);
    for (const char c : call->body.substr(kHead.size())) lines += c == '\n' ? 1 : 0;
    repeated += call->repeated;
    // What was replaced goes again with what replaced it.
    const std::size_t newer = call->body.find("\"id\":\"" + id_of(50));
    if (newer == std::string::npos) continue;
    found = true;
    EXPECT_LT(call->body.find(card_line(0, replaced_by(50))), newer);
  }
  EXPECT_GT(count, 5U);
  EXPECT_TRUE(found);
  EXPECT_EQ(repeated, 1U);
  EXPECT_EQ(lines, 101U);
  cli::ImportCalls nothing("", 2'000);
  EXPECT_FALSE(nothing.next());
  cli::ImportCalls head_only(kHead, 2'000);
  EXPECT_EQ(head_only.next()->body, kHead);
  EXPECT_FALSE(head_only.next());
}

TEST_F(ImportTest, TheCommandLineShowsItsProgressOnATerminal) {
  const auto file = folder_.path() / "in.jsonl";
  std::ofstream(file) << kHead << cards(0, 9'000);
  const Environment environment = [&](const char* name) -> std::optional<std::string> {
    if (std::string(name) == "KARTEI_HOME") return (folder_.path() / "home").string();
    return std::nullopt;
  };
  for (const bool terminal : {true, false}) {
    std::istringstream in;
    std::ostringstream out, err;
    cli::Style style;
    style.terminal = terminal;
    EXPECT_EQ(cli::run({"import", file.string()}, {in, out, err, environment, style}), 0)
        << err.str();
    EXPECT_EQ(err.str().find("100 %") != std::string::npos, terminal) << err.str();
    EXPECT_NE(out.str().find(terminal ? "9000 cards taken in" : "9000 were there"),
              std::string::npos)
        << out.str();
  }
}

}  // namespace
}  // namespace kartei::daemon
