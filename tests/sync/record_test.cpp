#include "sync/record.h"

#include <gtest/gtest.h>

#include "crypto/sealed.h"
#include "sync/wire.h"

namespace kartei::sync {
namespace {

struct Sample {
  crypto::SeededRandom random{3};
  crypto::Identity identity = (crypto::init(), crypto::Identity::generate(random));
  crypto::Secret key = crypto::Secret::random(32, random);
  Record record;

  explicit Sample(RecordKind kind = RecordKind::kObservation, std::uint64_t seq = 4) {
    record.header.box.bytes[0] = 1;
    record.header.feed = {DeviceId{identity.pub().id()}, 2, 99};
    record.header.seq = seq;
    record.header.prev[3] = 7;
    record.header.kind = kind;
    record.header.counter = 5;
    record.header.index = 6;
    record.header.height = 7;
    DrawerId drawer;
    drawer.bytes[2] = 8;
    record.seal_part(drawer, Epoch{1} << 32 | 5, key, as_bytes("Maya lives in Lisbon."), random);
    record.seal_part(kControl, 0, key, as_bytes("control"), random);
    record.sign(identity);
  }
};

TEST(Record, ComesBackAsItWas) {
  for (RecordKind kind : {RecordKind::kObservation, RecordKind::kEntry, RecordKind::kRoll})
    for (std::uint64_t seq : {0, 4}) {
      Sample sample(kind, seq);
      auto back = Record::decode(sample.record.encode());
      ASSERT_TRUE(back.has_value()) << back.error().what;
      EXPECT_EQ(back->hash, sample.record.hash);
      EXPECT_EQ(back->encode(), sample.record.encode());
      EXPECT_TRUE(back->verify(sample.identity.pub().sign_key));
      EXPECT_EQ(as_text(*back->open_part(0, sample.key)), "Maya lives in Lisbon.");
    }
}

// No bit can be changed without notice: the record fails to decode, or its signature does, or its
// hash is another one (the mark of a purged part, and nothing else, is open).
TEST(Record, EveryBitIsCovered) {
  Sample sample(RecordKind::kEntry);
  const Bytes good = sample.record.encode();
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    Bytes bad = good;
    bad[bit / 8] = static_cast<std::uint8_t>(bad[bit / 8] ^ (1 << bit % 8));
    auto record = Record::decode(bad);
    if (!record) continue;
    EXPECT_FALSE(record->verify(sample.identity.pub().sign_key)) << "bit " << bit;
    EXPECT_NE(record->hash, sample.record.hash) << "bit " << bit;
  }
}

TEST(Record, ShortOrLongerIsRefused) {
  Sample sample;
  Bytes good = sample.record.encode();
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(Record::decode(ByteView(good).first(size)).has_value()) << size;
  good.push_back(0);
  EXPECT_FALSE(Record::decode(good).has_value());
  EXPECT_FALSE(Record::decode(Bytes(kRecordMax + 1)).has_value());
}

TEST(Record, PurgedPartLeavesOneThatVerifies) {
  Sample sample;
  sample.record.purge_part(0);
  auto back = Record::decode(sample.record.encode());
  ASSERT_TRUE(back.has_value());
  EXPECT_TRUE(back->verify(sample.identity.pub().sign_key));
  EXPECT_EQ(back->hash, sample.record.hash);
  EXPECT_EQ(back->open_part(0, sample.key).error().cause, Cause::kNotFound);
  EXPECT_TRUE(back->open_part(1, sample.key).has_value());
}

// A part cannot be lifted into another record, drawer or epoch.
TEST(Record, PartsAreBoundToTheirPlace) {
  Sample sample;
  Record other = sample.record;
  other.header.seq += 1;
  EXPECT_FALSE(other.open_part(0, sample.key).has_value());
  other = sample.record;
  other.parts[0].drawer = other.parts[1].drawer;
  EXPECT_FALSE(other.open_part(0, sample.key).has_value());
  other = sample.record;
  other.parts[0].epoch += 1;
  EXPECT_FALSE(other.open_part(0, sample.key).has_value());
}

TEST(Record, AnotherVersionIsNamedAsSuch) {
  Bytes bytes = Sample().record.encode();
  bytes[0] = 2;
  EXPECT_EQ(Record::decode(bytes).error().cause, Cause::kVersion);
}

TEST(Record, SmallBodiesAllLookAlike) {
  Sample sample;
  EXPECT_EQ(sample.record.parts[0].size, sample.record.parts[1].size);
}

TEST(Head, SealedSignedAndBack) {
  Sample sample;
  Head head;
  head.feed = sample.record.header.feed;
  head.counter = 3;
  head.have[head.feed] = 12;
  head.tip = {{4, head.feed}, 5, 6, sample.record.hash};
  head.seen = head.tip.term;
  head.linked = {head.feed.device};
  head.vitals.battery = 0.5;
  Bytes sealed = seal_head(head, sample.identity, sample.key, sample.random);
  auto back = open_head(sealed, sample.key);
  ASSERT_TRUE(back.has_value());
  EXPECT_TRUE(back->verify(sample.identity.pub().sign_key));
  EXPECT_EQ(back->head.have, head.have);
  EXPECT_EQ(back->head.tip, head.tip);
  EXPECT_EQ(back->head.vitals, head.vitals);
  back->message[20] ^= 1;
  EXPECT_FALSE(back->verify(sample.identity.pub().sign_key));
  EXPECT_FALSE(open_head(sealed, crypto::Secret::random(32, sample.random)).has_value());
}

TEST(Wire, MessageComesBack) {
  Sample sample;
  Message message;
  message.box = sample.record.header.box;
  message.ask = true;
  message.ranges.push_back({sample.record.header.feed, {sample.record.encode()}});
  message.snapshot = SnapshotChunk{sample.record.hash, 5, 9, {1, 2, 3, 4}};
  message.request = SnapshotRequest{{}, 77};
  auto back = decode_message(encode(message));
  ASSERT_TRUE(back.has_value());
  EXPECT_TRUE(back->ask);
  ASSERT_EQ(back->ranges.size(), 1u);
  EXPECT_EQ(back->ranges[0].feed, message.ranges[0].feed);
  EXPECT_EQ(back->ranges[0].records, message.ranges[0].records);
  EXPECT_EQ(back->snapshot->data, message.snapshot->data);
  EXPECT_EQ(back->request->offset, 77u);
}

TEST(Wire, ControlComesBack) {
  Sample sample;
  Control control;
  control.consumed[sample.record.header.feed] = 8;
  control.successor = sample.record.header.feed.device;
  control.reason = "planned";
  control.operations.push_back({Operation::Kind::kTurn, {}, {1}, sample.record.header.feed, 3, {}});
  control.operations.push_back({Operation::Kind::kUnit, {}, {2}, {}, 0, {TurnId{{5}}}});
  control.operations.push_back({Operation::Kind::kEdit, {}, {3}, {}, 0, {}});
  auto back = decode_control(encode(control));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->consumed, control.consumed);
  EXPECT_EQ(back->successor, control.successor);
  ASSERT_EQ(back->operations.size(), 3u);
  EXPECT_EQ(back->operations[0].seq, 3u);
  EXPECT_EQ(back->operations[1].sources, control.operations[1].sources);
}

}  // namespace
}  // namespace kartei::sync
