#include "daemon/api/import.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <set>
#include <span>

#include "daemon/api/problem.h"
#include "daemon/api/views.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

// One commit takes so much, whichever comes first; between two commits the writer does other work.
constexpr std::size_t kBatchItems = 256;
constexpr std::size_t kBatchBytes = 1 << 20;
// Of one card's annotations, in the edit that brings it.
constexpr std::size_t kAnnotationBytes = 64 << 10;

// One import at work: what of the export became what here. A card comes with all that is said of
// it, its end included, in one edit: so cards may come in any order, and an import that broke off
// is taken up again by repeating it.
class Importer : public std::enable_shared_from_this<Importer> {
 public:
  Importer(std::shared_ptr<BoxHost> host, ImportFile file, ImportSecrets secrets,
           Responder responder)
      : host_(std::move(host)),
        file_(std::move(file)),
        secrets_(std::move(secrets)),
        responder_(std::move(responder)) {}

  void start() {
    screen();
    Status begun = place_drawers();
    if (begun) begun = take_owner();
    if (begun) begun = host_->allow_secrets(allows_);
    if (!begun) return responder_.send(problem(begun.error()));
    step();
  }

 private:
  void step() {
    if (host_->closed())
      return responder_.send(problem(Error{Cause::kUnavailable, "The daemon is stopping.", {}}));
    auto more = next_batch();
    host_->settle();
    if (!more) return responder_.send(problem(more.error()));
    if (!*more) return responder_.send(json_response(answer()));
    host_->services().writer.post_follow_up([self = shared_from_this()] { self->step(); });
  }

  json::object answer() const {
    json::object out;
    out["turns"] = turns_;
    out["cards"] = cards_;
    out["known"] = known_;
    out["refused"] = refused_;
    return out;
  }

  // ---- secrets

  void screen() {
    const auto allowed = host_->allowed_secrets();
    const auto holds = [&](const SecretsSeen& seen) {
      const auto refused = allowed->refused(seen);
      if (refused.empty()) return false;
      if (!file_.allow_secrets || !seen.in_names().empty()) return true;
      for (const SecretSeen& one : refused) allows_.push_back(one.essence);
      return false;
    };
    const auto refuse = [&](const char* kind, const std::string& id, const SecretsSeen& seen) {
      json::object entry;
      entry["kind"] = kind;
      entry["id"] = id;
      entry["reason"] = describe(allowed->refused(seen));
      refused_.push_back(std::move(entry));
    };
    std::set<store::TurnId> turns;
    for (const auto& [id, seen] : secrets_.turns) {
      if (!holds(seen)) continue;
      turns.insert(id);
      refuse("turn", id.text(), seen);
    }
    std::set<store::CardId> cards;
    for (const auto& [id, seen] : secrets_.cards) {
      if (!holds(seen)) continue;
      cards.insert(id);
      refuse("card", id.text(), seen);
    }
    std::erase_if(file_.turns, [&](const store::Turn& turn) { return turns.contains(turn.id); });
    std::erase_if(file_.cards, [&](const store::Card& card) { return cards.contains(card.id); });
    std::erase_if(file_.annotations, [&](const auto& more) { return cards.contains(more.card); });
  }

  // False: that was all.
  Result<bool> next_batch() {
    if (next_turn_ < file_.turns.size()) {
      KARTEI_TRY(take_turns());
    } else if (next_card_ < file_.cards.size()) {
      KARTEI_TRY(take_cards());
    } else if (next_more_ < file_.annotations.size()) {
      KARTEI_TRY(take_annotations(file_.annotations[next_more_++]));
    }
    return next_turn_ < file_.turns.size() || next_card_ < file_.cards.size() ||
           next_more_ < file_.annotations.size();
  }

  // The export's drawer under its name here; a drawer without a line must be there by id.
  Result<store::DrawerId> drawer_here(store::DrawerId there) {
    if (const auto found = drawers_.find(there); found != drawers_.end()) return found->second;
    KARTEI_ASSIGN(const auto own, host_->box().drawer(there));
    if (!own) return bad_input("The line of the drawer " + there.text() + " is missing.", "drawer");
    return drawers_[there] = own->id;
  }
  Status place_drawers() {
    for (const auto& [there, name] : file_.drawers) {
      KARTEI_ASSIGN(drawers_[there], host_->drawer_by_name(name));
    }
    return {};
  }

