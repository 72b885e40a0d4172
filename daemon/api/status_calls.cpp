// How the daemon is: status, check, metrics, events.
#include <boost/json/array.hpp>
#include <sstream>

#include "daemon/api/api.h"
#include "daemon/api/openapi.h"
#include "daemon/api/problem.h"
#include "daemon/api/views.h"
#include "daemon/box_report.h"
#include "daemon/embedders.h"
#include "daemon/key_desk.h"
#include "daemon/manager/model/model_secretary.h"
#include "daemon/version.h"
#include "daemon/vitals.h"
#include "store/facts_keeper.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

const char* role_of(const sync::EngineStatus& status) {
  if (status.members.size() <= 1) return "alone";
  return status.acting ? "primary" : "secondary";
}

json::object counts_object(const store::Counts& counts) {
  json::object out;
  out["turns"] = counts.turns;
  out["cards_open"] = counts.cards_open;
  out["cards_closed"] = counts.cards_closed;
  out["drawers"] = counts.drawers;
  out["conversations"] = counts.conversations;
  out["file_bytes"] = counts.file_bytes;
  return out;
}

json::value endpoint_value(const std::optional<EmbedderHealth>& health) {
  if (!health) return nullptr;
  json::object out;
  out["paused"] = health->paused;
  out["failures"] = health->failures;
  out["problem"] = health->problem.empty() ? json::value(nullptr) : json::value(health->problem);
  return out;
}

json::object meaning_object(const store::MeaningCounts& meaning) {
  const auto name = [](const std::string& model) {
    return model.empty() ? json::value(nullptr) : json::value(model);
  };
  json::object out;
  out["model"] = name(meaning.model);
  out["next_model"] = name(meaning.next_model);
  out["waiting"] = meaning.waiting;
  out["memory_bytes"] = meaning.memory_bytes;
  out["disk_bytes"] = meaning.disk_bytes;
  return out;
}

Result<HttpResponse> status_of(BoxHost& host, const KeyDesk* keys, std::int64_t started_ms) {
  const sync::Now now = host.now();
  const sync::EngineStatus status = host.engine().status(now);
  KARTEI_ASSIGN(const store::Counts counts, host.box().counts());
  KARTEI_ASSIGN(const std::uint64_t unread, host.pending_extraction());
  json::object out;
  out["version"] = version();
  out["box"] = host.name();
  out["box_id"] = status.box.text();
  out["device"] = status.self.text();
  out["role"] = role_of(status);
  out["primary"] = status.primary ? json::value(status.primary->text()) : json::value(nullptr);
  out["sync"] = host.sync_on() ? "direct" : "off";
  const Network* network = host.services().network;
  const std::uint16_t port = network == nullptr ? 0 : network->port();
  out["port"] = port == 0 ? json::value(nullptr) : json::value(port);
  out["counts"] = counts_object(counts);
  // What waits for the primary is work of the secretary, too, wherever it runs.
  out["pending_extraction"] = unread + status.pending;
  out["pending"] = status.pending;
  out["unread"] = status.unread;
  const auto facts = host.box().facts().index()->current();
  out["facts_bytes"] = facts ? facts->bytes() : 0;
  KARTEI_ASSIGN(const store::MeaningCounts meaning, host.box().vectors().counts());
  const Embedders* embedders = host.services().embedders;
  const auto health = embedders == nullptr ? std::nullopt : embedders->endpoint_health();
  json::object about_meaning = meaning_object(meaning);
  about_meaning["off"] = !host.finds_by_meaning();
  about_meaning["endpoint"] = endpoint_value(health);
  out["meaning"] = std::move(about_meaning);
  KARTEI_ASSIGN(json::object secretary, secretary_view(host));
  out["secretary"] = secretary;
  out["tip"] = position_view(status.tip);
  out["final"] = position_view(status.final_position);
  out["encrypting"] = nullptr;
  out["time"] = store::format_rfc3339(now.wall);
  out["uptime_s"] = (now.mono_ms - started_ms) / 1000;
  out["rss_mb"] = static_cast<double>(resident_kib()) / 1024;
  json::array warnings;
  if (store::to_ms(now.wall) < kSaneClockMs)
    warnings.emplace_back("This device's clock says " + store::format_rfc3339(now.wall) +
                          ". Set it: turns without a time are dated by it.");
  for (const std::string& fork : status.forks) warnings.emplace_back("Fork: " + fork);
  for (const std::string& trouble : status.troubles) warnings.emplace_back(trouble);
  if (const std::string problem = host.meaning_problem(); !problem.empty())
    warnings.emplace_back("Nothing new is found by its meaning: " + problem);
  if (health && health->paused)
    warnings.emplace_back("Questions do not wait for the embedding endpoint now: " +
                          health->problem);
  if (!secretary.at("problem").is_null())
    warnings.emplace_back("The built-in secretary reads alone: " +
                          std::string(secretary.at("problem").as_string()));
  if (keys != nullptr) {
    const KeyState state = keys->state();
    out["locked"] = false;
    out["keyring"] = keyring_view(state);
    for (const std::string& note : state.notes) warnings.emplace_back(note);
  }
  out["warnings"] = std::move(warnings);
  return json_response(out);
}

