// The files of a box: made whole or not at all, refused where a part is missing.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "crypto/identity.h"
#include "daemon/box_files.h"
#include "daemon/cli/cli.h"
#include "daemon/small_file.h"
#include "tests/daemon/api_support.h"

namespace kartei::daemon {
namespace {
using namespace test;
namespace fs = std::filesystem;

// Two times "locked", and a call has had the box all along.
TEST(HostsTest, ABoxThatIsStillHeldIsNotForgottenOverALaterLock) {
  TempFolder folder;
  TestDaemon daemon(folder.path() / "home");
  std::promise<std::shared_ptr<BoxHost>> opened;
  daemon.hosts().with("default", [&](Result<std::shared_ptr<BoxHost>> host) {
    opened.set_value(host ? *host : nullptr);
  });
  auto held = opened.get_future().get();
  ASSERT_TRUE(held);
  for (int i = 0; i < 2; ++i) {
    std::promise<void> locked;
    daemon.writer().post_follow_up([&] {
      daemon.hosts().lock({Cause::kLocked, "Locked.", {}});
      daemon.hosts().unlock();
      locked.set_value();
    });
    locked.get_future().wait();
    EXPECT_FALSE(daemon.hosts().all_gone()) << i;
  }
  held.reset();
  EXPECT_TRUE(eventually([&] { return daemon.hosts().all_gone(); }));
}

TEST(HostsTest, NorIsOneThatWasEmptiedMeanwhile) {
  TempFolder folder;
  TestDaemon daemon(folder.path() / "home");
  std::promise<std::shared_ptr<BoxHost>> opened;
  daemon.hosts().with("default", [&](Result<std::shared_ptr<BoxHost>> host) {
    opened.set_value(host ? *host : nullptr);
  });
  auto held = opened.get_future().get();
  ASSERT_TRUE(held);
  std::promise<void> locked;
  daemon.writer().post_follow_up([&] {
    EXPECT_TRUE(daemon.hosts().empty("default"));
    daemon.hosts().lock({Cause::kLocked, "Locked.", {}});
    locked.set_value();
  });
  locked.get_future().wait();
  EXPECT_FALSE(daemon.hosts().all_gone());
  held.reset();
  EXPECT_TRUE(eventually([&] { return daemon.hosts().all_gone(); }));
}

enum class State { kMissing, kEmpty, kThere };

class HomeTest : public ::testing::Test {
 protected:
  fs::path home() const { return folder_.path() / "home"; }
  fs::path box(const std::string& name = "default") const { return home() / "boxes" / name; }

  // What the daemon says when the box is asked for; empty: it opens.
  std::string asked(const std::string& name = "default") {
    TestDaemon daemon(home());
    std::promise<std::string> said;
    daemon.hosts().with(name, [&](Result<std::shared_ptr<BoxHost>> host) {
      said.set_value(host ? "" : host.error().what);
    });
    return said.get_future().get();
  }
  std::string device_id() {
    TestDaemon daemon(home());
    RawClient client(daemon.socket());
    return std::string(ask(client, "GET", "/v1/status").body.at("device").as_string());
  }
  void set(const fs::path& file, State state) {
    if (state == State::kMissing) fs::remove(file);
    if (state == State::kEmpty) fs::resize_file(file, 0);
  }
  static void touch(const fs::path& file, const std::string& text = {}) {
    std::ofstream(file) << text;
    ::chmod(file.c_str(), 0600);
  }

