// What becomes of a card: changed, moved, replaced, closed, put away, taken out again, erased.
#include <algorithm>
#include <boost/json/array.hpp>
#include <cstdlib>

#include "daemon/api/api.h"
#include "daemon/api/card_edits.h"
#include "daemon/api/views.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

using store::CardState;
using store::EditKind;

// What may follow from which state. A step that would change nothing is refused, and says why: who
// asks for it believes something else of the card.
Status check_step(const store::Card& card, EditKind kind) {
  const bool wants_open =
      kind == EditKind::kClose || kind == EditKind::kReplace || kind == EditKind::kArchive;
  switch (card.state) {
    case CardState::kOpen:
      if (kind == EditKind::kReactivate)
        return conflict("This card is open already. It can be closed, archived or replaced.");
      break;
    case CardState::kClosed:
      if (wants_open && !card.replaced_by.is_zero())
        return conflict("This card is closed already: it was replaced by " +
                        card.replaced_by.text() +
                        ". Change that one, or reactivate this one first.");
      if (wants_open)
        return conflict("This card is closed already. Reactivate it first, or write a new one.");
      break;
    case CardState::kArchived:
      if (wants_open) return conflict("This card is archived. Reactivate it first, or erase it.");
      break;
    case CardState::kQuarantined:
      if (kind == EditKind::kReactivate)
        return conflict("This card waits for approval. Approve it: PATCH with \"approve\": true.");
      break;
    case CardState::kFaded:
    case CardState::kErased:
      break;
  }
  if (kind == EditKind::kApprove && card.state != CardState::kQuarantined)
    return bad_input(
        "This card is " + std::string(to_text(card.state)) + " and waits for no approval.",
        "approve");
  return {};
}

// Ends are exclusive; `from` unknown: any end fits.
Status check_end(const store::Date& from, const store::Date& to, bool may_be_empty,
                 const std::string& field) {
  if (!from.known() || !to.known()) return {};
  const auto order = store::compare(to, from);
  if (order > 0 || (order == 0 && may_be_empty)) return {};
  return bad_input("`" + field + "` is " + to.text() + ", but the card is valid from " +
                       from.text() + ": it cannot end before it begins. Give a later date.",
                   field);
}

// The card as the call leaves it, and the edits that bring that about.
void patch_in_place(store::Card& card, const CardPatch& patch,
                    std::vector<store::CardEdited>& edits) {
  if (patch.approve) {
    edits.push_back(edit_of(card, EditKind::kApprove));
    card.state = CardState::kOpen;
  }
  if (patch.flags) {
    edits.push_back(edit_of(card, EditKind::kFlags));
    card.flags = edits.back().flags = *patch.flags | (card.flags & store::kReviewed);
  }
  if (patch.importance) {
    edits.push_back(edit_of(card, EditKind::kImportance));
    card.importance = edits.back().importance = *patch.importance;
  }
  if (patch.annotation) {
    edits.push_back(edit_of(card, EditKind::kAnnotate));
    card.annotations.push_back(edits.back().note = *patch.annotation);
  }
}

// A card in another drawer is another card (drawers have keys of their own). One commit here, and
// where both drawers are shared one record for the others: nobody sees it twice, or not at all.
std::vector<store::CardEdited> moving_edits(BoxHost& host, const store::Card& card,
                                            store::DrawerId drawer, const std::string& name) {
  std::vector<store::CardEdited> edits(1);
  edits.reserve(2);  // `add` stays where it is
  store::CardEdited& add = edits.front();
  add.kind = EditKind::kAdd;
  add.drawer = drawer;
  add.card = card;
  host.services().random.fill(add.card->id.bytes);
  add.card->drawer = drawer;
  add.card->user_made = true;
  add.card->replaced_by = {};  // that one lies in the other drawer
  edits.push_back(edit_of(card, EditKind::kArchive));
  edits.back().note = "moved to the drawer " + name;
  return edits;
}

