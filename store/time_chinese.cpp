// Chinese time phrases: 明天, 下周三, 去年, 三天前, 2024年5月3日, 下个月五号.
#include <array>

#include "store/calendar.h"
#include "store/time_finder.h"

namespace kartei::store::time_words {

using namespace calendar;

namespace {

// Reads the text from one place on; a failed step leaves the place as it was.
class Cursor {
 public:
  Cursor(std::string_view text, std::size_t at) : text_(text), at_(at) {}
  std::size_t at() const { return at_; }
  void back_to(std::size_t at) { at_ = at; }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  // "12" or 十二; at most four digits.
  std::optional<int> number() {
    int value = 0;
    std::size_t count = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && count < 4) {
      value = value * 10 + (text_[at_++] - '0');
      ++count;
    }
    if (count) return value;
    const auto tens = digit();
    if (take("十")) return tens.value_or(1) * 10 + digit().value_or(0);
    return tens;
  }

 private:
  std::optional<int> digit() {
    constexpr std::array<std::string_view, 10> kDigits = {"一", "二", "三", "四", "五",
                                                          "六", "七", "八", "九", "两"};
    for (std::size_t i = 0; i < kDigits.size(); ++i) {
      if (take(kDigits[i])) return i == 9 ? 2 : static_cast<int>(i) + 1;
    }
    return std::nullopt;
  }
  std::string_view text_;
  std::size_t at_;
};

std::optional<int> weekday_name(Cursor& in) {
  if (in.take("日") || in.take("天")) return 6;
  const auto day = in.number();
  if (!day || *day < 1 || *day > 6) return std::nullopt;
  return *day - 1;
}

bool day_mark(Cursor& in) {
  return in.take("号") || in.take("日");
}

struct NearDay {
  std::string_view word;
  int days;
};
constexpr NearDay kNearDays[] = {{"今天", 0},  {"今晚", 0}, {"今早", 0}, {"明天", 1},
                                 {"明早", 1},  {"明晚", 1}, {"后天", 2}, {"昨天", -1},
                                 {"昨晚", -1}, {"前天", -2}};
constexpr NearDay kNearYears[] = {
    {"今年", 0}, {"明年", 1}, {"后年", 2}, {"去年", -1}, {"前年", -2}};

std::optional<Date> month_and_day(Cursor& in, int year, std::int16_t zone) {
  const std::size_t begin = in.at();
  const auto month = in.number();
  if (!month || !in.take("月")) return in.back_to(begin), std::nullopt;
  const std::size_t after_month = in.at();
  const auto day = in.number();
  if (day && day_mark(in)) return make(year, *month, *day, zone);
  in.back_to(after_month);
  return make(year, *month, 0, zone);
}

Date phrase_at(Cursor& in, const Date& today) {
  const std::int16_t zone = today.zone_min;
  for (const NearDay& near : kNearDays) {
    if (in.take(near.word)) return add_days(today, near.days);
  }
  for (const NearDay& near : kNearYears) {
    if (!in.take(near.word)) continue;
    if (const auto date = month_and_day(in, today.year + near.days, zone)) return *date;
    return make(today.year + near.days, 0, 0, zone);
  }
  const int step = in.take("下")                      ? 1
                   : in.take("上")                    ? -1
                   : (in.take("这") || in.take("本")) ? 0
                                                      : 9;
  if (step != 9) {
    const bool counted = in.take("个");
    if (in.take("月")) {
      const Date month = month_of(add_months(today, step));
      const std::size_t after = in.at();
      const auto day = in.number();
      if (day && day_mark(in)) return make(month.year, month.month, *day, zone);
      in.back_to(after);
      return month;
    }
    if (in.take("周末")) return add_days(monday_of(today), 7 * step + 5);
    if (in.take("周") || in.take("星期") || (counted && in.take("礼拜"))) {
      const auto day = weekday_name(in);
      return add_days(monday_of(today), 7 * step + day.value_or(0));
    }
    return {};
  }
  if (in.take("周") || in.take("星期")) {
    const auto day = weekday_name(in);
    return day ? weekday_from(add_days(today, 1), *day) : Date{};
  }
  const std::size_t begin = in.at();
  const auto number = in.number();
  if (!number) return {};
  if (*number >= 1900 && in.take("年")) {
    if (const auto date = month_and_day(in, *number, zone)) return *date;
    return make(*number, 0, 0, zone);
  }
  if (in.take("天前")) return add_days(today, -*number);
  if (in.take("周前") || in.take("个星期前")) return add_days(today, -7 * *number);
  if (in.take("个月前")) return month_of(add_months(today, -*number));
  if (in.take("年前")) return year_of(add_months(today, -12 * *number));
  in.back_to(begin);
  if (const auto date = month_and_day(in, today.year, zone); date && date->known()) {
    const Date now = date->day ? today : month_of(today);
    return compare(*date, now) < 0 ? add_months(*date, 12) : *date;
  }
  return {};
}

}  // namespace

void find_chinese(std::string_view text, const Date& today, std::vector<TimePhrase>& out) {
  std::size_t at = 0;
  while (at < text.size()) {
    Cursor in(text, at);
    const Date date = phrase_at(in, today);
    if (date.known() && in.at() > at) {
      TimePhrase phrase;
      phrase.begin = at;
      phrase.end = in.at();
      phrase.from = date;
      out.push_back(phrase);
      at = in.at();
      continue;
    }
    ++at;
    while (at < text.size() && (text[at] & '\xC0') == '\x80') ++at;
  }
}

}  // namespace kartei::store::time_words
