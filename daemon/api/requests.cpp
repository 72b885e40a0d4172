#include "daemon/api/requests.h"

#include "daemon/api/json_fields.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

constexpr std::string_view kColours = "fact, event or rule";
constexpr std::string_view kTrusts = "user, assistant, tool or web_page";

std::uint32_t read_flags(Fields& fields, const std::optional<std::vector<std::string>>& names) {
  std::uint32_t flags = 0;
  for (const std::string& name : names.value_or(std::vector<std::string>{})) {
    const auto bit = store::flag_from_name(name);
    if (!bit)
      fields.fail("flags", "knows persistent, high_priority and never_forget only, not " +
                               in_quotes(name) + ".");
    flags |= bit.value_or(0);
  }
  return flags;
}

// A drawer's name: one short line.
std::optional<std::string> read_drawer_name(Fields& fields, std::string_view name) {
  auto value = fields.text(name, 64);
  if (!value) return value;
  if (value->find_first_not_of(' ') == std::string::npos) fields.fail(name, "is empty.");
  for (const char c : *value)
    if (static_cast<unsigned char>(c) < 0x20) fields.fail(name, "must be one line.");
  return value;
}

Result<TurnInput> read_turn(const json::value& value, std::size_t index) {
  Fields fields(value, "turns[" + std::to_string(index) + "].");
  TurnInput turn;
  turn.id = fields.text("id", kNameMax).value_or("");
  turn.speaker = fields.need_text("speaker", kNameMax);
  const auto role =
      fields.choice<store::Role>("role", store::role_from_text, "user, assistant or tool");
  if (!role) fields.fail("role", "is missing: user, assistant or tool.");
  turn.role = role.value_or(store::Role::kUser);
  turn.caption = fields.text("caption", kCardMax).value_or("");
  turn.text = fields.text("text", kTextMax).value_or("");
  if (turn.text.find_first_not_of(" \t\r\n") == std::string::npos && turn.caption.empty())
    fields.fail("text", "is missing or empty.");
  turn.time = fields.time("time");
  turn.drawer = read_drawer_name(fields, "drawer");
  turn.trust = fields.choice<store::Trust>("trust", store::trust_from_text, kTrusts);
  turn.allow_secrets = fields.flag("allow_secrets").value_or(false);
  KARTEI_TRY(fields.done());
  return turn;
}

Result<CardInput> read_card_fields(std::string_view body, bool replacement) {
  KARTEI_ASSIGN(const json::value value, parse_json(body));
  Fields fields(value);
  CardInput card;
  card.text = fields.need_text("text", kCardMax);
  card.colour = fields.choice<store::Colour>("colour", store::colour_from_text, kColours);
  card.drawer = read_drawer_name(fields, "drawer");
  card.valid_from = fields.date("valid_from").value_or(store::Date{});
  card.valid_to = fields.date("valid_to").value_or(store::Date{});
  card.tags = fields.texts("tags", 16, 64);
  card.flags = read_flags(fields, fields.texts("flags", 8, 64));
  card.allow_secrets = fields.flag("allow_secrets").value_or(false);
  if (replacement) card.why = fields.text("why", kCardMax).value_or("");
  if (card.valid_from.known() && card.valid_to.known() &&
      store::compare(card.valid_to, card.valid_from) <= 0)
    fields.fail("valid_to", "is " + card.valid_to.text() + " and must lie after `valid_from`, " +
                                card.valid_from.text() + " (ends are exclusive).");
  KARTEI_TRY(fields.done());
  return card;
}

}  // namespace

Result<TurnsInput> read_turns(std::string_view body) {
  KARTEI_ASSIGN(const json::value value, parse_json(body));
  Fields fields(value);
  TurnsInput input;
  input.conversation = fields.need_text("conversation", kNameMax);
  const json::array* turns = fields.need_array("turns", kTurnsMax);
  input.allow_secrets = fields.flag("allow_secrets").value_or(false);
  KARTEI_TRY(fields.done());
  input.turns.reserve(turns->size());
  for (std::size_t i = 0; i < turns->size(); ++i) {
    KARTEI_ASSIGN(TurnInput turn, read_turn((*turns)[i], i));
    input.turns.push_back(std::move(turn));
  }
  return input;
}

