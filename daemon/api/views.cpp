#include "daemon/api/views.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "daemon/api/json_text.h"

namespace kartei::daemon::api {
namespace json = boost::json;

namespace {

json::array texts_view(const std::vector<std::string>& texts) {
  json::array out;
  for (const std::string& text : texts) out.emplace_back(text);
  return out;
}

std::string date_text(const store::Date& date) {
  return date.known() ? date.text() : std::string();
}
std::string time_text(store::Time time) {
  return time == store::Time{} ? std::string() : store::format_rfc3339(time);
}

void write_item(JsonText& out, const store::RecallItem& item, const DrawerNames& names) {
  const store::Card& card = item.card;
  const store::Turn& turn = item.turn;
  const bool is_card = item.is_card;
  out.open('{');
  out.key("kind").text(is_card ? "card" : "turn");
  out.key("id").text(item.id);
  out.key("text").text(item.text);
  out.key("colour").text_or_null(is_card ? to_text(card.colour) : "");
  out.key("drawer").text(drawer_view(names, is_card ? card.drawer : turn.drawer));
  out.key("valid_from").text_or_null(is_card ? date_text(card.valid_from) : "");
  out.key("valid_to").text_or_null(is_card ? date_text(card.valid_to) : "");
  out.key("recorded_at").text_or_null(time_text(is_card ? card.recorded_at : turn.recorded_at));
  out.key("state").text(is_card ? to_text(card.state) : "open");
  out.key("trust").text(to_text(is_card ? card.trust : turn.trust));
  if (!is_card) {
    out.key("speaker").text(turn.speaker);
    out.key("conversation").text(turn.conversation);
    out.key("said_at").text(store::format_rfc3339(turn.said_at.at, turn.said_at.zone_min));
  }
  out.key("score").real(item.score);
  out.key("tokens").integer(static_cast<std::int64_t>(item.tokens));
  out.key("sources").open('[');
  for (const std::string& source : item.sources) out.text(source);
  out.close(']');
  out.key("legs").open('{');
  for (const store::Leg& leg : item.legs) out.key(leg.name).real(leg.score);
  out.close('}');
  out.close('}');
}

}  // namespace

json::value or_null(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}

HttpResponse json_response(const json::value& value, int status) {
  HttpResponse response;
  response.status = status;
  response.body = json::serialize(value);
  return response;
}

json::value date_view(const store::Date& date) {
  return date.known() ? json::value(date.text()) : json::value(nullptr);
}
json::value time_view(store::Time time) {
  return time == store::Time{} ? json::value(nullptr) : json::value(store::format_rfc3339(time));
}

std::string drawer_view(const DrawerNames& names, store::DrawerId drawer) {
  const auto found = names.find(drawer);
  return found == names.end() ? drawer.text() : found->second;
}

std::string turn_id(const store::Turn& turn) {
  return turn.external_id.empty() ? turn.id.text() : turn.external_id;
}

json::object turn_view(const store::Turn& turn, const DrawerNames& names) {
  json::object out;
  out["id"] = turn_id(turn);
  out["key"] = turn.id.text();
  out["conversation"] = turn.conversation;
  out["speaker"] = turn.speaker;
  out["role"] = to_text(turn.role);
  out["text"] = turn.text;
  out["caption"] = or_null(turn.caption);
  out["time"] = store::format_rfc3339(turn.said_at.at, turn.said_at.zone_min);
  out["recorded_at"] = time_view(turn.recorded_at);
  out["drawer"] = drawer_view(names, turn.drawer);
  out["trust"] = to_text(turn.trust);
  out["app"] = or_null(turn.app);
  out["device"] = turn.device.text();
  return out;
}

json::object card_view(const store::Card& card, const DrawerNames& names,
                       const std::vector<std::string>& sources) {
  json::object out;
  out["id"] = card.id.text();
  out["text"] = card.text;
  out["colour"] = to_text(card.colour);
  out["drawer"] = drawer_view(names, card.drawer);
  out["sub_domain"] = or_null(card.sub_domain);
  out["state"] = to_text(card.state);
  out["valid_from"] = date_view(card.valid_from);
  out["valid_to"] = date_view(card.valid_to);
  out["recorded_at"] = time_view(card.recorded_at);
  out["closed_at"] = time_view(card.closed_at);
  out["replaced_by"] =
      card.replaced_by.is_zero() ? json::value(nullptr) : json::value(card.replaced_by.text());
  out["why_closed"] = or_null(card.why_closed);
  out["subject"] = or_null(card.subject);
  out["relation"] = or_null(card.relation);
  out["object"] = or_null(card.object);
  out["micro_context"] = or_null(card.micro_context);
  out["conversation"] = or_null(card.conversation);
  out["sources"] = texts_view(sources);
  out["trust"] = to_text(card.trust);
  out["said_by"] = or_null(card.said_by);
  out["app"] = or_null(card.app);
  out["device"] = card.device.is_zero() ? json::value(nullptr) : json::value(card.device.text());
  out["importance"] = card.importance;
  out["tags"] = texts_view(card.tags);
  out["flags"] = texts_view(store::flag_names(card.flags));
  out["reviewed"] = card.user_made || (card.flags & store::kReviewed) != 0;
  out["annotations"] = texts_view(card.annotations);
  out["times_used"] = card.times_used;
  out["last_used"] = time_view(card.last_used);
  out["waiting"] = card.waiting;
  out["pending"] = card.pending;
  return out;
}

HttpResponse recall_response(const store::RecallAnswer& answer, const DrawerNames& names,
                             std::int64_t took_us) {
  JsonText out;
  out.open('{');
  out.key("text").text(answer.text);
  out.key("tokens").integer(static_cast<std::int64_t>(answer.tokens));
  bool any_missed = false;
  for (const bool missed : {false, true}) {
    if (missed && !any_missed) break;
    out.key(missed ? "missed" : "items").open('[');
    for (const store::RecallItem& item : answer.items) {
      any_missed = any_missed || item.cut;
      if (item.cut == missed) write_item(out, item, names);
    }
    out.close(']');
  }
  if (!answer.guesses.empty()) {
    out.key("guesses").open('{');
    for (const store::Guess& guess : answer.guesses) {
      out.key(guess.word).open('[');
      for (const std::string& word : guess.meant) out.text(word);
      out.close(']');
    }
    out.close('}');
  }
  out.key("took_us").integer(took_us);
  out.close('}');
  HttpResponse response;
  response.body = out.take();
  return response;
}

json::object vitals_view(const election::Vitals& vitals) {
  static constexpr const char* kKinds[] = {"desktop", "laptop", "phone"};
  json::object out;
  out["kind"] = kKinds[static_cast<std::size_t>(vitals.kind) % 3];
  out["power"] = vitals.power == election::Power::kMains ? "mains" : "battery";
  out["battery"] = vitals.battery;
  out["use"] = vitals.use;
  out["cores"] = vitals.cores;
  out["load"] = vitals.load;
  out["memory_free_mb"] = vitals.memory_free_mb;
  out["storage_free_mb"] = vitals.storage_free_mb;
  out["reachable"] = vitals.reachable;
  return out;
}

json::object position_view(const store::Position& position) {
  json::object out;
  out["height"] = position.height;
  out["term"] = position.term.counter;
  out["index"] = position.index;
  return out;
}

}  // namespace kartei::daemon::api
