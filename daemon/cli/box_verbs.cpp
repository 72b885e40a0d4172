// box, status, doctor, export, import, empty.
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json/array.hpp>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <ostream>

#include "daemon/box_report.h"
#include "daemon/cli/fresh_file.h"
#include "daemon/cli/import_calls.h"
#include "daemon/cli/key_at_hand.h"
#include "daemon/cli/read_input.h"
#include "daemon/cli/salvage.h"
#include "daemon/cli/verb_set.h"
#include "daemon/version.h"
#include "store/librarian.h"

namespace kartei::daemon::cli {
namespace json = boost::json;
namespace {

constexpr std::size_t kImportBytes = 1 << 20;  // a call

std::string megabytes(const json::object& meaning) {
  const auto bytes = meaning.at("disk_bytes").to_number<std::uint64_t>();
  return std::to_string(bytes / 1'000'000) + "." + std::to_string(bytes / 100'000 % 10) + " MB";
}

// Which way in, and what it is worth.
std::string opened_by(const json::object& keyring) {
  const std::string by = field(keyring, "opened_by");
  if (by == "file") return "a key file (does not protect from a stolen disk, see kartei keyring)";
  return by == "secret-service" ? "the Secret Service" : "the passphrase";
}

// Empty: no box is being encrypted.
std::string encrypting(const json::object& status) {
  const json::value* step = status.if_contains("encrypting");
  if (step == nullptr || !step->is_object()) return {};
  return "The box " + field(step->as_object(), "box") +
         " is being encrypted: " + field(step->as_object(), "percent") + " %";
}

void print_status(const json::object& status, std::ostream& out) {
  if (const std::string step = encrypting(status); !step.empty()) {
    out << "Kartei " << field(status, "version") << '\n'
        << printable(step) << ". Until that is done karteid answers little else.\n";
    return;
  }
  if (field(status, "locked") == "true") {
    out << "Kartei " << field(status, "version") << ", locked\n"
        << printable(field(status, "why")) << '\n';
    return;
  }
  const json::object& counts = status.at("counts").as_object();
  out << "Kartei " << field(status, "version") << ", box " << field(status, "box") << ", "
      << field(status, "role") << ", sync " << field(status, "sync") << '\n'
      << field(counts, "turns") << " turns, " << field(counts, "cards_open") << " open cards, "
      << field(counts, "cards_closed") << " closed, " << field(counts, "drawers") << " drawers\n"
      << "Left to read: " << field(status, "pending_extraction")
      << ", waiting for the primary: " << field(status, "pending") << '\n';
  const json::object& meaning = status.at("meaning").as_object();
  const std::string model = field(meaning, "model"), next = field(meaning, "next_model");
  if (!model.empty()) {
    out << "Found by meaning: with " << printable(model);
    if (!next.empty()) out << ", soon " << printable(next);
    out << ", left to do: " << field(meaning, "waiting") << '\n';
  }
  if (field(meaning, "off") == "true") {
    out << "Found by meaning: nothing, that is off";
    if (field(meaning, "disk_bytes") != "0")
      out << "; about " << megabytes(meaning) << " of vectors are kept (kartei drop-vectors)";
    out << '\n';
  }
  const json::object& secretary = status.at("secretary").as_object();
  if (const std::string writer = field(secretary, "model"); !writer.empty())
    out << "Secretary: "
        << (field(secretary, "works") == "model" ? "with the model " : "without the model ")
        << printable(writer) << ", " << field(secretary, "tokens_today") << " of "
        << field(secretary, "tokens_per_day") << " tokens today\n";
  if (const json::value* keyring = status.if_contains("keyring"))
    out << "Unlocked by: " << opened_by(keyring->as_object()) << '\n';
  for (const json::value& warning : status.at("warnings").as_array())
    out << "Warning: " << printable(std::string(warning.as_string())) << '\n';
}

void print_audit(const json::object& audit, const Style& style, std::ostream& out) {
  std::vector<std::vector<std::string>> rows{{"when", "app", "question", "tokens", "items"}};
  for (const json::value& item : audit.at("items").as_array()) {
    const json::object& line = item.as_object();
    rows.push_back({field(line, "at"), printable(field(line, "app")),
                    printable(field(line, "query")), field(line, "tokens"),
                    std::to_string(line.at("items").as_array().size())});
  }
  out << table(rows, style);
}

Status write_export(Context& context, const std::string& file, std::FILE* out) {
  const auto asked = context.call("GET", "/v1/export", {}, [&](std::string_view part) {
    return std::fwrite(part.data(), 1, part.size(), out) == part.size();
  });
  if (!asked) return asked.error();
  return std::fflush(out) == 0 ? Status() : Status(cannot_write(file, errno));
}

Status replace_by_export(Context& context, const std::string& file) {
  KARTEI_ASSIGN(FreshFile fresh, FreshFile::beside(file));
  KARTEI_TRY(write_export(context, file, fresh.stream()));
  return fresh.keep();
}

// What cannot be replaced, such as /dev/stdout, is written itself.
Status export_into(Context& context, const std::string& file) {
  std::FILE* const out = std::fopen(file.c_str(), "wb");
  if (out == nullptr) return cannot_write(file, errno);
  Status written = write_export(context, file, out);
  if (std::fclose(out) != 0 && written) written = cannot_write(file, errno);
  return written;
}

// A file that is there is replaced by a whole export, or stays as it was.
Status do_export(Context& context, const std::string& file) {
  if (file.empty() || file == "-") {
    KARTEI_TRY(context.call("GET", "/v1/export", {}, [&](std::string_view part) {
      return static_cast<bool>(context.around.out << part);
    }));
    return {};
  }
  KARTEI_TRY(context.client());  // no daemon, no file
  std::error_code error;
  const auto there = std::filesystem::status(file, error).type();
  if (there == std::filesystem::file_type::regular ||
      there == std::filesystem::file_type::not_found) {
    const auto target = std::filesystem::weakly_canonical(file, error);  // a link stays a link
    if (error) return cannot_write(file, error.value());
    return replace_by_export(context, target.string());
  }
  return export_into(context, file);
}

// Repeating an import that broke off is safe: what is there is left.
Status do_import(Context& context, const std::string& file, bool allow_secrets) {
  KARTEI_ASSIGN(const std::string text, read_input(file, context.around.in));
  if (!not_empty(text).empty()) return bad_input(file + " is empty: there is nothing to import.");
  std::int64_t turns = 0, cards = 0, known = 0;
  json::array refused;
  ImportCalls calls(text, kImportBytes);
  const bool show_progress = context.around.style.terminal && !context.json;
  while (const auto call = calls.next()) {
    auto answer = context.call(
        "POST", allow_secrets ? "/v1/import?allow_secrets=true" : "/v1/import", call->body);
    if (!answer) {
      if (show_progress) context.around.err << '\n';
      return answer.error();
    }
    const json::value value = json::parse(*answer);
    turns += value.at("turns").to_number<std::int64_t>();
    cards += value.at("cards").to_number<std::int64_t>();
    for (const json::value& one : value.at("refused").as_array()) refused.push_back(one);
    known +=
        value.at("known").to_number<std::int64_t>() - static_cast<std::int64_t>(call->repeated);
    if (!show_progress) continue;
    const std::size_t done = text.empty() ? 100 : 100 - 100 * calls.left() / text.size();
    context.around.err << "\r" << done << " %, " << turns << " turns, " << cards << " cards "
                       << std::flush;
  }
  if (show_progress) context.around.err << '\n';
  if (context.json)
    context.around.out << json::serialize(json::object{{"turns", turns},
                                                       {"cards", cards},
                                                       {"known", known},
                                                       {"refused", refused}})
                       << '\n';
  else
    context.around.out << turns << " turns and " << cards << " cards taken in, " << known
                       << " were there already.\n";
  if (refused.empty()) return {};
  if (!context.json)
    for (const json::value& one : refused)
      context.around.err << "kartei: " << field(one.as_object(), "kind") << ' '
                         << printable(field(one.as_object(), "id"))
                         << " was left out: " << field(one.as_object(), "reason") << '\n';
  return Error{Cause::kForbidden,
               std::to_string(refused.size()) +
                   " lines hold secrets and were left out; --allow-secrets takes them in.",
               {}};
}

Status empty(Context& context, const std::string& confirmed) {
  return show(context,
              context.call("DELETE", "/v1/box", json::serialize(json::object{{"name", confirmed}})),
              [](const json::object& answer, std::ostream& out) {
                out << "The box " << field(answer, "emptied") << " is empty. "
                    << field(answer, "note") << '\n';
              });
}

// One line a finding; counts what is wrong.
class Doctor {
 public:
  Doctor(Context& context, std::optional<int> passphrase_fd)
      : context_(context), passphrase_fd_(passphrase_fd) {}

  Status run() {
    auto paths = find_paths(context_.around.environment);
    if (!paths) return paths.error();
    look_at_folder("home", paths->home);
    look_at_socket(paths->socket);
    if (!look_at_daemon()) look_at_files(paths->home);
    if (context_.json)
      context_.around.out << json::serialize(
                                 json::object{{"findings", findings_}, {"wrong", wrong_}})
                          << '\n';
    if (wrong_ == 0) return {};
    return Error{Cause::kConflict, std::to_string(wrong_) + " things are wrong; see above.", {}};
  }

 private:
  void say(bool good, const std::string& what) {
    wrong_ += good ? 0 : 1;
    findings_.push_back(json::object{{"ok", good}, {"what", what}});
    if (!context_.json)
      context_.around.out << (good ? "ok   " : "NOT  ") << printable(what) << '\n';
  }
  void look_at_folder(const std::string& name, const std::filesystem::path& folder) {
    struct stat info {};
    if (::stat(folder.c_str(), &info) != 0)
      return say(false,
                 name + " " + folder.string() + " is missing: karteid makes it at its start");
    say(info.st_uid == ::geteuid(), name + " " + folder.string() + " belongs to this user");
    say((info.st_mode & 077) == 0, name + " is closed to others");
    say(::access(folder.c_str(), W_OK) == 0, name + " can be written");
  }
  void look_at_socket(const std::filesystem::path& socket) {
    struct stat info {};
    if (::stat(socket.c_str(), &info) != 0)
      return say(false, "socket " + socket.string() + " is missing: start karteid");
    say((info.st_mode & 077) == 0, "socket " + socket.string() + " is closed to others");
  }
  // False: it does not run, or not with this home's default box.
  bool look_at_daemon() {
    auto answer = context_.call("GET", "/v1/status");
    if (!answer) {
      say(false, answer.error().what);
      return false;
    }
    const json::object status = json::parse(*answer).as_object();
    say(field(status, "version") == version(),
        "karteid is version " + field(status, "version") + ", kartei " + version());
    for (const json::value& warning : status.at("warnings").as_array())
      say(false, std::string(warning.as_string()));
    if (const std::string step = encrypting(status); !step.empty()) {
      say(true, step + "; ask again when that is done");
      return true;
    }
    if (field(status, "locked") == "true") {
      say(false, field(status, "why"));
      return true;
    }
    answer = context_.call("POST", "/v1/check");
    if (!answer) {
      say(false, answer.error().what);
      return false;
    }
    const json::value check = json::parse(*answer);
    for (const json::value& one : check.at("boxes").as_array()) {
      const json::object& box = one.as_object();
      std::vector<std::string> problems;
      for (const json::value& problem : box.at("problems").as_array())
        problems.emplace_back(problem.as_string());
      say_of_box(field(box, "name"), field(box, "file"), problems);
    }
    return true;
  }
  // Without a daemon: perhaps it is a box that keeps it from starting.
  void look_at_files(const std::filesystem::path& home) {
    const auto key = key_at_hand(context_.around, home, passphrase_fd_);
    if (!key && key.error().cause != Cause::kNotFound) say(false, key.error().what);
    for (const std::string& name : box_names(home)) {
      const BoxReport report = look_at_box(home, name, key ? &*key : nullptr);
      if (report.closed)
        say(false, "box " + name + " (" + report.file.string() +
                       ") was not looked into: it is encrypted, and its key is not at hand");
      else
        say_of_box(name, report.file.string(), report.problems);
    }
  }
  void say_of_box(const std::string& name, const std::string& file,
                  const std::vector<std::string>& problems) {
    const std::string box = "box " + name;
    if (problems.empty()) return say(true, box + " (" + file + ") is sound");
    say(false, box + " (" + file + ") is not sound");
    for (const std::string& problem : problems) say(false, box + ": " + problem);
  }

  Context& context_;
  const std::optional<int> passphrase_fd_;
  json::array findings_;
  int wrong_ = 0;
};

}  // namespace

void add_box_verbs(VerbSet& verbs) {
  struct BoxOptions {
    std::optional<std::string> owner, zone;
    std::optional<std::int64_t> budget, audit_days;
  };
  const auto set = options<BoxOptions>();
  CLI::App* command = verbs.add("box", "Show or set whose box this is", [set](Context& context) {
    json::object body;
    if (set->owner) body["owner"] = *set->owner;
    if (set->zone) body["zone"] = *set->zone;
    if (set->budget) body["token_budget"] = *set->budget;
    if (set->audit_days) body["audit_days"] = *set->audit_days;
    return show(context,
                body.empty() ? context.call("GET", "/v1/box")
                             : context.call("PUT", "/v1/box", json::serialize(body)),
                [](const json::object& box, std::ostream& out) {
                  const std::string owner = printable(field(box, "owner"));
                  out << "Box " << field(box, "name") << ", owner "
                      << (owner.empty() ? "not set (--owner NAME)" : owner) << ", zone "
                      << field(box, "zone") << ", budget " << field(box, "token_budget")
                      << " tokens, audit kept for " << field(box, "audit_days") << " days\n";
                });
  });
  command->add_option("--owner", set->owner, "Who \"I\" is, with full name (\"\": nobody)");
  command->add_option("--zone", set->zone, "IANA zone, like Europe/Berlin")->check(not_empty);
  command->add_option("--budget", set->budget, "Tokens a recall hands out")
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--audit-days", set->audit_days, "For how long the audit is kept")
      ->check(CLI::Range(std::int64_t{0}, store::kAuditDaysMax));

  const auto lines = options<std::int64_t>(20);
  verbs
      .add("audit", "What was handed out, to which app, for which question",
           [lines](Context& context) {
             return show(context, context.call("GET", "/v1/audit?limit=" + std::to_string(*lines)),
                         [&](const json::object& audit, std::ostream& out) {
                           print_audit(audit, context.around.style, out);
                         });
           })
      ->add_option("--limit", *lines, "How many lines, newest first")
      ->check(CLI::Range(1, 500))
      ->capture_default_str();

  verbs.add("status", "How the daemon is", [](Context& context) {
    return show(context, context.call("GET", "/v1/status"), print_status);
  });
  verbs.add("drop-vectors", "Delete the vectors that are kept while meaning is off",
            [](Context& context) {
              return show(context, context.call("DELETE", "/v1/meaning"),
                          [](const json::object& answer, std::ostream& out) {
                            out << "About " << megabytes(answer) << " of vectors go. "
                                << field(answer, "note") << '\n';
                          });
            });
  struct DoctorOptions {
    std::string saved;
    std::optional<int> fd;
  };
  const auto looks = options<DoctorOptions>();
  CLI::App* doctor = verbs.add("doctor", "Look for what is wrong", [looks](Context& context) {
    return looks->saved.empty() ? Doctor(context, looks->fd).run()
                                : salvage(context, looks->saved, looks->fd);
  });
  doctor
      ->add_option("--salvage", looks->saved,
                   "Write what can be read of a damaged box to this file, as an export")
      ->check(not_empty);
  doctor
      ->add_option("--passphrase-fd", looks->fd,
                   "Read the passphrase from this descriptor, where only it opens the boxes and "
                   "karteid does not run")
      ->check(CLI::Range(0, 1 << 20));
  const auto to = options<std::string>(), from = options<std::string>();
  verbs
      .add("export", "Everything, as JSON lines",
           [to](Context& context) { return do_export(context, *to); })
      ->add_option("file", *to, "Where to (default: standard output)")
      ->check(not_empty);
  const auto with_secrets = options<bool>();
  CLI::App* import = verbs.add(
      "import", "Take in an export",
      [from, with_secrets](Context& context) { return do_import(context, *from, *with_secrets); });
  import->add_option("file", *from, "A file, or - for standard input")
      ->required()
      ->check(not_empty);
  import->add_flag("--allow-secrets", *with_secrets, "With what holds passwords and keys");
  const auto confirmed = options<std::string>();
  verbs
      .add("empty", "Empty the whole box on this device",
           [confirmed](Context& context) { return empty(context, *confirmed); })
      ->add_option("--confirm", *confirmed, "The box's name")
      ->required()
      ->check(not_empty);
}

}  // namespace kartei::daemon::cli
