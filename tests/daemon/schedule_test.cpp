#include "daemon/manager/schedule.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace kartei::daemon {
namespace {

Schedule make() {
  return Schedule({10, 120'000, 60'000, 100});
}

TEST(Schedule, NothingHeardNothingDue) {
  Schedule schedule = make();
  EXPECT_FALSE(schedule.take_due(1'000'000));
  EXPECT_FALSE(schedule.next_due_ms(0));
}

TEST(Schedule, TenTurnsMakeItDueAtOnce) {
  Schedule schedule = make();
  for (int i = 0; i < 9; ++i) schedule.heard("c", true, 5);
  for (int i = 0; i < 20; ++i) schedule.heard("c", false, 5);  // tools do not count
  EXPECT_FALSE(schedule.take_due(5));
  schedule.heard("c", true, 5);
  EXPECT_EQ(schedule.next_due_ms(5), 5);
  EXPECT_EQ(schedule.take_due(5), "c");
}

TEST(Schedule, ASilenceMakesItDue) {
  Schedule schedule = make();
  schedule.heard("c", true, 1000);
  EXPECT_EQ(schedule.next_due_ms(1000), 121'000);
  schedule.heard("c", true, 50'000);  // spoke again: the silence starts anew
  EXPECT_EQ(schedule.next_due_ms(50'000), 170'000);
  EXPECT_FALSE(schedule.take_due(169'999));
  EXPECT_EQ(schedule.take_due(170'000), "c");
}

TEST(Schedule, AskedForIsDueAtOnceAndGoesFirst) {
  Schedule schedule = make();
  for (int i = 0; i < 10; ++i) schedule.heard("old", true, 1);
  schedule.heard("c", true, 50);
  schedule.asked("c");
  EXPECT_EQ(schedule.asked_for(), 1U);
  EXPECT_EQ(schedule.take_due(50), "c");
  EXPECT_EQ(schedule.asked_for(), 1U);  // still being read
  schedule.done(0);
  EXPECT_EQ(schedule.asked_for(), 0U);
  EXPECT_EQ(schedule.take_due(50), "old");
}

TEST(Schedule, OneReadingAtATime) {
  Schedule schedule = make();
  schedule.asked("a");
  schedule.asked("b");
  EXPECT_TRUE(schedule.take_due(0));
  EXPECT_TRUE(schedule.reading());
  EXPECT_FALSE(schedule.take_due(0));
  EXPECT_FALSE(schedule.next_due_ms(0));
  schedule.done(0);
  EXPECT_TRUE(schedule.take_due(0));
  schedule.done(0);
  EXPECT_FALSE(schedule.take_due(0));
}

TEST(Schedule, WhatWasAskedForIsReadToItsEnd) {
  Schedule schedule = make();
  for (int i = 0; i < 50; ++i) schedule.heard("c", true, 0);
  schedule.asked("c");
  for (std::size_t left : {30U, 10U, 3U, 0U}) {
    ASSERT_EQ(schedule.take_due(0), "c");
    schedule.done(left);
  }
  EXPECT_FALSE(schedule.take_due(0));
}

TEST(Schedule, AFailureWaitsUnlessAskedForAgain) {
  Schedule schedule = make();
  schedule.asked("c");
  schedule.take_due(0);
  schedule.failed(0);
  EXPECT_FALSE(schedule.take_due(59'999));
  EXPECT_EQ(schedule.next_due_ms(0), 60'000);
  schedule.asked("c");
  EXPECT_EQ(schedule.take_due(1), "c");
}

TEST(Schedule, AScanFindsWhatWasLeft) {
  Schedule schedule = make();
  schedule.found("c", 12, 7);
  schedule.found("d", 2, 7);
  schedule.found("e", 0, 7);
  EXPECT_EQ(schedule.take_due(7), "c");
  schedule.done(2);
  EXPECT_EQ(schedule.next_due_ms(7), 120'007);
}

TEST(Schedule, IsBounded) {
  Schedule schedule = make();
  for (int i = 0; i < 1000; ++i) schedule.heard("c" + std::to_string(i), true, 0);
  int taken = 0;
  while (schedule.take_due(1'000'000)) {
    schedule.done(0);
    ++taken;
  }
  EXPECT_EQ(taken, 100);
}

// Whatever happens, what was heard is read in the end, and next_due_ms() tells when.
TEST(Schedule, NothingIsForgotten) {
  rc::check([] {
    Schedule schedule = make();
    std::map<std::string, std::size_t> unread;
    std::int64_t now = 0;
    const auto steps = *rc::gen::container<std::vector<int>>(60, rc::gen::inRange(0, 100));
    for (const int step : steps) {
      const std::string name(1, static_cast<char>('a' + step % 3));
      now += step * 1000;
      if (step < 60) {
        schedule.heard(name, true, now);
        ++unread[name];
      } else if (step < 70) {
        schedule.asked(name);
      } else if (const auto due = schedule.take_due(now)) {
        if (step < 80) {
          schedule.failed(now);
        } else {
          unread[*due] -= std::min<std::size_t>(unread[*due], 7);
          schedule.done(unread[*due]);
        }
      }
    }
    for (int i = 0; i < 100; ++i) {
      const auto next = schedule.next_due_ms(now);
      if (!next) break;
      now = *next;
      const auto due = schedule.take_due(now);
      RC_ASSERT(due.has_value());
      unread[*due] -= std::min<std::size_t>(unread[*due], 7);
      schedule.done(unread[*due]);
    }
    for (const auto& [name, count] : unread) RC_ASSERT(count == 0U);
  });
}

// Many more conversations than are kept in mind: what was asked for goes first, and what was left
// out is looked for again once there is room.
TEST(Schedule, NothingIsForgottenWhenThereIsTooMuch) {
  Schedule::Rules rules;
  rules.conversations_max = 4;
  Schedule schedule(rules);
  for (int n = 0; n < 6; ++n) schedule.heard("c" + std::to_string(n), true, 0);
  EXPECT_FALSE(schedule.has_room_again());
  schedule.asked("late");
  EXPECT_EQ(schedule.take_due(1), "late");
  schedule.done(0);
  EXPECT_FALSE(schedule.has_room_again());
  const auto read_one = [&] {
    ASSERT_TRUE(schedule.take_due(1'000'000));
    schedule.done(0);
  };
  read_one();
  EXPECT_TRUE(schedule.has_room_again());
  EXPECT_FALSE(schedule.has_room_again());
  schedule.found("c4", 2, 5);
  schedule.found("c5", 2, 5);
  for (int n = 0; n < 4; ++n) read_one();
  EXPECT_FALSE(schedule.take_due(1'000'000));
  EXPECT_FALSE(schedule.has_room_again());
}

}  // namespace
}  // namespace kartei::daemon
