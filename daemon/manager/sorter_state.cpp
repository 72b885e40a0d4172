// What a sorter knows, as JSON and back.
#include <boost/json.hpp>

#include "daemon/manager/sorter.h"

namespace kartei::daemon {
namespace {

namespace json = boost::json;
constexpr std::int64_t kStateVersion = 1;

template <class T>
json::array as_numbers(const std::vector<T>& from) {
  json::array out;
  for (const T number : from) out.emplace_back(static_cast<std::int64_t>(number));
  return out;
}

template <class T>
void read_numbers(const json::value& from, std::vector<T>& out) {
  for (const json::value& number : from.as_array())
    if (out.size() < kSpreadToMake) out.push_back(static_cast<T>(number.as_int64()));
}

Sorter::Kind read_known(const json::object& from) {
  Sorter::Kind kind;
  kind.exchanges = from.at("exchanges").to_number<std::size_t>();
  read_numbers(from.at("conversations"), kind.conversations);
  read_numbers(from.at("days"), kind.days);
  for (const auto& [word, times] : from.at("words").as_object())
    kind.words[std::string(word)] = times.to_number<std::size_t>();
  const auto id = store::DrawerId::from_text(std::string(from.at("drawer").as_string()));
  if (id) kind.drawer = *id;
  kind.origin = static_cast<Sorter::Origin>(from.at("origin").as_int64() % 3);
  return kind;
}

}  // namespace

std::string Sorter::text() const {
  json::object kinds;
  for (const auto& [name, kind] : kinds_) {
    json::object words;
    for (const auto& [word, times] : kind.words) words[word] = times;
    kinds[name] = {
        {"exchanges", kind.exchanges},   {"conversations", as_numbers(kind.conversations)},
        {"days", as_numbers(kind.days)}, {"words", std::move(words)},
        {"drawer", kind.drawer.text()},  {"origin", static_cast<std::int64_t>(kind.origin)}};
  }
  json::array talks;
  for (const Talk& talk : talks_)
    talks.push_back({static_cast<std::int64_t>(talk.conversation), json::value(talk.kind),
                     static_cast<std::int64_t>(talk.without)});
  return json::serialize(json::object{
      {"version", kStateVersion}, {"kinds", std::move(kinds)}, {"talks", std::move(talks)}});
}

Status Sorter::load(std::string_view text) {
  boost::system::error_code error;
  const json::value all = json::parse(text, error);
  Sorter read;
  try {
    if (error || all.at("version").as_int64() != kStateVersion)
      return corrupt("What sorting had learned cannot be read");
    for (const auto& [name, kind] : all.at("kinds").as_object())
      read.kinds_[std::string(name)] = read_known(kind.as_object());
    for (const json::value& talk : all.at("talks").as_array())
      read.talks_.push_back({static_cast<std::uint32_t>(talk.at(0).as_int64()),
                             std::string(talk.at(1).as_string()),
                             talk.at(2).to_number<std::size_t>()});
  } catch (const std::exception&) {
    return corrupt("What sorting had learned cannot be read");
  }
  kinds_ = std::move(read.kinds_);
  talks_ = std::move(read.talks_);
  changed_ = false;
  return {};
}

}  // namespace kartei::daemon