  // Where the box has been told of nobody yet.
  Status take_owner() {
    if (host_->engine().owner() || (file_.owner.empty() && file_.zone.empty())) return {};
    SettingsChange change;
    if (!file_.owner.empty()) change.owner = file_.owner;
    const bool known = store::zone_offset_min(file_.zone, host_->now().wall).has_value();
    if (!file_.zone.empty() && known) change.zone = file_.zone;
    return host_->change_settings(change);
  }

  // ---- turns

  Status take_turns() {
    std::vector<store::Turn> fresh, unread;
    std::size_t bytes = 0;
    for (; next_turn_ < file_.turns.size() && fresh.size() < kBatchItems && bytes < kBatchBytes;
         ++next_turn_) {
      store::Turn& turn = file_.turns[next_turn_];
      KARTEI_ASSIGN(turn.drawer, drawer_here(turn.drawer));
      KARTEI_ASSIGN(const auto there, host_->box().turn(turn.id));
      if (there) {
        ++known_;
        KARTEI_ASSIGN(const auto read, host_->box().extracted_by(turn.id));
        if (!read && unread.size() < kBatchItems) unread.push_back(*there);
        continue;
      }
      bytes += turn.text.size() + turn.caption.size();
      if (turn.device.is_zero()) turn.device.bytes = host_->identity().pub().id();
      fresh.push_back(std::move(turn));
    }
    if (!fresh.empty()) {
      std::vector<store::Turn> heard = fresh;
      KARTEI_ASSIGN(const auto ids, host_->engine().hear(std::move(heard), host_->now()));
      turns_ += fresh.size();
      for (std::size_t i = 0; i < ids.size(); ++i) {
        if (file_.unread.contains(fresh[i].id)) file_.unread.insert(ids[i]);
        turn_here_[fresh[i].id] = ids[i];
        fresh[i].id = ids[i];
      }
    }
    if (!file_.of_kartei) {
      if (!fresh.empty()) host_->look_for_unread();
      return {};
    }
    std::move(unread.begin(), unread.end(), std::back_inserter(fresh));
    const std::size_t all = fresh.size();
    std::erase_if(fresh, [&](const store::Turn& turn) { return file_.unread.contains(turn.id); });
    KARTEI_TRY(mark_read(fresh));
    if (fresh.size() < all) host_->look_for_unread();
    return {};
  }

  // Their cards come with them: the secretary must not write them again. One empty unit a
  // conversation and drawer. Shared drawers of a device that does not lead stay with the primary.
  Status mark_read(const std::vector<store::Turn>& turns) {
    std::map<std::pair<std::string, store::DrawerId>, store::UnitFiled> by_place;
    for (const store::Turn& turn : turns) {
      auto& unit = by_place[{turn.conversation, turn.drawer}];
      unit.drawer = turn.drawer;
      unit.sources.push_back(turn.id);
    }
    std::vector<store::UnitFiled> units;
    for (auto& [place, unit] : by_place) {
      unit.unit = store::derive_unit_id(unit);
      units.push_back(std::move(unit));
    }
    return units.empty() ? Status{} : host_->engine().file_units(std::move(units), host_->now());
  }

  // ---- cards

  Status take_cards() {
    std::vector<store::CardEdited> edits;
    std::size_t bytes = 0, taken = 0;
    for (; next_card_ < file_.cards.size() && edits.size() < kBatchItems && bytes < kBatchBytes;
         ++next_card_) {
      store::Card& card = file_.cards[next_card_];
      if (!taken_.insert(card.id).second) continue;
      KARTEI_ASSIGN(const auto there, host_->box().card(card.id));
      if (there) {
        ++known_;
        continue;
      }
      bytes += card.text.size() + card.micro_context.size() + 512;
      for (const std::string& note : card.annotations) bytes += note.size();
      KARTEI_TRY(add_card(std::move(card), edits));
      ++taken;
    }
    if (edits.empty()) return {};
    KARTEI_TRY(host_->engine().edit_all(std::move(edits), host_->now()));
    cards_ += taken;
    return {};
  }

