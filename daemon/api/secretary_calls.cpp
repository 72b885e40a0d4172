// The secretary: which one works, what a model costs and may read, and the keys of endpoints.
#include <boost/json/array.hpp>
#include <memory>

#include "daemon/api/api.h"
#include "daemon/api/key_requests.h"
#include "daemon/api/problem.h"
#include "daemon/api/views.h"
#include "daemon/kept_keys.h"
#include "daemon/manager/model/model_secretary.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

// Which drawers the model may read, and which ones it may not.
Status add_model_drawers(BoxHost& host, json::object& out) {
  json::array may, may_not;
  for (const auto& [id, name] : *host.drawer_names()) {
    KARTEI_ASSIGN(const bool allowed, host.model_may_read(id));
    (allowed ? may : may_not).emplace_back(name);
  }
  out["drawers"] = std::move(may);
  out["not_sent"] = std::move(may_not);
  return {};
}

Result<HttpResponse> get_secretary(BoxHost& host, const Call&) {
  KARTEI_ASSIGN(json::object out, secretary_view(host));
  json::array keys;
  for (const std::string& name : kept_keys(host.home())) keys.emplace_back(name);
  out["keys"] = std::move(keys);
  return json_response(out);
}

Result<HttpResponse> put_secretary(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const auto input, read_model_permission(call.request.body));
  KARTEI_TRY(host.allow_model(input.drawer, input.allow));
  return get_secretary(host, call);
}

}  // namespace

Result<json::object> secretary_view(BoxHost& host) {
  json::object out;
  const ModelSecretary* model = host.services().model;
  ModelState state;
  if (model != nullptr) {
    KARTEI_TRY(add_model_drawers(host, out));
    state = model->state(ModelSecretary::day_in(host.settings().zone, host.now().wall));
  }
  std::string problem = state.problem;
  if (state.configured && problem.empty() && out.at("drawers").as_array().empty())
    problem = state.endpoint +
              " is not on this machine, and no drawer was allowed for it: nothing is sent there "
              "(`kartei secretary allow DRAWER`)";
  out["works"] = state.configured && problem.empty() ? "model" : "built-in";
  out["model"] = or_null(state.model);
  out["endpoint"] = or_null(state.endpoint);
  out["on_this_machine"] = state.configured ? json::value(state.local) : json::value(nullptr);
  out["problem"] = or_null(problem);
  out["try_again_s"] =
      state.try_again_ms ? json::value((*state.try_again_ms + 999) / 1000) : json::value(nullptr);
  out["tokens_today"] = state.tokens_today;
  out["tokens_per_day"] = state.tokens_per_day;
  out["readings"] = state.readings;
  out["helped"] = state.helped;
  out["calls"] = state.calls;
  out["wrong"] = state.wrong;
  out["cards"] = state.cards;
  out["left_out"] = state.left_out;
  json::object why;
  for (const auto& [name, count] : state.left_out_because) why[name] = count;
  out["left_out_because"] = std::move(why);
  return out;
}

// The value is read here, on the server's thread, into guarded memory.
void Api::change_kept_key(Call call, Responder responder, bool keep) {
  const std::string name = call.path.at("name");
  auto value = std::make_shared<crypto::Secret>();
  if (keep) {
    auto read = read_kept_key_value(call.request.body);
    if (!read) return responder.send(problem(read.error()));
    *value = std::move(*read);
  } else if (auto nothing = read_nothing(call.request.body); !nothing) {
    return responder.send(problem(nothing.error()));
  }
  on_writer(
      std::move(call), std::move(responder),
      [name, value, keep](BoxHost& host, const Call& made) -> Result<HttpResponse> {
        Services& services = host.services();
        KARTEI_TRY(keep ? keep_key(host.home(), name, *value, services.data_key, services.random)
                        : drop_kept_key(host.home(), name));
        if (services.model != nullptr) services.model->forget_key();
        return get_secretary(host, made);
      });
}

void Api::add_secretary_calls() {
  add(Method::kGet, "/v1/secretary", {}, get_secretary);
  add(Method::kPut, "/v1/secretary", {}, put_secretary);
  router_.add(Method::kPut, "/v1/secretary/keys/{name}", {},
              [this](Call call, Responder responder) {
                change_kept_key(std::move(call), std::move(responder), true);
              });
  router_.add(Method::kDelete, "/v1/secretary/keys/{name}", {},
              [this](Call call, Responder responder) {
                change_kept_key(std::move(call), std::move(responder), false);
              });
}

}  // namespace kartei::daemon::api
