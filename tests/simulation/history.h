// What was said and answered in a run, kept apart from the devices: the workload writes it, the
// checkers hold the devices to it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "store/delta.h"

namespace kartei::sim {

using FeedEnds = std::map<store::FeedId, std::uint64_t>;

// Where an acknowledged word stands: somewhere in [from, to) of its author's feed. Local words have
// no place.
struct Place {
  store::FeedId feed;
  std::uint64_t from = 0, to = 0;
  bool known() const { return to > from; }
};

struct SaidTurn {
  std::size_t device = 0;
  store::TurnId id;
  store::DrawerId drawer;
  std::string text;
  std::uint64_t marker = 0;  // the number of the word that only this turn has
  bool local = false;        // its drawer never left the device
  Place place;
};

struct SaidEdit {
  std::size_t device = 0;
  store::CardEdited edit;             // as handed in, with the ids filled in
  std::optional<store::Card> target;  // as it was shown when the user touched it
  store::CardId made;                 // kAdd, kReplace: the new card
  bool answered = true;               // no: the power went, it may be on disk or not
  bool local = false;
  Place place;
};

// A unit for which file_unit() answered true.
struct FiledUnit {
  std::size_t device = 0;
  store::UnitFiled unit;
  bool local = false;
  Place place;
};

struct History {
  std::vector<SaidTurn> turns;
  std::vector<SaidEdit> edits;
  std::vector<FiledUnit> filed;
  // Every unit that a secretary ever worded, also those never answered for (a crash came between).
  std::map<store::UnitId, store::UnitFiled> worded;
  // Revoked device -> how far its feeds count: the highest that any revoker held.
  std::map<store::DeviceId, FeedEnds> cuts;
  std::map<store::DrawerId, std::set<store::DeviceId>> granted;  // shared, to these only
  std::set<store::DrawerId> ever_shared;
};

// The word that marks a turn's text, and cards made of it, so that it can be found in any bytes.
inline constexpr std::string_view kMarker = "zqmark";
inline std::string marker_word(std::uint64_t number) {
  return std::string(kMarker) + std::to_string(number) + "q";
}

}  // namespace kartei::sim
