// The drawers: what is shared, and with whom.
#include <boost/json/array.hpp>

#include "daemon/api/api.h"
#include "daemon/api/views.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

json::object drawer_object(const store::Drawer& drawer) {
  json::object out;
  out["id"] = drawer.id.text();
  out["name"] = drawer.name;
  out["shared"] = drawer.shared;
  out["held"] = drawer.held;
  json::array devices;
  for (const store::DeviceId& device : drawer.devices) devices.emplace_back(device.text());
  out["devices"] = std::move(devices);
  return out;
}

Result<HttpResponse> list_drawers(BoxHost& host, const Call&) {
  KARTEI_ASSIGN(const auto drawers, host.box().drawers());
  json::array items;
  for (const store::Drawer& drawer : drawers) items.push_back(drawer_object(drawer));
  json::object out;
  out["items"] = std::move(items);
  out["cursor"] = nullptr;
  return json_response(out);
}

Result<store::DrawerId> drawer_to_patch(BoxHost& host, const std::string& name, bool make) {
  KARTEI_ASSIGN(const auto drawer, host.box().drawer(std::string_view(name)));
  if (drawer) return drawer->id;
  if (!make) return not_found("There is no drawer called " + name + ".");
  return host.drawer_by_name(name);
}

Result<HttpResponse> patch_drawer(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const DrawerPatch patch, read_drawer_patch(call.request.body));
  if (patch.merge_into)
    return Error{Cause::kForbidden, "Merging drawers is not built yet. Move the cards (PATCH).",
                 "merge_into"};
  const std::string& name = call.path.at("name");
  KARTEI_ASSIGN(const store::DrawerId id,
                drawer_to_patch(host, name, patch.shared.value_or(false)));
  if (patch.name) KARTEI_TRY(host.engine().rename_drawer(id, *patch.name, host.now()));
  if (patch.shared || patch.devices) {
    KARTEI_ASSIGN(const auto current, host.box().drawer(id));
    std::vector<store::DeviceId> devices;
    if (current) devices = current->devices;
    if (patch.devices) devices.clear();
    for (const std::string& device : patch.devices.value_or(std::vector<std::string>{})) {
      KARTEI_ASSIGN(const store::DeviceId found, find_device(host, device));
      devices.push_back(found);
    }
    const bool shared = patch.shared.value_or(current && current->shared);
    KARTEI_TRY(host.engine().share_drawer(id, shared, std::move(devices), host.now()));
  }
  KARTEI_TRY(host.refresh_drawer_names());
  KARTEI_ASSIGN(const auto drawer, host.box().drawer(id));
  if (!drawer) return not_found("The drawer is gone.");
  return json_response(drawer_object(*drawer));
}

}  // namespace

void Api::add_drawer_calls() {
  add(Method::kGet, "/v1/drawers", {}, list_drawers);
  add(Method::kPatch, "/v1/drawers/{name}", {}, patch_drawer);
}

}  // namespace kartei::daemon::api
