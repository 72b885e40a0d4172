// The cards, in the user's own hands.
#include <boost/json/array.hpp>

#include "daemon/api/api.h"
#include "daemon/api/views.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

Result<HttpResponse> card_answer(BoxHost& host, store::CardId id, int status = 200) {
  KARTEI_ASSIGN(const auto card, host.box().card(id));
  if (!card) return not_found("The card is gone.");
  KARTEI_ASSIGN(const auto sources, source_ids(host, *card));
  return json_response(card_view(*card, *host.drawer_names(), sources), status);
}

Result<store::CardFilter> read_filter(BoxHost& host, const Call& call) {
  store::CardFilter filter;
  KARTEI_ASSIGN(filter.limit, read_limit(call, 50, 500));
  filter.q = call.parameter("q").value_or("");
  filter.cursor = call.parameter("cursor").value_or("");
  if (const auto state = call.parameter("state")) {
    filter.state = store::card_state_from_text(*state);
    if (!filter.state && *state != "all")
      return bad_input("`state` must be open, closed, faded, archived, quarantined, erased or all.",
                       "state");
  }
  if (const auto colour = call.parameter("colour")) {
    filter.colour = store::colour_from_text(*colour);
    if (!filter.colour) return bad_input("`colour` must be fact, event or rule.", "colour");
  }
  if (const auto since = call.parameter("since")) {
    const auto time = store::parse_rfc3339(*since);
    if (!time) return bad_input("`since` must be an RFC 3339 time with zone.", "since");
    filter.since = time->at;
  }
  if (const auto name = call.parameter("drawer")) {
    KARTEI_ASSIGN(const auto drawer, host.box().drawer(std::string_view(*name)));
    if (!drawer) return not_found("There is no drawer called " + *name + ".");
    filter.drawer = drawer->id;
  }
  return filter;
}

Result<HttpResponse> list_cards(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const store::CardFilter filter, read_filter(host, call));
  KARTEI_ASSIGN(const store::CardPage page, host.box().cards(filter));
  const auto names = host.drawer_names();
  json::array items;
  for (const store::Card& card : page.cards) {
    KARTEI_ASSIGN(const auto sources, source_ids(host, card));
    items.push_back(card_view(card, *names, sources));
  }
  json::object out;
  out["items"] = std::move(items);
  out["cursor"] = page.cursor.empty() ? json::value(nullptr) : json::value(page.cursor);
  return json_response(out);
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

Result<HttpResponse> add_card(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const CardInput input, read_card(call.request.body));
  store::CardEdited edit;
  edit.kind = store::EditKind::kAdd;
  KARTEI_ASSIGN(edit.drawer, host.drawer_by_name(input.drawer.value_or(BoxHost::kDefaultDrawer)));
  edit.card = new_card(host, input, call);
  edit.card->drawer = edit.drawer;
  KARTEI_ASSIGN(const store::CardId id, host.engine().edit(std::move(edit), host.now()));
  return card_answer(host, id, 201);
}

Result<HttpResponse> get_card(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const store::Card card, find_card(host, call.path.at("id")));
  return card_answer(host, card.id);
}

Result<HttpResponse> get_history(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const store::Card card, find_card(host, call.path.at("id")));
  KARTEI_ASSIGN(const auto history, host.box().history(card.id));
  const auto names = host.drawer_names();
  json::array items;
  for (const store::Card& one : history) {
    KARTEI_ASSIGN(const auto sources, source_ids(host, one));
    items.push_back(card_view(one, *names, sources));
  }
  json::object out;
  out["id"] = card.id.text();
  out["items"] = std::move(items);
  return json_response(out);
}

store::CardEdited edit_of(const store::Card& card, store::EditKind kind) {
  store::CardEdited edit;
  edit.kind = kind;
  edit.drawer = card.drawer;
  edit.target = card.id;
  return edit;
}

// A card in another drawer is another card (drawers have keys of their own). One commit here, and
// where both drawers are shared one record for the others: nobody sees it twice, or not at all.
Result<store::CardId> move_card(BoxHost& host, const store::Card& card, const std::string& to) {
  KARTEI_ASSIGN(const store::DrawerId drawer, host.drawer_by_name(to));
  if (drawer == card.drawer) return card.id;
  if (card.state == store::CardState::kQuarantined)
    return bad_input("This card waits for approval. Approve it first, then move it.", "drawer");
  std::vector<store::CardEdited> edits(1);
  edits.reserve(3);  // `add` stays where it is
  store::CardEdited& add = edits.front();
  add.kind = store::EditKind::kAdd;
  add.drawer = drawer;
  add.card = card;
  host.services().random.fill(add.card->id.bytes);
  add.card->drawer = drawer;
  add.card->user_made = true;
  if (card.state != store::CardState::kOpen) {  // the copy is what the card is, in the same commit
    edits.push_back(edit_of(*add.card, card.state == store::CardState::kClosed
                                           ? store::EditKind::kClose
                                           : store::EditKind::kArchive));
    edits.back().note = card.why_closed;
    edits.back().valid_to = card.valid_to;
  }
  edits.push_back(edit_of(card, store::EditKind::kArchive));
  edits.back().note = "moved to the drawer " + to;
  KARTEI_ASSIGN(const auto ids, host.engine().edit_all(std::move(edits), host.now()));
  return ids.front();
}

