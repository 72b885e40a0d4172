#include "store/time_words.h"

#include <algorithm>
#include <array>

namespace kartei::store::time_words {
namespace {

struct Entry {
  std::string_view text;
  Word word;
  int value = 0;
  bool shaky = false;
};

// Words as written in lower case; ones of German stand beside the English where they do not clash.
constexpr Entry kWordList[] = {
    {"one", Word::kNumber, 1},
    {"two", Word::kNumber, 2},
    {"three", Word::kNumber, 3},
    {"four", Word::kNumber, 4},
    {"five", Word::kNumber, 5},
    {"six", Word::kNumber, 6},
    {"seven", Word::kNumber, 7},
    {"eight", Word::kNumber, 8},
    {"nine", Word::kNumber, 9},
    {"ten", Word::kNumber, 10},
    {"eleven", Word::kNumber, 11},
    {"twelve", Word::kNumber, 12},
    {"zwei", Word::kNumber, 2},
    {"drei", Word::kNumber, 3},
    {"vier", Word::kNumber, 4},
    {"fünf", Word::kNumber, 5},
    {"sechs", Word::kNumber, 6},
    {"sieben", Word::kNumber, 7},
    {"acht", Word::kNumber, 8},
    {"neun", Word::kNumber, 9},
    {"zehn", Word::kNumber, 10},
    {"first", Word::kOrdinal, 1},
    {"second", Word::kOrdinal, 2},
    {"third", Word::kOrdinal, 3},
    {"fourth", Word::kOrdinal, 4},
    {"fifth", Word::kOrdinal, 5},
    {"sixth", Word::kOrdinal, 6},
    {"seventh", Word::kOrdinal, 7},
    {"eighth", Word::kOrdinal, 8},
    {"ninth", Word::kOrdinal, 9},
    {"tenth", Word::kOrdinal, 10},
    {"eleventh", Word::kOrdinal, 11},
    {"twelfth", Word::kOrdinal, 12},
    {"fifteenth", Word::kOrdinal, 15},
    {"twentieth", Word::kOrdinal, 20},
    {"thirtieth", Word::kOrdinal, 30},

    {"monday", Word::kWeekday, 0},
    {"tuesday", Word::kWeekday, 1},
    {"wednesday", Word::kWeekday, 2},
    {"thursday", Word::kWeekday, 3},
    {"friday", Word::kWeekday, 4},
    {"saturday", Word::kWeekday, 5},
    {"sunday", Word::kWeekday, 6},
    {"mon", Word::kWeekday, 0, true},
    {"tue", Word::kWeekday, 1},
    {"tues", Word::kWeekday, 1},
    {"wed", Word::kWeekday, 2, true},
    {"weds", Word::kWeekday, 2},
    {"thu", Word::kWeekday, 3},
    {"thur", Word::kWeekday, 3},
    {"thurs", Word::kWeekday, 3},
    {"fri", Word::kWeekday, 4, true},
    {"sat", Word::kWeekday, 5, true},
    {"sun", Word::kWeekday, 6, true},
    {"montag", Word::kWeekday, 0},
    {"dienstag", Word::kWeekday, 1},
    {"mittwoch", Word::kWeekday, 2},
    {"donnerstag", Word::kWeekday, 3},
    {"freitag", Word::kWeekday, 4},
    {"samstag", Word::kWeekday, 5},
    {"sonntag", Word::kWeekday, 6},
    {"wednsday", Word::kWeekday, 2},
    {"wensday", Word::kWeekday, 2},
    {"thurday", Word::kWeekday, 3},
    {"mondays", Word::kWeekdays, 0},
    {"tuesdays", Word::kWeekdays, 1},
    {"wednesdays", Word::kWeekdays, 2},
    {"thursdays", Word::kWeekdays, 3},
    {"fridays", Word::kWeekdays, 4},
    {"saturdays", Word::kWeekdays, 5},
    {"sundays", Word::kWeekdays, 6},
    {"weekends", Word::kWeekdays, 7},
    {"weekdays", Word::kWeekdays, 8},
    {"montags", Word::kWeekdays, 0},
    {"dienstags", Word::kWeekdays, 1},
    {"mittwochs", Word::kWeekdays, 2},
    {"donnerstags", Word::kWeekdays, 3},
    {"freitags", Word::kWeekdays, 4},
    {"samstags", Word::kWeekdays, 5},
    {"sonntags", Word::kWeekdays, 6},

    {"january", Word::kMonth, 1},
    {"february", Word::kMonth, 2},
    {"march", Word::kMonth, 3, true},
    {"april", Word::kMonth, 4},
    {"may", Word::kMonth, 5, true},
    {"june", Word::kMonth, 6},
    {"july", Word::kMonth, 7},
    {"august", Word::kMonth, 8},
    {"september", Word::kMonth, 9},
    {"october", Word::kMonth, 10},
    {"november", Word::kMonth, 11},
    {"december", Word::kMonth, 12},
    {"jan", Word::kMonth, 1, true},
    {"feb", Word::kMonth, 2},
    {"mar", Word::kMonth, 3, true},
    {"apr", Word::kMonth, 4},
    {"jun", Word::kMonth, 6, true},
    {"jul", Word::kMonth, 7},
    {"aug", Word::kMonth, 8},
    {"sep", Word::kMonth, 9},
    {"sept", Word::kMonth, 9},
    {"oct", Word::kMonth, 10},
    {"nov", Word::kMonth, 11},
    {"dec", Word::kMonth, 12},
    {"januar", Word::kMonth, 1},
    {"februar", Word::kMonth, 2},
    {"märz", Word::kMonth, 3},
    {"mai", Word::kMonth, 5},
    {"juni", Word::kMonth, 6},
    {"juli", Word::kMonth, 7},
    {"oktober", Word::kMonth, 10},
    {"dezember", Word::kMonth, 12},
    {"febuary", Word::kMonth, 2},

    {"spring", Word::kSeason, 0},
    {"summer", Word::kSeason, 1},
    {"autumn", Word::kSeason, 2},
    {"fall", Word::kSeason, 2, true},
    {"winter", Word::kSeason, 3},
    {"frühling", Word::kSeason, 0},
    {"frühjahr", Word::kSeason, 0},
    {"sommer", Word::kSeason, 1},
    {"herbst", Word::kSeason, 2},

    {"minute", Word::kUnit, kMinute},
    {"minutes", Word::kUnit, kMinute},
    {"min", Word::kUnit, kMinute},
    {"mins", Word::kUnit, kMinute},
    {"hour", Word::kUnit, kHour},
    {"hours", Word::kUnit, kHour},
    {"hrs", Word::kUnit, kHour},
    {"day", Word::kUnit, kDay},
    {"days", Word::kUnit, kDay},
    {"weekday", Word::kUnit, kDay},
    {"nights", Word::kUnit, kDay},
    {"week", Word::kUnit, kWeek},
    {"weeks", Word::kUnit, kWeek},
    {"wks", Word::kUnit, kWeek},
    {"fortnight", Word::kUnit, kFortnight},
    {"month", Word::kUnit, kMonthUnit},
    {"months", Word::kUnit, kMonthUnit},
    {"year", Word::kUnit, kYear},
    {"years", Word::kUnit, kYear},
    {"yrs", Word::kUnit, kYear},
    {"yr", Word::kUnit, kYear},
    {"weekend", Word::kUnit, kWeekend},
    {"decade", Word::kUnit, kDecade},
    {"decades", Word::kUnit, kDecade},
    {"tag", Word::kUnit, kDay},
    {"tagen", Word::kUnit, kDay},
    {"tage", Word::kUnit, kDay},
    {"woche", Word::kUnit, kWeek},
    {"wochen", Word::kUnit, kWeek},
    {"monat", Word::kUnit, kMonthUnit},
    {"monate", Word::kUnit, kMonthUnit},
    {"monaten", Word::kUnit, kMonthUnit},
    {"jahr", Word::kUnit, kYear},
    {"jahre", Word::kUnit, kYear},
    {"jahren", Word::kUnit, kYear},
    {"wochenende", Word::kUnit, kWeekend},

    {"every", Word::kEvery},
    {"each", Word::kEvery},
    {"jeden", Word::kEvery},
    {"jede", Word::kEvery},
    {"jedes", Word::kEvery},
    {"other", Word::kOther2},
    {"daily", Word::kHabit},
    {"weekly", Word::kHabit},
    {"monthly", Word::kHabit},
    {"yearly", Word::kHabit},
    {"annually", Word::kHabit},
    {"fortnightly", Word::kHabit},

    {"last", Word::kLast},
    {"previous", Word::kLast},
    {"letzte", Word::kLast},
    {"letzten", Word::kLast},
    {"letzter", Word::kLast},
    {"letztes", Word::kLast},
    {"next", Word::kNext},
    {"following", Word::kNext},
    {"nächste", Word::kNext},
    {"nächsten", Word::kNext},
    {"nächster", Word::kNext},
    {"nächstes", Word::kNext},
    {"this", Word::kThis},
    {"diese", Word::kThis},
    {"diesen", Word::kThis},
    {"dieses", Word::kThis},
    {"dieser", Word::kThis},
    {"coming", Word::kComing},
    {"upcoming", Word::kComing},
    {"kommenden", Word::kComing},
    {"kommende", Word::kComing},
    {"today", Word::kToday},
    {"heute", Word::kToday},
    {"tonight", Word::kTonight},
    {"tonite", Word::kTonight},
    {"yesterday", Word::kYesterday},
    {"yday", Word::kYesterday},
    {"gestern", Word::kYesterday},
    {"vorgestern", Word::kYesterday, 1},
    {"tomorrow", Word::kTomorrow},
    {"tmrw", Word::kTomorrow},
    {"tmr", Word::kTomorrow},
    {"tomorow", Word::kTomorrow},
    {"tommorow", Word::kTomorrow},
    {"tommorrow", Word::kTomorrow},
    {"morgen", Word::kTomorrow},
    {"übermorgen", Word::kTomorrow, 1},
    {"morning", Word::kDayPart, 0},
    {"mornings", Word::kDayPart, 0},
    {"afternoon", Word::kDayPart, 1},
    {"evening", Word::kDayPart, 2},
    {"evenings", Word::kDayPart, 2},
    {"night", Word::kDayPart, 3},
    {"abend", Word::kDayPart, 2},
    {"nachmittag", Word::kDayPart, 1},
    {"noon", Word::kNoon},
    {"midday", Word::kNoon},
    {"midnight", Word::kMidnight},
    {"ago", Word::kAgo},
    {"now", Word::kNow},
    {"am", Word::kAm},
    {"pm", Word::kPm},
    {"o'clock", Word::kOclock},
    {"uhr", Word::kOclock},
    {"half", Word::kHalf},
    {"quarter", Word::kQuarter},
    {"past", Word::kPastWord},

    {"on", Word::kOn},
    {"in", Word::kIn},
    {"im", Word::kIn},
    {"at", Word::kAt},
    {"um", Word::kAt},
    {"since", Word::kSince},
    {"seit", Word::kSince},
    {"until", Word::kUntil},
    {"till", Word::kUntil},
    {"til", Word::kUntil},
    {"bis", Word::kUntil},
    {"by", Word::kBy},
    {"from", Word::kFrom},
    {"von", Word::kFrom},
    {"to", Word::kTo},
    {"through", Word::kTo},
    {"between", Word::kBetween},
    {"and", Word::kAnd},
    {"und", Word::kAnd},
    {"before", Word::kBefore},
    {"vor", Word::kBefore},
    {"after", Word::kAfter},
    {"nach", Word::kAfter},
    {"during", Word::kDuring},
    {"over", Word::kDuring},
    {"throughout", Word::kDuring},
    {"for", Word::kFor},
    {"of", Word::kOf},
    {"the", Word::kThe},
    {"der", Word::kThe},
    {"dem", Word::kThe},
    {"a", Word::kA},
    {"an", Word::kA},
    {"einem", Word::kA},
    {"einer", Word::kA},
    {"starting", Word::kStarting},
    {"beginning", Word::kStarting},
    {"early", Word::kEarly},
    {"anfang", Word::kEarly},
    {"late", Word::kLate},
    {"mid", Word::kMid},
    {"mitte", Word::kMid},
    {"end", Word::kEnd},
    {"ende", Word::kEnd},
    {"start", Word::kStart},
    {"couple", Word::kCouple},
    {"few", Word::kFew},
    {"several", Word::kFew},

    {"easter", Word::kHoliday, kEaster},
    {"ostern", Word::kHoliday, kEaster},
    {"pentecost", Word::kHoliday, kPentecost},
    {"whitsun", Word::kHoliday, kPentecost},
    {"pfingsten", Word::kHoliday, kPentecost},
    {"christmas", Word::kHoliday, kChristmas},
    {"xmas", Word::kHoliday, kChristmas},
    {"weihnachten", Word::kHoliday, kChristmas},
    {"halloween", Word::kHoliday, kHalloween},
    {"valentine's", Word::kHoliday, kValentine},
    {"valentines", Word::kHoliday, kValentine},
    {"thanksgiving", Word::kHoliday, kThanksgiving},
    {"epiphany", Word::kHoliday, kEpiphany},
    {"silvester", Word::kHoliday, kNewYearsEve},
    {"neujahr", Word::kHoliday, kNewYear},
    {"nye", Word::kHoliday, kNewYearsEve},
    {"eve", Word::kEve},

    {"was", Word::kPast},
    {"were", Word::kPast},
    {"had", Word::kPast},
    {"did", Word::kPast},
    {"didn't", Word::kPast},
    {"didnt", Word::kPast},
    {"wasn't", Word::kPast},
    {"went", Word::kPast},
    {"died", Word::kPast},
    {"ran", Word::kPast},
    {"got", Word::kPast},
    {"bought", Word::kPast},
    {"sold", Word::kPast},
    {"left", Word::kPast},
    {"began", Word::kPast},
    {"broke", Word::kPast},
    {"came", Word::kPast},
    {"saw", Word::kPast},
    {"met", Word::kPast},
    {"took", Word::kPast},
    {"made", Word::kPast},
    {"lost", Word::kPast},
    {"won", Word::kPast},
    {"flew", Word::kPast},
    {"drove", Word::kPast},
    {"ate", Word::kPast},
    {"drank", Word::kPast},
    {"gave", Word::kPast},
    {"found", Word::kPast},
    {"told", Word::kPast},
    {"said", Word::kPast},
    {"fell", Word::kPast},
    {"felt", Word::kPast},
    {"kept", Word::kPast},
    {"taught", Word::kPast},
    {"learnt", Word::kPast},
    {"wrote", Word::kPast},
    {"read", Word::kOther},
    {"sent", Word::kPast},
    {"spent", Word::kPast},
    {"built", Word::kPast},
    {"rode", Word::kPast},
    {"swam", Word::kPast},
    {"sang", Word::kPast},
    {"became", Word::kPast},
    {"born", Word::kPast},
    {"grew", Word::kPast},
    {"quit", Word::kPast},
    {"paid", Word::kPast},
    {"caught", Word::kPast},
    {"brought", Word::kPast},
    {"thought", Word::kPast},
    {"threw", Word::kPast},
    {"wore", Word::kPast},
    {"hurt", Word::kPast},
    {"used", Word::kPast},
    {"hatte", Word::kPast},
    {"war", Word::kPast},
    {"did", Word::kPast},
    {"gone", Word::kPast},
    {"been", Word::kPast},
    {"done", Word::kPast},
    {"stood", Word::kPast},
    {"will", Word::kFuture},
    {"won't", Word::kFuture},
    {"shall", Word::kFuture},
    {"gonna", Word::kFuture},
    {"getting", Word::kFuture},
    {"going", Word::kFuture},
    {"booked", Word::kFuture},
    {"scheduled", Word::kFuture},
    {"planned", Word::kFuture},
    {"planning", Word::kFuture},
    {"postponed", Word::kFuture},
    {"rescheduled", Word::kFuture},
    {"need", Word::kFuture},
    {"must", Word::kFuture},
    {"due", Word::kFuture},
    {"i'll", Word::kFuture},
    {"we'll", Word::kFuture},
    {"she'll", Word::kFuture},
    {"he'll", Word::kFuture},
    {"remind", Word::kFuture},
    {"indeed", Word::kOther},
    {"speed", Word::kOther},
    {"feed", Word::kOther},
    {"seed", Word::kOther},
    {"bleed", Word::kOther},
    {"breed", Word::kOther},
    {"hundred", Word::kOther},
};

constexpr auto kWords = [] {
  std::array<Entry, std::size(kWordList)> sorted{};
  std::copy(std::begin(kWordList), std::end(kWordList), sorted.begin());
  std::sort(sorted.begin(), sorted.end(),
            [](const Entry& a, const Entry& b) { return a.text < b.text; });
  return sorted;
}();

constexpr std::size_t kLongestWord = 16;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

// Lower case of ASCII, and of the umlauts in UTF-8 (0xC3 0x84 .. 0x9C).
std::size_t lower_into(std::string_view word, std::array<char, kLongestWord>& out) {
  for (std::size_t i = 0; i < word.size(); ++i) {
    char c = word[i];
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (i > 0 && word[i - 1] == '\xC3' && c <= '\x9E' && c < 0) c = static_cast<char>(c + 0x20);
    out[i] = c;
  }
  return word.size();
}

void classify(std::string_view word, Token& token) {
  token.capital = word[0] >= 'A' && word[0] <= 'Z';
  if (word.size() > kLongestWord) return;
  std::array<char, kLongestWord> buffer{};
  std::string_view low(buffer.data(), lower_into(word, buffer));
  auto find = [](std::string_view key) {
    const auto at = std::lower_bound(kWords.begin(), kWords.end(), key,
                                     [](const Entry& e, std::string_view k) { return e.text < k; });
    return at != kWords.end() && at->text == key ? &*at : nullptr;
  };
  const Entry* entry = find(low);
  if (!entry && low.size() > 2 && low.ends_with("'s")) entry = find(low.substr(0, low.size() - 2));
  if (entry) {
    token.word = entry->word;
    token.value = entry->value;
    token.shaky = entry->shaky;
    token.spelled = entry->word == Word::kNumber;
    return;
  }
  if (low.size() > 4 && low.ends_with("ed")) token.word = Word::kPast;
}

class Lexer {
 public:
  Lexer(std::string_view text, bool month_first) : text_(text), month_first_(month_first) {}

