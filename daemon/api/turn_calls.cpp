// POST /v1/turns, GET /v1/turns/{id}, and the conversations.
#include <algorithm>
#include <boost/json/array.hpp>
#include <charconv>
#include <span>

#include "daemon/api/api.h"
#include "daemon/api/json_fields.h"
#include "daemon/api/problem.h"
#include "daemon/api/views.h"
#include "daemon/manager/short_term.h"

namespace kartei::daemon::api {
namespace json = boost::json;
namespace {

using namespace std::chrono_literals;
constexpr std::size_t kExchangesInFull = 4;
constexpr std::size_t kExchangesInShort = 10;
constexpr std::size_t kWindowTurns = 200;
constexpr auto kAheadMax = 36h;  // of this device's clock

store::Trust trust_of(const TurnInput& input) {
  if (input.trust) return *input.trust;
  switch (input.role) {
    case store::Role::kUser:
      return store::Trust::kUser;
    case store::Role::kAssistant:
      return store::Trust::kAssistant;
    case store::Role::kTool:
      break;
  }
  return store::Trust::kTool;
}

// A turn far ahead of the clock: one of the two is wrong, and dates are what a memory lives by.
Status check_time(const TurnInput& input, std::size_t index, store::Time wall) {
  if (!input.time || store::to_ms(wall) < kSaneClockMs || input.time->at <= wall + kAheadMax)
    return {};
  return bad_input("This turn is dated " + store::format_rfc3339(input.time->at) +
                       ", but this device's clock says " + store::format_rfc3339(wall) +
                       ". Check the date and the clock.",
                   "turns[" + std::to_string(index) + "].time");
}

Result<HearJob> make_job(const TurnsInput& input, const BoxHost& host, const std::string& app,
                         Clock& clock) {
  HearJob job;
  const store::Time wall = clock.wall();
  const std::int16_t zone_min = box_zone_min(host.settings(), wall);
  for (std::size_t i = 0; i < input.turns.size(); ++i) {
    const TurnInput& from = input.turns[i];
    KARTEI_TRY(check_time(from, i, wall));
    HearJob::Item item;
    item.turn.external_id = from.id;
    item.turn.conversation = input.conversation;
    item.turn.speaker = from.speaker;
    item.turn.role = from.role;
    item.turn.trust = trust_of(from);
    item.turn.text = from.text;
    item.turn.caption = from.caption;
    item.turn.said_at = from.time.value_or(store::ZonedTime{wall, zone_min});
    item.turn.app = app;
    item.drawer = from.drawer.value_or("");
    job.items.push_back(std::move(item));
  }
  return job;
}

// A call of so many bytes is looked through for secrets by a reader, not in the loop.
constexpr std::size_t kLookedAtInLoop = 64 << 10;

SecretsSeen look_for_secrets(const TurnInput& turn) {
  SecretsSeen seen;
  seen.text("text", turn.text);
  seen.text("caption", turn.caption);
  seen.name("id", turn.id);
  seen.name("speaker", turn.speaker);
  seen.name("drawer", turn.drawer.value_or(""));
  return seen;
}

// What was said in a call, and the secrets in each of its turns.
struct Said {
  TurnsInput input;
  SecretsSeen around;  // in the conversation's name
  std::vector<SecretsSeen> seen;
};

Said look_through(TurnsInput input) {
  Said said;
  said.around.name("conversation", input.conversation);
  for (const TurnInput& turn : input.turns) said.seen.push_back(look_for_secrets(turn));
  said.input = std::move(input);
  return said;
}

json::array secrets_view(std::span<const SecretSeen> secrets) {
  json::array out;
  for (const SecretSeen& one : secrets) {
    json::object view;
    view["kind"] = secrets::to_text(one.finding.kind);
    view["what"] = one.finding.what;
    view["field"] = one.field;
    view["begin"] = one.finding.begin;
    view["end"] = one.finding.end;
    out.push_back(std::move(view));
  }
  return out;
}

json::object refusal(std::size_t index, const std::string& id, const std::string& reason) {
  json::object entry;
  entry["index"] = index;
  entry["id"] = id;
  entry["reason"] = reason;
  return entry;
}

json::object refusal(std::size_t index, const std::string& id, std::span<const SecretSeen> secrets,
                     bool may_be_allowed) {
  const char* advice = may_be_allowed
                           ? " It was not stored. Say it without, or allow it: "
                             "\"allow_secrets\": true (kartei: --allow-secrets)."
                           : " It was not stored. Names are shown everywhere and may hold none.";
  json::object entry = refusal(index, secrets::masked(id), describe(secrets) + advice);
  entry["secrets"] = secrets_view(secrets);
  return entry;
}

// Takes the turns that may not be kept out of the call, and says which. Secrets that are allowed
// with this call are added to `allows`.
json::array take_refused(Said& said, const SecretsAllowed& allowed,
                         std::vector<std::string>& allows) {
  json::array refused;
  std::vector<TurnInput> kept;
  for (std::size_t i = 0; i < said.input.turns.size(); ++i) {
    TurnInput& turn = said.input.turns[i];
    const SecretsSeen& seen = said.seen[i];
    const bool allow = said.input.allow_secrets || turn.allow_secrets;
    const auto secrets = seen.any() ? allowed.refused(seen) : std::vector<SecretSeen>();
    const bool named = !seen.in_names().empty();
    if (!secrets.empty() && (named || !allow)) {
      refused.push_back(refusal(i, turn.id, secrets, !named));
      continue;
    }
    for (const SecretSeen& one : secrets) allows.push_back(one.essence);
    kept.push_back(std::move(turn));
  }
  said.input.turns = std::move(kept);
  return refused;
}

// A repeated id is stored once. With other words it is no repetition, and they are not stored.
Result<bool> kept(BoxHost& host, const TurnInput& said, store::TurnId id) {
  if (said.id.empty()) return true;
  KARTEI_ASSIGN(const auto there, host.box().turn(id));
  return !there || (there->text == said.text && there->caption == said.caption);
}

Result<HttpResponse> heard_answer(BoxHost& host, const TurnsInput& input,
                                  const std::vector<store::TurnId>& ids, json::array refused) {
  json::array out;
  std::size_t index = 0;  // in the call, which has the turns refused before as well
  const json::array before = refused;
  const auto refused_before = [&] {
    return std::any_of(before.begin(), before.end(), [&](const json::value& one) {
      return one.at("index").to_number<std::size_t>() == index;
    });
  };
  for (std::size_t i = 0; i < ids.size(); ++i, ++index) {
    while (refused_before()) ++index;
    const std::string& id = input.turns[i].id;
    KARTEI_ASSIGN(const bool stored, kept(host, input.turns[i], ids[i]));
    if (stored)
      out.emplace_back(id.empty() ? ids[i].text() : id);
    else
      refused.push_back(refusal(index, id,
                                "This conversation has another turn with this id. Give this one "
                                "an id of its own."));
  }
  json::object answer;
  answer["ids"] = std::move(out);
  answer["refused"] = std::move(refused);
  return json_response(answer, 202);
}

void hear_said(const std::shared_ptr<BoxHost>& host, Said& said, const std::string& app,
               Clock& clock, const Responder& responder) {
  if (said.around.any())
    return responder.send(problem(403, "secret",
                                  describe(said.around.in_names()) +
                                      " Nothing was stored. Names are shown everywhere and may "
                                      "hold none.",
                                  "conversation"));
  std::vector<std::string> allows;
  json::array refused = take_refused(said, *host->allowed_secrets(), allows);
  auto input = std::make_shared<TurnsInput>(std::move(said.input));
  auto job = make_job(*input, *host, app, clock);
  if (!job) return responder.send(problem(job.error()));
  job->allows = std::move(allows);
  job->answer = [host, input, refused = std::move(refused), responder](auto ids) {
    if (!ids) return responder.send(problem(ids.error()));
    auto answer = heard_answer(*host, *input, *ids, refused);
    responder.send(answer ? std::move(*answer) : problem(answer.error()));
  };
  if (job->items.empty()) return job->answer(std::vector<store::TurnId>{});
  if (!host->hear(std::move(*job))) responder.send(busy());
}

Result<std::size_t> read_around(const Call& call) {
  const auto text = call.parameter("around");
  if (!text) return std::size_t{0};
  std::size_t around = 0;
  const char* end = text->data() + text->size();
  if (text->empty() || std::from_chars(text->data(), end, around).ptr != end || around > 50)
    return bad_input("`around` must be a number from 0 to 50, not " + in_quotes(*text) + ".",
                     "around");
  return around;
}

// What leaves the window: what it is about, without its words.
void add_notes(const store::Turn& turn, json::object& out) {
  TurnNotes notes = notes_of(turn);
  json::value drawer = out.at("drawer");  // a new member may move all others
  out["domain"] = std::move(drawer);
  out["sub_domain"] =
      notes.sub_domain.empty() ? json::value(nullptr) : json::value(notes.sub_domain);
  out["tags"] = json::array(notes.tags.begin(), notes.tags.end());
  out["micro_context"] = std::move(notes.micro_context);
}

Result<HttpResponse> get_turn(BoxHost& host, const Call& call, std::vector<std::string>& read) {
  KARTEI_ASSIGN(const std::size_t around, read_around(call));
  KARTEI_ASSIGN(store::Turn turn, find_turn(host, call.path.at("id")));
  const auto names = host.drawer_names();
  const auto allowed = host.allowed_secrets();
  allowed->mask(turn);
  json::object out = turn_view(turn, *names);
  add_notes(turn, out);
  read.push_back(turn_id(turn));
  if (around == 0) return json_response(out);
  KARTEI_ASSIGN(auto near, host.box().turns_around(turn.id, around));
  json::array before, after;
  bool passed = false;
  for (store::Turn& other : near) {
    allowed->mask(other);
    if (other.id == turn.id)
      passed = true;
    else
      (passed ? after : before).push_back(turn_view(other, *names));
    if (other.id != turn.id) read.push_back(turn_id(other));
  }
  out["before"] = std::move(before);
  out["after"] = std::move(after);
  return json_response(out);
}

Result<HttpResponse> get_window(BoxHost& host, const Call& call, std::vector<std::string>& read) {
  KARTEI_ASSIGN(auto turns, host.box().conversation(call.path.at("c"), kWindowTurns));
  const auto names = host.drawer_names();
  const std::vector<Exchange> exchanges = exchanges_of(turns);
  const auto last = [&](std::size_t count) {
    return std::span(exchanges).last(std::min(count, exchanges.size()));
  };
  const auto allowed = host.allowed_secrets();
  for (const Exchange& exchange : last(kExchangesInShort))
    for (std::size_t i = exchange.begin; i < exchange.end; ++i) allowed->mask(turns[i]);
  json::array full, lines;
  for (const Exchange& exchange : last(kExchangesInFull))
    for (std::size_t i = exchange.begin; i < exchange.end; ++i)
      full.push_back(turn_view(turns[i], *names));
  for (const Exchange& exchange : last(kExchangesInShort)) {
    const auto said = std::span(turns).subspan(exchange.begin, exchange.end - exchange.begin);
    json::array ids;
    for (const store::Turn& turn : said) {
      ids.emplace_back(turn_id(turn));
      read.push_back(turn_id(turn));
    }
    json::object line;
    line["id"] = turn_id(said.front());
    line["turns"] = std::move(ids);
    line["line"] = summary_line(said);
    lines.push_back(std::move(line));
  }
  json::object out;
  out["conversation"] = secrets::masked(call.path.at("c"));
  out["turns"] = std::move(full);
  out["summaries"] = std::move(lines);
  return json_response(out);
}

Result<HttpResponse> end_conversation(BoxHost& host, const Call& call) {
  KARTEI_TRY(read_nothing(call.request.body));
  SecretsSeen seen;
  seen.name("c", call.path.at("c"));
  if (const auto refusal = judge_secrets(host, seen, false).refusal) return *refusal;
  KARTEI_TRY(host.end_conversation(call.path.at("c")));
  json::object out;
  out["conversation"] = call.path.at("c");
  return json_response(out, 202);
}

// The secrets that a turn has are handed out from now on; or not any more.
Result<HttpResponse> patch_turn(BoxHost& host, const Call& call) {
  KARTEI_ASSIGN(const bool allow, read_allow_secrets(call.request.body));
  KARTEI_ASSIGN(store::Turn turn, find_turn(host, call.path.at("id")));
  std::vector<std::string> essences;
  const SecretsSeen seen = daemon::look_for_secrets(turn);
  for (const SecretSeen& one : seen.in_texts()) essences.push_back(one.essence);
  KARTEI_TRY(allow ? host.allow_secrets(essences) : host.take_back_secrets(essences));
  host.allowed_secrets()->mask(turn);
  return json_response(turn_view(turn, *host.drawer_names()));
}

}  // namespace

void Api::post_turns(Call call, Responder responder) {
  const bool at_once = call.request.body.size() <= kLookedAtInLoop;
  auto look = [this, call = std::move(call), responder] {
    auto input = read_turns(call.request.body);
    if (!input) return responder.send(problem(input.error()));
    auto said = std::make_shared<Said>(look_through(std::move(*input)));
    with_box(call, responder, [this, said, app = call.request.app, responder](const auto& host) {
      hear_said(host, *said, app, parts_.services.clock, responder);
    });
  };
  if (at_once) return look();
  const bool posted =
      parts_.services.readers.post([look = std::move(look)](std::size_t) { look(); });
  if (!posted) responder.send(busy());
}

void Api::add_turn_calls() {
  router_.add(Method::kPost, "/v1/turns", {}, [this](Call call, Responder responder) {
    post_turns(std::move(call), std::move(responder));
  });
  add_read(Method::kGet, "/v1/turns/{id}", {"around"}, get_turn);
  add(Method::kPatch, "/v1/turns/{id}", {}, patch_turn);
  add_read(Method::kGet, "/v1/conversations/{c}/window", {}, get_window);
  add(Method::kPost, "/v1/conversations/{c}/end", {}, end_conversation);
}

}  // namespace kartei::daemon::api
