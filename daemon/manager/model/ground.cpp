#include "daemon/manager/model/ground.h"

#include <algorithm>

#include "daemon/manager/kind.h"
#include "daemon/manager/lexicon.h"
#include "daemon/manager/model/sheet.h"
#include "daemon/manager/notebook.h"
#include "daemon/manager/voices.h"
#include "daemon/manager/when.h"
#include "daemon/manager/wording.h"
#include "store/secrets/secrets.h"

namespace kartei::daemon {
namespace {

constexpr std::size_t kTurnBytesRead = 32 * 1024;

// First persons and relative days of other languages than fit_to_write() knows.
constexpr std::string_view kForeignUnfit[] = {
    "ich",    "mein", "meine", "meinen",  "meiner", "mir",  "mich",       "wir",  "unser",
    "unsere", "uns",  "heute", "gestern", "morgen", "yo",   "hoy",        "ayer", "mañana",
    "je",     "moi",  "nous",  "notre",   "demain", "hier", "aujourd'hui"};
constexpr std::string_view kChineseUnfit[] = {"我",   "你",   "您",   "昨天",
                                              "今天", "明天", "上周", "下周"};
constexpr std::string_view kDenials[] = {
    "not",     "no",      "never",  "longer", "cannot", "without", "none",   "stopped",
    "quit",    "neither", "nor",    "nicht",  "kein",   "keine",   "keinen", "nie",
    "niemals", "nunca",   "jamais", "ohne",   "sin",    "avoid",   "avoids", "stop"};
constexpr std::string_view kChineseDenials[] = {"不", "没"};

// What a program is told to do. "Remember that ..." states something, these do not.
constexpr std::string_view kCommands[] = {"cancel",  "clear", "close",     "delete", "disregard",
                                          "drop",    "erase", "forget",    "ignore", "obey",
                                          "open",    "print", "pretend",   "remove", "repeat",
                                          "replace", "reset", "overwrite", "reveal", "update"};

template <std::size_t size>
bool is_in(const std::string_view (&list)[size], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

template <std::size_t size>
bool holds_any(std::string_view text, const std::string_view (&list)[size]) {
  return std::any_of(std::begin(list), std::end(list), [&](std::string_view part) {
    return text.find(part) != std::string_view::npos;
  });
}

// Chinese, Japanese or Korean: three bytes a character, from U+3040.
bool wide_at(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0xE3 || byte > 0xED || at + 3 > text.size()) return false;
  return byte != 0xE3 || static_cast<unsigned char>(text[at + 1]) >= 0x81;
}

bool has_wide(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (wide_at(text, i)) return true;
  return false;
}

// Pairs of neighbouring characters.
std::vector<std::string_view> wide_pairs(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i + 6 <= text.size(); ++i)
    if (wide_at(text, i) && wide_at(text, i + 3)) out.push_back(text.substr(i, 6));
  return out;
}

bool is_command(const Words& words, const Sentence& sentence) {
  if (sentence.begin >= sentence.end) return false;
  std::size_t first = sentence.begin;
  while (first + 1 < sentence.end && one_of(words[first].low, {"please", "now", "then", "and"}))
    ++first;
  return is_in(kCommands, words[first].low) && !words[first].possessive;
}

// "Delete every card." says nothing of anybody.
bool holds_command(const Words& words) {
  const auto sentences = split_sentences(words);
  return in(Set::kImperative, words.front().low) ||
         std::any_of(sentences.begin(), sentences.end(),
                     [&](const Sentence& one) { return is_command(words, one); });
}

bool has_digit(std::string_view text) {
  return text.find_first_of("0123456789") != std::string_view::npos;
}

// As precise as what was said, or less so, and the same.
bool within(const store::Date& date, const store::Date& said) {
  if (!said.known() || date.year != said.year) return false;
  if (date.month == 0) return true;
  if (date.month != said.month) return false;
  return date.day == 0 || date.day == said.day;
}

store::Date to_day(store::Date date) {
  date.minute = -1;
  date.zone_min = 0;
  return date;
}

}  // namespace

std::string_view name_of(Unfit why) {
  switch (why) {
    case Unfit::kNone:
      return "";
    case Unfit::kWording:
      return "wording";
    case Unfit::kSecret:
      return "secret";
    case Unfit::kUnstated:
      return "unstated";
    case Unfit::kNames:
      return "name";
    case Unfit::kNumbers:
      return "number";
    case Unfit::kDates:
      return "date";
    case Unfit::kDenial:
      return "denial";
    case Unfit::kOtherOne:
      return "somebody else";
  }
  return "";
}

