#include "store/question.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "crypto/utf8.h"
#include "store/indexer.h"
#include "store/names.h"
#include "store/time_phrase.h"
#include "store/topics.h"
#include "store/weights.h"

namespace kartei::store {

namespace {

// Words that people say without asking anything, folded and sorted.
constexpr std::array<std::string_view, 58> kSmallTalk = {
    "absolutely", "adios",   "afternoon",  "alright", "awesome", "bonjour",     "brilliant",
    "bye",        "ciao",    "cool",       "danke",   "evening", "exactly",     "excellent",
    "fine",       "goodbye", "goodnight",  "good",    "gracias", "great",       "gut",
    "hallo",      "hello",   "hey",        "hi",      "hola",    "interesting", "lol",
    "lot",        "lovely",  "merci",      "morgen",  "morning", "much",        "nice",
    "night",      "nope",    "okay",       "ok",      "perfect", "perfekt",     "prima",
    "right",      "sorry",   "super",      "sure",    "thank",   "thanks",      "thx",
    "tschuss",    "ty",      "understood", "welcome", "well",    "wonderful",   "wow",
    "yeah",       "yep"};

bool is_small_talk_word(std::string_view folded) {
  return std::find(kSmallTalk.begin(), kSmallTalk.end(), folded) != kSmallTalk.end();
}

// All that somebody says: in scripts without spaces, where a greeting is no word of its own.
constexpr std::array<std::string_view, 24> kGreetings = {
    "谢谢",       "謝謝",     "谢谢你",     "謝謝你",     "多谢",
    "多謝",       "你好",     "您好",       "早上好",     "晚安",
    "再见",       "再見",     "好的",       "ありがとう", "ありがとうございます",
    "こんにちは", "おはよう", "おやすみ",   "はい",       "안녕",
    "안녕하세요", "고마워",   "고맙습니다", "감사합니다"};

bool is_greeting(std::string_view folded) {
  return std::find(kGreetings.begin(), kGreetings.end(), folded) != kGreetings.end();
}

// Phrases after which a question is about how things were. Folded, each between spaces.
constexpr std::array<std::string_view, 38> kPastPhrases = {
    " used to ",     " before ",     " previously ",    " previous ",      " former ",
    " formerly ",    " earlier ",    " in the past ",   " back then ",     " at that time ",
    " at the time ", " originally ", " in those days ", " once ",          " no longer ",
    " anymore ",     " any more ",   " until ",         " old ",           " ex ",
    " history ",     " fruher ",     " damals ",        " vorher ",        " zuvor ",
    " ehemalig ",    " ehemalige ",  " ehemals ",       " bisher ",        " avant ",
    " autrefois ",   " auparavant ", " antes ",         " anteriormente ", " prima ",
    " раньше ",      " прежде ",     " ранее "};
// "where did she live", "what was her job": past only with a verb of a lasting state.
constexpr std::array<std::string_view, 18> kLasting = {
    "be",   "belong", "drive", "have", "know",  "like",  "live", "love", "own",
    "play", "prefer", "rent",  "stay", "study", "teach", "use",  "wear", "work"};

bool asks_for_past(const std::string& folded, const std::vector<std::string>& words) {
  for (const std::string_view phrase : kPastPhrases)
    if (folded.find(phrase) != std::string::npos) return true;
  const auto did = std::find(words.begin(), words.end(), "did");
  return did != words.end() && std::any_of(did, words.end(), [](const std::string& word) {
           return std::find(kLasting.begin(), kLasting.end(), word) != kLasting.end();
         });
}

// "Which films has she seen?": before a plural. Not "how many": the last number told is the answer.
bool asks_for_many(const std::vector<std::string>& words) {
  if (words.size() < 3) return false;
  if (words[0] != "what" && words[0] != "which") return false;
  const auto is_plural = [](const std::string& word) {
    constexpr std::array<std::string_view, 6> kNone = {"does",   "this",  "days",
                                                       "always", "gives", "makes"};
    return word.size() > 3 && word.ends_with('s') && !word.ends_with("ss") &&
           std::find(kNone.begin(), kNone.end(), word) == kNone.end();
  };
  return is_plural(words[1]) || is_plural(words[2]);
}

// Months by their English, German, French and Spanish names, sorted.
constexpr std::pair<std::string_view, int> kMonths[] = {
    {"abril", 4},     {"agosto", 8},    {"aout", 8},       {"apr", 4},       {"april", 4},
    {"aug", 8},       {"august", 8},    {"avril", 4},      {"dec", 12},      {"december", 12},
    {"decembre", 12}, {"dezember", 12}, {"diciembre", 12}, {"enero", 1},     {"feb", 2},
    {"febrero", 2},   {"februar", 2},   {"february", 2},   {"fevrier", 2},   {"jan", 1},
    {"januar", 1},    {"january", 1},   {"janvier", 1},    {"juillet", 7},   {"juin", 6},
    {"jul", 7},       {"juli", 7},      {"julio", 7},      {"july", 7},      {"jun", 6},
    {"june", 6},      {"juni", 6},      {"junio", 6},      {"mai", 5},       {"mar", 3},
    {"march", 3},     {"mars", 3},      {"marz", 3},       {"marzo", 3},     {"may", 5},
    {"mayo", 5},      {"nov", 11},      {"november", 11},  {"novembre", 11}, {"noviembre", 11},
    {"oct", 10},      {"october", 10},  {"octobre", 10},   {"octubre", 10},  {"oktober", 10},
    {"sep", 9},       {"sept", 9},      {"september", 9},  {"septembre", 9}, {"septiembre", 9}};
static_assert(std::is_sorted(std::begin(kMonths), std::end(kMonths)));

int month_of(std::string_view folded) {
  const auto* found =
      std::lower_bound(std::begin(kMonths), std::end(kMonths), folded,
                       [](const auto& entry, std::string_view name) { return entry.first < name; });
  return found != std::end(kMonths) && found->first == folded ? found->second : 0;
}

int year_of(std::string_view folded) {
  int year = 0;
  const char* end = folded.data() + folded.size();
  const auto read = std::from_chars(folded.data(), end, year);
  return folded.size() == 4 && read.ptr == end && year >= 1900 && year < 2100 ? year : 0;
}

// Words before a clause that names a time, folded; true: what came before it is asked for.
constexpr std::pair<std::string_view, bool> kClauseWords[] = {
    {"after", false}, {"antes", true},    {"apres", false},   {"avant", true},
    {"before", true}, {"bevor", true},    {"despues", false}, {"nachdem", false},
    {"since", false}, {"seitdem", false}, {"until", true}};

// What stands in double quotes, of two words or more.
std::vector<std::string> quoted_phrases(std::string_view query) {
  std::vector<std::string> phrases;
  std::optional<std::size_t> open;
  for (std::size_t at = 0; at < query.size() && phrases.size() < kPhrasesMax;) {
    const std::size_t here = at;
    const char32_t c = next_code_point(query, at);
    if (c != '"' && (c < 0x201C || c > 0x201F) && c != 0xAB && c != 0xBB) continue;
    if (!open) {
      open = at;
      continue;
    }
    std::string phrase = folded_text(query.substr(*open, here - *open));
    if (phrase.find(' ') != std::string::npos) phrases.push_back(std::move(phrase));
    open.reset();
  }
  return phrases;
}

// The clause of "Where did I live before I moved to Utrecht?".
std::optional<EventClause> event_clause(std::string_view query) {
  for (const Word& word : words_of(query, kQueryBytes)) {
    const auto* found = std::find_if(std::begin(kClauseWords), std::end(kClauseWords),
                                     [&](const auto& one) { return one.first == word.folded; });
    if (found == std::end(kClauseWords) || word.begin == 0) continue;
    std::string_view clause = query.substr(word.end);
    clause = clause.substr(0, clause.find_first_of(",?!;"));
    if (words_of(clause, kQueryBytes).size() < 2) continue;
    return EventClause{found->second, std::string(clause)};
  }
  return std::nullopt;
}

class QuestionReader {
 public:
  QuestionReader(std::string_view query, Stemmer& stemmer) : query_(query), stemmer_(stemmer) {}