  std::vector<Token> run() {
    std::vector<Token> out;
    out.reserve(text_.size() / 5 + 4);
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
      } else if (is_digit(c)) {
        out.push_back(number());
      } else if (is_letter(c)) {
        out.push_back(word());
      } else {
        out.push_back({at_, at_ + 1, Word::kPunct, static_cast<unsigned char>(c)});
        ++at_;
      }
    }
    return out;
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  Token word() {
    Token token;
    token.begin = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      // A dash in UTF-8 (U+2013, U+2014) ends a word; a curly apostrophe does not.
      if (c == '\xE2' && peek(1) == '\x80' && (peek(2) == '\x93' || peek(2) == '\x94')) break;
      const bool inner = c == '\'' && at_ > token.begin && is_letter(peek(1));
      if (!is_letter(c) && !inner) break;
      ++at_;
    }
    if (at_ == token.begin) {  // a dash
      token.end = at_ += 3;
      token.word = Word::kPunct;
      token.value = '-';
      return token;
    }
    token.end = at_;
    classify(text_.substr(token.begin, at_ - token.begin), token);
    return token;
  }

  // Up to `max` digits; -1 where there are none or more of them.
  int digits(std::size_t max) {
    constexpr std::size_t kMostDigits = 9;  // what an int holds for sure
    int value = 0;
    std::size_t count = 0;
    while (is_digit(peek()) && count <= max) {
      if (count < kMostDigits) value = value * 10 + (text_[at_] - '0');
      ++at_;
      ++count;
    }
    if (count > max) {
      while (is_digit(peek())) ++at_;
      return -1;
    }
    return count ? value : -1;
  }