json::value encrypting_value(const std::optional<EncryptProgress::Step>& step) {
  if (!step) return nullptr;
  return json::object{{"box", step->box}, {"percent", step->percent}};
}

// Nothing of any box: none is open, or the writer has no time for them.
HttpResponse status_without_boxes(const KeyDesk* keys,
                                  const std::optional<EncryptProgress::Step>& step, Clock& clock,
                                  std::int64_t started_ms) {
  json::object out;
  out["version"] = version();
  if (keys != nullptr) {
    const KeyState state = keys->state();
    out["locked"] = state.locked;
    if (state.locked) out["why"] = state.why;
    out["keyring"] = keyring_view(state);
  }
  out["encrypting"] = encrypting_value(step);
  out["time"] = store::format_rfc3339(clock.wall());
  out["uptime_s"] = (clock.mono_ms() - started_ms) / 1000;
  out["rss_mb"] = static_cast<double>(resident_kib()) / 1024;
  out["warnings"] = json::array{};
  return json_response(out);
}

Result<HttpResponse> delete_meaning(BoxHost& host, const Call& call) {
  KARTEI_TRY(read_nothing(call.request.body));
  KARTEI_ASSIGN(const store::MeaningCounts meaning, host.box().vectors().counts());
  KARTEI_TRY(host.drop_vectors());
  json::object out;
  out["disk_bytes"] = meaning.disk_bytes;
  out["note"] = "They go in the background; the file uses their room for what comes next.";
  return json_response(out);
}

json::object report_object(const BoxReport& report) {
  json::object out;
  out["name"] = report.name;
  out["file"] = report.file.string();
  out["sound"] = report.problems.empty();
  json::array problems;
  for (const std::string& one : report.problems) problems.emplace_back(one);
  out["problems"] = std::move(problems);
  return out;
}

// The box that was asked for first, then all others of the home, also those that do not open.
Result<HttpResponse> post_check(Hosts& hosts, BoxHost& host, const Call& call) {
  KARTEI_TRY(read_nothing(call.request.body));
  json::object out = report_object(look_at_open_box(host));
  json::array boxes{json::object(out)};
  for (const BoxReport& other : hosts.look_at_others(host.name()))
    boxes.push_back(report_object(other));
  out.erase("name");
  out.erase("file");
  out["boxes"] = std::move(boxes);
  return json_response(out);
}

void gauge(std::ostream& out, const char* name, const char* help, std::uint64_t value,
           const char* type = "gauge") {
  out << "# HELP " << name << ' ' << help << "\n# TYPE " << name << ' ' << type << '\n'
      << name << ' ' << value << '\n';
}