  TempFolder folder_;
};

TEST_F(HomeTest, AnEmptyHomeIsMadeAndOpensAgain) {
  const std::string device = device_id();
  EXPECT_EQ(device_id(), device);
  EXPECT_TRUE(fs::exists(box() / "identity"));
  EXPECT_TRUE(fs::exists(box() / "box.kartei"));
  for (const auto& entry : fs::directory_iterator(home() / "boxes"))
    EXPECT_EQ(entry.path().filename(), "default");  // nothing is left beside it
}

TEST_F(HomeTest, AnEmptyFolderIsAnEmptyHome) {
  fs::create_directories(box());
  touch(box() / "identity.new");  // of a start that was cut off at its first file
  EXPECT_EQ(asked(), "");
}

// Every combination of the files: both there, or nothing of a box; all else is refused, names what
// is missing, and leaves the folder as it is.
TEST_F(HomeTest, APartOfABoxIsRefused) {
  ASSERT_EQ(asked(), "");
  const fs::path whole = folder_.path() / "whole";
  fs::rename(box(), whole);
  const State states[] = {State::kMissing, State::kEmpty, State::kThere};
  for (const State identity : states)
    for (const State file : states)
      for (const bool log : {false, true})
        for (const bool sync : {false, true}) {
          fs::remove_all(box());
          fs::copy(whole, box());
          set(box() / "identity", identity);
          set(box() / "box.kartei", file);
          if (log) touch(box() / "box.kartei-wal", "some log");
          if (sync) touch(box() / "sync", "off\n");
          const auto size = [&] {
            std::uintmax_t all = 0;
            for (const auto& entry : fs::directory_iterator(box())) all += entry.file_size() + 1;
            return all;
          };
          const std::uintmax_t before = size();
          const bool nothing =
              identity == State::kMissing && file == State::kMissing && !log && !sync;
          const bool all = identity == State::kThere && file == State::kThere;
          const std::string said = asked();
          const auto what = testing::Message()
                            << static_cast<int>(identity) << ' ' << static_cast<int>(file) << ' '
                            << log << ' ' << sync;
          if (nothing || all) {
            EXPECT_EQ(said, "") << what;
            continue;
          }
          const auto fault = [](const char* name, State state) {
            return std::string(name) + (state == State::kEmpty ? " is empty" : " is missing");
          };
          if (identity != State::kThere) {
            EXPECT_NE(said.find(fault("identity", identity)), std::string::npos) << what << said;
          }
          if (file != State::kThere) {
            EXPECT_NE(said.find(fault("box.kartei", file)), std::string::npos) << what << said;
          }
          EXPECT_NE(said.find("from a backup"), std::string::npos) << what << said;
          EXPECT_NE(said.find("start anew"), std::string::npos) << what << said;
          EXPECT_EQ(size(), before) << what;
        }
}

// The first start's words stand in the log until it is folded in: a box without them was not made
// by a start that was cut off, since that one leaves no folder.
TEST_F(HomeTest, ABoxThatLostItsFirstWordsIsRefused) {
  ASSERT_EQ(asked(), "");
  fs::remove(box() / "box.kartei");
  { ASSERT_TRUE(store::Box::open({box() / "box.kartei", true})); }  // tables, and nothing in them
  EXPECT_NE(asked().find("write-ahead log"), std::string::npos);
}

TEST_F(HomeTest, ABoxWithoutItsRollIsRefused) {
  ASSERT_EQ(asked(), "");
  for (const bool empty : {false, true}) {
    {
      auto opened = store::Box::open({box() / "box.kartei", false});
      ASSERT_TRUE(opened);
      auto transaction = (*opened)->begin();
      ASSERT_TRUE(empty ? (*opened)->put_meta("sync.roll", {})
                        : (*opened)->erase_meta("sync.roll"));
      ASSERT_TRUE(transaction->commit(store::Box::Transaction::Durability::kSynced));
    }
    const std::string said = asked();
    EXPECT_NE(said.find("damaged"), std::string::npos) << said;
    EXPECT_NE(said.find("doctor"), std::string::npos) << said;
  }
}

TEST_F(HomeTest, AnIdentityThatIsNoneIsRefused) {
  ASSERT_EQ(asked(), "");
  touch(box() / "identity", "something else");
  EXPECT_NE(asked().find("identity"), std::string::npos);
}

TEST_F(HomeTest, WhatATryThatWasCutOffLeftIsNoBox) {
  fs::create_directories(home() / "boxes" / ".default.new");
  touch(home() / "boxes" / ".default.new" / "identity", "half");
  EXPECT_EQ(asked(), "");
  EXPECT_FALSE(fs::exists(home() / "boxes" / ".default.new"));
}

TEST_F(HomeTest, ADeviceNameThatIsTooLongIsNamed) {
  Config config;
  config.name = std::string(300, 'x');
  TestDaemon daemon(home(), config);
  RawClient client(daemon.socket());
  const auto answer = ask(client, "GET", "/v1/status");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.field(), "name");
  EXPECT_FALSE(fs::exists(box()));
}

// A damaged box beside the default one stops nobody, is named, and can be emptied.
TEST_F(HomeTest, ADamagedSecondBoxStopsNobody) {
  ASSERT_EQ(asked("work"), "");
  touch(box("work") / "sync", "direct\n");
  fs::resize_file(box("work") / "box.kartei", 8192);
  TestDaemon daemon(home());
  std::promise<bool> opened;
  daemon.writer().post([&] { opened.set_value(daemon.hosts().open_at_start().has_value()); });
  EXPECT_TRUE(opened.get_future().get());
  RawClient client(daemon.socket());
  EXPECT_EQ(ask(client, "GET", "/v1/status").status, 200);
  const auto answer = ask(client, "GET", "/v1/status?box=work");
  EXPECT_EQ(answer.status, 500);
  const std::string said(answer.body.at("detail").as_string());
  EXPECT_NE(said.find("work"), std::string::npos) << said;
  EXPECT_NE(said.find("doctor"), std::string::npos) << said;
  EXPECT_EQ(ask(client, "DELETE", "/v1/box?box=work", R"({"name":"work"})").status, 200);
  EXPECT_EQ(ask(client, "GET", "/v1/status?box=work").status, 200);
}

// ---- the doctor

class DoctorTest : public HomeTest {
 protected:
  struct Ran {
    int status;
    std::string out;
    bool says(const std::string& what) const { return out.find(what) != std::string::npos; }
  };
  Ran doctor() {
    std::istringstream in;
    std::ostringstream out, err;
    const Environment environment = [&](const char* name) -> std::optional<std::string> {
      if (std::string(name) == "KARTEI_HOME") return home().string();
      return std::nullopt;
    };
    const int status = cli::run({"doctor"}, {in, out, err, environment, {}});
    return {status, out.str() + err.str()};
  }
  void damage_work() { fs::resize_file(box("work") / "box.kartei", 8192); }
};

TEST_F(DoctorTest, LooksAtEveryBoxOfARunningDaemon) {
  ASSERT_EQ(asked("work"), "");
  ASSERT_EQ(asked("spare"), "");
  damage_work();
  TestDaemon daemon(home());
  const Ran ran = doctor();
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_TRUE(ran.says("ok   box default")) << ran.out;
  EXPECT_TRUE(ran.says("ok   box spare")) << ran.out;
  EXPECT_TRUE(ran.says("NOT  box work")) << ran.out;
  EXPECT_TRUE(ran.says("What to do")) << ran.out;
}

TEST_F(DoctorTest, LooksAtTheFilesWhereNoDaemonRuns) {
  ASSERT_EQ(asked(), "");
  ASSERT_EQ(asked("work"), "");
  damage_work();
  fs::remove(box() / "identity");
  const Ran ran = doctor();
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_TRUE(ran.says("identity is missing")) << ran.out;
  EXPECT_TRUE(ran.says("NOT  box work")) << ran.out;
  EXPECT_TRUE(ran.says("What to do")) << ran.out;
}

// Flips a letter of a turn in the file of a box that nobody has open.
TEST_F(DoctorTest, NoticesAFlippedLetter) {
  {
    TestDaemon daemon(home());
    RawClient client(daemon.socket());
    ask(client, "POST", "/v1/turns",
        R"({"conversation":"c","turns":[{"speaker":"M","role":"user","text":"Zanzibarquux"}]})");
  }
  std::fstream bytes(box() / "box.kartei", std::ios::in | std::ios::out | std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(bytes)), {});
  const std::size_t at = all.find("Zanzibarquux");
  ASSERT_NE(at, std::string::npos);
  bytes.seekp(static_cast<std::streamoff>(at));
  bytes.put('Y');
  bytes.close();
  EXPECT_TRUE(doctor().says("The words of 1 turn are not what was stored"));
  TestDaemon daemon(home());
  EXPECT_TRUE(doctor().says("The words of 1 turn are not what was stored"));
}

