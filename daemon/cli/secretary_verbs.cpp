// secretary: which one works, what a model may read, the key of its endpoint.
#include <boost/json/array.hpp>
#include <optional>
#include <ostream>

#include "daemon/cli/passphrase_input.h"
#include "daemon/cli/verb_set.h"

namespace kartei::daemon::cli {
namespace json = boost::json;
namespace {

struct SecretaryOptions {
  std::string action, name;
  std::optional<int> fd;
};

std::string listed(const json::object& from, std::string_view name) {
  std::string out;
  const json::value* values = from.if_contains({name.data(), name.size()});
  if (values == nullptr) return "none";
  for (const json::value& value : values->as_array())
    out += (out.empty() ? "" : ", ") + printable(std::string(value.as_string()));
  return out.empty() ? "none" : out;
}

// "3 unstated, 1 name"; empty: none.
std::string counted(const json::object& state, std::string_view name) {
  const json::value* counts = state.if_contains({name.data(), name.size()});
  std::string out;
  if (counts == nullptr || !counts->is_object()) return out;
  for (const auto& count : counts->get_object())
    out += (out.empty() ? "" : ", ") + json::serialize(count.value()) + " " +
           printable(std::string(count.key()));
  return out;
}

void print_secretary(const json::object& state, std::ostream& out) {
  const std::string model = field(state, "model");
  if (model.empty()) {
    out << "The built-in secretary reads; no model is configured.\n";
    if (listed(state, "keys") != "none") out << "Kept keys: " << listed(state, "keys") << '\n';
    return;
  }
  const bool works = field(state, "works") == "model";
  out << (works ? "The model " : "The built-in secretary reads alone, not the model ")
      << printable(model) << " at " << printable(field(state, "endpoint"))
      << (works ? " helps the built-in secretary" : "") << ".\n";
  if (!works) out << printable(field(state, "problem")) << ".\n";
  if (const std::string again = field(state, "try_again_s"); !again.empty())
    out << "It is tried again in " << again << " s.\n";
  out << field(state, "tokens_today") << " of " << field(state, "tokens_per_day")
      << " tokens today; since the start it helped with " << field(state, "helped") << " of "
      << field(state, "readings") << " readings, wrote " << field(state, "cards")
      << " cards, and gave " << field(state, "wrong") << " wrong answers.\n";
  if (const std::string why = counted(state, "left_out_because"); !why.empty())
    out << "Cards of it that did not hold: " << why << ".\n";
  if (field(state, "on_this_machine") == "true")
    out << "It is on this machine: it reads all drawers.\n";
  else
    out << "It may read: " << listed(state, "drawers")
        << ". Not sent: " << listed(state, "not_sent") << ".\n";
  if (listed(state, "keys") != "none") out << "Kept keys: " << listed(state, "keys") << '\n';
}

Status give_key(Context& context, const SecretaryOptions& given) {
  PassphraseInput input(context.around, given.fd);
  KARTEI_ASSIGN(const crypto::Secret key, input.line("Key: "));
  if (key.empty()) return bad_input("No key was given.");
  std::string body = secret_json({{"value", &key}});
  const auto answer = context.call("PUT", "/v1/secretary/keys/" + given.name, body);
  wipe(body);
  return show(context, answer, [&](const json::object&, std::ostream& out) {
    out << "Kept. In the configuration it is `key = \"keyring:" << printable(given.name)
        << "\"`.\n";
  });
}

Status run_secretary(Context& context, const SecretaryOptions& given) {
  if (given.action.empty())
    return show(context, context.call("GET", "/v1/secretary"), print_secretary);
  if (given.name.empty())
    return context.usage("Which one? `kartei secretary " + given.action + " NAME`.");
  if (given.action == "key") return give_key(context, given);
  if (given.action == "drop-key")
    return show(context, context.call("DELETE", "/v1/secretary/keys/" + given.name),
                print_secretary);
  const json::object body{{"drawer", given.name}, {"allow", given.action == "allow"}};
  return show(context, context.call("PUT", "/v1/secretary", json::serialize(body)),
              print_secretary);
}

}  // namespace

void add_secretary_verbs(VerbSet& verbs) {
  const auto given = options<SecretaryOptions>();
  CLI::App* secretary =
      verbs.add("secretary", "Which secretary writes cards, and what a model may read",
                [given](Context& context) { return run_secretary(context, *given); });
  secretary
      ->add_option("action", given->action,
                   "allow or deny a drawer to the endpoint; key or drop-key: of an endpoint")
      ->check(CLI::IsMember({"allow", "deny", "key", "drop-key"}));
  secretary->add_option("name", given->name, "The drawer's or the key's name");
  secretary
      ->add_option("--key-fd", given->fd,
                   "Read the key as a line from this descriptor, not from the terminal")
      ->check(CLI::Range(0, 1 << 20));
}

}  // namespace kartei::daemon::cli