Result<HttpResponse> get_metrics(BoxHost& host, const HttpCounts& http, std::size_t waiting) {
  const sync::EngineStatus status = host.engine().status(host.now());
  KARTEI_ASSIGN(const store::Counts counts, host.box().counts());
  KARTEI_ASSIGN(const std::uint64_t unread, host.pending_extraction());
  std::ostringstream out;
  gauge(out, "kartei_turns", "Turns in the box", counts.turns);
  gauge(out, "kartei_cards_open", "Open cards in the box", counts.cards_open);
  gauge(out, "kartei_cards_closed", "Closed cards in the box", counts.cards_closed);
  gauge(out, "kartei_box_bytes", "Size of the box's file", counts.file_bytes);
  gauge(out, "kartei_pending_extraction", "Turns the secretary has not read", unread);
  if (const ModelSecretary* model = host.services().model; model != nullptr) {
    const ModelState state =
        model->state(ModelSecretary::day_in(host.settings().zone, host.now().wall));
    gauge(out, "kartei_model_readings_total", "Readings that a model may help with", state.readings,
          "counter");
    gauge(out, "kartei_model_helped_total", "Readings that a model helped with", state.helped,
          "counter");
    gauge(out, "kartei_model_calls_total", "Calls of the model's endpoint", state.calls, "counter");
    gauge(out, "kartei_model_wrong_total", "Answers that were not what was asked for", state.wrong,
          "counter");
    gauge(out, "kartei_model_cards_total", "Cards that a model wrote", state.cards, "counter");
    gauge(out, "kartei_model_tokens_today", "Tokens of today", state.tokens_today);
  }
  gauge(out, "kartei_pending_observations", "Own observations in no entry yet", status.pending);
  gauge(out, "kartei_unread_records", "Records the primary has not read", status.unread);
  gauge(out, "kartei_ledger_height", "Height of the adopted ledger", status.tip.height);
  gauge(out, "kartei_final_height", "Height that is final", status.final_position.height);
  gauge(out, "kartei_members", "Devices in the roll", status.members.size());
  gauge(out, "kartei_forks", "Forks seen", status.forks.size());
  gauge(out, "kartei_rollbacks_total", "Branches taken back", status.rollbacks, "counter");
  gauge(out, "kartei_dropped_messages_total", "Messages of peers that were dropped",
        status.dropped_messages, "counter");
  gauge(out, "kartei_audit_lost_total", "Lines of the audit that could not be written",
        host.audit_lost(), "counter");
  gauge(out, "kartei_acting", "1 while this device is the primary", status.acting ? 1 : 0);
  gauge(out, "kartei_writer_waiting", "Calls that wait for the writer", waiting);
  gauge(out, "kartei_connections", "Open connections of apps", http.connections_now);
  gauge(out, "kartei_connections_refused_total", "Connections turned away", http.refused,
        "counter");
  gauge(out, "kartei_requests_total", "Requests served", http.requests, "counter");
  gauge(out, "kartei_malformed_total", "Requests that were none", http.malformed, "counter");
  gauge(out, "kartei_resident_bytes", "Resident memory", resident_kib() << 10);
  HttpResponse response;
  response.content_type = "text/plain; version=0.0.4";
  response.body = out.str();
  return response;
}

}  // namespace

void Api::get_events(Call call, Responder responder) {
  with_box(call, responder,
           [last = call.request.last_event_id, responder](const std::shared_ptr<BoxHost>& host) {
             if (host->events().full()) return responder.send(busy());
             HttpResponse head;
             head.content_type = "text/event-stream";
             if (auto stream = responder.stream(std::move(head)))
               host->events().listen(std::move(stream), last);
           });
}

void Api::get_status(Call call, Responder responder) {
  const KeyDesk* const keys = parts_.keys;
  const auto step = parts_.services.encrypting->now();
  if (step || (keys != nullptr && keys->locked()))
    return responder.send(status_without_boxes(keys, step, parts_.services.clock, started_ms_));
  on_writer(std::move(call), std::move(responder), [this](BoxHost& host, const Call&) {
    return status_of(host, parts_.keys, started_ms_);
  });
}

void Api::add_status_calls() {
  router_.add_ungated(Method::kGet, "/v1/status", {}, [this](Call call, Responder responder) {
    get_status(std::move(call), std::move(responder));
  });
  add(Method::kDelete, "/v1/meaning", {}, delete_meaning);
  add(Method::kPost, "/v1/check", {},
      [this](BoxHost& host, const Call& call) { return post_check(parts_.hosts, host, call); });
  add(Method::kGet, "/v1/metrics", {}, [this](BoxHost& host, const Call&) {
    return get_metrics(host, parts_.http_counts ? parts_.http_counts() : HttpCounts{},
                       parts_.services.writer.waiting());
  });
  router_.add(Method::kGet, "/v1/events", {}, [this](Call call, Responder responder) {
    get_events(std::move(call), std::move(responder));
  });
  router_.add_ungated(Method::kGet, "/v1/openapi.json", {}, [](Call, Responder responder) {
    HttpResponse response;
    response.body = openapi_json();
    responder.send(std::move(response));
  });
}

}  // namespace kartei::daemon::api