// The secrets that the card has are handed out from now on; or not any more.
Status allow_secrets_of(BoxHost& host, const store::Card& card, bool allow) {
  std::vector<std::string> essences;
  const SecretsSeen seen = daemon::look_for_secrets(card);
  for (const SecretSeen& one : seen.in_texts()) essences.push_back(one.essence);
  return allow ? host.allow_secrets(essences) : host.take_back_secrets(essences);
}

// Beside something else `allow_secrets` is about what the call brings.
bool changes_nothing_else(const CardPatch& patch) {
  return !patch.flags && !patch.annotation && !patch.drawer && !patch.importance && !patch.approve;
}

SecretsSeen look_for_secrets(const CardPatch& patch) {
  SecretsSeen seen;
  seen.text("annotation", patch.annotation.value_or(""));
  seen.name("drawer", patch.drawer.value_or(""));
  return seen;
}

// All that one call asks for in one commit: it is done whole or not at all.
Result<HttpResponse> patch_card(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const CardPatch patch, read_card_patch(call.request.body));
  KARTEI_ASSIGN(store::Card card, card_to_change(host, call));
  const SecretsJudged secrets =
      judge_secrets(host, look_for_secrets(patch), patch.allow_secrets.value_or(false));
  if (secrets.refusal) return *secrets.refusal;
  if (patch.allow_secrets && changes_nothing_else(patch))
    KARTEI_TRY(allow_secrets_of(host, card, *patch.allow_secrets));
  if (patch.approve) KARTEI_TRY(check_step(card, EditKind::kApprove));
  if (patch.drawer && card.state == CardState::kQuarantined && !patch.approve)
    return bad_input(
        "This card waits for approval. Approve it first, or in the same call, then move it.",
        "drawer");
  std::vector<store::CardEdited> edits;
  patch_in_place(card, patch, edits);
  if (patch.drawer) {
    KARTEI_ASSIGN(const store::DrawerId drawer, host.drawer_by_name(*patch.drawer));
    if (drawer != card.drawer) {
      edits = moving_edits(host, card, drawer, *patch.drawer);
      KARTEI_TRY(host.note_move(card.id, edits.front().card->id));
    }
  }
  if (edits.empty()) return card_answer(host, card.id);  // it is in that drawer
  const store::DrawerId place = edits.front().drawer;
  std::vector<store::CardId> ids;
  KARTEI_TRY(host.with_secrets(secrets.allows, [&]() -> Status {
    KARTEI_ASSIGN(ids, host.engine().edit_all(std::move(edits), host.now()));
    return {};
  }));
  if (place != card.drawer) KARTEI_TRY(host.teach_sorting(card, place));
  return card_answer(host, ids.front());
}

Result<HttpResponse> replace_card(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const CardInput input, read_replacement(call.request.body));
  const SecretsJudged secrets =
      judge_secrets(host, api::look_for_secrets(input), input.allow_secrets);
  if (secrets.refusal) return *secrets.refusal;
  KARTEI_ASSIGN(const store::Card old, card_to_change(host, call));
  KARTEI_TRY(check_step(old, EditKind::kReplace));
  // The old one ends where the new one begins; from the same day on, it was never true.
  KARTEI_TRY(check_end(old.valid_from, input.valid_from, true, "valid_from"));
  if (input.drawer && *input.drawer != drawer_view(*host.drawer_names(), old.drawer))
    return bad_input("A card is replaced within its drawer. Move it first: PATCH with `drawer`.",
                     "drawer");
  store::CardEdited edit = edit_of(old, EditKind::kReplace);
  edit.note = input.why;
  edit.valid_to = input.valid_from;
  edit.card = new_card(host, input, call);
  if (!input.colour) edit.card->colour = old.colour;
  if (!input.tags) edit.card->tags = old.tags;
  edit.card->drawer = old.drawer;
  edit.card->subject = old.subject;
  edit.card->relation = old.relation;
  KARTEI_ASSIGN(const store::CardId id, make_edit(host, std::move(edit), secrets));
  return card_answer(host, id, 201);
}

