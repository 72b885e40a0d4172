// Free pages go back to the disk, a few at a time, and what is in the others stays what it was.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "store/librarian.h"
#include "tests/store/fixture.h"

namespace kartei::store {
namespace {

class Compact : public ::testing::TestWithParam<bool> {
 protected:
  static constexpr std::uint64_t kKept = 300, kAll = 2'000;

  const crypto::Secret* key() const { return GetParam() ? &test_key() : nullptr; }
  // Most of it is in the drawer that goes again.
  std::unique_ptr<TestBox> emptied() {
    auto box = std::make_unique<TestBox>(file_, key());
    box->write([](Box& its) -> Status {
      for (std::uint64_t n = 1; n <= kAll; ++n) {
        Turn turn = make_turn(n, "Heron " + std::to_string(n) + " " + std::string(1'500, 'x'));
        turn.drawer = n <= kKept ? kShared : kLocalDrawer;
        KARTEI_TRY(its.store_turn(turn, origin_of(n)));
      }
      return {};
    });
    box->write([](Box& its) { return its.remove_drawer(kLocalDrawer); });
    while (must((*box)->tidy())) {
    }
    return box;
  }
  std::string herons(Box& box) {
    const auto librarian = must(Librarian::open(box));
    RecallRequest request;
    request.query = "heron 7";
    return must(librarian->recall(request)).text;
  }
  std::uintmax_t bytes() const { return std::filesystem::file_size(file_); }

  TempDir dir_;
  const std::filesystem::path file_ = dir_.path() / "box.db";
};
INSTANTIATE_TEST_SUITE_P(All, Compact, ::testing::Bool(), [](const auto& kind) {
  return kind.param ? std::string("Encrypted") : std::string("Plain");
});

TEST_P(Compact, AFileThatIsMostlyFreeGetsShort) {
  const auto box = emptied();
  ASSERT_TRUE(must((*box)->cut_log()));
  const std::uintmax_t before = bytes();
  const Hash32 digest = box->digest();
  const std::string answer = herons(**box);
  ASSERT_NE(answer.find("Heron 7"), std::string::npos);
  int steps = 0;
  while (must((*box)->compact())) {
    ++steps;
    if (steps % 4 == 0) {
      EXPECT_EQ(herons(**box), answer) << "after step " << steps;
    }
  }
  EXPECT_GT(steps, 5) << "a few pages at a time";
  EXPECT_LT(bytes(), before / 3);
  EXPECT_EQ(box->digest(), digest);
  EXPECT_EQ(herons(**box), answer);
  EXPECT_TRUE(must((*box)->check()).empty());
  EXPECT_FALSE(must((*box)->compact())) << "and that was all";
}

TEST_P(Compact, AFewFreePagesStay) {
  TestBox box(file_, key());
  for (std::uint64_t n = 1; n <= 50; ++n) box.hear(make_turn(n, std::string(3'000, 'x')), n);
  box.write([](Box& its) { return its.remove_drawer(kLocalDrawer); });
  EXPECT_FALSE(must(box->compact()));
}

TEST_P(Compact, WithinATransactionItIsRefused) {
  TestBox box(file_, key());
  auto transaction = box->begin();
  ASSERT_TRUE(transaction);
  EXPECT_TRUE(box->compact().has_error());
}

// Killed at moments of a seed, until it is through.
TEST_P(Compact, KilledInTheMidstItGoesOn) {
  Hash32 digest;
  {
    const auto box = emptied();
    digest = box->digest();
    ASSERT_TRUE(must((*box)->cut_log()));
  }
  const std::uintmax_t before = bytes();
  std::mt19937 random(2'026);
  bool through = false;
  for (int round = 0; round < 40 && !through; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(60);
      auto opened = Box::open({file_, false, key()});
      if (opened.has_error()) ::_exit(1);
      const int steps = static_cast<int>(random() % 4) + round / 10;
      for (int step = 0; step < steps; ++step) {
        const auto more = (*opened)->compact();
        if (more.has_error()) ::_exit(2);
        if (!*more) ::_exit(0);
      }
      ::kill(::getpid(), SIGKILL);
    }
    (void)random();
    int status = 0;
    ::waitpid(child, &status, 0);
    through = WIFEXITED(status);
    if (through) {
      ASSERT_EQ(WEXITSTATUS(status), 0) << "round " << round << ", seed 2026";
    }
    auto box = Box::open({file_, false, key()});
    ASSERT_TRUE(box.has_value()) << box.error().what;
    ASSERT_TRUE(must((*box)->check()).empty()) << "round " << round << ", seed 2026";
    ASSERT_EQ(must((*box)->digest(true)), digest) << "round " << round << ", seed 2026";
  }
  EXPECT_TRUE(through);
  EXPECT_LT(bytes(), before * 2 / 3) << "what is left free is not worth another beginning";
}

}  // namespace
}  // namespace kartei::store
