#include "daemon/manager/foreign.h"

#include <algorithm>
#include <array>

namespace kartei::daemon {
namespace {

bool chinese(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c >= '\xE4' && c <= '\xE9'; });
}

bool german_word(std::string_view low) {
  return one_of(low, {"ich",  "und",   "ist",   "nicht", "der",    "die",    "das",   "ein",
                      "eine", "mein",  "meine", "wir",   "mit",    "bin",    "habe",  "auf",
                      "für",  "zu",    "wohne", "wohnt", "meiner", "meinem", "unser", "unsere",
                      "sie",  "er",    "gegen", "seit",  "nach",   "hat",    "aber",  "auch",
                      "sind", "einen", "mir",   "mich",  "von",    "im",     "am"});
}

bool english_word(std::string_view low) {
  return one_of(low, {"i", "the", "and", "my", "is", "of", "to", "in", "you", "it", "have", "for",
                      "with", "was", "that", "on", "are", "not", "a"});
}

// --- German -----------------------------------------------------------------------------------

struct GermanVerb {
  std::string_view first, third, relation;  // "fahre", "fährt"
  bool single = false;
};
constexpr GermanVerb kGermanVerbs[] = {{"arbeite", "arbeitet", "works", true},
                                       {"bin", "ist", "is"},
                                       {"esse", "isst", "eats"},
                                       {"fahre", "fährt", "travels"},
                                       {"feiere", "feiert", "celebrates"},
                                       {"fliege", "fliegt", "travels"},
                                       {"gehe", "geht", "goes"},
                                       {"habe", "hat", "has"},
                                       {"hasse", "hasst", "dislikes"},
                                       {"heiße", "heißt", "name", true},
                                       {"lebe", "lebt", "lives_in", true},
                                       {"lerne", "lernt", "learns"},
                                       {"liebe", "liebt", "likes"},
                                       {"mag", "mag", "likes"},
                                       {"nehme", "nimmt", "takes"},
                                       {"reise", "reist", "travels"},
                                       {"singe", "singt", "sings"},
                                       {"spiele", "spielt", "plays"},
                                       {"spreche", "spricht", "speaks"},
                                       {"studiere", "studiert", "studies", true},
                                       {"treffe", "trifft", "meets"},
                                       {"trinke", "trinkt", "drinks"},
                                       {"vertrage", "verträgt", "tolerates"},
                                       {"wohne", "wohnt", "lives_in", true},
                                       {"ziehe", "zieht", "lives_in"}};

constexpr std::string_view kGermanThird[] = {
    "arbeitet", "heißt", "hasst",  "hat",      "ist",    "isst",  "kommt", "lebt",  "liebt",
    "lernt",    "mag",   "spielt", "studiert", "trinkt", "wohnt", "zieht", "fährt", "hatte"};

std::string german_whose(const std::string& owner) {
  const char last = owner.empty() ? 'x' : owner.back();
  return last == 's' || last == 'x' || last == 'z' ? owner + "'" : owner + "s";
}

bool german_fit(const Words& words, const Range& range) {
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (one_of(words[i].low,
               {"würde", "wäre", "könnte", "hätte", "vielleicht", "wenn", "falls", "sollte",
                "müsste", "glaube", "denke", "möchte", "dir", "dich", "du", "nur", "spaß"})) {
      return false;
    }
  }
  return true;
}

std::string german_word_of(const Word& word, const std::string& owner) {
  if (one_of(word.low, {"ich", "mich", "mir"})) return owner;
  if (word.low == "wir") return "sie";
  if (word.low == "uns") return "ihnen";
  if (one_of(word.low, {"mein", "meine", "meinen", "meinem", "meiner", "meines", "unser", "unsere",
                        "unserem", "unserer", "unseren"})) {
    return german_whose(owner);
  }
  return word.text;
}

std::string german_date(const store::TimePhrase& phrase, std::string_view said) {
  static constexpr std::array<std::string_view, 12> kMonths = {
      "Januar", "Februar", "März",      "April",   "Mai",      "Juni",
      "Juli",   "August",  "September", "Oktober", "November", "Dezember"};
  if (phrase.recurring || phrase.duration || !phrase.from.known()) return std::string(said);
  const store::Date& date = phrase.from;
  std::string text = std::to_string(date.year);
  if (date.month) text = std::string(kMonths[date.month - 1u]) + " " + text;
  if (date.day) text = std::to_string(date.day) + ". " + text;
  if (date.minute >= 0) {
    const std::string minute = std::to_string(date.minute % 60);
    text += " um " + std::to_string(date.minute / 60) + ":" + (minute.size() < 2 ? "0" : "") +
            minute + " Uhr";
  }
  if (phrase.since) return "seit " + text;
  return (date.day ? "am " : date.month ? "im " : "") + text;
}

