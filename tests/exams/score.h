// Marks: the share of a question's evidence found, and of its answer's words covered. Values.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/exams/exam.h"

struct sb_stemmer;

namespace kartei::exams {

struct Item {
  std::vector<std::string> turns;  // its id and its sources
};

// What one question brought.
struct Mark {
  std::string kind;
  bool counts = true;  // in the totals: it has evidence and is answerable
  bool has_answer_words = false;
  std::map<int, double> recall_at;
  double recall_at_budget = 0, answer_cover = 0, first_is_evidence = 0, reciprocal_rank = 0;
  double tokens = 0, took_us = 0;
};

// Content words and numbers of a text, English-stemmed, stop words dropped. One thread.
class ContentWords {
 public:
  ContentWords();
  ~ContentWords();
  ContentWords(const ContentWords&) = delete;
  ContentWords& operator=(const ContentWords&) = delete;
  std::set<std::string> of(std::string_view text);

 private:
  sb_stemmer* stemmer_;
};

inline constexpr int kRecallDepths[] = {5, 10, 20, 50};

bool is_answerable(const ExamQuestion& question);
double share_found(const std::vector<std::string>& evidence, const std::vector<Item>& items,
                   std::size_t first);
Mark mark(const ExamQuestion& question, const std::vector<Item>& within_budget,
          const std::string& text, double tokens, const std::vector<Item>& unlimited,
          ContentWords& words);

// The object that kartei-exam prints, as JSON; `by_kind` as well.
struct Totals {
  std::string data;
  std::size_t conversations = 0;
  double turns_per_s = 0, rss_mb = 0;
};
std::string report_json(const Totals& totals, const std::vector<Mark>& marks);
std::string report_table(const Totals& totals, const std::vector<Mark>& marks);

}  // namespace kartei::exams
