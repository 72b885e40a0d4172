// Lines of 10 kB/s: what is under way is not sent again and again, and all of it arrives.
#include <deque>

#include "tests/sync/engine_testing.h"

namespace kartei::sync::testing {
namespace {

constexpr std::int64_t kStepMs = 100;
constexpr std::size_t kBytesAStep = 1'000;

// Links between all devices of a world. Those to `slow` and from it carry 10 kB/s each.
class Lines {
 public:
  Lines(World& world, int slow) : world_(world), slow_(slow) {
    for (int a = 1; a <= world.size(); ++a)
      for (int b = 1; b <= world.size(); ++b)
        if (a != b) world.d(a).engine->peer_up(world.d(b).id(), world.now());
  }

  void step() {
    world_.wait(kStepMs);
    for (int a = 1; a <= world_.size(); ++a) {
      must(world_.d(a).engine->tick(world_.now()));
      for (Send& send : must(world_.d(a).engine->flush(world_.now()))) {
        int b = 1;
        while (world_.d(b).id() != send.to) ++b;
        Line& line = lines_[{a, b}];
        line.sent += send.message.size();
        line.queued += send.message.size();
        line.most = std::max(line.most, line.queued);
        line.waiting.push_back(std::move(send.message));
      }
    }
    for (auto& [ends, line] : lines_) carry(ends, line);
  }
  std::size_t sent(int a, int b) { return lines_[{a, b}].sent; }
  std::size_t most_queued(int a, int b) { return lines_[{a, b}].most; }

 private:
  struct Line {
    std::deque<Bytes> waiting;
    std::size_t sent = 0, queued = 0, most = 0, credit = 0;
  };

  void carry(std::pair<int, int> ends, Line& line) {
    const bool is_slow = ends.first == slow_ || ends.second == slow_;
    line.credit = line.waiting.empty() ? 0 : line.credit + (is_slow ? kBytesAStep : 1 << 24);
    while (!line.waiting.empty() && line.waiting.front().size() <= line.credit) {
      const Bytes message = std::move(line.waiting.front());
      line.waiting.pop_front();
      line.credit -= message.size();
      line.queued -= message.size();
      must(world_.d(ends.second).engine->receive(world_.d(ends.first).id(), message, world_.now()));
    }
  }

  World& world_;
  int slow_;
  std::map<std::pair<int, int>, Line> lines_;
};

std::size_t say_much(World& w, int device, int turns, TurnId& last) {
  const std::string text(700, 'x');
  for (int i = 0; i < turns; ++i) last = w.say(device, text + std::to_string(i));
  return static_cast<std::size_t>(turns) * 1'100;  // with header, padding and signature
}

bool arrives(World& w, Lines& lines, int device, TurnId turn, std::int64_t within_ms) {
  for (std::int64_t ms = 0; ms < within_ms; ms += kStepMs) {
    lines.step();
    if (must(w.d(device).box->turn(turn))) return true;
  }
  return false;
}

TEST(SlowLine, WhatIsUnderWayIsNotSentAgain) {
  World w(2);
  TurnId last{};
  const std::size_t bytes = say_much(w, 1, 500, last);
  Lines lines(w, 2);
  EXPECT_TRUE(arrives(w, lines, 2, last, 2 * 1000 * static_cast<std::int64_t>(bytes / 10'000)));
  EXPECT_LT(lines.sent(1, 2), bytes * 3 / 2);
  EXPECT_LT(lines.most_queued(1, 2), 200u << 10);
}

// Both others hold the words; the one who said them brings them.
TEST(SlowLine, ARecordComesFromOneOfTwo) {
  World w(3);
  TurnId last{};
  const std::size_t bytes = say_much(w, 1, 300, last);
  w.both(1, 2);
  Lines lines(w, 3);
  EXPECT_TRUE(arrives(w, lines, 3, last, 2 * 1000 * static_cast<std::int64_t>(bytes / 10'000)));
  EXPECT_LT(lines.sent(1, 3) + lines.sent(2, 3), bytes * 3 / 2);
}

// A device from a backup lacks what was dropped: the state comes in parts, each asked for once.
TEST(SlowLine, AStateComesInPartsThatFitTheLine) {
  World w(2);
  const Bytes backup = w.image(2);
  TurnId last{};
  say_much(w, 1, 300, last);
  w.take(1);
  w.quiet();
  w.work(1, 0, 300);
  w.quiet();
  ASSERT_GT(w.status(2).final_position.height, 0u);
  w.restart_from(2, backup);
  w.restart(1);
  Lines lines(w, 2);
  const std::size_t bytes = 300'000;  // about, packed
  EXPECT_TRUE(arrives(w, lines, 2, last, 4 * 1000 * static_cast<std::int64_t>(bytes / 10'000)));
  EXPECT_LT(lines.sent(1, 2), 3 * bytes);
  EXPECT_LT(lines.most_queued(1, 2), 300u << 10);
}

}  // namespace
}  // namespace kartei::sync::testing
