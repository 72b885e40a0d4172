// The bodies of all calls, read strictly into values. Pure: bytes in, values or an error that names
// the field out. (Fuzzed: tests/fuzz/http_body_fuzz.cpp.)
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/result.h"
#include "store/values.h"

namespace kartei::daemon::api {

inline constexpr std::size_t kNameMax = 256;       // ids, speakers, conversations, drawers
inline constexpr std::size_t kTextMax = 1 << 20;   // one turn
inline constexpr std::size_t kCardMax = 16 << 10;  // one card
inline constexpr std::size_t kTurnsMax = 10'000;   // in one call

struct TurnInput {
  std::string id, speaker, text, caption;
  store::Role role = store::Role::kUser;
  std::optional<store::ZonedTime> time;
  std::optional<std::string> drawer;
  std::optional<store::Trust> trust;
  bool allow_secrets = false;
};
struct TurnsInput {
  std::string conversation;
  std::vector<TurnInput> turns;
  bool allow_secrets = false;  // in all of them
};
Result<TurnsInput> read_turns(std::string_view body);

struct RecallInput {
  std::string query, conversation;
  std::optional<std::size_t> budget_tokens, limit;
  std::vector<std::string> drawers;
  std::optional<store::ZonedTime> now, as_of, known_at;
  bool cards = true, turns = true, buffer = false, explain = false;
};
Result<RecallInput> read_recall(std::string_view body);

struct CardInput {  // POST /v1/cards, and /replace
  std::string text;
  std::optional<store::Colour> colour;
  std::optional<std::string> drawer;
  store::Date valid_from, valid_to;
  std::optional<std::vector<std::string>> tags;
  std::uint32_t flags = 0;
  std::string why;  // /replace only
  bool allow_secrets = false;
};
Result<CardInput> read_card(std::string_view body);
Result<CardInput> read_replacement(std::string_view body);

struct CardPatch {
  std::optional<std::uint32_t> flags;
  std::optional<std::string> annotation, drawer;
  std::optional<double> importance;
  bool approve = false;
  std::optional<bool> allow_secrets;  // alone: those that the card has; false: no more
};
Result<CardPatch> read_card_patch(std::string_view body);

struct CardEnd {  // /close, /archive, /reactivate
  std::string why;
  store::Date valid_to;
  bool allow_secrets = false;
};
// `closes`: a card is closed, and may be said to have ended at a date.
Result<CardEnd> read_card_end(std::string_view body, bool closes);

struct RejectInput {  // /reject, /undo
  std::string why;
  bool dry_run = false;  // /undo only: says what it would do
};
Result<RejectInput> read_reject(std::string_view body, bool may_be_dry);

struct DrawerPatch {
  std::optional<bool> shared;
  std::optional<std::vector<std::string>> devices;  // ids or names; empty list: every member
  std::optional<std::string> name, merge_into;
  bool create = false;  // make it if it is not there
};
Result<DrawerPatch> read_drawer_patch(std::string_view body);

struct PairingInput {
  std::optional<std::int64_t> seconds;
  std::string code, address;
};
Result<PairingInput> read_pairing(std::string_view body);

struct ApprovalInput {
  std::string device, recovery_key;
};
Result<ApprovalInput> read_approval(std::string_view body);

Result<bool> read_allow_secrets(std::string_view body);  // of PATCH /v1/turns/{id}
Result<std::string> read_pin(std::string_view body);     // a device, or "auto"
enum class SyncMode { kOff, kDirect, kRelay };
const char* to_text(SyncMode mode);
std::optional<SyncMode> sync_mode_from_text(std::string_view text);
Result<SyncMode> read_sync(std::string_view body);

struct BoxInput {
  std::optional<std::string> owner, zone;
  std::optional<std::int64_t> token_budget, audit_days;
};
Result<BoxInput> read_box(std::string_view body);
Result<std::string> read_confirmation(std::string_view body);  // the box's name
struct ModelPermission {
  std::string drawer;
  bool allow = false;
};
Result<ModelPermission> read_model_permission(std::string_view body);
Status read_nothing(std::string_view body);  // empty, or {}

}  // namespace kartei::daemon::api