  Question read() {
    const std::vector<Word> words = words_of(query_, kQueryBytes);
    latin_ = guess_language(words);
    bool only_talk = true;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const Word& word = words[i];
      only_talk = only_talk && !word.gram && (stop(word) || is_small_talk_word(word.folded));
      note_time(word);
      if (!word.pair) out_.words.push_back(word.folded);
      // Of a script without spaces the pairs say more; a lone character must do for itself.
      if (word.gram && !word.pair && is_paired(words, i)) continue;
      add_term(word);
    }
    for (NamedWord& name : names_in(query_, kTermsMax))
      out_.names.push_back(std::move(name.folded));
    const std::string folded = " " + folded_text(query_) + " ";
    out_.past = asks_for_past(folded, out_.words);
    out_.many = asks_for_many(out_.words);
    settle_terms(only_talk);
    out_.tongue = latin_;
    return std::move(out_);
  }

 private:
  bool stop(const Word& word) const {
    if (word.gram) return is_function_pair(word.folded);
    return is_stop_word(Stemmer::language_of(word.folded, latin_), word.folded) ||
           is_stop_word(Language::kEnglish, word.folded);
  }

  static bool is_paired(const std::vector<Word>& words, std::size_t i) {
    const Word& word = words[i];
    const bool before = i > 0 && words[i - 1].pair && words[i - 1].end == word.end;
    const bool after =
        i + 1 < words.size() && words[i + 1].pair && words[i + 1].begin == word.begin;
    return before || after;
  }

