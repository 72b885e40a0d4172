// JSON written by hand says what the library reads.
#include "daemon/api/json_text.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cmath>

namespace kartei::daemon::api {
namespace {
namespace json = boost::json;

TEST(JsonText, NestsAndParts) {
  JsonText out;
  out.open('{');
  out.key("none").open('[').close(']');
  out.key("two").open('[').integer(-7).text("a").close(']');
  out.key("in").open('{').key("null").null().key("empty").text_or_null("").close('}');
  out.key("last").text_or_null("x");
  out.close('}');
  EXPECT_EQ(out.take(), R"({"none":[],"two":[-7,"a"],"in":{"null":null,"empty":null},"last":"x"})");
}

TEST(JsonText, AnyTextComesBackAsItWas) {
  std::string text = "\"quoted\" \\ and / \xC3\xA9 \xE6\x97\xA5 ";
  for (char c = 0; c < 0x20; ++c) text.push_back(c);
  text.push_back(0x7F);
  JsonText out;
  out.open('[').text(text).text("").close(']');
  const json::value back = json::parse(out.take());
  EXPECT_EQ(back.at(0).as_string(), text);
  EXPECT_EQ(back.at(1).as_string(), "");
}

TEST(JsonText, NumbersComeBackExactly) {
  for (const double number : {0.0, 1.7, -0.1, 1e-9, 123456789.125, 1e300, 1.0 / 3}) {
    JsonText out;
    out.open('[').real(number).close(']');
    EXPECT_EQ(json::parse(out.take()).at(0).to_number<double>(), number);
  }
  JsonText out;
  out.open('[').real(NAN).real(INFINITY).integer(INT64_MIN).close(']');
  EXPECT_EQ(out.take(), "[null,null,-9223372036854775808]");
}

}  // namespace
}  // namespace kartei::daemon::api
