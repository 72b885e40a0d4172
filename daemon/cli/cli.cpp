#include "daemon/cli/cli.h"

#include <istream>
#include <ostream>

#include "daemon/cli/completions.h"
#include "daemon/cli/verb_set.h"
#include "daemon/version.h"

namespace kartei::daemon::cli {

namespace {

Cause cause_of(int status) {
  switch (status) {
    case 400:
      return Cause::kBadInput;
    case 404:
      return Cause::kNotFound;
    case 409:
      return Cause::kConflict;
    case 423:
      return Cause::kLocked;
    case 503:
      return Cause::kUnavailable;
    default:
      return Cause::kForbidden;
  }
}

}  // namespace

Result<Client*> Context::client() {
  if (!client_) {
    KARTEI_ASSIGN(const Paths paths, find_paths(around.environment));
    KARTEI_ASSIGN(Client made, Client::connect(paths.socket));
    client_.emplace(std::move(made));
  }
  return &*client_;
}

Result<boost::json::object> this_device(Context& context) {
  KARTEI_ASSIGN(const std::string answer, context.call("GET", "/v1/devices"));
  const boost::json::value devices = boost::json::parse(answer);
  for (const boost::json::value& device : devices.at("items").as_array())
    if (field(device.as_object(), "self") == "true") return device.as_object();
  return Error{Cause::kInternal, "karteid names no device as this one.", {}};
}

Result<std::string> Context::call(const char* method, std::string target, std::string_view body,
                                  const std::function<bool(std::string_view)>& sink) {
  if (!box.empty())
    target += (target.find('?') == std::string::npos ? "?box=" : "&box=") + percent_encode(box);
  KARTEI_ASSIGN(Client* const to, client());
  KARTEI_ASSIGN(Answer answer, to->call(method, target, body, sink));
  if (answer.status < 400) return std::move(answer.body);
  boost::system::error_code error;
  const boost::json::value problem = boost::json::parse(answer.body, error);
  if (error || !problem.is_object())
    return Error{Cause::kIo, "karteid answered with status " + std::to_string(answer.status), {}};
  return Error{cause_of(answer.status), field(problem.as_object(), "detail"),
               field(problem.as_object(), "field")};
}

namespace {

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

}  // namespace

int run(const std::vector<std::string>& arguments, Surroundings around) {
  CLI::App app("Kartei: the memory of your AI assistants, from the command line.", "kartei");
  Context context(around);
  app.add_flag("--json", context.json, "Print the daemon's answer as JSON");
  app.add_option("--box", context.box, "Another box than the default one")->check(is_box);
  app.set_version_flag("--version", version());
  app.require_subcommand(1);
  app.fallthrough();
  VerbSet verbs{app, {}};
  add_talk_verbs(verbs);
  add_card_verbs(verbs);
  add_review_verbs(verbs);
  add_device_verbs(verbs);
  add_box_verbs(verbs);
  add_key_verbs(verbs);
  add_secretary_verbs(verbs);
  add_forgetting_verbs(verbs);
  const auto shell = options<std::string>();
  verbs
      .add("completions", "Print completions for a shell",
           [shell, &app](Context& here) -> Status {
             here.around.out << completions(*shell, verb_names(app));
             return {};
           })
      ->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    const auto left = app.remaining();
    if (app.get_subcommands().empty() && !left.empty() && !left[0].starts_with("-")) {
      around.err << "kartei: There is no command called " << printable(left[0])
                 << ". `kartei --help` lists them.\n";
      return 2;
    }
    const int status = app.exit(error, around.out, around.err);
    return status == 0 ? 0 : 2;
  }
  const Status done = verbs.chosen(context);
  around.out.flush();
  if (done && !around.out) {
    around.err << "kartei: The output cannot be written.\n";
    return 1;
  }
  if (done) return 0;
  around.err << "kartei: " << printable(one_line(done.error().what)) << '\n';
  return context.wrong_usage ? 2 : 1;
}

}  // namespace kartei::daemon::cli
