// forgetting: the policy, a run, what runs did, and taking it back.
#include <boost/json/array.hpp>
#include <functional>
#include <ostream>

#include "daemon/cli/verb_set.h"

namespace kartei::daemon::cli {
namespace json = boost::json;
namespace {

void print_policy(const json::object& answer, const Style& style, std::ostream& out) {
  std::vector<std::vector<std::string>> rows{{"key", "value"}};
  for (const auto& member : answer) {
    if (member.value().is_object()) continue;
    const std::string name(member.key().data(), member.key().size());
    if (name == "shared_here" || name == "bound") continue;
    rows.push_back({name, field(answer, name)});
  }
  out << table(rows, style);
  const json::object& cards = answer.at("cards").as_object();
  out << "Cards: " << field(cards, "open") << " open, " << field(cards, "faded") << " faded, "
      << field(cards, "archived") << " archived (" << field(cards, "trash") << " in the trash), "
      << field(cards, "closed") << " closed\n"
      << field(answer, "bound") << '\n';
  if (field(answer, "shared_here") == "false")
    out << "In shared drawers the primary forgets, which is another device.\n";
}

void print_run(const json::object& answer, const Style& style, std::ostream& out) {
  const bool dry = field(answer, "dry_run") == "true";
  const json::object& counts = answer.at("counts").as_object();
  if (field(answer, "on") == "false") out << "Forgetting is off.\n";
  std::vector<std::vector<std::string>> rows{{"what", "card", "why", "text"}};
  for (const json::value& value : answer.at("items").as_array()) {
    const json::object& item = value.as_object();
    rows.push_back({field(item, "what"), field(item, "card"), field(item, "why"),
                    printable(field(item, "text"))});
  }
  if (rows.size() > 1) out << table(rows, style);
  out << (dry ? "Would be: " : "Done: ") << field(counts, "fade") << " faded, "
      << field(counts, "archive") << " archived, " << field(counts, "condense")
      << " condensed into " << field(counts, "made") << ", " << field(counts, "trash")
      << " into the trash, " << field(counts, "erase") << " erased\n";
  if (const std::string run = field(answer, "run"); !run.empty())
    out << "Take it back: kartei forgetting undo " << run << '\n';
  if (field(answer, "shared_here") == "false")
    out << "Of this device's own drawers only: in shared ones the primary forgets.\n";
  if (const std::string cursor = field(answer, "cursor"); !cursor.empty())
    out << "More: --cursor " << cursor << '\n';
}

void print_runs(const json::object& answer, const Style& style, std::ostream& out) {
  std::vector<std::vector<std::string>> rows{
      {"run", "at", "faded", "archived", "condensed", "trashed", "taken back"}};
  for (const json::value& value : answer.at("items").as_array()) {
    const json::object& run = value.as_object();
    rows.push_back({field(run, "run"), field(run, "at"), field(run, "faded"),
                    field(run, "archived"), field(run, "condensed"), field(run, "trashed"),
                    field(run, "taken_back")});
  }
  out << table(rows, style);
  if (const std::string cursor = field(answer, "cursor"); !cursor.empty())
    out << "More: --cursor " << cursor << '\n';
}

void print_steps(const json::object& answer, const Style& style, std::ostream& out) {
  std::vector<std::vector<std::string>> rows{{"what", "at", "card", "why", "text"}};
  for (const json::value& value : answer.at("items").as_array()) {
    const json::object& item = value.as_object();
    rows.push_back({field(item, "what"), day(item, "at"), field(item, "card"), field(item, "why"),
                    printable(field(item, "text"))});
  }
  out << table(rows, style);
  if (answer.contains("cursor"))
    if (const std::string cursor = field(answer, "cursor"); !cursor.empty())
      out << "More: --cursor " << cursor << '\n';
}

// "on", "yes", "true", and so on; else a number.
Result<json::value> policy_value(Context& context, const std::string& text) {
  for (const char* word : {"true", "on", "yes"})
    if (text == word) return json::value(true);
  for (const char* word : {"false", "off", "no"})
    if (text == word) return json::value(false);
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end) return json::value(number);
  return context.usage("A value is a number, on or off, not " + text + ".");
}

struct PageOptions {
  std::string cursor;
  std::int64_t limit = 50;
};

std::string paged(const std::string& target, const PageOptions& page) {
  std::string out = target + "?limit=" + std::to_string(page.limit);
  if (!page.cursor.empty()) out += "&cursor=" + percent_encode(page.cursor);
  return out;
}

void add_page_options(CLI::App& command, PageOptions& page) {
  command.add_option("--cursor", page.cursor, "From the page before")->check(not_empty);
  command.add_option("--limit", page.limit, "At most so many (50)")->check(CLI::Range(1, 500));
}

struct SetOptions {
  std::string key, value;
};

Status set(Context& context, const SetOptions& given) {
  KARTEI_ASSIGN(json::value value, policy_value(context, given.value));
  json::object body;
  body[given.key] = std::move(value);
  return show(context, context.call("PUT", "/v1/forgetting", json::serialize(body)),
              [&](const json::object& answer, std::ostream& out) {
                print_policy(answer, context.around.style, out);
              });
}

struct UndoOptions {
  std::string run, card;
};

Status undo(Context& context, const UndoOptions& given) {
  if (given.run.empty() == given.card.empty())
    return context.usage("Give a run, or --card with a card's id.");
  json::object body;
  if (!given.run.empty()) body["run"] = given.run;
  if (!given.card.empty()) body["card"] = given.card;
  return show(context, context.call("POST", "/v1/forgetting/undo", json::serialize(body)),
              [](const json::object& answer, std::ostream& out) {
                out << "Taken back: " << field(answer, "taken_back") << '\n';
              });
}

// Adds a verb below `forgetting`.
using AddVerb = std::function<CLI::App*(const std::string&, const std::string&, Verb)>;

void add_run_verb(const AddVerb& add) {
  struct RunOptions {
    bool dry = false;
    PageOptions page;
  };
  const auto given = options<RunOptions>();
  CLI::App* command = add("run", "Forget now what is due", [given](Context& context) {
    const std::string body = json::serialize(json::object{{"dry_run", given->dry}});
    return show(context, context.call("POST", paged("/v1/forgetting/run", given->page), body),
                [&](const json::object& answer, std::ostream& out) {
                  print_run(answer, context.around.style, out);
                });
  });
  command->add_flag("--dry-run", given->dry, "Only tell what would be done, and why");
  add_page_options(*command, given->page);
}

void add_runs_verb(const AddVerb& add) {
  struct RunsOptions {
    std::string run;
    PageOptions page;
  };
  const auto given = options<RunsOptions>();
  CLI::App* command =
      add("runs", "What was forgotten, run by run, or what one run did", [given](Context& context) {
        const std::string target = given->run.empty()
                                       ? std::string("/v1/forgetting/runs")
                                       : "/v1/forgetting/runs/" + percent_encode(given->run);
        return show(context, context.call("GET", paged(target, given->page)),
                    [&](const json::object& answer, std::ostream& out) {
                      if (given->run.empty())
                        print_runs(answer, context.around.style, out);
                      else
                        print_steps(answer, context.around.style, out);
                    });
      });
  command->add_option("run", given->run, "A run's id")->check(not_empty);
  add_page_options(*command, given->page);
}

}  // namespace