// As kill -9 leaves it: a log with what was said last.
TEST_F(HomeTest, ALogThatIsGoneIsRefusedAndADamagedOneIsKept) {
  ASSERT_EQ(asked(), "");
  const fs::path file = box() / "box.kartei", log = box() / "box.kartei-wal",
                 index = box() / "box.kartei-shm", saved = folder_.path() / "saved";
  {
    auto open = store::Box::open({file, false});
    ASSERT_TRUE(open);
    for (const char* value : {"one", "two", "three"}) {
      auto transaction = (*open)->begin();
      ASSERT_TRUE((*open)->put_meta("test", as_bytes(std::string_view(value))));
      ASSERT_TRUE(transaction->commit(store::Box::Transaction::Durability::kSynced));
    }
    fs::copy(box(), saved);
  }
  fs::remove_all(box());
  fs::copy(saved, box());
  fs::remove(log);
  const std::string said = asked();
  EXPECT_NE(said.find("box.kartei-wal is gone"), std::string::npos) << said;
  EXPECT_NE(asked(), "");  // and again: nothing was begun over it
  fs::copy_file(saved / "box.kartei-wal", log);
  std::fstream bytes(log, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(32 + 24 + 100);
  bytes.put('?');
  bytes.close();
  EXPECT_EQ(asked(), "");
  EXPECT_TRUE(fs::exists(box() / kDamagedLog));
}

// A folder that leads to itself: whether there is a box cannot be told, so it is not called
// emptied.
TEST(Empty, WhatCannotBeLookedAtIsNotEmptied) {
  TempFolder folder;
  fs::create_directories(folder.path() / "home" / "boxes");
  fs::create_directory_symlink("loop", folder.path() / "home" / "boxes" / "loop");
  TestDaemon daemon(folder.path() / "home");
  std::promise<Status> emptied;
  daemon.writer().post([&] { emptied.set_value(daemon.hosts().empty("loop")); });
  const Status status = emptied.get_future().get();
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().cause, Cause::kIo);
}

TEST(SmallFile, ReplacesWholeAndPrivate) {
  TempFolder folder;
  const auto file = folder.path() / "sync";
  EXPECT_EQ(*read_small_file(file), "");
  ASSERT_TRUE(write_small_file(file, "off"));
  ASSERT_TRUE(write_small_file(file, "direct"));
  EXPECT_EQ(*read_small_file(file), "direct");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_FALSE(write_small_file(folder.path() / "none" / "sync", "off"));
}

TEST(DefectDeathTest, AnExceptionOnTheWriterEndsTheProcess) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        WriterThread writer(4);
        writer.post([] { throw std::runtime_error("unexpected"); });
        std::promise<void>().get_future().wait_for(std::chrono::seconds(20));
      },
      ::testing::ExitedWithCode(1), "");
}

}  // namespace
}  // namespace kartei::daemon
