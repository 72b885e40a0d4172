#include "store/time_phrase.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace kartei::store {
namespace {

struct Row {
  const char *said_at, *text, *phrase, *from, *to, *flags;
};

constexpr Row kRows[] = {
    {"2025-10-12T10:28:00+02:00", "we opened on the 2nd of may", "on the 2nd of may", "2025-05-02",
     "", ""},
    {"2026-03-10T20:04:00+01:00", "we camped last weekend", "last weekend", "2026-03-07",
     "2026-03-09", ""},
    {"2026-04-13T09:35:00+02:00", "recital this friday at 19:15, hall 3", "this friday at 19:15",
     "2026-04-17T19:15:00+02:00", "", ""},
    {"2026-02-10T21:03:00-05:00", "five days ago it snowed", "five days ago", "2026-02-05", "", ""},
    {"2026-02-10T21:03:00-05:00", "last spring she painted", "last spring", "2025-03", "2025-06",
     ""},
    {"2026-02-10T21:03:00-05:00", "the month after next we paint", "the month after next",
     "2026-04", "", ""},
    {"2026-01-22T18:23:00+01:00", "from 2008 to 2011 she rowed", "from 2008 to 2011", "2008",
     "2012", ""},
    {"2026-01-22T18:23:00+01:00", "between 2003 and 2005", "between 2003 and 2005", "2003", "2006",
     ""},
    {"2026-05-04T21:28:00+02:00", "judo is every friday at 6pm, starting this week",
     "every friday at 6pm, starting this week", "2026-05-08T18:00:00+02:00", "", "since recurring"},
    {"2026-05-04T21:28:00+02:00", "two weeks before Easter we flew home", "two weeks before Easter",
     "2026-03-22", "", ""},
    {"2026-05-04T21:28:00+02:00", "we fly next easter", "next easter", "2027-03-28", "", ""},
    {"2026-02-04T21:05:00+01:00", "since christmas", "since christmas", "2025-12-25", "", "since"},
    {"2026-05-04T21:28:00+02:00", "since last winter", "since last winter", "2025-12", "", "since"},
    {"2026-05-04T21:28:00+02:00", "on friday at half past 3", "on friday at half past 3",
     "2026-05-08T15:30:00+02:00", "", ""},
    {"2026-05-04T21:28:00+02:00", "lunch at noon tomorrow", "at noon tomorrow",
     "2026-05-05T12:00:00+02:00", "", ""},
    {"2026-05-04T21:28:00+02:00", "8am tomorrow", "8am tomorrow", "2026-05-05T08:00:00+02:00", "",
     ""},
    {"2026-05-04T21:28:00+02:00", "dinner tonight at 8", "tonight at 8",
     "2026-05-04T20:00:00+02:00", "", ""},
    {"2026-05-04T21:28:00+02:00", "every other sunday", "every other sunday", "2026-05-10", "",
     "recurring"},
    {"2026-05-04T21:28:00+02:00", "twice a week", "twice a week", "", "", "recurring"},
    {"2026-05-04T21:28:00+02:00", "a year and a half ago", "a year and a half ago", "2024-11", "",
     ""},
    {"2026-05-04T21:28:00+02:00", "in two weeks", "in two weeks", "2026-05-18", "", ""},
    {"2026-05-04T21:28:00+02:00", "a week from friday", "a week from friday", "2026-05-15", "", ""},
    {"2026-05-04T21:28:00+02:00", "thursday week", "thursday week", "2026-05-14", "", ""},
    {"2026-05-04T21:28:00+02:00", "she teaches here from 28 april on", "from 28 april on",
     "2026-04-28", "", "since"},
    {"2026-05-04T21:28:00+02:00", "she teaches here from 2 april on", "from 2 april on",
     "2027-04-02", "", "since"},
    {"2026-05-04T21:28:00+02:00", "next tuesday", "next tuesday", "2026-05-12", "", ""},
    {"2026-05-04T21:28:00+02:00", "last friday", "last friday", "2026-05-01", "", ""},
    {"2026-05-04T21:28:00+02:00", "3-5 July", "3-5 July", "2026-07-03", "2026-07-06", ""},
    {"2026-05-04T21:28:00+02:00", "from 3 to 5 July", "from 3 to 5 July", "2026-07-03",
     "2026-07-06", ""},
    {"2026-05-04T21:28:00+02:00", "friday, july 3rd 2027", "friday, july 3rd 2027", "2027-07-03",
     "", ""},
    {"2026-05-04T21:28:00+02:00", "03/07/2026", "03/07/2026", "2026-07-03", "", ""},
    {"2026-05-04T21:28:00-04:00", "03/07/2026", "03/07/2026", "2026-03-07", "", ""},
    {"2026-05-04T21:28:00+02:00", "2026-07-03 at 10:00", "2026-07-03 at 10:00",
     "2026-07-03T10:00:00+02:00", "", ""},
    {"2026-05-04T21:28:00+02:00", "until friday", "until friday", "", "2026-05-09", "until"},
    {"2026-05-04T21:28:00+02:00", "from monday on", "from monday on", "2026-05-11", "", "since"},
    {"2026-05-04T21:28:00+02:00", "for the last two years", "for the last two years", "2024", "",
     "since"},
    {"2026-05-04T21:28:00+02:00", "early 2020", "early 2020", "2020-01", "2020-05", ""},
    {"2026-05-04T21:28:00+02:00", "at the end of march", "at the end of march", "2027-03-22",
     "2027-04-01", ""},
    {"2026-05-04T21:28:00+02:00", "the day before yesterday", "the day before yesterday",
     "2026-05-02", "", ""},
    {"2026-05-04T21:28:00+02:00", "the day after christmas", "the day after christmas",
     "2026-12-26", "", ""},
    {"2026-05-04T21:28:00+02:00", "it rained last night", "last night", "2026-05-03", "", ""},
    {"2026-05-04T21:28:00+02:00", "thanksgiving", "thanksgiving", "2026-11-26", "", ""},
    {"2026-05-04T21:28:00+02:00", "the fair is on 22 July", "on 22 July", "2026-07-22", "", ""},
    {"2026-05-04T21:28:00+02:00", "the shop was shut on sunday", "on sunday", "2026-05-03", "", ""},
    {"2026-05-04T21:28:00+02:00", "he finished it in january", "in january", "2026-01", "", ""},
    {"2026-05-04T21:28:00+02:00", "we will leave in january", "in january", "2027-01", "", ""},
    {"2026-05-04T21:28:00+02:00", "Am 7. August feiern wir", "Am 7. August", "2026-08-07", "", ""},
    {"2026-05-04T21:28:00+02:00", "vor drei Tagen", "vor drei Tagen", "2026-05-01", "", ""},
    {"2026-05-04T21:28:00+02:00", "seit März", "seit März", "2026-03", "", "since"},
    {"2026-05-04T21:28:00+02:00", "morgen um 9 Uhr", "morgen um 9 Uhr", "2026-05-05T09:00:00+02:00",
     "", ""},
    {"2026-04-21T10:40:00+08:00", "下个月五号去海边", "下个月五号", "2026-05-05", "", ""},
    {"2026-04-21T10:40:00+08:00", "上周三", "上周三", "2026-04-15", "", ""},
    {"2026-04-21T10:40:00+08:00", "2024年5月3日", "2024年5月3日", "2024-05-03", "", ""},
};

std::string flags(const TimePhrase& phrase) {
  std::string text;
  auto add = [&text](bool on, const char* name) {
    if (on) text += text.empty() ? name : std::string(" ") + name;
  };
  add(phrase.since, "since");
  add(phrase.until, "until");
  add(phrase.recurring, "recurring");
  add(phrase.duration, "duration");
  return text;
}

std::vector<TimePhrase> find(std::string_view said_at, std::string_view text) {
  const auto said = parse_rfc3339(said_at);
  EXPECT_TRUE(said.has_value()) << said_at;
  return find_time_phrases(text, *said);
}

TEST(TimePhrases, SayWhatPeopleMean) {
  for (const Row& row : kRows) {
    const auto found = find(row.said_at, row.text);
    ASSERT_EQ(found.size(), 1u) << row.text;
    const std::string_view text = row.text;
    EXPECT_EQ(text.substr(found[0].begin, found[0].end - found[0].begin), row.phrase);
    EXPECT_EQ(found[0].from.text(), row.from) << row.text;
    EXPECT_EQ(found[0].to.text(), row.to) << row.text;
    EXPECT_EQ(flags(found[0]), row.flags) << row.text;
  }
}

TEST(TimePhrases, LeaveOtherNumbersAndWordsAlone) {
  for (const char* text : {"I may go and march on",
                           "sat down",
                           "fall down",
                           "boil for 0:04:30",
                           "shelf 90/60",
                           "6 GB, box no. 3",
                           "0900 7654321",
                           "version 2.5",
                           "810 grams",
                           "12345678901234.56789012345678901234",
                           "my last name",
                           "this one",
                           "second hand",
                           "April said so",
                           "he is 40 years old",
                           "at 5 euros",
                           "5 out of 10",
                           "next door",
                           "we jog in the evening",
                           "open 24/7",
                           "",
                           "\xff\xfe\xe4",
                           "the 3rd floor"}) {
    EXPECT_TRUE(find("2026-05-04T21:28:00+02:00", text).empty()) << text;
  }
}

// Where the calendar ends, a search for the season before or after would not.
TEST(TimePhrases, AtTheEndsOfTheCalendarThereAreNone) {
  for (const char* said_at : {"0001-01-01T00:00:00Z", "0999-06-01T00:00:00Z",
                              "9001-06-01T00:00:00Z", "9999-12-31T23:59:59+14:00"}) {
    const auto at = parse_rfc3339(said_at);
    ASSERT_TRUE(at.has_value());
    for (const char* text : {"last summer", "last winter", "next spring", "in autumn", "easter",
                             "a hundred years ago", "next monday"})
      EXPECT_TRUE(find_time_phrases(text, *at).empty()) << said_at << " " << text;
  }
  for (const char* said_at : {"1000-01-01T00:00:00Z", "9000-12-31T00:00:00Z"}) {
    const auto at = parse_rfc3339(said_at);
    ASSERT_TRUE(at.has_value());
    for (const char* text : {"last summer", "last winter", "next spring", "next winter"})
      EXPECT_EQ(find_time_phrases(text, *at).size(), 1U) << said_at << " " << text;
  }
}

TEST(TimePhrases, LaterPhrasesLeanOnEarlierOnes) {
  const auto trip =
      find("2026-05-04T21:28:00+02:00", "the cabin for 6 June, home again on the 12th");
  ASSERT_EQ(trip.size(), 2u);
  EXPECT_EQ(trip[1].from.text(), "2026-06-12");
  const auto week =
      find("2026-02-10T21:03:00-05:00", "next week she is in Oslo, tuesday to friday");
  ASSERT_EQ(week.size(), 2u);
  EXPECT_EQ(week[1].from.text(), "2026-02-17");
  EXPECT_EQ(week[1].to.text(), "2026-02-21");
  const auto year = find("2026-01-22T18:23:00+01:00", "in 2011 she sailed for a year");
  ASSERT_EQ(year.size(), 2u);
  EXPECT_TRUE(year[1].duration);
  EXPECT_EQ(year[1].from.text(), "2011");
  EXPECT_EQ(year[1].to.text(), "2012");
  // A new sentence starts anew.
  const auto apart = find("2026-05-04T21:28:00+02:00", "the cabin for 6 June! home on the 12th");
  ASSERT_EQ(apart.size(), 2u);
  EXPECT_EQ(apart[1].from.text(), "2026-05-12");
}

TEST(TimePhrases, DatesForPeople) {
  EXPECT_EQ(spoken(*Date::parse("2026")), "2026");
  EXPECT_EQ(spoken(*Date::parse("2026-03")), "March 2026");
  EXPECT_EQ(spoken(*Date::parse("2026-03-10")), "10 March 2026");
  EXPECT_EQ(spoken(*Date::parse("2026-03-10T16:45:00+01:00")), "10 March 2026 at 16:45");
  EXPECT_EQ(spoken(Date{}), "");
}

// Whatever the words: phrases lie in the text, in order, apart, and their dates run forwards.
RC_GTEST_PROP(TimePhrases, AreOrderedAndInsideTheText, ()) {
  static const std::vector<std::string> kParts = {
      "last", "next",  "week",   "the",    "monday", "1st",    "of",       "may",
      "2019", "from",  "to",     "-",      "at",     "7pm",    "every",    "in",
      "two",  "years", "ago",    "before", "after",  "easter", "since",    "until",
      ",",    ".",     "end",    "for",    "a",      "31",     "february", "half",
      "and",  "周三",  "下个月", "三",     "\xff",   "29",     "999999999"};
  std::string text;
  const auto count = *rc::gen::inRange(0, 24);
  for (int i = 0; i < count; ++i) text += *rc::gen::elementOf(kParts) + " ";
  std::size_t end = 0;
  for (const TimePhrase& phrase : find("2026-02-10T21:03:00-05:00", text)) {
    RC_ASSERT(phrase.begin >= end);
    RC_ASSERT(phrase.end > phrase.begin);
    RC_ASSERT(phrase.end <= text.size());
    if (phrase.from.known() && phrase.to.known()) {
      const bool forwards = compare(phrase.from, phrase.to) <= 0;
      RC_ASSERT(forwards);
    }
    end = phrase.end;
  }
}

}  // namespace
}  // namespace kartei::store
