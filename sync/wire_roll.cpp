#include "sync/wire.h"
#include "sync/wire_read.h"

namespace kartei::sync {

using namespace wire_detail;

namespace {

constexpr std::size_t kNameMax = 256;
constexpr std::size_t kDevicesMax = 1024;

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

void put(wire::Device::Builder out, const RollDevice& device) {
  out.setKeys(blob(device.keys.encode()));
  out.setName(device.name);
  out.setAcceptance(blob(device.acceptance));
  out.setNonce(blob(device.nonce));
}

RollDevice device_of(wire::Device::Reader in) {
  RollDevice out;
  auto keys = crypto::PublicIdentity::decode(bytes_of(in.getKeys()));
  require(keys.has_value(), "a device's keys do not verify");
  out.keys = *keys;
  out.name = text_of(in.getName(), kNameMax);
  out.acceptance = fixed<64>(in.getAcceptance());
  out.nonce = fixed<16>(in.getNonce());
  return out;
}

void put(wire::DrawerInfo::Builder out, const RollDrawer& drawer) {
  out.setId(blob(drawer.id.view()));
  out.setVersion(drawer.version);
  out.setShared(drawer.shared);
  auto devices = out.initDevices(static_cast<unsigned>(drawer.devices.size()));
  for (unsigned i = 0; i < drawer.devices.size(); ++i)
    devices.set(i, blob(drawer.devices[i].view()));
  out.setEpoch(drawer.epoch);
  out.setName(blob(drawer.name));
}

RollDrawer drawer_of(wire::DrawerInfo::Reader in) {
  RollDrawer out;
  out.id = wire_id<DrawerId>(in.getId());
  out.version = in.getVersion();
  out.shared = in.getShared();
  require(in.getDevices().size() <= kDevicesMax, "too many devices");
  for (auto device : in.getDevices()) out.devices.push_back(wire_id<DeviceId>(device));
  out.epoch = in.getEpoch();
  out.name = bytes_of(in.getName());
  return out;
}

RollOperation operation_of(wire::RollOperation::Reader in) {
  require(in.getVersion() == kWireVersion, "made by another version");
  switch (in.which()) {
    case wire::RollOperation::GENESIS:
      return RollGenesis{device_of(in.getGenesis())};
    case wire::RollOperation::RECOVERY:
      return RollRecovery{fixed<32>(in.getRecovery())};
    case wire::RollOperation::PROPOSE:
      return RollPropose{device_of(in.getPropose())};
    case wire::RollOperation::APPROVE:
      return RollApprove{wire_id<DeviceId>(in.getApprove())};
    case wire::RollOperation::RECOVERY_APPROVE: {
      auto approve = in.getRecoveryApprove();
      return RollRecoveryApprove{wire_id<DeviceId>(approve.getDevice()),
                                 fixed<64>(approve.getSignature())};
    }
    case wire::RollOperation::REVOKE:
      return RollRevoke{wire_id<DeviceId>(in.getRevoke().getTarget()),
                        counts_of(in.getRevoke().getCuts())};
    case wire::RollOperation::PIN: {
      RollPin out{in.getPin().getNumber(), std::nullopt};
      if (in.getPin().getDevice().size() > 0)
        out.device = wire_id<DeviceId>(in.getPin().getDevice());
      return out;
    }
    case wire::RollOperation::DRAWER:
      return drawer_of(in.getDrawer());
    case wire::RollOperation::KEYS:
      return RollKeys{};
    case wire::RollOperation::OWNER: {
      auto owner = in.getOwner();
      return RollOwner{owner.getNumber(), text_of(owner.getName(), kNameMax),
                       text_of(owner.getZone(), kNameMax)};
    }
    case wire::RollOperation::FORGETTING:
      return RollForgetting{in.getForgetting().getNumber(),
                            text_of(in.getForgetting().getPolicy(), kPolicyBytesMax)};
    default:
      throw Malformed{"an operation of another version"};
  }
}

}  // namespace

Bytes encode(const RollOperation& operation) {
  capnp::MallocMessageBuilder builder;
  auto out = builder.initRoot<wire::RollOperation>();
  out.setVersion(kWireVersion);
  std::visit(Overloaded{
                 [&](const RollGenesis& op) { put(out.initGenesis(), op.device); },
                 [&](const RollRecovery& op) { out.setRecovery(blob(op.key)); },
                 [&](const RollPropose& op) { put(out.initPropose(), op.device); },
                 [&](const RollApprove& op) { out.setApprove(blob(op.device.view())); },
                 [&](const RollRecoveryApprove& op) {
                   auto approve = out.initRecoveryApprove();
                   approve.setDevice(blob(op.device.view()));
                   approve.setSignature(blob(op.signature));
                 },
                 [&](const RollRevoke& op) {
                   auto revoke = out.initRevoke();
                   revoke.setTarget(blob(op.device.view()));
                   put_counts([&](unsigned n) { return revoke.initCuts(n); }, op.cuts);
                 },
                 [&](const RollPin& op) {
                   auto pin = out.initPin();
                   pin.setNumber(op.number);
                   if (op.device) pin.setDevice(blob(op.device->view()));
                 },
                 [&](const RollDrawer& op) { put(out.initDrawer(), op); },
                 [&](const RollKeys&) { out.setKeys(); },
                 [&](const RollOwner& op) {
                   auto owner = out.initOwner();
                   owner.setNumber(op.number);
                   owner.setName(op.name);
                   owner.setZone(op.zone);
                 },
                 [&](const RollForgetting& op) {
                   auto forgetting = out.initForgetting();
                   forgetting.setNumber(op.number);
                   forgetting.setPolicy(op.policy);
                 },
             },
             operation);
  return to_flat(builder);
}

Result<RollOperation> decode_roll_operation(ByteView bytes) {
  return decode_flat<wire::RollOperation>(bytes, "roll", operation_of);
}

Bytes encode(const std::vector<KeyBox>& boxes) {
  capnp::MallocMessageBuilder builder;
  auto list = builder.initRoot<wire::KeyBoxes>().initBoxes(static_cast<unsigned>(boxes.size()));
  for (unsigned i = 0; i < boxes.size(); ++i) {
    list[i].setDevice(blob(boxes[i].device.view()));
    list[i].setSealed(blob(boxes[i].sealed));
  }
  return to_flat(builder);
}

Result<std::vector<KeyBox>> decode_key_boxes(ByteView bytes) {
  return decode_flat<wire::KeyBoxes>(bytes, "key boxes", [](wire::KeyBoxes::Reader in) {
    require(in.getBoxes().size() <= kDevicesMax, "too many devices");
    std::vector<KeyBox> out;
    for (auto box : in.getBoxes())
      out.push_back({wire_id<DeviceId>(box.getDevice()), bytes_of(box.getSealed())});
    return out;
  });
}

namespace {

void put(wire::Base::Builder out, const BaseState& base) {
  wire_detail::put(out.initPosition(), base.position);
  put_counts([&](unsigned n) { return out.initConsumed(n); }, base.consumed);
  put_data_list([&](unsigned n) { return out.initAncestors(n); }, base.ancestors);
  auto hashes = out.initHashes(static_cast<unsigned>(base.hashes.size()));
  unsigned i = 0;
  for (const auto& [feed, hash] : base.hashes) {
    wire_detail::put(hashes[i].initFeed(), feed);
    hashes[i].setHash(blob(hash));
    ++i;
  }
  if (base.successor) out.setSuccessor(blob(base.successor->view()));
  out.setReason(base.reason);
}

BaseState base_of(wire::Base::Reader in) {
  BaseState out;
  out.position = position_of(in.getPosition());
  out.consumed = counts_of(in.getConsumed());
  require(in.getAncestors().size() <= kListMax && in.getHashes().size() <= kListMax,
          "too many ancestors");
  for (auto hash : in.getAncestors()) out.ancestors.push_back(fixed<32>(hash));
  for (auto item : in.getHashes()) out.hashes[feed_of(item.getFeed())] = fixed<32>(item.getHash());
  if (in.getSuccessor().size() > 0) out.successor = wire_id<DeviceId>(in.getSuccessor());
  out.reason = text_of(in.getReason(), 64);
  return out;
}

}  // namespace

Bytes encode(const BaseState& base) {
  capnp::MallocMessageBuilder builder;
  put(builder.initRoot<wire::Base>(), base);
  return to_flat(builder);
}

Result<BaseState> decode_base(ByteView bytes) {
  return decode_flat<wire::Base>(bytes, "final position", base_of);
}

Bytes encode(const Snapshot& snapshot) {
  capnp::MallocMessageBuilder builder;
  auto out = builder.initRoot<wire::Snapshot>();
  out.setVersion(kWireVersion);
  put(out.initBase(), snapshot.base);
  put_data_list([&](unsigned n) { return out.initRoll(n); }, snapshot.roll);
  wire_detail::put(out.initSeen(), snapshot.seen);
  auto dumps = out.initDumps(static_cast<unsigned>(snapshot.dumps.size()));
  for (unsigned k = 0; k < snapshot.dumps.size(); ++k) {
    auto drawers = dumps[k].initDrawers(static_cast<unsigned>(snapshot.dumps[k].drawers.size()));
    for (unsigned j = 0; j < snapshot.dumps[k].drawers.size(); ++j)
      drawers.set(j, blob(snapshot.dumps[k].drawers[j].view()));
    dumps[k].setImage(blob(snapshot.dumps[k].image));
  }
  return to_flat(builder);
}

Result<Snapshot> decode_snapshot(ByteView bytes) {
  return decode_flat<wire::Snapshot>(bytes, "snapshot", [](wire::Snapshot::Reader in) {
    require(in.getVersion() == kWireVersion, "made by another version");
    Snapshot out;
    out.base = base_of(in.getBase());
    for (auto record : in.getRoll()) out.roll.push_back(bytes_of(record));
    out.seen = term_of(in.getSeen());
    for (auto dump : in.getDumps()) {
      Dump item;
      for (auto drawer : dump.getDrawers()) item.drawers.push_back(wire_id<DrawerId>(drawer));
      item.image = bytes_of(dump.getImage());
      out.dumps.push_back(std::move(item));
    }
    return out;
  });
}

Bytes encode(const Welcome& welcome) {
  capnp::MallocMessageBuilder builder;
  auto out = builder.initRoot<wire::Welcome>();
  out.setVersion(kWireVersion);
  out.setBox(blob(welcome.box.view()));
  out.setSecret(blob(welcome.secret));
  put_data_list([&](unsigned n) { return out.initRoll(n); }, welcome.roll);
  out.setSponsor(blob(welcome.sponsor.view()));
  wire_detail::put(out.initSeen(), welcome.seen);
  wire_detail::put(out.initTip(), welcome.tip);
  out.setState(blob(welcome.state));
  return to_flat(builder);
}

Result<Welcome> decode_welcome(ByteView bytes) {
  return decode_flat<wire::Welcome>(bytes, "welcome", [](wire::Welcome::Reader in) {
    require(in.getVersion() == kWireVersion, "made by another version");
    Welcome out;
    out.box = wire_id<BoxId>(in.getBox());
    out.secret = bytes_of(in.getSecret());
    for (auto record : in.getRoll()) out.roll.push_back(bytes_of(record));
    out.sponsor = wire_id<DeviceId>(in.getSponsor());
    out.seen = wire_detail::term_of(in.getSeen());
    out.tip = wire_detail::position_of(in.getTip());
    out.state = bytes_of(in.getState());
    return out;
  });
}

}  // namespace kartei::sync
