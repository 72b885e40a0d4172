#include "tests/exams/score.h"

#include <libstemmer.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <cstdio>

namespace kartei::exams {

namespace {

namespace json = boost::json;

constexpr std::string_view kStopWords[] = {
    "a",     "about", "after", "all",  "also",   "am",     "an",    "and",   "any",  "are",
    "as",    "at",    "be",    "been", "before", "being",  "but",   "by",    "can",  "could",
    "did",   "do",    "does",  "for",  "from",   "had",    "has",   "have",  "he",   "her",
    "hers",  "him",   "his",   "how",  "i",      "if",     "in",    "into",  "is",   "it",
    "its",   "just",  "me",    "more", "most",   "my",     "no",    "not",   "of",   "on",
    "or",    "our",   "out",   "over", "she",    "should", "so",    "some",  "such", "than",
    "that",  "the",   "their", "them", "then",   "there",  "these", "they",  "this", "those",
    "to",    "too",   "up",    "us",   "very",   "was",    "we",    "were",  "what", "when",
    "where", "which", "while", "who",  "why",    "will",   "with",  "would", "you",  "your",
    "s",     "t"};

double percentile(std::vector<double> values, double p) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1,
                         static_cast<std::size_t>(p * static_cast<double>(values.size())))];
}

// The mean of a field over the marks that a condition picks; 0 where there are none.
template <class Field, class Picks>
double mean(const std::vector<const Mark*>& marks, Field field, Picks picks) {
  double sum = 0;
  std::size_t n = 0;
  for (const Mark* mark : marks)
    if (picks(*mark)) sum += field(*mark), ++n;
  return n == 0 ? 0 : sum / static_cast<double>(n);
}

double rounded(double value) {
  return std::round(value * 10000) / 10000;
}

json::object summary(const std::vector<const Mark*>& marks) {
  const auto all = [](const Mark&) { return true; };
  const auto answered = [](const Mark& m) { return m.has_answer_words; };
  json::object out, recall;
  out["questions"] = marks.size();
  for (int k : kRecallDepths)
    recall[std::to_string(k)] = rounded(mean(
        marks, [k](const Mark& m) { return m.recall_at.at(k); }, all));
  out["recall_at"] = recall;
  out["recall_at_budget"] = rounded(mean(
      marks, [](const Mark& m) { return m.recall_at_budget; }, all));
  out["answer_cover_at_budget"] = rounded(mean(
      marks, [](const Mark& m) { return m.answer_cover; }, answered));
  out["tokens_mean"] = rounded(mean(
      marks, [](const Mark& m) { return m.tokens; }, all));
  out["r_at_1"] = rounded(mean(
      marks, [](const Mark& m) { return m.first_is_evidence; }, all));
  out["mrr"] = rounded(mean(
      marks, [](const Mark& m) { return m.reciprocal_rank; }, all));
  return out;
}

std::map<std::string, std::vector<const Mark*>> grouped(const std::vector<Mark>& marks,
                                                        std::vector<const Mark*>& counted) {
  std::map<std::string, std::vector<const Mark*>> kinds;
  for (const Mark& m : marks) {
    kinds[m.kind].push_back(&m);
    if (m.counts) counted.push_back(&m);
  }
  return kinds;
}

}  // namespace

ContentWords::ContentWords() : stemmer_(::sb_stemmer_new("english", nullptr)) {}
ContentWords::~ContentWords() {
  ::sb_stemmer_delete(stemmer_);
}

std::set<std::string> ContentWords::of(std::string_view text) {
  std::set<std::string> words;
  std::string word;
  const auto flush = [&] {
    if (!word.empty() &&
        std::find(std::begin(kStopWords), std::end(kStopWords), word) == std::end(kStopWords)) {
      const auto* stem = ::sb_stemmer_stem(
          stemmer_, reinterpret_cast<const sb_symbol*>(word.data()), static_cast<int>(word.size()));
      words.emplace(reinterpret_cast<const char*>(stem),
                    static_cast<std::size_t>(::sb_stemmer_length(stemmer_)));
    }
    word.clear();
  };
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 'A' && byte <= 'Z')
      word += static_cast<char>(c | 32);
    else if ((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte >= 0x80)
      word += c;
    else
      flush();
  }
  flush();
  return words;
}

