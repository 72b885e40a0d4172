#include "daemon/api/import.h"

#include <set>

#include "daemon/api/views.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

// One import: what of the export became what here.
class Importer {
 public:
  Importer(BoxHost& host, ImportFile file) : host_(host), file_(std::move(file)) {}

  Result<HttpResponse> run() {
    KARTEI_TRY(place_drawers());
    KARTEI_TRY(take_turns());
    for (const store::Card& card : file_.cards) {
      by_id_[card.id] = &card;
      if (!card.replaced_by.is_zero()) replaces_[card.replaced_by] = card.id;
    }
    for (const store::Card& card : file_.cards) KARTEI_TRY(take_card(card));
    json::object out;
    out["turns"] = turns_;
    out["cards"] = cards_;
    out["known"] = known_;
    return json_response(out);
  }

 private:
  // The export's drawer under its name here; a drawer without a line must be there by id.
  Result<store::DrawerId> drawer_here(store::DrawerId there) {
    if (const auto found = drawers_.find(there); found != drawers_.end()) return found->second;
    KARTEI_ASSIGN(const auto own, host_.box().drawer(there));
    if (!own) return bad_input("The line of the drawer " + there.text() + " is missing.", "drawer");
    return own->id;
  }
  Status place_drawers() {
    for (const auto& [there, name] : file_.drawers) {
      KARTEI_ASSIGN(drawers_[there], host_.drawer_by_name(name));
    }
    return {};
  }

  Status take_turns() {
    std::vector<store::Turn> fresh;
    for (store::Turn turn : file_.turns) {
      KARTEI_ASSIGN(turn.drawer, drawer_here(turn.drawer));
      KARTEI_ASSIGN(const auto there, host_.box().turn(turn.id));
      if (there) {
        ++known_;
        continue;
      }
      turn.device.bytes = host_.identity().pub().id();
      fresh.push_back(std::move(turn));
    }
    if (fresh.empty()) return {};
    turns_ = fresh.size();
    const auto heard = fresh;
    KARTEI_ASSIGN(const auto ids, host_.engine().hear(std::move(fresh), host_.now()));
    for (std::size_t i = 0; i < ids.size(); ++i) turn_here_[heard[i].id] = ids[i];
    if (!file_.of_kartei) {
      host_.look_for_unread();
      return {};
    }
    return mark_read(heard, ids);
  }

  // Their cards come with them: the secretary must not write them again. One empty unit a
  // conversation and drawer. Shared drawers of a device that does not lead stay with the primary.
  Status mark_read(const std::vector<store::Turn>& turns, const std::vector<store::TurnId>& ids) {
    std::map<std::pair<std::string, store::DrawerId>, store::UnitFiled> units;
    for (std::size_t i = 0; i < turns.size(); ++i) {
      auto& unit = units[{turns[i].conversation, turns[i].drawer}];
      unit.drawer = turns[i].drawer;
      unit.sources.push_back(ids[i]);
    }
    for (auto& [key, unit] : units) {
      unit.unit = store::derive_unit_id(unit);
      KARTEI_TRY(host_.engine().file_unit(std::move(unit), host_.now()));
    }
    return {};
  }

  Status take_card(const store::Card& from) {
    if (!done_.insert(from.id).second) return {};
    store::CardEdited edit;
    edit.kind = store::EditKind::kAdd;
    if (const auto older = replaces_.find(from.id); older != replaces_.end()) {
      const store::Card& predecessor = *by_id_.at(older->second);
      KARTEI_TRY(take_card(predecessor));
      edit.kind = store::EditKind::kReplace;
      edit.target = card_here_.at(predecessor.id);
      edit.note = predecessor.why_closed;
      edit.valid_to = predecessor.valid_to;
    }
    KARTEI_ASSIGN(const auto there, host_.box().card(from.id));
    if (there) {
      ++known_;
      card_here_[from.id] = from.id;
      return {};
    }
    store::Card card = from;
    KARTEI_ASSIGN(card.drawer, drawer_here(card.drawer));
    for (store::TurnId& source : card.sources)
      if (const auto found = turn_here_.find(source); found != turn_here_.end())
        source = found->second;
    card.user_made = true;
    card.state = store::CardState::kOpen;
    card.closed_at = {};
    card.replaced_by = {};
    card.device.bytes = host_.identity().pub().id();
    edit.drawer = card.drawer;
    edit.card = std::move(card);
    KARTEI_ASSIGN(card_here_[from.id], host_.engine().edit(std::move(edit), host_.now()));
    ++cards_;
    return restore_state(from);
  }

  Status restore_state(const store::Card& from) {
    store::CardEdited edit;
    switch (from.state) {
      case store::CardState::kClosed:
        if (by_id_.contains(from.replaced_by)) return {};  // its successor closes it
        edit.kind = store::EditKind::kClose;
        edit.valid_to = from.valid_to;
        break;
      case store::CardState::kArchived:
      case store::CardState::kFaded:
        edit.kind = store::EditKind::kArchive;
        break;
      default:
        return {};
    }
    edit.target = card_here_.at(from.id);
    KARTEI_ASSIGN(edit.drawer, drawer_here(from.drawer));
    edit.note = from.why_closed;
    KARTEI_TRY(host_.engine().edit(std::move(edit), host_.now()));
    return {};
  }

  BoxHost& host_;
  const ImportFile file_;
  std::map<store::DrawerId, store::DrawerId> drawers_;
  std::map<store::TurnId, store::TurnId> turn_here_;
  std::map<store::CardId, store::CardId> card_here_, replaces_;  // replaces_: newer to older
  std::map<store::CardId, const store::Card*> by_id_;
  std::set<store::CardId> done_;
  std::size_t turns_ = 0, cards_ = 0, known_ = 0;
};

}  // namespace

Result<HttpResponse> import_lines(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(ImportFile file, read_import(call.request.body));
  return Importer(host, std::move(file)).run();
}

}  // namespace kartei::daemon::api
