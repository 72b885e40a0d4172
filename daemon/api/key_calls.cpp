// What opens the boxes: lock, unlock, the keyring.
#include <boost/json/array.hpp>

#include "daemon/api/api.h"
#include "daemon/api/key_requests.h"
#include "daemon/api/problem.h"
#include "daemon/api/requests.h"
#include "daemon/api/views.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

using keyring::Backend;

std::optional<Backend> backend_from_text(std::string_view text) {
  for (const Backend backend : keyring::kBackends)
    if (text == keyring::to_text(backend)) return backend;
  return std::nullopt;
}

Result<Backend> backend_of(const Call& call) {
  const std::string& text = call.path.at("backend");
  if (const auto backend = backend_from_text(text)) return *backend;
  return not_found("There is no kind of wrap called " + text +
                   ". There are secret-service, file and passphrase.");
}

json::object locked_view(const KeyState& state) {
  json::object out = keyring_view(state);
  out["locked"] = state.locked;
  if (state.locked) out["why"] = state.why;
  return out;
}

KeyDesk::Done answer_to(const Responder& responder) {
  return [responder](const Result<KeyState>& state) {
    responder.send(state ? json_response(locked_view(*state)) : problem(state.error()));
  };
}

}  // namespace

json::object keyring_view(const KeyState& state) {
  json::object out;
  out["opened_by"] = state.opened_by ? json::value(keyring::to_text(*state.opened_by)) : nullptr;
  json::array wraps;
  for (const keyring::Wrap& wrap : state.wraps) {
    json::object one;
    one["backend"] = keyring::to_text(wrap.backend);
    one["protects_stolen_disk"] = wrap.backend != Backend::kFile;
    one["opens_by_itself"] = wrap.backend != Backend::kPassphrase;
    if (wrap.backend == Backend::kPassphrase) {
      one["passes"] = wrap.stretch.passes;
      one["memory_mib"] = wrap.stretch.memory_kib >> 10;
    }
    wraps.push_back(std::move(one));
  }
  out["wraps"] = std::move(wraps);
  return out;
}

// Bodies are read here, on the server's thread, so that none waits in a queue with its passphrase.
void Api::add_key_calls() {
  if (parts_.keys != nullptr)
    router_.set_gate([this, keys = parts_.keys]() -> std::optional<HttpResponse> {
      if (!keys->locked()) return std::nullopt;
      if (auto wait = while_encrypting()) return wait;  // unlocked just now, in truth
      return problem(keys->locked_error());
    });
  // `ask` hands the call to the desk; false: it has too much to do.
  using Ask = std::function<bool(KeyDesk&, Backend, KeyInput, KeyDesk::Done)>;
  using Read = Result<KeyInput> (*)(std::string & body);
  const auto add_key_call = [this](Method method, const char* pattern, Read read, Ask ask) {
    router_.add_ungated(
        method, pattern, {}, [this, read, ask = std::move(ask)](Call call, Responder responder) {
          auto input = read(call.request.body);
          if (!input) return responder.send(problem(input.error()));
          if (parts_.keys == nullptr)
            return responder.send(problem(
                Error{Cause::kUnavailable, "This daemon was started without a keyring.", {}}));
          Backend backend = Backend::kPassphrase;
          if (call.path.count("backend") != 0) {
            const auto named = backend_of(call);
            if (!named) return responder.send(problem(named.error()));
            backend = *named;
          }
          if (!ask(*parts_.keys, backend, std::move(*input), answer_to(responder)))
            responder.send(busy());
        });
  };
  add_key_call(Method::kPost, "/v1/unlock", read_unlock,
               [](KeyDesk& keys, Backend, KeyInput input, KeyDesk::Done done) {
                 return keys.unlock(std::move(input.passphrase), std::move(done));
               });
  add_key_call(Method::kPut, "/v1/keyring/passphrase", read_new_passphrase,
               [](KeyDesk& keys, Backend, KeyInput input, KeyDesk::Done done) {
                 return keys.set_passphrase(
                     {std::move(input.passphrase), std::move(input.current), input.keep_file},
                     std::move(done));
               });
  add_key_call(Method::kPut, "/v1/keyring/{backend}", read_key_change,
               [](KeyDesk& keys, Backend backend, KeyInput input, KeyDesk::Done done) {
                 return keys.add(backend, std::move(input.current), std::move(done));
               });
  add_key_call(Method::kDelete, "/v1/keyring/{backend}", read_key_change,
               [](KeyDesk& keys, Backend backend, KeyInput input, KeyDesk::Done done) {
                 return keys.remove(backend, std::move(input.current), std::move(done));
               });
  router_.add_ungated(Method::kPost, "/v1/lock", {}, [this](Call call, Responder responder) {
    if (auto nothing = read_nothing(call.request.body); !nothing)
      return responder.send(problem(nothing.error()));
    if (parts_.keys == nullptr || !parts_.keys->lock(answer_to(responder))) responder.send(busy());
  });
  router_.add_ungated(Method::kGet, "/v1/keyring", {}, [this](Call, Responder responder) {
    if (parts_.keys == nullptr) return responder.send(busy());
    responder.send(json_response(locked_view(parts_.keys->state())));
  });
}

}  // namespace kartei::daemon::api