const GermanVerb* german_verb(std::string_view low) {
  const auto* at = std::find_if(std::begin(kGermanVerbs), std::end(kGermanVerbs),
                                [&](const GermanVerb& v) { return v.first == low; });
  return at == std::end(kGermanVerbs) ? nullptr : at;
}

bool german_third(std::string_view low) {
  return std::find(std::begin(kGermanThird), std::end(kGermanThird), low) != std::end(kGermanThird);
}

// Writes one main clause in the third person, with absolute dates.
class GermanClause {
 public:
  GermanClause(const Words& words, std::string_view turn_text, const When& when,
               const std::string& owner)
      : words_(words), turn_text_(turn_text), when_(when), owner_(owner) {}

  // "Ich bin ...", "Im Mai ziehe ich ...", "meine Schwester X wohnt in ...".
  std::optional<ForeignStatement> read(Range range);

 private:
  bool by_me(const Range& range);
  bool inverted(const Range& range);
  bool of_mine(const Range& range);
  void append(const std::string& piece, bool glued);
  void append_words(std::size_t from, std::size_t to);
  void append_time(int phrase);

  const Words& words_;
  std::string_view turn_text_;
  const When& when_;
  const std::string& owner_;
  ForeignStatement out_;
  int last_phrase_ = -1;
};

std::optional<ForeignStatement> GermanClause::read(Range range) {
  if (!german_fit(words_, range)) return std::nullopt;
  while (!range.empty() &&
         one_of(words_[range.begin].low, {"hallo", "hi", "und", "aber", "also", "übrigens", "ja",
                                          "nein", "außerdem", "dass", ","})) {
    ++range.begin;
  }
  if (range.end - range.begin < 3) return std::nullopt;
  const bool told =
      words_[range.begin].low == "ich" ? by_me(range) : inverted(range) || of_mine(range);
  return told ? std::optional(std::move(out_)) : std::nullopt;
}

void GermanClause::append(const std::string& piece, bool glued) {
  if (!out_.text.empty() && !glued) out_.text += ' ';
  out_.text += piece;
}

// A time once, however many words it has; the first that dates something is the statement's.
void GermanClause::append_time(int index) {
  if (index == last_phrase_) return;
  last_phrase_ = index;
  const store::TimePhrase& phrase = when_.phrase(index);
  append(german_date(phrase, turn_text_.substr(phrase.begin, phrase.end - phrase.begin)), false);
  if (out_.phrase >= 0 || phrase.recurring || phrase.duration) return;
  out_.phrase = index;
  out_.since = phrase.since;
}

void GermanClause::append_words(std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) {
    const Word& word = words_[i];
    if (word.phrase >= 0) {
      append_time(word.phrase);
      continue;
    }
    append(german_word_of(word, owner_), word.glued || word.text == ",");
    const bool telling =
        word.kind == WordKind::kWord && !german_word(word.low) && word.low.size() > 2;
    if (telling) out_.object += (out_.object.empty() ? "" : " ") + word.low;
  }
}

// "Ich bin gegen Nüsse allergisch"
bool GermanClause::by_me(const Range& range) {
  const GermanVerb* verb = german_verb(words_[range.begin + 1].low);
  if (!verb) return false;
  append(owner_, false);
  append(std::string(verb->third), false);
  out_.relation = verb->relation;
  out_.single = verb->single;
  append_words(range.begin + 2, range.end);
  const bool allergic =
      out_.relation == "is" && out_.object.find("allergisch") != std::string::npos;
  if (allergic) out_.relation = "allergy";
  return true;
}

// "Im Mai ziehe ich ...": verb, then subject; turned to subject, verb, time.
bool GermanClause::inverted(const Range& range) {
  constexpr std::size_t kReach = 7;
  const std::size_t start = range.begin;
  std::size_t at = start;
  while (at < range.end &&
         !(german_verb(words_[at].low) && low_at(words_, at + 1, range.end) == "ich")) {
    ++at;
  }
  if (at == start || at >= range.end || at >= start + kReach) return false;
  const GermanVerb* verb = german_verb(words_[at].low);
  append(owner_, false);
  append(std::string(verb->third), false);
  out_.relation = verb->relation;
  append_words(start, at);
  if (words_[start].phrase < 0 && in(Set::kPreposition, words_[start].low)) {
    // The first word has lost its place at the sentence's start.
    const std::size_t found = out_.text.find(" " + words_[start].text);
    if (found != std::string::npos) out_.text[found + 1] = words_[start].low[0];
  }
  append_words(at + 2, range.end);
  return true;
}

