#include "daemon/api/import.h"

#include <algorithm>
#include <set>

#include "daemon/api/problem.h"
#include "daemon/api/views.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

// One commit takes so much, whichever comes first; between two commits the writer does other work.
constexpr std::size_t kBatchItems = 256;
constexpr std::size_t kBatchBytes = 1 << 20;

// One import at work: what of the export became what here. Everything that belongs to a card (that
// it stands in another's place, that it is closed) is committed with it, so that an import that
// broke off is taken up again by repeating it.
class Importer : public std::enable_shared_from_this<Importer> {
 public:
  Importer(std::shared_ptr<BoxHost> host, ImportFile file, Responder responder)
      : host_(std::move(host)), file_(std::move(file)), responder_(std::move(responder)) {}

  void start() {
    prepare();
    if (auto placed = place_drawers(); !placed) return responder_.send(problem(placed.error()));
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
    return out;
  }

  // False: that was all.
  Result<bool> next_batch() {
    if (next_turn_ < file_.turns.size()) {
      KARTEI_TRY(take_turns());
    } else {
      KARTEI_TRY(take_cards());
    }
    return next_turn_ < file_.turns.size() || next_card_ < ordered_.size();
  }

  // A card comes after what it replaces. Without recursion: chains may be long, or bite their tail.
  void prepare() {
    for (const store::Card& card : file_.cards) by_id_.emplace(card.id, &card);
    for (const auto& [id, card] : by_id_)
      if (!card->replaced_by.is_zero()) replaced_by_[card->replaced_by].push_back(card);
    std::set<store::CardId> placed;
    for (const store::Card& card : file_.cards) {
      std::vector<const store::Card*> chain{&card};
      std::size_t looked_at = 0;
      if (!placed.insert(card.id).second) continue;
      for (; looked_at < chain.size(); ++looked_at) {
        for (const store::Card* older : predecessors(*chain[looked_at]))
          if (placed.insert(older->id).second) chain.push_back(older);
      }
      ordered_.insert(ordered_.end(), chain.rbegin(), chain.rend());
    }
  }
  const std::vector<const store::Card*>& predecessors(const store::Card& card) const {
    static const std::vector<const store::Card*> kNone;
    const auto found = replaced_by_.find(card.id);
    return found == replaced_by_.end() ? kNone : found->second;
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
      turn.device.bytes = host_->identity().pub().id();
      fresh.push_back(std::move(turn));
    }
    if (!fresh.empty()) {
      std::vector<store::Turn> heard = fresh;
      KARTEI_ASSIGN(const auto ids, host_->engine().hear(std::move(heard), host_->now()));
      turns_ += fresh.size();
      for (std::size_t i = 0; i < ids.size(); ++i) {
        turn_here_[fresh[i].id] = ids[i];
        fresh[i].id = ids[i];
      }
    }
    if (!file_.of_kartei) {
      if (!fresh.empty()) host_->look_for_unread();
      return {};
    }
    std::move(unread.begin(), unread.end(), std::back_inserter(fresh));
    return mark_read(fresh);
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
    for (; next_card_ < ordered_.size() && edits.size() < kBatchItems && bytes < kBatchBytes;
         ++next_card_) {
      const store::Card& from = *ordered_[next_card_];
      KARTEI_ASSIGN(const auto there, host_->box().card(from.id));
      if (there) {
        ++known_;
        here_.insert(from.id);
        continue;
      }
      bytes += from.text.size() + from.micro_context.size() + 512;
      KARTEI_TRY(add_card(from, edits));
      here_.insert(from.id);
      ++taken;
    }
    if (edits.empty()) return {};
    KARTEI_TRY(host_->engine().edit_all(std::move(edits), host_->now()));
    cards_ += taken;
    return {};
  }

  // The card, in the place of those that it replaced, in the state that it had.
  Status add_card(const store::Card& from, std::vector<store::CardEdited>& edits) {
    store::CardEdited add;
    add.kind = store::EditKind::kAdd;
    add.card = from;
    KARTEI_ASSIGN(add.drawer, drawer_here(from.drawer));
    add.card->drawer = add.drawer;
    for (store::TurnId& source : add.card->sources)
      if (const auto found = turn_here_.find(source); found != turn_here_.end())
        source = found->second;
    add.card->user_made = true;
    add.card->state = store::CardState::kOpen;
    add.card->closed_at = {};
    add.card->replaced_by = {};
    add.card->device.bytes = host_->identity().pub().id();
    bool added = false;
    for (const store::Card* older : predecessors(from)) {
      if (!here_.contains(older->id)) continue;  // a ring of cards that replace each other
      store::CardEdited replace = add;           // brings the same card once more
      replace.kind = store::EditKind::kReplace;
      replace.target = older->id;
      replace.note = older->why_closed;
      replace.valid_to = older->valid_to;
      edits.push_back(std::move(replace));
      added = true;
    }
    if (!added) edits.push_back(std::move(add));
    return restore_state(from, edits);
  }

  Status restore_state(const store::Card& from, std::vector<store::CardEdited>& edits) {
    store::CardEdited edit;
    switch (from.state) {
      case store::CardState::kClosed:
        edit.kind = store::EditKind::kClose;
        edit.valid_to = from.valid_to;
        if (!from.replaced_by.is_zero()) {
          KARTEI_ASSIGN(edit.card, host_->box().card(from.replaced_by));
          // Else its successor, which comes after it, closes it.
          if (!edit.card && by_id_.contains(from.replaced_by)) return {};
          if (edit.card && !edit.card->user_made) edit.card.reset();
          if (edit.card) edit.kind = store::EditKind::kReplace;
        }
        break;
      case store::CardState::kArchived:
      case store::CardState::kFaded:
        edit.kind = store::EditKind::kArchive;
        break;
      default:
        return {};
    }
    edit.target = from.id;
    KARTEI_ASSIGN(edit.drawer, drawer_here(from.drawer));
    edit.note = from.why_closed;
    edits.push_back(std::move(edit));
    return {};
  }

  std::shared_ptr<BoxHost> host_;
  ImportFile file_;
  Responder responder_;
  std::map<store::DrawerId, store::DrawerId> drawers_;
  std::map<store::TurnId, store::TurnId> turn_here_;
  std::map<store::CardId, const store::Card*> by_id_;
  std::map<store::CardId, std::vector<const store::Card*>> replaced_by_;  // newer to older
  std::vector<const store::Card*> ordered_;
  std::set<store::CardId> here_;
  std::size_t next_turn_ = 0, next_card_ = 0;
  std::size_t turns_ = 0, cards_ = 0, known_ = 0;
};

}  // namespace

void take_in(std::shared_ptr<BoxHost> host, ImportFile file, Responder responder) {
  std::make_shared<Importer>(std::move(host), std::move(file), std::move(responder))->start();
}

}  // namespace kartei::daemon::api
