// Forgetting: the policy, runs asked for, what they did, and taking it back.
#include <boost/json/array.hpp>

#include "daemon/api/api.h"
#include "daemon/api/forgetting_requests.h"
#include "daemon/api/json_fields.h"
#include "daemon/api/problem.h"
#include "daemon/api/views.h"
#include "daemon/forgetting_run.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

using store::Forgotten;

constexpr std::size_t kTrashShown = 500;

json::object policy_view(const ForgettingPolicy& policy) {
  json::object out;
  for (const PolicySwitch& one : kPolicySwitches) out[one.name] = policy.*one.value;
  for (const PolicyNumber& one : kPolicyNumbers) out[one.name] = policy.*one.value;
  return out;
}

Result<HttpResponse> forgetting_answer(BoxHost& host) {
  json::object out = policy_view(host.forgetting_policy());
  KARTEI_ASSIGN(const store::StateCounts counts, store::count_states(host.box()));
  out["cards"] = {{"open", counts.open},
                  {"closed", counts.closed},
                  {"faded", counts.faded},
                  {"archived", counts.archived},
                  {"trash", counts.trashed}};
  out["bound"] = bound_in_words(host.forgetting_policy());
  out["shared_here"] = host.forgets_shared();
  return json_response(out);
}

Result<HttpResponse> put_forgetting(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const ForgettingPolicy policy,
                read_forgetting(call.request.body, host.forgetting_policy()));
  KARTEI_TRY(host.set_forgetting_policy(policy));
  return forgetting_answer(host);
}

// ---- a run

json::object counts_view(const ForgettingRun& run) {
  json::object out;
  for (const auto what :
       {ForgettingStep::kFade, ForgettingStep::kArchive, ForgettingStep::kCondense,
        ForgettingStep::kTrash, ForgettingStep::kErase})
    out[to_text(what)] = run.count(what);
  out["made"] = run.made();
  return out;
}

std::string masked(BoxHost& host, std::string text) {
  host.allowed_secrets()->mask(text);
  return text;
}

HttpResponse run_view(BoxHost& host, const ForgettingRun& run, const ForgettingPage& page,
                      std::vector<std::string>& read) {
  const auto names = host.drawer_names();
  json::array items;
  for (const ForgettingStep& step : run.shown()) {
    json::object item;
    item["card"] = step.card.text();
    item["what"] = to_text(step.what);
    item["why"] = step.why;
    item["drawer"] = drawer_view(*names, step.drawer);
    // Of a condensed card this is the one that stands for it.
    item["text"] = masked(host, step.text);
    item["stands_in"] =
        step.stands_in.is_zero() ? json::value(nullptr) : json::value(step.stands_in.text());
    items.push_back(std::move(item));
    read.push_back(step.card.text());
  }
  const std::size_t until = page.from + run.shown().size();
  json::object out;
  out["dry_run"] = run.dry();
  out["run"] = run.dry() || run.steps() == 0 ? json::value(nullptr) : json::value(run.run().text());
  out["at"] = time_view(run.at());
  out["on"] = run.policy().on;
  out["shared_here"] = host.forgets_shared();
  out["counts"] = counts_view(run);
  out["items"] = std::move(items);
  out["cursor"] = run.dry() && until < run.steps() ? json::value(dry_cursor({run.at(), until}))
                                                   : json::value(nullptr);
  return json_response(out);
}

// ---- what was done

const char* done_text(Forgotten::Step step) {
  static constexpr const char* kWords[] = {"taken_back", "faded", "archived",        "condensed",
                                           "trashed",    "made",  "put_away_by_user"};
  return kWords[std::min<std::size_t>(step, std::size(kWords) - 1)];
}

json::object step_view(BoxHost& host, const Forgotten& row, const DrawerNames& names) {
  json::object out;
  out["card"] = row.card.text();
  out["what"] = done_text(row.step);
  out["why"] = row.why.empty() ? json::value(nullptr) : json::value(masked(host, row.why));
  out["at"] = time_view(row.at);
  out["drawer"] = drawer_view(names, row.drawer);
  out["text"] = row.text.empty() ? json::value(nullptr) : json::value(masked(host, row.text));
  out["stands_in"] =
      row.stands_in.is_zero() ? json::value(nullptr) : json::value(row.stands_in.text());
  return out;
}

Result<store::RunId> run_of(const std::string& text) {
  const auto run = store::RunId::from_text(text);
  if (run) return *run;
  return bad_input("A run's id has 32 hex digits; GET /v1/forgetting/runs lists them.", "run");
}

Result<HttpResponse> list_runs(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const std::size_t limit, read_limit(call, 50, 500));
  store::Time before{};
  if (const auto cursor = call.parameter("cursor")) {
    const auto time = store::parse_rfc3339(*cursor);
    if (!time) return bad_input("That cursor is not one of ours; begin without one.", "cursor");
    before = time->at;
  }
  KARTEI_ASSIGN(const auto runs, store::read_forgetting_runs(host.box(), before, limit));
  json::array items;
  for (const store::RunSums& run : runs) {
    items.push_back({{"run", run.run.text()},
                     {"at", time_view(run.at)},
                     {"faded", run.faded},
                     {"archived", run.archived},
                     {"condensed", run.condensed},
                     {"made", run.made},
                     {"trashed", run.trashed},
                     {"taken_back", run.taken_back}});
  }
  json::object out;
  out["cursor"] = runs.size() < limit ? json::value(nullptr)
                                      : json::value(store::format_rfc3339(runs.back().at));
  out["items"] = std::move(items);
  return json_response(out);
}

