#include "tests/exams/baseline.h"

#include <sqlite3.h>

#include "store/librarian.h"

namespace kartei::exams {

namespace {

Error sql_error(sqlite3* db) {
  return {Cause::kIo, ::sqlite3_errmsg(db), {}};
}

// The question's content words as an OR of quoted strings.
std::string match_of(const std::string& question) {
  ContentWords words;
  std::string match;
  for (const auto& word : words.of(question))
    match += (match.empty() ? "\"" : " OR \"") + word + "\"";
  return match;
}

void bind(sqlite3_stmt* statement, int index, const std::string& text) {
  ::sqlite3_bind_text(statement, index, text.data(), static_cast<int>(text.size()),
                      SQLITE_TRANSIENT);
}

std::string column(sqlite3_stmt* statement, int index) {
  const auto* text = reinterpret_cast<const char*>(::sqlite3_column_text(statement, index));
  return text == nullptr ? std::string() : text;
}

}  // namespace

Result<Baseline> Baseline::make(const ExamConversation& conversation) {
  Baseline baseline;
  if (::sqlite3_open(":memory:", &baseline.db_) != SQLITE_OK) return sql_error(baseline.db_);
  if (::sqlite3_exec(
          baseline.db_,
          "CREATE VIRTUAL TABLE t USING fts5(id UNINDEXED, body, tokenize='porter unicode61')",
          nullptr, nullptr, nullptr) != SQLITE_OK)
    return sql_error(baseline.db_);
  sqlite3_stmt* insert = nullptr;
  ::sqlite3_prepare_v2(baseline.db_, "INSERT INTO t VALUES(?,?)", -1, &insert, nullptr);
  for (const auto& session : conversation.sessions)
    for (const auto& turn : session.turns) {
      bind(insert, 1, turn.id);
      bind(insert, 2,
           turn.speaker + ": " + turn.text +
               (turn.caption.empty() ? "" : " [" + turn.caption + "]"));
      ::sqlite3_step(insert);
      ::sqlite3_reset(insert);
    }
  ::sqlite3_finalize(insert);
  return baseline;
}

Baseline::~Baseline() {
  ::sqlite3_close(db_);
}

Result<Baseline::Answer> Baseline::ask(const std::string& question, std::size_t budget_tokens) {
  Answer answer;
  const std::string match = match_of(question);
  if (match.empty()) return answer;
  sqlite3_stmt* select = nullptr;
  ::sqlite3_prepare_v2(db_, "SELECT id, body FROM t WHERE t MATCH ? ORDER BY rank LIMIT 50", -1,
                       &select, nullptr);
  bind(select, 1, match);
  bool full = false;
  while (::sqlite3_step(select) == SQLITE_ROW) {
    const std::string id = column(select, 0), body = column(select, 1);
    answer.unlimited.push_back({{id}});
    if (full) continue;
    const auto tokens = store::estimate_tokens(body + "\n");
    const auto left = static_cast<double>(budget_tokens) - answer.tokens;
    full = static_cast<double>(tokens) > left;
    // A turn that does not fit is cut in proportion, and counts as handed out.
    const double share = full ? left / static_cast<double>(tokens) : 1;
    answer.text +=
        body.substr(0, static_cast<std::size_t>(share * static_cast<double>(body.size()))) + "\n";
    answer.tokens += share * static_cast<double>(tokens);
    answer.within_budget.push_back({{id}});
  }
  ::sqlite3_finalize(select);
  return answer;
}

}  // namespace kartei::exams
