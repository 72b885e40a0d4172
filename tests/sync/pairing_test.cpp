#include "sync/pairing.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tests/sync/link_testing.h"

namespace kartei::sync {
namespace {

using testing::box_id;

template <class Event>
const Event* event(const std::vector<PairingEvent>& events) {
  for (const auto& one : events) {
    if (const auto* found = std::get_if<Event>(&one)) return found;
  }
  return nullptr;
}

class PairingTest : public ::testing::Test {
 protected:
  PairingTest()
      : random(11),
        code(PairingCode::generate(random)),
        member_self{crypto::Identity::generate(random), "Anna's laptop"},
        guest_self{crypto::Identity::generate(random), "Anna's phone"},
        offer(code, 1000) {}

  struct Run {
    Run(PairingTest& t, const PairingCode& typed)
        : member(t.offer, box_id(4), t.member_self, t.random),
          guest(typed, t.guest_self, t.random) {}
    // Moves bytes until nobody has anything to say; `piece` bytes at a time.
    void pump(std::size_t piece = 1 << 20) {
      for (;;) {
        Bytes to_member = guest.take_output(), to_guest = member.take_output();
        if (!greeted && to_member.size() >= 4) {
          EXPECT_TRUE(
              std::equal(kPairingGreeting.begin(), kPairingGreeting.end(), to_member.begin()));
          to_member.erase(to_member.begin(), to_member.begin() + 4);
          greeted = true;
        }
        if (to_member.empty() && to_guest.empty()) return;
        feed(member, to_member, piece, at_member);
        feed(guest, to_guest, piece, at_guest);
      }
    }
    void feed(PairingSession& to, ByteView bytes, std::size_t piece,
              std::vector<PairingEvent>& events) const {
      while (!bytes.empty()) {
        const auto size = std::min(piece, bytes.size());
        auto more = to.receive(bytes.first(size), now_ms);
        std::move(more.begin(), more.end(), std::back_inserter(events));
        bytes = bytes.subspan(size);
      }
    }
    PairingMember member;
    PairingNewcomer guest;
    std::vector<PairingEvent> at_member, at_guest;
    bool greeted = false;
    std::int64_t now_ms = 0;
  };

  PairingCode other_code() {
    for (;;) {
      const auto made = PairingCode::generate(random);
      if (!(made == code)) return made;
    }
  }

  crypto::SeededRandom random;
  PairingCode code;
  PairingSelf member_self, guest_self;
  PairingOffer offer;
};

TEST(PairingCodeTest, FindsTypingErrors) {
  crypto::SeededRandom random(5);
  for (int i = 0; i < 200; ++i) {
    const auto code = PairingCode::generate(random);
    const std::string text = code.text();
    ASSERT_EQ(text.size(), 11U);
    EXPECT_EQ(*PairingCode::parse(text), code);
    EXPECT_EQ(*PairingCode::parse(" " + text.substr(0, 5) + " " + text.substr(6)), code);
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '-') continue;
      std::string wrong = text;
      wrong[at] = wrong[at] == '9' ? '0' : static_cast<char>(wrong[at] + 1);
      EXPECT_TRUE(PairingCode::parse(wrong).has_error());
    }
    std::string swapped = text;
    std::swap(swapped[0], swapped[1]);
    EXPECT_EQ(PairingCode::parse(swapped).has_value(), swapped == text);
  }
  for (const char* bad : {"", "123", "48105-139650", "abcde-fghij"}) {
    EXPECT_TRUE(PairingCode::parse(bad).has_error()) << bad;
  }
  // The example that a refusal gives is one.
  const std::string said = PairingCode::parse("abcde-fghij").error().what;
  EXPECT_TRUE(PairingCode::parse(said.substr(said.find("48105"), 11))) << said;
}

