// The devices of a box, the primary among them, and sync.
#include <boost/json/array.hpp>
#include <cstdio>

#include "daemon/api/api.h"
#include "daemon/api/problem.h"
#include "daemon/api/views.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

json::object member_object(const sync::MemberView& member, const sync::EngineStatus& status) {
  json::object out;
  out["id"] = member.id.text();
  out["name"] = member.name;
  out["self"] = member.self;
  out["member"] = member.member;
  out["primary"] = status.primary == member.id;
  out["connected"] = member.connected || member.self;
  out["frozen"] = member.frozen;
  out["approval"] = member.approval.empty() ? json::value(nullptr) : json::value(member.approval);
  out["last_heard_ms"] = member.silent_ms ? json::value(*member.silent_ms) : json::value(nullptr);
  out["applied_height"] = member.applied_height;
  out["pending"] = member.pending;
  out["vitals"] = vitals_view(member.vitals);
  return out;
}

Result<HttpResponse> list_devices(BoxHost& host, const Call&) {
  const sync::EngineStatus status = host.engine().status(host.now());
  json::array items;
  for (const sync::MemberView& member : status.members)
    items.push_back(member_object(member, status));
  json::object out;
  out["items"] = std::move(items);
  out["cursor"] = nullptr;
  return json_response(out);
}

Result<HttpResponse> revoke_device(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const store::DeviceId device, find_device(host, call.path.at("id")));
  KARTEI_TRY(host.engine().revoke(device, host.now()));
  json::object out;
  out["revoked"] = device.text();
  out["note"] = "The device keeps what it has already received.";
  return json_response(out);
}

std::string name_of(const sync::EngineStatus& status, store::DeviceId device) {
  for (const sync::MemberView& member : status.members)
    if (member.id == device) return member.name;
  return "";
}

json::value device_object(const sync::EngineStatus& status,
                          const std::optional<store::DeviceId>& device) {
  if (!device) return nullptr;
  json::object out;
  out["id"] = device->text();
  out["name"] = name_of(status, *device);
  return out;
}

std::string why_of(const election::Standing& standing) {
  if (!standing.eligible) return standing.why_not;
  std::string why;
  for (const election::ScorePart& part : standing.score.parts) {
    char text[64];
    std::snprintf(text, sizeof text, "%s%s %.1f", why.empty() ? "" : ", ", part.name, part.value);
    why += text;
  }
  return why;
}

Result<HttpResponse> get_primary(BoxHost& host, const Call&) {
  const sync::EngineStatus status = host.engine().status(host.now());
  json::object out;
  out["primary"] = device_object(status, status.primary);
  out["acting"] = status.acting;
  out["reason"] = status.take_over_reason;
  out["pin"] = device_object(status, status.pin);
  json::array candidates;
  for (const election::Standing& standing : status.ranking) {
    json::object candidate;
    const store::DeviceId device{standing.device};
    candidate["device"] = device.text();
    candidate["name"] = name_of(status, device);
    candidate["eligible"] = standing.eligible;
    candidate["score"] = standing.score.total;
    candidate["why"] = why_of(standing);
    json::object parts;
    for (const election::ScorePart& part : standing.score.parts) parts[part.name] = part.value;
    candidate["parts"] = std::move(parts);
    candidates.push_back(std::move(candidate));
  }
  out["candidates"] = std::move(candidates);
  return json_response(out);
}

Result<HttpResponse> put_primary(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const std::string device, read_pin(call.request.body));
  std::optional<store::DeviceId> pin;
  if (device != "auto") {
    KARTEI_ASSIGN(pin, find_device(host, device));
  }
  KARTEI_TRY(host.engine().pin(pin, host.now()));
  return get_primary(host, call);
}

Result<HttpResponse> get_sync(BoxHost& host, const Call&) {
  const sync::EngineStatus status = host.engine().status(host.now());
  json::object out;
  out["mode"] = host.sync_on() ? "direct" : "off";
  const Network* network = host.services().network;
  const std::uint16_t port = network == nullptr ? 0 : network->port();
  out["port"] = port == 0 ? json::value(nullptr) : json::value(port);
  out["tip"] = position_view(status.tip);
  out["final"] = position_view(status.final_position);
  out["pending"] = status.pending;
  out["unread"] = status.unread;
  out["rollbacks"] = status.rollbacks;
  out["dropped_messages"] = status.dropped_messages;
  json::array devices, forks;
  for (const sync::MemberView& member : status.members)
    if (member.member && !member.self) devices.push_back(member_object(member, status));
  for (const std::string& fork : status.forks) forks.emplace_back(fork);
  out["devices"] = std::move(devices);
  out["forks"] = std::move(forks);
  return json_response(out);
}

Result<HttpResponse> put_sync(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const SyncMode mode, read_sync(call.request.body));
  if (mode == SyncMode::kRelay)
    return problem(501, "not-built", "Relays are not built yet. Use direct.", "mode");
  KARTEI_TRY(host.set_sync(mode == SyncMode::kDirect));
  return get_sync(host, call);
}

}  // namespace

void Api::add_device_calls() {
  add(Method::kGet, "/v1/devices", {}, list_devices);
  add(Method::kDelete, "/v1/devices/{id}", {}, revoke_device);
  add(Method::kGet, "/v1/primary", {}, get_primary);
  add(Method::kPut, "/v1/primary", {}, put_primary);
  add(Method::kGet, "/v1/sync", {}, get_sync);
  add(Method::kPut, "/v1/sync", {}, put_sync);
}

}  // namespace kartei::daemon::api
