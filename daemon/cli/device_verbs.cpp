// drawers, share, devices, pair, join, approve, revoke, primary, sync.
#include <poll.h>

#include <boost/json/array.hpp>
#include <cstdio>
#include <ostream>

#include "daemon/cli/verb_set.h"

namespace kartei::daemon::cli {
namespace json = boost::json;
namespace {

std::string yes(const json::object& from, std::string_view name) {
  return field(from, name) == "true" ? "yes" : "no";
}

void print_sorting(const json::object& answer, std::ostream& out) {
  if (field(answer, "on") != "true") out << "Sorting is off ([sorting] in the configuration).\n";
  for (const json::value& item : answer.at("kinds").as_array()) {
    const json::object& kind = item.as_object();
    out << printable(field(kind, "kind")) << ": ";
    if (field(kind, "by") == "nobody")
      out << "no drawer yet";
    else
      out << "drawer " << printable(field(kind, "drawer"))
          << (field(kind, "by") == "owner" ? ", a card was moved there" : ", made by itself");
    out << " (" << field(kind, "exchanges") << " exchanges)\n";
  }
}

void print_drawers(const json::object& answer, const Style& style, std::ostream& out) {
  std::vector<std::vector<std::string>> rows{{"shared", "devices", "name"}};
  for (const json::value& value : answer.at("items").as_array()) {
    const json::object& drawer = value.as_object();
    const std::size_t devices = drawer.at("devices").as_array().size();
    rows.push_back({yes(drawer, "shared"),
                    yes(drawer, "shared") == "no" ? "this one"
                    : devices == 0                ? "all"
                                                  : std::to_string(devices),
                    field(drawer, "name")});
  }
  out << table(rows, style);
}

std::string heard(const json::object& device) {
  if (field(device, "self") == "true") return "here";
  if (field(device, "connected") == "true") return "connected";
  const std::string ms = field(device, "last_heard_ms");
  if (ms.empty()) return "never";
  return std::to_string(std::stoll(ms) / 1000) + " s ago";
}

void print_devices(const json::object& answer, const Style& style, std::ostream& out) {
  const bool alone = answer.at("items").as_array().size() == 1;
  std::vector<std::vector<std::string>> rows{{"id", "role", "heard", "height", "pending", "name"}};
  for (const json::value& value : answer.at("items").as_array()) {
    const json::object& device = value.as_object();
    const std::string role = field(device, "member") != "true"    ? "no member"
                             : field(device, "primary") == "true" ? "primary"
                             : alone                              ? "alone"
                                                                  : "secondary";
    rows.push_back({field(device, "id"), role, heard(device), field(device, "applied_height"),
                    field(device, "pending"), field(device, "name")});
  }
  out << table(rows, style);
}

// Why the primary took over, in words. A better score alone is no reason to change at once.
std::string reason_in_words(const std::string& reason) {
  if (reason == "first") return "it was the first that had something to do";
  if (reason == "planned") return "the one before handed over to it";
  if (reason == "restart") return "it was the primary and started again";
  if (reason == "revoked") return "the one before was taken out of the box";
  if (reason == "pin") return "it is pinned";
  if (reason == "silent") return "the one before was silent";
  return reason;
}

void print_primary(const json::object& answer, const Style& style, std::ostream& out) {
  const json::value& primary = answer.at("primary");
  if (primary.is_null())
    out << "Primary: none yet; one is elected once a shared drawer has something to do\n";
  else
    out << "Primary: " << printable(field(primary.as_object(), "name")) << " ("
        << printable(reason_in_words(field(answer, "reason"))) << ")\n";
  if (const json::value& pin = answer.at("pin"); !pin.is_null())
    out << "Pinned: " << printable(field(pin.as_object(), "name")) << '\n';
  std::vector<std::vector<std::string>> rows{{"score", "name", "why"}};
  for (const json::value& value : answer.at("candidates").as_array()) {
    const json::object& candidate = value.as_object();
    char score[32];
    std::snprintf(score, sizeof score, "%.1f", candidate.at("score").to_number<double>());
    rows.push_back({score, field(candidate, "name"), field(candidate, "why")});
  }
  out << table(rows, style);
}

void print_sync(const json::object& answer, const Style& style, std::ostream& out) {
  out << "Mode: " << field(answer, "mode");
  if (const std::string port = field(answer, "port"); !port.empty()) out << ", port " << port;
  out << ", pending " << field(answer, "pending") << '\n';
  json::object devices{{"items", answer.at("devices")}};
  if (!answer.at("devices").as_array().empty()) print_devices(devices, style, out);
  for (const json::value& fork : answer.at("forks").as_array())
    out << "Fork: " << printable(std::string(fork.as_string())) << '\n';
}

struct ShareOptions {
  std::string drawer;
  std::vector<std::string> devices;
  bool off = false, create = false;
};

Status share(Context& context, const ShareOptions& given) {
  json::object body{{"shared", !given.off}};
  if (!given.devices.empty()) {
    KARTEI_ASSIGN(const json::object self, this_device(context));
    json::array devices = texts(given.devices);
    devices.push_back(self.at("id"));  // whoever shares a drawer holds it
    body["devices"] = std::move(devices);
  }
  if (given.create) body["create"] = true;
  const auto answer =
      context.call("PATCH", "/v1/drawers/" + percent_encode(given.drawer), json::serialize(body));
  const bool no_drawer =
      !answer && answer.error().cause == Cause::kNotFound && answer.error().field != "device";
  if (no_drawer && !given.off) return not_found(answer.error().what + " Here: --create.");
  return show(context, answer, [](const json::object& drawer, std::ostream& out) {
    out << printable(field(drawer, "name"))
        << (yes(drawer, "shared") == "yes"
                ? " is shared.\n"
                : " is not shared any more. Devices that had it keep what they have received.\n");
  });
}

Status pair(Context& context, int seconds) {
  return show(
      context,
      context.call("POST", "/v1/pairing", json::serialize(json::object{{"seconds", seconds}})),
      [&](const json::object& answer, std::ostream& out) {
        if (const std::string key = field(answer, "recovery_key"); !key.empty())
          out << "Recovery key, shown this once. Write it down:\n  " << key << "\n\n";
        out << "On the new device: kartei join "
            << context.around.style.bold(field(answer, "code"));
        if (const std::string port = field(answer, "port"); !port.empty())
          out << "   (where it finds nobody: --address HOST:" << port << ')';
        out << "\nThe code is good for " << seconds << " seconds.\n";
      });
}

constexpr int kAskAgainMs = 200;

// Until the two devices are done with each other; the daemon's own deadlines end it.
Result<std::string> outcome_of_join(Context& context) {
  for (;;) {
    KARTEI_ASSIGN(std::string answer, context.call("GET", "/v1/pairing"));
    boost::system::error_code error;
    const json::value state = json::parse(answer, error);
    const std::string name = state.is_object() ? field(state.as_object(), "state") : "";
    if (name == "done" || name == "waiting") return answer;
    if (name != "joining")
      return Error{Cause::kUnavailable,
                   "This device has not joined: " +
                       (state.is_object() ? field(state.as_object(), "detail") : "") +
                       ". Check the code, and that the other device still offers it.",
                   {}};
    ::poll(nullptr, 0, kAskAgainMs);
  }
}

Status join(Context& context, const std::string& code, const std::string& address) {
  json::object body{{"code", code}};
  if (!address.empty()) body["address"] = address;
  KARTEI_TRY(context.call("POST", "/v1/pairing", json::serialize(body)));
  if (context.around.style.terminal && !context.json)
    context.around.err << "Looking for the other device ...\n";
  KARTEI_ASSIGN(const json::object self, this_device(context));
  return show(context, outcome_of_join(context), [&](const json::object& state, std::ostream& out) {
    if (field(state, "state") == "done")
      out << "This device belongs to the box. Drawers stay where they are until they are shared: "
             "kartei share DRAWER\n";
    else
      out << "Another device of the box must approve this one. There: kartei approve "
          << field(self, "id") << '\n';
  });
}

void add_pairing_verbs(VerbSet& verbs) {
  const auto seconds = options<int>();
  *seconds = 300;
  verbs
      .add("pair", "Show a code for a new device",
           [seconds](Context& context) { return pair(context, *seconds); })
      ->add_option("--seconds", *seconds, "How long the code is good (300)")
      ->check(CLI::Range(10, 3600));
  const auto code = options<std::string>(), address = options<std::string>();
  CLI::App* command =
      verbs.add("join", "Join another device's box by its code",
                [code, address](Context& context) { return join(context, *code, *address); });
  command->add_option("code", *code, "As the other device shows it")->required()->check(is_code);
  command->add_option("--address", *address, "HOST:PORT of the other device")->check(is_address);

  const auto device = options<std::string>(), key = options<std::string>();
  command =
      verbs.add("approve", "Approve a device that wants to join", [device, key](Context& context) {
        json::object body{{"device", *device}};
        if (!key->empty()) body["recovery_key"] = *key;
        return show(context, context.call("POST", "/v1/pairing/approve", json::serialize(body)),
                    [](const json::object&, std::ostream& out) { out << "Approved.\n"; });
      });
  command->add_option("device", *device, "Its id or name")->required()->check(not_empty);
  command->add_option("--recovery-key", *key, "Where there is no second device")->check(not_empty);

  const auto revoked = options<std::string>();
  verbs
      .add("revoke", "Take a device out of the box",
           [revoked](Context& context) {
             return show(context, context.call("DELETE", "/v1/devices/" + percent_encode(*revoked)),
                         [](const json::object& answer, std::ostream& out) {
                           out << "Revoked. " << field(answer, "note") << '\n';
                         });
           })
      ->add_option("device", *revoked, "Its id or name")
      ->required()
      ->check(not_empty);
}

}  // namespace

void add_device_verbs(VerbSet& verbs) {
  verbs.add("drawers", "List drawers", [](Context& context) {
    return show(context, context.call("GET", "/v1/drawers"),
                [&](const json::object& answer, std::ostream& out) {
                  print_drawers(answer, context.around.style, out);
                });
  });
  const auto forget = options<std::string>();
  verbs
      .add("sorting", "What goes into which drawer by itself",
           [forget](Context& context) {
             const auto answer =
                 forget->empty() ? context.call("GET", "/v1/sorting")
                                 : context.call("DELETE", "/v1/sorting/" + percent_encode(*forget));
             return show(context, answer, print_sorting);
           })
      ->add_option("--forget", *forget, "Forget what was learned of this kind")
      ->check(not_empty);
  const auto shared = options<ShareOptions>();
  CLI::App* command = verbs.add("share", "Share a drawer with the other devices",
                                [shared](Context& context) { return share(context, *shared); });
  command->add_option("drawer", shared->drawer, "Its name")->required()->check(not_empty);
  CLI::Option* with =
      command->add_option("--device", shared->devices, "Only with these devices, and this one");
  with->check(not_empty);
  CLI::Option* off = command->add_flag("--off", shared->off, "Stop sharing it")->excludes(with);
  command->add_flag("--create", shared->create, "Make it if it is not there")->excludes(off);
  verbs.add("devices", "List the box's devices", [](Context& context) {
    return show(context, context.call("GET", "/v1/devices"),
                [&](const json::object& answer, std::ostream& out) {
                  print_devices(answer, context.around.style, out);
                });
  });
  add_pairing_verbs(verbs);

  const auto pin = options<std::vector<std::string>>();
  verbs
      .add("primary", "Who runs the box, and why; `primary pin DEVICE`, `primary auto`",
           [pin](Context& context) -> Status {
             const auto print = [&](const json::object& answer, std::ostream& out) {
               print_primary(answer, context.around.style, out);
             };
             if (pin->empty()) return show(context, context.call("GET", "/v1/primary"), print);
             const bool known =
                 (*pin)[0] == "auto" ? pin->size() == 1 : (*pin)[0] == "pin" && pin->size() == 2;
             if (!known) return context.usage("Say `primary pin DEVICE` or `primary auto`.");
             const json::object body{{"device", pin->back()}};
             return show(context, context.call("PUT", "/v1/primary", json::serialize(body)), print);
           })
      ->add_option("what", *pin, "pin DEVICE, or auto")
      ->check(not_empty)
      ->expected(0, 2);

  const auto mode = options<std::string>();
  verbs
      .add("sync", "Show or set how devices speak: off, direct, relay",
           [mode](Context& context) {
             const json::object body{{"mode", *mode}};
             return show(context,
                         mode->empty() ? context.call("GET", "/v1/sync")
                                       : context.call("PUT", "/v1/sync", json::serialize(body)),
                         [&](const json::object& answer, std::ostream& out) {
                           print_sync(answer, context.around.style, out);
                         });
           })
      ->add_option("mode", *mode, "off, direct or relay")
      ->check(CLI::IsMember({"off", "direct", "relay"}));
}

}  // namespace kartei::daemon::cli