Result<HttpResponse> end_card(BoxHost& host, const Call& call, EditKind kind) {
  KARTEI_ASSIGN(const CardEnd end, read_card_end(call.request.body, kind == EditKind::kClose));
  SecretsSeen seen;
  seen.text("why", end.why);
  const SecretsJudged secrets = judge_secrets(host, seen, end.allow_secrets);
  if (secrets.refusal) return *secrets.refusal;
  KARTEI_ASSIGN(const store::Card card, card_to_change(host, call));
  KARTEI_TRY(check_step(card, kind));
  KARTEI_TRY(check_end(card.valid_from, end.valid_to, false, "valid_to"));
  store::CardEdited edit = edit_of(card, kind);
  edit.note = end.why;
  edit.valid_to = end.valid_to;
  KARTEI_TRY(make_edit(host, std::move(edit), secrets));
  return card_answer(host, card.id);
}

// With all that it was in other drawers before it was moved, or has become there since.
Result<HttpResponse> erase_card(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const store::Card card, card_to_change(host, call));
  std::vector<store::CardEdited> edits{edit_of(card, EditKind::kEraseCard)};
  host.services().random.fill(edits.front().edit.bytes);
  const std::string id = edits.front().edit.text();
  KARTEI_ASSIGN(const auto copies, host.box().copies_of(card.id));
  for (const store::CardId copy : copies) {
    KARTEI_ASSIGN(const auto other, host.box().card(copy));
    if (other) edits.push_back(edit_of(*other, EditKind::kEraseCard));
  }
  // What was allowed with it goes, too: even its hash.
  KARTEI_TRY(allow_secrets_of(host, card, false));
  KARTEI_TRY(host.erased());  // first: a crash in between must not forget it
  KARTEI_TRY(host.engine().edit_all(std::move(edits), host.now()));
  json::object out;
  out["erasure"] = id;
  return json_response(out, 202);
}

// ---- how far an erasure has come

std::string erasure_key(const std::string& id) {
  return "daemon.erasure." + id;
}

Status keep_erasure(BoxHost& host, const std::string& id, const std::string& text) {
  KARTEI_ASSIGN(auto transaction, host.box().begin());
  KARTEI_TRY(host.box().put_meta(erasure_key(id), as_bytes(text)));
  return transaction.commit(store::Box::Transaction::Durability::kLazy);
}

constexpr const char* kErasureFinal = "final";

// All of it: two devices may open terms of one counter.
std::string term_text(const store::Term& term) {
  return " " + std::to_string(term.counter) + " " + term.feed.device.text() + " " +
         std::to_string(term.feed.number) + " " + std::to_string(term.feed.tag);
}

// The height that a device must have reached, under the ledger's term, to have taken the erasure
// in; empty: all have. It is that of the tip when it was first asked for in this term: an earlier
// term's may have been taken back since, and the erasure have come again higher up.
Result<std::optional<std::uint64_t>> erasure_height(BoxHost& host, const std::string& id,
                                                    const sync::EngineStatus& status) {
  KARTEI_ASSIGN(const auto kept, host.box().meta(erasure_key(id)));
  const std::string text(kept ? as_text(*kept) : std::string_view());
  if (text == kErasureFinal) return std::optional<std::uint64_t>();
  const std::string term = term_text(status.tip.term);
  if (!text.ends_with(term)) {
    KARTEI_TRY(keep_erasure(host, id, std::to_string(status.tip.height) + term));
    return std::optional(status.tip.height);
  }
  const std::uint64_t height = std::strtoull(text.c_str(), nullptr, 10);
  if (status.final_position.height < height) return std::optional(height);
  KARTEI_TRY(keep_erasure(host, id, kErasureFinal));
  return std::optional<std::uint64_t>();
}