TEST_F(PairingTest, NewcomerIsWelcomed) {
  Run run(*this, code);
  run.pump(1);
  ASSERT_TRUE(event<PairingConfirmed>(run.at_member) && event<PairingConfirmed>(run.at_guest));
  const auto* join = event<PairingJoin>(run.at_member);
  const auto* sponsor = event<PairingSponsor>(run.at_guest);
  ASSERT_TRUE(join && sponsor);
  EXPECT_EQ(join->newcomer.keys, guest_self.identity.pub());
  EXPECT_EQ(join->newcomer.name, "Anna's phone");
  EXPECT_EQ(sponsor->box, box_id(4));
  EXPECT_EQ(sponsor->keys, member_self.identity.pub());
  EXPECT_EQ(sponsor->name, "Anna's laptop");

  ASSERT_TRUE(run.member.waiting().has_value());
  run.pump();
  EXPECT_TRUE(event<PairingWaiting>(run.at_guest));
  Bytes welcome(300'000);
  random.fill(welcome);
  ASSERT_TRUE(run.member.welcome(welcome).has_value());
  run.pump(1000);
  ASSERT_TRUE(event<PairingWelcome>(run.at_guest));
  EXPECT_EQ(event<PairingWelcome>(run.at_guest)->welcome, welcome);
  ASSERT_TRUE(run.guest.done().has_value());
  run.pump();
  EXPECT_TRUE(event<PairingDone>(run.at_member));
  EXPECT_FALSE(event<PairingFailed>(run.at_member) || event<PairingFailed>(run.at_guest));
}

TEST_F(PairingTest, ThreeWrongCodesKillIt) {
  for (int i = 0; i < kPairingAttempts; ++i) {
    Run wrong(*this, other_code());
    wrong.pump();
    ASSERT_TRUE(event<PairingFailed>(wrong.at_guest));
    EXPECT_EQ(event<PairingFailed>(wrong.at_guest)->failure, PairingFailure::kWrongCode);
    EXPECT_FALSE(event<PairingJoin>(wrong.at_member));
  }
  Run right(*this, code);
  right.pump();
  ASSERT_TRUE(event<PairingFailed>(right.at_guest));
  EXPECT_EQ(event<PairingFailed>(right.at_guest)->failure, PairingFailure::kSpent);
}

// Guesses held ready on many connections count one by one all the same.
TEST_F(PairingTest, GuessesSideBySideAreCounted) {
  std::vector<std::unique_ptr<Run>> runs;
  for (int i = 0; i < 8; ++i) {
    auto& run = *runs.emplace_back(std::make_unique<Run>(*this, i == 7 ? code : other_code()));
    Bytes hello = run.guest.take_output();
    hello.erase(hello.begin(), hello.begin() + 4);
    run.greeted = true;
    run.feed(run.member, hello, 1000, run.at_member);
  }
  for (auto& run : runs) run->pump();
  EXPECT_FALSE(event<PairingConfirmed>(runs[7]->at_member));
  EXPECT_EQ(event<PairingFailed>(runs[7]->at_guest)->failure, PairingFailure::kSpent);
}

TEST_F(PairingTest, OneWrongCodeIsForgiven) {
  Run wrong(*this, other_code());
  wrong.pump();
  Run right(*this, code);
  right.pump();
  EXPECT_TRUE(event<PairingJoin>(right.at_member));
}

TEST_F(PairingTest, ExpiredCodeIsRefused) {
  Run late(*this, code);
  late.now_ms = 1000;
  late.pump();
  ASSERT_TRUE(event<PairingFailed>(late.at_guest));
  EXPECT_EQ(event<PairingFailed>(late.at_guest)->failure, PairingFailure::kExpired);
  Run in_time(*this, code);
  in_time.now_ms = 999;
  in_time.pump();
  EXPECT_TRUE(event<PairingJoin>(in_time.at_member));
}

TEST_F(PairingTest, CodeWorksOnce) {
  Run first(*this, code);
  first.pump();
  ASSERT_TRUE(event<PairingJoin>(first.at_member));
  Run second(*this, code);
  second.pump();
  ASSERT_TRUE(event<PairingFailed>(second.at_guest));
  EXPECT_EQ(event<PairingFailed>(second.at_guest)->failure, PairingFailure::kSpent);
}

TEST_F(PairingTest, ReplayOfAWholeRunGetsNowhere) {
  // All that the newcomer said, said again to a fresh offer of the same code.
  Bytes said;
  {
    Run run(*this, code);
    for (int i = 0; i < 10; ++i) {
      Bytes to_member = run.guest.take_output();
      if (i == 0) to_member.erase(to_member.begin(), to_member.begin() + 4);
      said.insert(said.end(), to_member.begin(), to_member.end());
      run.feed(run.member, to_member, 1 << 20, run.at_member);
      run.feed(run.guest, run.member.take_output(), 1 << 20, run.at_guest);
    }
    ASSERT_TRUE(event<PairingJoin>(run.at_member));
  }
  PairingOffer fresh(code, 1000);
  PairingMember member(fresh, box_id(4), member_self, random);
  const auto events = member.receive(said, 0);
  EXPECT_FALSE(event<PairingConfirmed>(events));
  EXPECT_FALSE(event<PairingJoin>(events));
  EXPECT_TRUE(member.closed());
}

TEST_F(PairingTest, EveryFlippedBitOnTheWayEndsIt) {
  // First the bytes of an undisturbed run are counted, then each run flips one of them.
  std::size_t total = 0;
  for (std::size_t bit = 0;; bit += 13) {
    offer = PairingOffer(code, 1000);
    Run run(*this, code);
    std::size_t seen = 0;
    for (int i = 0; i < 10; ++i) {
      for (const bool to_member : {true, false}) {
        Bytes bytes = to_member ? run.guest.take_output() : run.member.take_output();
        if (i == 0 && to_member) bytes.erase(bytes.begin(), bytes.begin() + 4);
        if (bit / 8 >= seen && bit / 8 < seen + bytes.size()) {
          bytes[bit / 8 - seen] ^= static_cast<std::uint8_t>(1 << bit % 8);
          bytes.resize(bytes.size() + 70'000);
        }
        seen += bytes.size() > 70'000 ? bytes.size() - 70'000 : bytes.size();
        auto& to = to_member ? static_cast<PairingSession&>(run.member) : run.guest;
        run.feed(to, bytes, 1 << 20, to_member ? run.at_member : run.at_guest);
      }
    }
    total = std::max(total, seen);
    if (bit / 8 >= total) break;
    EXPECT_TRUE(run.member.closed() || run.guest.closed()) << "bit " << bit;
  }
  EXPECT_GT(total, 500U);
}

// Someone in between passes on CPace and then goes on alone, with all that was said in the clear.
TEST_F(PairingTest, WhoDoesNotKnowTheCodeCannotTakeOverAfterTheProof) {
  Run run(*this, code);
  Bytes hello = run.guest.take_output();
  hello.erase(hello.begin(), hello.begin() + 4);
  run.feed(run.member, hello, 1000, run.at_member);
  const Bytes share = run.member.take_output();
  run.feed(run.guest, share, 1000, run.at_guest);
  run.feed(run.member, run.guest.take_output(), 1000, run.at_member);
  ASSERT_TRUE(event<PairingConfirmed>(run.at_member));
  run.member.take_output();

  const Hash32 session = crypto::hash(
      "kartei pairing session", {ByteView(hello).subspan(3, 16), ByteView(share).subspan(3, 16)});
  crypto::NoiseConfig config;
  config.pattern = crypto::NoisePattern::kXXpsk3;
  config.prologue = to_bytes(as_bytes("kartei pairing 1"));
  config.prologue.insert(config.prologue.end(), session.begin(), session.end());
  config.local_static = guest_self.identity.box_secret().copy();
  config.psk = crypto::Secret::random(32, random);
  const auto noise = crypto::NoiseHandshake::create(std::move(config), random);
  Bytes packet;
  append_packet(packet, *(*noise)->write({}));
  run.feed(run.member, packet, 1000, run.at_member);
  const Bytes answer = run.member.take_output();
  ASSERT_TRUE((*noise)->read(ByteView(answer).subspan(2)).has_value());
  packet.clear();
  append_packet(packet, *(*noise)->write({}));
  run.feed(run.member, packet, 1000, run.at_member);
  EXPECT_TRUE(run.member.closed());
  EXPECT_TRUE(run.member.take_output().empty());
}

TEST_F(PairingTest, RefusalIsToldWithItsReason) {
  Run run(*this, code);
  run.pump();
  ASSERT_TRUE(run.member.refuse("Not today.").has_value());
  run.pump();
  ASSERT_TRUE(event<PairingFailed>(run.at_guest));
  EXPECT_EQ(event<PairingFailed>(run.at_guest)->failure, PairingFailure::kRefused);
  EXPECT_EQ(event<PairingFailed>(run.at_guest)->what, "Not today.");
}

TEST_F(PairingTest, NothingOutOfTurn) {
  Run run(*this, code);
  EXPECT_TRUE(run.member.waiting().has_error());
  EXPECT_TRUE(run.member.welcome(Bytes(1)).has_error());
  EXPECT_TRUE(run.guest.done().has_error());
  run.pump();
  ASSERT_TRUE(run.member.welcome(Bytes(1)).has_value());
  EXPECT_TRUE(run.member.welcome(Bytes(1)).has_error());
}

TEST_F(PairingTest, StrangersSendLittle) {
  PairingMember member(offer, box_id(4), member_self, random);
  const auto events = member.receive(Bytes{0x10, 0x00}, 0);
  ASSERT_TRUE(event<PairingFailed>(events));
  EXPECT_EQ(event<PairingFailed>(events)->failure, PairingFailure::kProtocol);
}

}  // namespace
}  // namespace kartei::sync
