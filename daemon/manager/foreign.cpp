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

// One main clause: "Ich bin ...", "Im Mai ziehe ich ...", "meine Schwester X wohnt in ...".
std::optional<ForeignStatement> german_clause(const Words& words, Range range,
                                              std::string_view turn_text, const When& when,
                                              const std::string& owner) {
  if (!german_fit(words, range)) return std::nullopt;
  while (!range.empty() &&
         one_of(words[range.begin].low, {"hallo", "hi", "und", "aber", "also", "übrigens", "ja",
                                         "nein", "außerdem", "dass", ","})) {
    ++range.begin;
  }
  if (range.end - range.begin < 3) return std::nullopt;
  auto verb_of = [&](std::size_t i) {
    const auto* at = std::find_if(std::begin(kGermanVerbs), std::end(kGermanVerbs),
                                  [&](const GermanVerb& v) { return v.first == words[i].low; });
    return at == std::end(kGermanVerbs) ? nullptr : at;
  };
  ForeignStatement out;
  std::string text;
  auto append = [&](const std::string& piece, bool glued) {
    if (!text.empty() && !glued) text += ' ';
    text += piece;
  };
  int last_phrase = -1;
  auto append_words = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      if (words[i].phrase >= 0) {
        if (words[i].phrase == last_phrase) continue;
        last_phrase = words[i].phrase;
        const auto& phrase = when.phrase(last_phrase);
        append(german_date(phrase, turn_text.substr(phrase.begin, phrase.end - phrase.begin)),
               false);
        if (out.phrase < 0 && !phrase.recurring && !phrase.duration) {
          out.phrase = last_phrase;
          out.since = phrase.since;
        }
        continue;
      }
      append(german_word_of(words[i], owner), words[i].glued || words[i].text == ",");
      if (words[i].kind == WordKind::kWord && !german_word(words[i].low) &&
          words[i].low.size() > 2) {
        if (!out.object.empty()) out.object += ' ';
        out.object += words[i].low;
      }
    }
  };
  std::size_t start = range.begin;
  if (words[start].low == "ich") {
    const GermanVerb* verb = verb_of(start + 1);
    if (!verb) return std::nullopt;
    append(owner, false);
    append(std::string(verb->third), false);
    out.relation = verb->relation;
    out.single = verb->single;
    append_words(start + 2, range.end);
    out.text = text;
    if (out.relation == "is") {
      out.relation = out.object.find("allergisch") != std::string::npos ? "allergy" : "is";
    }
    return out;
  }
  // "Im Mai ziehe ich ...": verb, then subject; turned to subject, verb, time.
  std::size_t verb_at = start;
  while (verb_at < range.end &&
         !(verb_of(verb_at) && verb_at + 1 < range.end && words[verb_at + 1].low == "ich")) {
    ++verb_at;
  }
  if (verb_at > start && verb_at < range.end && verb_at < start + 7) {
    const GermanVerb* verb = verb_of(verb_at);
    append(owner, false);
    append(std::string(verb->third), false);
    out.relation = verb->relation;
    append_words(start, verb_at);
    if (start < verb_at && words[start].phrase < 0) {
      // The first word has lost its place at the sentence's start.
      if (const std::size_t at = text.find(" " + words[start].text);
          at != std::string::npos && in(Set::kPreposition, words[start].low)) {
        text[at + 1] = words[start].low[0];
      }
    }
    append_words(verb_at + 2, range.end);
    out.text = text;
    return out;
  }
  if (words[start].low == "mein" || words[start].low == "meine" || words[start].low == "unser" ||
      words[start].low == "unsere") {
    std::size_t at = start + 1;
    while (at < range.end && at < start + 5 &&
           std::find(std::begin(kGermanThird), std::end(kGermanThird), words[at].low) ==
               std::end(kGermanThird)) {
      ++at;
    }
    if (at >= range.end || at >= start + 5 || at < start + 2) return std::nullopt;
    for (std::size_t i = start + 1; i < at; ++i)
      out.subject += (out.subject.empty() ? "" : " ") + words[i].text;
    out.relation = words[at].low == "wohnt" || words[at].low == "lebt" ? "lives_in" : words[at].low;
    out.single = out.relation == "lives_in";
    append(german_whose(owner), false);
    append_words(start + 1, range.end);
    out.text = text;
    return out;
  }
  return std::nullopt;
}