  void note_time(const Word& word) {
    const int month = month_of(word.folded);
    // "may" and "mars" are months only with a capital.
    if (month != 0 && (word.capital || word.folded.size() > 4)) out_.months.push_back(month);
    if (const int year = year_of(word.folded); year != 0) out_.years.push_back(year);
  }

  void add_term(const Word& word) {
    for (const QuestionTerm& term : out_.terms)
      if (term.word == word.folded) return;
    if (out_.terms.size() >= kQuestionTermsMax) return;
    QuestionTerm term;
    term.word = word.folded;
    term.stop = stop(word);
    const auto token = [&](std::string text) {
      if (std::find(term.tokens.begin(), term.tokens.end(), text) != term.tokens.end()) return;
      term.hashes.push_back(token_hash(text));
      term.tokens.push_back(std::move(text));
    };
    token(word.gram ? word.folded : stemmer_.stem(word.folded, latin_));
    // The text may be English where the question is not, and a name is stemmed as its text was.
    if (!word.gram) token(stemmer_.stem(word.folded, Language::kEnglish));
    if (const auto topic = topic_of(word.folded); !topic.empty())
      token(stemmer_.stem(std::string(topic), Language::kEnglish));
    out_.terms.push_back(std::move(term));
  }

  void settle_terms(bool only_talk) {
    const bool any = std::any_of(out_.terms.begin(), out_.terms.end(),
                                 [](const QuestionTerm& term) { return !term.stop; });
    // Nothing but function words may still be a question ("who am I?"); greetings are none.
    const bool greeting = std::any_of(out_.words.begin(), out_.words.end(),
                                      [](const auto& word) { return is_small_talk_word(word); });
    const bool asks = query_.find('?') != std::string_view::npos;
    out_.small_talk = out_.terms.empty() || (only_talk && (greeting || !asks)) ||
                      is_greeting(folded_text(query_));
    if (out_.small_talk) out_.terms.clear();
    if (any) std::erase_if(out_.terms, [](const QuestionTerm& term) { return term.stop; });
  }

  std::string_view query_;
  Stemmer& stemmer_;
  Language latin_ = Language::kEnglish;
  Question out_;
};

}  // namespace

Question read_question(std::string_view query, const ZonedTime* said_at, Stemmer& stemmer) {
  query = utf8_prefix(query, kQueryBytes);
  Question question = QuestionReader(query, stemmer).read();
  question.event = event_clause(query);
  question.phrases = quoted_phrases(query);
  if (said_at == nullptr) return question;
  for (const TimePhrase& phrase : find_time_phrases(query, *said_at)) {
    if (phrase.duration || phrase.recurring || !phrase.from.known()) continue;
    const Time to = phrase.to.known() ? phrase.to.begin() : phrase.from.end();
    question.intervals.push_back({to_ms(phrase.from.begin()), to_ms(to)});
  }
  // "before last summer" says its time itself.
  if (question.event && !find_time_phrases(question.event->text, *said_at).empty())
    question.event.reset();
  return question;
}

}  // namespace kartei::store