bool says_no(std::string_view text) {
  if (holds_any(text, kChineseDenials)) return true;
  for (const Word& word : lex_words(text))
    if (!word.quoted && is_in(kDenials, word.low)) return true;
  return false;
}

Ground::Ground(const SecretaryTask& task, const std::vector<std::size_t>& places,
               const std::vector<store::Card>& known) {
  const store::Turn& first = task.turns[places.front()];
  said_at_ = first.said_at;
  today_ = store::Date::day_of(said_at_.at, said_at_.zone_min);
  for (const std::size_t place : places) read(task, task.turns[place]);
  for (const store::Turn& turn : task.turns)
    if (is_own_word(turn)) add_names(turn.text);
  for (const store::Turn& turn : task.context)
    if (is_own_word(turn)) add_names(turn.text);
  for (const store::Card& card : known) add_names(card.text);
  add_names(task.owner);
  for (const Voice& voice : voices_of(task)) {
    add_names(voice.name);
    if (voice.says(first)) speaker_ = voice.name;
  }
}

void Ground::add_names(std::string_view text) {
  for (const Word& word : lex_words(text.substr(0, kTurnBytesRead)))
    if (word.kind == WordKind::kWord) names_.insert(word.low);
}

void Ground::read(const SecretaryTask& task, const store::Turn& turn) {
  if (turn.text.size() > kTurnBytesRead) return;
  Words words = lex_words(turn.text);
  const When when(turn.text, turn.said_at, task.zone, words);
  for (const store::TimePhrase& phrase : store::find_time_phrases(turn.text, turn.said_at)) {
    if (phrase.from.known()) dates_.push_back(to_day(phrase.from));
    if (phrase.to.known()) dates_.push_back(to_day(phrase.to));
  }
  words = lift_asides(std::move(words));
  if (words.empty() || is_material(words)) return;
  const std::size_t before = statements_.size();
  for (const Sentence& sentence : split_sentences(words)) {
    if (takes_back(words, sentence)) {
      statements_.resize(before);
      continue;
    }
    if (kind_of(words, sentence) != Kind::kStatement || is_command(words, sentence)) continue;
    Statement said;
    std::string plain;
    for (std::size_t i = sentence.begin; i < sentence.end; ++i) {
      const Word& word = words[i];
      plain += word.text + " ";
      if (word.quoted) continue;
      said.denies = said.denies || is_in(kDenials, word.low);
      said.first_person = said.first_person || one_of(word.low, {"i", "we", "me", "us", "ich",
                                                                 "wir", "mir", "mich", "uns"});
      said.possessive =
          said.possessive || one_of(word.low, {"my", "our", "mein", "meine", "meinen", "meiner",
                                               "meinem", "unser", "unsere"});
    }
    said.denies = said.denies || holds_any(plain, kChineseDenials);
    said.words = content_words(plain);
    said.text = std::move(plain);
    statements_.push_back(std::move(said));
  }
  words_.clear();
  for (const Statement& statement : statements_) {
    words_.insert(statement.words.begin(), statement.words.end());
    for (const Word& word : lex_words(statement.text)) words_.insert(word.low);
  }
}

bool Ground::has_date(const store::Date& date) const {
  const store::Date day = to_day(date);
  return within(day, today_) || std::any_of(dates_.begin(), dates_.end(),
                                            [&](const auto& said) { return within(day, said); });
}

bool Ground::is_speaker(std::string_view low) const {
  const std::string name = lower(speaker_);
  const auto words = lex_words(name);
  return std::any_of(words.begin(), words.end(), [&](const Word& word) { return word.low == low; });
}

const Ground::Statement* Ground::nearest(const std::vector<std::string>& words) const {
  const Statement* best = nullptr;
  double share = -1;
  for (const Statement& statement : statements_) {
    const double mine = overlap(words, statement.words);
    if (mine > share) best = &statement;
    share = std::max(share, mine);
  }
  return best;
}