  // Who said it, and with which trust, stays as it was: the import is the owner's own act, at the
  // local socket, and says nothing that a card of theirs could not.
  Status add_card(store::Card card, std::vector<store::CardEdited>& edits) {
    store::CardEdited add;
    add.kind = store::EditKind::kAdd;
    KARTEI_ASSIGN(add.drawer, drawer_here(card.drawer));
    card.drawer = add.drawer;
    for (store::TurnId& source : card.sources)
      if (const auto found = turn_here_.find(source); found != turn_here_.end())
        source = found->second;
    if (card.device.is_zero()) card.device.bytes = host_->identity().pub().id();
    std::vector<std::string> later = split_off(card.annotations);
    add.card = std::move(card);
    const store::CardId id = add.card->id;
    edits.push_back(std::move(add));
    annotate(id, edits.back().drawer, later, edits);
    return {};
  }

  // What would make one edit too large for a record goes into edits of its own.
  static std::vector<std::string> split_off(std::vector<std::string>& annotations) {
    std::size_t bytes = 0, kept = 0;
    while (kept < annotations.size() && bytes < kAnnotationBytes)
      bytes += annotations[kept++].size();
    const auto rest = annotations.begin() + static_cast<std::ptrdiff_t>(kept);
    std::vector<std::string> later(std::make_move_iterator(rest),
                                   std::make_move_iterator(annotations.end()));
    annotations.resize(kept);
    return later;
  }
  static void annotate(store::CardId card, store::DrawerId drawer, std::span<std::string> texts,
                       std::vector<store::CardEdited>& edits) {
    for (std::string& text : texts) {
      store::CardEdited edit;
      edit.kind = store::EditKind::kAnnotate;
      edit.drawer = drawer;
      edit.target = card;
      edit.note = std::move(text);
      edits.push_back(std::move(edit));
    }
  }

  // Those that the card does not have yet: repeating an import adds nothing.
  Status take_annotations(ImportFile::Annotations& more) {
    KARTEI_ASSIGN(const auto card, host_->box().card(more.card));
    if (!card) return {};
    const std::size_t has = card->annotations.size();
    if (has < more.from || has >= more.from + more.texts.size()) return {};
    std::vector<store::CardEdited> edits;
    annotate(more.card, card->drawer, std::span(more.texts).subspan(has - more.from), edits);
    KARTEI_TRY(host_->engine().edit_all(std::move(edits), host_->now()));
    return {};
  }

  std::shared_ptr<BoxHost> host_;
  ImportFile file_;
  const ImportSecrets secrets_;
  std::vector<std::string> allows_;  // by essence: what comes in with this import
  json::array refused_;
  Responder responder_;
  std::map<store::DrawerId, store::DrawerId> drawers_;
  std::map<store::TurnId, store::TurnId> turn_here_;
  std::set<store::CardId> taken_;
  std::size_t next_turn_ = 0, next_card_ = 0, next_more_ = 0;
  std::size_t turns_ = 0, cards_ = 0, known_ = 0;
};

}  // namespace

ImportSecrets look_for_secrets(ImportFile& file) {
  ImportSecrets out;
  for (const store::Turn& turn : file.turns)
    if (SecretsSeen seen = daemon::look_for_secrets(turn); seen.any()) out.turns[turn.id] = seen;
  for (const store::Card& card : file.cards)
    if (SecretsSeen seen = daemon::look_for_secrets(card); seen.any()) out.cards[card.id] = seen;
  for (const ImportFile::Annotations& more : file.annotations) {
    SecretsSeen seen;
    seen.texts("annotations", more.texts);
    if (!seen.any()) continue;
    const auto [place, fresh] = out.cards.try_emplace(more.card, seen);
    if (!fresh) place->second.texts("annotations", more.texts);
  }
  for (auto& [id, name] : file.drawers) secrets::mask(name);
  secrets::mask(file.owner);
  return out;
}

void take_in(std::shared_ptr<BoxHost> host, ImportFile file, ImportSecrets secrets,
             Responder responder) {
  std::make_shared<Importer>(std::move(host), std::move(file), std::move(secrets),
                             std::move(responder))
      ->start();
}

}  // namespace kartei::daemon::api
