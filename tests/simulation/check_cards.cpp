// The end checks about cards: what the accepted units and the users' words leave to be shown.
#include <algorithm>

#include "tests/simulation/check_end.h"

namespace kartei::sim {

namespace {

bool open(const store::Card& card) {
  return card.state == store::CardState::kOpen;
}

bool share_a_source(const store::Card& a, const store::Card& b) {
  return std::any_of(a.sources.begin(), a.sources.end(), [&](const store::TurnId& t) {
    return std::find(b.sources.begin(), b.sources.end(), t) != b.sources.end();
  });
}

}  // namespace

bool EndChecker::says_same(const store::Card& a, const store::Card& b) {
  return a.id == b.id || (share_a_source(a, b) && store::card_key(a) == store::card_key(b));
}

bool EndChecker::ended(const store::Card& card) const {
  return std::any_of(ends_.list.begin(), ends_.list.end(),
                     [&](const SaidEdit* e) { return e->target && says_same(*e->target, card); });
}

bool EndChecker::shows(const store::Card& card) const {
  return std::any_of(cards_.begin(), cards_.end(),
                     [&](const store::Card& c) { return says_same(c, card); });
}

// By anybody, owed or not: then it need not be there.
bool EndChecker::erased(const store::Card& card) const {
  for (const SaidEdit& e : world_.history().edits) {
    if (e.edit.kind == store::EditKind::kEraseCard && e.target && says_same(*e.target, card))
      return true;
    if (e.edit.kind == store::EditKind::kEraseTurn &&
        std::find(card.sources.begin(), card.sources.end(), e.edit.turn) != card.sources.end())
      return true;
  }
  return false;
}

void EndChecker::cards() {
  const History& h = world_.history();
  // Also of turns that were on disk when the power went and nobody was answered.
  std::set<store::UnitId> accepted;
  for (const auto& [id, unit] : h.worded) {
    if (!h.ever_shared.contains(unit.drawer)) continue;
    for (const store::TurnId& turn : unit.sources) {
      const auto by = reader_->box->extracted_by(turn);
      if (by.has_value() && *by && h.worded.contains(**by)) accepted.insert(**by);
      if (by.has_value() && *by && !h.worded.contains(**by))
        throw Violation{"a unit that no secretary worded: " + (*by)->text()};
    }
  }
  // Every card of an accepted unit is there, unless it was erased or gave way to one that says the
  // same and that a user has touched.
  std::set<store::CardId> worded;
  for (const store::UnitId& id : accepted) {
    for (const store::Card& card : h.worded.at(id).cards) {
      worded.insert(card.id);
      if (!shows(card) && !erased(card))
        throw Violation{"a unit was not taken whole: " + card.text};
    }
  }
  // No card that no accepted unit and no user brought; none said twice.
  std::map<std::pair<store::TurnId, std::string>, const store::Card*> said;
  for (const store::Card& card : cards_) {
    if (!open(card) || users_own_.contains(card.id)) continue;
    if (!worded.contains(card.id) && !touched_.contains(card.id))
      throw Violation{"a card of no accepted unit: " + card.text};
    for (const store::TurnId& turn : card.sources) {
      const auto [other, first] = said.emplace(std::pair{turn, store::card_key(card)}, &card);
      if (!first && other->second->id != card.id &&
          !(touched_.contains(card.id) && touched_.contains(other->second->id)))
        throw Violation{"said twice: " + card.text + " and " + other->second->text};
    }
  }
}

void EndChecker::users_word() {
  for (const store::Card& card : cards_) {
    if (open(card) && ended(card) && !users_own_.contains(card.id))
      throw Violation{"closed or erased by its owner, yet there: " + card.text};
    for (const store::TurnId& turn : card.sources)
      if (ends_.turns_gone.contains(turn) && !users_own_.contains(card.id))
        throw Violation{"an erased turn comes back in: " + card.text};
  }
  for (const std::size_t i : owed_.edits) {
    const SaidEdit& said = world_.history().edits[i];
    if (said.local) continue;
    const bool makes =
        said.edit.kind == store::EditKind::kAdd || said.edit.kind == store::EditKind::kReplace;
    if (makes) {
      store::Card made;
      made.id = said.made;
      const bool there = std::any_of(cards_.begin(), cards_.end(),
                                     [&](const store::Card& c) { return c.id == said.made; });
      if (!there && !erased(made))
        throw Violation{"the owner's own card is lost: " + said.edit.card->text};
      continue;
    }
    const bool revives = said.edit.kind == store::EditKind::kFlags ||
                         said.edit.kind == store::EditKind::kAnnotate ||
                         said.edit.kind == store::EditKind::kImportance;
    if (revives && said.target && !erased(*said.target) && !shows(*said.target))
      throw Violation{"a card that its owner touched is gone: " + said.target->text};
  }
}

}  // namespace kartei::sim
