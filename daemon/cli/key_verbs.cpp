// lock, unlock, passphrase, keyring.
#include <boost/json/array.hpp>
#include <optional>
#include <ostream>

#include "daemon/cli/passphrase_input.h"
#include "daemon/cli/verb_set.h"

namespace kartei::daemon::cli {
namespace json = boost::json;
namespace {

using crypto::Secret;

constexpr int kTries = 3;  // at a terminal

struct KeyOptions {
  std::optional<int> fd;
  bool keep_file = false;
  std::string action, backend;
};

bool wrapped_by(const json::object& ring, std::string_view backend) {
  for (const json::value& wrap : ring.at("wraps").as_array())
    if (field(wrap.as_object(), "backend") == backend) return true;
  return false;
}

bool needs_passphrase(const json::object& ring) {
  return ring.at("wraps").as_array().size() == 1 && wrapped_by(ring, "passphrase");
}

Result<json::object> get_keyring(Context& context) {
  KARTEI_ASSIGN(const std::string answer, context.call("GET", "/v1/keyring"));
  return json::parse(answer).as_object();
}

std::string in_words(const std::string& backend) {
  if (backend == "secret-service") return "Secret Service";
  return backend == "file" ? "key file" : backend;
}

// What the wraps that are there mean, in sentences.
void print_meaning(const json::object& ring, std::ostream& out) {
  if (wrapped_by(ring, "file"))
    out << "The key file opens the boxes without a person: whoever has the disk reads them. "
        << (wrapped_by(ring, "passphrase") || wrapped_by(ring, "secret-service")
                ? "`kartei keyring remove file` takes it away.\n"
                : "`kartei passphrase` sets a passphrase in its place.\n");
  if (needs_passphrase(ring))
    out << "Only the passphrase opens the boxes: karteid starts locked, `kartei unlock` opens it. "
           "A forgotten passphrase cannot be recovered by anybody.\n";
  else if (!wrapped_by(ring, "file") && !wrapped_by(ring, "passphrase"))
    out << "Only the Secret Service opens the boxes. A desktop's keyring that is reset takes them "
           "along: `kartei passphrase` sets a second way in.\n";
}

void print_keyring(const json::object& ring, const Style& style, std::ostream& out) {
  const std::string by = field(ring, "opened_by");
  out << (field(ring, "locked") == "true"
              ? "Locked. " + printable(field(ring, "why"))
              : "Unlocked, by the " + in_words(by) +
                    (wrapped_by(ring, by) ? "." : ", which is gone since."))
      << '\n';
  std::vector<std::vector<std::string>> rows{{"kind", "opens by itself", "stolen disk", "costs"}};
  for (const json::value& value : ring.at("wraps").as_array()) {
    const json::object& wrap = value.as_object();
    const std::string passes = field(wrap, "passes");
    rows.push_back(
        {field(wrap, "backend"), field(wrap, "opens_by_itself") == "true" ? "yes" : "no",
         field(wrap, "protects_stolen_disk") == "true" ? "protected" : "NOT protected",
         passes.empty() ? "-" : passes + " passes, " + field(wrap, "memory_mib") + " MiB"});
  }
  out << table(rows, style);
  print_meaning(ring, out);
}

// Sends what holds a passphrase, and wipes it.
Result<std::string> call_with(
    Context& context, const char* method, const std::string& target,
    std::initializer_list<std::pair<const char*, const Secret*>> secrets) {
  std::string body = secret_json(secrets);
  auto answer = context.call(method, target, body);
  wipe(body);
  return answer;
}

Status show_unlocked(Context& context, const Result<std::string>& answer) {
  return show(context, answer, [](const json::object& ring, std::ostream& out) {
    out << "Unlocked, by the " << in_words(field(ring, "opened_by")) << ".\n";
  });
}

Status unlock(Context& context, const KeyOptions& given) {
  KARTEI_ASSIGN(const json::object ring, get_keyring(context));
  const bool passphrase = wrapped_by(ring, "passphrase");
  if (field(ring, "locked") != "true" || (!needs_passphrase(ring) && !given.fd)) {
    // By what needs no passphrase; where that fails a passphrase is the other way.
    const auto answer = context.call("POST", "/v1/unlock");
    if (answer || !passphrase) return show_unlocked(context, answer);
    context.around.err << printable(answer.error().what) << '\n';
  }
  PassphraseInput input(context.around, given.fd);
  for (int tries = 1;; ++tries) {
    KARTEI_ASSIGN(const Secret words, input.line("Passphrase: "));
    if (words.empty()) return bad_input("No passphrase was given.");
    const auto answer = call_with(context, "POST", "/v1/unlock", {{"passphrase", &words}});
    const bool wrong = answer.has_error() && answer.error().field == "passphrase";
    if (!wrong || !input.asks() || tries == kTries) return show_unlocked(context, answer);
    context.around.err << printable(answer.error().what) << '\n';
  }
}

Status lock(Context& context) {
  return show(context, context.call("POST", "/v1/lock"),
              [](const json::object& ring, std::ostream& out) {
                out << "Locked. `kartei unlock` opens the boxes again";
                if (!needs_passphrase(ring))
                  out << ", without a passphrase, and so does karteid's next start";
                out << ".\n";
              });
}

// Empty where it is not needed.
Result<Secret> ask_current(const json::object& ring, PassphraseInput& input) {
  if (!needs_passphrase(ring)) return Secret();
  return input.line("Passphrase in force: ");
}

Status set_passphrase(Context& context, const KeyOptions& given) {
  KARTEI_ASSIGN(const json::object ring, get_keyring(context));
  if (field(ring, "locked") == "true") return Error{Cause::kLocked, field(ring, "why"), {}};
  PassphraseInput input(context.around, given.fd);
  KARTEI_ASSIGN(const Secret current, ask_current(ring, input));
  KARTEI_ASSIGN(const Secret words, input.line("New passphrase: "));
  if (words.empty())
    return bad_input(current.empty() ? "No passphrase was given."
                                     : "No new passphrase was given: it stands in the second line, "
                                       "after the one in force.");
  if (input.asks()) {
    KARTEI_ASSIGN(const Secret again, input.line("The same again: "));
    if (!equal_in_constant_time(words.view(), again.view()))
      return bad_input("The two differ. Nothing was changed.");
  }
  std::string body = secret_json({{"passphrase", &words}, {"current", &current}});
  if (given.keep_file) {
    body.pop_back();
    body += ",\"keep_file\":true}";
  }
  const auto answer = context.call("PUT", "/v1/keyring/passphrase", body);
  wipe(body);
  return show(context, answer, [](const json::object& after, std::ostream& out) {
    out << "The passphrase is set.\n";
    print_meaning(after, out);
  });
}

Status change_keyring(Context& context, const KeyOptions& given) {
  const bool add = given.action == "add";
  if (add && given.backend == "passphrase") return set_passphrase(context, given);
  KARTEI_ASSIGN(const json::object ring, get_keyring(context));
  PassphraseInput input(context.around, given.fd);
  KARTEI_ASSIGN(const Secret current, ask_current(ring, input));
  return show(context,
              call_with(context, add ? "PUT" : "DELETE", "/v1/keyring/" + given.backend,
                        {{"current", &current}}),
              [&](const json::object& after, std::ostream& out) {
                print_keyring(after, context.around.style, out);
              });
}

Status show_keyring(Context& context, const KeyOptions& given) {
  if (given.action.empty())
    return show(context, context.call("GET", "/v1/keyring"),
                [&](const json::object& ring, std::ostream& out) {
                  print_keyring(ring, context.around.style, out);
                });
  if (given.backend.empty())
    return context.usage("Which one? `kartei keyring " + given.action +
                         " secret-service`, `passphrase` or `file`.");
  return change_keyring(context, given);
}

void add_fd_option(CLI::App* command, const std::shared_ptr<KeyOptions>& given) {
  command
      ->add_option("--passphrase-fd", given->fd,
                   "Read it from this descriptor, a line each (the one in force first, where it "
                   "is the only way in)")
      ->check(CLI::Range(0, 1 << 20));
}

}  // namespace

void add_key_verbs(VerbSet& verbs) {
  verbs.add("lock", "Close all boxes and forget the key, until `kartei unlock`", lock);
  const auto to_unlock = options<KeyOptions>();
  add_fd_option(verbs.add("unlock", "Open the boxes of this device",
                          [to_unlock](Context& context) { return unlock(context, *to_unlock); }),
                to_unlock);
  const auto to_set = options<KeyOptions>();
  CLI::App* set =
      verbs.add("passphrase", "Set or change the passphrase that opens this device's boxes",
                [to_set](Context& context) { return set_passphrase(context, *to_set); });
  add_fd_option(set, to_set);
  set->add_flag("--keep-file", to_set->keep_file,
                "Leave the key file, which opens the boxes without the passphrase");
  set->footer("The passphrase is read from the terminal, or as a line of standard input.");
  const auto to_change = options<KeyOptions>();
  CLI::App* ring =
      verbs.add("keyring", "What opens this device's boxes; add or remove a way in",
                [to_change](Context& context) { return show_keyring(context, *to_change); });
  add_fd_option(ring, to_change);
  ring->add_option("action", to_change->action, "add or remove")
      ->check(CLI::IsMember({"add", "remove"}));
  ring->add_option("backend", to_change->backend, "secret-service, passphrase or file")
      ->check(CLI::IsMember({"secret-service", "passphrase", "file"}));
}

}  // namespace kartei::daemon::cli
