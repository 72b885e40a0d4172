// observe, recall, why, remember.
#include <boost/json/array.hpp>
#include <fstream>
#include <iomanip>
#include <istream>
#include <optional>
#include <ostream>
#include <sstream>
#include <utility>

#include "daemon/cli/conversation_file.h"
#include "daemon/cli/read_input.h"
#include "daemon/cli/verb_set.h"

namespace kartei::daemon::cli {
namespace json = boost::json;
namespace {

struct ObserveOptions {
  std::string file, conversation, drawer;
  bool open = false, allow_secrets = false;
};

std::string name_for(const std::string& file) {
  if (file == "-") return "stdin";
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? file : file.substr(slash + 1);
}

Status observe(Context& context, const ObserveOptions& given) {
  KARTEI_ASSIGN(const std::string text, read_input(given.file, context.around.in));
  const std::string name = given.conversation.empty() ? name_for(given.file) : given.conversation;
  KARTEI_ASSIGN(auto calls, read_conversation(text, {name, given.drawer}));
  std::size_t kept = 0;
  json::array ids, refused;
  for (json::object& call : calls) {
    if (given.allow_secrets) call["allow_secrets"] = true;
    KARTEI_ASSIGN(const std::string answer,
                  context.call("POST", "/v1/turns", json::serialize(call)));
    const json::value value = json::parse(answer);
    for (const json::value& id : value.at("ids").as_array()) ids.push_back(id);
    for (const json::value& one : value.at("refused").as_array()) refused.push_back(one);
    kept = ids.size();
  }
  if (!given.open && !calls.empty()) {
    const std::string conversation = field(calls.back(), "conversation");
    KARTEI_TRY(context.call("POST", "/v1/conversations/" + percent_encode(conversation) + "/end"));
  }
  if (context.json) {
    context.around.out << json::serialize(json::object{{"ids", ids}, {"refused", refused}}) << '\n';
  } else {
    context.around.out << kept << " turns stored.\n";
    for (const json::value& one : refused)
      context.around.err << "kartei: refused: " << field(one.as_object(), "reason") << '\n';
  }
  if (refused.empty()) return {};
  return Error{Cause::kForbidden,
               std::to_string(refused.size()) + " of " +
                   std::to_string(refused.size() + ids.size()) + " turns were refused.",
               {}};
}

struct RecallOptions {
  std::vector<std::string> query;
  std::string conversation, as_of, known_at;
  std::vector<std::string> drawers;
  std::optional<std::int64_t> budget, limit;
};

void add_recall_options(CLI::App* command, RecallOptions& given) {
  command->add_option("query", given.query, "What to look for")->required()->check(not_empty);
  command->add_option("--budget", given.budget, "At most so many tokens (the box's); 0: any number")
      ->check(CLI::Range(0, 1'000'000));
  command->add_option("--limit", given.limit, "At most so many items (50)")
      ->check(CLI::Range(1, 500));
  command->add_option("--drawer", given.drawers, "Only these drawers")->check(not_empty);
  command->add_option("--conversation", given.conversation, "Its buffer is included")
      ->check(not_empty);
  command->add_option("--as-of", given.as_of, "What was true then (RFC 3339)")->check(is_moment);
  command->add_option("--known-at", given.known_at, "What was known then (RFC 3339)")
      ->check(is_moment);
}

std::string recall_body(const RecallOptions& given, bool explain) {
  json::object body{{"query", joined(given.query)}};
  if (given.budget) body["budget_tokens"] = *given.budget;
  if (given.limit) body["limit"] = *given.limit;
  if (!given.drawers.empty()) body["drawers"] = texts(given.drawers);
  if (!given.conversation.empty()) {
    body["conversation"] = given.conversation;
    body["include"] = json::array{"cards", "turns", "buffer"};
  }
  if (!given.as_of.empty()) body["as_of"] = given.as_of;
  if (!given.known_at.empty()) body["known_at"] = given.known_at;
  if (explain) body["explain"] = true;
  return json::serialize(body);
}

// Lines are kept, other control characters are not.
void print_text(const std::string& text, std::ostream& out) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out << printable(line) << '\n';
}

std::string legs_of(const json::object& item) {
  std::ostringstream out;
  for (const auto& leg : item.at("legs").as_object())
    out << (out.tellp() > 0 ? ", " : "") << std::string_view(leg.key().data(), leg.key().size())
        << ' ' << std::fixed << std::setprecision(2) << leg.value().to_number<double>();
  return out.str();
}

void add_why_rows(const json::array& items, const char* mark,
                  std::vector<std::vector<std::string>>& rows) {
  for (const json::value& value : items) {
    const json::object& item = value.as_object();
    std::ostringstream score;
    score << std::fixed << std::setprecision(2) << item.at("score").to_number<double>();
    rows.push_back({mark, score.str(), field(item, "kind"), field(item, "id"), legs_of(item),
                    field(item, "text")});
  }
}

void say_guesses(const json::object& guesses, std::ostream& out) {
  for (const auto& guess : guesses) {
    out << "Nobody ever said \"" << printable({guess.key().data(), guess.key().size()})
        << "\"; taken for";
    const char* before = " ";
    for (const json::value& word : guess.value().as_array()) {
      const json::string& meant = word.as_string();
      out << std::exchange(before, ", ") << printable({meant.data(), meant.size()});
    }
    out << ".\n";
  }
}

Status why(Context& context, const RecallOptions& given) {
  return show(
      context, context.call("POST", "/v1/recall", recall_body(given, true)),
      [&](const json::object& answer, std::ostream& out) {
        std::vector<std::vector<std::string>> rows{{"", "score", "kind", "id", "found by", "text"}};
        add_why_rows(answer.at("items").as_array(), "+", rows);
        if (const json::value* missed = answer.if_contains("missed"))
          add_why_rows(missed->as_array(), "-", rows);
        out << table(rows, context.around.style);
        if (const json::value* guesses = answer.if_contains("guesses"))
          say_guesses(guesses->as_object(), out);
        out << field(answer, "tokens") << " tokens, " << field(answer, "took_us")
            << " us. + handed out, - just missed.\n";
      });
}

struct RememberOptions {
  std::vector<std::string> text, flags, tags;
  std::string colour, drawer, from, to;
  bool allow_secrets = false;
};

Status remember(Context& context, const RememberOptions& given) {
  json::object body{{"text", joined(given.text)}};
  if (!given.colour.empty()) body["colour"] = given.colour;
  if (!given.drawer.empty()) body["drawer"] = given.drawer;
  if (!given.from.empty()) body["valid_from"] = given.from;
  if (!given.to.empty()) body["valid_to"] = given.to;
  if (!given.flags.empty()) body["flags"] = texts(given.flags);
  if (!given.tags.empty()) body["tags"] = texts(given.tags);
  if (given.allow_secrets) body["allow_secrets"] = true;
  return show(
      context, context.call("POST", "/v1/cards", json::serialize(body)),
      [](const json::object& card, std::ostream& out) { out << field(card, "id") << '\n'; });
}

}  // namespace

