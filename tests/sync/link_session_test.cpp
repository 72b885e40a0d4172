#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tests/sync/link_testing.h"

namespace kartei::sync {
namespace {

using testing::first_of;
using testing::link_box;
using testing::LinkPeer;
using testing::Wire;

class LinkSessionTest : public ::testing::Test {
 protected:
  LinkSessionTest() : random(7), anna(random), ben(random), eve(random) {
    all = {&anna, &ben};
    at_anna.emplace(testing::box_id(1), link_box(1, anna, all));
    at_ben.emplace(testing::box_id(1), link_box(1, ben, all));
  }
  Wire make(std::uint8_t level = 0) {
    auto dialled = LinkSession::dial(at_anna.at(testing::box_id(1)), ben.key(), level, random);
    EXPECT_TRUE(dialled.has_value());
    return Wire(std::move(*dialled), LinkSession::accept(at_ben, random));
  }
  Bytes noise(std::size_t size) {
    Bytes bytes(size);
    random.fill(bytes);
    return bytes;
  }

  crypto::SeededRandom random;
  LinkPeer anna, ben, eve;
  std::vector<const LinkPeer*> all;
  LinkBoxes at_anna, at_ben;
};

TEST_F(LinkSessionTest, MembersMeetAndTalkBothWays) {
  auto wire = make(3);
  wire.pump();
  const auto* at_b = first_of<LinkReady>(wire.b_events);
  const auto* at_a = first_of<LinkReady>(wire.a_events);
  ASSERT_TRUE(at_a && at_b);
  EXPECT_EQ(at_a->device, ben.id);
  EXPECT_EQ(at_b->device, anna.id);
  EXPECT_EQ(at_b->box, testing::box_id(1));
  EXPECT_EQ(at_b->key, anna.key());
  EXPECT_EQ(at_b->level, 3);

  const Bytes hello = noise(300), answer = noise(0);
  ASSERT_TRUE(wire.a.send(hello).has_value());
  ASSERT_TRUE(wire.b.send(answer).has_value());
  wire.pump();
  ASSERT_TRUE(first_of<LinkMessage>(wire.b_events));
  EXPECT_EQ(first_of<LinkMessage>(wire.b_events)->message, hello);
  ASSERT_TRUE(first_of<LinkMessage>(wire.a_events));
  EXPECT_EQ(first_of<LinkMessage>(wire.a_events)->message, answer);
}

TEST_F(LinkSessionTest, MessagesOfEverySizeSurviveEveryCut) {
  const bool held = rc::check([this] {
    auto wire = make();
    wire.piece = *rc::gen::inRange<std::size_t>(1, 4000);
    const auto size =
        *rc::gen::element<std::size_t>(0, 1, 65517, 65518, 65519, 65520, 131036, 200000);
    const Bytes message = noise(size);
    wire.pump();
    RC_ASSERT(wire.a.send(message).has_value());
    wire.pump();
    const auto* got = first_of<LinkMessage>(wire.b_events);
    RC_ASSERT(got != nullptr);
    RC_ASSERT(got->message == message);
  });
  EXPECT_TRUE(held);
}

TEST_F(LinkSessionTest, HandshakeSurvivesSingleBytes) {
  auto wire = make();
  wire.piece = 1;
  wire.pump();
  EXPECT_TRUE(wire.a.ready() && wire.b.ready());
}

TEST_F(LinkSessionTest, OversizeIsRefusedOnBothSides) {
  auto wire = make();
  wire.pump();
  EXPECT_TRUE(wire.a.send(Bytes(kLinkMessageMax)).has_value());
  EXPECT_TRUE(wire.a.send(Bytes(kLinkMessageMax + 1)).has_error());
  wire.pump();
  ASSERT_TRUE(first_of<LinkMessage>(wire.b_events));
  EXPECT_EQ(first_of<LinkMessage>(wire.b_events)->message.size(), kLinkMessageMax);
}

// A peer that is a member and sends too much all the same.
TEST(FrameChannelTest, TooLongMessagesAndEmptyFragmentsEndIt) {
  crypto::SeededRandom random(1);
  const auto key1 = crypto::Secret::random(32, random), key2 = crypto::Secret::random(32, random);
  FrameChannel small({key1.copy(), key2.copy()}, 1000), large({key2.copy(), key1.copy()}, 100'000);
  Bytes out;
  ASSERT_TRUE(large.send_message(Bytes(1001), out).has_value());
  EXPECT_TRUE(small.receive(ByteView(out).subspan(2)).has_error());

  for (const auto& plain : {Bytes{}, Bytes{1}, Bytes{6}, Bytes(40, 2)}) {
    FrameChannel victim({key1.copy(), key2.copy()}, 1000);
    crypto::NoiseTransport writer(key2.copy(), key1.copy());
    EXPECT_TRUE(victim.receive(*writer.encrypt(plain)).has_error());
  }
}

TEST_F(LinkSessionTest, StrangerIsRefusedWithoutAWord) {
  LinkBoxes at_eve;
  at_eve.emplace(testing::box_id(1), link_box(1, eve, {&eve, &ben}));
  auto dialled = LinkSession::dial(at_eve.begin()->second, ben.key(), 0, random);
  ASSERT_TRUE(dialled.has_value());
  Wire wire(std::move(*dialled), LinkSession::accept(at_ben, random));
  wire.deliver(wire.b, wire.a.take_output(), wire.b_events);
  ASSERT_TRUE(first_of<LinkClosed>(wire.b_events));
  EXPECT_EQ(first_of<LinkClosed>(wire.b_events)->end, LinkEnd::kRefused);
  EXPECT_TRUE(wire.b.take_output().empty());
  const auto ended = wire.a.end();
  ASSERT_TRUE(first_of<LinkClosed>(ended));
  EXPECT_EQ(first_of<LinkClosed>(ended)->end, LinkEnd::kRefused);
}

TEST_F(LinkSessionTest, RevokedMemberIsRefused) {
  auto wire = make();
  at_ben.at(testing::box_id(1)).members.clear();
  wire.deliver(wire.b, wire.a.take_output(), wire.b_events);
  ASSERT_TRUE(first_of<LinkClosed>(wire.b_events));
  EXPECT_EQ(first_of<LinkClosed>(wire.b_events)->end, LinkEnd::kRefused);
}

TEST_F(LinkSessionTest, WrongBoxIsRefused) {
  // Both are members of box 2, but Ben does not share it with Anna under this key.
  LinkBox other = link_box(2, anna, all);
  auto dialled = LinkSession::dial(other, ben.key(), 0, random);
  Wire wire(std::move(*dialled), LinkSession::accept(at_ben, random));
  wire.deliver(wire.b, wire.a.take_output(), wire.b_events);
  ASSERT_TRUE(first_of<LinkClosed>(wire.b_events));
  EXPECT_EQ(first_of<LinkClosed>(wire.b_events)->end, LinkEnd::kRefused);
}

TEST_F(LinkSessionTest, SeveralBoxesAreToldApart) {
  // Box 2 with the same key pair, box 3 with one of its own.
  const LinkPeer ben3(random);
  at_ben.emplace(testing::box_id(2), link_box(2, ben, all));
  at_ben.emplace(testing::box_id(3), link_box(3, ben3, {&anna, &ben3}));
  for (std::uint8_t n = 1; n <= 3; ++n) {
    const LinkPeer& there = n == 3 ? ben3 : ben;
    const LinkBox box = link_box(n, anna, {&anna, &there});
    auto dialled = LinkSession::dial(box, there.key(), 0, random);
    Wire wire(std::move(*dialled), LinkSession::accept(at_ben, random));
    wire.pump();
    ASSERT_TRUE(first_of<LinkReady>(wire.b_events)) << int(n);
    EXPECT_EQ(first_of<LinkReady>(wire.b_events)->box, testing::box_id(n));
  }
}

TEST_F(LinkSessionTest, WhoAnswersMustHoldTheKey) {
  LinkBoxes at_eve;
  at_eve.emplace(testing::box_id(1), link_box(1, eve, {&anna, &eve}));
  auto dialled = LinkSession::dial(at_anna.begin()->second, ben.key(), 0, random);
  Wire wire(std::move(*dialled), LinkSession::accept(at_eve, random));
  wire.pump();
  EXPECT_FALSE(wire.a.ready());
  EXPECT_TRUE(wire.b.closed());
}

TEST_F(LinkSessionTest, EveryBitFlippedInTheHandshakeEndsIt) {
  auto probe = make();
  const std::size_t hello_size = probe.a.take_output().size();
  for (std::size_t bit = 0; bit < hello_size * 8; ++bit) {
    auto wire = make();
    Bytes hello = wire.a.take_output();
    hello[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    hello.resize(hello.size() + 300);  // a length made longer gets its bytes
    wire.deliver(wire.b, hello, wire.b_events);
    EXPECT_TRUE(wire.b.closed()) << "bit " << bit;
    EXPECT_FALSE(first_of<LinkReady>(wire.b_events)) << "bit " << bit;
  }
}

TEST_F(LinkSessionTest, EveryBitFlippedInAFrameEndsIt) {
  const Bytes message = noise(60);
  for (std::size_t bit = 0; bit < (2 + 1 + 60 + 16) * 8; ++bit) {
    auto wire = make();
    wire.pump();
    ASSERT_TRUE(wire.a.send(message).has_value());
    Bytes frame = wire.a.take_output();
    ASSERT_EQ(frame.size(), 2 + 1 + 60 + 16U);
    frame[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    frame.resize(frame.size() + 65'536);
    wire.deliver(wire.b, frame, wire.b_events);
    EXPECT_TRUE(wire.b.closed()) << "bit " << bit;
    EXPECT_FALSE(first_of<LinkMessage>(wire.b_events)) << "bit " << bit;
  }
}

TEST_F(LinkSessionTest, ReplayedHelloNeverBecomesReady) {
  auto wire = make();
  const Bytes hello = wire.a.take_output();
  wire.deliver(wire.b, hello, wire.b_events);
  wire.deliver(wire.a, wire.b.take_output(), wire.a_events);
  const Bytes confirmed = wire.a.take_output();
  wire.deliver(wire.b, confirmed, wire.b_events);
  ASSERT_TRUE(wire.b.ready());

  // Everything that Anna said, said again to Ben by someone else.
  auto again = LinkSession::accept(at_ben, random);
  std::vector<LinkEvent> events;
  wire.deliver(again, hello, events);
  EXPECT_FALSE(first_of<LinkReady>(events));
  wire.deliver(again, confirmed, events);
  EXPECT_FALSE(first_of<LinkReady>(events));
  EXPECT_TRUE(again.closed());
}

TEST_F(LinkSessionTest, ReplayedAndReorderedFramesEndIt) {
  for (const bool replay : {true, false}) {
    auto wire = make();
    wire.pump();
    ASSERT_TRUE(wire.a.send(noise(10)).has_value());
    const Bytes one = wire.a.take_output();
    ASSERT_TRUE(wire.a.send(noise(10)).has_value());
    const Bytes two = wire.a.take_output();
    if (replay) wire.deliver(wire.b, one, wire.b_events);
    wire.deliver(wire.b, replay ? one : two, wire.b_events);
    EXPECT_TRUE(wire.b.closed());
  }
}

TEST_F(LinkSessionTest, StrangersSendLittle) {
  // The length alone is enough to close: no body is waited for.
  auto session = LinkSession::accept(at_ben, random);
  Bytes bytes(kLinkGreeting.begin(), kLinkGreeting.end());
  bytes.insert(bytes.end(), {0x40, 0x00});
  const auto events = session.receive(bytes);
  ASSERT_TRUE(first_of<LinkClosed>(events));
  EXPECT_EQ(first_of<LinkClosed>(events)->end, LinkEnd::kProtocol);
}

TEST_F(LinkSessionTest, OtherVersionsAndProtocolsEndAtTheGreeting) {
  for (std::size_t i = 0; i < kGreetingBytes; ++i) {
    auto session = LinkSession::accept(at_ben, random);
    Bytes greeting(kLinkGreeting.begin(), kLinkGreeting.end());
    ++greeting[i];
    EXPECT_TRUE(first_of<LinkClosed>(session.receive(greeting)));
  }
}

TEST_F(LinkSessionTest, CloseTellsWhy) {
  const std::vector<std::pair<LinkEnd, LinkEnd>> cases{{LinkEnd::kBye, LinkEnd::kBye},
                                                       {LinkEnd::kDuplicate, LinkEnd::kDuplicate},
                                                       {LinkEnd::kRevoked, LinkEnd::kRevoked}};
  for (const auto& [said, heard] : cases) {
    auto wire = make();
    wire.pump();
    wire.a.close(said, 9);
    wire.pump();
    const auto* closed = first_of<LinkClosed>(wire.b_events);
    ASSERT_TRUE(closed);
    EXPECT_EQ(closed->end, heard);
    EXPECT_EQ(closed->level, said == LinkEnd::kDuplicate ? 9 : 0);
    EXPECT_TRUE(wire.a.send(noise(1)).has_error());
  }
}

TEST_F(LinkSessionTest, PingIsAnswered) {
  auto wire = make();
  wire.pump();
  wire.a.ping();
  wire.deliver(wire.b, wire.a.take_output(), wire.b_events);
  EXPECT_FALSE(wire.b.take_output().empty());
}

TEST(LinkRankTest, BothSidesKeepTheSameConnection) {
  // Whatever the order in which two connections become ready, the same one stays; equals: the
  // newer.
  const bool held = rc::check([](bool a_small, bool b_small) {
    const auto level = rc::gen::inRange<std::uint8_t>(0, 4);
    const LinkRank a{*level, a_small}, b{*level, b_small};
    if (a == b) {
      RC_ASSERT(newer_wins(a, b) && newer_wins(b, a));
    } else {
      RC_ASSERT(newer_wins(a, b) != newer_wins(b, a));
    }
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace kartei::sync
