// A new device joins the box.
#include <boost/json/array.hpp>

#include "crypto/identity.h"
#include "daemon/api/api.h"
#include "daemon/api/views.h"
#include "daemon/pairing_desk.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

constexpr std::int64_t kOfferSeconds = 300;

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

Result<HttpResponse> post_pairing(BoxHost& host, const Call& call, PairingDesk& desk) {
  KARTEI_ASSIGN(const PairingInput input, read_pairing(call.request.body));
  if (!input.code.empty()) {
    if (input.seconds) return bad_input("`seconds` belongs to a call without `code`.", "seconds");
    KARTEI_TRY(desk.join(host.shared_from_this(), input.code, input.address));
    return json_response(state_object(host, desk), 202);
  }
  if (!input.address.empty())
    return bad_input("`address` belongs to a call with `code`.", "address");
  // The offer first: it may be refused, and the box's one recovery key is shown only once.
  KARTEI_ASSIGN(const std::string code,
                desk.offer(host.shared_from_this(), input.seconds.value_or(kOfferSeconds)));
  KARTEI_ASSIGN(const auto recovery, host.engine().make_recovery(host.now()));
  json::object out = state_object(host, desk);
  out["code"] = code;
  out["expires_s"] = input.seconds.value_or(kOfferSeconds);
  if (recovery) out["recovery_key"] = *recovery;
  return json_response(out);
}

Result<HttpResponse> post_approval(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const ApprovalInput input, read_approval(call.request.body));
  KARTEI_ASSIGN(const store::DeviceId device, find_device(host, input.device));
  if (input.recovery_key.empty()) {
    KARTEI_TRY(host.engine().approve(device, host.now()));
  } else {
    auto seed = crypto::recovery_seed_from_text(input.recovery_key);
    if (!seed) return bad_input("This is no recovery key.", "recovery_key");
    KARTEI_TRY(host.engine().approve_with_recovery(device, *seed, host.now()));
  }
  json::object out;
  out["approved"] = device.text();
  return json_response(out);
}

}  // namespace

void Api::add_pairing_calls() {
  const auto with_desk = [this](auto use) {
    return [this, use](BoxHost& host, const Call& call) -> Result<HttpResponse> {
      if (parts_.pairing == nullptr) return no_desk();
      return use(host, call, *parts_.pairing);
    };
  };
  add(Method::kPost, "/v1/pairing", {}, with_desk(post_pairing));
  add(Method::kGet, "/v1/pairing", {},
      with_desk([](BoxHost& host, const Call&, PairingDesk& desk) -> Result<HttpResponse> {
        return json_response(state_object(host, desk));
      }));
  add(Method::kPost, "/v1/pairing/approve", {}, post_approval);
}

}  // namespace kartei::daemon::api