Result<RecallInput> read_recall(std::string_view body) {
  KARTEI_ASSIGN(const json::value value, parse_json(body));
  Fields fields(value);
  RecallInput input;
  input.query = fields.need_text("query", kCardMax);
  if (const auto budget = fields.integer("budget_tokens", 0, 1'000'000))
    input.budget_tokens = static_cast<std::size_t>(*budget);
  if (const auto limit = fields.integer("limit", 1, 500))
    input.limit = static_cast<std::size_t>(*limit);
  input.conversation = fields.text("conversation", kNameMax).value_or("");
  input.drawers = fields.texts("drawers", 64, kNameMax).value_or(std::vector<std::string>{});
  input.now = fields.time("now");
  input.as_of = fields.time("as_of");
  input.known_at = fields.time("known_at");
  if (const auto include = fields.texts("include", 8, 16)) {
    input.cards = input.turns = input.buffer = false;
    for (const std::string& kind : *include) {
      if (kind == "cards")
        input.cards = true;
      else if (kind == "turns")
        input.turns = true;
      else if (kind == "buffer")
        input.buffer = true;
      else
        fields.fail("include", "knows cards, turns and buffer only, not " + in_quotes(kind) + ".");
    }
  }
  input.explain = fields.flag("explain").value_or(false);
  KARTEI_TRY(fields.done());
  return input;
}

Result<CardInput> read_card(std::string_view body) {
  return read_card_fields(body, false);
}
Result<CardInput> read_replacement(std::string_view body) {
  return read_card_fields(body, true);
}

Result<CardPatch> read_card_patch(std::string_view body) {
  KARTEI_ASSIGN(const json::value value, parse_json(body));
  Fields fields(value);
  CardPatch patch;
  if (const auto flags = fields.texts("flags", 8, 64)) patch.flags = read_flags(fields, flags);
  patch.annotation = fields.text("annotation", kCardMax);
  patch.drawer = read_drawer_name(fields, "drawer");
  patch.importance = fields.number("importance", 0, 1);
  patch.approve = fields.flag("approve").value_or(false);
  patch.allow_secrets = fields.flag("allow_secrets");
  KARTEI_TRY(fields.done());
  if (!patch.flags && !patch.annotation && !patch.drawer && !patch.importance && !patch.approve &&
      !patch.allow_secrets)
    return bad_input(
        "Nothing to change: give flags, annotation, drawer, importance, approve or allow_secrets.");
  return patch;
}

Result<CardEnd> read_card_end(std::string_view body, bool closes) {
  KARTEI_ASSIGN(const json::value value, parse_json(body));
  Fields fields(value);
  CardEnd end;
  end.why = fields.text("why", kCardMax).value_or("");
  end.allow_secrets = fields.flag("allow_secrets").value_or(false);
  if (closes) end.valid_to = fields.date("valid_to").value_or(store::Date{});
  KARTEI_TRY(fields.done());
  return end;
}

Result<RejectInput> read_reject(std::string_view body, bool may_be_dry) {
  KARTEI_ASSIGN(const json::value value, parse_json(body.empty() ? "{}" : body));
  Fields fields(value);
  RejectInput input;
  input.why = fields.text("why", kCardMax).value_or("");
  if (may_be_dry) input.dry_run = fields.flag("dry_run").value_or(false);
  KARTEI_TRY(fields.done());
  return input;
}

Result<DrawerPatch> read_drawer_patch(std::string_view body) {
  KARTEI_ASSIGN(const json::value value, parse_json(body));
  Fields fields(value);
  DrawerPatch patch;
  patch.shared = fields.flag("shared");
  patch.devices = fields.texts("devices", 32, kNameMax);
  patch.name = read_drawer_name(fields, "name");
  patch.merge_into = read_drawer_name(fields, "merge_into");
  patch.create = fields.flag("create").value_or(false);
  KARTEI_TRY(fields.done());
  if (!patch.shared && !patch.devices && !patch.name && !patch.merge_into && !patch.create)
    return bad_input("Nothing to change: give shared, devices, name, merge_into or create.");
  return patch;
}

