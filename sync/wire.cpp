#include "sync/wire.h"

#include "crypto/sealed.h"
#include "sync/codec.h"
#include "sync/wire_read.h"

namespace kartei::sync {

using namespace wire_detail;

namespace {

Bytes signed_head(ByteView message) {
  ByteWriter out;
  out.bytes(as_bytes("kartei head v1"));
  out.bytes(message);
  return out.take();
}

void put(wire::Vitals::Builder out, const election::Vitals& vitals) {
  out.setKind(static_cast<std::uint8_t>(vitals.kind));
  out.setPower(static_cast<std::uint8_t>(vitals.power));
  out.setBattery(vitals.battery);
  out.setUse(vitals.use);
  out.setCores(vitals.cores);
  out.setLoad(vitals.load);
  out.setMemoryFreeMb(vitals.memory_free_mb);
  out.setStorageFreeMb(vitals.storage_free_mb);
  out.setReachable(vitals.reachable);
}

double finite(double value) {
  return value == value && value < 1e12 && value > -1e12 ? value : 0;
}

election::Vitals vitals_of(wire::Vitals::Reader reader) {
  election::Vitals out;
  require(reader.getKind() <= 2 && reader.getPower() <= 1, "vitals out of range");
  out.kind = static_cast<election::Kind>(reader.getKind());
  out.power = static_cast<election::Power>(reader.getPower());
  out.battery = finite(reader.getBattery());
  out.use = finite(reader.getUse());
  out.cores = reader.getCores();
  out.load = finite(reader.getLoad());
  out.memory_free_mb = reader.getMemoryFreeMb();
  out.storage_free_mb = reader.getStorageFreeMb();
  out.reachable = finite(reader.getReachable());
  return out;
}

Bytes encode_plain(const Head& head) {
  capnp::MallocMessageBuilder builder;
  auto out = builder.initRoot<wire::Head>();
  out.setVersion(kWireVersion);
  out.setBox(blob(head.box.view()));
  wire_detail::put(out.initFeed(), head.feed);
  out.setCounter(head.counter);
  put_counts([&](unsigned n) { return out.initHave(n); }, head.have);
  wire_detail::put(out.initTip(), head.tip);
  wire_detail::put(out.initSeen(), head.seen);
  out.setRoll(blob(head.roll));
  out.setFinalHeight(head.final_height);
  auto linked = out.initLinked(static_cast<unsigned>(head.linked.size()));
  for (unsigned i = 0; i < head.linked.size(); ++i) linked.set(i, blob(head.linked[i].view()));
  put(out.initVitals(), head.vitals);
  out.setActing(head.acting);
  auto lacks = out.initLacks(static_cast<unsigned>(head.lacks.size()));
  unsigned next = 0;
  for (const auto& [drawer, epoch] : head.lacks) {
    lacks[next].setDrawer(blob(drawer.view()));
    lacks[next++].setEpoch(epoch);
  }
  return to_flat(builder);
}

Result<Head> decode_plain_head(ByteView bytes) {
  return decode_flat<wire::Head>(bytes, "head", [](wire::Head::Reader in) {
    require(in.getVersion() == kWireVersion, "made by another version");
    Head out;
    out.box = wire_id<BoxId>(in.getBox());
    out.feed = feed_of(in.getFeed());
    out.counter = in.getCounter();
    out.have = counts_of(in.getHave());
    out.tip = position_of(in.getTip());
    out.seen = term_of(in.getSeen());
    out.roll = fixed<32>(in.getRoll());
    out.final_height = in.getFinalHeight();
    require(in.getLinked().size() <= 1024, "too many links");
    for (auto device : in.getLinked()) out.linked.push_back(wire_id<DeviceId>(device));
    out.vitals = vitals_of(in.getVitals());
    out.acting = in.getActing();
    require(in.getLacks().size() <= kLacksMax, "too many keys");
    for (auto name : in.getLacks())
      out.lacks.emplace(wire_id<DrawerId>(name.getDrawer()), name.getEpoch());
    return out;
  });
}

}  // namespace

Bytes seal_head(const Head& head, const crypto::Identity& identity, const crypto::Secret& key,
                crypto::Random& random) {
  Bytes message = encode_plain(head);
  crypto::Signature signature = identity.sign(signed_head(message));
  ByteWriter body;
  body.bytes(signature);
  body.bytes(message);
  return crypto::seal(key, as_bytes("kartei head v1"), body.take(), random);
}

bool OpenedHead::verify(const crypto::SignKey& author) const {
  return crypto::verify(author, signed_head(message), signature);
}

Result<OpenedHead> open_head(ByteView sealed, const crypto::Secret& key) {
  KARTEI_ASSIGN(Bytes body, crypto::open(key, as_bytes("kartei head v1"), sealed));
  if (body.size() < 64) return corrupt("head: too short");
  OpenedHead out;
  std::memcpy(out.signature.data(), body.data(), 64);
  out.message.assign(body.begin() + 64, body.end());
  KARTEI_ASSIGN(out.head, decode_plain_head(out.message));
  return out;
}

Bytes encode(const Message& message) {
  capnp::MallocMessageBuilder builder;
  auto out = builder.initRoot<wire::Message>();
  out.setVersion(kWireVersion);
  out.setBox(blob(message.box.view()));
  out.setAsk(message.ask);
  if (!message.head.empty()) out.setHead(blob(message.head));
  put_data_list([&](unsigned n) { return out.initHeads(n); }, message.heads);
  auto ranges = out.initRanges(static_cast<unsigned>(message.ranges.size()));
  for (unsigned i = 0; i < message.ranges.size(); ++i) {
    wire_detail::put(ranges[i].initFeed(), message.ranges[i].feed);
    put_data_list([&](unsigned n) { return ranges[i].initRecords(n); }, message.ranges[i].records);
  }
  put_data_list([&](unsigned n) { return out.initRoll(n); }, message.roll);
  out.setRollSize(message.roll_size);
  if (message.snapshot) {
    auto chunk = out.initSnapshot();
    chunk.setHash(blob(message.snapshot->hash));
    chunk.setOffset(message.snapshot->offset);
    chunk.setTotal(message.snapshot->total);
    chunk.setData(blob(message.snapshot->data));
  }
  if (message.request) {
    auto request = out.initRequest();
    request.setHash(blob(message.request->hash));
    request.setOffset(message.request->offset);
  }
  return to_flat(builder);
}

Result<Message> decode_message(ByteView bytes) {
  return decode_flat<wire::Message>(bytes, "message", [](wire::Message::Reader in) {
    require(in.getVersion() == kWireVersion, "made by another version");
    Message out;
    out.box = wire_id<BoxId>(in.getBox());
    out.ask = in.getAsk();
    out.head = bytes_of(in.getHead());
    require(in.getHeads().size() <= 1024, "too many heads");
    for (auto head : in.getHeads()) out.heads.push_back(bytes_of(head));
    require(in.getRanges().size() <= 65536, "too many ranges");
    for (auto range : in.getRanges()) {
      RecordRange item;
      item.feed = feed_of(range.getFeed());
      require(range.getRecords().size() <= 65536, "too many records");
      for (auto record : range.getRecords()) item.records.push_back(bytes_of(record));
      out.ranges.push_back(std::move(item));
    }
    require(in.getRoll().size() <= 65536, "too many roll records");
    for (auto record : in.getRoll()) out.roll.push_back(bytes_of(record));
    out.roll_size = in.getRollSize();
    if (in.hasSnapshot()) {
      SnapshotChunk chunk;
      chunk.hash = fixed<32>(in.getSnapshot().getHash());
      chunk.offset = in.getSnapshot().getOffset();
      chunk.total = in.getSnapshot().getTotal();
      chunk.data = bytes_of(in.getSnapshot().getData());
      out.snapshot = std::move(chunk);
    }
    if (in.hasRequest()) {
      SnapshotRequest request;
      request.hash = fixed<32>(in.getRequest().getHash());
      request.offset = in.getRequest().getOffset();
      out.request = request;
    }
    return out;
  });
}

Bytes encode(const Control& control) {
  capnp::MallocMessageBuilder builder;
  auto out = builder.initRoot<wire::Control>();
  out.setVersion(kWireVersion);
  wire_detail::put(out.initParent(), control.parent);
  put_counts([&](unsigned n) { return out.initConsumed(n); }, control.consumed);
  if (control.successor) out.setSuccessor(blob(control.successor->view()));
  out.setReason(control.reason);
  std::map<FeedId, std::uint16_t> feeds;
  for (const Operation& operation : control.operations)
    if (operation.kind == Operation::Kind::kTurn) feeds.emplace(operation.feed, 0);
  auto feed_list = out.initFeeds(static_cast<unsigned>(feeds.size()));
  std::uint16_t next = 0;
  for (auto& [feed, number] : feeds) {
    wire_detail::put(feed_list[next], feed);
    number = next++;
  }
  auto list = out.initOperations(static_cast<unsigned>(control.operations.size()));
  for (unsigned i = 0; i < control.operations.size(); ++i) {
    const Operation& operation = control.operations[i];
    list[i].setDrawer(blob(operation.drawer.view()));
    list[i].setId(blob(operation.id));
    switch (operation.kind) {
      case Operation::Kind::kTurn: {
        auto turn = list[i].initTurn();
        turn.setFeed(feeds.at(operation.feed));
        turn.setSeq(operation.seq);
        break;
      }
      case Operation::Kind::kUnit: {
        auto sources = list[i].initUnit(static_cast<unsigned>(operation.sources.size()));
        for (unsigned k = 0; k < operation.sources.size(); ++k)
          sources.set(k, blob(operation.sources[k].view()));
        break;
      }
      case Operation::Kind::kEdit:
        list[i].setEdit();
        break;
    }
  }
  return to_flat(builder);
}

Result<Control> decode_control(ByteView bytes) {
  return decode_flat<wire::Control>(bytes, "entry", [](wire::Control::Reader in) {
    require(in.getVersion() == kWireVersion, "made by another version");
    Control out;
    out.parent = position_of(in.getParent());
    out.consumed = counts_of(in.getConsumed());
    if (in.getSuccessor().size() > 0) out.successor = wire_id<DeviceId>(in.getSuccessor());
    out.reason = text_of(in.getReason(), 64);
    auto feeds = in.getFeeds();
    require(in.getOperations().size() <= 65536, "too many operations");
    for (auto item : in.getOperations()) {
      Operation operation;
      operation.drawer = wire_id<DrawerId>(item.getDrawer());
      operation.id = fixed<16>(item.getId());
      switch (item.which()) {
        case wire::Operation::TURN: {
          operation.kind = Operation::Kind::kTurn;
          require(item.getTurn().getFeed() < feeds.size(), "names a feed that is not listed");
          operation.feed = feed_of(feeds[item.getTurn().getFeed()]);
          operation.seq = item.getTurn().getSeq();
          break;
        }
        case wire::Operation::UNIT:
          operation.kind = Operation::Kind::kUnit;
          require(item.getUnit().size() <= 65536, "too many turns in a unit");
          for (auto turn : item.getUnit()) operation.sources.push_back(wire_id<TurnId>(turn));
          break;
        case wire::Operation::EDIT:
          operation.kind = Operation::Kind::kEdit;
          break;
        default:
          require(false, "an operation of another version");
      }
      out.operations.push_back(std::move(operation));
    }
    return out;
  });
}

}  // namespace kartei::sync
