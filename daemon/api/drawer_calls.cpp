// The drawers: what is shared, and with whom.
#include <algorithm>
#include <boost/json/array.hpp>
#include <numeric>

#include "daemon/api/api.h"
#include "daemon/api/problem.h"
#include "daemon/api/views.h"
#include "daemon/manager/sorter.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

constexpr std::size_t kDrawersNamed = 10;  // in an error

json::object drawer_object(BoxHost& host, const store::Drawer& drawer) {
  json::object out;
  out["id"] = drawer.id.text();
  out["name"] = secrets::masked(drawer.name);
  out["shared"] = drawer.shared;
  out["held"] = drawer.held;
  out["made_by"] = host.sorter().made_it(drawer.id) ? "sorting" : "owner";
  json::array devices;
  for (const store::DeviceId& device : drawer.devices) devices.emplace_back(device.text());
  out["devices"] = std::move(devices);
  return out;
}

Result<HttpResponse> list_drawers(BoxHost& host, const Call&) {
  KARTEI_ASSIGN(const auto drawers, host.box().drawers());
  json::array items;
  for (const store::Drawer& drawer : drawers) items.push_back(drawer_object(host, drawer));
  json::object out;
  out["items"] = std::move(items);
  out["cursor"] = nullptr;
  return json_response(out);
}

// How many letters differ: the way from a typing error to what was meant.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({change, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row[b.size()];
}

bool like_one_that_is_there(BoxHost& host, const std::string& name) {
  const std::size_t near = name.size() > 3 ? 2 : 1;
  for (const auto& [id, other] : *host.drawer_names())
    if (distance(name, other) <= near) return true;
  return false;
}

// Sharing makes a drawer that is not there yet, but not one that looks like a typing error.
Result<store::DrawerId> drawer_to_patch(BoxHost& host, const std::string& name,
                                        const DrawerPatch& patch) {
  KARTEI_ASSIGN(const auto drawer, host.box().drawer(std::string_view(name)));
  if (drawer) return drawer->id;
  const bool shares = patch.shared.value_or(false);
  if (patch.create || (shares && !like_one_that_is_there(host, name)))
    return host.drawer_by_name(name);
  return no_drawer(host, name, " To make it all the same, say `\"create\": true`.");
}

Status check_free(BoxHost& host, store::DrawerId id, const std::string& name) {
  KARTEI_ASSIGN(const auto other, host.box().drawer(std::string_view(name)));
  if (!other || other->id == id) return {};
  return Error{
      Cause::kConflict,
      "There is a drawer called " + name + " already. Choose another name, or move the cards.",
      "name"};
}

Result<HttpResponse> patch_drawer(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const DrawerPatch patch, read_drawer_patch(call.request.body));
  if (patch.merge_into)
    return problem(501, "not-built",
                   "Merging drawers is not built yet. Move the cards one by one instead: PATCH "
                   "/v1/cards/{id} with `drawer`.",
                   "merge_into");
  const std::string& name = call.path.at("name");
  SecretsSeen seen;
  seen.name("name", patch.name.value_or(name));
  if (const auto refusal = judge_secrets(host, seen, false).refusal) return *refusal;
  KARTEI_ASSIGN(const store::DrawerId id, drawer_to_patch(host, name, patch));
  if (patch.name) KARTEI_TRY(check_free(host, id, *patch.name));
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
  return json_response(drawer_object(host, *drawer));
}

Result<HttpResponse> get_sorting(BoxHost& host, const Call&) {
  json::array kinds;
  const auto names = host.drawer_names();
  for (const auto& [name, kind] : host.sorter().kinds()) {
    json::object out;
    out["kind"] = secrets::masked(name);
    out["drawer"] = kind.drawer.is_zero() ? json::value(nullptr)
                                          : json::value(drawer_view(*names, kind.drawer));
    const bool taught = kind.origin == Sorter::Origin::kTaught;
    out["by"] = kind.drawer.is_zero() ? "nobody" : taught ? "owner" : "sorting";
    out["exchanges"] = kind.exchanges;
    kinds.push_back(std::move(out));
  }
  json::object out;
  out["on"] = host.services().config.get()->sorting;
  out["kinds"] = std::move(kinds);
  return json_response(out);
}

Result<HttpResponse> forget_sorting(BoxHost& host, const Call& call) {
  const std::string& kind = call.path.at("kind");
  KARTEI_ASSIGN(const bool known, host.forget_sorting(kind));
  if (!known) return not_found("Sorting knows nothing of " + secrets::masked(kind) + ".");
  return get_sorting(host, call);
}

}  // namespace

Error no_drawer(BoxHost& host, const std::string& name, const std::string& advice) {
  std::vector<std::pair<std::size_t, std::string>> there;
  for (const auto& [id, other] : *host.drawer_names())
    there.emplace_back(distance(name, other), other);
  std::sort(there.begin(), there.end());
  std::string what = "There is no drawer called " + name + ".";
  for (std::size_t i = 0; i < std::min(there.size(), kDrawersNamed); ++i)
    what += (i == 0 ? " There are: " : ", ") + there[i].second;
  if (!there.empty()) what += there.size() > kDrawersNamed ? ", and others." : ".";
  return not_found(what + advice);
}

void Api::add_drawer_calls() {
  add(Method::kGet, "/v1/drawers", {}, list_drawers);
  add(Method::kPatch, "/v1/drawers/{name}", {}, patch_drawer);
  add(Method::kGet, "/v1/sorting", {}, get_sorting);
  add(Method::kDelete, "/v1/sorting/{kind}", {}, forget_sorting);
}

}  // namespace kartei::daemon::api