// Names, numbers, and whether at least half of the rest was said.
Unfit Ground::judge_words(const Words& words) const {
  std::size_t all = 0, said = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    if (word.phrase >= 0) continue;
    if (word.kind == WordKind::kNumber || (word.kind == WordKind::kWord && has_digit(word.low))) {
      if (!words_.contains(word.low)) return Unfit::kNumbers;
      continue;
    }
    if (word.kind != WordKind::kWord || is_speaker(word.low)) continue;
    const bool begins = i == 0 && (in(Set::kDeterminer, word.low) || in(Set::kOpener, word.low) ||
                                   in(Set::kPreposition, word.low));
    if (word.capital && !begins && !names_.contains(word.low)) return Unfit::kNames;
    const auto stems = content_words(word.text);
    if (stems.empty()) continue;
    ++all;
    said += words_.contains(stems.front()) || words_.contains(word.low) ? 1 : 0;
  }
  return all > 0 && 2 * said >= all ? Unfit::kNone : Unfit::kUnstated;
}

Unfit Ground::judge_meaning(std::string_view text, const Words& words) const {
  const Statement* said = nearest(content_words(text));
  if (said == nullptr) return Unfit::kUnstated;
  if (says_no(text) != said->denies) return Unfit::kDenial;
  const bool about_speaker =
      !words.empty() && is_speaker(words[0].low) &&
      std::none_of(
          words.begin(),
          words.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(words.size(), 3)),
          [](const Word& word) { return word.possessive; });
  if (about_speaker && said->possessive && !said->first_person) return Unfit::kOtherOne;
  return Unfit::kNone;
}

// Where words are not parted by spaces, pairs of characters stand for them.
Unfit Ground::judge_characters(std::string_view text) const {
  std::size_t all = 0, known = 0;
  bool denied = false;
  for (const Statement& statement : statements_) denied = denied || statement.denies;
  for (const std::string_view pair : wide_pairs(text)) {
    ++all;
    known += std::any_of(statements_.begin(), statements_.end(), [&](const Statement& said) {
      return said.text.find(pair) != std::string::npos;
    });
  }
  if (all == 0 || 2 * known < all) return Unfit::kUnstated;
  return says_no(text) == denied ? Unfit::kNone : Unfit::kDenial;
}

Unfit Ground::judge_dates(std::string_view text, const store::Date& from,
                          const store::Date& to) const {
  for (const store::Date& date : {from, to})
    if (date.known() && !has_date(date)) return Unfit::kDates;
  for (const store::TimePhrase& phrase : store::find_time_phrases(text, said_at_)) {
    if (phrase.recurring || phrase.duration) continue;
    for (const store::Date& date : {phrase.from, phrase.to})
      if (date.known() && !has_date(date)) return Unfit::kDates;
  }
  return Unfit::kNone;
}

Unfit Ground::judge(std::string_view text, const store::Date& from, const store::Date& to) const {
  if (!secrets::find(text).empty() || text.find("[secret") != std::string_view::npos)
    return Unfit::kSecret;
  const bool wide = has_wide(text);
  if (!fit_to_write(text) || (wide && holds_any(text, kChineseUnfit))) return Unfit::kWording;
  Words words = lex_words(text);
  const When when(text, said_at_, {}, words);
  for (const Word& word : words)
    if (!word.quoted && is_in(kForeignUnfit, word.low)) return Unfit::kWording;
  if (words.empty() || holds_command(words)) return Unfit::kWording;
  if (statements_.empty()) return Unfit::kUnstated;
  if (const Unfit dates = judge_dates(text, from, to); dates != Unfit::kNone) return dates;
  if (wide) return judge_characters(text);
  const bool named = std::any_of(words.begin(), words.end(), [](const Word& word) {
    return word.kind == WordKind::kWord && word.capital && word.phrase < 0;
  });
  if (!named) return Unfit::kWording;
  if (const Unfit said = judge_words(words); said != Unfit::kNone) return said;
  return judge_meaning(text, words);
}

store::Date Ground::date_of_event(std::string_view text) const {
  for (const store::TimePhrase& phrase : store::find_time_phrases(text, said_at_))
    if (phrase.from.known() && !phrase.recurring && !phrase.duration) return phrase.from;
  std::vector<store::Date> said;
  for (const store::Date& date : dates_)
    if (std::find(said.begin(), said.end(), date) == said.end()) said.push_back(date);
  if (said.empty()) return today_;
  return said.size() == 1 ? said.front() : store::Date{};
}

}  // namespace kartei::daemon