void add_forgetting_verbs(VerbSet& verbs) {
  CLI::App* group = verbs.add("forgetting", "What is forgotten, and when", [](Context& context) {
    return show(context, context.call("GET", "/v1/forgetting"),
                [&](const json::object& answer, std::ostream& out) {
                  print_policy(answer, context.around.style, out);
                });
  });
  group->require_subcommand(0, 1);
  const AddVerb within = [&](const std::string& name, const std::string& help, Verb verb) {
    CLI::App* command = group->add_subcommand(name, help);
    command->callback([&verbs, verb = std::move(verb)] { verbs.chosen = verb; });
    return command;
  };
  const auto changed = options<SetOptions>();
  CLI::App* command = within("set", "Change the policy, on all devices",
                             [changed](Context& context) { return set(context, *changed); });
  command->add_option("key", changed->key, "As `kartei forgetting` shows it")
      ->required()
      ->check(not_empty);
  command->add_option("value", changed->value, "A number, on or off")->required()->check(not_empty);
  const auto undone = options<UndoOptions>();
  command = within("undo", "Take back what a run did, or what was done to a card",
                   [undone](Context& context) { return undo(context, *undone); });
  command->add_option("run", undone->run, "A run's id")->check(not_empty);
  command->add_option("--card", undone->card, "A card's id")->check(not_empty);
  within("trash", "What lies in the trash", [](Context& context) {
    return show(context, context.call("GET", "/v1/forgetting/trash"),
                [&](const json::object& answer, std::ostream& out) {
                  print_steps(answer, context.around.style, out);
                });
  });
  add_run_verb(within);
  add_runs_verb(within);
}

}  // namespace kartei::daemon::cli
