#include "daemon/across_drawers.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace kartei::daemon {
namespace {

constexpr const char* kEndedElsewhere = "it was said otherwise since";

bool among(const std::vector<store::DrawerId>& drawers, store::DrawerId one) {
  return std::find(drawers.begin(), drawers.end(), one) != drawers.end();
}

// Whether a card was said later than what is being read.
Result<bool> said_later(store::Box& box, const store::Card& card, store::Time than) {
  for (const store::TurnId source : card.sources) {
    KARTEI_ASSIGN(const auto turn, box.turn(source));
    if (turn && turn->said_at.at > than) return true;
  }
  return false;
}

auto when_said(const store::Turn& turn) {
  return std::tuple(turn.recorded_at, turn.said_at.at);
}

// Empty: nothing is to be said of it there.
Result<std::optional<store::CardEdited>> end_elsewhere(store::Box& box, const store::Card& card,
                                                       const store::CardClose& close,
                                                       const store::Turn& last, bool acting) {
  KARTEI_ASSIGN(const auto place, box.drawer(card.drawer));
  const bool written = place && place->held && (!place->shared || acting);
  if (!written || card.state != store::CardState::kOpen) return std::optional<store::CardEdited>();
  store::CardEdited edit;
  edit.kind = store::EditKind::kClose;
  edit.drawer = card.drawer;
  edit.target = card.id;
  edit.note = kEndedElsewhere;
  edit.valid_to = close.valid_to;
  if (!place->shared) return std::optional(edit);
  // A date that was named is a word, too.
  edit.valid_to = store::Date::day_of(last.said_at.at, last.said_at.zone_min);
  const bool later = close.valid_to.known() && store::compare(close.valid_to, edit.valid_to) > 0;
  return later ? std::optional<store::CardEdited>() : std::optional(edit);
}

}  // namespace

bool Reach::sees(store::DrawerId other) const {
  return other == drawer || among(seen, other);
}

bool Reach::shows(store::DrawerId other) const {
  return sees(other) || among(written, other);
}

Result<Reach> reach_of(store::Box& box, const store::Turn& first, bool acting,
                       const std::function<bool(store::DrawerId)>& parted) {
  Reach reach;
  reach.drawer = first.drawer;
  reach.first_said = first.said_at.at;
  KARTEI_ASSIGN(const auto drawers, box.drawers());
  const bool local = std::any_of(drawers.begin(), drawers.end(), [&](const store::Drawer& drawer) {
    return drawer.id == first.drawer && !drawer.shared;
  });
  for (const store::Drawer& drawer : drawers) {
    if (drawer.id == first.drawer || !drawer.held) continue;
    const bool one_of_many = parted(first.drawer) && parted(drawer.id);
    if (local && (drawer.shared || one_of_many)) reach.seen.push_back(drawer.id);
    if (!drawer.shared || acting) reach.written.push_back(drawer.id);
  }
  return reach;
}

Result<std::vector<store::Card>> cards_within(store::Box& box, const Reach& reach,
                                              std::vector<store::Card> cards) {
  std::vector<store::Card> shown;
  for (store::Card& card : cards) {
    if (!reach.shows(card.drawer)) continue;
    if (card.drawer != reach.drawer) {
      KARTEI_ASSIGN(const bool later, said_later(box, card, reach.first_said));
      if (later) continue;
    }
    shown.push_back(std::move(card));
  }
  return shown;
}

std::vector<store::Turn> said_first(std::vector<store::Turn> local,
                                    std::vector<store::Turn> shared) {
  if (local.empty() || shared.empty()) return local.empty() ? shared : local;
  const bool shared_first = when_said(shared.front()) < when_said(local.front());
  std::vector<store::Turn>& first = shared_first ? shared : local;
  const auto until = when_said(shared_first ? local.front() : shared.front());
  const auto end = std::find_if(first.begin() + 1, first.end(),
                                [&](const store::Turn& turn) { return when_said(turn) > until; });
  first.erase(end, first.end());
  return first;
}

Result<std::vector<store::CardEdited>> take_ends_elsewhere(store::Box& box, store::UnitFiled& unit,
                                                           const store::Turn& last, bool acting) {
  std::vector<store::CardEdited> ends;
  std::vector<store::CardClose> own;
  for (store::CardClose& close : unit.closes) {
    KARTEI_ASSIGN(const auto card, box.card(close.card));
    if (!card || card->drawer == unit.drawer) {
      own.push_back(std::move(close));
      continue;
    }
    KARTEI_ASSIGN(auto end, end_elsewhere(box, *card, close, last, acting));
    if (end) ends.push_back(std::move(*end));
  }
  unit.closes = std::move(own);
  for (std::size_t i = unit.confirmed.size(); i-- > 0;) {
    KARTEI_ASSIGN(const auto card, box.card(unit.confirmed[i]));
    if (!card || card->drawer == unit.drawer) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    unit.confirmed.erase(unit.confirmed.begin() + at);
    unit.confirmed_by.erase(unit.confirmed_by.begin() + at);
  }
  unit.unit = store::derive_unit_id(unit);
  return ends;
}

}  // namespace kartei::daemon