bool is_answerable(const ExamQuestion& question) {
  return !question.evidence.empty() && question.kind != "adversarial" &&
         question.kind != "abstention";
}

double share_found(const std::vector<std::string>& evidence, const std::vector<Item>& items,
                   std::size_t first) {
  if (evidence.empty()) return 0;
  std::set<std::string> turns;
  for (std::size_t i = 0; i < std::min(first, items.size()); ++i)
    turns.insert(items[i].turns.begin(), items[i].turns.end());
  std::size_t found = 0;
  for (const auto& id : evidence) found += turns.count(id);
  return static_cast<double>(found) / static_cast<double>(evidence.size());
}

Mark mark(const ExamQuestion& question, const std::vector<Item>& within_budget,
          const std::string& text, double tokens, const std::vector<Item>& unlimited,
          ContentWords& words) {
  Mark m;
  m.kind = question.kind;
  m.counts = is_answerable(question);
  m.tokens = tokens;
  m.recall_at_budget = share_found(question.evidence, within_budget, within_budget.size());
  for (int k : kRecallDepths)
    m.recall_at[k] = share_found(question.evidence, unlimited, static_cast<std::size_t>(k));
  for (std::size_t i = 0; i < unlimited.size() && m.reciprocal_rank == 0; ++i)
    if (share_found(question.evidence, {unlimited[i]}, 1) > 0)
      m.reciprocal_rank = 1.0 / static_cast<double>(i + 1);
  m.first_is_evidence = m.reciprocal_rank == 1 ? 1 : 0;
  const auto wanted = words.of(question.answer);
  m.has_answer_words = !wanted.empty();
  if (!wanted.empty()) {
    const auto given = words.of(text);
    std::size_t covered = 0;
    for (const auto& word : wanted) covered += given.count(word);
    m.answer_cover = static_cast<double>(covered) / static_cast<double>(wanted.size());
  }
  return m;
}

std::string report_json(const Totals& totals, const std::vector<Mark>& marks) {
  std::vector<const Mark*> counted;
  const auto kinds = grouped(marks, counted);
  json::object out;
  out["data"] = totals.data;
  out["conversations"] = totals.conversations;
  for (auto& [name, value] : summary(counted)) out[name] = value;
  json::object by_kind;
  for (const auto& [kind, list] : kinds) by_kind[kind] = summary(list);
  out["by_kind"] = by_kind;
  std::vector<double> took;
  for (const Mark& m : marks) took.push_back(m.took_us);
  out["recall_us"] = json::object{{"p50", percentile(took, .5)}, {"p99", percentile(took, .99)}};
  out["turns_per_s"] = rounded(totals.turns_per_s);
  out["rss_mb"] = rounded(totals.rss_mb);
  return json::serialize(out);
}

std::string report_table(const Totals& totals, const std::vector<Mark>& marks) {
  std::vector<const Mark*> counted;
  auto kinds = grouped(marks, counted);
  std::string out = totals.data + "\n";
  char line[160];
  std::snprintf(line, sizeof line, "%-26s %6s %6s %6s %6s %8s %8s %7s\n", "kind", "n", "@5", "@10",
                "@50", "budget", "answers", "tokens");
  out += line;
  const auto row = [&](const std::string& name, const std::vector<const Mark*>& list) {
    const json::object s = summary(list);
    const auto number = [](const json::value& v) { return v.to_number<double>(); };
    const auto& at = s.at("recall_at").as_object();
    std::snprintf(line, sizeof line, "%-26s %6zu %6.3f %6.3f %6.3f %8.3f %8.3f %7.0f\n",
                  name.c_str(), list.size(), number(at.at("5")), number(at.at("10")),
                  number(at.at("50")), number(s.at("recall_at_budget")),
                  number(s.at("answer_cover_at_budget")), number(s.at("tokens_mean")));
    out += line;
  };
  for (const auto& [kind, list] : kinds) row(kind, list);
  row("all answerable", counted);
  return out;
}

}  // namespace kartei::exams
