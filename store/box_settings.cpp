// Drawers and settings.
#include "store/box_impl.h"
#include "store/rows.h"
#include "store/undo.h"

namespace kartei::store {

namespace {

Drawer read_drawer(const Query& query) {
  Drawer drawer;
  drawer.id = query.id<DrawerId>(0);
  drawer.name = query.text(1);
  drawer.shared = query.integer(2) != 0;
  drawer.held = query.integer(3) != 0;
  drawer.devices = split_ids<DeviceId>(query.blob(4));
  return drawer;
}

Result<std::optional<Drawer>> one_drawer(Query query) {
  std::optional<Drawer> drawer;
  if (query.next()) drawer = read_drawer(query);
  KARTEI_TRY(query.status());
  return drawer;
}

}  // namespace

Result<std::vector<Drawer>> read_drawers(Db& db) {
  std::vector<Drawer> drawers;
  Query query = db.query("SELECT id, name, shared, held, devices FROM drawers ORDER BY name, id");
  while (query.next()) drawers.push_back(read_drawer(query));
  KARTEI_TRY(query.status());
  return drawers;
}

Result<std::vector<Drawer>> Box::drawers() {
  return read_drawers(*impl_->db);
}

// Two devices may each have made one of this name: the shared one first.
Result<std::optional<Drawer>> Box::drawer(std::string_view name) {
  return one_drawer(impl_->db->query(
      "SELECT id, name, shared, held, devices FROM drawers WHERE name = ? ORDER BY shared DESC, id",
      name));
}

Result<std::optional<Drawer>> Box::drawer(DrawerId id) {
  return one_drawer(
      impl_->db->query("SELECT id, name, shared, held, devices FROM drawers WHERE id = ?", id));
}

Status Box::put_drawer(const Drawer& drawer) {
  return impl_->change([&] {
    return impl_->db->run(
        "INSERT INTO drawers VALUES(?1, ?2, ?3, ?4, ?5) ON CONFLICT(id) DO UPDATE SET name = ?2, "
        "shared = ?3, held = ?4, devices = ?5",
        drawer.id, drawer.name, drawer.shared, drawer.held, join_ids(drawer.devices));
  });
}

Status Box::remove_drawer(DrawerId id) {
  return impl_->change([&]() -> Status {
    Db& db = *impl_->db;
    KARTEI_TRY(impl_->let_spill(true));
    KARTEI_TRY(impl_->lift_overlay());
    KARTEI_TRY(drop_drawer(db, id));
    return db.run("DELETE FROM drawers WHERE id = ?", id);
  });
}

Result<std::optional<Bytes>> Box::meta(std::string_view key) {
  std::optional<Bytes> value;
  Query query = impl_->db->query("SELECT value FROM meta WHERE key = ?", key);
  if (query.next()) value = to_bytes(query.blob(0));
  KARTEI_TRY(query.status());
  return value;
}

Status Box::put_meta(std::string_view key, ByteView value) {
  return impl_->change([&] {
    return impl_->db->run(
        "INSERT INTO meta VALUES(?1, ?2) ON CONFLICT(key) DO UPDATE SET value = ?2", key, value);
  });
}

Status Box::erase_meta(std::string_view key) {
  return impl_->change([&] { return impl_->db->run("DELETE FROM meta WHERE key = ?", key); });
}

}  // namespace kartei::store
