#include "tests/simulation/check_end.h"

#include <algorithm>

namespace kartei::sim {

namespace {

bool held_by_anybody(World& world, std::map<std::size_t, FeedEnds>& ends, std::size_t author,
                     const Place& place) {
  const Device& by = world.device(author);
  if (by.counts() && !by.restored) return true;
  if (!place.known()) return false;
  for (Device* d : world.counting()) {
    if (!ends.contains(d->index)) ends[d->index] = world.feed_ends(*d);
    const auto at = ends[d->index].find(place.feed);
    if (at != ends[d->index].end() && at->second >= place.to) return true;
  }
  return false;
}

}  // namespace

Owed owed_now(World& world) {
  Owed owed;
  std::map<std::size_t, FeedEnds> ends;
  const History& h = world.history();
  for (std::size_t i = 0; i < h.turns.size(); ++i)
    if (held_by_anybody(world, ends, h.turns[i].device, h.turns[i].place)) owed.turns.insert(i);
  for (std::size_t i = 0; i < h.edits.size(); ++i)
    if (h.edits[i].answered && held_by_anybody(world, ends, h.edits[i].device, h.edits[i].place))
      owed.edits.insert(i);
  for (std::size_t i = 0; i < h.filed.size(); ++i)
    if (held_by_anybody(world, ends, h.filed[i].device, h.filed[i].place)) owed.units.insert(i);
  return owed;
}

void leave_out_cut(World& world, Owed& owed) {
  const History& h = world.history();
  const auto beyond = [&](std::size_t author, const Place& place, bool local) {
    const Device& d = world.device(author);
    if (local) return d.lost || d.restored;
    const auto cut = h.cuts.find(d.id);
    if (cut == h.cuts.end()) return false;
    const auto end = cut->second.find(place.feed);
    return end == cut->second.end() || place.to > end->second;
  };
  std::erase_if(owed.turns, [&](std::size_t i) {
    return beyond(h.turns[i].device, h.turns[i].place, h.turns[i].local);
  });
  std::erase_if(owed.edits, [&](std::size_t i) {
    return beyond(h.edits[i].device, h.edits[i].place, h.edits[i].local);
  });
  // What an entry beyond a cut held is owed by its observations only, and with a revocation those
  // of others may lie beyond it, too.
  std::erase_if(owed.units, [&](std::size_t i) {
    return !h.cuts.empty() || beyond(h.filed[i].device, h.filed[i].place, h.filed[i].local);
  });
}

EndChecker::EndChecker(World& world, const Owed& owed)
    : world_(world), owed_(owed), live_(world.counting()) {
  const auto& granted = world.history().granted;
  for (Device* d : live_)
    if (std::all_of(granted.begin(), granted.end(),
                    [&](const auto& g) { return g.second.contains(d->id); }))
      reader_ = reader_ == nullptr ? d : reader_;
  if (reader_ == nullptr && !live_.empty()) reader_ = live_.front();
  for (const std::size_t i : owed.edits) {
    const SaidEdit& e = world.history().edits[i];
    if (e.local) continue;
    if (e.edit.kind == store::EditKind::kEraseTurn)
      ends_.turns_gone.insert(e.edit.turn);
    else if (e.edit.kind == store::EditKind::kClose || e.edit.kind == store::EditKind::kReplace ||
             e.edit.kind == store::EditKind::kEraseCard)
      ends_.list.push_back(&e);
  }
  for (const SaidEdit& e : world.history().edits) {
    if (e.edit.kind == store::EditKind::kAdd || e.edit.kind == store::EditKind::kReplace)
      users_own_.insert(e.made);
    if (e.target) touched_.insert(e.target->id);
  }
  if (reader_ != nullptr) cards_ = cards_of(*reader_);
}

std::vector<store::Card> EndChecker::cards_of(Device& device) const {
  std::vector<store::Card> out;
  store::CardFilter filter;
  filter.state = std::nullopt;
  filter.limit = 500;
  do {
    auto page = must(device.box->cards(filter), "cards");
    for (store::Card& card : page.cards)
      if (world_.history().ever_shared.contains(card.drawer)) out.push_back(std::move(card));
    filter.cursor = page.cursor;
  } while (!filter.cursor.empty());
  return out;
}

bool EndChecker::reads(Device& device, const store::DrawerId& drawer) const {
  const auto found = must(device.box->drawer(drawer), "drawer");
  return found && found->held;
}

bool EndChecker::holds_all(Device& device) {
  for (const store::Drawer& drawer : must(device.box->drawers(), "drawers"))
    if (drawer.shared && !drawer.held) return false;
  return true;
}

// In the drawers that this device may hold it shows just what the reader shows.
void EndChecker::same_cards(Device& device) {
  if (&device == reader_) return;
  std::map<store::CardId, store::Card> own;
  for (store::Card& card : cards_of(device)) own.emplace(card.id, std::move(card));
  std::size_t common = 0;
  for (const store::Card& card : cards_) {
    if (!reads(device, card.drawer)) continue;
    const auto at = own.find(card.id);
    if (at == own.end() || !(at->second == card))
      throw Violation{"different cards at " + name(device) + ": " + card.text};
    ++common;
  }
  if (common != own.size()) throw Violation{"more cards at " + name(device)};
}

void EndChecker::agreement() {
  std::size_t acting = 0;
  std::optional<store::Position> tip;
  std::optional<Hash32> shown;
  for (Device* d : live_) {
    const sync::EngineStatus status = d->engine->status(world_.now_of(*d));
    acting += status.acting;
    if (!tip) tip = status.tip;
    if (status.tip.hash != tip->hash)
      throw Violation{"no agreement: " + name(*d) + " stands at height " +
                      std::to_string(status.tip.height) + ", " + name(*live_[0]) + " at " +
                      std::to_string(tip->height)};
    if (status.pending != 0 || status.unread != 0)
      throw Violation{"work left waiting on " + name(*d) + ": " + std::to_string(status.pending) +
                      " pending, " + std::to_string(status.unread) + " unread"};
    if (!must(d->box->unextracted(false, 1), "unextracted").empty())
      throw Violation{"turns left unread on " + name(*d)};
    const Hash32 digest = must(d->box->digest(true), "digest");
    if (digest != must(d->box->digest(false), "digest"))
      throw Violation{name(*d) + " shows what no entry says"};
    if (holds_all(*d)) {
      if (shown && *shown != digest) throw Violation{"different state at " + name(*d)};
      shown = digest;
    }
    same_cards(*d);
  }
  if (acting > 1) throw Violation{"two primaries"};
}

void EndChecker::turns() {
  const History& h = world_.history();
  for (const std::size_t i : owed_.turns) {
    const SaidTurn& said = h.turns[i];
    const std::string what =
        "turn " + std::to_string(said.marker) + " of " + name(world_.device(said.device));
    if (said.local) {
      Device& d = world_.device(said.device);
      if (!d.counts()) continue;
      const auto turn = must(d.box->turn(said.id), "turn");
      if (!turn || turn->text != said.text) throw Violation{"lost: local " + what};
      if (!must(d.box->extracted_by(said.id), "unit"))
        throw Violation{"not extracted: local " + what};
      continue;
    }
    const bool gone = ends_.turns_gone.contains(said.id);
    std::optional<store::UnitId> unit;
    for (Device* d : live_) {
      if (!reads(*d, said.drawer)) continue;
      if (!must(d->box->turn_filed(said.id), "filed") &&
          !(gone && must(d->box->turn_erased(said.id), "erased")))
        throw Violation{"lost: " + what + " is not filed at " + name(*d)};
      const auto by = must(d->box->extracted_by(said.id), "unit");
      if (!by && !must(d->box->turn_erased(said.id), "erased"))
        throw Violation{"never extracted: " + what};
      if (by && unit && *by != *unit) throw Violation{"two units of " + what};
      if (by) unit = by;
      const auto turn = must(d->box->turn(said.id), "turn");
      const bool there = turn && turn->text == said.text;
      if (gone ? (turn && !turn->text.empty())
               : !there && !must(d->box->turn_erased(said.id), "erased"))
        throw Violation{(gone ? "erased, yet there: " : "lost: words of ") + what + " at " +
                        name(*d)};
    }
  }
  for (const std::size_t i : owed_.edits) {
    const SaidEdit& said = h.edits[i];
    for (Device* d : live_)
      if (!said.local && reads(*d, said.edit.drawer) &&
          !must(d->box->edit_filed(said.edit.edit), "filed"))
        throw Violation{"lost: an edit of " + name(world_.device(said.device)) + " at " + name(*d)};
  }
}

void EndChecker::units() {
  const History& h = world_.history();
  for (const std::size_t i : owed_.units) {
    if (h.filed[i].local) continue;
    for (const store::TurnId& turn : h.filed[i].unit.sources)
      if (!must(reader_->box->extracted_by(turn), "unit") &&
          !must(reader_->box->turn_erased(turn), "erased"))
        throw Violation{"filed once, then lost: cards of turn " + turn.text()};
  }
}

void EndChecker::drawers() {
  const History& h = world_.history();
  std::map<std::uint64_t, const SaidTurn*> by_marker;
  for (const SaidTurn& t : h.turns) by_marker[t.marker] = &t;
  for (Device* d : live_) {
    const Bytes image = must(d->box->image(), "image");
    const std::string_view text = as_text(image);
    for (std::size_t at = text.find(kMarker); at != std::string_view::npos;
         at = text.find(kMarker, at + 1)) {
      std::uint64_t number = 0;
      for (std::size_t i = at + kMarker.size(); i < text.size() && text[i] >= '0' && text[i] <= '9';
           ++i)
        number = number * 10 + static_cast<std::uint64_t>(text[i] - '0');
      const auto said = by_marker.find(number);
      if (said == by_marker.end()) continue;  // of a card in the user's own words
      const SaidTurn& t = *said->second;
      if (t.device == d->index) continue;
      const auto granted = h.granted.find(t.drawer);
      if (t.local)
        throw Violation{"a local drawer left " + name(world_.device(t.device)) + " for " +
                        name(*d)};
      if (granted != h.granted.end() && !granted->second.contains(d->id))
        throw Violation{name(*d) + " holds words of a drawer that it may not hold"};
    }
  }
}

void EndChecker::kept() {
  for (Device* d : live_) {
    const sync::EngineStatus status = d->engine->status(world_.now_of(*d));
    if (status.final_position.hash != status.tip.hash)
      throw Violation{name(*d) + ": final " + std::to_string(status.final_position.height) +
                      " behind " + std::to_string(status.tip.height)};
    std::uint64_t records = 0;
    for (const store::FeedRange& range : must(d->box->records().feeds(), "feeds"))
      records += range.end - range.start;
    if (records > kKeptMax)
      throw Violation{name(*d) + " keeps " + std::to_string(records) + " records"};
  }
}

}  // namespace kartei::sim
