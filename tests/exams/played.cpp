#include "tests/exams/played.h"

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <thread>

#include "tests/harness/json_call.h"

namespace kartei::exams {

namespace json = boost::json;

namespace {

constexpr auto kExtractionPatience = std::chrono::minutes(10);
constexpr auto kPoll = std::chrono::milliseconds(5);

// Box names take lower-case letters, digits and ._-
std::string box_name(const std::string& id) {
  std::string name;
  for (char c : id) name += (c >= 'A' && c <= 'Z') ? static_cast<char>(c + 32) : c;
  return name.substr(0, 50);
}

}  // namespace

std::string box_query(const ExamConversation& conversation) {
  return "?box=exam-" + box_name(conversation.id);
}

Status play(harness::UnixClient& client, const ExamConversation& conversation) {
  const std::string box = box_query(conversation);
  for (const auto& session : conversation.sessions) {
    json::array turns;
    for (const auto& turn : session.turns) {
      json::object to{
          {"id", turn.id}, {"speaker", turn.speaker}, {"role", turn.role}, {"text", turn.text}};
      if (!turn.caption.empty()) to["caption"] = turn.caption;
      if (!turn.time.empty()) to["time"] = turn.time;
      turns.push_back(std::move(to));
    }
    const std::string name = "session-" + session.id;
    for (std::size_t at = 0; at < turns.size(); at += 100) {
      const json::array part(
          turns.begin() + static_cast<std::ptrdiff_t>(at),
          turns.begin() + static_cast<std::ptrdiff_t>(std::min(turns.size(), at + 100)));
      KARTEI_TRY(harness::json_call(client, "POST", "/v1/turns" + box,
                                    json::object{{"conversation", name}, {"turns", part}}));
    }
    KARTEI_TRY(
        harness::json_call(client, "POST", "/v1/conversations/" + name + "/end" + box, nullptr));
  }
  const auto deadline = std::chrono::steady_clock::now() + kExtractionPatience;
  while (std::chrono::steady_clock::now() < deadline) {
    KARTEI_ASSIGN(const auto status,
                  harness::json_call(client, "GET", "/v1/status" + box, nullptr));
    const bool vectors_made = status.at("meaning").at("waiting").to_number<std::int64_t>() == 0;
    if (vectors_made && status.at("pending_extraction").to_number<std::int64_t>() == 0) return {};
    std::this_thread::sleep_for(kPoll);
  }
  return Error{Cause::kUnavailable, "the secretary did not finish", {}};
}

}  // namespace kartei::exams
