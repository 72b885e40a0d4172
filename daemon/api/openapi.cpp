#include "daemon/api/openapi.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "daemon/version.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

// `query`: names separated by spaces. `body`: the schema's properties, one "name:type" each, '?'
// for optional; types as in kTypes.
struct Described {
  Method method;
  const char* path;
  const char* summary;
  const char* query;
  const char* body;
  int status;
};

constexpr Described kCalls[] = {
    {Method::kPost, "/v1/turns",
     "Stores turns; answers once they are on disk. A repeated id is stored once. Extraction "
     "follows.",
     "", "conversation:text turns:turns allow_secrets?:boolean", 202},
    {Method::kGet, "/v1/turns/{id}", "One turn word for word, with its neighbours where asked.",
     "around", "", 200},
    {Method::kPatch, "/v1/turns/{id}",
     "The secrets that the turn has are handed out from now on, or not any more.", "",
     "allow_secrets:boolean", 200},
    {Method::kPost, "/v1/conversations/{c}/end", "The secretary reads the whole conversation now.",
     "", "", 202},
    {Method::kPost, "/v1/turns/{id}/undo",
     "Rejects the cards that the secretary wrote from the turn.", "", "why?:text dry_run?:boolean",
     200},
    {Method::kPost, "/v1/conversations/{c}/undo",
     "Rejects the cards that the secretary wrote from the conversation.", "",
     "why?:text dry_run?:boolean", 200},
    {Method::kGet, "/v1/conversations/{c}/window",
     "The last 4 exchanges word for word, and the last 10 as one-line summaries.", "", "", 200},
    {Method::kPost, "/v1/recall", "Finds cards and turns and packs them into a token budget.", "",
     "query:text budget_tokens?:integer limit?:integer conversation?:text drawers?:texts now?:time "
     "as_of?:time known_at?:time include?:texts explain?:boolean",
     200},
    {Method::kGet, "/v1/audit", "What was handed out, when, to which app, for which query.",
     "limit cursor", "", 200},
    {Method::kGet, "/v1/cards", "Lists cards; open ones unless `state` says otherwise.",
     "drawer state colour q since new cursor limit", "", 200},
    {Method::kPost, "/v1/cards", "Remembers one card in the user's own words.", "",
     "text:text colour?:colour drawer?:text valid_from?:date valid_to?:date flags?:texts "
     "tags?:texts allow_secrets?:boolean",
     201},
    {Method::kGet, "/v1/cards/{id}", "One card.", "", "", 200},
    {Method::kPatch, "/v1/cards/{id}",
     "Changes flags, importance or drawer, adds an annotation, approves a quarantined card.", "",
     "flags?:texts annotation?:text drawer?:text importance?:number approve?:boolean "
     "allow_secrets?:boolean",
     200},
    {Method::kDelete, "/v1/cards/{id}", "Erases a card for good.", "", "", 202},
    {Method::kGet, "/v1/cards/{id}/history", "What it replaced and what replaced it, oldest first.",
     "", "", 200},
    {Method::kPost, "/v1/cards/{id}/replace", "Closes the card and puts a new one in its place.",
     "",
     "text:text colour?:colour drawer?:text valid_from?:date valid_to?:date flags?:texts "
     "tags?:texts why?:text allow_secrets?:boolean",
     201},
    {Method::kPost, "/v1/cards/{id}/accept", "The owner has looked at it, and it may stand.", "",
     "", 200},
    {Method::kPost, "/v1/cards/{id}/reject", "As if it had not been written.", "", "why?:text",
     200},
    {Method::kPost, "/v1/cards/{id}/close", "It is no longer true.", "",
     "why?:text valid_to?:date allow_secrets?:boolean", 200},
    {Method::kPost, "/v1/cards/{id}/archive", "Puts it away.", "",
     "why?:text allow_secrets?:boolean", 200},
    {Method::kPost, "/v1/cards/{id}/reactivate", "Takes it out again.", "",
     "why?:text allow_secrets?:boolean", 200},
    {Method::kGet, "/v1/erasures/{id}", "How far an erasure has come, device by device.", "", "",
     200},
    {Method::kGet, "/v1/drawers", "Lists drawers.", "", "", 200},
    {Method::kGet, "/v1/sorting", "What goes into which drawer by itself.", "", "", 200},
    {Method::kDelete, "/v1/sorting/{kind}", "Forgets what was counted and learned of a kind.", "",
     "", 200},
    {Method::kPatch, "/v1/drawers/{name}",
     "Shares or un-shares a drawer, says with which devices, renames it. `create` makes it "
     "if absent.",
     "", "shared?:boolean devices?:texts name?:text merge_into?:text create?:boolean", 200},
    {Method::kGet, "/v1/devices", "The box's devices with vitals, last heard, position.", "", "",
     200},
    {Method::kDelete, "/v1/devices/{id}", "Revokes a device.", "", "", 200},
    {Method::kGet, "/v1/primary", "Who runs the box, and each candidate's score.", "", "", 200},
    {Method::kPut, "/v1/primary", "Pins a device, or releases the pin with \"auto\".", "",
     "device:text", 200},
    {Method::kGet, "/v1/sync", "Mode, positions, devices, forks.", "", "", 200},
    {Method::kPut, "/v1/sync", "Off or direct.", "", "mode:text", 200},
    {Method::kPost, "/v1/pairing",
     "On a member: gives a code. On the newcomer, with `code`: joins the member's box.", "",
     "seconds?:integer code?:text address?:text", 200},
    {Method::kGet, "/v1/pairing", "The state of pairing, and who waits for approval.", "", "", 200},
    {Method::kPost, "/v1/pairing/approve",
     "A second device, or the recovery key, approves a newcomer.", "",
     "device:text recovery_key?:text", 200},
    {Method::kGet, "/v1/box", "Name, owner, zone, token budget, days of the audit.", "", "", 200},
    {Method::kPut, "/v1/box", "Who \"I\" is, and where.", "",
     "owner?:text zone?:text token_budget?:integer audit_days?:integer", 200},
    {Method::kDelete, "/v1/box", "Empties the box on this device; `name` confirms.", "",
     "name:text", 200},
    {Method::kGet, "/v1/status", "Version, role, counts, positions, what is left to do.", "", "",
     200},
    {Method::kGet, "/v1/secretary", "Which secretary works, what a model costs, what it may read.",
     "", "", 200},
    {Method::kPut, "/v1/secretary",
     "Whether the model's endpoint, where it is on another machine, may read a drawer.", "",
     "drawer:text allow:boolean", 200},
    {Method::kPut, "/v1/secretary/keys/{name}", "Keeps a key of an endpoint, sealed.", "",
     "value:text", 200},
    {Method::kDelete, "/v1/secretary/keys/{name}", "Deletes a kept key.", "", "", 200},
    {Method::kPost, "/v1/lock", "Closes all boxes and forgets the key.", "", "", 200},
    {Method::kPost, "/v1/unlock",
     "Opens the boxes: with the passphrase, or by what needs none where none is given.", "",
     "passphrase?:text", 200},
    {Method::kGet, "/v1/keyring", "What opens the boxes of this device.", "", "", 200},
    {Method::kPut, "/v1/keyring/passphrase",
     "Sets or changes the passphrase. The key file goes, unless `keep_file`.", "",
     "passphrase:text current?:text keep_file?:boolean", 200},
    {Method::kPut, "/v1/keyring/{backend}", "Adds a wrap: `secret-service` or `file`.", "",
     "current?:text", 200},
    {Method::kDelete, "/v1/keyring/{backend}", "Removes a wrap; the last one stays.", "",
     "current?:text", 200},
    {Method::kDelete, "/v1/meaning", "Deletes the vectors that are kept while meaning is off.", "",
     "", 200},
    {Method::kPost, "/v1/check", "Checks the box's file.", "", "", 200},
    {Method::kGet, "/v1/metrics", "Prometheus text.", "", "", 200},
    {Method::kGet, "/v1/events", "Server-sent events; resumable by Last-Event-ID.", "", "", 200},
    {Method::kGet, "/v1/openapi.json", "This description.", "", "", 200},
    {Method::kGet, "/v1/export", "Everything, as JSON lines.", "", "", 200},
    {Method::kPost, "/v1/import", "Takes in lines of an export.", "allow_secrets", "", 200},
    {Method::kGet, "/v1/forgetting", "The policy of forgetting, and how many cards are where.", "",
     "", 200},
    {Method::kPut, "/v1/forgetting", "Changes the policy, on all devices.", "",
     "on?:boolean condense?:boolean delete_archived?:boolean fade_after_days?:integer "
     "fade_facts_after_days?:integer archive_after_days?:integer condense_after_days?:integer "
     "condense_least?:integer open_cards_max?:integer delete_after_days?:integer "
     "trash_days?:integer",
     200},
    {Method::kPost, "/v1/forgetting/run",
     "Forgets now what is due; with `dry_run` only tells what would be done, and why.",
     "limit cursor", "dry_run?:boolean", 200},
    {Method::kGet, "/v1/forgetting/runs", "What was forgotten, run by run, newest first.",
     "limit cursor", "", 200},
    {Method::kGet, "/v1/forgetting/runs/{run}", "What one run did to which card, and why.",
     "limit cursor", "", 200},
    {Method::kGet, "/v1/forgetting/trash", "What lies in the trash, and until when.", "", "", 200},
    {Method::kPost, "/v1/forgetting/undo", "Takes back what a run did, or what was done to a card.",
     "", "run?:text card?:text", 200},
};

