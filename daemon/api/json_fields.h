// Reading a JSON body strictly: every field is asked for by name, kind and size; one that nobody
// asked for is an error that names it. The first error is kept and reported by done().
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/result.h"
#include "crypto/secret.h"
#include "store/time.h"

namespace kartei::daemon::api {

// At most 32 levels deep, valid UTF-8; an empty body reads as {}.
Result<boost::json::value> parse_json(std::string_view body);

// A value in an error: in quotes, and not too much of it.
std::string in_quotes(std::string_view text);

class Fields {
 public:
  // `path` stands before names in errors: "turns[3].".
  explicit Fields(const boost::json::value& value, std::string path = {});

  std::string need_text(std::string_view name, std::size_t bytes_max);  // there and not blank
  std::optional<std::string> text(std::string_view name, std::size_t bytes_max);
  // Straight into guarded memory. Empty: not there.
  crypto::Secret secret(std::string_view name, std::size_t bytes_max);
  std::optional<bool> flag(std::string_view name);
  std::optional<std::int64_t> integer(std::string_view name, std::int64_t min, std::int64_t max);
  std::optional<double> number(std::string_view name, double min, double max);
  std::optional<std::vector<std::string>> texts(std::string_view name, std::size_t count_max,
                                                std::size_t bytes_max);
  const boost::json::array* need_array(std::string_view name, std::size_t count_max);
  std::optional<store::ZonedTime> time(std::string_view name);
  std::optional<store::Date> date(std::string_view name);
  // One of a set of words; `words` names them for the error.
  template <class T>
  std::optional<T> choice(std::string_view name, std::optional<T> (*read)(std::string_view),
                          std::string_view words) {
    const auto word = text(name, 64);
    if (!word) return std::nullopt;
    auto value = read(*word);
    if (!value) fail(name, "must be " + std::string(words) + ", not " + in_quotes(*word) + ".");
    return value;
  }

  void fail(std::string_view name, const std::string& what);
  bool failed() const { return error_.has_value(); }
  // The first error, or one that names a field nobody asked for.
  Status done();

 private:
  const boost::json::value* take(std::string_view name);
  std::optional<std::string> checked(const boost::json::value& value, std::string_view name,
                                     std::size_t bytes_max);
  const boost::json::object* object_ = nullptr;
  std::string path_;
  std::vector<std::string> known_;
  std::optional<Error> error_;
};

}  // namespace kartei::daemon::api
