// cards, show, history, edit, close, forget.
#include <boost/json/array.hpp>
#include <ostream>

#include "daemon/cli/verb_set.h"

namespace kartei::daemon::cli {
namespace json = boost::json;
namespace {

void print_cards(const json::object& answer, const Style& style, std::ostream& out) {
  std::vector<std::vector<std::string>> rows{
      {"id", "state", "colour", "from", "to", "drawer", "text"}};
  for (const json::value& value : answer.at("items").as_array()) {
    const json::object& card = value.as_object();
    rows.push_back({field(card, "id"), field(card, "state"), field(card, "colour"),
                    day(card, "valid_from"), day(card, "valid_to"), field(card, "drawer"),
                    field(card, "text")});
  }
  out << table(rows, style);
}

void print_card(const json::object& card, std::ostream& out) {
  for (const auto& member : card) {
    const std::string value = field(card, {member.key().data(), member.key().size()});
    if (value.empty() || value == "[]") continue;
    std::string name(member.key().data(), member.key().size());
    name.resize(std::max<std::size_t>(name.size() + 1, 16), ' ');
    out << name << printable(value) << '\n';
  }
}

void print_erasure(const json::object& answer, const Style& style, std::ostream& out) {
  out << "The erasure is " << field(answer, "state") << ".\n";
  std::vector<std::vector<std::string>> rows{{"erased", "device"}};
  for (const json::value& value : answer.at("devices").as_array()) {
    const json::object& device = value.as_object();
    rows.push_back({field(device, "done") == "true" ? "yes" : "not yet", field(device, "name")});
  }
  out << table(rows, style);
}

struct ListOptions {
  std::string drawer, state, colour, q, since, cursor;
  std::size_t limit = 0;
};

Status list(Context& context, const ListOptions& given) {
  std::string target = "/v1/cards?limit=" + std::to_string(given.limit == 0 ? 50 : given.limit);
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) target += std::string("&") + name + "=" + percent_encode(value);
  };
  add("drawer", given.drawer);
  add("state", given.state);
  add("colour", given.colour);
  add("q", given.q);
  add("since", given.since);
  add("cursor", given.cursor);
  return show(context, context.call("GET", target),
              [&](const json::object& answer, std::ostream& out) {
                print_cards(answer, context.around.style, out);
                if (const std::string cursor = field(answer, "cursor"); !cursor.empty())
                  out << "More: --cursor " << cursor << '\n';
              });
}

struct EditOptions {
  std::string id, text, note, drawer, why;
  std::vector<std::string> flags;
  double importance = -1;
  bool approve = false, no_flags = false;
};

Status edit(Context& context, const EditOptions& given) {
  const std::string target = "/v1/cards/" + percent_encode(given.id);
  if (!given.text.empty()) {
    json::object body{{"text", given.text}};
    if (!given.why.empty()) body["why"] = given.why;
    return show(
        context, context.call("POST", target + "/replace", json::serialize(body)),
        [](const json::object& card, std::ostream& out) { out << field(card, "id") << '\n'; });
  }
  json::object body;
  if (!given.note.empty()) body["annotation"] = given.note;
  if (!given.drawer.empty()) body["drawer"] = given.drawer;
  if (!given.flags.empty() || given.no_flags) body["flags"] = texts(given.flags);
  if (given.importance >= 0) body["importance"] = given.importance;
  if (given.approve) body["approve"] = true;
  return show(context, context.call("PATCH", target, json::serialize(body)),
              [](const json::object& card, std::ostream& out) { print_card(card, out); });
}

}  // namespace

void add_card_verbs(VerbSet& verbs) {
  const auto listed = options<ListOptions>();
  CLI::App* command = verbs.add("cards", "List cards",
                                [listed](Context& context) { return list(context, *listed); });
  command->add_option("words", listed->q, "Words that must occur");
  command->add_option("--drawer", listed->drawer, "Of this drawer");
  command->add_option("--state", listed->state,
                      "open, closed, faded, archived, quarantined, erased, all");
  command->add_option("--colour", listed->colour, "fact, event or rule");
  command->add_option("--since", listed->since, "Recorded since (RFC 3339)");
  command->add_option("--cursor", listed->cursor, "From the page before");
  command->add_option("--limit", listed->limit, "At most so many (50)");

  const auto with_id = [&](const char* name, const char* help, auto use) {
    const auto id = options<std::string>();
    verbs
        .add(name, help, [id, use](Context& context) { return use(context, percent_encode(*id)); })
        ->add_option("id", *id, "The card's id")
        ->required();
  };
  with_id("show", "Show one card", [](Context& context, const std::string& id) {
    return show(context, context.call("GET", "/v1/cards/" + id),
                [](const json::object& card, std::ostream& out) { print_card(card, out); });
  });
  with_id("history", "What a card replaced, and what replaced it",
          [](Context& context, const std::string& id) {
            return show(context, context.call("GET", "/v1/cards/" + id + "/history"),
                        [&](const json::object& answer, std::ostream& out) {
                          print_cards(answer, context.around.style, out);
                        });
          });
  with_id("close", "A card is no longer true", [](Context& context, const std::string& id) {
    return show(context, context.call("POST", "/v1/cards/" + id + "/close", "{}"),
                [](const json::object& card, std::ostream& out) {
                  out << "Closed: " << printable(field(card, "text")) << '\n';
                });
  });
  with_id("forget", "Erase a card for good", [](Context& context, const std::string& id) {
    return show(context, context.call("DELETE", "/v1/cards/" + id),
                [](const json::object& answer, std::ostream& out) {
                  out << "Erased here. `kartei erasure " << field(answer, "erasure")
                      << "` shows the other devices.\n";
                });
  });

  const auto erasure = options<std::string>();
  verbs
      .add("erasure", "How far an erasure has come",
           [erasure](Context& context) {
             return show(context, context.call("GET", "/v1/erasures/" + percent_encode(*erasure)),
                         [&](const json::object& answer, std::ostream& out) {
                           print_erasure(answer, context.around.style, out);
                         });
           })
      ->add_option("id", *erasure, "As `forget` gave it")
      ->required();

  const auto edited = options<EditOptions>();
  command = verbs.add("edit", "Change a card, or say it anew with --text",
                      [edited](Context& context) { return edit(context, *edited); });
  command->add_option("id", edited->id, "The card's id")->required();
  command->add_option("--text", edited->text, "Replaces the card by one with this text");
  command->add_option("--why", edited->why, "With --text: why");
  command->add_option("--note", edited->note, "Adds an annotation");
  command->add_option("--drawer", edited->drawer, "Moves it");
  command->add_option("--flag", edited->flags, "Sets its flags");
  command->add_flag("--no-flags", edited->no_flags, "Takes its flags away");
  command->add_option("--importance", edited->importance, "0 to 1");
  command->add_flag("--approve", edited->approve, "Opens a quarantined card");
}

}  // namespace kartei::daemon::cli
