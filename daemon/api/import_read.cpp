// Export lines into values. Pure.
#include <algorithm>

#include "daemon/api/import.h"
#include "daemon/api/json_fields.h"
#include "daemon/api/requests.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

constexpr std::size_t kLinesMax = 100'000;

template <class IdType>
IdType read_id(Fields& fields, std::string_view name, bool needed) {
  const auto text = fields.text(name, 64);
  if (!text || text->empty()) {
    if (needed) fields.fail(name, "is missing.");
    return {};
  }
  const auto id = IdType::from_text(*text);
  if (!id) fields.fail(name, "must be 32 hex digits.");
  return id.value_or(IdType{});
}

store::Time read_moment(Fields& fields, std::string_view name) {
  const auto time = fields.time(name);
  return time ? time->at : store::Time{};
}

Status read_drawer(Fields& fields, ImportFile& file) {
  const auto id = read_id<store::DrawerId>(fields, "id", true);
  const std::string name = fields.need_text("name", 64);
  (void)fields.flag("shared");
  (void)fields.texts("devices", 64, 64);
  KARTEI_TRY(fields.done());
  file.drawers[id] = name;
  return {};
}

Status read_turn(Fields& fields, ImportFile& file) {
  store::Turn turn;
  turn.id = read_id<store::TurnId>(fields, "id", true);
  turn.external_id = fields.text("external_id", kNameMax).value_or("");
  turn.conversation = fields.need_text("conversation", kNameMax);
  turn.speaker = fields.need_text("speaker", kNameMax);
  turn.role = fields.choice<store::Role>("role", store::role_from_text, "a role")
                  .value_or(store::Role::kUser);
  turn.trust = fields.choice<store::Trust>("trust", store::trust_from_text, "a trust")
                   .value_or(store::Trust::kUser);
  turn.text = fields.text("text", kTextMax).value_or("");
  turn.caption = fields.text("caption", kCardMax).value_or("");
  const auto time = fields.time("time");
  if (!time) fields.fail("time", "is missing.");
  turn.said_at = time.value_or(store::ZonedTime{});
  turn.recorded_at = read_moment(fields, "recorded_at");
  turn.drawer = read_id<store::DrawerId>(fields, "drawer", true);
  turn.app = fields.text("app", kNameMax).value_or("");
  (void)fields.text("device", 64);
  KARTEI_TRY(fields.done());
  file.turns.push_back(std::move(turn));
  return {};
}

void read_card_words(Fields& fields, store::Card& card) {
  card.text = fields.need_text("text", kCardMax);
  card.sub_domain = fields.text("sub_domain", kNameMax).value_or("");
  card.micro_context = fields.text("micro_context", kCardMax).value_or("");
  card.subject = fields.text("subject", kCardMax).value_or("");
  card.relation = fields.text("relation", kCardMax).value_or("");
  card.object = fields.text("object", kCardMax).value_or("");
  card.why_closed = fields.text("why_closed", kCardMax).value_or("");
  card.conversation = fields.text("conversation", kNameMax).value_or("");
  card.said_by = fields.text("said_by", kNameMax).value_or("");
  card.app = fields.text("app", kNameMax).value_or("");
  card.tags = fields.texts("tags", 16, 64).value_or(std::vector<std::string>{});
  card.annotations =
      fields.texts("annotations", 256, kCardMax).value_or(std::vector<std::string>{});
}

Status read_card(Fields& fields, ImportFile& file) {
  store::Card card;
  card.id = read_id<store::CardId>(fields, "id", true);
  card.drawer = read_id<store::DrawerId>(fields, "drawer", true);
  read_card_words(fields, card);
  card.colour = fields.choice<store::Colour>("colour", store::colour_from_text, "a colour")
                    .value_or(store::Colour::kFact);
  card.trust = fields.choice<store::Trust>("trust", store::trust_from_text, "a trust")
                   .value_or(store::Trust::kUser);
  card.state = fields.choice<store::CardState>("state", store::card_state_from_text, "a state")
                   .value_or(store::CardState::kOpen);
  card.valid_from = fields.date("valid_from").value_or(store::Date{});
  card.valid_to = fields.date("valid_to").value_or(store::Date{});
  card.recorded_at = read_moment(fields, "recorded_at");
  card.closed_at = read_moment(fields, "closed_at");
  card.last_used = read_moment(fields, "last_used");
  card.replaced_by = read_id<store::CardId>(fields, "replaced_by", false);
  for (const std::string& source :
       fields.texts("sources", 256, 64).value_or(std::vector<std::string>{})) {
    const auto id = store::TurnId::from_text(source);
    if (!id) fields.fail("sources", "must hold turn ids of 32 hex digits.");
    card.sources.push_back(id.value_or(store::TurnId{}));
  }
  for (const std::string& flag : fields.texts("flags", 8, 64).value_or(std::vector<std::string>{}))
    card.flags |= store::flag_from_name(flag).value_or(0);
  card.importance = fields.number("importance", 0, 1).value_or(0.5);
  card.times_used =
      static_cast<std::uint32_t>(fields.integer("times_used", 0, 0xffffffffLL).value_or(0));
  card.user_made = fields.flag("user_made").value_or(false);
  (void)fields.text("device", 64);
  KARTEI_TRY(fields.done());
  file.cards.push_back(std::move(card));
  return {};
}

Status read_line(std::string_view line, ImportFile& file) {
  KARTEI_ASSIGN(const json::value value, parse_json(line));
  Fields fields(value);
  const std::string kind = fields.need_text("kind", 16);
  if (kind == "drawer") return read_drawer(fields, file);
  if (kind == "turn") return read_turn(fields, file);
  if (kind == "card") return read_card(fields, file);
  if (kind == "box") {
    const auto format = fields.integer("format", 1, 1'000'000);
    KARTEI_TRY(fields.done());
    if (format.value_or(0) != 1)
      return Error{Cause::kVersion, "This export was written by a newer Kartei.", "format"};
    file.of_kartei = true;
    return {};
  }
  fields.fail("kind", "must be box, drawer, turn or card.");
  return fields.done();
}

}  // namespace

Result<ImportFile> read_import(std::string_view lines) {
  ImportFile file;
  std::size_t number = 0;
  while (!lines.empty()) {
    if (++number > kLinesMax)
      return bad_input("More than " + std::to_string(kLinesMax) + " lines. Send them in parts.");
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (auto read = read_line(line, file); !read) {
      Error error = read.error();
      error.what = "Line " + std::to_string(number) + ": " + error.what;
      return error;
    }
  }
  if (number == 0) return bad_input("There is nothing to import.");
  return file;
}

}  // namespace kartei::daemon::api
