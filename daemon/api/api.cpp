#include "daemon/api/api.h"

#include <charconv>

#include "daemon/api/json_fields.h"
#include "daemon/api/problem.h"
#include "daemon/api/views.h"
#include "daemon/config.h"

namespace kartei::daemon::api {

Api::Api(ApiParts parts) : parts_(std::move(parts)), started_ms_(parts_.services.clock.mono_ms()) {
  add_turn_calls();
  add_recall_calls();
  add_card_calls();
  add_card_steps();
  add_review_calls();
  add_drawer_calls();
  add_device_calls();
  add_pairing_calls();
  add_box_calls();
  add_status_calls();
  add_transfer_calls();
  add_key_calls();
  add_secretary_calls();
  add_forgetting_calls();
}

void Api::add(Method method, std::string_view pattern, std::vector<std::string> query,
              BoxCall call) {
  router_.add(method, pattern, std::move(query),
              [this, run = std::move(call)](Call call_made, Responder responder) {
                on_writer(std::move(call_made), std::move(responder), run);
              });
}

void Api::on_writer(Call call, Responder responder, BoxCall run) {
  const std::string name = box_name(call);
  post_to_box(name, responder,
              [run = std::move(run), call = std::move(call),
               responder](const std::shared_ptr<BoxHost>& host) {
                auto answer = run(*host, call);
                responder.send(answer ? std::move(*answer) : problem(answer.error()));
                host->settle();
              });
}

void Api::post_to_box(const std::string& name, const Responder& responder,
                      std::function<void(const std::shared_ptr<BoxHost>&)> use) {
  if (auto wait = while_encrypting()) return responder.send(std::move(*wait));
  const bool posted = parts_.hosts.with(
      name, [use = std::move(use), responder](Result<std::shared_ptr<BoxHost>> host) {
        if (!host) return responder.send(problem(host.error()));
        use(*host);
      });
  if (!posted) responder.send(busy());
}

std::optional<HttpResponse> Api::while_encrypting() const {
  const auto step = parts_.services.encrypting->now();
  if (!step) return std::nullopt;
  return problem(Error{Cause::kUnavailable,
                       "The box " + step->box +
                           " is being encrypted: " + std::to_string(step->percent) +
                           " %. Nothing is lost; try again when that is done.",
                       {}});
}

void Api::add_read(Method method, std::string_view pattern, std::vector<std::string> query,
                   ReadCall call) {
  add(method, pattern, std::move(query),
      [read = std::move(call)](BoxHost& host, const Call& made) -> Result<HttpResponse> {
        if (!host.audit_has_room()) return busy();
        std::vector<std::string> items;
        KARTEI_ASSIGN(HttpResponse answer, read(host, made, items));
        note_read(host, made, std::move(items));
        return answer;
      });
}

void Api::with_box(const Call& call, const Responder& responder,
                   std::function<void(const std::shared_ptr<BoxHost>&)> use) {
  const std::string name = box_name(call);
  if (const auto host = parts_.hosts.find(name)) return use(host);
  post_to_box(name, responder, std::move(use));
}

void note_read(BoxHost& host, const Call& call, std::vector<std::string> items) {
  store::AuditLine line;
  line.at = host.services().clock.wall();
  line.app = call.request.app;
  line.query = std::string(to_text(call.request.method)) + " " + call.request.target;
  // As it is written on the wire a secret is hard to see.
  const auto plain = percent_decode(call.request.target, true);
  if (plain && !secrets::find(*plain).empty())
    line.query = std::string(to_text(call.request.method)) + " " + secrets::masked(*plain);
  line.items = std::move(items);
  host.note_read(std::move(line));
}

std::string box_name(const Call& call) {
  return call.box.empty() ? Hosts::kDefaultBox : call.box;
}

Result<std::size_t> read_limit(const Call& call, std::size_t otherwise, std::size_t max) {
  const auto text = call.parameter("limit");
  if (!text) return otherwise;
  std::size_t limit = 0;
  const char* end = text->data() + text->size();
  if (std::from_chars(text->data(), end, limit).ptr != end || text->empty() || limit == 0 ||
      limit > max)
    return bad_input("`limit` must be a number from 1 to " + std::to_string(max) + ", not " +
                         in_quotes(*text) + ".",
                     "limit");
  return limit;
}

Result<store::Turn> find_turn(BoxHost& host, const std::string& id) {
  KARTEI_ASSIGN(auto turn, host.box().turn_by_external(id));
  if (turn) return *turn;
  if (const auto key = store::TurnId::from_text(id)) {
    KARTEI_ASSIGN(turn, host.box().turn(*key));
    if (turn) return *turn;
  }
  return not_found("There is no turn with the id " + in_quotes(id) + ".");
}

Result<store::Card> find_card(BoxHost& host, const std::string& id) {
  if (const auto key = store::CardId::from_text(id)) {
    KARTEI_ASSIGN(auto card, host.box().card(*key));
    if (card) return *card;
    KARTEI_ASSIGN(const bool erased, host.box().card_erased(*key));
    if (erased) return not_found("The card " + id + " was erased.");
  }
  return not_found("There is no card with the id " + in_quotes(id) +
                   ". Ids have 32 hex digits; GET /v1/cards lists them.");
}

SecretsJudged judge_secrets(BoxHost& host, const SecretsSeen& seen, bool allow) {
  SecretsJudged judged;
  if (!seen.any()) return judged;
  const auto refused = host.allowed_secrets()->refused(seen);
  if (refused.empty()) return judged;
  if (allow && seen.in_names().empty()) {
    for (const SecretSeen& one : refused) judged.allows.push_back(one.essence);
    return judged;
  }
  const char* advice = seen.in_names().empty()
                           ? " Nothing was stored. Say it without, or allow it: "
                             "\"allow_secrets\": true (kartei: --allow-secrets)."
                           : " Nothing was stored. Names are shown everywhere and may hold none.";
  judged.refusal = problem(403, "secret", describe(refused) + advice, refused.front().field);
  return judged;
}

Result<store::DeviceId> find_device(BoxHost& host, const std::string& id_or_name) {
  std::optional<store::DeviceId> found;
  for (const sync::MemberView& member : host.engine().status(host.now()).members) {
    if (member.id.text() == id_or_name) return member.id;
    if (member.name != id_or_name || !member.member) continue;
    if (found)
      return bad_input("Several devices are called " + id_or_name + ". Give the id.", "device");
    found = member.id;
  }
  if (found) return *found;
  std::string names;
  for (const sync::MemberView& member : host.engine().status(host.now()).members)
    names += (names.empty() ? "" : ", ") + member.name;
  return Error{Cause::kNotFound,
               "There is no device with the id or name " + in_quotes(id_or_name) +
                   ". There are: " + names + ".",
               "device"};
}

Result<std::vector<std::string>> source_ids(BoxHost& host, const store::Card& card) {
  std::vector<std::string> out;
  for (const store::TurnId& source : card.sources) {
    KARTEI_ASSIGN(const auto turn, host.box().turn(source));
    out.push_back(turn ? secrets::masked(turn_id(*turn)) : source.text());
  }
  return out;
}

std::int16_t box_zone_min(const BoxSettings& settings, store::Time at) {
  const auto offset = store::zone_offset_min(settings.zone, at);
  return offset ? *offset : std::int16_t{0};
}

}  // namespace kartei::daemon::api
