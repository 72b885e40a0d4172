// cards, show, history, edit, close, archive, reactivate, forget, erasure.
#include <boost/json/array.hpp>
#include <optional>
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

// A turn that is not here any more is left out: its id stands with the card.
void print_sources(Context& context, const json::object& card, std::ostream& out) {
  for (const json::value& source : card.at("sources").as_array()) {
    const auto answer =
        context.call("GET", "/v1/turns/" + percent_encode(std::string(source.as_string())));
    boost::system::error_code failed;
    const json::value turn = answer ? json::parse(*answer, failed) : json::value();
    if (!turn.is_object()) continue;
    const std::string speaker = field(turn.get_object(), "speaker");
    out << "\n"
        << day(turn.get_object(), "time") << ", " << printable(speaker) << ":\n  "
        << printable(field(turn.get_object(), "text")) << '\n';
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
  std::vector<std::string> words;
  std::string drawer, state, colour, since, cursor;
  std::int64_t limit = 50;
  bool fresh = false;
};

Status list(Context& context, const ListOptions& given) {
  std::string target = "/v1/cards?limit=" + std::to_string(given.limit);
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) target += std::string("&") + name + "=" + percent_encode(value);
  };
  add("drawer", given.drawer);
  add("state", given.state);
  add("colour", given.colour);
  add("q", joined(given.words));
  add("since", given.since);
  add("cursor", given.cursor);
  if (given.fresh) target += "&new=true";
  return show(context, context.call("GET", target),
              [&](const json::object& answer, std::ostream& out) {
                print_cards(answer, context.around.style, out);
                if (given.fresh && !answer.at("items").as_array().empty())
                  out << "`kartei accept ID...`, `kartei reject ID...`, `kartei correct ID TEXT`; "
                         "`kartei show ID` has the words that a card came from.\n";
                if (const std::string cursor = field(answer, "cursor"); !cursor.empty())
                  out << "More: --cursor " << cursor << '\n';
              });
}

struct EditOptions {
  std::string id, text, note, drawer, why, from, to;
  std::vector<std::string> flags;
  std::optional<double> importance;
  bool anew = false, approve = false, no_flags = false, allow_secrets = false;
};

void add_edit_options(CLI::App& command, EditOptions& given) {
  command.add_option("id", given.id, "The card's id")->required()->check(not_empty);
  CLI::Option* text = command.add_option_function<std::string>(
      "--text",
      [&given](const std::string& said) {
        given.text = said;
        given.anew = true;
      },
      "Replaces the card by one with this text");
  text->check(not_empty);
  command.add_option("--why", given.why, "With --text: why")->check(not_empty)->needs(text);
  command
      .add_option("--from", given.from, "With --text: the new one is true from, the old one until")
      ->check(is_date)
      ->needs(text);
  command.add_option("--to", given.to, "With --text: true until (exclusive)")
      ->check(is_date)
      ->needs(text);
  command.add_option("--note", given.note, "Adds an annotation")->check(not_empty)->excludes(text);
  command.add_option("--drawer", given.drawer, "Moves it")->check(not_empty)->excludes(text);
  CLI::Option* flag = command.add_option("--flag", given.flags,
                                         "Sets its flags: persistent, high_priority, never_forget");
  flag->check(flags());
  command.add_flag("--no-flags", given.no_flags, "Takes its flags away")
      ->excludes(text)
      ->excludes(flag);
  command.add_option("--importance", given.importance, "0 to 1")
      ->check(CLI::Range(0.0, 1.0))
      ->excludes(text);
  command.add_flag("--approve", given.approve, "Opens a quarantined card")->excludes(text);
  command.add_flag("--allow-secrets", given.allow_secrets,
                   "Even if what it says then holds a password or a key");
}

Status edit(Context& context, const EditOptions& given) {
  const std::string target = "/v1/cards/" + percent_encode(given.id);
  if (given.anew) {
    json::object body{{"text", given.text}};
    if (!given.why.empty()) body["why"] = given.why;
    if (!given.from.empty()) body["valid_from"] = given.from;
    if (!given.to.empty()) body["valid_to"] = given.to;
    if (!given.flags.empty()) body["flags"] = texts(given.flags);
    if (given.allow_secrets) body["allow_secrets"] = true;
    return show(
        context, context.call("POST", target + "/replace", json::serialize(body)),
        [](const json::object& card, std::ostream& out) { out << field(card, "id") << '\n'; });
  }
  json::object body;
  if (!given.note.empty()) body["annotation"] = given.note;
  if (!given.drawer.empty()) body["drawer"] = given.drawer;
  if (!given.flags.empty() || given.no_flags) body["flags"] = texts(given.flags);
  if (given.importance) body["importance"] = *given.importance;
  if (given.approve) body["approve"] = true;
  if (given.allow_secrets) body["allow_secrets"] = true;
  if (body.empty())
    return context.usage("Nothing to change. `kartei edit --help` shows what can be.");
  return show(context, context.call("PATCH", target, json::serialize(body)),
              [](const json::object& card, std::ostream& out) { print_card(card, out); });
}

