// Cards listed, shown and written. What becomes of them afterwards is in card_steps.cpp.
#include <boost/json/array.hpp>

#include "daemon/api/api.h"
#include "daemon/api/json_fields.h"
#include "daemon/api/views.h"
#include "store/forgotten.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

constexpr std::size_t kStoodForShown = 500;

Result<store::CardFilter> read_filter(BoxHost& host, const Call& call) {
  store::CardFilter filter;
  KARTEI_ASSIGN(filter.limit, read_limit(call, 50, 500));
  filter.q = call.parameter("q").value_or("");
  filter.cursor = call.parameter("cursor").value_or("");
  if (const auto state = call.parameter("state")) {
    filter.state = store::card_state_from_text(*state);
    if (!filter.state && *state != "all")
      return bad_input(
          "`state` must be open, closed, faded, archived, quarantined, erased or all, not " +
              in_quotes(*state) + ".",
          "state");
  }
  if (const auto fresh = call.parameter("new")) {
    if (*fresh != "true" && *fresh != "false")
      return bad_input("`new` must be true or false, not " + in_quotes(*fresh) + ".", "new");
    filter.unreviewed = *fresh == "true";
    // What was closed meanwhile is for review, too.
    if (filter.unreviewed && !call.parameter("state")) filter.state.reset();
  }
  if (const auto colour = call.parameter("colour")) {
    filter.colour = store::colour_from_text(*colour);
    if (!filter.colour)
      return bad_input("`colour` must be fact, event or rule, not " + in_quotes(*colour) + ".",
                       "colour");
  }
  if (const auto since = call.parameter("since")) {
    const auto time = store::parse_rfc3339(*since);
    if (!time)
      return bad_input("`since` must be an RFC 3339 time with zone, not " + in_quotes(*since) + ".",
                       "since");
    filter.since = time->at;
  }
  if (const auto name = call.parameter("drawer")) {
    KARTEI_ASSIGN(const auto drawer, host.box().drawer(std::string_view(*name)));
    if (!drawer) return no_drawer(host, *name);
    filter.drawer = drawer->id;
  }
  return filter;
}

Result<HttpResponse> list_cards(BoxHost& host, const Call& call, std::vector<std::string>& read) {
  KARTEI_ASSIGN(const store::CardFilter filter, read_filter(host, call));
  KARTEI_ASSIGN(store::CardPage page, host.box().cards(filter));
  const auto names = host.drawer_names();
  json::array items;
  const auto allowed = host.allowed_secrets();
  for (store::Card& card : page.cards) {
    allowed->mask(card);
    KARTEI_ASSIGN(const auto sources, source_ids(host, card));
    items.push_back(card_view(card, *names, sources));
    read.push_back(card.id.text());
  }
  json::object out;
  out["items"] = std::move(items);
  out["cursor"] = page.cursor.empty() ? json::value(nullptr) : json::value(page.cursor);
  return json_response(out);
}

Result<HttpResponse> add_card(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const CardInput input, read_card(call.request.body));
  const SecretsJudged secrets = judge_secrets(host, look_for_secrets(input), input.allow_secrets);
  if (secrets.refusal) return *secrets.refusal;
  store::CardEdited edit;
  edit.kind = store::EditKind::kAdd;
  KARTEI_ASSIGN(edit.drawer, host.drawer_by_name(input.drawer.value_or(BoxHost::kDefaultDrawer)));
  edit.card = new_card(host, input, call);
  edit.card->drawer = edit.drawer;
  KARTEI_ASSIGN(const store::CardId id, make_edit(host, std::move(edit), secrets));
  return card_answer(host, id, 201);
}

Result<HttpResponse> get_card(BoxHost& host, const Call& call, std::vector<std::string>& read) {
  KARTEI_ASSIGN(store::Card card, find_card(host, call.path.at("id")));
  read.push_back(card.id.text());
  host.allowed_secrets()->mask(card);
  KARTEI_ASSIGN(const auto sources, source_ids(host, card));
  json::object out = card_view(card, *host.drawer_names(), sources);
  KARTEI_ASSIGN(const auto stood_for, store::read_stood_for(host.box(), card.id, kStoodForShown));
  json::array ids;
  for (const store::CardId id : stood_for) ids.emplace_back(id.text());
  out["stands_for"] = std::move(ids);
  return json_response(out);
}

Result<HttpResponse> get_history(BoxHost& host, const Call& call, std::vector<std::string>& read) {
  KARTEI_ASSIGN(const store::Card card, find_card(host, call.path.at("id")));
  KARTEI_ASSIGN(auto history, host.box().history(card.id));
  const auto names = host.drawer_names();
  json::array items;
  const auto allowed = host.allowed_secrets();
  for (store::Card& one : history) {
    allowed->mask(one);
    KARTEI_ASSIGN(const auto sources, source_ids(host, one));
    items.push_back(card_view(one, *names, sources));
    read.push_back(one.id.text());
  }
  json::object out;
  out["id"] = card.id.text();
  out["items"] = std::move(items);
  return json_response(out);
}

}  // namespace

SecretsSeen look_for_secrets(const CardInput& input) {
  SecretsSeen seen;
  seen.text("text", input.text);
  seen.text("why", input.why);
  seen.texts("tags", input.tags.value_or(std::vector<std::string>{}));
  seen.name("drawer", input.drawer.value_or(""));
  return seen;
}

Result<HttpResponse> card_answer(BoxHost& host, store::CardId id, int status) {
  KARTEI_ASSIGN(auto card, host.box().card(id));
  if (!card) return not_found("The card is gone.");
  host.allowed_secrets()->mask(*card);
  KARTEI_ASSIGN(const auto sources, source_ids(host, *card));
  return json_response(card_view(*card, *host.drawer_names(), sources), status);
}

Result<store::CardId> make_edit(BoxHost& host, store::CardEdited edit,
                                const SecretsJudged& secrets) {
  store::CardId id;
  KARTEI_TRY(host.with_secrets(secrets.allows, [&]() -> Status {
    KARTEI_ASSIGN(id, host.engine().edit(std::move(edit), host.now()));
    return {};
  }));
  return id;
}

store::Card new_card(BoxHost& host, const CardInput& input, const Call& call) {
  store::Card card;
  card.text = input.text;
  card.colour = input.colour.value_or(store::Colour::kFact);
  card.valid_from = input.valid_from;
  card.valid_to = input.valid_to;
  card.tags = input.tags.value_or(std::vector<std::string>{});
  card.flags = input.flags;
  card.trust = store::Trust::kUser;
  card.said_by = host.settings().owner;
  card.app = call.request.app;
  card.recorded_at = host.now().wall;
  card.device.bytes = host.identity().pub().id();
  card.user_made = true;
  return card;
}

void Api::add_card_calls() {
  add_read(Method::kGet, "/v1/cards",
           {"drawer", "state", "colour", "q", "since", "new", "cursor", "limit"}, list_cards);
  add(Method::kPost, "/v1/cards", {}, add_card);
  add_read(Method::kGet, "/v1/cards/{id}", {}, get_card);
  add_read(Method::kGet, "/v1/cards/{id}/history", {}, get_history);
}

}  // namespace kartei::daemon::api
