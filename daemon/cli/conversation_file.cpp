#include "daemon/cli/conversation_file.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace kartei::daemon::cli {
namespace json = boost::json;
namespace {

constexpr std::size_t kSpeakerMax = 40;
constexpr std::size_t kTurnsPerCall = 500;
constexpr std::size_t kBytesPerCall = 2 << 20;

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

bool is_assistant(std::string_view speaker) {
  std::string lower(speaker);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower == "assistant" || lower == "ai" || lower == "bot";
}

// "Maya: I live in Bremen." A line without a short speaker before its colon goes on with the turn
// before it.
json::array read_plain(std::string_view text) {
  json::array turns;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    const std::size_t colon = line.find(": ");
    const bool speaks = colon != std::string_view::npos && colon > 0 && colon <= kSpeakerMax;
    if (!speaks && !turns.empty()) {
      json::string& said = turns.back().as_object()["text"].as_string();
      said.append("\n").append(json::string_view(line.data(), line.size()));
      continue;
    }
    const std::string_view speaker = speaks ? line.substr(0, colon) : "user";
    json::object turn;
    turn["speaker"] = speaker;
    turn["role"] = is_assistant(speaker) ? "assistant" : "user";
    turn["text"] = speaks ? trim(line.substr(colon + 2)) : line;
    turns.push_back(std::move(turn));
  }
  return turns;
}

Result<json::value> parse(std::string_view text, const std::string& where) {
  boost::system::error_code error;
  json::value value = json::parse({text.data(), text.size()}, error);
  if (error) return bad_input(where + " is not valid JSON: " + error.message() + ".");
  return value;
}

Result<json::array> read_lines(std::string_view text) {
  json::array turns;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    KARTEI_ASSIGN(json::value turn, parse(line, "Line " + std::to_string(number)));
    turns.push_back(std::move(turn));
  }
  return turns;
}

}  // namespace

Result<std::vector<json::object>> read_conversation(std::string_view text,
                                                    const ConversationOptions& options) {
  std::string conversation = options.conversation;
  json::array turns;
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return bad_input("There is nothing to observe.");
  boost::system::error_code error;
  if (text[start] != '{' && text[start] != '[') {
    turns = read_plain(text);
  } else if (json::value whole = json::parse({text.data(), text.size()}, error); error) {
    KARTEI_ASSIGN(turns, read_lines(text));
  } else if (whole.is_array()) {
    turns = std::move(whole.as_array());
  } else if (json::value* inner = whole.as_object().if_contains("turns")) {
    if (!inner->is_array()) return bad_input("`turns` must be a list.", "turns");
    turns = std::move(inner->as_array());
    if (const json::value* name = whole.as_object().if_contains("conversation");
        name != nullptr && name->is_string())
      conversation = std::string(name->as_string());
  } else {
    turns.push_back(std::move(whole));
  }
  std::vector<json::object> calls;
  std::size_t bytes = kBytesPerCall;
  for (json::value& turn : turns) {
    if (!turn.is_object()) return bad_input("A turn must be a JSON object.");
    if (!options.drawer.empty() && !turn.as_object().contains("drawer"))
      turn.as_object()["drawer"] = options.drawer;
    const std::size_t size = json::serialize(turn).size();
    if (calls.empty() || bytes + size > kBytesPerCall ||
        calls.back()["turns"].as_array().size() >= kTurnsPerCall) {
      calls.emplace_back();
      calls.back()["conversation"] = conversation;
      calls.back()["turns"] = json::array();
      bytes = 0;
    }
    bytes += size;
    calls.back()["turns"].as_array().push_back(std::move(turn));
  }
  return calls;
}

}  // namespace kartei::daemon::cli