json::object erasure_device(const sync::MemberView& member, bool done) {
  json::object out;
  out["id"] = member.id.text();
  out["name"] = member.name;
  out["self"] = member.self;
  out["done"] = done;
  out["last_heard_ms"] = member.silent_ms ? json::value(*member.silent_ms) : json::value(nullptr);
  return out;
}

bool holds(const store::Drawer& drawer, const sync::MemberView& member) {
  if (member.self) return true;
  if (!drawer.shared || !member.member) return false;
  return drawer.devices.empty() ||
         std::find(drawer.devices.begin(), drawer.devices.end(), member.id) != drawer.devices.end();
}

Result<HttpResponse> get_erasure(BoxHost& host, const Call& call) {
  const auto id = store::EditId::from_text(call.path.at("id"));
  std::optional<store::Box::EditPlace> place;
  if (id) {
    KARTEI_ASSIGN(place, host.box().edit_place(*id));
  }
  if (!place || !place->erases)
    return not_found("There is no erasure with this id. Erasing a card gives one.");
  KARTEI_ASSIGN(const auto drawer, host.box().drawer(place->drawer));
  const sync::EngineStatus status = host.engine().status(host.now());
  const bool shared = drawer && drawer->shared;
  std::optional<std::uint64_t> height;
  if (place->filed && shared) {
    KARTEI_ASSIGN(height, erasure_height(host, id->text(), status));
  }
  bool all = true;
  json::array devices;
  for (const sync::MemberView& member : status.members) {
    if (!drawer || !holds(*drawer, member)) continue;
    const bool stands =
        !height || (member.applied_term == status.tip.term && member.applied_height >= *height);
    const bool done = member.self || (place->filed && stands);
    all = all && done;
    devices.push_back(erasure_device(member, done));
  }
  json::object out;
  out["erasure"] = id->text();
  out["drawer"] = drawer ? json::value(secrets::masked(drawer->name)) : json::value(nullptr);
  out["state"] = !place->filed ? "waiting" : all ? "done" : "spreading";
  out["devices"] = std::move(devices);
  return json_response(out);
}

}  // namespace

Error conflict(std::string what) {
  return {Cause::kConflict, std::move(what), {}};
}

Result<store::Card> card_to_change(BoxHost& host, const Call& call) {
  const std::string& text = call.path.at("id");
  auto card = find_card(host, text);
  if (card || card.error().cause != Cause::kNotFound) return card;
  if (const auto id = store::CardId::from_text(text)) {
    KARTEI_ASSIGN(const bool erased, host.box().card_erased(*id));
    if (erased)
      return conflict(
          "This card is erased: nothing is left of it. Write a new one where it is still wanted.");
  }
  return card;
}

store::CardEdited edit_of(const store::Card& card, EditKind kind) {
  store::CardEdited edit;
  edit.kind = kind;
  edit.drawer = card.drawer;
  edit.target = card.id;
  return edit;
}

void Api::add_card_steps() {
  add(Method::kPatch, "/v1/cards/{id}", {}, patch_card);
  add(Method::kDelete, "/v1/cards/{id}", {}, erase_card);
  add(Method::kGet, "/v1/erasures/{id}", {}, get_erasure);
  add(Method::kPost, "/v1/cards/{id}/replace", {}, replace_card);
  const auto ending = [](EditKind kind) {
    return [kind](BoxHost& host, const Call& call) { return end_card(host, call, kind); };
  };
  add(Method::kPost, "/v1/cards/{id}/close", {}, ending(EditKind::kClose));
  add(Method::kPost, "/v1/cards/{id}/archive", {}, ending(EditKind::kArchive));
  add(Method::kPost, "/v1/cards/{id}/reactivate", {}, ending(EditKind::kReactivate));
}

}  // namespace kartei::daemon::api
