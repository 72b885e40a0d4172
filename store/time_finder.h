// The grammar of time phrases over lexed words. Internal to store/; find_time_phrases() is the
// door.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "store/time_phrase.h"
#include "store/time_words.h"

namespace kartei::store::time_words {

// Which way an incomplete date ("in january", "on friday") is completed.
enum class Lean { kNone, kPast, kFuture };

// What a run of words says, and the word after it.
struct Span {
  std::size_t next = 0;
  Date from, to;
  bool since = false, until = false, recurring = false, duration = false;
  bool week = false;     // a whole week: weekdays said after it lie in it
  bool weekday = false;  // a bare weekday
};

class Finder {
 public:
  Finder(std::string_view text, ZonedTime said_at);
  std::vector<TimePhrase> run();

 private:
  // The parts of the grammar; each answers what begins at word i, or nothing.
  std::optional<Span> phrase(std::size_t i);
  std::optional<Span> recurring(std::size_t i);
  std::optional<Span> habit(std::size_t i) const;
  std::optional<Span> length(std::size_t i);
  std::optional<Span> bounded(std::size_t i);
  std::optional<Span> dated(std::size_t i);
  std::optional<Span> clock_first(std::size_t i);
  std::optional<Span> base(std::size_t i, Lean lean, bool after_preposition);
  std::optional<Span> day_month(std::size_t i, Lean lean);
  std::optional<Span> month(std::size_t i, Lean lean, bool after_preposition);
  std::optional<Span> season(std::size_t i, Lean lean, bool after_preposition);
  std::optional<Span> year(std::size_t i) const;
  std::optional<Span> relative(std::size_t i, Lean lean);
  std::optional<Span> relative_unit(Unit unit, int direction, Lean lean) const;
  std::optional<Span> unit_beside(std::size_t i, Lean lean);
  std::optional<Span> weekday(std::size_t i, Lean lean, bool after_preposition);
  std::optional<Span> counted(std::size_t i, bool after_in, bool after_before);
  std::optional<Span> holiday(std::size_t i, Lean lean, int direction);
  std::optional<Span> part_of(std::size_t i, Lean lean);
  std::optional<Span> near_day(std::size_t i) const;
  std::optional<Span> day_of_month(std::size_t i, Lean lean) const;

  Span with_range(Span first, Lean lean);
  Span with_time(Span day);
  // A time of day at word i: minute and next word. `hinted`: "at" stood before it.
  std::optional<std::pair<int, std::size_t>> time_of_day(std::size_t i, bool hinted) const;

  struct Count {
    int number = 0;
    Unit unit = kDay;
    std::size_t next = 0;
  };
  std::optional<Count> count(std::size_t i) const;
  Span shifted(const Count& count, int direction, const Date& start, bool loose) const;

  Lean lean_at(std::size_t i) const;
  bool is(std::size_t i, Word word) const { return i < tokens_.size() && tokens_[i].word == word; }
  bool is_punct(std::size_t i, char c) const {
    return is(i, Word::kPunct) && tokens_[i].value == static_cast<unsigned char>(c);
  }
  bool is_text(std::size_t i, std::string_view lower) const;
  bool is_year(std::size_t i) const;
  int value(std::size_t i) const { return tokens_[i].value; }
  std::size_t skip(std::size_t i, Word word) const { return is(i, word) ? i + 1 : i; }

  Date year_season(int year, int season) const;
  Date holiday_date(Holiday day, int year) const;
  Date resolve(int month, int day, Lean lean) const;
  Span point(std::size_t next, const Date& from) const { return {next, from, {}}; }
  Span days(std::size_t next, const Date& from, int count) const;

  std::string_view text_;
  std::vector<Token> tokens_;
  Date today_;
  Date anchor_;           // the day that this sentence named last
  Date start_;            // what the sentence's last phrase began with, at any precision
  Date week_;             // the Monday of the week that this sentence named last
  bool evening_ = false;  // the day's part just read was afternoon or later
};

// Chinese phrases; appended in the text's order.
void find_chinese(std::string_view text, const Date& today, std::vector<TimePhrase>& out);

}  // namespace kartei::store::time_words
