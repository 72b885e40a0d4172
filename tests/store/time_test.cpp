#include "store/time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace kartei::store {
namespace {

Date date(std::string_view text, std::int16_t zone_min = 0) {
  auto parsed = Date::parse(text, zone_min);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed.has_value() ? *parsed : Date{};
}

TEST(Rfc3339, ReadsZonesAndFractions) {
  const auto berlin = parse_rfc3339("2025-05-04T18:20:00+02:00");
  ASSERT_TRUE(berlin.has_value());
  EXPECT_EQ(berlin->zone_min, 120);
  EXPECT_EQ(to_ms(berlin->at), 1746375600000);
  EXPECT_EQ(parse_rfc3339("2025-05-04T16:20:00Z")->at, berlin->at);
  EXPECT_EQ(parse_rfc3339("2025-05-04t16:20:00.250z")->at - berlin->at,
            std::chrono::milliseconds{250});
  EXPECT_EQ(parse_rfc3339("2025-05-04T16:20:00.123456789Z")->at - berlin->at,
            std::chrono::milliseconds{123});
  EXPECT_EQ(parse_rfc3339("2025-05-04T12:50:00-03:30")->zone_min, -210);
  EXPECT_EQ(parse_rfc3339("2025-05-04T12:50:00-03:30")->at, berlin->at);
}

TEST(Rfc3339, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "2025", "2025-05-04", "2025-05-04T18:20:00", "2025-13-04T18:20:00Z",
        "2025-02-29T18:20:00Z", "2025-05-04T24:00:00Z", "2025-05-04T18:60:00Z",
        "2025-05-04T18:20:00+2:00", "2025-05-04T18:20:00+19:00", "2025-05-04T18:20:00.Z",
        "2025-05-04T18:20:00Zx", "0000-01-01T00:00:00Z", "2025-05-04T18:20:00\xff"}) {
    const auto parsed = parse_rfc3339(text);
    ASSERT_TRUE(parsed.has_error()) << text;
    EXPECT_EQ(parsed.error().cause, Cause::kBadInput);
  }
}

TEST(Rfc3339, WritesWhatItReads) {
  for (const char* text : {"2025-05-04T18:20:00+02:00", "1969-12-31T23:59:59.999Z",
                           "2000-02-29T00:00:00-11:30", "9999-12-31T00:00:00Z"}) {
    const auto parsed = parse_rfc3339(text);
    ASSERT_TRUE(parsed.has_value()) << text;
    EXPECT_EQ(format_rfc3339(parsed->at, parsed->zone_min), text);
  }
}

TEST(Dates, KeepThePrecisionTheyWereSaidWith) {
  EXPECT_EQ(date("2026").text(), "2026");
  EXPECT_EQ(date("2026-03").text(), "2026-03");
  EXPECT_EQ(date("2026-03-10").text(), "2026-03-10");
  EXPECT_EQ(date("2026-03-10T16:45:00+01:00").text(), "2026-03-10T16:45:00+01:00");
  EXPECT_EQ(date("2026-03-10T16:45:00+01:00").minute, 16 * 60 + 45);
  EXPECT_EQ(Date{}.text(), "");
  for (const char* text :
       {"", "0000", "26", "2026-", "2026-00", "2026-02-30", "2026-3-1", "2026-03-10x"}) {
    EXPECT_TRUE(Date::parse(text).has_error()) << text;
  }
}

TEST(Dates, NameAPeriodInTheirZone) {
  const Date march = date("2026-03", 60);
  EXPECT_EQ(format_rfc3339(march.begin(), 60), "2026-03-01T00:00:00+01:00");
  EXPECT_EQ(format_rfc3339(march.end(), 60), "2026-04-01T00:00:00+01:00");
  EXPECT_EQ(format_rfc3339(date("2026-12").end()), "2027-01-01T00:00:00Z");
  EXPECT_EQ(format_rfc3339(date("2026").end()), "2027-01-01T00:00:00Z");
  EXPECT_EQ(date("2024-02-29").end(), date("2024-03-01").begin());
  const Date minute = date("2026-03-10T16:45:00+01:00");
  EXPECT_EQ(minute.end() - minute.begin(), std::chrono::minutes{1});
}

TEST(Dates, OrderByBeginningThenWiderFirst) {
  EXPECT_TRUE(compare(date("2026-03"), date("2026-03-02")) < 0);
  EXPECT_TRUE(compare(date("2026"), date("2026-01")) < 0);
  EXPECT_TRUE(compare(date("2026-01"), date("2026-01-01")) < 0);
  EXPECT_TRUE(compare(date("2026-01-01"), date("2026-01-01")) == 0);
  EXPECT_TRUE(compare(Date{}, date("0001")) < 0);
  EXPECT_TRUE(compare(Date{}, Date{}) == 0);
  EXPECT_TRUE(compare(date("2026-01-01", 60), date("2026-01-01", 0)) < 0);
}

TEST(Dates, DayOfAMomentDependsOnTheZone) {
  const Time late = parse_rfc3339("2026-03-10T23:30:00Z")->at;
  EXPECT_EQ(Date::day_of(late, 0).text(), "2026-03-10");
  EXPECT_EQ(Date::day_of(late, 60).text(), "2026-03-11");
  EXPECT_FALSE(Date::day_of(Time::max(), 0).known());
}

TEST(Zones, FollowSummerTime) {
  const Time winter = parse_rfc3339("2026-01-15T12:00:00Z")->at;
  const Time summer = parse_rfc3339("2026-07-15T12:00:00Z")->at;
  EXPECT_EQ(*zone_offset_min("Europe/Berlin", winter), 60);
  EXPECT_EQ(*zone_offset_min("Europe/Berlin", summer), 120);
  EXPECT_EQ(*zone_offset_min("Asia/Shanghai", summer), 480);
  EXPECT_EQ(*zone_offset_min("America/St_Johns", winter), -210);
  for (const char* name : {"", "Europe/Nowhere", "../../etc/passwd"}) {
    const auto unknown = zone_offset_min(name, winter);
    ASSERT_TRUE(unknown.has_error()) << name;
    EXPECT_EQ(unknown.error().cause, Cause::kNotFound);
  }
}

RC_GTEST_PROP(Dates, TextReadsBackAsTheSameDate, ()) {
  const auto at =
      time_from_ms(*rc::gen::inRange<std::int64_t>(-60'000'000'000'000, 200'000'000'000'000));
  const auto zone = *rc::gen::inRange<std::int16_t>(-18 * 60, 18 * 60 + 1);
  Date day = Date::day_of(at, zone);
  RC_ASSERT(day.known());
  RC_ASSERT(*Date::parse(day.text(), zone) == day);
  RC_ASSERT(day.begin() <= at);
  RC_ASSERT(at < day.end());
  day.minute = *rc::gen::inRange<std::int16_t>(0, 1440);
  RC_ASSERT(*Date::parse(day.text(), 0) == day);
  const auto moment = parse_rfc3339(format_rfc3339(at, zone));
  RC_ASSERT(moment.has_value());
  RC_ASSERT(moment->at == at);
}

}  // namespace
}  // namespace kartei::store