  bool ends_here() const { return !is_digit(peek()) && !is_letter(peek()); }

  Token number() {
    Token token;
    token.begin = at_;
    const std::size_t begin = at_;
    if (iso_date(token) || slashed_date(token)) return token;
    at_ = begin;
    const int value = digits(6);
    token.word = value < 0 ? Word::kOther : Word::kNumber;
    token.value = value;
    if (value >= 0 && at_ - begin <= 2 && clock(value, token)) return token;
    if (value >= 0) suffix(token);
    // "2.5", "1,000", "175/70", "3TB": no date part, and not the digits inside it either.
    while ((peek() == '.' || peek() == ',' || peek() == '/' || peek() == ':') &&
           is_digit(peek(1))) {
      token.word = Word::kOther;
      ++at_;
      digits(64);
    }
    if (is_letter(peek()) && token.word == Word::kNumber &&
        !(peek() == '\xE2' && peek(1) == '\x80')) {
      token.word = Word::kOther;
      while (is_letter(peek()) || is_digit(peek())) ++at_;
    }
    token.end = at_;
    return token;
  }

  void set_date(Token& token, int year, int month, int day) {
    token.end = at_;
    token.word = month >= 1 && month <= 12 && day <= 31 && year >= 1 ? Word::kIso : Word::kOther;
    token.value = year * 10000 + month * 100 + day;
  }

