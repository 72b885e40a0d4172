// Deltas: the only way in which the state of a box changes. Values; encoded by store/delta.capnp.
// Applying one twice changes nothing. The fold's rules are ledger_rules.md, section 5, restated in
// store/README.md.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "crypto/result.h"
#include "store/ids.h"
#include "store/values.h"

namespace kartei::store {

// A turn, with its words. In observations (and for local drawers); entries name it by TurnFiled.
struct TurnHeard {
  Turn turn;
  bool operator==(const TurnHeard&) const = default;
};

// In entries only: the turn in that feed record now stands in the ledger.
struct TurnFiled {
  TurnId turn;
  FeedId feed;
  std::uint64_t seq = 0;
  DrawerId drawer;
  bool operator==(const TurnFiled&) const = default;
};

// The secretary's own close of an older card, resolved like a user's: by id, and by (turn, key).
struct CardClose {
  CardId card;
  std::vector<TurnId> sources;  // of the closed card
  std::string key;
  Date valid_to;       // when it stopped being true
  CardId replaced_by;  // zero: it just ended
  std::string why;
  Time at{};  // becomes closed_at; zero: when the cards of its unit were recorded
  bool operator==(const CardClose&) const = default;
};

// What one run of the secretary made of some turns. Whole or not at all: taken iff none of its
// sources has been extracted. May hold no card (small talk): its turns count as read.
struct UnitFiled {
  UnitId unit;      // hash of the rest
  DrawerId drawer;  // of every card in it
  std::vector<TurnId> sources;
  std::vector<Card> cards;
  std::vector<CardClose> closes;
  std::vector<CardId> confirmed;  // cards said again: `confirmed[i]` gains `confirmed_by[i]`
  std::vector<TurnId> confirmed_by;
  bool operator==(const UnitFiled&) const = default;
};
UnitId derive_unit_id(const UnitFiled& unit);

enum class EditKind : std::uint8_t {
  kAdd,         // `card` is new here, as it stands: in the user's own words where it says so
  kReplace,     // the target ends, `card` stands in its place
  kClose,       // the target ends
  kFlags,       // `flags` replace the target's
  kAnnotate,    // `note` is added
  kImportance,  // `importance`
  kArchive,
  kReactivate,
  kApprove,    // a quarantined card becomes open
  kEraseCard,  // text purged, tombstone stays; carries no copy
  kEraseTurn,  // the turn and every card that names it, but a user's own
  kFade,       // forgetting's, not a user's: the target fades, until reactivated
  kCondense,   // forgetting's: the target is archived, `stands_in` stands for it
  kTrash,      // forgetting's: the archived target lies in the trash
  kTakeBack,   // what `run` did to the target, and what forgetting did to it since, is undone
};

// What a user did. Remembered whether or not its target exists now.
struct CardEdited {
  EditId edit;
  EditKind kind = EditKind::kAdd;
  DrawerId drawer;
  CardId target;                       // zero for kAdd and kEraseTurn
  TurnId turn;                         // kEraseTurn
  std::vector<TurnId> target_sources;  // with target_key: finds the target under other words
  std::string target_key;
  std::optional<Card> card;  // the new card; for flags and the like a copy of the target
  std::uint32_t flags = 0;
  double importance = 0;
  std::string note;  // annotation, or why
  Date valid_to;     // kClose, kReplace: when it stopped being true
  Time at{};
  // The run of forgetting that did it, or that is taken back; zero: a user did it. Such edits never
  // touch what its owner protects, and bring no card back.
  RunId run;
  CardId stands_in;  // kCondense
  bool operator==(const CardEdited&) const = default;
};

// How often cards were handed out since last told. Adds up; never decides anything of the rules.
struct UsageCounted {
  EditId edit;  // counts once
  DrawerId drawer;
  CardId card;
  std::uint32_t times = 0;
  Time last{};
  bool operator==(const UsageCounted&) const = default;
};

// The app said that the conversation is over: the secretary reads it now.
struct ConversationEnded {
  EditId edit;
  DrawerId drawer;
  std::string conversation;
  Time at{};
  bool operator==(const ConversationEnded&) const = default;
};

using Delta =
    std::variant<TurnHeard, TurnFiled, UnitFiled, CardEdited, UsageCounted, ConversationEnded>;

DrawerId drawer_of(const Delta& delta);
Bytes encode(const std::vector<Delta>& deltas);
// Bounded: at most 4 MiB and 65,536 deltas; every string valid UTF-8; enums in range.
Result<std::vector<Delta>> decode_deltas(ByteView bytes);

}  // namespace kartei::store
