#include "daemon/api/json_text.h"

#include <charconv>
#include <cmath>

namespace kartei::daemon::api {

void JsonText::begin_value() {
  if (!first_) out_.push_back(',');
  first_ = false;
}

void JsonText::quoted(std::string_view value) {
  static constexpr char kHex[] = "0123456789abcdef";
  out_.push_back('"');
  std::size_t from = 0;
  for (std::size_t at = 0; at < value.size(); ++at) {
    const char c = value[at];
    if (static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\') continue;
    out_.append(value, from, at - from);
    from = at + 1;
    if (c == '\n') {
      out_ += "\\n";
    } else if (c == '"' || c == '\\') {
      out_.push_back('\\');
      out_.push_back(c);
    } else {
      out_ += "\\u00";
      out_.push_back(kHex[c >> 4]);
      out_.push_back(kHex[c & 15]);
    }
  }
  out_.append(value, from);
  out_.push_back('"');
}

JsonText& JsonText::open(char bracket) {
  begin_value();
  out_.push_back(bracket);
  first_ = true;
  return *this;
}

JsonText& JsonText::close(char bracket) {
  out_.push_back(bracket);
  first_ = false;
  return *this;
}

JsonText& JsonText::key(std::string_view name) {
  begin_value();
  quoted(name);
  out_.push_back(':');
  first_ = true;
  return *this;
}

JsonText& JsonText::text(std::string_view value) {
  begin_value();
  quoted(value);
  return *this;
}

JsonText& JsonText::integer(std::int64_t value) {
  begin_value();
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out_.append(digits, end);
  return *this;
}

JsonText& JsonText::real(double value) {
  if (!std::isfinite(value)) return null();
  begin_value();
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out_.append(digits, end);
  return *this;
}

JsonText& JsonText::null() {
  begin_value();
  out_ += "null";
  return *this;
}

JsonText& JsonText::text_or_null(std::string_view value) {
  return value.empty() ? null() : text(value);
}

}  // namespace kartei::daemon::api
