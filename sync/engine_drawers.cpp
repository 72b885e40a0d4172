// Drawers: made, shared, renamed.
#include <algorithm>

#include "crypto/sealed.h"
#include "sync/codec.h"
#include "sync/engine_write.h"

namespace kartei::sync {

namespace {

Bytes name_context(const DrawerId& drawer) {
  ByteWriter out;
  out.bytes(as_bytes("kartei drawer name v1"));
  out.bytes(drawer.view());
  return out.take();
}

}  // namespace

std::optional<std::string> Engine::Impl::drawer_name(const RollDrawer& drawer) const {
  const crypto::Secret* secret = key(drawer.id, drawer.epoch);
  if (!secret) return std::nullopt;
  auto name = crypto::open(*secret, name_context(drawer.id), drawer.name);
  if (!name) return std::nullopt;
  return std::string(as_text(*name));
}

// The roll's drawers as the box shows them. A local drawer of the same name keeps its name.
Status Engine::Impl::put_drawers() {
  for (const auto& [id, info] : roll->drawers()) {
    KARTEI_ASSIGN(auto there, box.drawer(id));
    store::Drawer drawer;
    drawer.id = id;
    drawer.shared = info.shared;
    drawer.devices = info.devices;
    std::optional<std::string> name = drawer_name(info);
    drawer.held = info.shared ? roll->may_hold(id, self) : name.has_value();
    drawer.name = name.value_or(there ? there->name : "drawer " + id.text().substr(0, 8));
    KARTEI_ASSIGN(auto other, box.drawer(drawer.name));
    if (other && other->id != id) drawer.name += " (" + id.text().substr(0, 4) + ")";
    if (there && *there == drawer) continue;
    KARTEI_TRY(box.put_drawer(drawer));
    changes.push_back({ChangeKind::kDrawers, self, drawer.name});
  }
  return {};
}

Result<store::Drawer> Engine::make_drawer(const std::string& name, Now now) {
  Impl& impl = *impl_;
  store::Drawer drawer;
  KARTEI_TRY(impl.write(
      impl.user_durability(),
      [&]() -> Status {
        if (name.empty() || name.size() > 128)
          return bad_input("a drawer's name has 1 to 128 bytes", "name");
        KARTEI_ASSIGN(auto there, impl.box.drawer(name));
        if (there) return Error{Cause::kConflict, "there is a drawer of that name", "name"};
        impl.random.fill(drawer.id.bytes);
        drawer.name = name;
        impl.changes.push_back({ChangeKind::kDrawers, impl.self, name});
        return impl.box.put_drawer(drawer);
      },
      now));
  return drawer;
}

Status Engine::rename_drawer(DrawerId id, const std::string& name, Now now) {
  Impl& impl = *impl_;
  return impl.write(
      impl.user_durability(),
      [&]() -> Status {
        if (name.empty() || name.size() > 128)
          return bad_input("a drawer's name has 1 to 128 bytes", "name");
        KARTEI_ASSIGN(auto drawer, impl.box.drawer(id));
        if (!drawer) return not_found("there is no such drawer");
        KARTEI_ASSIGN(auto other, impl.box.drawer(name));
        if (other && other->id != id)
          return Error{Cause::kConflict, "there is a drawer of that name", "name"};
        drawer->name = name;
        if (!drawer->shared) return impl.box.put_drawer(*drawer);
        return impl.announce_drawer(id, name, true, drawer->devices, {}, now);
      },
      now);
}

// The roll's next word on a drawer, its name sealed under a key that its holders have.
Status Engine::Impl::announce_drawer(const DrawerId& id, const std::string& name, bool shared,
                                     const std::vector<DeviceId>& devices,
                                     std::vector<KeyPart> parts, Now now) {
  RollDrawer info;
  info.id = id;
  if (auto before = roll->drawers().find(id); before != roll->drawers().end())
    info.version = before->second.version + 1;
  info.shared = shared;
  info.devices = devices;
  if (parts.empty()) {
    KARTEI_ASSIGN(auto sealing, sealing_key(id, now));
    info.epoch = sealing.first;
  } else {
    info.epoch = parts.back().epoch;
  }
  info.name = crypto::seal(*key(id, info.epoch), name_context(id), as_bytes(name), random);
  return append_roll(info, std::move(parts), now);
}

Status Engine::share_drawer(DrawerId drawer, bool shared, std::vector<DeviceId> devices, Now now) {
  return impl_->write(
      Durability::kSynced, [&] { return impl_->share_drawer(drawer, shared, devices, now); }, now);
}

Status Engine::Impl::share_drawer(const DrawerId& id, bool shared,
                                  const std::vector<DeviceId>& devices, Now now) {
  KARTEI_TRY(must_be_member());
  KARTEI_ASSIGN(auto drawer, box.drawer(id));
  if (!drawer) return not_found("there is no such drawer");
  for (const DeviceId& device : devices)
    if (!roll->is_member(device)) return bad_input("there is no such device", "devices");
  bool with_self =
      devices.empty() || std::find(devices.begin(), devices.end(), self) != devices.end();
  if (shared && !with_self)
    return bad_input("the device that shares a drawer must be among those that hold it", "devices");
  if (!shared) {
    if (!drawer->shared) return {};
    return announce_drawer(id, drawer->name, false, {}, {}, now);
  }
  if (!drawer->shared) return share_local(*drawer, devices, now);

  // Shared already: other devices may hold it. Who may no longer gets no new key; who may gets all.
  std::vector<DeviceId> holders;
  for (const DeviceId& device : roll->members())
    if (devices.empty() || std::find(devices.begin(), devices.end(), device) != devices.end())
      holders.push_back(device);
  std::vector<KeyPart> parts = grants(id, holders);
  bool removed = false;
  for (const DeviceId& device : holders_of(id))
    removed = removed || std::find(holders.begin(), holders.end(), device) == holders.end();
  if (removed) {
    KARTEI_ASSIGN(KeyPart part, new_key(id, holders));
    parts.push_back(std::move(part));
  }
  return announce_drawer(id, drawer->name, true, devices, std::move(parts), now);
}

// Every key of the drawer that we hold, for those of `holders` that lack it.
std::vector<KeyPart> Engine::Impl::grants(const DrawerId& id,
                                          const std::vector<DeviceId>& holders) {
  std::vector<KeyPart> parts;
  for (const auto& [name, known] : roll->keys()) {
    if (name.first != id) continue;
    const crypto::Secret* secret = key(id, name.second);
    if (!secret) continue;
    KeyPart part{id, name.second, {}};
    for (const DeviceId& device : holders)
      if (!known.boxes.contains(device))
        part.boxes.push_back(
            box_for(roll->device(device)->keys.box_key, device, id, name.second, *secret));
    if (!part.boxes.empty()) parts.push_back(std::move(part));
  }
  return parts;
}

// What a local drawer holds is said again, under its old ids, to all who may hold it.
Status Engine::Impl::share_local(const store::Drawer& drawer, const std::vector<DeviceId>& devices,
                                 Now now) {
  KARTEI_ASSIGN(auto content, box.take_drawer(drawer.id));
  std::vector<DeviceId> holders;
  for (const DeviceId& device : roll->members())
    if (devices.empty() || std::find(devices.begin(), devices.end(), device) != devices.end())
      holders.push_back(device);
  KARTEI_ASSIGN(KeyPart part, new_key(drawer.id, holders));
  std::vector<KeyPart> parts = grants(drawer.id, holders);
  parts.push_back(std::move(part));
  KARTEI_TRY(announce_drawer(drawer.id, drawer.name, true, devices, std::move(parts), now));
  std::vector<store::Delta> batch;
  std::size_t bytes = 0;
  for (store::Delta& delta : content) {
    std::size_t size = store::encode({delta}).size();
    if (!batch.empty() && (bytes + size > kBodyTarget || batch.size() >= 4096)) {
      KARTEI_TRY(append_observation(std::exchange(batch, {}), now));
      bytes = 0;
    }
    bytes += size;
    batch.push_back(std::move(delta));
  }
  if (!batch.empty()) KARTEI_TRY(append_observation(std::move(batch), now));
  return {};
}

}  // namespace kartei::sync