Result<HttpResponse> patch_card(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const CardPatch patch, read_card_patch(call.request.body));
  KARTEI_ASSIGN(const store::Card card, find_card(host, call.path.at("id")));
  const auto apply = [&](store::CardEdited edit) -> Status {
    KARTEI_TRY(host.engine().edit(std::move(edit), host.now()));
    return {};
  };
  if (patch.flags) {
    store::CardEdited edit = edit_of(card, store::EditKind::kFlags);
    edit.flags = *patch.flags;
    KARTEI_TRY(apply(std::move(edit)));
  }
  if (patch.importance) {
    store::CardEdited edit = edit_of(card, store::EditKind::kImportance);
    edit.importance = *patch.importance;
    KARTEI_TRY(apply(std::move(edit)));
  }
  if (patch.annotation) {
    store::CardEdited edit = edit_of(card, store::EditKind::kAnnotate);
    edit.note = *patch.annotation;
    KARTEI_TRY(apply(std::move(edit)));
  }
  if (patch.approve) KARTEI_TRY(apply(edit_of(card, store::EditKind::kApprove)));
  if (!patch.drawer) return card_answer(host, card.id);
  KARTEI_ASSIGN(const store::Card changed, find_card(host, card.id.text()));
  KARTEI_ASSIGN(const store::CardId moved, move_card(host, changed, *patch.drawer));
  return card_answer(host, moved);
}

Result<HttpResponse> replace_card(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const CardInput input, read_replacement(call.request.body));
  KARTEI_ASSIGN(const store::Card old, find_card(host, call.path.at("id")));
  store::CardEdited edit = edit_of(old, store::EditKind::kReplace);
  edit.note = input.why;
  edit.valid_to = input.valid_from;
  edit.card = new_card(host, input, call);
  if (!input.colour) edit.card->colour = old.colour;
  if (!input.tags) edit.card->tags = old.tags;
  edit.card->drawer = old.drawer;
  edit.card->subject = old.subject;
  edit.card->relation = old.relation;
  if (input.drawer && *input.drawer != drawer_view(*host.drawer_names(), old.drawer))
    return bad_input("A card is replaced within its drawer. Move it first (PATCH).", "drawer");
  KARTEI_ASSIGN(const store::CardId id, host.engine().edit(std::move(edit), host.now()));
  return card_answer(host, id, 201);
}

Result<HttpResponse> end_card(BoxHost& host, const Call& call, store::EditKind kind) {
  KARTEI_ASSIGN(const CardEnd end, read_card_end(call.request.body));
  KARTEI_ASSIGN(const store::Card card, find_card(host, call.path.at("id")));
  store::CardEdited edit = edit_of(card, kind);
  edit.note = end.why;
  edit.valid_to = end.valid_to;
  KARTEI_TRY(host.engine().edit(std::move(edit), host.now()));
  return card_answer(host, card.id);
}

Result<HttpResponse> erase_card(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const store::Card card, find_card(host, call.path.at("id")));
  store::CardEdited edit = edit_of(card, store::EditKind::kEraseCard);
  host.services().random.fill(edit.edit.bytes);
  const std::string id = edit.edit.text();
  KARTEI_TRY(host.erased());  // first: a crash in between must not forget it
  KARTEI_TRY(host.engine().edit(std::move(edit), host.now()));
  json::object out;
  out["erasure"] = id;
  return json_response(out, 202);
}

}  // namespace

void Api::add_card_calls() {
  using store::EditKind;
  add(Method::kGet, "/v1/cards", {"drawer", "state", "colour", "q", "since", "cursor", "limit"},
      list_cards);
  add(Method::kPost, "/v1/cards", {}, add_card);
  add(Method::kGet, "/v1/cards/{id}", {}, get_card);
  add(Method::kPatch, "/v1/cards/{id}", {}, patch_card);
  add(Method::kDelete, "/v1/cards/{id}", {}, erase_card);
  add(Method::kGet, "/v1/cards/{id}/history", {}, get_history);
  add(Method::kPost, "/v1/cards/{id}/replace", {}, replace_card);
  const auto ending = [](EditKind kind) {
    return [kind](BoxHost& host, const Call& call) { return end_card(host, call, kind); };
  };
  add(Method::kPost, "/v1/cards/{id}/close", {}, ending(EditKind::kClose));
  add(Method::kPost, "/v1/cards/{id}/archive", {}, ending(EditKind::kArchive));
  add(Method::kPost, "/v1/cards/{id}/reactivate", {}, ending(EditKind::kReactivate));
}

}  // namespace kartei::daemon::api
