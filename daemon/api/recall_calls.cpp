// POST /v1/recall and GET /v1/audit.
#include <boost/json/array.hpp>
#include <charconv>

#include "daemon/api/api.h"
#include "daemon/api/problem.h"
#include "daemon/api/views.h"
#include "daemon/embedders.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

store::RecallRequest make_request(const RecallInput& input, const BoxSettings& settings,
                                  store::Time wall) {
  store::RecallRequest request;
  request.query = input.query;
  request.budget_tokens = input.budget_tokens.value_or(settings.token_budget);
  request.limit = input.limit.value_or(50);
  request.conversation = input.conversation;
  request.drawers = input.drawers;
  request.now = input.now ? input.now->at : wall;
  if (input.as_of) request.as_of = input.as_of->at;
  if (input.known_at) request.known_at = input.known_at->at;
  request.zone_min = input.now ? input.now->zone_min : box_zone_min(settings, wall);
  request.cards = input.cards;
  request.turns = input.turns;
  request.buffer = input.buffer;
  request.explain = input.explain;
  return request;
}

// What was handed out, for the audit and for the cards' counts.
void note(const std::shared_ptr<BoxHost>& host, const store::RecallAnswer& answer,
          const RecallInput& input, const std::string& app, store::Time wall) {
  store::AuditLine line;
  line.at = wall;
  line.app = app;
  line.query = input.query;
  line.tokens = answer.tokens;
  std::vector<store::CardId> cards;
  for (const store::RecallItem& item : answer.items) {
    if (item.cut) continue;
    line.items.push_back(item.id);
    if (item.is_card) cards.push_back(item.card.id);
  }
  host->note_recall(std::move(line), std::move(cards));
}

// Of turns from elsewhere: their words are masked already, within the budget.
void mask_names(store::RecallAnswer& answer, const SecretsAllowed& allowed) {
  for (store::RecallItem& item : answer.items) {
    for (std::string& source : item.sources) allowed.mask(source);
    if (item.is_card) continue;
    for (std::string* name : {&item.id, &item.turn.speaker, &item.turn.conversation})
      allowed.mask(*name);
  }
}

Result<HttpResponse> get_audit(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const std::size_t limit, read_limit(call, 50, 500));
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  if (const auto cursor = call.parameter("cursor")) {
    const char* end = cursor->data() + cursor->size();
    if (cursor->empty() || std::from_chars(cursor->data(), end, before).ptr != end)
      return bad_input("`cursor` must come from the page before.", "cursor");
  }
  host.write_audit();
  KARTEI_ASSIGN(const auto lines, store::read_audit(host.box(), before, limit));
  json::array items;
  for (const store::AuditLine& line : lines) {
    json::object item;
    item["id"] = line.id;
    item["at"] = store::format_rfc3339(line.at);
    item["app"] = line.app.empty() ? json::value(nullptr) : json::value(line.app);
    item["query"] = secrets::masked(line.query);
    item["tokens"] = line.tokens;
    json::array handed;
    for (const std::string& id : line.items) handed.emplace_back(secrets::masked(id));
    item["items"] = std::move(handed);
    items.push_back(std::move(item));
  }
  json::object out;
  out["cursor"] = lines.size() == limit ? json::value(std::to_string(lines.back().id)) : nullptr;
  out["items"] = std::move(items);
  return json_response(out);
}

}  // namespace

void Api::post_recall(Call call, Responder responder) {
  auto input = read_recall(call.request.body);
  if (!input) return responder.send(problem(input.error()));
  with_box(call, responder,
           [this, input = std::make_shared<RecallInput>(std::move(*input)), app = call.request.app,
            responder](const std::shared_ptr<BoxHost>& host) {
             if (!host->audit_has_room()) return responder.send(busy());
             const bool posted = parts_.services.readers.post(
                 [this, host, input, app, responder](std::size_t reader) {
                   const auto begin = std::chrono::steady_clock::now();
                   const store::Time wall = parts_.services.clock.wall();
                   auto librarian = host->librarian(reader);
                   if (!librarian) return responder.send(problem(librarian.error()));
                   if (const auto* embedders = parts_.services.embedders)
                     (*librarian)->use_embedders(embedders->get().asks);
                   store::RecallRequest request = make_request(*input, host->settings(), wall);
                   const auto allowed = host->allowed_secrets();
                   request.mask = [allowed](std::string& text) { allowed->mask(text); };
                   auto answer = (*librarian)->recall(request);
                   if (!answer) return responder.send(problem(answer.error()));
                   const auto took = std::chrono::duration_cast<std::chrono::microseconds>(
                       std::chrono::steady_clock::now() - begin);
                   // Noted first: whoever has the answer finds it in the audit.
                   note(host, *answer, *input, app, wall);
                   mask_names(*answer, *allowed);
                   responder.send(recall_response(*answer, *host->drawer_names(), took.count()));
                 });
             if (!posted) responder.send(busy());
           });
}

void Api::add_recall_calls() {
  router_.add(Method::kPost, "/v1/recall", {}, [this](Call call, Responder responder) {
    post_recall(std::move(call), std::move(responder));
  });
  add(Method::kGet, "/v1/audit", {"limit", "cursor"}, get_audit);
}

}  // namespace kartei::daemon::api