// "Meine Schwester Lena wohnt in Ulm"
bool GermanClause::of_mine(const Range& range) {
  constexpr std::size_t kReach = 5;
  const std::size_t start = range.begin;
  if (!one_of(words_[start].low, {"mein", "meine", "unser", "unsere"})) return false;
  std::size_t at = start + 1;
  while (at < range.end && at < start + kReach && !german_third(words_[at].low)) ++at;
  if (at >= range.end || at >= start + kReach || at < start + 2) return false;
  for (std::size_t i = start + 1; i < at; ++i)
    out_.subject += (out_.subject.empty() ? "" : " ") + words_[i].text;
  const std::string& verb = words_[at].low;
  out_.single = verb == "wohnt" || verb == "lebt";
  out_.relation = out_.single ? "lives_in" : verb;
  append(german_whose(owner_), false);
  append_words(start + 1, range.end);
  return true;
}

std::vector<ForeignStatement> read_german(std::string_view text, const Words& words,
                                          const When& when, const std::string& owner) {
  std::vector<ForeignStatement> out;
  for (const Sentence& sentence : split_sentences(words)) {
    if (sentence.asks) continue;
    // "..., und mein Bruder ...": main clauses joined.
    std::size_t begin = sentence.begin;
    auto cut = [&](std::size_t end) {
      if (auto statement = GermanClause(words, text, when, owner).read({begin, end})) {
        out.push_back(std::move(*statement));
      }
    };
    for (std::size_t i = sentence.begin; i + 2 < sentence.end; ++i) {
      const bool joint = words[i].low == "und" || words[i].text == "," || words[i].low == "aber";
      const std::string& next = words[i + 1].low;
      if (!joint || i == begin) continue;
      if (one_of(next, {"meine", "mein", "ich", "unsere", "unser"}) ||
          (words[i].text == "," && one_of(next, {"und", "aber"}) &&
           one_of(words[i + 2].low, {"ich", "meine", "mein"}))) {
        cut(i);
        begin = i + 1;
      }
    }
    cut(sentence.end);
  }
  return out;
}

// --- Chinese ----------------------------------------------------------------------------------

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::string chinese_date(const store::Date& date) {
  std::string out = std::to_string(date.year) + "年";
  if (date.month) out += std::to_string(date.month) + "月";
  if (date.day) out += std::to_string(date.day) + "日";
  return out;
}

constexpr std::string_view kChineseKin[] = {"妹妹", "姐姐", "哥哥",   "弟弟",  "妈妈", "爸爸",
                                            "朋友", "丈夫", "妻子",   "老公",  "老婆", "女儿",
                                            "儿子", "同事", "男朋友", "女朋友"};

// The name after a relative: "我哥哥赵刚住在" gives 赵刚.
std::string chinese_name(std::string_view clause) {
  for (std::string_view kin : kChineseKin) {
    const std::size_t at = clause.find(kin);
    if (at == std::string_view::npos) continue;
    const std::size_t begin = at + kin.size();
    std::size_t end = clause.size();
    for (std::string_view verb :
         {"住", "在", "是", "对", "喜欢", "有", "也", "今天", "明天", "叫", "的", "不"}) {
      end = std::min(end, clause.find(verb, begin));
    }
    if (end <= begin || end - begin > 12) return std::string(kin);
    return std::string(clause.substr(begin, end - begin));
  }
  return {};
}

bool holds_any(std::string_view clause, std::initializer_list<std::string_view> list) {
  return std::any_of(list.begin(), list.end(), [&](std::string_view word) {
    return clause.find(word) != std::string_view::npos;
  });
}

// How many bytes end a clause here: 。！；？, a line's end, a comma before a new subject; 0: none.
std::size_t chinese_mark(std::string_view here) {
  for (std::string_view mark : {"。", "！", "；", "？"}) {
    if (here.starts_with(mark)) return mark.size();
  }
  if (here.starts_with("\n")) return 1;
  for (std::string_view comma : {"，", ","}) {
    if (!here.starts_with(comma)) continue;
    const std::string_view next = here.substr(comma.size());
    const bool subject = next.starts_with("她") || next.starts_with("他") || next.starts_with("我");
    return subject ? comma.size() : 0;
  }
  return 0;
}

