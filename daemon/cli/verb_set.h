// The verbs while they are declared to CLI11, with the one that was chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <memory>

#include "daemon/cli/checks.h"
#include "daemon/cli/cli.h"

namespace kartei::daemon::cli {

struct VerbSet {
  CLI::App& app;
  Verb chosen;

  CLI::App* add(const std::string& name, const std::string& help, Verb verb) {
    CLI::App* command = app.add_subcommand(name, help);
    // CLI11 calls a group's own callback last.
    command->callback([this, command, verb = std::move(verb)] {
      if (command->get_subcommands().empty()) chosen = verb;
    });
    return command;
  }
};

// Options of a verb live as long as the verb.
template <class T, class... Given>
std::shared_ptr<T> options(Given... given) {
  return std::make_shared<T>(given...);
}

inline CLI::Validator colours() {
  return CLI::IsMember({"fact", "event", "rule"});
}
inline CLI::Validator flags() {
  return CLI::IsMember({"persistent", "high_priority", "never_forget"});
}

// The answer as it came where --json was given; else `print` shows it.
inline Status show(Context& context, const Result<std::string>& answer,
                   const std::function<void(const boost::json::object&, std::ostream&)>& print) {
  if (!answer) return answer.error();
  if (context.json) {
    context.around.out << *answer << '\n';
    return {};
  }
  boost::system::error_code error;
  const boost::json::value value = boost::json::parse(*answer, error);
  if (error || !value.is_object())
    return Error{Cause::kInternal, "karteid answered with something else than JSON.", {}};
  print(value.as_object(), context.around.out);
  return {};
}

// A field as text: empty where absent or null.
inline std::string field(const boost::json::object& from, std::string_view name) {
  const boost::json::value* value = from.if_contains({name.data(), name.size()});
  if (value == nullptr || value->is_null()) return {};
  if (value->is_string()) return std::string(value->as_string());
  if (!value->is_double()) return boost::json::serialize(*value);
  char text[32];  // 0.9, where JSON has 9E-1
  const auto end = std::to_chars(text, text + sizeof text, value->as_double());
  return std::string(text, end.ptr);
}

// Words given one by one, or as one quoted text.
inline std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// As GET /v1/devices shows it.
Result<boost::json::object> this_device(Context& context);

inline boost::json::array texts(const std::vector<std::string>& from) {
  boost::json::array out;
  for (const std::string& text : from) out.emplace_back(text);
  return out;
}

inline std::string day(const boost::json::object& from, std::string_view name) {
  return field(from, name).substr(0, 10);
}

}  // namespace kartei::daemon::cli
