// The small parts: work queue, writer thread, local socket, events, vitals, problem documents.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <future>
#include <set>

#include "daemon/api/problem.h"
#include "daemon/events.h"
#include "daemon/give_back.h"
#include "daemon/vitals.h"
#include "daemon/work_queue.h"
#include "daemon/writer_thread.h"
#include "tests/daemon/support.h"

namespace kartei::daemon {
namespace {
using namespace test;

TEST(GiveBack, AtOnceAndNotSoonAgain) {
  GiveBack rule;
  EXPECT_EQ(rule.due_ms(1'000), 1'000) << "after the start";
  rule.given(1'000);
  EXPECT_EQ(rule.due_ms(1'100), 1'000 + GiveBack::kEveryMs);
  EXPECT_EQ(rule.due_ms(1'200), 1'000 + GiveBack::kEveryMs) << "not put off by what comes next";
  EXPECT_EQ(rule.due_ms(90'000), 90'000) << "after a long rest";
}

TEST(WorkQueue, IsBoundedAndRunsWhatItTook) {
  std::atomic<bool> go{false};
  std::atomic<int> ran{0};
  {
    WorkQueue queue("test", 1, 2);
    ASSERT_TRUE(queue.post([&](std::size_t) {
      while (!go) ::poll(nullptr, 0, 1);
      ++ran;
    }));
    ASSERT_TRUE(eventually([&] { return queue.waiting() == 0; }));
    EXPECT_TRUE(queue.post([&](std::size_t) { ++ran; }));
    EXPECT_TRUE(queue.post([&](std::size_t) { ++ran; }));
    EXPECT_FALSE(queue.post([&](std::size_t) { ++ran; }));
    EXPECT_TRUE(queue.post_follow_up([&](std::size_t) { ++ran; }));
    go = true;
  }
  EXPECT_EQ(ran, 4);
}

// What it works on is in its caches still.
TEST(WorkQueue, TheThreadThatWorkedLastWorksNext) {
  WorkQueue queue("test", 3, 4);
  std::set<std::size_t> workers;
  for (int n = 0; n < 20; ++n) {
    ASSERT_TRUE(eventually([&] { return queue.idle() == 3; }));
    std::promise<std::size_t> worker;
    ASSERT_TRUE(queue.post([&](std::size_t thread) { worker.set_value(thread); }));
    workers.insert(worker.get_future().get());
  }
  EXPECT_EQ(workers.size(), 1U);
}

TEST(WorkQueue, AllThreadsWorkWhereThereIsWorkForThem) {
  std::atomic<int> inside{0};
  std::atomic<bool> go{false};
  WorkQueue queue("test", 3, 4);  // its threads end before what they look at
  for (int n = 0; n < 3; ++n) {
    ASSERT_TRUE(queue.post([&](std::size_t) {
      ++inside;
      while (!go) ::poll(nullptr, 0, 1);
    }));
  }
  EXPECT_TRUE(eventually([&] { return inside == 3; }));
  go = true;
}

TEST(WriterThread, IsBoundedAndOrdered) {
  WriterThread writer(2);
  std::atomic<bool> go{false};
  std::vector<int> order;
  ASSERT_TRUE(writer.post([&] {
    while (!go) ::poll(nullptr, 0, 1);
    order.push_back(1);
  }));
  ASSERT_TRUE(eventually([&] { return writer.waiting() == 0; }));
  EXPECT_TRUE(writer.post([&] { order.push_back(2); }));
  EXPECT_TRUE(writer.post([&] { order.push_back(3); }));
  EXPECT_FALSE(writer.post([&] { order.push_back(4); }));
  EXPECT_TRUE(writer.post_follow_up([&] { order.push_back(5); }));
  go = true;
  writer.stop();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 5}));
  EXPECT_FALSE(writer.post([] {}));
}

TEST(Alarm, RingsOnceAndCanBeMovedOrTurnedOff) {
  EventLoop loop;
  std::atomic<int> rung{0};
  auto alarm = loop.make_alarm([&] { ++rung; });
  auto never = loop.make_alarm([&] { rung += 100; });
  std::thread thread([&] { loop.run(); });
  never->set(steady_ms() + 20);
  never->set(std::nullopt);
  alarm->set(steady_ms() + 60'000);
  alarm->set(steady_ms() + 1);
  EXPECT_TRUE(eventually([&] { return rung == 1; }));
  alarm->set(steady_ms() + 30);
  EXPECT_TRUE(eventually([&] { return rung == 2; }));
  loop.stop();
  thread.join();
  EXPECT_EQ(rung, 2);
}

TEST(LocalSocket, FolderAndSocketAreTheOwnersAlone) {
  TempFolder folder;
  const auto home = folder.path() / "home";
  std::filesystem::create_directory(home);
  ::chmod(home.c_str(), 0755);
  auto fd = api::listen_local(home / "kartei.sock");
  ASSERT_TRUE(fd) << fd.error().what;
  struct stat info {};
  ::stat(home.c_str(), &info);
  EXPECT_EQ(info.st_mode & 0777, 0700U);
  ::stat((home / "kartei.sock").c_str(), &info);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  ::close(*fd);
}

TEST(LocalSocket, AStaleSocketIsReplacedALivingOneNot) {
  TempFolder folder;
  const auto path = folder.path() / "kartei.sock";
  auto first = api::listen_local(path);
  ASSERT_TRUE(first);
  auto second = api::listen_local(path);
  ASSERT_TRUE(second.has_error());
  EXPECT_EQ(second.error().cause, Cause::kConflict);
  EXPECT_NE(second.error().what.find("Another karteid answers"), std::string::npos);
  ::close(*first);  // as after kill -9: the file stays
  ASSERT_TRUE(std::filesystem::exists(path));
  EXPECT_EQ(api::connect_local(path).error().cause, Cause::kUnavailable);
  auto third = api::listen_local(path);
  ASSERT_TRUE(third) << third.error().what;
  ::close(*third);
}

TEST(LocalSocket, AFileThatIsNoSocketIsLeftAlone) {
  TempFolder folder;
  std::ofstream(folder.path() / "kartei.sock") << "mine";
  auto fd = api::listen_local(folder.path() / "kartei.sock");
  ASSERT_TRUE(fd.has_error());
  EXPECT_EQ(fd.error().cause, Cause::kConflict);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "kartei.sock"));
}

TEST(LocalSocket, ErrorsSayWhatToDo) {
  TempFolder folder;
  const auto nobody = api::connect_local(folder.path() / "kartei.sock");
  EXPECT_NE(nobody.error().what.find("karteid does not run"), std::string::npos);
  const auto deep = folder.path() / std::string(200, 'x') / "kartei.sock";
  const auto too_long = api::listen_local(deep);
  EXPECT_NE(too_long.error().what.find("KARTEI_HOME"), std::string::npos);
}

TEST(HomeLock, ASecondDaemonIsToldWhoIsThere) {
  TempFolder folder;
  {
    auto first = api::HomeLock::take(folder.path());
    ASSERT_TRUE(first);
    auto second = api::HomeLock::take(folder.path());
    ASSERT_TRUE(second.has_error());
    EXPECT_EQ(second.error().cause, Cause::kConflict);
    EXPECT_NE(second.error().what.find("already runs"), std::string::npos);
    EXPECT_NE(second.error().what.find(std::to_string(::getpid())), std::string::npos);
  }
  EXPECT_TRUE(api::HomeLock::take(folder.path()));
}

struct TextStream final : api::ResponseStream {
  bool write(std::string chunk) override {
    if (!open_) return false;
    text += chunk;
    return true;
  }
  void when_below(std::size_t, std::function<void(bool)> then) override { then(open_); }
  bool open() const override { return open_; }
  void finish() override { open_ = false; }
  void abort() override { open_ = false; }
  std::string text;
  bool open_ = true;
};

TEST(Events, AreNumberedAndResumed) {
  Events events("b");
  auto live = std::make_shared<TextStream>();
  ASSERT_TRUE(events.listen(live, ""));
  events.push("card", "{\"id\":1}");
  events.push("card", "{\"id\":2}");
  EXPECT_NE(live->text.find("id: b-1\nevent: card\ndata: {\"id\":1}\n\n"), std::string::npos);
  auto back = std::make_shared<TextStream>();
  events.listen(back, "b-1");
  EXPECT_EQ(back->text.find("id: b-1\n"), std::string::npos);
  EXPECT_NE(back->text.find("id: b-2\n"), std::string::npos);
  EXPECT_EQ(back->text.find("reset"), std::string::npos);
}

TEST(Events, AListenerThatMissedSomeIsTold) {
  Events events("b");
  for (std::size_t i = 0; i < Events::kKept + 10; ++i) events.push("card", "{}");
  for (const char* last : {"b-3", "other-1", "b-999999", "b-", "nonsense"}) {
    auto stream = std::make_shared<TextStream>();
    events.listen(stream, last);
    EXPECT_NE(stream->text.find("event: reset"), std::string::npos) << last;
  }
}

TEST(Events, ListenersAreBoundedAndClosedOnesForgotten) {
  Events events("b");
  std::vector<std::shared_ptr<TextStream>> streams;
  for (std::size_t i = 0; i < Events::kListenersMax; ++i) {
    streams.push_back(std::make_shared<TextStream>());
    EXPECT_TRUE(events.listen(streams.back(), ""));
  }
  EXPECT_FALSE(events.listen(std::make_shared<TextStream>(), ""));
  streams[0]->finish();
  EXPECT_TRUE(events.listen(std::make_shared<TextStream>(), ""));
}

TEST(Vitals, AreReadFromTheSystem) {
  TempFolder root;
  const auto supply = root.path() / "sys/class/power_supply/BAT0";
  std::filesystem::create_directories(supply);
  std::filesystem::create_directories(root.path() / "proc");
  std::ofstream(supply / "type") << "Battery\n";
  std::ofstream(supply / "capacity") << "42\n";
  std::ofstream(supply / "status") << "Discharging\n";
  std::ofstream(root.path() / "proc/meminfo") << "MemTotal: 9 kB\nMemAvailable:  2097152 kB\n";
  std::ofstream(root.path() / "proc/loadavg") << "1.50 0 0 1/2 3\n";
  const auto vitals = read_vitals(root.path(), root.path(), election::Kind::kPhone);
  EXPECT_EQ(vitals.kind, election::Kind::kPhone);
  EXPECT_EQ(vitals.power, election::Power::kBattery);
  EXPECT_DOUBLE_EQ(vitals.battery, 0.42);
  EXPECT_EQ(vitals.memory_free_mb, 2048U);
  EXPECT_DOUBLE_EQ(vitals.load * vitals.cores, 1.5);
  EXPECT_GT(vitals.storage_free_mb, 0U);
  const auto bare = read_vitals("/nonexistent", root.path(), election::Kind::kDesktop);
  EXPECT_EQ(bare.power, election::Power::kMains);
  EXPECT_GT(resident_kib(), 100U);
}

TEST(Problem, EachCauseHasAStatusAndADocument) {
  const std::pair<Cause, int> expected[] = {
      {Cause::kBadInput, 400},  {Cause::kNotFound, 404}, {Cause::kConflict, 409},
      {Cause::kForbidden, 403}, {Cause::kCorrupt, 500},  {Cause::kVersion, 503},
      {Cause::kFull, 507},      {Cause::kReadOnly, 503}, {Cause::kUnavailable, 503},
      {Cause::kIo, 500},        {Cause::kInternal, 500}};
  for (const auto& [cause, status] : expected) {
    const auto answer = api::problem(Error{cause, "What \"happened\".", "field"});
    EXPECT_EQ(answer.status, status);
    EXPECT_EQ(answer.content_type, "application/problem+json");
    for (const char* part : {"\"type\":\"urn:kartei:problem:", "\"title\":\"", "\"status\":",
                             "\"detail\":\"What \\\"happened\\\".\"", "\"field\":\"field\""})
      EXPECT_NE(answer.body.find(part), std::string::npos) << answer.body;
  }
  EXPECT_EQ(api::busy().headers[0].first, "Retry-After");
}

}  // namespace
}  // namespace kartei::daemon
