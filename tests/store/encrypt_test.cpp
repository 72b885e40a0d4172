// A box in the clear becomes an encrypted one in its place, whatever happens on the way.
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "store/encrypt.h"
#include "store/librarian.h"
#include "tests/store/fixture.h"

namespace kartei::store {
namespace {

constexpr char kWord[] = "zinnsoldat";

bool holds_word(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return bytes.find(kWord) != std::string::npos;
}

class EncryptTest : public ::testing::Test {
 protected:
  // A bit of everything; `log`: as kill -9 leaves it, the last words in the log only.
  void make_plain(bool log, std::uint64_t turns = 40) {
    TestBox box(file_);
    for (std::uint64_t n = 1; n <= turns; ++n)
      box.hear(make_turn(n, std::string(kWord) + std::to_string(n)), n);
    const Card tea = make_card({1}, std::string("Maya drinks tea, ") + kWord);
    box.entry({filed(1), filed(2), make_unit({1}, {tea}), make_edit(1, EditKind::kClose, tea)});
    box.local({make_add(7, user_card(9, "The hedgehog sleeps."))});
    box.write([](Box& b) { return b.put_meta("empty", {}); });
    if (!log) {
      must(box->scrub());
    } else {
      const auto kept = dir_.path() / "kept";
      std::filesystem::copy(folder_, kept);
      must(box->sync());
      digest_ = box.digest();
      kept_ = kept;
      return;
    }
    digest_ = box.digest();
  }
  // After the box of make_plain(true) is closed: what stood there before.
  void as_killed() {
    std::filesystem::remove_all(folder_);
    std::filesystem::rename(kept_, folder_);
  }
  void expect_encrypted() const {
    EXPECT_FALSE(must(is_in_the_clear(file_)));
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      EXPECT_EQ(entry.path().filename(), "box.kartei");
      EXPECT_FALSE(holds_word(entry.path()));
    }
    auto opened = Box::open({file_, false, &test_key()});
    ASSERT_TRUE(opened.has_value()) << opened.error().what;
    EXPECT_EQ(must((*opened)->digest(true)), digest_);
    EXPECT_TRUE(must((*opened)->check()).empty());
    EXPECT_TRUE(must((*opened)->check_words()).empty());
    EXPECT_EQ(must((*opened)->meta("empty")), Bytes{});
    RecallRequest request;
    request.query = "hedgehog";
    EXPECT_EQ(must(must(Librarian::open(**opened))->recall(request)).items.size(), 1U);
    // The numbers that must not be used twice go on where they were.
    TestBox box(std::move(*opened));
    box.hear(make_turn(999), 999);
    EXPECT_TRUE(must(box->turn(turn_id(999))));
  }