// The secrets of a turn, or of a card, are handed out from now on.
Status allow(Context& context, const std::string& id, bool no_more) {
  const std::string body = json::serialize(json::object{{"allow_secrets", !no_more}});
  const std::string place = percent_encode(id);
  auto answer = context.call("PATCH", "/v1/turns/" + place, body);
  if (!answer && answer.error().cause == Cause::kNotFound)
    answer = context.call("PATCH", "/v1/cards/" + place, body);
  return show(context, std::move(answer), [](const json::object& item, std::ostream& out) {
    out << printable(field(item, "text")) << '\n';
  });
}

// A verb that is a call of its own below the card.
struct Step {
  const char *name, *help, *done;
};

void add_step(VerbSet& verbs, const Step& step, bool dated) {
  struct StepOptions {
    std::string id, why, to;
  };
  const auto given = options<StepOptions>();
  CLI::App* command = verbs.add(step.name, step.help, [given, step](Context& context) {
    json::object body;
    if (!given->why.empty()) body["why"] = given->why;
    if (!given->to.empty()) body["valid_to"] = given->to;
    const std::string target = "/v1/cards/" + percent_encode(given->id) + "/" + step.name;
    return show(context, context.call("POST", target, json::serialize(body)),
                [&](const json::object& card, std::ostream& out) {
                  out << step.done << printable(field(card, "text")) << '\n';
                });
  });
  command->add_option("id", given->id, "The card's id")->required()->check(not_empty);
  command->add_option("--why", given->why, "Why")->check(not_empty);
  if (dated)
    command->add_option("--to", given->to, "It was true until (exclusive)")->check(is_date);
}

}  // namespace

void add_card_verbs(VerbSet& verbs) {
  const auto listed = options<ListOptions>();
  CLI::App* command = verbs.add("cards", "List cards",
                                [listed](Context& context) { return list(context, *listed); });
  command->add_option("words", listed->words, "Words that must occur")->check(not_empty);
  command->add_option("--drawer", listed->drawer, "Of this drawer")->check(not_empty);
  command
      ->add_option("--state", listed->state,
                   "open, closed, faded, archived, quarantined, erased, all")
      ->check(
          CLI::IsMember({"open", "closed", "faded", "archived", "quarantined", "erased", "all"}));
  command->add_option("--colour", listed->colour, "fact, event or rule")->check(colours());
  command->add_option("--since", listed->since, "Recorded since (RFC 3339)")->check(is_moment);
  command->add_flag("--new", listed->fresh,
                    "Written by the secretary, and not accepted, rejected or corrected yet");
  command->add_option("--cursor", listed->cursor, "From the page before")->check(not_empty);
  command->add_option("--limit", listed->limit, "At most so many (50)")->check(CLI::Range(1, 500));

  struct AllowOptions {
    std::string id;
    bool no_more = false;
  };
  const auto allowed = options<AllowOptions>();
  command = verbs.add(
      "allow", "Hand out the secrets of a card or a turn",
      [allowed](Context& context) { return allow(context, allowed->id, allowed->no_more); });
  command->add_option("id", allowed->id, "Its id")->required()->check(not_empty);
  command->add_flag("--no-more", allowed->no_more, "Mask them again");

  const auto with_id = [&](const char* name, const char* help, auto use) {
    const auto id = options<std::string>();
    verbs
        .add(name, help, [id, use](Context& context) { return use(context, percent_encode(*id)); })
        ->add_option("id", *id, "The card's id")
        ->required()
        ->check(not_empty);
  };
  with_id("show", "Show one card, and the words that it came from",
          [](Context& context, const std::string& id) {
            return show(context, context.call("GET", "/v1/cards/" + id),
                        [&](const json::object& card, std::ostream& out) {
                          print_card(card, out);
                          print_sources(context, card, out);
                        });
          });
  with_id("history", "What a card replaced, and what replaced it",
          [](Context& context, const std::string& id) {
            return show(context, context.call("GET", "/v1/cards/" + id + "/history"),
                        [&](const json::object& answer, std::ostream& out) {
                          print_cards(answer, context.around.style, out);
                        });
          });
  with_id("forget", "Erase a card for good", [](Context& context, const std::string& id) {
    return show(context, context.call("DELETE", "/v1/cards/" + id),
                [](const json::object& answer, std::ostream& out) {
                  out << "Erased here. `kartei erasure " << field(answer, "erasure")
                      << "` shows the other devices.\n";
                });
  });

  add_step(verbs, {"close", "A card is no longer true", "Closed: "}, true);
  add_step(verbs, {"archive", "Put a card away", "Archived: "}, false);
  add_step(verbs, {"reactivate", "Make a closed or archived card open again", "Open again: "},
           false);

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
      ->required()
      ->check(not_empty);

  const auto edited = options<EditOptions>();
  command = verbs.add("edit", "Change a card, or say it anew with --text",
                      [edited](Context& context) { return edit(context, *edited); });
  add_edit_options(*command, *edited);
}

}  // namespace kartei::daemon::cli
