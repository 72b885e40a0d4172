#include "daemon/api/json_fields.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cmath>
#include <sstream>

namespace kartei::daemon::api {
namespace json = boost::json;

namespace {

std::string shown(const json::value& value) {
  if (const json::string* text = value.if_string()) return in_quotes({text->data(), text->size()});
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  return json::serialize(value);
}

}  // namespace

Result<json::value> parse_json(std::string_view body) {
  if (body.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return json::value(json::object());
  json::parse_options options;
  options.max_depth = 32;
  boost::system::error_code error;
  json::value value = json::parse({body.data(), body.size()}, error, {}, options);
  if (error) return bad_input("The body is not valid JSON: " + error.message() + ".");
  return value;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::size_t end = std::min(text.size(), kMost);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    --end;
  return '"' + std::string(text.substr(0, end)) + (end < text.size() ? "...\"" : "\"");
}

Fields::Fields(const json::value& value, std::string path) : path_(std::move(path)) {
  object_ = value.if_object();
  if (object_ == nullptr)
    error_ =
        bad_input((path_.empty() ? "The body" : "`" + path_.substr(0, path_.size() - 1) + "`") +
                      " must be a JSON object.",
                  path_.empty() ? "" : path_.substr(0, path_.size() - 1));
}

void Fields::fail(std::string_view name, const std::string& what) {
  if (error_) return;
  const std::string field = path_ + std::string(name);
  error_ = bad_input("`" + field + "` " + what, field);
}

const json::value* Fields::take(std::string_view name) {
  known_.emplace_back(name);
  if (object_ == nullptr) return nullptr;
  const json::value* value = object_->if_contains({name.data(), name.size()});
  return value != nullptr && !value->is_null() ? value : nullptr;
}

std::optional<std::string> Fields::checked(const json::value& value, std::string_view name,
                                           std::size_t bytes_max) {
  const json::string* text = value.if_string();
  if (text == nullptr) {
    fail(name, "must be a string.");
    return std::nullopt;
  }
  if (text->size() > bytes_max) {
    fail(name, "is longer than " + std::to_string(bytes_max) + " bytes.");
    return std::nullopt;
  }
  if (text->find('\0') != json::string::npos) {
    fail(name, "holds a NUL character.");
    return std::nullopt;
  }
  return std::string(text->data(), text->size());
}

std::optional<std::string> Fields::text(std::string_view name, std::size_t bytes_max) {
  const json::value* value = take(name);
  if (value == nullptr) return std::nullopt;
  return checked(*value, name, bytes_max);
}

std::string Fields::need_text(std::string_view name, std::size_t bytes_max) {
  const auto value = text(name, bytes_max);
  if (!value || value->find_first_not_of(" \t\r\n") == std::string::npos) {
    fail(name, "is missing or empty.");
    return {};
  }
  return *value;
}

crypto::Secret Fields::secret(std::string_view name, std::size_t bytes_max) {
  const json::value* value = take(name);
  if (value == nullptr) return {};
  const json::string* text = value->if_string();
  if (text == nullptr) {
    fail(name, "must be a string.");
    return {};
  }
  if (text->size() > bytes_max) {
    fail(name, "is longer than " + std::to_string(bytes_max) + " bytes.");
    return {};
  }
  return crypto::Secret(as_bytes({text->data(), text->size()}));
}

std::optional<bool> Fields::flag(std::string_view name) {
  const json::value* value = take(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_bool()) {
    fail(name, "must be true or false.");
    return std::nullopt;
  }
  return value->as_bool();
}

std::optional<std::int64_t> Fields::integer(std::string_view name, std::int64_t min,
                                            std::int64_t max) {
  const json::value* value = take(name);
  if (value == nullptr) return std::nullopt;
  boost::system::error_code error;
  const auto number = value->to_number<std::int64_t>(error);
  if (error || number < min || number > max) {
    fail(name, "must be a whole number from " + std::to_string(min) + " to " + std::to_string(max) +
                   ", not " + shown(*value) + ".");
    return std::nullopt;
  }
  return number;
}

std::optional<double> Fields::number(std::string_view name, double min, double max) {
  const json::value* value = take(name);
  if (value == nullptr) return std::nullopt;
  boost::system::error_code error;
  const double number = value->is_number() ? value->to_number<double>(error) : std::nan("");
  if (error || !(number >= min && number <= max)) {
    std::ostringstream what;
    what << "must be a number from " << min << " to " << max << ", not " << shown(*value) << '.';
    fail(name, what.str());
    return std::nullopt;
  }
  return number;
}

std::optional<std::vector<std::string>> Fields::texts(std::string_view name, std::size_t count_max,
                                                      std::size_t bytes_max) {
  const json::value* value = take(name);
  if (value == nullptr) return std::nullopt;
  const json::array* array = value->if_array();
  if (array == nullptr) {
    fail(name, "must be a list of strings.");
    return std::nullopt;
  }
  if (array->size() > count_max) {
    fail(name, "holds more than " + std::to_string(count_max) + " items.");
    return std::nullopt;
  }
  std::vector<std::string> out;
  for (const json::value& item : *array) {
    auto text = checked(item, name, bytes_max);
    if (!text) return std::nullopt;
    out.push_back(std::move(*text));
  }
  return out;
}

const json::array* Fields::need_array(std::string_view name, std::size_t count_max) {
  const json::value* value = take(name);
  const json::array* array = value == nullptr ? nullptr : value->if_array();
  if (array == nullptr || array->empty()) {
    fail(name, "must be a list that is not empty.");
    return nullptr;
  }
  if (array->size() > count_max) {
    fail(name, "holds more than " + std::to_string(count_max) + " items.");
    return nullptr;
  }
  return array;
}

std::optional<store::ZonedTime> Fields::time(std::string_view name) {
  const auto word = text(name, 64);
  if (!word) return std::nullopt;
  auto time = store::parse_rfc3339(*word);
  if (time) return *time;
  fail(name, "must be an RFC 3339 time with zone, like 2026-05-04T18:20:00+02:00, not " +
                 in_quotes(*word) + ".");
  return std::nullopt;
}

std::optional<store::Date> Fields::date(std::string_view name) {
  const auto word = text(name, 64);
  if (!word) return std::nullopt;
  auto date = store::Date::parse(*word);
  if (date) return *date;
  fail(name, "must be a date (2026, 2026-03, 2026-03-10, or an RFC 3339 time), not " +
                 in_quotes(*word) + ".");
  return std::nullopt;
}

Status Fields::done() {
  if (!error_ && object_ != nullptr) {
    for (const auto& member : *object_) {
      const std::string_view name(member.key().data(), member.key().size());
      if (std::find(known_.begin(), known_.end(), name) == known_.end()) {
        fail(name.substr(0, 64), "is not a field of this call.");
        break;
      }
    }
  }
  if (error_) return *error_;
  return {};
}

}  // namespace kartei::daemon::api