  TempDir dir_;
  const std::filesystem::path folder_ = [this] {
    std::filesystem::create_directory(dir_.path() / "default");
    return dir_.path() / "default";
  }();
  const std::filesystem::path file_ = folder_ / "box.kartei";
  std::filesystem::path kept_;
  Hash32 digest_{};
};

TEST_F(EncryptTest, HoldsAllThatItHeld) {
  make_plain(false);
  ASSERT_TRUE(holds_word(file_));
  std::vector<std::string> steps;
  std::uint64_t rows = 0, done = 0;
  EXPECT_TRUE(must(encrypt_box(file_, test_key(), [&](const EncryptStep& step) {
    steps.emplace_back(step.doing);
    EXPECT_LE(step.done, step.all);
    rows = step.all;
    done = step.done;
  })));
  EXPECT_GT(rows, 100U);
  EXPECT_EQ(done, rows);
  EXPECT_EQ(steps.back(), "done");
  expect_encrypted();
  EXPECT_FALSE(must(encrypt_box(file_, test_key())));  // was, and stays
  EXPECT_EQ(std::filesystem::status(file_).permissions() & std::filesystem::perms::all,
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(EncryptTest, WhatStandsInTheLogComesAlong) {
  make_plain(true);
  as_killed();
  ASSERT_TRUE(std::filesystem::exists(folder_ / "box.kartei-wal"));
  EXPECT_TRUE(must(encrypt_box(file_, test_key())));
  expect_encrypted();
}

TEST_F(EncryptTest, ABoxThatIsNotThereIsNotMade) {
  EXPECT_EQ(encrypt_box(file_, test_key()).error().cause, Cause::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(file_));
}

// kill -9 at each step in turn, and at each step of the try that goes on from there.
TEST_F(EncryptTest, IsGoneOnWithWhereverItWasKilled) {
  make_plain(true);
  as_killed();
  const auto original = dir_.path() / "original";
  std::filesystem::copy(folder_, original);
  const auto killed_at = [&](int step) {
    const pid_t child = ::fork();
    if (child == 0) {
      alarm(60);
      int seen = 0;
      static_cast<void>(encrypt_box(file_, test_key(), [&](const EncryptStep&) {
        if (seen++ == step) ::kill(::getpid(), SIGKILL);
      }));
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status);
  };
  int first = 0;
  for (;; ++first) {
    bool killed = false;
    for (int second = 0;; ++second) {
      std::filesystem::remove_all(folder_);
      std::filesystem::copy(original, folder_);
      killed = killed_at(first);
      const bool again = killed && killed_at(second);
      ASSERT_TRUE(std::filesystem::exists(file_)) << first << ' ' << second;
      must(encrypt_box(file_, test_key()));
      expect_encrypted();
      if (HasFailure()) FAIL() << "killed at step " << first << ", then at " << second;
      if (!again) break;
    }
    if (!killed) break;
  }
  EXPECT_GE(first, 7);
}

// No file may grow beyond a limit, which is found on the way or before.
TEST_F(EncryptTest, AFullDiskLeavesItAsItWas) {
  make_plain(false, 2000);
  const auto size = std::filesystem::file_size(file_);
  for (const std::uintmax_t limit : {size / 2, std::uintmax_t{20'000}, std::uintmax_t{100}}) {
    const pid_t child = ::fork();
    if (child == 0) {
      alarm(60);
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit most{limit, limit};
      if (::setrlimit(RLIMIT_FSIZE, &most) != 0) ::_exit(2);
      const auto done = encrypt_box(file_, test_key());
      if (done) ::_exit(3);
      const bool said = done.error().what.find("stays as it was") != std::string::npos;
      ::_exit(said && (done.error().cause == Cause::kFull || done.error().cause == Cause::kIo) ? 0
                                                                                               : 4);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0) << limit;
    EXPECT_TRUE(must(is_in_the_clear(file_)));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "box.kartei.sealed"));
    EXPECT_EQ(must(must(Box::open({file_, false}))->digest(true)), digest_);
  }
  EXPECT_TRUE(must(encrypt_box(file_, test_key())));
  expect_encrypted();
}

// Cut off before the old file was overwritten, and then the key is another one, or the new file is
// damaged: the old one is the last that can be read.
TEST_F(EncryptTest, TheOldFileStaysUntilTheBoxOpens) {
  make_plain(false);
  const auto old = folder_ / "box.kartei.plain";
  const auto kept = dir_.path() / "kept";
  std::filesystem::copy_file(file_, kept);
  EXPECT_TRUE(must(encrypt_box(file_, test_key())));
  std::filesystem::copy_file(kept, old);
  const crypto::Secret other(Bytes(32, 99));
  const auto done = encrypt_box(file_, other);
  ASSERT_TRUE(done.has_error());
  EXPECT_NE(done.error().what.find(old.string()), std::string::npos) << done.error().what;
  EXPECT_TRUE(std::filesystem::exists(old));
  EXPECT_FALSE(must(encrypt_box(file_, test_key())));
  EXPECT_FALSE(std::filesystem::exists(old));
  expect_encrypted();
}

// A copy that is not what it was made from does not take the box's place.
TEST_F(EncryptTest, AWrongCopyIsNotTaken) {
  make_plain(false);
  bool altered = false;
  const auto done = encrypt_box(file_, test_key(), [&](const EncryptStep& step) {
    if (std::string(step.doing) != "comparing") return;
    auto copy = must(Box::open({folder_ / "box.kartei.sealed", false, &test_key()}));
    auto transaction = copy->begin();
    must(copy->put_meta("empty", as_bytes("x")));
    must(transaction->commit(Box::Transaction::Durability::kSynced));
    altered = true;
  });
  ASSERT_TRUE(altered);
  ASSERT_TRUE(done.has_error());
  EXPECT_TRUE(must(is_in_the_clear(file_)));
  EXPECT_EQ(must(must(Box::open({file_, false}))->digest(true)), digest_);
}

TEST_F(EncryptTest, ADamagedCopyIsNotTaken) {
  make_plain(false);
  const auto done = encrypt_box(file_, test_key(), [&](const EncryptStep& step) {
    if (std::string(step.doing) != "comparing") return;
    std::fstream copy(folder_ / "box.kartei.sealed",
                      std::ios::in | std::ios::out | std::ios::binary);
    copy.seekp(5 * 4096 + 100);
    copy.put('?');
  });
  ASSERT_TRUE(done.has_error());
  EXPECT_TRUE(must(is_in_the_clear(file_)));
}

}  // namespace
}  // namespace kartei::store
