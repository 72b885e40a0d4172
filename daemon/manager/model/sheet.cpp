#include "daemon/manager/model/sheet.h"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <set>

#include "daemon/manager/notebook.h"
#include "daemon/manager/voices.h"
#include "daemon/manager/words.h"
#include "store/secrets/secrets.h"
#include "store/time_phrase.h"

namespace kartei::daemon {
namespace {

constexpr std::size_t kCardsShown = 12;
constexpr std::size_t kNamesAsked = 24;      // subjects that are looked up
constexpr std::size_t kTurnBytes = 2'000;    // shown of one turn to be read
constexpr std::size_t kContextBytes = 300;   // and of an earlier one
constexpr std::size_t kContextShown = 6;     // the last ones
constexpr std::size_t kSheetBytes = 16'000;  // about 4,000 tokens
constexpr std::size_t kDatesShown = 24;

// At most so many bytes, no letter cut in two.
std::string_view first_bytes(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most);
}

std::string shown_of(std::string_view text, std::size_t most) {
  return std::string(first_bytes(secrets::masked(text), most));
}

// As JSON writes a text: whatever stands in it cannot end the quotation.
std::string quoted(std::string_view text, std::size_t most) {
  return boost::json::serialize(boost::json::value(shown_of(text, most)));
}

std::string day_of(const store::Turn& turn) {
  static constexpr std::array<const char*, 7> kDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};
  const store::Date day = store::Date::day_of(turn.said_at.at, turn.said_at.zone_min);
  const std::chrono::weekday weekday{
      std::chrono::sys_days{std::chrono::year{day.year} / day.month / day.day}};
  return std::string(kDays[weekday.c_encoding()]) + " " + day.text();
}

std::string voice_name(const SecretaryTask& task, const std::vector<Voice>& voices,
                       const store::Turn& turn) {
  for (const Voice& voice : voices)
    if (voice.says(turn)) return voice.name;
  return task.owner;
}

void add_subject(std::vector<std::string>& names, const std::string& name) {
  const std::string key = store::normalised_text(name);
  if (key.empty() || names.size() >= kNamesAsked) return;
  if (std::find(names.begin(), names.end(), key) == names.end()) names.push_back(key);
}

// Who and what the turns may be about.
std::vector<std::string> subjects_of(const SecretaryTask& task) {
  std::vector<std::string> names;
  for (const Voice& voice : voices_of(task)) add_subject(names, voice.name);
  for (const store::Turn& turn : task.turns) {
    if (!is_own_word(turn)) continue;
    for (const Word& word : lex_words(first_bytes(turn.text, kTurnBytes)))
      if (word.capital && word.low.size() > 1 && word.low != "i") add_subject(names, word.low);
  }
  return names;
}

void add_date(std::vector<store::Date>& dates, store::Date date) {
  date.minute = -1;
  date.zone_min = 0;
  if (!date.known() || dates.size() >= kDatesShown) return;
  if (std::find(dates.begin(), dates.end(), date) == dates.end()) dates.push_back(date);
}

// The last day, month or year before `end`; unknown: before the first.
store::Date last_before(const store::Date& end) {
  store::Date last = store::Date::day_of(end.begin() - std::chrono::milliseconds{1}, end.zone_min);
  if (end.day == 0) last.day = 0;
  if (end.month == 0) last.month = 0;
  return last;
}

void add_dates(Sheet& sheet, std::string_view shown, const store::ZonedTime& said_at) {
  for (const store::TimePhrase& phrase : store::find_time_phrases(shown, said_at)) {
    if (phrase.recurring || phrase.duration) continue;
    add_date(sheet.first_days, phrase.from);
    if (phrase.to.known()) add_date(sheet.last_days, last_before(phrase.to));
  }
}

bool has_three_bytes(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= 0xE0; });
}

}  // namespace

bool is_own_word(const store::Turn& turn) {
  return turn.role == store::Role::kUser && turn.trust == store::Trust::kUser;
}

