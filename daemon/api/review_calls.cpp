// What the secretary wrote, looked through by the owner: accepted, rejected, and undone by what it
// came from.
#include <algorithm>
#include <boost/json/array.hpp>
#include <set>

#include "daemon/api/api.h"
#include "daemon/api/card_edits.h"
#include "daemon/api/views.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

using store::CardState;
using store::EditKind;

constexpr std::size_t kEditsACommit = 256;
constexpr const char* kRejected = "rejected";  // its annotation begins so

// What rejecting some cards comes to.
struct Rejection {
  std::vector<std::vector<store::CardEdited>> edits;  // those of one card together
  std::set<store::CardId> rejected;
  std::vector<store::CardId> reopened, kept;
};

bool is_away(const store::Card& card) {
  return card.state == CardState::kArchived || card.state == CardState::kErased;
}

store::CardEdited reviewed(const store::Card& card) {
  store::CardEdited edit = edit_of(card, EditKind::kFlags);
  edit.flags = card.flags | store::kReviewed;
  return edit;
}

// What this card had closed, by itself or by way of cards that are rejected with it.
Result<std::vector<store::Card>> closed_by(BoxHost& host, const store::Card& card,
                                           const Rejection& result) {
  KARTEI_ASSIGN(const auto history, host.box().history(card.id));
  std::set<store::CardId> way{card.id};
  std::vector<store::Card> closed;
  // Until nothing is added: times may be equal, so the order says little.
  for (std::size_t before = 0; before != way.size();) {
    before = way.size();
    for (const store::Card& one : history)
      if (way.contains(one.replaced_by) && result.rejected.contains(one.id)) way.insert(one.id);
  }
  for (const store::Card& one : history)
    if (one.state == CardState::kClosed && way.contains(one.replaced_by) && !way.contains(one.id))
      closed.push_back(one);
  return closed;
}

// It is put away, so that it answers nothing any more, and what it had closed is open again: as if
// it had not been written. Where another card has replaced it meanwhile, that one stands, and what
// was before stays closed.
Status reject(BoxHost& host, const store::Card& card, const std::string& why, Rejection& result) {
  std::vector<store::CardEdited> edits;
  // One that has ended is not put away by that alone: it would go on answering for its time.
  if (card.state == CardState::kClosed) edits.push_back(edit_of(card, EditKind::kReactivate));
  edits.push_back(edit_of(card, EditKind::kArchive));
  edits.push_back(reviewed(card));
  edits.push_back(edit_of(card, EditKind::kAnnotate));
  edits.back().note = why.empty() ? kRejected : std::string(kRejected) + ": " + why;
  if (card.state == CardState::kOpen) {
    KARTEI_ASSIGN(const auto closed, closed_by(host, card, result));
    for (const store::Card& one : closed) {
      edits.push_back(edit_of(one, EditKind::kReactivate));
      result.reopened.push_back(one.id);
    }
  }
  result.edits.push_back(std::move(edits));
  return {};
}

Status carry_out(BoxHost& host, Rejection& result) {
  std::vector<store::CardEdited> part;
  const auto commit = [&]() -> Status {
    if (part.empty()) return {};
    KARTEI_TRY(host.engine().edit_all(std::move(part), host.now()));
    part = {};
    return {};
  };
  for (auto& edits : result.edits) {
    if (part.size() + edits.size() > kEditsACommit) KARTEI_TRY(commit());
    std::move(edits.begin(), edits.end(), std::back_inserter(part));
  }
  return commit();
}

json::array ids(const auto& cards) {
  json::array out;
  for (const store::CardId& id : cards) out.emplace_back(id.text());
  return out;
}

HttpResponse rejection_answer(const Rejection& result) {
  json::object out;
  out["rejected"] = ids(result.rejected);
  out["reopened"] = ids(result.reopened);
  out["kept"] = ids(result.kept);
  return json_response(out);
}

struct Wish {
  RejectInput input;
  std::optional<HttpResponse> refusal;
};
Result<Wish> read_wish(BoxHost& host, const Call& call, bool may_be_dry) {
  KARTEI_ASSIGN(RejectInput input, read_reject(call.request.body, may_be_dry));
  SecretsSeen seen;
  seen.text("why", input.why);
  return Wish{std::move(input), judge_secrets(host, seen, false).refusal};
}

Result<HttpResponse> accept_card(BoxHost& host, const Call& call) {
  KARTEI_TRY(read_nothing(call.request.body));
  KARTEI_ASSIGN(const store::Card card, card_to_change(host, call));
  std::vector<store::CardEdited> edits;
  if (card.state == CardState::kQuarantined) edits.push_back(edit_of(card, EditKind::kApprove));
  if (!card.user_made && (card.flags & store::kReviewed) == 0) edits.push_back(reviewed(card));
  if (!edits.empty()) KARTEI_TRY(host.engine().edit_all(std::move(edits), host.now()));
  return card_answer(host, card.id);
}

Result<HttpResponse> reject_card(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const Wish wish, read_wish(host, call, false));
  if (wish.refusal) return *wish.refusal;
  KARTEI_ASSIGN(const store::Card card, card_to_change(host, call));
  if (is_away(card))
    return conflict("This card is put away already. `reactivate` takes it out again.");
  Rejection result;
  result.rejected.insert(card.id);
  KARTEI_TRY(reject(host, card, wish.input.why, result));
  KARTEI_TRY(carry_out(host, result));
  return rejection_answer(result);
}

// Not the owner's own cards, nor those that he accepted.
Result<HttpResponse> undo(BoxHost& host, const RejectInput& input,
                          const std::vector<store::Card>& cards) {
  Rejection result;
  std::vector<const store::Card*> meant;
  for (const store::Card& card : cards) {
    if (is_away(card)) continue;
    if (card.user_made || (card.flags & store::kReviewed) != 0) {
      result.kept.push_back(card.id);
      continue;
    }
    result.rejected.insert(card.id);
    meant.push_back(&card);
  }
  for (const store::Card* card : meant) KARTEI_TRY(reject(host, *card, input.why, result));
  if (!input.dry_run) KARTEI_TRY(carry_out(host, result));
  return rejection_answer(result);
}

Result<HttpResponse> undo_turn(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const Wish wish, read_wish(host, call, true));
  if (wish.refusal) return *wish.refusal;
  KARTEI_ASSIGN(const store::Turn turn, find_turn(host, call.path.at("id")));
  // What it only said again stands on another turn.
  KARTEI_ASSIGN(const auto cards, host.box().cards_written_from(turn.id));
  return undo(host, wish.input, cards);
}

Result<HttpResponse> undo_conversation(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const Wish wish, read_wish(host, call, true));
  if (wish.refusal) return *wish.refusal;
  store::CardFilter filter;
  filter.state.reset();
  filter.conversation = call.path.at("c");
  filter.limit = 500;
  std::vector<store::Card> cards;
  do {
    KARTEI_ASSIGN(store::CardPage page, host.box().cards(filter));
    std::move(page.cards.begin(), page.cards.end(), std::back_inserter(cards));
    filter.cursor = page.cursor;
  } while (!filter.cursor.empty());
  return undo(host, wish.input, cards);
}

}  // namespace

void Api::add_review_calls() {
  add(Method::kPost, "/v1/cards/{id}/accept", {}, accept_card);
  add(Method::kPost, "/v1/cards/{id}/reject", {}, reject_card);
  add(Method::kPost, "/v1/turns/{id}/undo", {}, undo_turn);
  add(Method::kPost, "/v1/conversations/{c}/undo", {}, undo_conversation);
}

}  // namespace kartei::daemon::api