Result<PairingInput> read_pairing(std::string_view body) {
  KARTEI_ASSIGN(const json::value value, parse_json(body));
  Fields fields(value);
  PairingInput input;
  input.seconds = fields.integer("seconds", 10, 3600);
  input.code = fields.text("code", 128).value_or("");
  input.address = fields.text("address", kNameMax).value_or("");
  KARTEI_TRY(fields.done());
  return input;
}

Result<ApprovalInput> read_approval(std::string_view body) {
  KARTEI_ASSIGN(const json::value value, parse_json(body));
  Fields fields(value);
  ApprovalInput input;
  input.device = fields.need_text("device", kNameMax);
  input.recovery_key = fields.text("recovery_key", kNameMax).value_or("");
  KARTEI_TRY(fields.done());
  return input;
}

Result<bool> read_allow_secrets(std::string_view body) {
  KARTEI_ASSIGN(const json::value value, parse_json(body));
  Fields fields(value);
  const auto allow = fields.flag("allow_secrets");
  if (!allow) fields.fail("allow_secrets", "is missing: true or false.");
  KARTEI_TRY(fields.done());
  return *allow;
}

Result<std::string> read_pin(std::string_view body) {
  KARTEI_ASSIGN(const json::value value, parse_json(body));
  Fields fields(value);
  std::string device = fields.need_text("device", kNameMax);
  KARTEI_TRY(fields.done());
  return device;
}

const char* to_text(SyncMode mode) {
  switch (mode) {
    case SyncMode::kOff:
      return "off";
    case SyncMode::kDirect:
      return "direct";
    case SyncMode::kRelay:
      break;
  }
  return "relay";
}

std::optional<SyncMode> sync_mode_from_text(std::string_view text) {
  if (text == "off") return SyncMode::kOff;
  if (text == "direct") return SyncMode::kDirect;
  if (text == "relay") return SyncMode::kRelay;
  return std::nullopt;
}

Result<SyncMode> read_sync(std::string_view body) {
  KARTEI_ASSIGN(const json::value value, parse_json(body));
  Fields fields(value);
  const auto mode = fields.choice<SyncMode>("mode", sync_mode_from_text, "off, direct or relay");
  if (!mode) fields.fail("mode", "is missing: off, direct or relay.");
  KARTEI_TRY(fields.done());
  return *mode;
}

Result<BoxInput> read_box(std::string_view body) {
  KARTEI_ASSIGN(const json::value value, parse_json(body));
  Fields fields(value);
  BoxInput input;
  input.owner = fields.text("owner", kNameMax);
  input.zone = fields.text("zone", 64);
  input.token_budget = fields.integer("token_budget", 1, 1'000'000);
  input.audit_days = fields.integer("audit_days", 0, store::kAuditDaysMax);
  KARTEI_TRY(fields.done());
  return input;
}

Result<std::string> read_confirmation(std::string_view body) {
  KARTEI_ASSIGN(const json::value value, parse_json(body));
  Fields fields(value);
  std::string name = fields.need_text("name", kNameMax);
  KARTEI_TRY(fields.done());
  return name;
}

Result<ModelPermission> read_model_permission(std::string_view body) {
  KARTEI_ASSIGN(const json::value value, parse_json(body));
  Fields fields(value);
  ModelPermission out;
  out.drawer = fields.need_text("drawer", kNameMax);
  const auto allow = fields.flag("allow");
  if (!allow) fields.fail("allow", "is missing.");
  KARTEI_TRY(fields.done());
  out.allow = allow.value_or(false);
  return out;
}

Status read_nothing(std::string_view body) {
  KARTEI_ASSIGN(const json::value value, parse_json(body));
  return Fields(value).done();
}

}  // namespace kartei::daemon::api