// JSON schemas of the types above.
const json::object& types() {
  static const json::object kTypes = json::parse(R"({
    "text": {"type": "string"},
    "texts": {"type": "array", "items": {"type": "string"}},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "colour": {"type": "string", "enum": ["fact", "event", "rule"]},
    "date": {"type": "string", "description": "2026, 2026-03, 2026-03-10, or RFC 3339"},
    "time": {"type": "string", "format": "date-time"},
    "turns": {"type": "array", "items": {"type": "object", "additionalProperties": false,
      "required": ["speaker", "role", "text"], "properties": {
        "id": {"type": "string"}, "speaker": {"type": "string"},
        "role": {"type": "string", "enum": ["user", "assistant", "tool"]},
        "text": {"type": "string"}, "caption": {"type": "string"},
        "time": {"type": "string", "format": "date-time"}, "drawer": {"type": "string"},
        "trust": {"type": "string", "enum": ["user", "assistant", "tool", "web_page"]},
        "allow_secrets": {"type": "boolean"}}}}
  })")
                                         .as_object();
  return kTypes;
}

std::vector<std::string> words(std::string_view text, char separator) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

json::object body_schema(const char* body) {
  json::object properties;
  json::array required;
  for (const std::string& field : words(body, ' ')) {
    const std::size_t colon = field.find(':');
    std::string name = field.substr(0, colon);
    if (name.ends_with('?'))
      name.pop_back();
    else
      required.emplace_back(name);
    properties[name] = types().at(field.substr(colon + 1));
  }
  json::object schema{{"type", "object"}, {"additionalProperties", false}};
  schema["properties"] = std::move(properties);
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

json::object parameter(const std::string& name, const char* in, bool required) {
  return {{"name", name}, {"in", in}, {"required", required}, {"schema", {{"type", "string"}}}};
}

json::object operation(const Described& call) {
  json::object out{{"summary", call.summary}};
  json::array parameters;
  for (const std::string& segment : words(call.path, '/'))
    if (segment.starts_with('{'))
      parameters.push_back(parameter(segment.substr(1, segment.size() - 2), "path", true));
  for (const std::string& name : words(call.query, ' '))
    parameters.push_back(parameter(name, "query", false));
  parameters.push_back(parameter("box", "query", false));
  out["parameters"] = std::move(parameters);
  if (*call.body != '\0')
    out["requestBody"] = {
        {"content", {{"application/json", {{"schema", body_schema(call.body)}}}}}};
  json::object responses;
  responses[std::to_string(call.status)] = {{"description", call.summary}};
  responses["default"] = {
      {"description", "A problem document (RFC 9457)"},
      {"content",
       {{"application/problem+json", {{"schema", {{"$ref", "#/components/schemas/Problem"}}}}}}}};
  out["responses"] = std::move(responses);
  return out;
}

std::string lower(const char* text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string make_document() {
  json::object paths;
  for (const Described& call : kCalls) {
    json::value& path = paths[call.path];
    if (!path.is_object()) path = json::object();
    path.as_object()[lower(to_text(call.method))] = operation(call);
  }
  json::object problem_schema = json::parse(R"({"type": "object", "properties": {
    "type": {"type": "string"}, "title": {"type": "string"}, "status": {"type": "integer"},
    "detail": {"type": "string"}, "field": {"type": "string"}}})")
                                    .as_object();
  json::object document{{"openapi", "3.1.0"}};
  document["info"] = {{"title", "Kartei"}, {"version", version()}};
  document["paths"] = std::move(paths);
  document["components"] = {{"schemas", {{"Problem", std::move(problem_schema)}}}};
  return json::serialize(document);
}

}  // namespace

const std::string& openapi_json() {
  static const std::string kDocument = make_document();
  return kDocument;
}

std::vector<std::pair<Method, std::string>> described_calls() {
  std::vector<std::pair<Method, std::string>> out;
  for (const Described& call : kCalls) out.emplace_back(call.method, call.path);
  return out;
}

}  // namespace kartei::daemon::api