Result<HttpResponse> show_run(BoxHost& host, const Call& call, std::vector<std::string>& read) {
  KARTEI_ASSIGN(const store::RunId run, run_of(call.path.at("run")));
  KARTEI_ASSIGN(const std::size_t limit, read_limit(call, 50, 500));
  store::CardId after;
  if (const auto cursor = call.parameter("cursor")) {
    const auto id = store::CardId::from_text(*cursor);
    if (!id) return bad_input("That cursor is not one of ours; begin without one.", "cursor");
    after = *id;
  }
  KARTEI_ASSIGN(const auto rows, store::read_forgotten(host.box(), run, after, limit));
  if (rows.empty() && after.is_zero())
    return not_found("There is no run of forgetting with this id.");
  json::array items;
  const auto names = host.drawer_names();
  for (const Forgotten& row : rows) {
    items.push_back(step_view(host, row, *names));
    read.push_back(row.card.text());
  }
  json::object out;
  out["run"] = run.text();
  out["cursor"] = rows.size() < limit ? json::value(nullptr) : json::value(rows.back().card.text());
  out["items"] = std::move(items);
  return json_response(out);
}

Result<HttpResponse> show_trash(BoxHost& host, const Call&, std::vector<std::string>& read) {
  KARTEI_ASSIGN(const auto rows, store::read_trash(host.box(), kTrashShown));
  const ForgettingPolicy policy = host.forgetting_policy();
  json::array items;
  const auto names = host.drawer_names();
  for (const Forgotten& row : rows) {
    json::object item = step_view(host, row, *names);
    item["erased_from"] = policy.delete_archived
                              ? time_view(row.at + std::chrono::hours(24 * policy.trash_days))
                              : json::value(nullptr);
    items.push_back(std::move(item));
    read.push_back(row.card.text());
  }
  json::object out;
  out["items"] = std::move(items);
  return json_response(out);
}

Result<HttpResponse> take_back(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const UndoInput input, read_undo(call.request.body));
  std::size_t count = 0;
  if (!input.run.empty()) {
    KARTEI_ASSIGN(const store::RunId run, run_of(input.run));
    KARTEI_ASSIGN(count, take_back_run(host.box(), host.engine(), run, host.now()));
  } else {
    KARTEI_ASSIGN(const store::Card card, find_card(host, input.card));
    KARTEI_ASSIGN(count, take_back_card(host.box(), host.engine(), card.id, host.now()));
  }
  json::object out;
  out["taken_back"] = count;
  return json_response(out);
}

}  // namespace

// Goes on in pieces on the writer's thread, and answers when all is done.
void Api::post_forgetting_run(Call call, Responder responder) {
  const auto dry = read_forgetting_run(call.request.body);
  if (!dry) return responder.send(problem(dry.error()));
  ForgettingAsked asked;
  asked.dry_run = *dry;
  const auto limit = read_limit(call, 50, 500);
  if (!limit) return responder.send(problem(limit.error()));
  asked.page.limit = *limit;
  if (const auto text = call.parameter("cursor")) {
    const auto cursor = read_dry_cursor(*text);
    if (!cursor) return responder.send(problem(cursor.error()));
    if (!*dry)
      return responder.send(problem(bad_input("Only a dry run is shown in pages.", "cursor")));
    asked.at = cursor->at;
    asked.page.from = cursor->from;
  }
  const std::string box = box_name(call);
  post_to_box(box, responder,
              [call = std::move(call), asked, responder](const std::shared_ptr<BoxHost>& host) {
                if (!host->audit_has_room()) return responder.send(busy());
                host->forget_now(asked, [host, call, asked, responder](auto run) {
                  if (!run) return responder.send(problem(run.error()));
                  std::vector<std::string> read;
                  responder.send(run_view(*host, **run, asked.page, read));
                  note_read(*host, call, std::move(read));
                });
                host->settle();
              });
}

void Api::add_forgetting_calls() {
  add(Method::kGet, "/v1/forgetting", {},
      [](BoxHost& host, const Call&) { return forgetting_answer(host); });
  add(Method::kPut, "/v1/forgetting", {}, put_forgetting);
  add(Method::kGet, "/v1/forgetting/runs", {"limit", "cursor"}, list_runs);
  add_read(Method::kGet, "/v1/forgetting/runs/{run}", {"limit", "cursor"}, show_run);
  add_read(Method::kGet, "/v1/forgetting/trash", {}, show_trash);
  add(Method::kPost, "/v1/forgetting/undo", {}, take_back);
  router_.add(Method::kPost, "/v1/forgetting/run", {"limit", "cursor"},
              [this](Call call, Responder responder) {
                post_forgetting_run(std::move(call), std::move(responder));
              });
}

}  // namespace kartei::daemon::api
