// Export lines into values. Pure.
#include <algorithm>

#include "daemon/api/import.h"
#include "daemon/api/json_fields.h"
#include "daemon/api/requests.h"
#include "store/export.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

constexpr std::size_t kLinesMax = 100'000;
// Whatever a box can hold may come back, also what this device's own calls would not have taken.
constexpr std::size_t kAnyText = 4 << 20, kAnyCount = 1 << 20;

template <class IdType>
IdType read_id(Fields& fields, std::string_view name, bool needed) {
  const auto text = fields.text(name, 64);
  if (!text || text->empty()) {
    if (needed) fields.fail(name, "is missing.");
    return {};
  }
  const auto id = IdType::from_text(*text);
  if (!id) fields.fail(name, "must be 32 hex digits, not " + in_quotes(*text) + ".");
  return id.value_or(IdType{});
}

store::Time read_moment(Fields& fields, std::string_view name) {
  const auto time = fields.time(name);
  return time ? time->at : store::Time{};
}

// Needed, but may be empty or blank.
std::string read_any(Fields& fields, std::string_view name) {
  auto text = fields.text(name, kAnyText);
  if (!text) fields.fail(name, "is missing.");
  return text.value_or("");
}

std::vector<std::string> read_list(Fields& fields, std::string_view name) {
  return fields.texts(name, kAnyCount, kAnyText).value_or(std::vector<std::string>{});
}

Status read_box_line(Fields& fields, ImportFile& file) {
  const auto format = fields.integer("format", 1, 1'000'000);
  file.owner = fields.text("owner", kNameMax).value_or("");
  file.zone = fields.text("zone", kNameMax).value_or("");
  if (format && *format > store::kExportFormat)
    return Error{Cause::kVersion,
                 "This export was written by a newer Kartei (format " + std::to_string(*format) +
                     "); update this one.",
                 "format"};
  if (!format) fields.fail("format", "is missing: a box line names the export's format.");
  KARTEI_TRY(fields.done());
  file.of_kartei = true;
  return {};
}

Status read_drawer(Fields& fields, ImportFile& file) {
  const auto id = read_id<store::DrawerId>(fields, "id", true);
  const std::string name = read_any(fields, "name");
  (void)fields.flag("shared");
  (void)read_list(fields, "devices");
  KARTEI_TRY(fields.done());
  file.drawers[id] = name.empty() ? id.text() : name;
  return {};
}

Status read_turn(Fields& fields, ImportFile& file) {
  store::Turn turn;
  turn.id = read_id<store::TurnId>(fields, "id", true);
  turn.external_id = fields.text("external_id", kAnyText).value_or("");
  turn.conversation = read_any(fields, "conversation");
  turn.speaker = read_any(fields, "speaker");
  turn.role = fields.choice<store::Role>("role", store::role_from_text, "user, assistant or tool")
                  .value_or(store::Role::kUser);
  turn.trust = fields
                   .choice<store::Trust>("trust", store::trust_from_text,
                                         "user, assistant, tool or web_page")
                   .value_or(store::Trust::kUser);
  turn.text = fields.text("text", kTextMax).value_or("");
  turn.caption = fields.text("caption", kTextMax).value_or("");
  const auto time = fields.time("time");
  if (!time) fields.fail("time", "is missing.");
  turn.said_at = time.value_or(store::ZonedTime{});
  turn.recorded_at = read_moment(fields, "recorded_at");
  turn.drawer = read_id<store::DrawerId>(fields, "drawer", true);
  turn.app = fields.text("app", kAnyText).value_or("");
  turn.device = read_id<store::DeviceId>(fields, "device", false);
  if (!fields.flag("read").value_or(true)) file.unread.insert(turn.id);
  KARTEI_TRY(fields.done());
  file.turns.push_back(std::move(turn));
  return {};
}

Status read_annotations(Fields& fields, ImportFile& file) {
  ImportFile::Annotations more;
  more.card = read_id<store::CardId>(fields, "card", true);
  more.from = static_cast<std::size_t>(fields.integer("from", 0, kAnyCount).value_or(0));
  more.texts = read_list(fields, "annotations");
  KARTEI_TRY(fields.done());
  file.annotations.push_back(std::move(more));
  return {};
}

void read_card_words(Fields& fields, store::Card& card) {
  card.text = read_any(fields, "text");
  for (auto& [name, text] : std::initializer_list<std::pair<const char*, std::string&>>{
           {"sub_domain", card.sub_domain},
           {"micro_context", card.micro_context},
           {"subject", card.subject},
           {"relation", card.relation},
           {"object", card.object},
           {"why_closed", card.why_closed},
           {"conversation", card.conversation},
           {"said_by", card.said_by},
           {"app", card.app}})
    text = fields.text(name, kAnyText).value_or("");
  card.tags = read_list(fields, "tags");
  card.annotations = read_list(fields, "annotations");
}

Status read_card(Fields& fields, ImportFile& file) {
  store::Card card;
  card.id = read_id<store::CardId>(fields, "id", true);
  card.drawer = read_id<store::DrawerId>(fields, "drawer", true);
  read_card_words(fields, card);
  card.colour =
      fields.choice<store::Colour>("colour", store::colour_from_text, "fact, event or rule")
          .value_or(store::Colour::kFact);
  card.trust = fields
                   .choice<store::Trust>("trust", store::trust_from_text,
                                         "user, assistant, tool or web_page")
                   .value_or(store::Trust::kUser);
  card.state = fields
                   .choice<store::CardState>("state", store::card_state_from_text,
                                             "open, closed, faded, archived, quarantined or erased")
                   .value_or(store::CardState::kOpen);
  card.valid_from = fields.date("valid_from").value_or(store::Date{});
  card.valid_to = fields.date("valid_to").value_or(store::Date{});
  card.recorded_at = read_moment(fields, "recorded_at");
  card.closed_at = read_moment(fields, "closed_at");
  card.last_used = read_moment(fields, "last_used");
  card.replaced_by = read_id<store::CardId>(fields, "replaced_by", false);
  for (const std::string& source : read_list(fields, "sources")) {
    const auto id = store::TurnId::from_text(source);
    if (!id) fields.fail("sources", "must hold turn ids of 32 hex digits.");
    card.sources.push_back(id.value_or(store::TurnId{}));
  }
  for (const std::string& flag : fields.texts("flags", 8, 64).value_or(std::vector<std::string>{}))
    card.flags |= store::flag_from_name(flag).value_or(0);
  card.importance = fields.number("importance", 0, 1).value_or(0.5);
  card.times_used =
      static_cast<std::uint32_t>(fields.integer("times_used", 0, 0xffffffffLL).value_or(0));
  card.user_made = fields.flag("user_made").value_or(true);
  card.device = read_id<store::DeviceId>(fields, "device", false);
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
  if (kind == "annotations") return read_annotations(fields, file);
  if (kind == "box") return read_box_line(fields, file);
  fields.fail("kind", "must be box, drawer, turn, card or annotations.");
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