void add_talk_verbs(VerbSet& verbs) {
  const auto observed = options<ObserveOptions>();
  CLI::App* command =
      verbs.add("observe", "Store a conversation: \"speaker: text\" lines, or JSON",
                [observed](Context& context) { return observe(context, *observed); });
  command->add_option("file", observed->file, "A file, or - for standard input")
      ->required()
      ->check(not_empty);
  command->add_option("--conversation", observed->conversation, "Its name (default: the file's)")
      ->check(not_empty);
  command->add_option("--drawer", observed->drawer, "The drawer of its turns")->check(not_empty);
  command->add_flag("--open", observed->open, "It goes on: do not read it yet");
  command->add_flag("--allow-secrets", observed->allow_secrets,
                    "Store what holds passwords and keys, too");

  const auto asked = options<RecallOptions>();
  command = verbs.add("recall", "Find what is known", [asked](Context& context) {
    return show(context, context.call("POST", "/v1/recall", recall_body(*asked, false)),
                [&](const json::object& answer, std::ostream& out) {
                  const std::string text = field(answer, "text");
                  if (text.empty()) context.around.err << "kartei: Nothing is known of that.\n";
                  print_text(text, out);
                });
  });
  add_recall_options(command, *asked);

  const auto explained = options<RecallOptions>();
  command = verbs.add("why", "Recall, and what found each item",
                      [explained](Context& context) { return why(context, *explained); });
  add_recall_options(command, *explained);

  const auto remembered = options<RememberOptions>();
  command = verbs.add("remember", "Write a card in your own words",
                      [remembered](Context& context) { return remember(context, *remembered); });
  command->add_option("text", remembered->text, "One full sentence")->required()->check(not_empty);
  command->add_option("--colour", remembered->colour, "fact, event or rule")->check(colours());
  command->add_option("--drawer", remembered->drawer, "Its drawer")->check(not_empty);
  command->add_option("--from", remembered->from, "True from (2026, 2026-03, 2026-03-10)")
      ->check(is_date);
  command->add_option("--to", remembered->to, "True until (exclusive)")->check(is_date);
  command->add_option("--flag", remembered->flags, "persistent, high_priority, never_forget")
      ->check(flags());
  command->add_option("--tag", remembered->tags, "A tag")->check(not_empty);
  command->add_flag("--allow-secrets", remembered->allow_secrets,
                    "Store it even if it holds a password or a key");
}

}  // namespace kartei::daemon::cli
