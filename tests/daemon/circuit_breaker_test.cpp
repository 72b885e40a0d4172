#include "daemon/circuit_breaker.h"

#include <gtest/gtest.h>

#include <random>

#include "daemon/guarded_embedder.h"
#include "daemon/work_queue.h"
#include "tests/daemon/support.h"

namespace kartei::daemon {
namespace {
using namespace test;
using Breaker = CircuitBreaker;

void fail_often(Breaker& breaker, std::int64_t now_ms) {
  for (std::uint32_t n = 0; n < Breaker::kFailuresMost; ++n) breaker.failed(now_ms);
}

TEST(CircuitBreaker, AFewFailuresInARowAndNobodyWaits) {
  Breaker breaker;
  for (std::uint32_t n = 0; n < Breaker::kFailuresMost; ++n) {
    EXPECT_TRUE(breaker.lets_through());
    EXPECT_FALSE(breaker.take_try(1'000'000)) << "nothing to try: it is asked anyway";
    breaker.failed(5);
  }
  EXPECT_FALSE(breaker.lets_through());
  EXPECT_EQ(breaker.failures(), Breaker::kFailuresMost);
}

TEST(CircuitBreaker, FailuresThatAreNotInARowDoNotCount) {
  Breaker breaker;
  for (int n = 0; n < 100; ++n) {
    breaker.failed(n);
    breaker.failed(n);
    breaker.succeeded();
  }
  EXPECT_TRUE(breaker.lets_through());
  EXPECT_EQ(breaker.failures(), 0U);
}

TEST(CircuitBreaker, ItIsTriedOneAtATimeAndEverLater) {
  Breaker breaker;
  fail_often(breaker, 0);
  std::int64_t now = 0, delay = Breaker::kTryFirstMs;
  for (int n = 0; n < 20; ++n) {
    EXPECT_FALSE(breaker.take_try(now + delay - 1));
    now += delay;
    EXPECT_TRUE(breaker.take_try(now));
    EXPECT_FALSE(breaker.take_try(now + 1'000'000)) << "one is under way";
    breaker.tried(false, now);
    EXPECT_FALSE(breaker.lets_through());
    delay = std::min(2 * delay, Breaker::kTryMostMs);
  }
  EXPECT_EQ(delay, Breaker::kTryMostMs);
}

TEST(CircuitBreaker, ATryThatSucceedsBeginsAnew) {
  Breaker breaker;
  fail_often(breaker, 0);
  ASSERT_TRUE(breaker.take_try(Breaker::kTryFirstMs));
  breaker.tried(false, 2'000);
  ASSERT_TRUE(breaker.take_try(2'000 + 2 * Breaker::kTryFirstMs));
  breaker.tried(true, 5'000);
  EXPECT_TRUE(breaker.lets_through());
  fail_often(breaker, 6'000);
  EXPECT_FALSE(breaker.take_try(6'000 + Breaker::kTryFirstMs - 1));
  EXPECT_TRUE(breaker.take_try(6'000 + Breaker::kTryFirstMs)) << "as late as the first time";
}

TEST(CircuitBreaker, CallsThatWereUnderWayCountButPutNothingOff) {
  Breaker breaker;
  fail_often(breaker, 0);
  breaker.failed(900);
  EXPECT_TRUE(breaker.take_try(Breaker::kTryFirstMs));
  breaker.succeeded();
  EXPECT_TRUE(breaker.lets_through()) << "it answered in time";
  breaker.tried(false, 2'000);
  EXPECT_TRUE(breaker.lets_through());
  EXPECT_EQ(breaker.failures(), 1U);
}

// Whatever comes in whatever order: it lets through exactly while fewer failed in a row, and a try
// that is due can be taken.
TEST(CircuitBreaker, HoldsItsRulesInAnyOrder) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Breaker breaker;
    std::uint32_t failed = 0;
    bool trying = false;
    std::int64_t now = 0;
    for (int step = 0; step < 200; ++step) {
      now += static_cast<std::int64_t>(random() % 3'000);
      const auto choice = random() % 4;
      if (choice == 0) {
        breaker.succeeded();
        failed = 0;
        trying = false;
      } else if (choice == 1) {
        breaker.failed(now);
        ++failed;
      } else if (choice == 2 && trying) {
        const bool well = random() % 3 == 0;
        breaker.tried(well, now);
        failed = well ? 0 : failed + 1;
        trying = false;
      } else if (breaker.take_try(now)) {
        EXPECT_FALSE(trying);
        EXPECT_GE(failed, Breaker::kFailuresMost);
        trying = true;
      }
      ASSERT_EQ(breaker.lets_through(), failed < Breaker::kFailuresMost);
      ASSERT_EQ(breaker.failures(), failed);
      if (!breaker.lets_through() && !trying) {
        Breaker later = breaker;
        ASSERT_TRUE(later.take_try(now + Breaker::kTryMostMs));
      }
    }
  }
}

// ---- the embedder behind it

class MoodyEmbedder final : public store::Embedder {
 public:
  const std::string& model() const override { return name_; }
  std::size_t dims() const override { return 2; }
  Result<std::vector<float>> embed(const std::vector<std::string_view>& texts) const override {
    ++calls;
    if (fails) return Error{Cause::kUnavailable, "It hangs", {}};
    return std::vector<float>(2 * texts.size(), 0.5F);
  }
  mutable std::atomic<int> calls{0};
  std::atomic<bool> fails{false};

 private:
  const std::string name_ = "moody";
};

class GuardedEmbedderTest : public ::testing::Test {
 protected:
  const std::shared_ptr<MoodyEmbedder> inner_ = std::make_shared<MoodyEmbedder>();
  std::int64_t now_ms_ = 0;
  bool room_ = true;
  std::vector<std::function<void()>> waiting_;
  GuardedEmbedder guarded_{inner_,
                           [this](std::function<void()> work) {
                             if (room_) waiting_.push_back(std::move(work));
                             return room_;
                           },
                           [this] { return now_ms_; }};
  bool ask() { return guarded_.embed({"Where?"}).has_value(); }
  void run_all() {
    for (auto& one : std::exchange(waiting_, {})) one();
  }
};

TEST_F(GuardedEmbedderTest, QuestionsDoNotWaitUntilATryInTheBackgroundSucceeds) {
  EXPECT_TRUE(ask());
  inner_->fails = true;
  for (int n = 0; n < 50; ++n) EXPECT_FALSE(ask());
  EXPECT_EQ(inner_->calls, 1 + 3);
  EXPECT_TRUE(guarded_.health().paused);
  EXPECT_EQ(guarded_.health().problem, "It hangs");
  now_ms_ += Breaker::kTryFirstMs;
  EXPECT_FALSE(ask());
  EXPECT_FALSE(ask());
  EXPECT_EQ(inner_->calls, 4) << "the question itself asks nobody";
  ASSERT_EQ(waiting_.size(), 1U);
  run_all();
  EXPECT_EQ(inner_->calls, 5);
  EXPECT_TRUE(guarded_.health().paused);
  inner_->fails = false;
  EXPECT_FALSE(ask());
  EXPECT_TRUE(waiting_.empty()) << "the next try is later";
  now_ms_ += 2 * Breaker::kTryFirstMs;
  EXPECT_FALSE(ask());
  run_all();
  EXPECT_TRUE(ask());
  EXPECT_FALSE(guarded_.health().paused);
  EXPECT_EQ(guarded_.health().failures, 0U);
  EXPECT_EQ(guarded_.health().problem, "");
}

TEST_F(GuardedEmbedderTest, ATryThatFoundNoRoomIsMadeLater) {
  inner_->fails = true;
  for (int n = 0; n < 3; ++n) ask();
  now_ms_ += Breaker::kTryFirstMs;
  room_ = false;
  EXPECT_FALSE(ask());
  room_ = true;
  inner_->fails = false;
  now_ms_ += Breaker::kTryMostMs;
  EXPECT_FALSE(ask());
  run_all();
  EXPECT_TRUE(ask());
}

TEST(GuardedEmbedder, ServesManyThreadsWhileItFailsAndWorksInTurn) {
  const auto inner = std::make_shared<MoodyEmbedder>();
  WorkQueue queue("test", 1, 4);
  std::atomic<std::int64_t> now_ms{0};
  const GuardedEmbedder guarded(
      inner,
      [&](std::function<void()> work) {
        return queue.post([work = std::move(work)](std::size_t) { work(); });
      },
      [&] { return now_ms += 10; });
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n)
    threads.emplace_back([&] {
      for (int k = 0; k < 500; ++k) {
        if (k % 50 == 0) inner->fails = !inner->fails;
        (void)guarded.embed({"Where?"});
        (void)guarded.health();
      }
    });
  for (auto& thread : threads) thread.join();
  inner->fails = false;
  EXPECT_TRUE(eventually([&] {
    now_ms += Breaker::kTryMostMs;
    return guarded.embed({"Where?"}).has_value();
  }));
}

}  // namespace
}  // namespace kartei::daemon