  bool iso_date(Token& token) {
    const std::size_t begin = at_;
    const int year = digits(4);
    if (at_ - begin != 4 || peek() != '-' || !is_digit(peek(1)) || !is_digit(peek(2)) ||
        is_digit(peek(3)) || year < 1000) {
      at_ = begin;
      return false;
    }
    ++at_;
    const int month = digits(2);
    int day = 0;
    if (peek() == '-' && is_digit(peek(1)) && is_digit(peek(2)) && !is_digit(peek(3))) {
      ++at_;
      day = digits(2);
    }
    // "2014-16": the second number is a year.
    if (day == 0 && (month > 12 || month == 0)) {
      at_ = begin;
      return false;
    }
    set_date(token, year, month, day);
    return true;
  }

  bool slashed_date(Token& token) {
    const std::size_t begin = at_;
    int first = digits(2);
    const char mark = peek();
    if (first < 0 || (mark != '/' && mark != '.') || !is_digit(peek(1))) return at_ = begin, false;
    ++at_;
    int second = digits(2);
    if (second < 0 || peek() != mark) return at_ = begin, false;
    if (mark == '.' && !is_digit(peek(1)) && second >= 1 && second <= 12 && first <= 31) {
      ++at_;  // "14.8.": a day without its year
      set_date(token, 1, second, first);
      token.value = second * 100 + first;
      return true;
    }
    ++at_;
    const std::size_t year_at = at_;
    int year = digits(4);
    if (year < 0 || (at_ - year_at != 4 && at_ - year_at != 2) || !ends_here()) {
      return at_ = begin, false;
    }
    if (at_ - year_at == 2) year += 2000;
    if (mark == '/' && (second > 12 || (month_first_ && first <= 12))) std::swap(first, second);
    set_date(token, year, second, first);
    return true;
  }

