// The baseline: SQLite's FTS5 (porter, bm25, stop words dropped) over whole turns, no more. What
// any memory must beat to be worth its keep.
#pragma once

#include <string>
#include <vector>

#include "crypto/result.h"
#include "tests/exams/exam.h"
#include "tests/exams/score.h"

struct sqlite3;

namespace kartei::exams {

class Baseline {
 public:
  static Result<Baseline> make(const ExamConversation& conversation);
  Baseline(Baseline&& other) noexcept : db_(other.db_) { other.db_ = nullptr; }
  ~Baseline();
  struct Answer {
    std::vector<Item> within_budget, unlimited;
    std::string text;
    double tokens = 0;
  };
  // Whole turns, best first, as long as they fit; the first that does not is cut.
  Result<Answer> ask(const std::string& question, std::size_t budget_tokens);

 private:
  Baseline() = default;
  sqlite3* db_ = nullptr;
};

}  // namespace kartei::exams