std::vector<ForeignStatement> read_german(std::string_view text, const Words& words,
                                          const When& when, const std::string& owner) {
  std::vector<ForeignStatement> out;
  for (const Sentence& sentence : split_sentences(words)) {
    if (sentence.asks) continue;
    // "..., und mein Bruder ...": main clauses joined.
    std::size_t begin = sentence.begin;
    auto cut = [&](std::size_t end) {
      if (auto statement = german_clause(words, {begin, end}, text, when, owner)) {
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

// The name after a relative: "我哥哥赵刚住在" gives 赵刚.
std::string chinese_name(std::string_view clause) {
  for (std::string_view kin :
       {"妹妹", "姐姐", "哥哥", "弟弟", "妈妈", "爸爸", "朋友", "丈夫", "妻子", "老公", "老婆",
        "女儿", "儿子", "同事", "男朋友", "女朋友"}) {
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

std::vector<ForeignStatement> read_chinese(std::string_view text, const When& when,
                                           const Words& words, const std::string& owner) {
  std::vector<ForeignStatement> out;
  std::string last_person;
  std::size_t begin = 0;
  const auto phrases = when.inside(words, {0, words.size()});
  auto take = [&](std::size_t end) {
    std::string clause(text.substr(begin, end - begin));
    const std::size_t clause_begin = begin;
    for (std::string_view blank : {" ", "\n", "\t", "\r"}) {
      while (clause.starts_with(blank)) clause.erase(0, blank.size());
    }
    const bool asks =
        clause.find("吗") != std::string::npos || clause.find("？") != std::string::npos ||
        clause.find("如果") != std::string::npos || clause.find("要是") != std::string::npos ||
        clause.find("什么") != std::string::npos || clause.find("哪") != std::string::npos ||
        clause.find("你") != std::string::npos;
    if (asks) return;
    ForeignStatement statement;
    // Dates as they stand in the clause, the last first so that places stay right.
    for (auto at = phrases.rbegin(); at != phrases.rend(); ++at) {
      const auto& phrase = when.phrase(*at);
      if (phrase.begin < clause_begin || phrase.end > end || !phrase.from.known()) continue;
      const std::string said(text.substr(phrase.begin, phrase.end - phrase.begin));
      replace_all(clause, said, chinese_date(phrase.from));
      statement.phrase = *at;
    }
    std::string person = chinese_name(clause);
    const bool pronoun = clause.starts_with("她") || clause.starts_with("他");
    if (pronoun) {
      if (last_person.empty()) return;
      clause.replace(0, std::string_view("她").size(), last_person);
      person = last_person;
    } else if (clause.find("我") == std::string::npos) {
      return;
    }
    if (!person.empty()) last_person = person;
    const bool lives = clause.find("住在") != std::string::npos;
    const bool allergic = clause.find("过敏") != std::string::npos;
    const bool tells =
        lives || allergic || statement.phrase >= 0 || clause.find("喜欢") != std::string::npos ||
        clause.find("是") != std::string::npos || clause.find("有") != std::string::npos ||
        clause.find("工作") != std::string::npos || clause.find("不吃") != std::string::npos ||
        clause.find("生日") != std::string::npos || clause.find("叫") != std::string::npos;
    if (!tells) return;
    const std::string whose = owner + "的";
    for (std::string_view kin :
         {"妹妹", "姐姐", "哥哥", "弟弟", "妈妈", "爸爸", "朋友", "丈夫", "妻子", "老公", "老婆",
          "女儿", "儿子", "同事", "男朋友", "女朋友"}) {
      replace_all(clause, "我" + std::string(kin), whose + std::string(kin));
    }
    replace_all(clause, "我们", owner);
    replace_all(clause, "我的", whose);
    replace_all(clause, "我", owner);
    statement.text = clause + "。";
    statement.subject = person;
    statement.relation = lives ? "lives_in" : allergic ? "allergy" : "says";
    statement.single = lives && statement.phrase < 0;
    statement.object = clause;
    out.push_back(std::move(statement));
  };
  // A clause ends at 。！； and at a comma before a new subject.
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view here = text.substr(i);
    bool ends = false;
    std::size_t size = 3;
    for (std::string_view mark : {"。", "！", "；", "？"}) ends = ends || here.starts_with(mark);
    if (here.starts_with("，") || here.starts_with(",")) {
      size = here.starts_with(",") ? 1 : 3;
      const std::string_view next = here.substr(size);
      ends = next.starts_with("她") || next.starts_with("他") || next.starts_with("我");
    }
    if (here.starts_with("\n")) ends = true, size = 1;
    if (!ends) {
      ++i;
      continue;
    }
    const std::size_t end = here.starts_with("？") ? i + 3 : i;
    take(end);
    i += size;
    begin = i;
  }
  if (begin < text.size()) take(text.size());
  for (ForeignStatement& statement : out) {
    // The writer adds a full stop; a Chinese one is enough.
    if (statement.text.ends_with("？。")) statement.text.clear();
  }
  std::erase_if(out, [](const ForeignStatement& s) { return s.text.empty(); });
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
