// JSON written straight into its text: for answers of many values, where building a tree of them
// first costs more than finding them. Values in the order of the calls; the caller opens and closes
// what belongs together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kartei::daemon::api {

class JsonText {
 public:
  JsonText& open(char bracket);   // '{' or '['
  JsonText& close(char bracket);  // '}' or ']'
  JsonText& key(std::string_view name);
  JsonText& text(std::string_view value);
  JsonText& integer(std::int64_t value);
  JsonText& real(double value);  // null where it is no number
  JsonText& null();
  // Null where it is empty.
  JsonText& text_or_null(std::string_view value);
  std::string take() { return std::move(out_); }

 private:
  void begin_value();
  void quoted(std::string_view value);

  std::string out_;
  bool first_ = true;  // in its brackets, or behind its key
};

}  // namespace kartei::daemon::api
