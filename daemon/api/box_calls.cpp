// The box as a whole: its owner, and the switch that empties it.
#include "daemon/api/api.h"
#include "daemon/api/problem.h"
#include "daemon/api/views.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

json::object box_object(const BoxHost& host) {
  const BoxSettings settings = host.settings();
  json::object out;
  out["name"] = host.name();
  const std::string owner = secrets::masked(settings.owner);
  out["owner"] = owner.empty() ? json::value(nullptr) : json::value(owner);
  out["zone"] = settings.zone;
  out["token_budget"] = settings.token_budget;
  out["audit_days"] = settings.audit_days;
  return out;
}

Result<HttpResponse> put_box(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const BoxInput input, read_box(call.request.body));
  SecretsSeen seen;
  seen.name("owner", input.owner.value_or(""));
  if (const auto refusal = judge_secrets(host, seen, false).refusal) return *refusal;
  SettingsChange change{input.owner, input.zone, {}, input.audit_days};
  if (input.zone) {
    if (store::zone_offset_min(*input.zone, host.now().wall).has_error())
      return bad_input("This system knows no zone called " + *input.zone +
                           ". Give an IANA name, like Europe/Berlin.",
                       "zone");
  }
  if (input.token_budget) change.token_budget = static_cast<std::size_t>(*input.token_budget);
  KARTEI_TRY(host.change_settings(change));
  return json_response(box_object(host));
}

}  // namespace

void Api::delete_box(Call call, Responder responder) {
  const std::string name = box_name(call);
  const auto confirmed = read_confirmation(call.request.body);
  if (!confirmed) return responder.send(problem(confirmed.error()));
  if (*confirmed != name)
    return responder.send(problem(bad_input(
        "This empties the box " + name + " for good. Give its name as confirmation.", "name")));
  const bool posted = parts_.services.writer.post([this, name, responder] {
    const Status emptied = parts_.hosts.empty(name);
    if (!emptied) return responder.send(problem(emptied.error()));
    json::object out;
    out["emptied"] = name;
    out["note"] = "Other devices keep their copies until they are emptied, too.";
    responder.send(json_response(out));
  });
  if (!posted) responder.send(busy());
}

void Api::add_box_calls() {
  add(Method::kGet, "/v1/box", {}, [](BoxHost& host, const Call&) -> Result<HttpResponse> {
    return json_response(box_object(host));
  });
  add(Method::kPut, "/v1/box", {}, put_box);
  router_.add(Method::kDelete, "/v1/box", {}, [this](Call call, Responder responder) {
    delete_box(std::move(call), std::move(responder));
  });
}

}  // namespace kartei::daemon::api