// Bytes of the turn; a question keeps its mark.
std::vector<Range> chinese_clauses(std::string_view text) {
  std::vector<Range> out;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t mark = chinese_mark(text.substr(i));
    if (mark == 0) {
      ++i;
      continue;
    }
    out.push_back({begin, text.substr(i).starts_with("？") ? i + mark : i});
    i += mark;
    begin = i;
  }
  if (begin < text.size()) out.push_back({begin, text.size()});
  return out;
}

// "我" becomes the owner's name, "我哥哥" theirs.
void name_chinese_owner(std::string& clause, const std::string& owner) {
  const std::string whose = owner + "的";
  for (std::string_view kin : kChineseKin) {
    replace_all(clause, "我" + std::string(kin), whose + std::string(kin));
  }
  replace_all(clause, "我们", owner);
  replace_all(clause, "我的", whose);
  replace_all(clause, "我", owner);
}

// Dates as they stand in the clause get their day, the last first so that places stay right;
// answers the first one's phrase.
int date_chinese(std::string& clause, const Range& bytes, std::string_view text, const When& when,
                 const std::vector<int>& phrases) {
  int first = -1;
  for (auto at = phrases.rbegin(); at != phrases.rend(); ++at) {
    const auto& phrase = when.phrase(*at);
    if (phrase.begin < bytes.begin || phrase.end > bytes.end || !phrase.from.known()) continue;
    const std::string said(text.substr(phrase.begin, phrase.end - phrase.begin));
    replace_all(clause, said, chinese_date(phrase.from));
    first = *at;
  }
  return first;
}

// One clause, after its dates; `last_person` is who 她 and 他 are, and learns who was named.
std::optional<ForeignStatement> chinese_statement(std::string clause, int phrase,
                                                  const std::string& owner,
                                                  std::string& last_person) {
  std::string person = chinese_name(clause);
  if (clause.starts_with("她") || clause.starts_with("他")) {
    if (last_person.empty()) return std::nullopt;
    clause.replace(0, std::string_view("她").size(), last_person);
    person = last_person;
  } else if (clause.find("我") == std::string::npos) {
    return std::nullopt;
  }
  if (!person.empty()) last_person = person;
  const bool lives = holds_any(clause, {"住在"}), allergic = holds_any(clause, {"过敏"});
  const bool tells = lives || allergic || phrase >= 0 ||
                     holds_any(clause, {"喜欢", "是", "有", "工作", "不吃", "生日", "叫"});
  if (!tells) return std::nullopt;
  name_chinese_owner(clause, owner);
  ForeignStatement out;
  out.phrase = phrase;
  out.text = clause + "。";
  out.subject = person;
  out.relation = lives ? "lives_in" : allergic ? "allergy" : "says";
  out.single = lives && phrase < 0;
  out.object = clause;
  return out;
}

std::vector<ForeignStatement> read_chinese(std::string_view text, const When& when,
                                           const Words& words, const std::string& owner) {
  std::vector<ForeignStatement> out;
  std::string last_person;
  const auto phrases = when.inside(words, {0, words.size()});
  for (const Range& bytes : chinese_clauses(text)) {
    std::string clause(text.substr(bytes.begin, bytes.end - bytes.begin));
    for (std::string_view blank : {" ", "\n", "\t", "\r"}) {
      while (clause.starts_with(blank)) clause.erase(0, blank.size());
    }
    if (holds_any(clause, {"吗", "？", "如果", "要是", "什么", "哪", "你"})) continue;
    const int phrase = date_chinese(clause, bytes, text, when, phrases);
    if (auto told = chinese_statement(std::move(clause), phrase, owner, last_person)) {
      out.push_back(std::move(*told));
    }
  }
  return out;
}

}  // namespace

Language language_of(const Words& words) {
  std::size_t german = 0, english = 0, cjk = 0, count = 0;
  for (const Word& word : words) {
    if (word.kind != WordKind::kWord) continue;
    ++count;
    cjk += chinese(word.text);
    german += german_word(word.low);
    english += english_word(word.low);
  }
  if (cjk * 2 > count) return Language::kChinese;
  if (german >= 2 && german > english) return Language::kGerman;
  return Language::kEnglish;
}

std::vector<ForeignStatement> read_foreign(Language language, std::string_view text,
                                           const Words& words, const When& when,
                                           const std::string& owner) {
  if (language == Language::kGerman) return read_german(text, words, when, owner);
  if (language == Language::kChinese) return read_chinese(text, when, words, owner);
  return {};
}

}  // namespace kartei::daemon