  // am, pm, a.m., p.m. after a clock: 0 none, 1 am, 2 pm.
  int half_day() {
    std::size_t ahead = peek() == ' ' ? 1 : 0;
    const char c = static_cast<char>(peek(ahead) | 0x20);
    if (c != 'a' && c != 'p') return 0;
    ++ahead;
    const bool dotted = peek(ahead) == '.';
    if (dotted) ++ahead;
    if (static_cast<char>(peek(ahead) | 0x20) != 'm') return 0;
    ++ahead;
    if (dotted && peek(ahead) == '.') ++ahead;
    if (is_letter(peek(ahead)) || is_digit(peek(ahead))) return 0;
    at_ += ahead;
    return c == 'a' ? 1 : 2;
  }

  bool clock(int hour, Token& token) {
    const std::size_t after_hour = at_;
    int minute = 0;
    bool colon = false;
    if ((peek() == ':' || peek() == '.') && is_digit(peek(1)) && is_digit(peek(2)) &&
        !is_digit(peek(3))) {
      colon = peek() == ':';
      ++at_;
      minute = digits(2);
      if (peek() == ':' && is_digit(peek(1))) return at_ = after_hour, false;  // a running time
    } else if (peek() == 'h' && !is_letter(peek(1)) && !is_digit(peek(1))) {
      return at_ = after_hour, false;  // "16h" may be a length
    }
    const int half = half_day();
    if (half == 0 && !colon) return at_ = after_hour, false;
    if (minute > 59 || hour > 24 || (half && (hour > 12 || hour == 0))) {
      return at_ = after_hour, false;
    }
    if (half == 1 && hour == 12) hour = 0;
    if (half == 2 && hour < 12) hour += 12;
    if (hour == 24) hour = 0;
    token.word = Word::kClock;
    token.value = hour * 60 + minute;
    token.half_day = half != 0 || hour > 12 || text_[token.begin] == '0';
    token.end = at_;
    return true;
  }

  void suffix(Token& token) {
    const char a = static_cast<char>(peek() | 0x20), b = static_cast<char>(peek(1) | 0x20);
    const bool ordinal = (a == 's' && b == 't') || (a == 'n' && b == 'd') ||
                         (a == 'r' && b == 'd') || (a == 't' && b == 'h');
    if (!ordinal || is_letter(peek(2)) || is_digit(peek(2))) return;
    at_ += 2;
    token.word = Word::kOrdinal;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool month_first_;
};

}  // namespace

std::vector<Token> lex(std::string_view text, std::int16_t zone_min) {
  constexpr std::int16_t kMostEasternAmerican = -210;
  return Lexer(text, zone_min <= kMostEasternAmerican).run();
}

}  // namespace kartei::store::time_words