std::string turn_name(std::size_t place) {
  return "T" + std::to_string(place + 1);
}
std::string card_name(std::size_t place) {
  return "C" + std::to_string(place + 1);
}

Result<std::vector<store::Card>> related_cards(const SecretaryTask& task, CardLookup& cards) {
  std::vector<store::Card> out;
  std::set<store::CardId> seen;
  for (const std::string& subject : subjects_of(task)) {
    KARTEI_ASSIGN(auto found, cards.open_cards(subject));
    for (store::Card& card : found) {
      const bool fits = card.drawer == task.drawer && card.state == store::CardState::kOpen;
      if (fits && seen.insert(card.id).second) out.push_back(std::move(card));
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const store::Card& a, const store::Card& b) {
    return a.recorded_at < b.recorded_at;
  });
  return out;
}

Sheet make_sheet(const SecretaryTask& task, const std::vector<store::Card>& related) {
  Sheet sheet;
  const auto voices = voices_of(task);
  std::string said, turns;
  std::size_t left = kSheetBytes;
  for (std::size_t i = 0; i < task.turns.size(); ++i) {
    const store::Turn& turn = task.turns[i];
    // What tools and pages say is not for the model: it could only be misled by it.
    if (turn.role == store::Role::kTool || turn.text.empty()) continue;
    const bool own = is_own_word(turn);
    if (!own && turn.role != store::Role::kAssistant) continue;
    const std::string line =
        (own ? turn_name(i) + " (" + day_of(turn) + ") " + voice_name(task, voices, turn)
             : std::string("assistant")) +
        ": " + quoted(turn.text, own ? kTurnBytes : kContextBytes) + "\n";
    if (line.size() > left) break;  // the rest stays the built-in secretary's
    left -= line.size();
    turns += line;
    if (!own) continue;
    sheet.sources.push_back(i);
    const std::string shown = shown_of(turn.text, kTurnBytes);
    add_dates(sheet, shown, turn.said_at);
    if (has_three_bytes(shown)) sheet.bytes_a_letter = 3;
    said += turn.text + "\n";
  }
  if (sheet.sources.empty()) return sheet;

  auto own_names = content_words(task.owner);
  for (const Voice& voice : voices)
    for (const std::string& word : content_words(voice.name)) own_names.push_back(word);
  const auto words = content_words(said);
  std::vector<std::pair<double, std::size_t>> best;
  for (std::size_t i = 0; i < related.size(); ++i) {
    auto own = content_words(related[i].text);
    std::erase_if(own, [&](const std::string& word) {
      return std::find(own_names.begin(), own_names.end(), word) != own_names.end();
    });
    const double share = overlap(own, words);
    if (share > 0) best.push_back({share, i});
  }
  std::stable_sort(best.begin(), best.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second > b.second;
  });
  if (best.size() > kCardsShown) best.resize(kCardsShown);
  std::sort(best.begin(), best.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });

  sheet.text = "The owner of the card file: " + quoted(task.owner, kContextBytes) + "\n";
  if (!best.empty()) sheet.text += "Known cards:\n";
  for (const auto& [share, i] : best) {
    sheet.text += card_name(sheet.cards.size()) + " " + quoted(related[i].text, 400) + "\n";
    sheet.cards.push_back(related[i]);
  }
  const std::size_t first =
      task.context.size() > kContextShown ? task.context.size() - kContextShown : 0;
  std::string earlier;
  for (const store::Turn& turn : task.context.subspan(first)) {
    const bool own = is_own_word(turn);
    if (!own && turn.role != store::Role::kAssistant) continue;
    earlier += (own ? voice_name(task, voices, turn) : std::string("assistant")) + ": " +
               quoted(turn.text, kContextBytes) + "\n";
  }
  if (!earlier.empty()) sheet.text += "Earlier:\n" + earlier;
  sheet.text += "Turns to read:\n" + turns;
  return sheet;
}

}  // namespace kartei::daemon
