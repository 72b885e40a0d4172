// The values of a box: turns, cards, drawers. Plain data; who may change them is delta.h's matter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/ids.h"
#include "store/time.h"

namespace kartei::store {

enum class Role : std::uint8_t { kUser, kAssistant, kTool };
enum class Colour : std::uint8_t { kFact, kEvent, kRule };
// Who said it, most trusted first. Cards from kWebPage and kTool wait for approval (quarantined).
enum class Trust : std::uint8_t { kUser, kAssistant, kTool, kWebPage };
enum class CardState : std::uint8_t { kOpen, kClosed, kFaded, kArchived, kQuarantined, kErased };

// Bit flags of a card. The last is no wish of its owner's: he has looked at what the secretary
// wrote.
inline constexpr std::uint32_t kPersistent = 1, kHighPriority = 2, kNeverForget = 4, kReviewed = 8;

// One utterance, word for word.
struct Turn {
  TurnId id;
  std::string external_id;   // the app's own id, unique within its conversation; may be empty
  std::string conversation;  // the app's name for it
  std::string speaker;
  Role role = Role::kUser;
  Trust trust = Trust::kUser;
  std::string text;
  std::string caption;  // of an image that came with it
  ZonedTime said_at;
  Time recorded_at{};
  DrawerId drawer;
  std::string app;
  DeviceId device;
  bool operator==(const Turn&) const = default;
};

// One full sentence with names and dates, and the two times: when it was true (valid_*), when it
// was known (recorded_at, closed_at).
struct Card {
  CardId id;
  std::string text;
  Colour colour = Colour::kFact;
  DrawerId drawer;
  std::string sub_domain;
  std::string micro_context;              // one line fit for injection
  std::string subject, relation, object;  // normalised; empty where not known
  Date valid_from, valid_to;              // valid_to is exclusive; unknown = still true / not said
  Time recorded_at{};
  Time closed_at{};    // zero: not closed
  CardId replaced_by;  // zero: by none
  std::string why_closed;
  std::string conversation;
  std::vector<TurnId> sources;  // at most 3 in extracted cards
  Trust trust = Trust::kUser;
  std::string said_by;  // speaker
  std::string app;
  DeviceId device;
  double importance = 0.5;  // 0 to 1
  std::uint32_t flags = 0;
  std::vector<std::string> tags;  // 3 to 7 in extracted cards
  std::vector<std::string> annotations;
  std::uint32_t times_used = 0;
  Time last_used{};
  CardState state = CardState::kOpen;
  bool waiting = false;    // of a branch that lost; shown until it is filed again
  bool pending = false;    // shown, not yet in an entry
  bool user_made = false;  // typed by the user: hit by id only, never by what it says
  bool operator==(const Card&) const = default;
};

// What a card says, for "the same thing in other words from the same turn": (subject, relation,
// object) lower-cased and joined by U+001F where all are known, else the normalised text.
std::string card_key(const Card& card);
// Lower-cased (ASCII and Latin-1), white space folded, trailing full stop dropped.
std::string normalised_text(std::string_view text);
// ledger_rules.md section 1: keyed hash over sorted sources, drawer, colour, normalised text.
CardId derive_card_id(ByteView box_secret32, const Card& card);

struct Drawer {
  DrawerId id;  // opaque towards others
  std::string name;
  bool shared = false;            // local drawers never leave the device
  bool held = true;               // false: shared, but this device may not open it
  std::vector<DeviceId> devices;  // who may hold it; empty: every member
  bool operator==(const Drawer&) const = default;
};

const char* to_text(Role role);
const char* to_text(Colour colour);
const char* to_text(Trust trust);
const char* to_text(CardState state);
std::optional<Role> role_from_text(std::string_view text);
std::optional<Colour> colour_from_text(std::string_view text);
std::optional<Trust> trust_from_text(std::string_view text);
std::optional<CardState> card_state_from_text(std::string_view text);
std::vector<std::string> flag_names(
    std::uint32_t flags);  // "persistent", "high_priority", "never_forget"
std::optional<std::uint32_t> flag_from_name(std::string_view name);

}  // namespace kartei::store
