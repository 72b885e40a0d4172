// A new device joins the box.
#include <boost/json/array.hpp>

#include "crypto/identity.h"
#include "daemon/api/api.h"
#include "daemon/api/problem.h"
#include "daemon/api/views.h"
#include "daemon/config.h"
#include "daemon/pairing_desk.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

constexpr std::int64_t kOfferSeconds = 300;

Error stopping() {
  return {Cause::kUnavailable, "The daemon is stopping. Try again.", {}};
}

Status check_address(const std::string& address) {
  if (const auto parsed = parse_host_port(address, false); !parsed)
    return bad_input("`address` is \"" + address + "\": " + parsed.error().what, "address");
  return {};
}

Error no_desk() {
  return {Cause::kUnavailable, "This daemon was started without a network: it cannot pair.", {}};
}

json::object state_object(BoxHost& host, const PairingDesk& desk) {
  const PairingDesk::State state = desk.state();
  json::object out;
  out["state"] = state.name;
  out["role"] = state.role.empty() ? json::value(nullptr) : json::value(state.role);
  out["box"] = state.box.empty() ? json::value(nullptr) : json::value(state.box);
  out["detail"] = state.detail.empty() ? json::value(nullptr) : json::value(state.detail);
  out["device"] = state.peer.empty() ? json::value(nullptr) : json::value(state.peer);
  out["port"] = desk.port() == 0 ? json::value(nullptr) : json::value(desk.port());
  json::array waiting;
  for (const sync::MemberView& member : host.engine().status(host.now()).members) {
    if (member.approval.empty()) continue;
    json::object one;
    one["device"] = member.id.text();
    one["name"] = member.name;
    one["why"] = member.approval;
    waiting.push_back(std::move(one));
  }
  out["waiting_approval"] = std::move(waiting);
  return out;
}

// The offer first: it may be refused, and the box's one recovery key is shown only once.
void finish_offer(const std::shared_ptr<BoxHost>& host, PairingDesk& desk, const std::string& code,
                  std::int64_t seconds, const Result<std::uint16_t>& port,
                  const Responder& responder) {
  if (!port) return responder.send(problem(port.error()));
  if (host->closed()) return responder.send(problem(stopping()));
  const auto recovery = host->engine().make_recovery(host->now());
  if (!recovery) return responder.send(problem(recovery.error()));
  json::object out = state_object(*host, desk);
  out["code"] = code;
  out["expires_s"] = seconds;
  out["port"] = *port;
  if (*recovery) out["recovery_key"] = **recovery;
  responder.send(json_response(out));
  host->settle();
}

Status start_offer(const std::shared_ptr<BoxHost>& host, const PairingInput& input,
                   PairingDesk& desk, const Responder& responder) {
  if (!input.address.empty())
    return bad_input("`address` belongs to a call with `code`.", "address");
  const std::int64_t seconds = input.seconds.value_or(kOfferSeconds);
  KARTEI_ASSIGN(const std::string code, desk.offer(host, seconds));
  desk.when_reachable([host, &desk, code, seconds, responder](Result<std::uint16_t> port) {
    finish_offer(host, desk, code, seconds, port, responder);
  });
  return {};
}

Status start_join(const std::shared_ptr<BoxHost>& host, const PairingInput& input,
                  PairingDesk& desk, const Responder& responder) {
  if (input.seconds) return bad_input("`seconds` belongs to a call without `code`.", "seconds");
  if (!input.address.empty()) KARTEI_TRY(check_address(input.address));
  KARTEI_TRY(desk.join(host, input.code, input.address));
  responder.send(json_response(state_object(*host, desk), 202));
  return {};
}

// Devices that wait are looked at first: a newcomer may have the name of a member.
Result<store::DeviceId> find_waiting(BoxHost& host, const std::string& id_or_name) {
  std::optional<store::DeviceId> found;
  for (const sync::MemberView& member : host.engine().status(host.now()).members) {
    if (member.approval.empty()) continue;
    if (member.id.text() != id_or_name && member.name != id_or_name) continue;
    if (found)
      return bad_input("Several devices called " + id_or_name + " wait. Give the id.", "device");
    found = member.id;
  }
  if (found) return *found;
  return Error{Cause::kNotFound, "No device with this id or name waits for approval.", "device"};
}

Result<HttpResponse> post_approval(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const ApprovalInput input, read_approval(call.request.body));
  KARTEI_ASSIGN(const store::DeviceId device, find_waiting(host, input.device));
  if (input.recovery_key.empty()) {
    KARTEI_TRY(host.engine().approve(device, host.now()));
  } else {
    auto seed = crypto::recovery_seed_from_text(input.recovery_key);
    if (!seed)
      return bad_input("`recovery_key` is no recovery key: it is " + seed.error().what + ".",
                       "recovery_key");
    KARTEI_TRY(host.engine().approve_with_recovery(device, *seed, host.now()));
  }
  json::object out;
  out["approved"] = device.text();
  return json_response(out);
}

}  // namespace

void Api::post_pairing(Call call, Responder responder) {
  auto input = read_pairing(call.request.body);
  if (!input) return responder.send(problem(input.error()));
  if (parts_.pairing == nullptr) return responder.send(problem(no_desk()));
  post_to_box(box_name(call), responder,
              [desk = parts_.pairing, input = std::move(*input),
               responder](const std::shared_ptr<BoxHost>& host) {
                const Status started = input.code.empty()
                                           ? start_offer(host, input, *desk, responder)
                                           : start_join(host, input, *desk, responder);
                if (!started) responder.send(problem(started.error()));
                host->settle();
              });
}

void Api::add_pairing_calls() {
  const auto with_desk = [this](auto use) {
    return [this, use](BoxHost& host, const Call& call) -> Result<HttpResponse> {
      if (parts_.pairing == nullptr) return no_desk();
      return use(host, call, *parts_.pairing);
    };
  };
  router_.add(Method::kPost, "/v1/pairing", {}, [this](Call call, Responder responder) {
    post_pairing(std::move(call), std::move(responder));
  });
  add(Method::kGet, "/v1/pairing", {},
      with_desk([](BoxHost& host, const Call&, PairingDesk& desk) -> Result<HttpResponse> {
        return json_response(state_object(host, desk));
      }));
  add(Method::kPost, "/v1/pairing/approve", {}, post_approval);
}

}  // namespace kartei::daemon::api
